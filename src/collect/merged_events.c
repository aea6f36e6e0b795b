/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/merged_events.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NO_EVENT UINT32_MAX

void wf_merged_events_fini(struct wf_merged_events *merged)
{
    free(merged->events);
    free(merged->coms);
    free(merged->event_of_entry);
    free(merged->event_of_site);
    *merged = (struct wf_merged_events){0};
}

static int merged_events_reserve(struct wf_merged_events *merged, const struct wf_segment_reader *reader,
                                 const struct wf_sites *sites)
{
    size_t site_count = reader->counts[WF_CHUNK_SITE], com_count = reader->counts[WF_CHUNK_COM];
    return WF_ARRAY_RESERVE(merged->events, merged->event_capacity, site_count) == 0 &&
                   WF_ARRAY_RESERVE(merged->coms, merged->com_capacity, com_count) == 0 &&
                   WF_ARRAY_RESERVE(merged->event_of_site, merged->site_capacity, site_count) == 0 &&
                   WF_ARRAY_RESERVE(merged->event_of_entry, merged->entry_capacity, wf_sites_count(sites)) == 0
               ? 0
               : -1;
}

/* ---- statements ---- */

static uint32_t merged_events_find(struct wf_merged_events *merged, uint32_t entry)
{
    uint32_t *event = &merged->event_of_entry[entry];
    if (*event == 0) {
        merged->events[merged->event_count] = (struct wf_merged_event){.site = entry};
        *event = (uint32_t)++merged->event_count;
    }
    return *event - 1;
}

static void merged_event_add_site(struct wf_merged_event *event, const struct wf_site_record *site)
{
    event->calls += site->calls;
    event->ticks_raw += site->ticks_raw;
    event->ticks_virtual += site->ticks_virtual;
    wf_idle_ticks_add(&event->idle, &site->idle);
    if (site->max_ticks > event->max_ticks)
        event->max_ticks = site->max_ticks;
}

static void merged_events_gather_sites(struct wf_merged_events *merged, const struct wf_segment_reader *reader,
                                       const struct wf_collected_program *program, const struct wf_sites *sites)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_SITE);
    size_t number = 0;
    for (const struct wf_site_record *site; (site = wf_segment_records_next(&records)); number++) {
        /* A site may be unknown where its process still runs and came here after the sites were looked up. */
        uint32_t key = wf_sites_find(sites, program, reader, site);
        merged->event_of_site[number] = NO_EVENT;
        if (key == WF_NO_SITE)
            continue;
        uint32_t event = merged_events_find(merged, wf_sites_entry(sites, key));
        merged->event_of_site[number] = event;
        merged_event_add_site(&merged->events[event], site);
    }
}

static int merged_event_compare(const void *a, const void *b)
{
    const struct wf_merged_event *x = a, *y = b;
    return (x->site > y->site) - (x->site < y->site);
}

/* Sorts the events by site and renumbers what refers to them. */
static void merged_events_sort(struct wf_merged_events *merged, size_t site_count)
{
    for (size_t i = 0; i < site_count; i++) /* for the time of sorting, they hold the entry */
        if (merged->event_of_site[i] != NO_EVENT)
            merged->event_of_site[i] = merged->events[merged->event_of_site[i]].site;
    qsort(merged->events, merged->event_count, sizeof *merged->events, merged_event_compare);
    for (size_t i = 0; i < merged->event_count; i++)
        merged->event_of_entry[merged->events[i].site] = (uint32_t)i;
    for (size_t i = 0; i < site_count; i++)
        if (merged->event_of_site[i] != NO_EVENT)
            merged->event_of_site[i] = merged->event_of_entry[merged->event_of_site[i]];
}

/* ---- partners ---- */

/* A partner that its own world does not have comes from damage: it must not look like a rank of the next world. */
static int32_t merged_com_checked_partner(int32_t partner, int32_t size)
{
    return partner < size ? partner : WF_PARTNER_OUTSIDE;
}

static void merged_events_gather_coms(struct wf_merged_events *merged, const struct wf_segment_reader *reader)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_COM);
    int32_t size = wf_segment_reader_header(reader)->size;
    for (const struct wf_com_record *com; (com = wf_segment_records_next(&records));) {
        long site = wf_segment_reader_find(reader, WF_CHUNK_SITE, com->site);
        uint32_t event = site < 0 ? NO_EVENT : merged->event_of_site[site];
        if (event == NO_EVENT) {
            merged->dangling++;
            continue;
        }
        merged->coms[merged->com_count++] =
            (struct wf_merged_com){.event = event,
                                   .partner = merged_com_checked_partner(com->partner, size),
                                   .num = com->num,
                                   .bytes = com->bytes,
                                   .trans_raw_ticks = com->trans_raw_ticks,
                                   .sync_raw_ticks = com->sync_raw_ticks,
                                   .trans_virtual_ticks = com->trans_virtual_ticks,
                                   .sync_virtual_ticks = com->sync_virtual_ticks};
    }
}

static int merged_com_compare(const void *a, const void *b)
{
    const struct wf_merged_com *x = a, *y = b;
    if (x->event != y->event)
        return x->event < y->event ? -1 : 1;
    return (x->partner > y->partner) - (x->partner < y->partner);
}

static void merged_com_add(struct wf_merged_com *sum, const struct wf_merged_com *com)
{
    sum->num += com->num;
    sum->bytes += com->bytes;
    sum->trans_raw_ticks += com->trans_raw_ticks;
    sum->sync_raw_ticks += com->sync_raw_ticks;
    sum->trans_virtual_ticks += com->trans_virtual_ticks;
    sum->sync_virtual_ticks += com->sync_virtual_ticks;
}

static bool merged_com_is_empty(const struct wf_merged_com *com)
{
    return !(com->num | com->bytes | com->trans_raw_ticks | com->sync_raw_ticks | com->trans_virtual_ticks |
             com->sync_virtual_ticks);
}

/* Adds up neighbours of one statement and partner; drops those that are empty. */
static void merged_events_fold_coms(struct wf_merged_events *merged)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < merged->com_count; first = end) {
        struct wf_merged_com sum = merged->coms[first];
        for (end = first + 1; end < merged->com_count && merged_com_compare(&sum, &merged->coms[end]) == 0; end++)
            merged_com_add(&sum, &merged->coms[end]);
        if (!merged_com_is_empty(&sum))
            merged->coms[kept++] = sum;
    }
    merged->com_count = kept;
}

/* ---- both ---- */

static bool merged_event_is_empty(const struct wf_merged_event *event)
{
    return !(event->calls | event->ticks_raw | event->ticks_virtual | event->max_ticks | event->com_count);
}

/* Tells each event which coms are its own; drops events that are empty. */
static void merged_events_fold(struct wf_merged_events *merged)
{
    size_t kept = 0, com = 0;
    for (size_t i = 0; i < merged->event_count; i++) {
        struct wf_merged_event event = merged->events[i];
        for (event.first_com = com; com < merged->com_count && merged->coms[com].event == i;)
            com++;
        event.com_count = com - event.first_com;
        if (!merged_event_is_empty(&event))
            merged->events[kept++] = event;
    }
    merged->event_count = kept;
}

int wf_merged_events_read(struct wf_merged_events *merged, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program, const struct wf_sites *sites)
{
    merged->event_count = merged->com_count = merged->dangling = 0;
    if (merged_events_reserve(merged, reader, sites) != 0)
        return -1;
    memset(merged->event_of_entry, 0, wf_sites_count(sites) * sizeof *merged->event_of_entry);
    merged_events_gather_sites(merged, reader, program, sites);
    merged_events_sort(merged, reader->counts[WF_CHUNK_SITE]);
    merged_events_gather_coms(merged, reader);
    qsort(merged->coms, merged->com_count, sizeof *merged->coms, merged_com_compare);
    merged_events_fold_coms(merged);
    merged_events_fold(merged);
    return 0;
}
