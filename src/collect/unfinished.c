/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/unfinished.h"

enum { MOST_VISITS = 512 }; /* more than one lane shows */

struct unfinished_end {
    struct wf_segment_reader *reader;
    uint64_t ticks, visit_ticks; /* the moment; of visits, that of the pause in which it was */
    uint64_t intrusion;          /* of the lane, as late as it is known; modulo 2^64 */
};

/* Between the begin of a call and the moment that is kept of it, the last call is the latest that is known. */
bool wf_unfinished_call(const struct wf_lane_record *lane, uint64_t *since)
{
    *since = lane->enter_ticks > lane->leave_ticks ? lane->enter_ticks : lane->leave_ticks;
    return lane->current_site != 0;
}

/* NULL: it is that of no region, or of none that is recorded. */
static struct wf_visit_record *unfinished_visit(const struct wf_segment_reader *reader,
                                                const struct wf_open_record *open)
{
    uint64_t at = open->visit - wf_segment_reader_header(reader)->address, offset = at / WF_SEGMENT_UNIT;
    if (open->start == 0 || at % WF_SEGMENT_UNIT || offset > UINT32_MAX ||
        wf_segment_reader_find(reader, WF_CHUNK_VISIT, (uint32_t)offset) < 0)
        return NULL;
    return (struct wf_visit_record *)(reader->bytes + at);
}

/* When the thread was there at the latest: at its entry, and for as long as what has ended inside. */
static uint64_t unfinished_last_sign(const struct wf_segment_reader *reader, const struct wf_open_record *open)
{
    const struct wf_visit_record *visit = unfinished_visit(reader, open);
    uint64_t inside = visit && visit->num == 0 && visit->inner_raw < INT64_MAX ? visit->inner_raw : 0;
    return open->start + inside;
}

size_t wf_unfinished_visits(const struct wf_segment_reader *reader, uint64_t *last_sign)
{
    size_t count = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_OPEN);
    *last_sign = 0;
    for (const struct wf_open_record *open; (open = wf_segment_records_next(&records));) {
        uint64_t sign = open->start ? unfinished_last_sign(reader, open) : 0;
        count += sign != 0;
        *last_sign = sign > *last_sign ? sign : *last_sign;
    }
    return count;
}

/* Records of a lane come from the outermost. */
const struct wf_visit_record *wf_unfinished_innermost(const struct wf_segment_reader *reader)
{
    const struct wf_visit_record *innermost = NULL;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_OPEN);
    for (const struct wf_open_record *open; (open = wf_segment_records_next(&records));) {
        const struct wf_lane_record *lane = wf_segment_reader_lane(reader, records.lane);
        const struct wf_visit_record *visit = lane && lane->main ? unfinished_visit(reader, open) : NULL;
        innermost = visit ? visit : innermost;
    }
    return innermost;
}

static uint64_t unfinished_between(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/* The reader's own copy may be changed. */
static void *unfinished_record(struct wf_segment_reader *reader, const void *record)
{
    return record ? reader->bytes + ((const unsigned char *)record - reader->bytes) : NULL;
}

/* ---- visits ---- */

/* As wf_visit_count in measure/probe/visits.h: what is around a procedure does not have its time as its own; what is
 * around a loop does, except for what is inside. */
static void unfinished_visit_end(const struct unfinished_end *end, const struct wf_open_record *open,
                                 struct wf_visit_record *visit, struct wf_visit_record *outside)
{
    const struct wf_region_record *region = wf_segment_reader_region(end->reader, visit->region);
    uint64_t raw = unfinished_between(open->start, end->visit_ticks);
    int64_t virt = (int64_t)(end->visit_ticks - end->intrusion - open->start_virtual);
    if (virt < 0 || (uint64_t)virt > raw)
        virt = virt < 0 ? 0 : (int64_t)raw;
    uint64_t inner_raw = unfinished_between(open->inner_raw, visit->inner_raw),
             inner_virtual = unfinished_between(open->inner_virtual, visit->inner_virtual);
    bool procedure = region && region->kind == WF_REGION_PROCEDURE;
    visit->num++;
    visit->ticks_raw += raw;
    visit->ticks_virtual += (uint64_t)virt;
    if (outside) {
        outside->inner_raw += procedure ? raw : inner_raw;
        outside->inner_virtual += procedure ? (uint64_t)virt : inner_virtual;
    }
}

/* Those of the lane, from the outermost. */
static size_t unfinished_gather(struct wf_segment_reader *reader, uint32_t lane,
                                const struct wf_open_record *visits[static MOST_VISITS])
{
    size_t count = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_OPEN);
    for (const struct wf_open_record *open; count < MOST_VISITS && (open = wf_segment_records_next(&records));)
        if (records.lane == lane && unfinished_visit(reader, open))
            visits[count++] = open;
    return count;
}

/* By how much the thread was late: at its last call, or at its last entry of a region if that came later. */
static uint64_t unfinished_intrusion(const struct wf_segment_reader *reader, const struct wf_lane_record *lane,
                                     const struct wf_open_record *newest)
{
    uint64_t known = wf_segment_reader_header(reader)->init_end_ticks;
    if (lane->leave_ticks > known)
        known = lane->leave_ticks;
    return newest && newest->start > known ? newest->start - newest->start_virtual : lane->intrusion_ticks;
}

/* ---- calls ---- */

/* MPI_Finalize, which only the main thread can call, is listed, but is not in the sums. */
static void unfinished_call_end(const struct unfinished_end *end, struct wf_lane_record *lane,
                                struct wf_visit_record *around)
{
    uint64_t since, finalize = wf_segment_reader_header(end->reader)->finalize_begin_ticks;
    if (!wf_unfinished_call(lane, &since))
        return;
    struct wf_site_record *site =
        unfinished_record(end->reader, wf_segment_reader_site(end->reader, lane->current_site));
    uint64_t ticks = unfinished_between(since, end->ticks);
    if (around) {
        around->inner_raw += ticks;
        around->inner_virtual += ticks;
    }
    if (site) {
        site->ticks_raw += ticks;
        site->ticks_virtual += ticks;
        site->max_ticks = ticks > site->max_ticks ? ticks : site->max_ticks;
    }
    if (finalize && lane->main)
        return;
    lane->mpi_ticks += ticks;
    lane->mpi_virtual_ticks += ticks;
    lane->idle.unexplained += ticks;
    if (site)
        site->idle.unexplained += ticks;
}

static void unfinished_lane_end(struct unfinished_end *end, uint32_t offset, struct wf_lane_record *lane)
{
    const struct wf_open_record *visits[MOST_VISITS];
    size_t count = unfinished_gather(end->reader, offset, visits);
    const struct wf_open_record *newest = count ? visits[count - 1] : NULL;
    end->intrusion = unfinished_intrusion(end->reader, lane, newest);
    unfinished_call_end(end, lane, newest ? unfinished_visit(end->reader, newest) : NULL);
    for (size_t i = count; i-- > 0;)
        unfinished_visit_end(end, visits[i], unfinished_visit(end->reader, visits[i]),
                             i ? unfinished_visit(end->reader, visits[i - 1]) : NULL);
}

void wf_unfinished_end(struct wf_segment_reader *reader, uint64_t end_ticks)
{
    uint64_t pause = wf_segment_reader_header(reader)->paused_since_ticks;
    struct unfinished_end end = {
        .reader = reader, .ticks = end_ticks, .visit_ticks = pause && pause < end_ticks ? pause : end_ticks};
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records));)
        unfinished_lane_end(&end, (uint32_t)(((const unsigned char *)lane - reader->bytes) / WF_SEGMENT_UNIT),
                            unfinished_record(reader, lane));
}
