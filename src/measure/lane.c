/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/lane.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/memory.h"
#include "guest/quiet.h"
#include "measure/module.h"

#define CHUNK_BYTES (4096u - (uint32_t)sizeof(struct wf_chunk)) /* of records: with its header a chunk is one page */
#define FIRST_SITES 64u
#define FIRST_SLOTS 256u
#define FIRST_LENT 256u

/* No partner is this one: the first call of a site always looks. */
static struct wf_com_record no_com = {.partner = INT32_MIN};
static struct wf_wait_record no_wait = {.culprit = INT32_MIN};

/* What an index has before anything is put into it: one slot, which stays empty. */
static uint32_t no_slots[1];

static struct wf_segment *the_segment;
static struct wf_lane *all_lanes, *free_lanes;

struct wf_lock wf_lanes_lock;

struct wf_lane *wf_lane_first(void)
{
    return all_lanes;
}

static struct wf_lane *pop_free(void)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    struct wf_lane *lane = free_lanes;
    if (lane)
        free_lanes = lane->next_free;
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
    return lane;
}

void wf_lane_revoke(struct wf_lane *lane)
{
    for (uint32_t i = 0; i < lane->slot_count; i++)
        __atomic_store_n(lane->slots[i].slot, NULL, __ATOMIC_RELAXED);
}

void wf_lane_release(struct wf_lane *lane)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    wf_lane_revoke(lane);
    lane->slot_count = 0;
    lane->next_free = free_lanes;
    free_lanes = lane;
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
}

static bool has_room_for_slot(struct wf_lane *lane)
{
    if (lane->slot_count < lane->slot_room)
        return true;
    uint32_t room = lane->slot_room ? 2 * lane->slot_room : FIRST_LENT;
    struct wf_lane_slot *slots = wf_memory_pages(room * sizeof *slots);
    if (!slots)
        return false;
    if (lane->slots)
        memcpy(slots, lane->slots, lane->slot_count * sizeof *slots);
    wf_memory_release(lane->slots, lane->slot_room * sizeof *slots);
    lane->slots = slots;
    lane->slot_room = room;
    return true;
}

/* Remembered, because a pause or a forked child must take it back. */
static void lend(struct wf_lane *lane, struct weft_lane_ **slot, uintptr_t inside)
{
    uint32_t i = 0;
    while (i < lane->slot_count && lane->slots[i].slot != slot)
        i++;
    if (i == lane->slot_count) {
        if (!has_room_for_slot(lane))
            return;
        lane->slots[lane->slot_count++] = (struct wf_lane_slot){.slot = slot, .inside = inside};
    }
    *slot = &lane->probes;
}

void wf_lane_lend(struct wf_lane *lane, struct weft_lane_ **slot, uintptr_t inside)
{
    struct wf_quiet quiet;
    if (*slot == &lane->probes)
        return;
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    if (!atomic_load(&lane->attention))
        lend(lane, slot, inside);
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
}

/* Its thread-local variable is a later library's, perhaps. */
static void forget_slots(struct wf_lane *lane, uintptr_t start, uintptr_t end)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lane->slot_count; i++)
        if (lane->slots[i].inside < start || lane->slots[i].inside >= end)
            lane->slots[kept++] = lane->slots[i];
    lane->slot_count = kept;
}

void wf_lane_module_closed(uintptr_t start, uintptr_t end)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    for (struct wf_lane *lane = all_lanes; lane; lane = lane->next) {
        forget_slots(lane, start, end);
        atomic_fetch_or(&lane->attention, WF_ATTEND_CLOSED);
        wf_lane_revoke(lane);
    }
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
}

static struct wf_lane *new_lane(struct wf_segment *segment)
{
    struct wf_lane *lane = wf_memory_pages(sizeof *lane);
    if (!lane)
        return NULL;
    lane->sites = wf_memory_pages(FIRST_SITES * sizeof *lane->sites);
    lane->stack = wf_memory_pages(WF_MAX_REGIONS * sizeof *lane->stack);
    struct wf_chunk *chunk = NULL;
    if (lane->sites && lane->stack)
        chunk = wf_segment_add(segment, WF_CHUNK_LANE, 0, sizeof(struct wf_lane_record), sizeof(struct wf_lane_record));
    if (!chunk) {
        wf_memory_release(lane->sites, FIRST_SITES * sizeof *lane->sites);
        wf_memory_release(lane->stack, WF_MAX_REGIONS * sizeof *lane->stack);
        wf_memory_release(lane, sizeof *lane);
        return NULL;
    }
    lane->record = (struct wf_lane_record *)(chunk + 1);
    lane->offset = chunk->lane = wf_segment_offset(segment, lane->record);
    lane->site_mask = FIRST_SITES - 1;
    lane->coms = lane->waits = lane->visits = (struct wf_index){.slots = no_slots, .base = (char *)segment->header};
    lane->stack->visit = (struct weft_visit_ *)&lane->no_region;
    lane->probes.top = lane->stack;
    lane->lost = lane->muted = (struct wf_site){.record = &lane->void_site, .last = &no_com, .last_wait = &no_wait};
    lane->sites[wf_lane_hash(0) & lane->site_mask] = &lane->muted; /* where calibration finds a statement, as calls do */
    lane->site_used = 1;
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    return lane;
}

/* A lane that is new to its thread begins with what holds for all. */
static void join(struct wf_lane *lane, bool fresh)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    if (fresh) {
        lane->next = all_lanes;
        all_lanes = lane;
    }
    if (the_segment->header->paused_since_ticks)
        atomic_fetch_or(&lane->attention, WF_ATTEND_PAUSED);
    lane->pause_ticks = 0;
    atomic_fetch_and(&lane->attention, ~(uint32_t)WF_ATTEND_RESUMED);
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
}

struct wf_lane *wf_lane_acquire(struct wf_segment *segment)
{
    if (the_segment != segment) /* the first thread's alone to write */
        the_segment = segment;
    struct wf_lane *lane = pop_free();
    bool fresh = !lane;
    if (fresh)
        lane = new_lane(segment);
    if (lane) {
        join(lane, fresh);
        lane->record->thread_id = (uint32_t)syscall(SYS_gettid);
    } else {
        atomic_fetch_add(&segment->header->dropped_lanes, 1);
    }
    return lane;
}

void *wf_lane_scratch(struct wf_lane *lane, size_t bytes)
{
    if (bytes <= lane->scratch_bytes)
        return lane->scratch;
    size_t size = lane->scratch_bytes ? lane->scratch_bytes : 4096;
    while (size < bytes)
        size *= 2;
    void *memory = wf_memory_pages(size);
    if (!memory)
        return NULL;
    wf_memory_release(lane->scratch, lane->scratch_bytes);
    lane->scratch = memory;
    lane->scratch_bytes = size;
    return memory;
}

void *wf_lane_next_record(struct wf_lane *lane, struct wf_chunk **chunk, enum wf_chunk_kind kind, uint32_t record_bytes)
{
    if (!*chunk || atomic_load_explicit(&(*chunk)->count, memory_order_relaxed) == CHUNK_BYTES / record_bytes) {
        struct wf_chunk *fresh = wf_segment_add(the_segment, kind, lane->offset, record_bytes, CHUNK_BYTES);
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

static void put(struct wf_index *index, const void *record, uint32_t slot)
{
    while (wf_index_at(index, slot))
        slot++;
    index->slots[slot & index->mask] = (uint32_t)(((const char *)record - index->base) / WF_SEGMENT_WORD);
    index->used++;
}

/* Other slots, so many, with those records that are wanted; NULL: all. */
static bool rehash(struct wf_index *index, uint32_t slots, bool (*is_wanted)(const void *record), wf_index_hash *hash)
{
    struct wf_index other = {.mask = slots - 1, .slots = wf_memory_pages(slots * sizeof *other.slots), .base = index->base};
    if (!other.slots)
        return false;
    for (uint32_t s = 0; s <= index->mask; s++) {
        const void *record = wf_index_at(index, s);
        if (record && (!is_wanted || is_wanted(record)))
            put(&other, record, hash(record));
    }
    if (index->slots != no_slots)
        wf_memory_release(index->slots, (index->mask + 1) * sizeof *index->slots);
    *index = other;
    return true;
}

static bool grow_index(struct wf_index *index, wf_index_hash *hash)
{
    return rehash(index, index->slots == no_slots ? FIRST_SLOTS : 2 * (index->mask + 1), NULL, hash);
}

void wf_index_keep(struct wf_index *index, bool (*is_wanted)(const void *record), wf_index_hash *hash)
{
    if (index->used)
        rehash(index, index->mask + 1, is_wanted, hash);
}

bool wf_index_add(struct wf_index *index, const void *record, wf_index_hash *hash)
{
    if (5 * (index->used + 1) > 4 * (index->mask + 1) && !grow_index(index, hash))
        return false;
    put(index, record, hash(record));
    return true;
}

static void put_site(struct wf_site **table, uint32_t mask, struct wf_site *site)
{
    uint32_t i = wf_lane_hash(site->address);
    while (table[i & mask])
        i++;
    table[i & mask] = site;
}

/* Another table, of so many slots, with those sites that are wanted. */
static bool rebuild_sites(struct wf_lane *lane, uint32_t slots, bool (*is_wanted)(const struct wf_site *))
{
    struct wf_site **table = wf_memory_pages(slots * sizeof *table);
    uint32_t used = 0;
    if (!table)
        return false;
    for (uint32_t s = 0; s <= lane->site_mask; s++)
        if (lane->sites[s] && is_wanted(lane->sites[s])) {
            put_site(table, slots - 1, lane->sites[s]);
            used++;
        }
    wf_memory_release(lane->sites, (lane->site_mask + 1) * sizeof *lane->sites);
    lane->sites = table;
    lane->site_mask = slots - 1;
    lane->site_used = used;
    return true;
}

static bool is_any_site(const struct wf_site *site)
{
    (void)site;
    return true;
}

static bool grow_sites(struct wf_lane *lane)
{
    return rebuild_sites(lane, 2 * (lane->site_mask + 1), is_any_site);
}

static bool is_open_site(const struct wf_site *site)
{
    return !site->offset || !wf_module_is_past(site->record, site->address);
}

/* What is found from now on is of what is mapped now, and in a new chunk: so the collector knows, too (format/segment.h). */
void wf_lane_forget_closed(struct wf_lane *lane)
{
    rebuild_sites(lane, lane->site_mask + 1, is_open_site);
    lane->site_chunk = NULL;
}

static struct wf_site *new_site(struct wf_lane *lane)
{
    if (lane->site_pool_left == 0) {
        lane->site_pool = wf_memory_pages(4096);
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
    struct wf_site_record *record = wf_lane_next_record(lane, &lane->site_chunk, WF_CHUNK_SITE, sizeof *record);
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
    put_site(lane->sites, lane->site_mask, site);
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

static uint32_t hash_of_com(const void *record)
{
    const struct wf_com_record *com = record;
    return com_hash(com->site, com->partner);
}

static struct wf_com_record *add_com(struct wf_lane *lane, const struct wf_site *site, int32_t partner)
{
    struct wf_com_record *com = wf_lane_next_record(lane, &lane->com_chunk, WF_CHUNK_COM, sizeof *com);
    if (!com)
        return NULL;
    com->site = site->offset;
    com->partner = partner;
    if (!wf_index_add(&lane->coms, com, hash_of_com))
        return NULL;
    wf_lane_publish(lane->com_chunk);
    return com;
}

struct wf_com_record *wf_lane_com(struct wf_lane *lane, struct wf_site *site, int32_t partner)
{
    if (site->offset == 0)
        return NULL;
    uint32_t i = com_hash(site->offset, partner);
    struct wf_com_record *com;
    while ((com = wf_index_at(&lane->coms, i)) && (com->site != site->offset || com->partner != partner))
        i++;
    if (!com)
        com = add_com(lane, site, partner);
    if (com)
        site->last = com;
    return com;
}

static uint32_t wait_hash(uint32_t site, int32_t culprit, uint32_t kind, uint64_t address)
{
    return wf_lane_hash(((uint64_t)site << 32 | (uint32_t)culprit) + address * 31 + kind);
}

static uint32_t hash_of_wait(const void *record)
{
    const struct wf_wait_record *wait = record;
    return wait_hash(wait->site, wait->culprit, wait->kind, wait->address);
}

static struct wf_wait_record *add_wait(struct wf_lane *lane, const struct wf_site *site, int32_t culprit, uint32_t kind, uint64_t address)
{
    struct wf_wait_record *wait = wf_lane_next_record(lane, &lane->wait_chunk, WF_CHUNK_WAIT, sizeof *wait);
    if (!wait)
        return NULL;
    wait->site = site->offset;
    wait->culprit = culprit;
    wait->kind = kind;
    wait->address = address;
    if (!wf_index_add(&lane->waits, wait, hash_of_wait))
        return NULL;
    wf_lane_publish(lane->wait_chunk);
    return wait;
}

static bool is_wait(const struct wf_wait_record *wait, const struct wf_site *site, int32_t culprit, uint32_t kind, uint64_t address)
{
    return wait->site == site->offset && wait->culprit == culprit && wait->kind == kind && wait->address == address;
}

struct wf_wait_record *wf_lane_wait(struct wf_lane *lane, struct wf_site *site, int32_t culprit, uint32_t kind, uint64_t address)
{
    if (site->offset == 0)
        return NULL;
    uint32_t i = wait_hash(site->offset, culprit, kind, address);
    struct wf_wait_record *wait;
    while ((wait = wf_index_at(&lane->waits, i)) && !is_wait(wait, site, culprit, kind, address))
        i++;
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
