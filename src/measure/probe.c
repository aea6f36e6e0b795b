/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The probes of instrumented code: each thread's shadow stack of the regions it is in, and a record for each region and each place it is entered
 * from. Entered through weft_probe_api_ (weft cc, <weft/weft.h>) or through __cyg_profile_func_* (-finstrument-functions).
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure/module.h"
#include "measure/process.h"
#include "weft/probe.h"

#define MAX_REGIONS 65536u /* more are not recorded, and counted */
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

static struct wf_region *regions; /* [MAX_REGIONS], address space only */
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
    while (patterns && *patterns) {
        size_t length = strcspn(patterns, ",");
        if (length > 0 && length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, file, 0) == 0)
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
        void *memory = mmap(NULL, MAX_REGIONS * sizeof *regions, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED)
            return NULL;
        regions = memory;
        const char *wish = getenv("WEFT_ADAPTIVE");
        adaptive = !wish || strcmp(wish, "0") != 0;
    }
    struct wf_region_record *record = region_count < MAX_REGIONS ? add_record(source, address) : NULL;
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
    return region;
}

static void meet(struct weft_region_ *source)
{
    wf_process_open();
    lock();
    if (source->state == WEFT_REGION_NEW_) {
        bool on = wf_process.watching && is_wanted(source->kind, source->name, source->file);
        if (on)
            source->weft = add_region(source, 0);
        __atomic_store_n(&source->state, source->weft ? WEFT_REGION_ON_ : WEFT_REGION_OFF_, __ATOMIC_RELEASE);
    }
    unlock();
}

/* Doubles an array of the lane's; it stays as it is if there is no memory. */
static bool grow(void **array, uint32_t *slots, uint32_t first, size_t size, uint32_t wanted)
{
    uint32_t more = *slots ? *slots : first;
    while (more <= wanted)
        more *= 2;
    void *memory = wf_lane_pages(more * size);
    if (!memory)
        return false;
    if (*array) {
        memcpy(memory, *array, *slots * size);
        munmap(*array, *slots * size);
    }
    *array = memory;
    *slots = more;
    return true;
}

/* Growing moves the lane's regions: frames hold pointers to them. */
static bool grow_regions(struct wf_lane *lane, uint32_t wanted)
{
    struct wf_lane_region *before = lane->regions;
    if (!grow((void **)&lane->regions, &lane->region_slots, FIRST_REGIONS, sizeof *lane->regions, wanted))
        return false;
    for (struct wf_frame *f = lane->stack + 1; before && f <= lane->top; f++)
        f->region = lane->regions + (f->region - before);
    return true;
}

static struct wf_lane_region *lane_region(struct wf_lane *lane, struct wf_region *region)
{
    if (__builtin_expect(region->index >= lane->region_slots, 0) && !grow_regions(lane, region->index))
        return NULL;
    struct wf_lane_region *r = &lane->regions[region->index];
    if (__builtin_expect(!r->region, 0)) {
        r->region = region;
        r->check_at = OFF_VISITS;
        r->procedure = region->record->kind == WF_REGION_PROCEDURE;
    }
    return r;
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

static __attribute__((noinline)) struct wf_visit_record *find_visit(struct wf_lane *lane, struct wf_lane_region *r, uintptr_t caller,
                                                                    uintptr_t probe)
{
    uint32_t region = r->region->offset;
    if (lane->visits)
        for (uint32_t i = visit_hash(region, caller, probe);; i++) {
            uint32_t offset = lane->visits[i & lane->visit_mask];
            if (!offset)
                break;
            struct wf_visit_record *visit = wf_segment_at(&wf_process.segment, offset);
            if (visit->region == region && visit->caller == caller && visit->probe == probe)
                return r->last = visit;
        }
    struct wf_visit_record *visit = add_visit(lane, region, caller, probe);
    if (visit)
        r->last = visit;
    else
        atomic_fetch_add(&wf_process.segment.header->dropped_visits, 1);
    return visit;
}

/* A region whose visits are too short for their cost is not worth watching: its figures would be mostly weft's own. */
static __attribute__((noinline)) void judge(struct wf_lane_region *r)
{
    struct wf_region_record *record = r->region->record;
    bool by_hand = record->kind == WF_REGION_USER || record->kind == WF_REGION_PHASE;
    r->check_at += OFF_VISITS;
    if (!adaptive || by_hand || r->ticks / r->visits >= OFF_FACTOR * wf_process.segment.header->probe_ticks)
        return;
    record->off_visits = r->visits;
    record->off_ticks = r->ticks;
    atomic_store_explicit(&record->off, 1, memory_order_release);
    if (r->region->source)
        __atomic_store_n(&r->region->source->state, WEFT_REGION_OFF_, __ATOMIC_RELAXED);
}

/* Takes the top frame off the stack. A procedure's time is not its surroundings' own; a loop's is, except for what is called in it. */
static inline void pop(struct wf_lane *lane, uint64_t now)
{
    struct wf_frame *f = lane->top--;
    struct wf_lane_region *r = f->region;
    uint64_t ticks = now > f->start ? now - f->start : 0;
    uint64_t self = ticks > f->inner ? ticks - f->inner : 0;
    r->active--;
    lane->top->inner += r->procedure ? ticks : f->inner;
    f->visit->self_raw += self;
    if (f->again)
        return;
    f->visit->num++;
    f->visit->ticks_raw += ticks;
    r->ticks += ticks;
    if (__builtin_expect(++r->visits >= r->check_at, 0))
        judge(r);
}

/* The frames of functions that ended without leaving (longjmp) lie deeper than the one that enters now. */
static inline void repair(struct wf_lane *lane, uintptr_t base)
{
    if (__builtin_expect(lane->top->base < base, 0)) {
        uint64_t now = wf_clock_ticks();
        while (lane->top->base < base)
            pop(lane, now);
    }
}

/* Pushes a frame; its depth, or 0 if it could not be recorded. */
static inline uint32_t push(struct wf_lane *lane, struct wf_region *region, uintptr_t base, uintptr_t caller, uintptr_t probe)
{
    repair(lane, base);
    uint32_t depth = (uint32_t)(lane->top - lane->stack) + 1;
    if (__builtin_expect(depth >= lane->stack_frames, 0)) {
        if (!grow((void **)&lane->stack, &lane->stack_frames, lane->stack_frames, sizeof *lane->stack, depth))
            return 0;
        lane->top = lane->stack + depth - 1;
    }
    struct wf_lane_region *r = lane_region(lane, region);
    if (__builtin_expect(!r, 0))
        return 0;
    struct wf_visit_record *visit = r->last;
    if (__builtin_expect(r->active == 0 && (!visit || visit->caller != caller || visit->probe != probe), 0)) {
        visit = find_visit(lane, r, caller, probe);
        if (!visit)
            return 0;
    }
    struct wf_frame *f = ++lane->top;
    f->region = r;
    f->visit = visit;
    f->base = base;
    f->inner = 0;
    f->again = r->active++ > 0;
    f->start = wf_clock_ticks();
    return depth;
}

static inline struct wf_lane *own_lane(void)
{
    struct wf_lane *lane = weft_tls.lane;
    return __builtin_expect(lane != NULL, 1) ? lane : wf_process_lane();
}

static void enter(struct weft_frame_ *frame, struct weft_region_ *source, const void *base, const void *caller)
{
    struct wf_lane *lane = own_lane();
    if (__builtin_expect(!lane || wf_process.paused, 0))
        return;
    struct wf_region *region = source->weft;
    bool procedure = source->kind == WEFT_PROCEDURE_;
    frame->depth = push(lane, region, (uintptr_t)base, procedure ? (uintptr_t)caller : 0,
                        procedure ? (uintptr_t)__builtin_return_address(0) : 0);
    frame->region = frame->depth ? source : NULL;
}

static void leave(struct weft_frame_ *frame)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    /* A frame that was entered on another thread, or taken off by a repair, is not ours to leave. */
    if (__builtin_expect(!lane || (uint32_t)(lane->top - lane->stack) < frame->depth, 0))
        return;
    while ((uint32_t)(lane->top - lane->stack) >= frame->depth)
        pop(lane, now);
}

static void count(struct weft_region_ *counter, double value)
{
    if (counter->state == WEFT_REGION_NEW_)
        meet(counter);
    struct wf_lane *lane = counter->state == WEFT_REGION_ON_ && !wf_process.paused ? own_lane() : NULL;
    struct wf_lane_region *r = lane ? lane_region(lane, counter->weft) : NULL;
    struct wf_visit_record *visit = r ? (r->last ? r->last : find_visit(lane, r, 0, 0)) : NULL;
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
    struct wf_lane *lane = own_lane();
    struct wf_region *region = wf_process.paused ? NULL : meet_named(name, bytes);
    if (!lane)
        lane = own_lane();
    if (region && lane)
        push(lane, region, lane->top == lane->stack ? (uintptr_t)__builtin_frame_address(0) : lane->top->base, 0, 0);
}

static void end(const char *name, unsigned long bytes)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    struct wf_region *region = lane ? meet_named(name, bytes) : NULL;
    for (struct wf_frame *f = lane ? lane->top : NULL; f && f > lane->stack; f--)
        if (f->region->region == region) {
            while (lane->top >= f)
                pop(lane, now);
            return;
        }
}

__attribute__((visibility("default"))) extern const struct weft_probe_api_ weft_probe_api_;
const struct weft_probe_api_ weft_probe_api_ = {
    .version = WEFT_PROBE_VERSION, .meet = meet, .enter = enter, .leave = leave, .count = count, .begin = begin, .end = end};

/* Procedures known by their address: one table for the process, read without a lock. */
#define PROCEDURE_SLOTS (4u * MAX_REGIONS)
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

/* glibc has empty ones of these names, for programs that run without weft. */
void __cyg_profile_func_enter(void *function, void *caller)
{
    struct wf_region *region = find_procedure((uintptr_t)function);
    struct wf_lane *lane = region ? own_lane() : NULL;
    if (!lane || wf_process.paused || atomic_load_explicit(&region->record->off, memory_order_relaxed))
        return;
    push(lane, region, (uintptr_t)__builtin_frame_address(0), (uintptr_t)caller, (uintptr_t)__builtin_return_address(0));
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    (void)caller;
    struct wf_lane *lane = weft_tls.lane;
    if (!lane || lane->top == lane->stack || !lane->top->region->region->address)
        return;
    uint64_t now = wf_clock_ticks();
    /* Frames above were left without a word (longjmp); if it is not there at all, its entry was not recorded. */
    for (struct wf_frame *f = lane->top; f > lane->stack; f--)
        if (f->region->region->address == (uintptr_t)function) {
            while (lane->top >= f)
                pop(lane, now);
            return;
        }
}
