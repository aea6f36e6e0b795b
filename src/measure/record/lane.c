/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/lane.h"

#include <stdatomic.h>

#include "base/memory.h"

#define STACK_BYTES (WF_MAX_REGIONS * sizeof(struct weft_stack_) + 2 * WF_SEGMENT_PAGE)
#define SHOWN_VISITS 48u /* as many visits under way lie in the segment at least */
#define CHUNK_BYTES (4096u - (uint32_t)sizeof(struct wf_chunk)) /* of records: with its header a chunk is one page */

static void lane_free(struct wf_lane *lane)
{
    if (!lane)
        return;
    if (lane->sites.table.mask)
        wf_memory_release(lane->sites.table.slots, (lane->sites.table.mask + 1) * sizeof *lane->sites.table.slots);
    wf_memory_release(lane->stack, STACK_BYTES);
    wf_memory_release(lane, sizeof *lane);
}

static void lane_begin_stack(struct wf_lane *lane, struct weft_stack_ *stack)
{
    stack->visit = (struct weft_visit_ *)&lane->no_region;
    lane->stack = lane->probes.top = stack;
}

/* Its memory, with all that needs no segment. */
static struct wf_lane *lane_make(void)
{
    struct wf_lane *lane = wf_memory_pages(sizeof *lane);
    if (!lane)
        return NULL;
    lane->stack = wf_memory_pages(STACK_BYTES);
    if (!lane->stack || !wf_lane_begin_sites(lane)) {
        lane_free(lane);
        return NULL;
    }
    lane_begin_stack(lane, lane->stack);
    return lane;
}

/* The chunk ends with a page, so the stack goes on behind it in memory of its own. */
void wf_lane_show_stack(struct wf_lane *lane)
{
    struct wf_chunk *chunk = wf_segment_add_to_page(lane->segment, WF_CHUNK_OPEN, lane->offset, sizeof *lane->stack,
                                                    SHOWN_VISITS * sizeof *lane->stack);
    if (!chunk)
        return;
    uintptr_t at = (uintptr_t)chunk, into = at % WF_SEGMENT_PAGE, bytes = into + chunk->bytes;
    char *memory = (char *)lane->stack;
    if (wf_memory_show(memory, (void *)(at - into), bytes) != 0)
        return;
    lane_begin_stack(lane, (struct weft_stack_ *)(memory + into + sizeof *chunk));
    atomic_store_explicit(&chunk->count, (uint32_t)((chunk->bytes - sizeof *chunk) / sizeof *lane->stack),
                          memory_order_release);
}

struct wf_lane *wf_lane_new(struct wf_segment *segment)
{
    struct wf_lane *lane = lane_make();
    struct wf_chunk *chunk = NULL;
    if (lane)
        chunk = wf_segment_add(segment, WF_CHUNK_LANE, 0, sizeof(struct wf_lane_record), sizeof(struct wf_lane_record));
    if (!chunk) {
        lane_free(lane);
        return NULL;
    }
    lane->segment = segment;
    lane->record = (struct wf_lane_record *)(chunk + 1);
    lane->offset = chunk->lane = wf_segment_offset(segment, lane->record);
    lane->coms.table = lane->waits.table = lane->orders.table = lane->visits =
        (struct wf_table)WF_TABLE(segment->header);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    return lane;
}

void *wf_lane_scratch(struct wf_lane *lane, size_t bytes)
{
    return wf_pages_reserve(&lane->scratch, bytes) ? lane->scratch.memory : NULL;
}

void *wf_lane_next_record(struct wf_lane *lane, struct wf_chunk **chunk, enum wf_chunk_kind kind, uint32_t record_bytes)
{
    if (!*chunk || atomic_load_explicit(&(*chunk)->count, memory_order_relaxed) == CHUNK_BYTES / record_bytes) {
        struct wf_chunk *fresh = wf_segment_add(lane->segment, kind, lane->offset, record_bytes, CHUNK_BYTES);
        if (!fresh)
            return NULL;
        *chunk = fresh;
    }
    return (char *)(*chunk + 1) + (size_t)atomic_load_explicit(&(*chunk)->count, memory_order_relaxed) * record_bytes;
}

void wf_lane_publish(struct wf_chunk *chunk)
{
    atomic_fetch_add_explicit(&chunk->count, 1, memory_order_release);
}
