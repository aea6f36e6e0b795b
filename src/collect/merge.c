/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/merge.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collect/array.h"

#define NO_EVENT UINT32_MAX

void wf_merge_fini(struct wf_merge *merge)
{
    free(merge->events);
    free(merge->coms);
    free(merge->event_of_entry);
    free(merge->event_of_site);
    *merge = (struct wf_merge){0};
}

static int reserve(struct wf_merge *merge, const struct wf_segment_reader *reader,
                   const struct wf_sites *sites)
{
    size_t site_count = reader->counts[WF_CHUNK_SITE], com_count = reader->counts[WF_CHUNK_COM];
    void *events = wf_array_reserve(merge->events, &merge->event_capacity, site_count, sizeof *merge->events);
    if (events)
        merge->events = events;
    void *coms = wf_array_reserve(merge->coms, &merge->com_capacity, com_count, sizeof *merge->coms);
    if (coms)
        merge->coms = coms;
    void *of_site = wf_array_reserve(merge->event_of_site, &merge->site_capacity, site_count,
                                     sizeof *merge->event_of_site);
    if (of_site)
        merge->event_of_site = of_site;
    void *of_entry = wf_array_reserve(merge->event_of_entry, &merge->entry_capacity, wf_sites_count(sites),
                                      sizeof *merge->event_of_entry);
    if (of_entry)
        merge->event_of_entry = of_entry;
    return events && coms && of_site && of_entry ? 0 : -1;
}

/* ---- statements ---- */

static uint32_t find_event(struct wf_merge *merge, uint32_t entry)
{
    uint32_t *event = &merge->event_of_entry[entry];
    if (*event == 0) {
        merge->events[merge->event_count] = (struct wf_merged_event){.site = entry};
        *event = (uint32_t)++merge->event_count;
    }
    return *event - 1;
}

static void add_site(struct wf_merged_event *event, const struct wf_site_record *site)
{
    event->calls += site->calls;
    event->ticks_raw += site->ticks_raw;
    event->ticks_virtual += site->ticks_virtual;
    if (site->max_ticks > event->max_ticks)
        event->max_ticks = site->max_ticks;
}

static void merge_sites(struct wf_merge *merge, const struct wf_segment_reader *reader,
                        const struct wf_program *program, const struct wf_sites *sites)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_SITE);
    size_t number = 0;
    for (const struct wf_site_record *site; (site = wf_segment_records_next(&records)); number++) {
        /* Not known: its process still runs, and came here after the sites were looked up. */
        uint32_t key = wf_sites_find(sites, program, reader, site);
        merge->event_of_site[number] = NO_EVENT;
        if (key == WF_NO_SITE)
            continue;
        uint32_t event = find_event(merge, wf_sites_entry(sites, key));
        merge->event_of_site[number] = event;
        add_site(&merge->events[event], site);
    }
}

static int compare_events(const void *a, const void *b)
{
    const struct wf_merged_event *x = a, *y = b;
    return (x->site > y->site) - (x->site < y->site);
}

/* Sorts the events by site and renumbers what refers to them. */
static void sort_events(struct wf_merge *merge, size_t site_count)
{
    for (size_t i = 0; i < site_count; i++) /* meanwhile: by entry */
        if (merge->event_of_site[i] != NO_EVENT)
            merge->event_of_site[i] = merge->events[merge->event_of_site[i]].site;
    qsort(merge->events, merge->event_count, sizeof *merge->events, compare_events);
    for (size_t i = 0; i < merge->event_count; i++)
        merge->event_of_entry[merge->events[i].site] = (uint32_t)i;
    for (size_t i = 0; i < site_count; i++)
        if (merge->event_of_site[i] != NO_EVENT)
            merge->event_of_site[i] = merge->event_of_entry[merge->event_of_site[i]];
}

/* ---- partners ---- */

/* A partner that its own world does not have can only be damage: it must not look like a rank of the next
 * world. */
static int32_t checked_partner(int32_t partner, int32_t size)
{
    return partner < size ? partner : WF_PARTNER_OUTSIDE;
}

static void gather_coms(struct wf_merge *merge, const struct wf_segment_reader *reader)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_COM);
    int32_t size = wf_segment_reader_header(reader)->size;
    for (const struct wf_com_record *com; (com = wf_segment_records_next(&records));) {
        long site = wf_segment_reader_find(reader, WF_CHUNK_SITE, com->site);
        uint32_t event = site < 0 ? NO_EVENT : merge->event_of_site[site];
        if (event == NO_EVENT) {
            merge->dangling++;
            continue;
        }
        merge->coms[merge->com_count++] =
            (struct wf_merged_com){.event = event,
                                   .partner = checked_partner(com->partner, size),
                                   .num = com->num,
                                   .bytes = com->bytes,
                                   .trans_raw_ticks = com->trans_raw_ticks,
                                   .sync_raw_ticks = com->sync_raw_ticks,
                                   .trans_virtual_ticks = com->trans_virtual_ticks,
                                   .sync_virtual_ticks = com->sync_virtual_ticks};
    }
}

static int compare_coms(const void *a, const void *b)
{
    const struct wf_merged_com *x = a, *y = b;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return (x->partner > y->partner) - (x->partner < y->partner);
}

static void add_com(struct wf_merged_com *sum, const struct wf_merged_com *com)
{
    sum->num += com->num;
    sum->bytes += com->bytes;
    sum->trans_raw_ticks += com->trans_raw_ticks;
    sum->sync_raw_ticks += com->sync_raw_ticks;
    sum->trans_virtual_ticks += com->trans_virtual_ticks;
    sum->sync_virtual_ticks += com->sync_virtual_ticks;
}

static bool com_is_empty(const struct wf_merged_com *com)
{
    return !(com->num | com->bytes | com->trans_raw_ticks | com->sync_raw_ticks | com->trans_virtual_ticks |
             com->sync_virtual_ticks);
}

/* Adds up neighbours of one statement and partner; drops those where nothing happened. */
static void fold_coms(struct wf_merge *merge)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < merge->com_count; first = end) {
        struct wf_merged_com sum = merge->coms[first];
        for (end = first + 1; end < merge->com_count && compare_coms(&sum, &merge->coms[end]) == 0; end++)
            add_com(&sum, &merge->coms[end]);
        if (!com_is_empty(&sum))
            merge->coms[kept++] = sum;
    }
    merge->com_count = kept;
}

/* ---- both ---- */

static bool event_is_empty(const struct wf_merged_event *event)
{
    return !(event->calls | event->ticks_raw | event->ticks_virtual | event->max_ticks | event->com_count);
}

/* Tells each event which coms are its own; drops those where nothing happened. */
static void fold_events(struct wf_merge *merge)
{
    size_t kept = 0, com = 0;
    for (size_t i = 0; i < merge->event_count; i++) {
        struct wf_merged_event event = merge->events[i];
        for (event.first_com = com; com < merge->com_count && merge->coms[com].event == i;)
            com++;
        event.com_count = com - event.first_com;
        if (!event_is_empty(&event))
            merge->events[kept++] = event;
    }
    merge->event_count = kept;
}

int wf_merge_segment(struct wf_merge *merge, const struct wf_segment_reader *reader,
                     const struct wf_program *program, const struct wf_sites *sites)
{
    merge->event_count = merge->com_count = merge->dangling = 0;
    if (reserve(merge, reader, sites) != 0)
        return -1;
    memset(merge->event_of_entry, 0, wf_sites_count(sites) * sizeof *merge->event_of_entry);
    merge_sites(merge, reader, program, sites);
    sort_events(merge, reader->counts[WF_CHUNK_SITE]);
    gather_coms(merge, reader);
    qsort(merge->coms, merge->com_count, sizeof *merge->coms, compare_coms);
    fold_coms(merge);
    fold_events(merge);
    return 0;
}
