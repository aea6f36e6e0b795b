/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/merged_waits.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/bisection.h"

static const char *const kinds[] = {
    [WF_WAIT_LATE_SENDER] = WEFT_WAIT_LATE_SENDER,
    [WF_WAIT_WRONG_ORDER] = WEFT_WAIT_WRONG_ORDER,
    [WF_WAIT_LATE_RECEIVER] = WEFT_WAIT_LATE_RECEIVER,
    [WF_WAIT_BARRIER] = WEFT_WAIT_BARRIER,
    [WF_WAIT_ALL_TO_ALL] = WEFT_WAIT_ALL_TO_ALL,
    [WF_WAIT_LATE_BROADCAST] = WEFT_WAIT_LATE_BROADCAST,
    [WF_WAIT_EARLY_REDUCE] = WEFT_WAIT_EARLY_REDUCE,
    [WF_WAIT_SCAN] = WEFT_WAIT_SCAN,
    [WF_WAIT_NEIGHBOUR] = WEFT_WAIT_NEIGHBOUR,
    [WF_WAIT_WINDOW] = WEFT_WAIT_WINDOW,
    [WF_WAIT_LATE_POST] = WEFT_WAIT_LATE_POST,
    [WF_WAIT_LATE_COMPLETE] = WEFT_WAIT_LATE_COMPLETE,
    [WF_WAIT_LOCK] = WEFT_WAIT_LOCK,
    [WF_WAIT_FILE] = WEFT_WAIT_FILE,
};

const char *wf_wait_kind_name(uint32_t kind)
{
    return kind < sizeof kinds / sizeof *kinds ? kinds[kind] : NULL;
}

void wf_merged_waits_fini(struct wf_merged_waits *waits)
{
    free(waits->items);
    *waits = (struct wf_merged_waits){0};
}

struct wait_gathering {
    struct wf_merged_waits *waits;
    const struct wf_segment_reader *reader;
    const struct wf_collected_ranks *ranks;
    const struct wf_world *world;
    const struct wf_collected_program *program;
    const struct wf_sites *sites;
};

/* NULL: it was not watched. */
static const struct wf_collected_rank *merged_waits_find_rank(const struct wf_collected_ranks *ranks, int64_t number)
{
    struct wf_bisection b = {.high = ranks->count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, ranks->items[b.middle].rank < number);
    return b.low < ranks->count && ranks->items[b.low].rank == number ? &ranks->items[b.low] : NULL;
}

static uint32_t merged_waits_find_culprit_site(const struct wait_gathering *g, int64_t culprit, uint64_t address)
{
    const struct wf_collected_rank *rank = address ? merged_waits_find_rank(g->ranks, culprit) : NULL;
    return rank ? wf_sites_at(g->sites, wf_address_space_find(&rank->space, g->program, address)) : WF_NO_SITE;
}

static void merged_waits_gather(const struct wait_gathering *g, const struct wf_wait_record *wait)
{
    const struct wf_site_record *record = wf_segment_reader_site(g->reader, wait->site);
    uint32_t site = record ? wf_sites_find(g->sites, g->program, g->reader, record) : WF_NO_SITE;
    if (site == WF_NO_SITE || (wait->kind != WF_WAIT_ROOT && !wf_wait_kind_name(wait->kind))) {
        g->waits->dangling++;
        return;
    }
    bool inside = wait->culprit >= 0 && wait->culprit < g->world->size;
    int64_t culprit = inside                             ? g->world->first + wait->culprit
                      : wait->culprit == WF_PARTNER_NONE ? WF_PARTNER_NONE
                                                         : WF_PARTNER_OUTSIDE;
    g->waits->items[g->waits->count++] =
        (struct wf_merged_wait){.site = wf_sites_entry(g->sites, site),
                                .kind = wait->kind,
                                .culprit = culprit,
                                .culprit_site = merged_waits_find_culprit_site(g, culprit, wait->address),
                                .num = wait->num,
                                .raw_ticks = wait->raw_ticks,
                                .virtual_ticks = wait->virtual_ticks,
                                .max_virtual_ticks = wait->max_virtual_ticks,
                                .passed_ticks = wait->passed_ticks};
}

static int merged_wait_compare(const void *a, const void *b)
{
    const struct wf_merged_wait *x = a, *y = b;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->culprit != y->culprit)
        return x->culprit < y->culprit ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->culprit_site > y->culprit_site) - (x->culprit_site < y->culprit_site);
}

static void merged_waits_fold(struct wf_merged_waits *waits)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < waits->count; first = end) {
        struct wf_merged_wait sum = waits->items[first];
        for (end = first + 1; end < waits->count && merged_wait_compare(&sum, &waits->items[end]) == 0; end++) {
            const struct wf_merged_wait *more = &waits->items[end];
            sum.num += more->num;
            sum.raw_ticks += more->raw_ticks;
            sum.virtual_ticks += more->virtual_ticks;
            sum.passed_ticks += more->passed_ticks;
            if (more->max_virtual_ticks > sum.max_virtual_ticks)
                sum.max_virtual_ticks = more->max_virtual_ticks;
        }
        if (sum.num | sum.raw_ticks | sum.virtual_ticks)
            waits->items[kept++] = sum;
    }
    waits->count = kept;
}

int wf_merged_waits_read(struct wf_merged_waits *waits, const struct wf_segment_reader *reader,
                         const struct wf_collected_ranks *ranks, const struct wf_world *world,
                         const struct wf_collected_program *program, const struct wf_sites *sites)
{
    if (WF_ARRAY_RESERVE(waits->items, waits->capacity, reader->counts[WF_CHUNK_WAIT]) != 0)
        return -1;
    waits->count = waits->dangling = 0;
    struct wait_gathering g = {waits, reader, ranks, world, program, sites};
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_WAIT);
    for (const struct wf_wait_record *wait; (wait = wf_segment_records_next(&records));)
        merged_waits_gather(&g, wait);
    if (waits->count)
        qsort(waits->items, waits->count, sizeof *waits->items, merged_wait_compare);
    merged_waits_fold(waits);
    return 0;
}
