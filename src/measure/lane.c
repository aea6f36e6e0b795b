/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/lane.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/module.h"

#define CHUNK_RECORDS 63u /* with its header a chunk is one page */
#define FIRST_SITES 64u
#define FIRST_COMS 256u
#define FIRST_WAITS 64u

/* No partner is this one: the first call of a site always looks. */
static struct wf_com_record no_com = {.partner = INT32_MIN};
static struct wf_wait_record no_wait = {.culprit = INT32_MIN};

static struct wf_segment *the_segment;
static struct wf_lane *free_lanes;
static atomic_flag free_lanes_taken = ATOMIC_FLAG_INIT;

void *wf_lane_pages(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static struct wf_lane *pop_free(void)
{
    while (atomic_flag_test_and_set_explicit(&free_lanes_taken, memory_order_acquire))
        ;
    struct wf_lane *lane = free_lanes;
    if (lane)
        free_lanes = lane->next_free;
    atomic_flag_clear_explicit(&free_lanes_taken, memory_order_release);
    return lane;
}

void wf_lane_release(struct wf_lane *lane)
{
    while (atomic_flag_test_and_set_explicit(&free_lanes_taken, memory_order_acquire))
        ;
    lane->next_free = free_lanes;
    free_lanes = lane;
    atomic_flag_clear_explicit(&free_lanes_taken, memory_order_release);
}

static struct wf_lane *new_lane(struct wf_segment *segment)
{
    struct wf_lane *lane = wf_lane_pages(sizeof *lane);
    if (!lane)
        return NULL;
    lane->sites = wf_lane_pages(FIRST_SITES * sizeof *lane->sites);
    lane->coms = wf_lane_pages(FIRST_COMS * sizeof *lane->coms);
    lane->stack = mmap(NULL, WF_MAX_REGIONS * sizeof *lane->stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    lane->waits = wf_lane_pages(FIRST_WAITS * sizeof *lane->waits);
    struct wf_chunk *chunk = NULL;
    if (lane->sites && lane->coms && lane->waits && lane->stack != MAP_FAILED)
        chunk = wf_segment_add(segment, WF_CHUNK_LANE, 0, sizeof(struct wf_lane_record), sizeof(struct wf_lane_record));
    if (!chunk) {
        munmap(lane, sizeof *lane);
        return NULL;
    }
    lane->record = (struct wf_lane_record *)(chunk + 1);
    lane->offset = chunk->lane = wf_segment_offset(segment, lane->record);
    lane->site_mask = FIRST_SITES - 1;
    lane->com_mask = FIRST_COMS - 1;
    lane->wait_mask = FIRST_WAITS - 1;
    lane->stack->visit = (struct weft_visit_ *)&lane->no_region;
    lane->probes.top = lane->stack;
    lane->lost = lane->muted = (struct wf_site){.record = &lane->void_site, .last = &no_com, .last_wait = &no_wait};
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    return lane;
}

struct wf_lane *wf_lane_acquire(struct wf_segment *segment)
{
    the_segment = segment;
    struct wf_lane *lane = pop_free();
    if (lane)
        memset(lane->slots, 0, sizeof lane->slots); /* they were the last thread's */
    if (!lane)
        lane = new_lane(segment);
    if (lane)
        lane->record->thread_id = (uint32_t)syscall(SYS_gettid);
    else
        atomic_fetch_add(&segment->header->dropped_lanes, 1);
    return lane;
}

void *wf_lane_scratch(struct wf_lane *lane, size_t bytes)
{
    if (bytes <= lane->scratch_bytes)
        return lane->scratch;
    size_t size = lane->scratch_bytes ? lane->scratch_bytes : 4096;
    while (size < bytes)
        size *= 2;
    void *memory = wf_lane_pages(size);
    if (!memory)
        return NULL;
    if (lane->scratch)
        munmap(lane->scratch, lane->scratch_bytes);
    lane->scratch = memory;
    lane->scratch_bytes = size;
    return memory;
}

void *wf_lane_next_record(struct wf_lane *lane, struct wf_chunk **chunk, enum wf_chunk_kind kind)
{
    if (!*chunk || atomic_load_explicit(&(*chunk)->count, memory_order_relaxed) == CHUNK_RECORDS) {
        struct wf_chunk *fresh =
            wf_segment_add(the_segment, kind, lane->offset, WF_SEGMENT_UNIT, CHUNK_RECORDS * WF_SEGMENT_UNIT);
        if (!fresh)
            return NULL;
        *chunk = fresh;
    }
    return (char *)(*chunk + 1) + (size_t)atomic_load_explicit(&(*chunk)->count, memory_order_relaxed) * WF_SEGMENT_UNIT;
}

void wf_lane_publish(struct wf_chunk *chunk)
{
    atomic_fetch_add_explicit(&chunk->count, 1, memory_order_release);
}

static bool grow_sites(struct wf_lane *lane)
{
    size_t slots = (size_t)lane->site_mask + 1;
    struct wf_site **table = wf_lane_pages(2 * slots * sizeof *table);
    if (!table)
        return false;
    uint32_t mask = (uint32_t)(2 * slots - 1);
    for (size_t s = 0; s < slots; s++) {
        struct wf_site *site = lane->sites[s];
        if (!site)
            continue;
        uint32_t i = wf_lane_hash(site->address);
        while (table[i & mask])
            i++;
        table[i & mask] = site;
    }
    munmap(lane->sites, slots * sizeof *lane->sites);
    lane->sites = table;
    lane->site_mask = mask;
    return true;
}

static struct wf_site *new_site(struct wf_lane *lane)
{
    if (lane->site_pool_left == 0) {
        lane->site_pool = wf_lane_pages(4096);
        lane->site_pool_left = lane->site_pool ? 4096 / sizeof *lane->site_pool : 0;
    }
    if (lane->site_pool_left == 0)
        return NULL;
    lane->site_pool_left--;
    return lane->site_pool++;
}

static struct wf_site *add_site(struct wf_lane *lane, uintptr_t address, uint32_t call)
{
    if (4 * (lane->site_used + 1) > 3 * (lane->site_mask + 1) && !grow_sites(lane))
        return &lane->lost;
    struct wf_site_record *record = wf_lane_next_record(lane, &lane->site_chunk, WF_CHUNK_SITE);
    struct wf_site *site = record ? new_site(lane) : NULL;
    if (!site)
        return &lane->lost;
    record->address = address;
    record->module = wf_module_find(the_segment, address);
    record->call = (uint16_t)call;
    wf_lane_publish(lane->site_chunk);
    *site = (struct wf_site){.address = address,
                             .call = call,
                             .offset = wf_segment_offset(the_segment, record),
                             .record = record,
                             .last = &no_com,
                             .last_wait = &no_wait};
    uint32_t i = wf_lane_hash(address);
    while (lane->sites[i & lane->site_mask])
        i++;
    lane->sites[i & lane->site_mask] = site;
    lane->site_used++;
    return site;
}

struct wf_site *wf_lane_add_site(struct wf_lane *lane, uintptr_t address, uint32_t call)
{
    uint64_t since = wf_clock_ticks();
    struct wf_site *site = add_site(lane, address, call);
    wf_lane_charge(lane, since);
    return site;
}

static uint32_t com_hash(uint32_t site, int32_t partner)
{
    return wf_lane_hash((uint64_t)site << 32 | (uint32_t)partner);
}

static bool grow_coms(struct wf_lane *lane)
{
    size_t slots = (size_t)lane->com_mask + 1;
    uint32_t *table = wf_lane_pages(2 * slots * sizeof *table);
    if (!table)
        return false;
    uint32_t mask = (uint32_t)(2 * slots - 1);
    for (size_t s = 0; s < slots; s++) {
        if (!lane->coms[s])
            continue;
        const struct wf_com_record *com = wf_segment_at(the_segment, lane->coms[s]);
        uint32_t i = com_hash(com->site, com->partner);
        while (table[i & mask])
            i++;
        table[i & mask] = lane->coms[s];
    }
    munmap(lane->coms, slots * sizeof *lane->coms);
    lane->coms = table;
    lane->com_mask = mask;
    return true;
}

static struct wf_com_record *add_com(struct wf_lane *lane, struct wf_site *site, int32_t partner)
{
    if (5 * (lane->com_used + 1) > 4 * (lane->com_mask + 1) && !grow_coms(lane))
        return NULL;
    struct wf_com_record *com = wf_lane_next_record(lane, &lane->com_chunk, WF_CHUNK_COM);
    if (!com)
        return NULL;
    com->site = site->offset;
    com->partner = partner;
    wf_lane_publish(lane->com_chunk);
    uint32_t i = com_hash(site->offset, partner);
    while (lane->coms[i & lane->com_mask])
        i++;
    lane->coms[i & lane->com_mask] = wf_segment_offset(the_segment, com);
    lane->com_used++;
    return com;
}

struct wf_com_record *wf_lane_com(struct wf_lane *lane, struct wf_site *site, int32_t partner)
{
    if (site->offset == 0)
        return NULL;
    for (uint32_t i = com_hash(site->offset, partner);; i++) {
        uint32_t offset = lane->coms[i & lane->com_mask];
        if (offset == 0)
            break;
        struct wf_com_record *com = wf_segment_at(the_segment, offset);
        if (com->site == site->offset && com->partner == partner)
            return site->last = com;
    }
    struct wf_com_record *com = add_com(lane, site, partner);
    if (com)
        site->last = com;
    return com;
}

static uint32_t wait_hash(uint32_t site, int32_t culprit, uint32_t kind, uint64_t address)
{
    return wf_lane_hash(((uint64_t)site << 32 | (uint32_t)culprit) + address * 31 + kind);
}

static bool grow_waits(struct wf_lane *lane)
{
    size_t slots = (size_t)lane->wait_mask + 1;
    uint32_t *table = wf_lane_pages(2 * slots * sizeof *table);
    if (!table)
        return false;
    uint32_t mask = (uint32_t)(2 * slots - 1);
    for (size_t s = 0; s < slots; s++) {
        if (!lane->waits[s])
            continue;
        const struct wf_wait_record *w = wf_segment_at(the_segment, lane->waits[s]);
        uint32_t i = wait_hash(w->site, w->culprit, w->kind, w->address);
        while (table[i & mask])
            i++;
        table[i & mask] = lane->waits[s];
    }
    munmap(lane->waits, slots * sizeof *lane->waits);
    lane->waits = table;
    lane->wait_mask = mask;
    return true;
}

static struct wf_wait_record *add_wait(struct wf_lane *lane, const struct wf_site *site, int32_t culprit, uint32_t kind, uint64_t address)
{
    if (5 * (lane->wait_used + 1) > 4 * (lane->wait_mask + 1) && !grow_waits(lane))
        return NULL;
    struct wf_wait_record *wait = wf_lane_next_record(lane, &lane->wait_chunk, WF_CHUNK_WAIT);
    if (!wait)
        return NULL;
    wait->site = site->offset;
    wait->culprit = culprit;
    wait->kind = kind;
    wait->address = address;
    wf_lane_publish(lane->wait_chunk);
    uint32_t i = wait_hash(site->offset, culprit, kind, address);
    while (lane->waits[i & lane->wait_mask])
        i++;
    lane->waits[i & lane->wait_mask] = wf_segment_offset(the_segment, wait);
    lane->wait_used++;
    return wait;
}

struct wf_wait_record *wf_lane_wait(struct wf_lane *lane, struct wf_site *site, int32_t culprit, uint32_t kind, uint64_t address)
{
    if (site->offset == 0)
        return NULL;
    struct wf_wait_record *wait = NULL;
    for (uint32_t i = wait_hash(site->offset, culprit, kind, address); lane->waits[i & lane->wait_mask] && !wait; i++) {
        struct wf_wait_record *w = wf_segment_at(the_segment, lane->waits[i & lane->wait_mask]);
        if (w->site == site->offset && w->culprit == culprit && w->kind == kind && w->address == address)
            wait = w;
    }
    if (!wait)
        wait = add_wait(lane, site, culprit, kind, address);
    if (wait)
        site->last_wait = wait;
    return wait;
}

void wf_lane_drop(const struct wf_site *site, uint64_t num, uint64_t ticks)
{
    if (site->offset == 0)
        return; /* muted; or lost, which is counted where the call ends */
    atomic_fetch_add_explicit(&the_segment->header->dropped_coms, num, memory_order_relaxed);
    atomic_fetch_add_explicit(&the_segment->header->dropped_coms_ticks, ticks, memory_order_relaxed);
}
