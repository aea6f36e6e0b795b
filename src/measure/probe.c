/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The probes of instrumented code: each thread's shadow stack of the regions it is in, and a record for each region and each place it is entered
 * from. Entered through weft_probe_api_ (weft cc, <weft/weft.h>) or through __cyg_profile_func_* (-finstrument-functions).
 *
 * Every visit makes its thread later than it would be unwatched, and so adds to the lane's intrusion: what was calibrated where it did the usual,
 * what was measured where it did something rare. A visit's virtual time is that between its two readings of the clock, less what intrusion grew
 * in between, less that part of its own cost which lies there.
 *
 * enter and leave are called from places where the compiler expects no call (<weft/probe.h>): this file is compiled for general registers only, and
 * what they do rarely, which calls functions outside of it, goes through rarely().
 */
#include <assert.h>
#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "guest/child.h"
#include "guest/guard.h"
#include "guest/memory.h"
#include "guest/quiet.h"
#include "guest/settings.h"
#include "measure/feed.h"
#include "measure/module.h"
#include "measure/probe.h"
#include "measure/process.h"
#include "measure/symbol.h"
#include "weft/probe.h"

#define FIRST_REGIONS 128u
#define OFF_VISITS 100000u /* a region is judged after so many visits */
#define OFF_FACTOR 10u     /* and switched off if its visits take less than so many times a probe's cost, */
#define OFF_SHARE 100u     /* or if its probes have cost more than this part of the run so far; */
#define TOTAL_SHARE 50u    /* all together may cost this part */

/* What the process knows of a region; its index is its place in lane->regions. */
struct wf_region {
    struct wf_region_record *record;
    uint32_t index;
    uint32_t offset;
    struct weft_region_ *source; /* in its program or library; NULL: a procedure known by its address only, or the library is closed */
    const struct wf_lane *owner; /* whose thread has the fast way; NULL: none */
    _Atomic uintptr_t address;   /* of a procedure known by it; GONE: its library is closed */
    bool closed;
};

#define GONE UINTPTR_MAX

/* Our words in a weft_lane_: whether its costs are set, and how many of the visits are accounted for */
enum { PRICED, ACCOUNTED };

/* For a forked child: nobody has the fast way here, and there is nothing to leave. */
static struct weft_visit_ no_visit;
static struct weft_stack_ no_entry = {.visit = &no_visit};
static struct wf_region *regions; /* [WF_MAX_REGIONS], address space only; the first one is none of the program's, but for calibration */
static uint32_t region_count;
static struct wf_region *unwanted; /* [WF_MAX_REGIONS]: procedures that patterns leave out */
static uint32_t unwanted_count;
static struct wf_lock meeting; /* of regions; taken in quiet */
static uint32_t closing; /* libraries are perhaps being closed: with the lock and 0, what `source` points to is there */
static uint32_t closed_count; /* regions whose library is closed */
static bool adaptive = true;
static bool compensating = true; /* or all costs stay in the times: --clock=real */
static bool delaying;            /* WEFT_TEST_DELAY: nothing goes the fast way, where nobody can delay it */

/* What a visit costs, in ticks. */
static struct {
    uint64_t pair, inner;  /* the fast way; inner: between the two readings of the clock */
    uint64_t enter, leave; /* so much more if entered, or left, the slow way */
    uint64_t slow_inner;   /* in place of inner if left the slow way */
    uint64_t again;        /* an entry that makes no visit: recursion */
} cost;

/* function(a, b, c, d, e); vector registers stay as they are. */
static uintptr_t rarely(void *function, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e)
{
    return weft_saved_(function, a, b, c, d, e);
}

static inline struct wf_lane *own_lane(void)
{
    struct wf_lane *lane = weft_tls.lane;
    return __builtin_expect(lane != NULL, 1) ? lane : wf_process_lane();
}

static uint64_t compensated(uint64_t ticks)
{
    return compensating ? ticks : 0;
}

static void add_cost(struct wf_lane *lane, uint64_t ticks)
{
    lane->record->overhead_ticks += ticks;
    lane->probes.intrusion += compensated(ticks);
}

static const char *last_part(const char *name)
{
    for (const char *at = strstr(name, "::"); at; at = strstr(name, "::"))
        name = at + 2;
    return name;
}

bool wf_probe_matches(const char *patterns, const char *name, const char *file)
{
    char pattern[256];
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *last = last_part(name);
    while (patterns && *patterns) {
        size_t length = strcspn(patterns, ",");
        if (length > 0 && length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, last, 0) == 0 || fnmatch(pattern, file, 0) == 0 || fnmatch(pattern, base, 0) == 0)
                return true;
        }
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

/* A procedure of this name, or of that one. */
static bool is_wanted(const char *name, const char *other, const char *file)
{
    const char *only = wf_settings.only, *skip = wf_settings.skip;
    if (*only && !wf_probe_matches(only, name, file) && !wf_probe_matches(only, other, file))
        return false;
    return !wf_probe_matches(skip, name, file) && !wf_probe_matches(skip, other, file);
}

/* Loops go with the procedure they stand in, whether that has a probe or not. */
static bool is_source_wanted(const struct weft_region_ *source)
{
    if (source->kind != WEFT_PROCEDURE_ && source->kind != WEFT_LOOP_)
        return true;
    const char *procedure = source->kind == WEFT_LOOP_ ? source->name + strlen(source->name) + 1 : source->name;
    return is_wanted(procedure, procedure, source->file);
}

/* The compiler's probes know an address only. Its name is looked for where patterns ask for it. */
static bool is_address_wanted(uintptr_t address)
{
    if (!*wf_settings.only && !*wf_settings.skip)
        return true;
    char plain[256];
    uint32_t module = wf_module_find(&wf_process.segment, address);
    const char *name = module ? wf_symbol_find(&wf_process.segment, module, address) : "";
    wf_symbol_plain(name, plain, sizeof plain);
    return is_wanted(name, plain, module ? ((const struct wf_module_record *)wf_segment_at(&wf_process.segment, module))->path : "");
}

bool wf_probe_has_procedures;

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
    wf_probe_has_procedures = wf_probe_has_procedures || record->kind == WF_REGION_PROCEDURE;
    record->line = source ? source->line : 0;
    record->name_bytes = (uint32_t)name_bytes;
    record->file_bytes = (uint32_t)file_bytes;
    memcpy(record->text, name, name_bytes + 1);
    memcpy(record->text + name_bytes + 1, file, file_bytes + 1);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    wf_module_find(&wf_process.segment, source ? (uintptr_t)source : address);
    return record;
}

static void read_wishes(void)
{
    adaptive = strcmp(wf_settings.adaptive, "0") != 0;
    compensating = wf_process.model != WF_MODEL_REAL;
    delaying = *wf_settings.test_delay;
}

static void calibrate(struct wf_lane *lane);

static bool is_of_source(const struct wf_region_record *record, const struct weft_region_ *source)
{
    return record->kind == source->kind && record->line == source->line && strcmp(record->text, source->name) == 0 &&
           strcmp(record->text + record->name_bytes + 1, source->file) == 0;
}

/* A library that was closed and is open again goes on with the regions that it had. */
static struct wf_region *find_closed(struct weft_region_ *source)
{
    for (uint32_t i = 1; closed_count && i < region_count; i++)
        if (regions[i].closed && is_of_source(regions[i].record, source)) {
            wf_module_find(&wf_process.segment, (uintptr_t)source);
            regions[i].source = source;
            regions[i].closed = false;
            closed_count--;
            return &regions[i];
        }
    return NULL;
}

/* With the lock held. NULL: no room. */
static struct wf_region *add_region(struct weft_region_ *source, uintptr_t address)
{
    if (!regions) {
        regions = wf_memory_pages(WF_MAX_REGIONS * sizeof *regions);
        if (!regions)
            return NULL;
        read_wishes();
        calibrate(own_lane());
    }
    struct wf_region *again = source ? find_closed(source) : NULL;
    if (again)
        return again;
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
    return region;
}

static void meet(struct wf_lane *lane, struct weft_region_ *source)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &meeting);
    if (source->state == WEFT_REGION_NEW_) {
        struct wf_region *region = wf_process.watching && is_source_wanted(source) ? add_region(source, 0) : NULL;
        if (region && source->kind == WEFT_PROCEDURE_ && wf_clock_is_tsc && !delaying)
            region->owner = lane; /* this thread has the fast way */
        source->weft = region;
        bool on = region && !atomic_load_explicit(&region->record->off, memory_order_relaxed);
        __atomic_store_n(&source->state, on ? WEFT_REGION_ON_ : WEFT_REGION_OFF_, __ATOMIC_RELEASE);
    }
    wf_quiet_unlock(&quiet, &meeting);
}

/* Adds the visits that went the fast way to what the lane's record says. */
static void account(struct wf_lane *lane)
{
    uint64_t visits = lane->probes.visits - lane->probes.weft_[ACCOUNTED];
    lane->probes.weft_[ACCOUNTED] += visits;
    lane->record->probes += visits;
    lane->record->overhead_ticks += visits * cost.pair;
}

/* In quiet: a thread that is cancelled in the middle would end with a table that is gone. */
static uintptr_t grow_regions(struct wf_lane *lane, uint32_t wanted)
{
    struct wf_quiet quiet;
    uint64_t begin = wf_clock_ticks();
    uint32_t before = lane->region_slots, more = before ? before : FIRST_REGIONS;
    while (more <= wanted)
        more *= 2;
    wf_quiet_begin(&quiet);
    struct wf_lane_region *old = lane->regions, *table = wf_memory_pages(more * sizeof *table);
    if (table) {
        if (old)
            memcpy(table, old, before * sizeof *table);
        lane->regions = table;
        lane->region_slots = more;
        wf_memory_release(old, before * sizeof *table);
        add_cost(lane, wf_clock_ticks() - begin);
    } else {
        atomic_fetch_add(&wf_process.segment.header->dropped_visits, 1);
    }
    wf_quiet_end(&quiet);
    return table != NULL;
}

static struct wf_lane_region *lane_region(struct wf_lane *lane, const struct wf_region *region)
{
    if (__builtin_expect(region->index >= lane->region_slots, 0) && !rarely(grow_regions, (uintptr_t)lane, region->index, 0, 0, 0))
        return NULL;
    return &lane->regions[region->index];
}

static uint32_t visit_hash(uint32_t region, uintptr_t caller, uintptr_t probe)
{
    return wf_lane_hash(region + caller * 0x9E3779B9u + probe);
}

static uint32_t hash_of_visit(const void *record)
{
    const struct wf_visit_record *visit = record;
    return visit_hash(visit->region, visit->caller, visit->probe);
}

/* For whoever looks at all of them. */
static void list_visit(struct wf_lane *lane, const struct wf_visit_record *visit)
{
    if (!lane->visit_list)
        lane->visit_list = wf_memory_pages(WF_LISTED_VISITS * sizeof *lane->visit_list);
    if (lane->visit_list && lane->visit_count < WF_LISTED_VISITS)
        lane->visit_list[lane->visit_count] = wf_segment_offset(&wf_process.segment, visit);
    lane->visit_count++;
}

static struct wf_visit_record *new_visit(struct wf_lane *lane, const struct wf_region *region, uintptr_t caller, uintptr_t probe)
{
    struct wf_visit_record *visit = wf_lane_next_record(lane, &lane->visit_chunk, WF_CHUNK_VISIT, sizeof *visit);
    if (!visit)
        return NULL;
    visit->region = region->offset;
    visit->writers_own = region->index;
    visit->caller = caller;
    visit->probe = probe;
    if (!wf_index_add(&lane->visits, visit, hash_of_visit))
        return NULL;
    wf_lane_publish(lane->visit_chunk);
    if (caller)
        wf_module_find(&wf_process.segment, caller);
    if (probe)
        wf_module_find(&wf_process.segment, probe);
    list_visit(lane, visit);
    return visit;
}

static struct wf_visit_record *add_visit(struct wf_lane *lane, const struct wf_region *region, uintptr_t caller, uintptr_t probe)
{
    struct wf_quiet quiet;
    uint64_t begin = wf_clock_ticks();
    wf_quiet_begin(&quiet);
    struct wf_visit_record *visit = new_visit(lane, region, caller, probe);
    add_cost(lane, wf_clock_ticks() - begin);
    wf_quiet_end(&quiet);
    return visit;
}

/* Where an entry of the region from this place is counted; NULL: no room. */
static struct wf_visit_record *find_visit(struct wf_lane *lane, const struct wf_region *region, struct wf_lane_region *r, uintptr_t caller,
                                          uintptr_t probe)
{
    if (r->last && r->last->caller == caller && r->last->probe == probe)
        return r->last;
    uint32_t i = visit_hash(region->offset, caller, probe);
    struct wf_visit_record *visit;
    while ((visit = wf_index_at(&lane->visits, i)) && (visit->region != region->offset || visit->caller != caller || visit->probe != probe))
        i++;
    if (!visit)
        visit = (struct wf_visit_record *)rarely(add_visit, (uintptr_t)lane, (uintptr_t)region, caller, probe, 0);
    r->record = region->record;
    if (visit)
        r->last = visit;
    else
        atomic_fetch_add(&wf_process.segment.header->dropped_visits, 1);
    return visit;
}

static struct wf_region *region_of(const struct weft_stack_ *entry)
{
    return &regions[((const struct wf_visit_record *)entry->visit)->writers_own];
}

static bool has_fast_way(const struct wf_lane *lane, const struct wf_region *region)
{
    return region->owner == lane;
}

static bool is_active(struct wf_lane *lane, const struct wf_region *region, const struct wf_lane_region *r)
{
    /* Addresses are in the lower half of all numbers; inverted, in the upper. */
    return has_fast_way(lane, region) ? (int64_t)region->source->key < 0 : r->active > 0;
}

/* A region that is not being visited any more, of which it is not known whether its library is still there. */
static void end_unseen(struct wf_region *region)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &meeting);
    if (!closing && region->source && (int64_t)region->source->key < 0)
        region->source->key = ~region->source->key;
    wf_quiet_unlock(&quiet, &meeting);
}

/* Takes the top entry off the stack; inner: what of the cost lay before now; running: the region's own code does this. A procedure's time is not its
 * surroundings' own; a loop's is, except for what was entered in it meanwhile. The entry goes last: a signal handler's probes push behind it. */
static void pop(struct wf_lane *lane, uint64_t now, uint64_t inner, bool running)
{
    struct weft_stack_ *top = lane->probes.top;
    struct wf_region *region = region_of(top);
    struct weft_visit_ *visit = top->visit, *outside = top[-1].visit;
    uint64_t ticks = now - top->start, ticks_virtual = now - lane->probes.intrusion - compensated(inner) - top->start_virtual;
    bool procedure = region->record->kind == WF_REGION_PROCEDURE;
    visit->ticks += ticks;
    visit->ticks_virtual += ticks_virtual;
    visit->num++;
    lane->last_ended[lane->ended++ % WF_ENDED_VISITS] = visit;
    outside->inner += procedure ? ticks : visit->inner - top->weft_[WF_STACK_INNER];
    uint64_t inner_virtual = visit->inner_virtual - top->weft_[WF_STACK_INNER_VIRTUAL];
    outside->inner_virtual += procedure ? ticks_virtual : inner_virtual;
    if (!procedure && top - 1 > lane->stack)
        lane->regions[region_of(top - 1)->index].nested_virtual += (int64_t)(ticks_virtual - inner_virtual), lane->nestings++;
    if (!has_fast_way(lane, region))
        lane->regions[region->index].active = 0;
    else if (running)
        region->source->key = ~region->source->key;
    else
        rarely(end_unseen, (uintptr_t)region, 0, 0, 0, 0);
    lane->record->probes++;
    add_cost(lane, cost.pair + cost.leave);
    wf_guard_order();
    lane->probes.top = top - 1;
}

/* The region's entry on the stack, or NULL. */
static struct weft_stack_ *find_entry(struct wf_lane *lane, const struct wf_region *region)
{
    struct weft_stack_ *entry = lane->probes.top;
    while (entry > lane->stack && region_of(entry) != region)
        entry--;
    return entry > lane->stack ? entry : NULL;
}

static uintptr_t probe_of(const struct weft_stack_ *entry)
{
    return entry->visit->probe ? entry->visit->probe : entry->weft_[WF_STACK_PROBE];
}

/* Is the region's entry on the stack still alive? Then what enters now was called by it, and its frame is below; or it was inlined into the same
 * function, and here is another copy of the probe. That of a function that ended without leaving (longjmp) is not; it goes, and all above it. */
static bool is_recursion(struct wf_lane *lane, const struct wf_region *region, uintptr_t frame, uintptr_t probe)
{
    struct weft_stack_ *entry = find_entry(lane, region);
    if (!entry)
        return false;
    if (entry->stack >= frame || (entry->stack >= (uintptr_t)__builtin_frame_address(0) && probe_of(entry) != probe)) {
        add_cost(lane, (uint64_t)(lane->probes.top - entry)); /* about a tick for each entry that was looked at: too little to be measured */
        return true;
    }
    uint64_t now = wf_clock_ticks();
    while (lane->probes.top >= entry)
        pop(lane, now, cost.slow_inner, lane->probes.top == entry);
    add_cost(lane, wf_clock_ticks() - now);
    return false;
}

/* Once a visit, before it begins. */
static void test_delay(struct wf_lane *lane)
{
    uint64_t begin = wf_clock_ticks(), now = begin;
    while (now - begin < wf_process.test_delay_ticks)
        now = wf_clock_ticks();
    add_cost(lane, now - begin);
}

static void judge(struct wf_lane *lane);

/* A signal handler's probes may push and pop there between any two instructions, and the thread may be cancelled: the entry is theirs until it is the top,
 * and there is never one without a visit. */
static struct weft_stack_ *put_entry(struct wf_lane *lane, struct weft_visit_ *visit)
{
    struct weft_stack_ *top = lane->probes.top + 1;
    *(struct weft_visit_ *volatile *)&top->visit = visit;
    *(struct weft_stack_ *volatile *)&lane->probes.top = top;
    *(struct weft_visit_ *volatile *)&top->visit = visit;
    return top;
}

/* Pushes an entry. False if there is nothing to record: recursion, or no room. frame: where that of the function that enters begins. */
static bool push(struct wf_lane *lane, struct wf_region *region, uintptr_t frame, uintptr_t caller, uintptr_t probe)
{
    if (__builtin_expect(wf_process.test_delay_ticks != 0, 0))
        test_delay(lane);
    if (__builtin_expect((++lane->slow_entries & 0xffff) == 0, 0))
        rarely(judge, (uintptr_t)lane, 0, 0, 0, 0);
    struct wf_lane_region *r = lane_region(lane, region);
    bool procedure = region->record->kind == WF_REGION_PROCEDURE;
    struct wf_visit_record *visit = NULL;
    if (r && !(is_active(lane, region, r) && is_recursion(lane, region, frame, probe)))
        visit = find_visit(lane, region, r, procedure ? caller : 0, procedure ? probe : 0);
    if (!visit) {
        add_cost(lane, cost.again);
        return false;
    }
    struct weft_stack_ *top = put_entry(lane, (struct weft_visit_ *)visit);
    top->stack = frame - 1;
    top->weft_[WF_STACK_INNER] = visit->inner_raw;
    top->weft_[WF_STACK_INNER_VIRTUAL] = visit->inner_virtual;
    top->weft_[WF_STACK_PROBE] = probe;
    if (has_fast_way(lane, region)) {
        region->source->visit = top->visit;
        region->source->key = ~(caller + probe + (uintptr_t)lane);
    } else {
        r->active = 1;
    }
    r->slow++;
    add_cost(lane, cost.enter);
    top->start = wf_clock_ticks();
    top->start_virtual = top->start - lane->probes.intrusion;
    return true;
}

static bool may_go_off(const struct wf_region *region)
{
    const struct wf_region_record *record = region->record;
    return (record->kind == WF_REGION_PROCEDURE || record->kind == WF_REGION_LOOP) && !atomic_load_explicit(&record->off, memory_order_relaxed);
}

/* Adds up what the lane has seen of each region, from wherever it was entered. */
static void sum_visits(struct wf_lane *lane, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lane->regions[i].num = lane->regions[i].ticks = lane->regions[i].ticks_virtual = 0;
    for (uint32_t s = 0; s <= lane->visits.mask; s++) {
        const struct wf_visit_record *visit = wf_index_at(&lane->visits, s);
        if (!visit || visit->writers_own >= count)
            continue;
        struct wf_lane_region *r = &lane->regions[visit->writers_own];
        r->num += visit->num;
        r->ticks += visit->ticks_raw;
        r->ticks_virtual += visit->ticks_virtual;
    }
}

static uint64_t cost_of(const struct wf_lane *lane, const struct wf_region *region)
{
    const struct wf_lane_region *r = &lane->regions[region->index];
    return r->num * cost.pair + r->slow * (cost.enter + (has_fast_way(lane, region) ? 0 : cost.leave));
}

/* A region whose visits are too short for their cost is not worth watching: its figures would be mostly weft's own. Nor is one whose visits are so
 * many that watching it alone slows the program down. */
static bool is_too_costly(const struct wf_lane *lane, const struct wf_region *region, uint64_t elapsed)
{
    const struct wf_lane_region *r = &lane->regions[region->index];
    return (int64_t)r->ticks_virtual < (int64_t)(r->num * OFF_FACTOR * cost.pair) || cost_of(lane, region) > elapsed / OFF_SHARE;
}

static void switch_off(const struct wf_lane *lane, struct wf_region *region)
{
    region->record->off_visits = lane->regions[region->index].num;
    region->record->off_ticks = lane->regions[region->index].ticks;
    atomic_store_explicit(&region->record->off, 1, memory_order_release);
    if (region->source)
        __atomic_store_n(&region->source->state, WEFT_REGION_OFF_, __ATOMIC_RELAXED);
}

/* Of all that are judged, the one with the shortest visits: it costs most for what it tells. */
static struct wf_region *shortest(const struct wf_lane *lane, uint32_t count)
{
    struct wf_region *found = NULL;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct wf_lane_region *r = &lane->regions[i];
        if (r->num < OFF_VISITS || !may_go_off(&regions[i]))
            continue;
        int64_t mean = (int64_t)r->ticks_virtual / (int64_t)r->num;
        if (mean < 0 || (uint64_t)mean < least) {
            least = mean < 0 ? 0 : (uint64_t)mean;
            found = &regions[i];
        }
    }
    return found;
}

/* What is too costly by itself goes first; then, until the rest together costs little enough, what has the shortest visits. */
static void judge_regions(struct wf_lane *lane, uint64_t elapsed)
{
    uint32_t count = region_count < lane->region_slots ? region_count : lane->region_slots;
    uint64_t total = 0;
    sum_visits(lane, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!may_go_off(&regions[i]))
            continue;
        if (lane->regions[i].num >= OFF_VISITS && is_too_costly(lane, &regions[i], elapsed))
            switch_off(lane, &regions[i]);
        else
            total += cost_of(lane, &regions[i]);
    }
    while (total > elapsed / TOTAL_SHARE) {
        struct wf_region *region = shortest(lane, count);
        if (!region)
            break;
        total -= cost_of(lane, region);
        switch_off(lane, region);
    }
}

/* Now and then: after 65,536 visits of one kind, or entries the slow way. */
static void judge(struct wf_lane *lane)
{
    uint64_t begin = wf_clock_ticks();
    account(lane);
    if (adaptive) {
        struct wf_quiet quiet;
        wf_quiet_lock(&quiet, &meeting);
        if (!closing) /* else the next time will do */
            judge_regions(lane, begin - wf_process.segment.header->tick0);
        wf_quiet_unlock(&quiet, &meeting);
    }
    add_cost(lane, wf_clock_ticks() - begin);
}

/* Leaves a region, and whatever was entered in it and never left. What a repair has taken off already, or a forked child has inherited, is not there
 * to be left. */
static void leave_region(struct wf_lane *lane, struct wf_region *region, uint64_t now, uint64_t inner)
{
    struct weft_stack_ *entry = find_entry(lane, region);
    if (!entry)
        return;
    while (lane->probes.top >= entry)
        pop(lane, now, inner, lane->probes.top == entry);
    if ((entry->visit->num & 0xffff) == 0)
        rarely(judge, (uintptr_t)lane, 0, 0, 0, 0);
}

static_assert(offsetof(struct weft_region_, visit) == 8 && sizeof(struct weft_stack_) == 64 && offsetof(struct weft_stack_, stack) == 8 &&
                  offsetof(struct weft_stack_, start) == 16 &&
                  offsetof(struct weft_stack_, start_virtual) == 24 && offsetof(struct weft_visit_, num) == 24 && offsetof(struct weft_visit_, ticks) == 32 &&
                  offsetof(struct weft_visit_, inner) == 40 && offsetof(struct weft_visit_, ticks_virtual) == 48 &&
                  offsetof(struct weft_visit_, inner_virtual) == 56 && offsetof(struct weft_lane_, intrusion) == 8 && offsetof(struct weft_lane_, pair) == 16 &&
                  offsetof(struct weft_lane_, pair_inner) == 24 && offsetof(struct weft_lane_, visits) == 32 && offsetof(struct weft_lane_, wrapped) == 40,
              "numbers in the assembly of weft/probe.h");
static_assert(offsetof(struct weft_visit_, caller) == offsetof(struct wf_visit_record, caller) &&
                  offsetof(struct weft_visit_, num) == offsetof(struct wf_visit_record, num) &&
                  offsetof(struct weft_visit_, ticks) == offsetof(struct wf_visit_record, ticks_raw) &&
                  offsetof(struct weft_visit_, inner) == offsetof(struct wf_visit_record, inner_raw) &&
                  offsetof(struct weft_visit_, ticks_virtual) == offsetof(struct wf_visit_record, ticks_virtual) &&
                  offsetof(struct weft_visit_, inner_virtual) == offsetof(struct wf_visit_record, inner_virtual),
              "instrumented code writes into the segment's records");

/* What is done once for a lane that has probes. */
static void price_lane(struct wf_lane *lane)
{
    if (lane->probes.weft_[PRICED])
        return;
    lane->probes.weft_[PRICED] = 1;
    lane->probes.pair = compensated(cost.pair);
    lane->probes.pair_inner = compensated(cost.inner);
}

/* What happened elsewhere. True: nothing is counted now. */
static bool attend(struct wf_lane *lane)
{
    return __builtin_expect(atomic_load_explicit(&lane->attention, memory_order_relaxed) != 0, 0) && wf_process_attend(lane);
}

/* What an entry rarely has to do first: the thread is new, or the program or library, or the region. NULL: the region is not watched. */
static struct wf_lane *prepare(struct weft_region_ *source, struct weft_lane_ **slot)
{
    if (wf_child_is())
        wf_probe_forked();
    wf_process_open();
    struct wf_lane *lane = own_lane();
    if (!lane)
        source->state = WEFT_REGION_OFF_;
    if (!lane || attend(lane))
        return NULL;
    uint64_t begin = wf_clock_ticks();
    if (source->state == WEFT_REGION_NEW_)
        meet(lane, source);
    price_lane(lane);
    wf_lane_lend(lane, slot, (uintptr_t)source); /* else all of its entries come this way */
    bool watched = source->state == WEFT_REGION_ON_;
    add_cost(lane, wf_clock_ticks() - begin);
    return watched ? lane : NULL;
}

static struct weft_lane_ *enter_region(struct weft_region_ *source, uintptr_t key, uintptr_t probe, uintptr_t frame, struct weft_lane_ **slot)
{
    struct wf_lane *lane = weft_tls.lane;
    uintptr_t caller = key - probe - (uintptr_t)*slot;
    if (__builtin_expect(!lane || *slot != &lane->probes || source->state != WEFT_REGION_ON_, 0))
        lane = (struct wf_lane *)rarely(prepare, (uintptr_t)source, (uintptr_t)slot, 0, 0, 0);
    return lane && push(lane, source->weft, frame, caller, probe) ? &lane->probes : NULL;
}

static void leave_source(struct weft_region_ *source)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    if (lane && lane->probes.wrapped) { /* it has been left */
        lane->probes.wrapped = 0;
        source->visit->num += 0x10000;
        rarely(judge, (uintptr_t)lane, 0, 0, 0, 0);
    } else if (lane) {
        leave_region(lane, source->weft, now, cost.slow_inner);
    }
}

/* Where time is read by a function of the system, everything is rare. */
static struct weft_lane_ *enter(struct weft_region_ *source, unsigned long key, unsigned long probe, const void *frame, struct weft_lane_ **slot)
{
    struct wf_guard guard;
    struct weft_lane_ *entered;
    if (!wf_guard_enter(&guard))
        return NULL;
    if (__builtin_expect(!wf_clock_is_tsc, 0))
        entered = (struct weft_lane_ *)rarely(enter_region, (uintptr_t)source, key, probe, (uintptr_t)frame, (uintptr_t)slot);
    else
        entered = enter_region(source, key, probe, (uintptr_t)frame, slot);
    wf_guard_leave(&guard);
    return entered;
}

static void leave(struct weft_region_ *source)
{
    struct wf_guard guard;
    if (!wf_guard_enter(&guard))
        return;
    if (__builtin_expect(!wf_clock_is_tsc, 0))
        rarely(leave_source, (uintptr_t)source, 0, 0, 0, 0);
    else
        leave_source(source);
    wf_guard_leave(&guard);
}

void wf_probe_resumed(struct wf_lane *lane, uint64_t since, uint64_t pause_ticks)
{
    for (struct weft_stack_ *e = lane ? lane->probes.top : NULL; e && e > lane->stack; e--)
        if ((int64_t)(e->start - since) <= 0)
            e->start += pause_ticks, e->start_virtual += pause_ticks;
}

void wf_probe_thread_ends(struct wf_lane *lane)
{
    uint64_t now = wf_clock_ticks();
    while (lane->probes.top > lane->stack)
        pop(lane, now, cost.inner, false);
    account(lane);
}

void wf_probe_ended(void)
{
    struct wf_quiet quiet;
    if (weft_tls.lane)
        wf_probe_thread_ends(weft_tls.lane);
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    for (struct wf_lane *lane = wf_lane_first(); lane; lane = lane->next)
        account(lane);
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
}

/* No lock: whoever had it is not in this process. */
void wf_probe_forked(void)
{
    struct wf_lane *lane = weft_tls.lane;
    if (!lane)
        return;
    wf_lane_revoke(lane);
    lane->probes.top = &no_entry; /* some scopes have it in a register */
    weft_tls.lane = NULL;
}

/* ---- libraries that are closed ---- */

void wf_probe_closing(int more)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &meeting);
    closing += (uint32_t)more;
    wf_quiet_unlock(&quiet, &meeting);
}

static void close_region(struct wf_region *region, uintptr_t start, uintptr_t end)
{
    uintptr_t address = atomic_load_explicit(&region->address, memory_order_relaxed), source = (uintptr_t)region->source;
    if (address >= start && address < end)
        atomic_store_explicit(&region->address, GONE, memory_order_release);
    if (source < start || source >= end)
        return;
    region->source = NULL;
    region->owner = NULL;
    region->closed = true;
    closed_count++;
}

void wf_probe_module_closed(uintptr_t start, uintptr_t end)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &meeting);
    for (uint32_t i = 1; i < region_count; i++)
        close_region(&regions[i], start, end);
    for (uint32_t i = 0; i < unwanted_count; i++)
        close_region(&unwanted[i], start, end);
    wf_quiet_unlock(&quiet, &meeting);
}

static bool is_visit_open(const void *record)
{
    const struct wf_visit_record *visit = record;
    return !wf_module_is_past(visit, visit->caller) && !wf_module_is_past(visit, visit->probe);
}

/* A place in a library that is open now may have been one in another before: each entry finds its visit anew. */
bool wf_probe_forget_closed(struct wf_lane *lane)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &meeting);
    bool able = closing == 0;
    for (uint32_t i = 1; able && i < region_count; i++)
        if (has_fast_way(lane, &regions[i]) && (int64_t)regions[i].source->key >= 0)
            regions[i].source->key = 0;
    wf_quiet_unlock(&quiet, &meeting);
    if (!able)
        return false;
    wf_index_keep(&lane->visits, is_visit_open, hash_of_visit);
    for (uint32_t i = 0; i < lane->region_slots; i++)
        if (lane->regions[i].last && !is_visit_open(lane->regions[i].last))
            lane->regions[i].last = NULL;
    lane->visit_chunk = NULL;
    return true;
}

/* ---- marked by hand ---- */

struct wf_visit_record *wf_probe_counter(struct weft_region_ *counter)
{
    wf_process_open();
    struct wf_lane *lane = own_lane();
    if (lane && attend(lane))
        return NULL;
    if (lane && counter->state == WEFT_REGION_NEW_)
        meet(lane, counter);
    struct wf_lane_region *r = lane && counter->state == WEFT_REGION_ON_ ? lane_region(lane, counter->weft) : NULL;
    return r ? find_visit(lane, counter->weft, r, 0, 0) : NULL;
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
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &meeting);
    struct wf_region *region = wf_process.watching ? find_named(name, bytes) : NULL;
    if (region)
        region->source = NULL; /* it was only lent */
    wf_quiet_unlock(&quiet, &meeting);
    return region;
}

/* frame: of what it stands in, where there is something. It may be ended in another function: it is as old as that. */
static void begin_named(const char *name, unsigned long bytes, uintptr_t frame)
{
    uint64_t now = wf_clock_ticks();
    wf_process_open();
    struct wf_lane *lane = own_lane();
    struct wf_region *region = lane && !attend(lane) ? meet_named(name, bytes) : NULL;
    if (!region)
        return;
    add_cost(lane, wf_clock_ticks() - now);
    push(lane, region, lane->probes.top == lane->stack ? frame : lane->probes.top->stack + 1, 0, 0);
}

static void end_named(const char *name, unsigned long bytes)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    struct wf_region *region = lane ? meet_named(name, bytes) : NULL;
    if (!region)
        return;
    uint64_t found = wf_clock_ticks();
    leave_region(lane, region, now, cost.inner);
    add_cost(lane, found - now);
}

static void begin(const char *name, unsigned long bytes)
{
    struct wf_guard guard;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    begin_named(name, bytes, (uintptr_t)__builtin_frame_address(0));
    wf_guard_leave(&guard);
}

static void end(const char *name, unsigned long bytes)
{
    struct wf_guard guard;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    end_named(name, bytes);
    wf_guard_leave(&guard);
}

__attribute__((visibility("default"))) extern const struct weft_probe_api_ weft_probe_api_;
const struct weft_probe_api_ weft_probe_api_ = {
    .version = WEFT_PROBE_VERSION, .enter = enter, .leave = leave, .count = wf_probe_count, .begin = begin, .end = end, .path = wf_feed_told};

/* ---- procedures known by their address ---- */

/* One table for the process, read without a lock. */
#define PROCEDURE_SLOTS (4u * WF_MAX_REGIONS)
static struct wf_region *_Atomic *procedures;

/* With the lock held: one that patterns leave out. Its record is that of all such, and says that it is switched off; no lane has a place for it. */
static struct wf_region *add_unwanted(uintptr_t address)
{
    static struct wf_region_record record = {.kind = WF_REGION_PROCEDURE, .off = 1};
    if (!unwanted)
        unwanted = wf_memory_pages(WF_MAX_REGIONS * sizeof *unwanted);
    if (!unwanted || unwanted_count == WF_MAX_REGIONS)
        return NULL;
    unwanted[unwanted_count] = (struct wf_region){.record = &record, .index = UINT32_MAX, .address = address};
    return &unwanted[unwanted_count++];
}

/* From this slot on; *slot: where it is, or where it would be. */
static struct wf_region *look_for_procedure(uintptr_t address, uint32_t *slot)
{
    struct wf_region *r;
    while ((r = atomic_load_explicit(&procedures[*slot], memory_order_acquire)) && atomic_load_explicit(&r->address, memory_order_relaxed) != address)
        *slot = (*slot + 1) % PROCEDURE_SLOTS;
    return r;
}

static struct wf_region *meet_procedure(uintptr_t address)
{
    struct wf_quiet quiet;
    struct wf_region *r = NULL;
    uint64_t begin = wf_clock_ticks();
    wf_process_open();
    struct wf_lane *lane = own_lane();
    wf_quiet_lock(&quiet, &meeting);
    if (!procedures)
        procedures = wf_memory_pages(PROCEDURE_SLOTS * sizeof *procedures);
    uint32_t slot = wf_lane_hash(address) % PROCEDURE_SLOTS;
    if (procedures && lane && !(r = look_for_procedure(address, &slot))) {
        r = is_address_wanted(address) ? add_region(NULL, address) : add_unwanted(address);
        atomic_store_explicit(&procedures[slot], r, memory_order_release);
    }
    wf_quiet_unlock(&quiet, &meeting);
    if (lane)
        add_cost(lane, wf_clock_ticks() - begin);
    return r;
}

static struct wf_region *find_procedure(uintptr_t address)
{
    uint32_t slot = wf_lane_hash(address) % PROCEDURE_SLOTS;
    struct wf_region *r = __atomic_load_n(&procedures, __ATOMIC_ACQUIRE) ? look_for_procedure(address, &slot) : NULL;
    return r ? r : meet_procedure(address);
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function, void *caller);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function, void *caller);

/* A recursive entry is only counted, so that its exit can be told from that of the entry on the stack. */
static void enter_procedure(uintptr_t function, uintptr_t frame, uintptr_t caller, uintptr_t probe)
{
    if (weft_tls.lane && attend(weft_tls.lane))
        return;
    struct wf_region *region = find_procedure(function);
    if (!region || atomic_load_explicit(&region->record->off, memory_order_relaxed))
        return;
    struct wf_lane *lane = own_lane();
    if (lane && !attend(lane) && !push(lane, region, frame, caller, probe) && region->index < lane->region_slots &&
        lane->regions[region->index].active)
        lane->regions[region->index].active++;
}

static void leave_procedure(uintptr_t function, uint64_t now)
{
    struct wf_lane *lane = weft_tls.lane;
    struct wf_region *region = lane && lane->probes.top > lane->stack ? find_procedure(function) : NULL;
    if (!region || region->index >= lane->region_slots || !lane->regions[region->index].active)
        return; /* its entry was not recorded */
    if (--lane->regions[region->index].active > 0)
        return;
    lane->regions[region->index].active = 1;
    leave_region(lane, region, now, cost.inner); /* it was called without detours */
}

/* glibc has empty ones of these names, for programs that run without weft. */
void __cyg_profile_func_enter(void *function, void *caller)
{
    struct wf_guard guard;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    enter_procedure((uintptr_t)function, (uintptr_t)__builtin_frame_address(0), (uintptr_t)caller, (uintptr_t)__builtin_return_address(0));
    wf_guard_leave(&guard);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    struct wf_guard guard;
    uint64_t now = wf_clock_ticks();
    (void)caller;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    leave_procedure((uintptr_t)function, now);
    wf_guard_leave(&guard);
}

/* Calibration: a region of our own is visited in the three ways there are, and the best of several batches counts, because noise only ever adds. */
enum { BATCHES = 48, BATCH_VISITS = 32 };

static struct weft_lane_ *learn_key(struct weft_region_ *region, unsigned long key, unsigned long probe, const void *frame, struct weft_lane_ **slot)
{
    (void)probe, (void)frame, (void)slot;
    region->key = key;
    return NULL;
}

/* Makes a region's next entry go the fast way. */
static const struct weft_probe_api_ learning = {.version = WEFT_PROBE_VERSION, .enter = learn_key};

static __attribute__((noinline)) void visit_none(struct weft_region_ *region)
{
    __asm__ volatile("" : : "r"(region));
}

static __attribute__((noinline)) void visit_once(struct weft_region_ *region)
{
    __attribute__((cleanup(weft_leave_))) struct weft_frame_ frame = {region, NULL};
    weft_enter_(&frame);
    __asm__ volatile("" : : "r"(region));
}

static uint64_t batch(void (*visit)(struct weft_region_ *), struct weft_region_ *region, bool slow)
{
    uint64_t begin = wf_clock_ticks();
    for (int i = 0; i < BATCH_VISITS; i++) {
        visit(region);
        if (slow)
            region->key = 0;
    }
    return wf_clock_ticks() - begin;
}

static void measure_pair(struct weft_region_ *region, struct wf_visit_record *record, bool slow, uint64_t *pair, uint64_t *inner)
{
    uint64_t none = UINT64_MAX, once = UINT64_MAX, inside = UINT64_MAX, ticks;
    batch(visit_once, region, slow);
    for (int i = 0; i < BATCHES; i++) {
        if ((ticks = batch(visit_none, region, slow)) < none)
            none = ticks;
        record->ticks_raw = 0;
        if ((ticks = batch(visit_once, region, slow)) < once)
            once = ticks;
        if (record->ticks_raw < inside)
            inside = record->ticks_raw;
    }
    *pair = once > none ? (once - none + BATCH_VISITS / 2) / BATCH_VISITS : 0;
    *inner = (inside + BATCH_VISITS / 2) / BATCH_VISITS;
}

static void measure_costs(struct wf_lane *lane, struct weft_region_ *region, struct wf_visit_record *visit)
{
    uint64_t fast = 0, fast_inner = 0, mixed = 0, mixed_inner, slow, slow_inner, again, again_inner;
    weft_lane_of_thread_ = &lane->probes;
    if (wf_clock_is_tsc) {
        weft_api_found_ = &learning;
        region->visit = (struct weft_visit_ *)visit;
        measure_pair(region, visit, false, &fast, &fast_inner);
        weft_api_found_ = &weft_probe_api_;
        regions[0].owner = lane;
        measure_pair(region, visit, true, &mixed, &mixed_inner);
        regions[0].owner = NULL;
        region->visit = NULL;
    }
    weft_api_found_ = &weft_probe_api_;
    measure_pair(region, visit, true, &slow, &slow_inner);
    push(lane, region->weft, UINTPTR_MAX, 0, 0);
    measure_pair(region, visit, true, &again, &again_inner);
    leave(region);
    weft_lane_of_thread_ = NULL;
    cost.pair = wf_clock_is_tsc ? fast : slow;
    cost.inner = wf_clock_is_tsc ? fast_inner : slow_inner;
    cost.enter = mixed > fast ? mixed - fast : 0;
    cost.leave = wf_clock_is_tsc && slow > mixed ? slow - mixed : 0;
    cost.slow_inner = slow_inner;
    cost.again = again;
}

/* Before any region is entered; what it does to the lane is undone. */
static void calibrate(struct wf_lane *lane)
{
    static struct wf_region_record record = {.kind = WF_REGION_USER};
    static struct weft_region_ source = {.state = WEFT_REGION_ON_, .kind = WEFT_USER_};
    static struct wf_visit_record visit;
    regions[region_count++] = (struct wf_region){.record = &record, .source = &source};
    struct wf_lane_region *r = lane ? lane_region(lane, &regions[0]) : NULL;
    if (!r)
        return;
    struct weft_lane_ probes = lane->probes;
    struct wf_visit_record no_region = lane->no_region;
    struct wf_lane_record record_before = *lane->record;
    struct wf_tls tls = weft_tls;
    uint32_t slow_entries = lane->slow_entries;
    uint64_t delay = wf_process.test_delay_ticks;
    wf_process.test_delay_ticks = 0;
    weft_tls.depth = WF_OUTSIDE;
    r->last = &visit;
    source.weft = &regions[0];
    measure_costs(lane, &source, &visit);
    weft_tls = tls;
    wf_process.test_delay_ticks = delay;
    lane->probes = probes;
    lane->no_region = no_region;
    lane->slow_entries = slow_entries;
    *lane->record = record_before;
    wf_process.segment.header->pair_ticks = cost.pair;
    wf_process.segment.header->pair_inner_ticks = cost.inner;
}
