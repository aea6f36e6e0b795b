/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The probes of instrumented code: each thread's shadow stack of the regions it is in, and a record for each region and each place it is entered
 * from. Entered through weft_probe_api_ (weft cc, <weft/weft.h>) or through __cyg_profile_func_* (-finstrument-functions).
 */
#include <assert.h>
#include <fnmatch.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/module.h"
#include "measure/probe.h"
#include "measure/process.h"
#include "weft/probe.h"

#define FIRST_REGIONS 128u
#define FIRST_VISITS 128u
#define OFF_VISITS 100000u /* a region is judged after so many visits */
#define OFF_FACTOR 10u     /* and switched off if its visits take less than so many times a probe's cost */

/* What the process knows of a region; its index is its place in lane->regions. */
struct wf_region {
    struct wf_region_record *record;
    uint32_t index;
    uint32_t offset;
    struct weft_region_ *source; /* NULL: a procedure known by its address only */
    uintptr_t address;
};

/* For a forked child: nobody has the fast way here, and there is nothing to leave. */
static struct weft_stack_ no_entry;
static struct weft_lane_ no_lane = {&no_entry};
static struct wf_region *regions; /* [WF_MAX_REGIONS], address space only */
static uint32_t region_count;
static atomic_flag meeting = ATOMIC_FLAG_INIT;
static bool adaptive = true;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&meeting, memory_order_acquire))
        ;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&meeting, memory_order_release);
}

/* Patterns separated by commas, on a region's procedure name or file. */
static bool matches(const char *patterns, const char *name, const char *file)
{
    char pattern[256];
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    while (patterns && *patterns) {
        size_t length = strcspn(patterns, ",");
        if (length > 0 && length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, file, 0) == 0 || fnmatch(pattern, base, 0) == 0)
                return true;
        }
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

static bool is_wanted(int kind, const char *name, const char *file)
{
    const char *only = getenv("WEFT_ONLY"), *skip = getenv("WEFT_SKIP");
    if (kind == WEFT_USER_ || kind == WEFT_PHASE_ || kind == WEFT_COUNTER_)
        return true;
    if (only && *only && !matches(only, name, file))
        return false;
    return !matches(skip, name, file);
}

static struct wf_region_record *add_record(const struct weft_region_ *source, uintptr_t address)
{
    const char *name = source ? source->name : "", *file = source ? source->file : "";
    size_t name_bytes = strlen(name), file_bytes = strlen(file);
    size_t bytes = sizeof(struct wf_region_record) + name_bytes + file_bytes + 2;
    bytes = (bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    struct wf_chunk *chunk = wf_segment_add(&wf_process.segment, WF_CHUNK_REGION, 0, (uint32_t)bytes, bytes);
    if (!chunk)
        return NULL;
    struct wf_region_record *record = (struct wf_region_record *)(chunk + 1);
    record->address = address;
    record->kind = source ? source->kind : WF_REGION_PROCEDURE;
    record->line = source ? source->line : 0;
    record->name_bytes = (uint32_t)name_bytes;
    record->file_bytes = (uint32_t)file_bytes;
    memcpy(record->text, name, name_bytes + 1);
    memcpy(record->text + name_bytes + 1, file, file_bytes + 1);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    wf_module_find(&wf_process.segment, source ? (uintptr_t)source : address);
    return record;
}

/* With the lock held. NULL: no room. */
static struct wf_region *add_region(struct weft_region_ *source, uintptr_t address)
{
    if (!regions) {
        void *memory = mmap(NULL, WF_MAX_REGIONS * sizeof *regions, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return NULL;
        regions = memory;
        const char *wish = getenv("WEFT_ADAPTIVE");
        adaptive = !wish || strcmp(wish, "0") != 0;
    }
    struct wf_region_record *record = region_count < WF_MAX_REGIONS ? add_record(source, address) : NULL;
    if (!record) {
        atomic_fetch_add(&wf_process.segment.header->dropped_regions, 1);
        return NULL;
    }
    struct wf_region *region = &regions[region_count];
    *region = (struct wf_region){.record = record,
                                 .index = region_count++,
                                 .offset = wf_segment_offset(&wf_process.segment, record),
                                 .source = source,
                                 .address = address};
    record->writers_own = (uint64_t)region;
    return region;
}

static void meet(struct wf_lane *lane, struct weft_region_ *source)
{
    lock();
    if (source->state == WEFT_REGION_NEW_) {
        bool on = wf_process.watching && is_wanted(source->kind, source->name, source->file);
        if (on)
            source->weft = add_region(source, 0);
        if (source->weft && source->kind == WEFT_PROCEDURE_ && wf_clock_is_tsc)
            source->owner = lane; /* this thread has the fast way */
        __atomic_store_n(&source->state, source->weft ? WEFT_REGION_ON_ : WEFT_REGION_OFF_, __ATOMIC_RELEASE);
    }
    unlock();
}

static bool grow_regions(struct wf_lane *lane, uint32_t wanted)
{
    uint32_t more = lane->region_slots ? lane->region_slots : FIRST_REGIONS;
    while (more <= wanted)
        more *= 2;
    struct wf_lane_region *table = wf_lane_pages(more * sizeof *table);
    if (!table)
        return false;
    if (lane->regions) {
        memcpy(table, lane->regions, lane->region_slots * sizeof *table);
        munmap(lane->regions, lane->region_slots * sizeof *table);
    }
    lane->regions = table;
    lane->region_slots = more;
    return true;
}

static struct wf_lane_region *lane_region(struct wf_lane *lane, const struct wf_region *region)
{
    if (__builtin_expect(region->index >= lane->region_slots, 0) && !grow_regions(lane, region->index))
        return NULL;
    return &lane->regions[region->index];
}

static uint32_t visit_hash(uint32_t region, uintptr_t caller, uintptr_t probe)
{
    return wf_lane_hash(region + caller * 0x9E3779B9u + probe);
}

static bool grow_visits(struct wf_lane *lane)
{
    uint32_t slots = lane->visits ? 2 * (lane->visit_mask + 1) : FIRST_VISITS;
    uint32_t *table = wf_lane_pages(slots * sizeof *table);
    if (!table)
        return false;
    for (uint32_t s = 0; lane->visits && s <= lane->visit_mask; s++) {
        if (!lane->visits[s])
            continue;
        const struct wf_visit_record *visit = wf_segment_at(&wf_process.segment, lane->visits[s]);
        uint32_t i = visit_hash(visit->region, visit->caller, visit->probe);
        while (table[i & (slots - 1)])
            i++;
        table[i & (slots - 1)] = lane->visits[s];
    }
    if (lane->visits)
        munmap(lane->visits, (lane->visit_mask + 1) * sizeof *lane->visits);
    lane->visits = table;
    lane->visit_mask = slots - 1;
    return true;
}

static struct wf_visit_record *add_visit(struct wf_lane *lane, uint32_t region, uintptr_t caller, uintptr_t probe)
{
    if ((!lane->visits || 4 * (lane->visit_used + 1) > 3 * (lane->visit_mask + 1)) && !grow_visits(lane))
        return NULL;
    struct wf_visit_record *visit = wf_lane_next_record(lane, &lane->visit_chunk, WF_CHUNK_VISIT);
    if (!visit)
        return NULL;
    visit->region = region;
    visit->caller = caller;
    visit->probe = probe;
    wf_lane_publish(lane->visit_chunk);
    if (caller)
        wf_module_find(&wf_process.segment, caller);
    if (probe)
        wf_module_find(&wf_process.segment, probe);
    uint32_t i = visit_hash(region, caller, probe);
    while (lane->visits[i & lane->visit_mask])
        i++;
    lane->visits[i & lane->visit_mask] = wf_segment_offset(&wf_process.segment, visit);
    lane->visit_used++;
    return visit;
}

/* Where an entry of the region from this place is counted; NULL: no room. */
static struct wf_visit_record *find_visit(struct wf_lane *lane, const struct wf_region *region, struct wf_lane_region *r, uintptr_t caller,
                                          uintptr_t probe)
{
    if (r->last && r->last->caller == caller && r->last->probe == probe)
        return r->last;
    if (lane->visits)
        for (uint32_t i = visit_hash(region->offset, caller, probe);; i++) {
            uint32_t offset = lane->visits[i & lane->visit_mask];
            if (!offset)
                break;
            struct wf_visit_record *visit = wf_segment_at(&wf_process.segment, offset);
            if (visit->region == region->offset && visit->caller == caller && visit->probe == probe)
                return r->last = visit;
        }
    struct wf_visit_record *visit = add_visit(lane, region->offset, caller, probe);
    if (visit)
        r->last = visit;
    else
        atomic_fetch_add(&wf_process.segment.header->dropped_visits, 1);
    return visit;
}

static struct wf_region *region_of(const struct weft_stack_ *entry)
{
    const struct wf_visit_record *visit = (const struct wf_visit_record *)entry->visit;
    const struct wf_region_record *record = wf_segment_at(&wf_process.segment, visit->region);
    return (struct wf_region *)record->writers_own;
}

static bool has_fast_way(const struct wf_lane *lane, const struct weft_region_ *source)
{
    return source && source->owner == lane;
}

static bool is_active(struct wf_lane *lane, const struct wf_region *region, const struct wf_lane_region *r)
{
    /* Addresses are in the lower half of all numbers; inverted, in the upper. */
    return has_fast_way(lane, region->source) ? (int64_t)region->source->key < 0 : r->active > 0;
}

/* Takes the top entry off the stack. A procedure's time is not its surroundings' own; a loop's is, except for what was entered in it meanwhile. */
static void pop(struct wf_lane *lane, uint64_t now)
{
    struct weft_stack_ *top = lane->probes.top--;
    struct wf_region *region = region_of(top);
    struct weft_visit_ *visit = top->visit;
    uint64_t ticks = now > top->start ? now - top->start : 0;
    visit->ticks += ticks;
    visit->num++;
    top[-1].visit->inner += region->record->kind == WF_REGION_PROCEDURE ? ticks : visit->inner - top->weft_[0];
    if (has_fast_way(lane, region->source))
        region->source->key = ~region->source->key;
    else
        lane->regions[region->index].active = 0;
}

static const struct weft_frame_ *frame_of(const struct weft_stack_ *entry)
{
    return (const struct weft_frame_ *)((uintptr_t)entry->frame & ~(uintptr_t)1);
}

/* Is the region's entry on the stack still alive? That of a function that ended without leaving (longjmp) is not further up in the stack than the one
 * that enters now; it goes, and all above it. */
static bool is_recursion(struct wf_lane *lane, const struct wf_region *region, const struct weft_frame_ *frame)
{
    struct weft_stack_ *entry = lane->probes.top;
    while (entry > lane->stack && region_of(entry) != region)
        entry--;
    if (entry == lane->stack)
        return false;
    if (frame_of(entry) > frame)
        return true;
    uint64_t now = wf_clock_ticks();
    while (lane->probes.top >= entry)
        pop(lane, now);
    return false;
}

/* Pushes an entry; NULL if there is nothing to record: recursion, or no room. */
static struct weft_stack_ *push(struct wf_lane *lane, struct wf_region *region, const struct weft_frame_ *frame, uintptr_t caller, uintptr_t probe)
{
    struct wf_lane_region *r = lane_region(lane, region);
    if (!r || (is_active(lane, region, r) && is_recursion(lane, region, frame)))
        return NULL;
    struct wf_visit_record *visit = find_visit(lane, region, r, caller, probe);
    if (!visit)
        return NULL;
    bool fast = has_fast_way(lane, region->source);
    struct weft_stack_ *top = lane->probes.top + 1;
    *top = (struct weft_stack_){.visit = (struct weft_visit_ *)visit,
                                .frame = fast ? frame : (const struct weft_frame_ *)((const char *)frame + 1),
                                .weft_ = {visit->inner_raw}};
    if (fast) {
        region->source->visit = top->visit;
        region->source->key = ~(caller + probe + (uintptr_t)lane);
    } else {
        r->active = 1;
    }
    lane->probes.top = top;
    top->start = wf_clock_ticks();
    return top;
}

static_assert(sizeof(struct weft_stack_) == 64, "a power of two: entries are found by shifting");
static_assert(offsetof(struct weft_visit_, caller) == offsetof(struct wf_visit_record, caller) &&
                  offsetof(struct weft_visit_, num) == offsetof(struct wf_visit_record, num) &&
                  offsetof(struct weft_visit_, ticks) == offsetof(struct wf_visit_record, ticks_raw) &&
                  offsetof(struct weft_visit_, inner) == offsetof(struct wf_visit_record, inner_raw),
              "instrumented code writes into the segment's records");

static inline struct wf_lane *own_lane(void)
{
    struct wf_lane *lane = weft_tls.lane;
    return __builtin_expect(lane != NULL, 1) ? lane : wf_process_lane();
}

/* The program's own pointer to the lane; remembered, because a forked child must lose it. False: too many libraries have one already. */
static bool lend_lane(struct wf_lane *lane, struct weft_lane_ **slot)
{
    if (*slot == &lane->probes)
        return true;
    for (size_t i = 0; i < sizeof lane->slots / sizeof *lane->slots; i++)
        if (!lane->slots[i] || lane->slots[i] == slot) {
            lane->slots[i] = slot;
            *slot = &lane->probes;
            return true;
        }
    return false;
}

static void enter(struct weft_frame_ *frame, struct weft_region_ *source, const void *caller, const void *probe, struct weft_lane_ **slot)
{
    wf_process_open();
    struct wf_lane *lane = own_lane();
    if (!lane) {
        source->state = WEFT_REGION_OFF_;
        return;
    }
    if (wf_process.paused || !lend_lane(lane, slot))
        return;
    if (source->state == WEFT_REGION_NEW_)
        meet(lane, source);
    if (source->state != WEFT_REGION_ON_)
        return;
    bool procedure = source->kind == WEFT_PROCEDURE_;
    if (push(lane, source->weft, frame, procedure ? (uintptr_t)caller : 0, procedure ? (uintptr_t)probe : 0))
        frame->region = source;
}

static void judge_region(struct wf_region *region, uint64_t visits, uint64_t ticks);

static void leave(struct weft_frame_ *frame)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    struct weft_stack_ *entry = lane ? lane->probes.top : NULL;
    while (entry && entry > lane->stack && frame_of(entry) != frame)
        entry--;
    /* What a repair has taken off already, or a forked child has inherited, is not there to be left. */
    if (!entry || entry == lane->stack)
        return;
    struct weft_visit_ *visit = entry->visit;
    struct wf_region *region = region_of(entry);
    while (lane->probes.top >= entry)
        pop(lane, now);
    if ((visit->num & 0xffff) == 0)
        judge_region(region, visit->num, visit->ticks);
}

/* A region whose visits are too short for their cost is not worth watching: its figures would be mostly weft's own. */
static void judge_region(struct wf_region *region, uint64_t visits, uint64_t ticks)
{
    struct wf_region_record *record = region->record;
    bool by_hand = record->kind != WF_REGION_PROCEDURE && record->kind != WF_REGION_LOOP;
    if (!adaptive || by_hand || visits < OFF_VISITS || ticks / visits >= OFF_FACTOR * wf_process.segment.header->probe_ticks)
        return;
    record->off_visits = visits;
    record->off_ticks = ticks;
    atomic_store_explicit(&record->off, 1, memory_order_release);
    if (region->source)
        __atomic_store_n(&region->source->state, WEFT_REGION_OFF_, __ATOMIC_RELAXED);
}

static void judge(struct weft_region_ *source)
{
    source->visit->num += 0x10000;
    judge_region(source->weft, source->visit->num, source->visit->ticks);
}

/* Nothing goes the fast way until somebody has looked again whether there is a pause. */
void wf_probe_paused(void)
{
    struct wf_lane *lane = weft_tls.lane;
    for (uint32_t i = 0; i < region_count; i++)
        if (lane && has_fast_way(lane, regions[i].source))
            regions[i].source->key = (int64_t)regions[i].source->key < 0 ? ~0ul : 0;
}

void wf_probe_resumed(uint64_t pause_ticks)
{
    struct wf_lane *lane = weft_tls.lane;
    for (struct weft_stack_ *e = lane ? lane->probes.top : NULL; e && e > lane->stack; e--)
        e->start += pause_ticks;
}

void wf_probe_ended(void)
{
    struct wf_lane *lane = weft_tls.lane;
    uint64_t now = wf_clock_ticks();
    while (lane && lane->probes.top > lane->stack)
        pop(lane, now);
}

void wf_probe_forked(void)
{
    struct wf_lane *lane = weft_tls.lane;
    for (size_t i = 0; lane && i < sizeof lane->slots / sizeof *lane->slots; i++)
        if (lane->slots[i])
            *lane->slots[i] = &no_lane;
}

static void count(struct weft_region_ *counter, double value)
{
    wf_process_open();
    struct wf_lane *lane = wf_process.paused ? NULL : own_lane();
    if (lane && counter->state == WEFT_REGION_NEW_)
        meet(lane, counter);
    struct wf_lane_region *r = lane && counter->state == WEFT_REGION_ON_ ? lane_region(lane, counter->weft) : NULL;
    struct wf_visit_record *visit = r ? find_visit(lane, counter->weft, r, 0, 0) : NULL;
    if (!visit)
        return;
    double sum;
    memcpy(&sum, &visit->ticks_raw, sizeof sum);
    sum += value;
    memcpy(&visit->ticks_raw, &sum, sizeof sum);
    visit->num++;
}

/* A region that has no place in a source text of ours: found by its name. */
static struct wf_region *find_named(const char *name, size_t bytes)
{
    for (uint32_t i = 0; i < region_count; i++) {
        const struct wf_region_record *record = regions[i].record;
        if (record->kind == WF_REGION_USER && record->file_bytes == 0 && record->name_bytes == bytes && memcmp(record->text, name, bytes) == 0)
            return &regions[i];
    }
    char copy[256];
    if (bytes >= sizeof copy)
        return NULL;
    memcpy(copy, name, bytes);
    copy[bytes] = '\0';
    return add_region(&(struct weft_region_){.kind = WEFT_USER_, .name = copy, .file = ""}, 0);
}

static struct wf_region *meet_named(const char *name, size_t bytes)
{
    wf_process_open();
    lock();
    struct wf_region *region = wf_process.watching ? find_named(name, bytes) : NULL;
    if (region)
        region->source = NULL; /* it was only lent */
    unlock();
    return region;
}

static void begin(const char *name, unsigned long bytes)
{
    struct wf_region *region = wf_process.paused ? NULL : meet_named(name, bytes);
    struct wf_lane *lane = region ? own_lane() : NULL;
    if (lane) /* it may be ended in another function: it is as old as what it stands in */
        push(lane, region, lane->probes.top == lane->stack ? __builtin_frame_address(0) : frame_of(lane->probes.top), 0, 0);
}

static void end(const char *name, unsigned long bytes)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    struct wf_region *region = lane ? meet_named(name, bytes) : NULL;
    for (struct weft_stack_ *e = lane ? lane->probes.top : NULL; e && e > lane->stack; e--)
        if (region_of(e) == region) {
            while (lane->probes.top >= e)
                pop(lane, now);
            return;
        }
}

__attribute__((visibility("default"))) extern const struct weft_probe_api_ weft_probe_api_;
const struct weft_probe_api_ weft_probe_api_ = {
    .version = WEFT_PROBE_VERSION, .enter = enter, .leave = leave, .judge = judge, .count = count, .begin = begin, .end = end};

/* Procedures known by their address: one table for the process, read without a lock. */
#define PROCEDURE_SLOTS (4u * WF_MAX_REGIONS)
static struct wf_region *_Atomic *procedures;

static struct wf_region *find_procedure(uintptr_t address)
{
    if (!procedures) {
        wf_process_open();
        void *memory = mmap(NULL, PROCEDURE_SLOTS * sizeof *procedures, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return NULL;
        lock();
        if (!procedures)
            procedures = memory;
        unlock();
    }
    uint32_t i = wf_lane_hash(address) % PROCEDURE_SLOTS;
    for (struct wf_region *r; (r = atomic_load_explicit(&procedures[i], memory_order_acquire)); i = (i + 1) % PROCEDURE_SLOTS)
        if (r->address == address)
            return r;
    lock();
    struct wf_region *r;
    for (; (r = atomic_load_explicit(&procedures[i], memory_order_acquire)); i = (i + 1) % PROCEDURE_SLOTS)
        if (r->address == address)
            break;
    if (!r && wf_process.watching) {
        r = add_region(NULL, address);
        atomic_store_explicit(&procedures[i], r, memory_order_release);
    }
    unlock();
    return r;
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function, void *caller);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function, void *caller);

/* glibc has empty ones of these names, for programs that run without weft. A recursive entry is only counted, so that its exit can be told from that
 * of the entry on the stack. */
void __cyg_profile_func_enter(void *function, void *caller)
{
    struct wf_region *region = find_procedure((uintptr_t)function);
    struct wf_lane *lane = region ? own_lane() : NULL;
    if (!lane || wf_process.paused || atomic_load_explicit(&region->record->off, memory_order_relaxed))
        return;
    if (!push(lane, region, __builtin_frame_address(0), (uintptr_t)caller, (uintptr_t)__builtin_return_address(0)) &&
        region->index < lane->region_slots && lane->regions[region->index].active)
        lane->regions[region->index].active++;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    struct wf_lane *lane = weft_tls.lane;
    struct wf_region *region = lane && lane->probes.top > lane->stack ? find_procedure((uintptr_t)function) : NULL;
    if (!region || region->index >= lane->region_slots || !lane->regions[region->index].active)
        return; /* its entry was not recorded */
    if (--lane->regions[region->index].active > 0)
        return;
    lane->regions[region->index].active = 1;
    uint64_t now = wf_clock_ticks();
    struct weft_stack_ *entry = lane->probes.top;
    while (entry > lane->stack && region_of(entry) != region)
        entry--;
    struct weft_visit_ *visit = entry->visit;
    while (entry > lane->stack && lane->probes.top >= entry)
        pop(lane, now);
    if ((visit->num & 0xffff) == 0)
        judge_region(region, visit->num, visit->ticks);
}
