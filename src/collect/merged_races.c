/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/merged_races.h"

#include <stdlib.h>

#include "base/array.h"

void wf_merged_races_fini(struct wf_merged_races *races)
{
    free(races->items);
    *races = (struct wf_merged_races){0};
}

static int64_t merged_race_rank(const struct wf_world *world, int32_t rank)
{
    return rank >= 0 && rank < world->size ? world->first + rank : WF_PARTNER_NONE;
}

static int merged_race_compare(const void *a, const void *b)
{
    const struct wf_merged_race *x = a, *y = b;
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->took != y->took)
        return x->took < y->took ? -1 : 1;
    return (x->other > y->other) - (x->other < y->other);
}

static void merged_races_fold(struct wf_merged_races *races)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < races->count; first = end) {
        struct wf_merged_race sum = races->items[first];
        for (end = first + 1; end < races->count && merged_race_compare(&sum, &races->items[end]) == 0; end++) {
            sum.num += races->items[end].num;
            sum.unknown += races->items[end].unknown;
        }
        if (sum.num | sum.unknown)
            races->items[kept++] = sum;
    }
    races->count = kept;
}

int wf_merged_races_read(struct wf_merged_races *races, const struct wf_segment_reader *reader,
                         const struct wf_world *world, const struct wf_collected_program *program,
                         const struct wf_sites *sites)
{
    if (WF_ARRAY_RESERVE(races->items, races->capacity, reader->counts[WF_CHUNK_RACE]) != 0)
        return -1;
    races->count = races->dangling = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_RACE);
    for (const struct wf_race_record *race; (race = wf_segment_records_next(&records));) {
        const struct wf_site_record *record = wf_segment_reader_site(reader, race->site);
        uint32_t site = record ? wf_sites_find(sites, program, reader, record) : WF_NO_SITE;
        if (site == WF_NO_SITE)
            races->dangling++;
        else
            races->items[races->count++] = (struct wf_merged_race){.site = wf_sites_entry(sites, site),
                                                                   .took = merged_race_rank(world, race->took),
                                                                   .other = merged_race_rank(world, race->other),
                                                                   .num = race->num,
                                                                   .unknown = race->unknown};
    }
    if (races->count)
        qsort(races->items, races->count, sizeof *races->items, merged_race_compare);
    merged_races_fold(races);
    return 0;
}
