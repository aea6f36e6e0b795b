/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/counted.h"

#include "guest/memory.h"
#include "measure/agree.h"
#include "measure/module.h"
#include "measure/probe.h"
#include "measure/process.h"

#define FIRST_INDEX 256u

/* ---- which visits there are ---- */

static struct wf_region_record *region_of(const struct wf_visit_record *visit)
{
    return wf_segment_at(&wf_process.segment, visit->region);
}

uint64_t wf_counted_place(uint64_t key, uintptr_t address)
{
    uint32_t offset = wf_module_find(&wf_process.segment, address);
    const struct wf_module_record *module = offset ? wf_segment_at(&wf_process.segment, offset) : NULL;
    if (!module)
        return wf_agree_mix(key, address);
    key = module->build_id_bytes ? wf_agree_mix_text(key, module->build_id, module->build_id_bytes) :
                                   wf_agree_mix_text(key, module->path, module->path_bytes);
    return wf_agree_mix(key, address - module->bias);
}

/* By what it is called and where it stands, or by its address. */
static uint64_t key_of(const struct wf_region_record *region)
{
    uint64_t key = wf_agree_mix(region->kind, region->line);
    key = wf_agree_mix_text(key, region->text, region->name_bytes + 1 + region->file_bytes);
    return region->address ? wf_counted_place(key, region->address) : key;
}

static uint32_t slot_of(const struct wf_visit_record *visit, uint32_t epoch)
{
    struct wf_region_record *region = region_of(visit);
    bool followed = region->kind != WF_REGION_COUNTER && epoch & WF_EPOCH_ON; /* after a stop, the last slots stay to be read */
    if (followed && region->path_epoch != epoch) {
        bool selected = wf_agree_selects(region->text, region->text + region->name_bytes + 1);
        uint32_t number = selected ? wf_agree_number(key_of(region)) : 0;
        region->path_slot = wf_agree_slot(number, epoch);
        region->path_epoch = epoch;
    }
    return followed ? region->path_slot : WF_PATH_OTHER;
}

static uint32_t hash(const void *visit)
{
    return wf_lane_hash((uintptr_t)visit / WF_SEGMENT_UNIT);
}

static void put(struct wf_counted *k, uint32_t *index, uint32_t mask, uint32_t i)
{
    uint32_t at = hash(k->visits[i].visit);
    while (index[at & mask])
        at++;
    index[at & mask] = i + 1;
}

static bool grow(struct wf_counted *k)
{
    uint32_t places = k->index ? 2 * (k->mask + 1) : FIRST_INDEX;
    uint32_t *index = wf_memory_pages(places * sizeof *index);
    if (!index)
        return false;
    for (uint32_t i = 0; i < k->count; i++)
        put(k, index, places - 1, i);
    if (k->index)
        wf_memory_release(k->index, (k->mask + 1) * sizeof *k->index);
    k->index = index;
    k->mask = places - 1;
    return true;
}

static bool make_room(struct wf_counted *k)
{
    if (!k->visits)
        k->visits = wf_memory_pages(WF_LISTED_VISITS * sizeof *k->visits);
    if (!k->regions)
        k->regions = wf_memory_pages(WF_MAX_REGIONS * sizeof *k->regions);
    return k->visits && k->regions && ((k->index && 2 * (k->count + 1) <= k->mask + 1) || grow(k));
}

/* Those that the probes have made since the last time. */
static void find_new(struct wf_counted *k, const struct wf_lane *lane, uint32_t epoch)
{
    uint32_t known = lane->visit_count < WF_LISTED_VISITS ? lane->visit_count : WF_LISTED_VISITS;
    while (k->count < known && make_room(k)) {
        const struct wf_visit_record *visit = wf_segment_at(&wf_process.segment, lane->visit_list[k->count]);
        k->visits[k->count] = (struct wf_counted_visit){.visit = visit, .slot = slot_of(visit, epoch)};
        k->highest = visit->writers_own > k->highest ? visit->writers_own : k->highest;
        put(k, k->index, k->mask, k->count);
        k->count++;
    }
}

static struct wf_counted_visit *find(struct wf_counted *k, const void *visit)
{
    for (uint32_t at = hash(visit); k->index && k->index[at & k->mask]; at++)
        if (k->visits[k->index[at & k->mask] - 1].visit == visit)
            return &k->visits[k->index[at & k->mask] - 1];
    return NULL;
}

/* Mostly the same as at the last call. */
static void find_open(struct wf_counted *k, struct wf_lane *lane)
{
    uint32_t depth = (uint32_t)(lane->probes.top - lane->stack);
    depth = depth < WF_PATH_DEPTH ? depth : WF_PATH_DEPTH;
    for (uint32_t i = 0; i < depth; i++) {
        const void *visit = lane->stack[i + 1].visit;
        if (i >= k->depth || !k->open[i] || (const void *)k->open[i]->visit != visit)
            k->open[i] = find(k, visit);
    }
    k->depth = depth;
}

/* ---- what they have had ---- */

static void tell(const struct wf_counted_to *to, uint32_t slot, int64_t own, int64_t all)
{
    if (!to || slot == WF_PATH_OTHER)
        return;
    if (to->scale != 1) {
        own = (int64_t)((double)own * to->scale);
        all = (int64_t)((double)all * to->scale);
    }
    wf_path_attribute(to->path, slot, own, all);
    if (to->heard)
        to->heard(to->context, slot, own, all);
}

static void tell_one(struct wf_counted_visit *v, int64_t all, int64_t own, const struct wf_counted_to *to)
{
    int64_t more_own = own - v->own, more_all = all - v->all;
    v->all = all;
    v->own = own;
    tell(to, v->slot, more_own, more_all);
}

/* What is inside a region and not in the sums of its inner time is not its own here. */
static void tell_nested(struct wf_counted *k, const struct wf_lane *lane, uint32_t index, const struct wf_counted_to *to)
{
    struct wf_counted_region *r = &k->regions[index];
    int64_t nested = (index < lane->region_slots ? lane->regions[index].nested_virtual : 0) + r->under_way, more = nested - r->nested;
    if (more == 0)
        return;
    r->nested = nested;
    const struct wf_region_record *record = lane->regions[index].record;
    tell(to, record ? record->path_slot : WF_PATH_OTHER, -more, 0);
}

static void tell_if_ended(struct wf_counted_visit *v, const struct wf_counted_to *to)
{
    int64_t all = (int64_t)v->visit->ticks_virtual, own = all - (int64_t)v->visit->inner_virtual;
    if ((all != v->all || own != v->own) && !v->under_way)
        tell_one(v, all, own, to);
}

/* Of those that ended the slow way the last few are known by name; what ended the fast way nobody has written down, and all are looked at. What is
 * inside one that is under way, or has been, has changed with it. */
static void tell_ended(struct wf_counted *k, const struct wf_lane *lane, const struct wf_counted_to *to)
{
    uint64_t ended = lane->ended - k->ended;
    if (lane->probes.visits == k->fast && ended <= WF_ENDED_VISITS)
        for (uint64_t i = k->ended; i < lane->ended; i++) {
            struct wf_counted_visit *v = find(k, lane->last_ended[i % WF_ENDED_VISITS]);
            if (v)
                tell_if_ended(v, to);
        }
    else
        for (uint32_t i = 0; i < k->count; i++)
            tell_if_ended(&k->visits[i], to);
}

static uint32_t index_of(const struct weft_stack_ *e)
{
    return ((const struct wf_visit_record *)e->visit)->writers_own;
}

/* From the innermost outwards: what is inside is not in the sums of what is around it yet. */
static void tell_under_way(struct wf_counted *k, struct wf_lane *lane, int64_t virt, const struct wf_counted_to *to)
{
    int64_t inside = 0;
    for (uint32_t i = (uint32_t)(lane->probes.top - lane->stack); i > 0; i--) {
        const struct weft_stack_ *e = &lane->stack[i];
        int64_t since = virt - (int64_t)e->start_virtual, inner = (int64_t)e->visit->inner_virtual;
        int64_t all = (int64_t)e->visit->ticks_virtual + since, own = all - inner - inside;
        bool procedure = region_of((const struct wf_visit_record *)e->visit)->kind == WF_REGION_PROCEDURE;
        inside = procedure ? since : inside + inner - (int64_t)e->weft_[WF_STACK_INNER_VIRTUAL];
        if (i <= k->depth && k->open[i - 1])
            tell_one(k->open[i - 1], all, own, to);
        if (i > 1 && k->regions)
            k->regions[index_of(e - 1)].under_way = procedure ? 0 : since - inside;
    }
}

/* Behind it: what is nested in those that are under way; or in all, if any visit has ended since. */
static void tell_all_nested(struct wf_counted *k, struct wf_lane *lane, bool all, const struct wf_counted_to *to)
{
    if (!k->regions)
        return;
    for (uint32_t index = 0; all && index <= k->highest; index++)
        tell_nested(k, lane, index, to);
    for (const struct weft_stack_ *e = lane->probes.top; e > lane->stack; e--) {
        tell_nested(k, lane, index_of(e), to);
        k->regions[index_of(e)].under_way = 0;
    }
}

static void mark_open(struct wf_counted *k, uint32_t mark)
{
    for (uint32_t i = 0; i < k->depth; i++)
        if (k->open[i])
            k->open[i]->under_way = mark;
}

void wf_counted_tell(struct wf_counted *k, struct wf_lane *lane, uint32_t epoch, uint64_t virt, const struct wf_counted_to *to)
{
    bool ended = lane->probes.visits != k->fast || lane->ended != k->ended;
    if (__builtin_expect(lane->visit_count != k->count, 0))
        find_new(k, lane, epoch);
    find_open(k, lane);
    if (ended) {
        mark_open(k, 1);
        tell_ended(k, lane, to);
        mark_open(k, 0);
        k->fast = lane->probes.visits;
        k->ended = lane->ended;
    }
    tell_under_way(k, lane, (int64_t)virt, to);
    tell_all_nested(k, lane, lane->nestings != k->nestings, to);
    k->nestings = lane->nestings;
}

void wf_counted_pass(struct wf_counted *k, uint64_t ticks)
{
    for (uint32_t i = 0; i < k->depth; i++)
        if (k->open[i])
            k->open[i]->all += (int64_t)ticks;
}

void wf_counted_renew(struct wf_counted *k, uint32_t epoch)
{
    for (uint32_t i = 0; i < k->count; i++)
        k->visits[i].slot = slot_of(k->visits[i].visit, epoch);
}
