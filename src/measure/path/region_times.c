/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/path/region_times.h"

#include "base/memory.h"
#include "base/table.h"
#include "measure/path/registry.h"
#include "measure/record/module.h"
#include "measure/process/process.h"

/* ---- which visits there are ---- */

static struct wf_region_record *times_region_of(const struct wf_visit_record *visit)
{
    return wf_segment_at(&wf_process.segment, visit->region);
}

uint64_t wf_region_times_place(uint64_t key, uintptr_t address)
{
    uint32_t offset = wf_module_find(&wf_process.segment, address);
    const struct wf_module_record *module = offset ? wf_segment_at(&wf_process.segment, offset) : NULL;
    if (!module)
        return wf_hash_mix(key, address);
    key = module->build_id_bytes ? wf_hash_text(key, module->build_id, module->build_id_bytes)
                                 : wf_hash_text(key, module->path, module->path_bytes);
    return wf_hash_mix(key, address - module->bias);
}

/* By its name and its place in the source, or by its address. */
static uint64_t times_key(const struct wf_region_record *region)
{
    uint64_t key = wf_hash_mix(region->kind, region->line);
    key = wf_hash_text(key, region->text, region->name_bytes + 1 + region->file_bytes);
    return region->address ? wf_region_times_place(key, region->address) : key;
}

static void times_find_slot(struct wf_region_times_visit *v, uint32_t map)
{
    struct wf_region_record *region = times_region_of(v->visit);
    if (region->path_number == 0 && region->kind != WF_REGION_COUNTER &&
        wf_registry_selects(region->text, region->text + region->name_bytes + 1))
        region->path_number = wf_registry_region(times_key(region), false);
    v->region = region->path_number;
    v->slot = wf_registry_slot(v->region, map);
}

static uint32_t times_hash(const void *visit)
{
    return wf_hash((uintptr_t)visit / WF_SEGMENT_UNIT);
}

static uint32_t times_hash_of(const void *counted)
{
    return times_hash(((const struct wf_region_times_visit *)counted)->visit);
}

static bool times_begin(struct wf_region_times *k)
{
    if (!k->regions)
        k->regions = wf_memory_pages(WF_MAX_REGIONS * sizeof *k->regions);
    if (!k->visits && k->regions) {
        k->visits = wf_memory_pages(WF_LISTED_VISITS * sizeof *k->visits);
        k->index = (struct wf_table)WF_TABLE(k->visits);
    }
    return k->visits;
}

/* Those that the probes have made since the last time. */
static void times_find_new(struct wf_region_times *k, const struct wf_lane *lane, uint32_t map)
{
    uint32_t known = lane->visit_count < WF_LISTED_VISITS ? lane->visit_count : WF_LISTED_VISITS;
    while (k->count < known && times_begin(k)) {
        const struct wf_visit_record *visit = wf_segment_at(&wf_process.segment, lane->visit_list[k->count]);
        struct wf_region_times_visit *v = &k->visits[k->count];
        *v = (struct wf_region_times_visit){.visit = visit};
        times_find_slot(v, map);
        if (!wf_table_add(&k->index, v, times_hash_of))
            return;
        k->highest = visit->writers_own > k->highest ? visit->writers_own : k->highest;
        k->count++;
    }
}

static struct wf_region_times_visit *times_find(struct wf_region_times *k, const void *visit)
{
    if (!k->visits)
        return NULL;
    for (uint32_t i = times_hash(visit);; i++) {
        struct wf_region_times_visit *v = wf_table_at(&k->index, i);
        if (!v || v->visit == visit)
            return v;
    }
}

/* Mostly the same as at the last call. */
static void times_find_open(struct wf_region_times *k, struct wf_lane *lane)
{
    uint32_t depth = (uint32_t)(lane->probes.top - lane->stack);
    depth = depth < WF_PATH_DEPTH ? depth : WF_PATH_DEPTH;
    for (uint32_t i = 0; i < depth; i++) {
        const void *visit = lane->stack[i + 1].visit;
        if (i >= k->depth || !k->open[i] || (const void *)k->open[i]->visit != visit)
            k->open[i] = times_find(k, visit);
    }
    k->depth = depth;
}

/* ---- what they have had ---- */

static void times_tell(const struct wf_region_times_to *to, uint32_t slot, uint32_t region, int64_t own, int64_t all)
{
    if (!to || region == 0)
        return;
    if (to->scale != 1) {
        own = (int64_t)((double)own * to->scale);
        all = (int64_t)((double)all * to->scale);
    }
    wf_path_attribute_of(to->path, slot, region, own, all);
    if (to->heard)
        to->heard(to->context, slot, region, own, all);
}

static void times_tell_one(struct wf_region_times_visit *v, int64_t all, int64_t own,
                           const struct wf_region_times_to *to)
{
    int64_t more_own = own - v->own, more_all = all - v->all;
    v->all = all;
    v->own = own;
    times_tell(to, v->slot, v->region, more_own, more_all);
}

/* What is inside a region and not in the sums of its inner time is not its own here. */
static void times_tell_nested(struct wf_region_times *k, const struct wf_lane *lane, uint32_t index,
                              const struct wf_region_times_to *to)
{
    struct wf_region_times_region *r = &k->regions[index];
    int64_t nested = (index < lane->region_slots ? lane->regions[index].nested_virtual : 0) + r->under_way,
            more = nested - r->nested;
    if (more == 0)
        return;
    r->nested = nested;
    const struct wf_region_record *record = lane->regions[index].record;
    if (to && record)
        times_tell(to, wf_registry_slot(record->path_number, to->path->map), record->path_number, -more, 0);
}

static void times_tell_if_ended(struct wf_region_times_visit *v, const struct wf_region_times_to *to)
{
    int64_t all = (int64_t)v->visit->ticks_virtual, own = all - (int64_t)v->visit->inner_virtual;
    if ((all != v->all || own != v->own) && !v->under_way)
        times_tell_one(v, all, own, to);
}

/* Of visits that ended the slow way the last few are listed; those that ended the fast way are not, and then all are
 * looked at. What is inside one that is under way, or has been, has changed with it. */
static void times_tell_ended(struct wf_region_times *k, const struct wf_lane *lane, const struct wf_region_times_to *to)
{
    uint64_t ended = lane->ended - k->ended;
    if (lane->probes.visits == k->fast && ended <= WF_ENDED_VISITS)
        for (uint64_t i = k->ended; i < lane->ended; i++) {
            struct wf_region_times_visit *v = times_find(k, lane->last_ended[i % WF_ENDED_VISITS]);
            if (v)
                times_tell_if_ended(v, to);
        }
    else
        for (uint32_t i = 0; i < k->count; i++)
            times_tell_if_ended(&k->visits[i], to);
}

static uint32_t times_region_index(const struct weft_stack_ *e)
{
    return ((const struct wf_visit_record *)e->visit)->writers_own;
}

/* From the innermost outwards: what is inside is not in the sums of what is around it yet. */
static void times_tell_under_way(struct wf_region_times *k, struct wf_lane *lane, int64_t virt,
                                 const struct wf_region_times_to *to)
{
    int64_t inside = 0;
    for (uint32_t i = (uint32_t)(lane->probes.top - lane->stack); i > 0; i--) {
        const struct weft_stack_ *e = &lane->stack[i];
        int64_t since = virt - (int64_t)e->start_virtual, inner = (int64_t)e->visit->inner_virtual;
        int64_t all = (int64_t)e->visit->ticks_virtual + since, own = all - inner - inside;
        bool procedure = times_region_of((const struct wf_visit_record *)e->visit)->kind == WF_REGION_PROCEDURE;
        inside = procedure ? since : inside + inner - (int64_t)e->weft_[WF_STACK_INNER_VIRTUAL];
        if (i <= k->depth && k->open[i - 1])
            times_tell_one(k->open[i - 1], all, own, to);
        if (i > 1 && k->regions)
            k->regions[times_region_index(e - 1)].under_way = procedure ? 0 : since - inside;
    }
}

/* Behind it: what is nested in those that are under way; or in all, if any visit has ended since. */
static void times_tell_all_nested(struct wf_region_times *k, struct wf_lane *lane, bool all,
                                  const struct wf_region_times_to *to)
{
    if (!k->regions)
        return;
    for (uint32_t index = 0; all && index <= k->highest; index++)
        times_tell_nested(k, lane, index, to);
    for (const struct weft_stack_ *e = lane->probes.top; e > lane->stack; e--) {
        times_tell_nested(k, lane, times_region_index(e), to);
        k->regions[times_region_index(e)].under_way = 0;
    }
}

static void times_mark_open(struct wf_region_times *k, uint32_t mark)
{
    for (uint32_t i = 0; i < k->depth; i++)
        if (k->open[i])
            k->open[i]->under_way = mark;
}

void wf_region_times_tell(struct wf_region_times *k, struct wf_lane *lane, uint32_t map, uint64_t virt,
                          const struct wf_region_times_to *to)
{
    bool ended = lane->probes.visits != k->fast || lane->ended != k->ended;
    if (__builtin_expect(lane->visit_count != k->count, 0))
        times_find_new(k, lane, map);
    times_find_open(k, lane);
    if (ended) {
        times_mark_open(k, 1);
        times_tell_ended(k, lane, to);
        times_mark_open(k, 0);
        k->fast = lane->probes.visits;
        k->ended = lane->ended;
    }
    times_tell_under_way(k, lane, (int64_t)virt, to);
    times_tell_all_nested(k, lane, lane->nestings != k->nestings, to);
    k->nestings = lane->nestings;
}

void wf_region_times_pass(struct wf_region_times *k, uint64_t ticks)
{
    for (uint32_t i = 0; i < k->depth; i++)
        if (k->open[i])
            k->open[i]->all += (int64_t)ticks;
}

void wf_region_times_renew(struct wf_region_times *k, uint32_t map)
{
    for (uint32_t i = 0; i < k->count; i++)
        times_find_slot(&k->visits[i], map);
}
