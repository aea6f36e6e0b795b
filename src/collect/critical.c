/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/critical.h"

#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/array.h"

static_assert(sizeof(struct wf_critical_slot) == 16, "keys are compared as bytes");

void wf_critical_fini(struct wf_critical *c)
{
    for (size_t i = 0; i < c->host_names.count; i++) {
        free(c->hosts[i].path);
        free(c->hosts[i].keys);
    }
    free(c->hosts);
    free(c->site_ns);
    free(c->region_ns);
    free(c->path);
    free(c->rows);
    free(c->members);
    wf_path_sampler_fini(&c->sampler);
    wf_intern_fini(&c->host_names);
    wf_intern_fini(&c->slots);
    *c = (struct wf_critical){0};
}

/* ---- samples ---- */

/* A newer epoch: what was known of the last one is of no use. */
static void begin_epoch(struct wf_critical *c, uint32_t epoch)
{
    for (size_t i = 0; i < c->host_names.count; i++) {
        free(c->hosts[i].path);
        c->hosts[i].path = NULL;
    }
    wf_intern_fini(&c->slots);
    c->epoch = epoch;
    c->weight = (enum wf_path_weight_of)c->sampler.record.weight;
    c->stopped = false;
    c->first_ns = INT64_MAX;
    c->last_ns = c->longest_ns = INT64_MIN;
}

static struct wf_path *new_path(uint32_t capacity, uint32_t places, uint32_t epoch)
{
    struct wf_path *path = malloc(wf_path_bytes(capacity, places));
    if (path) {
        wf_path_init(path, capacity, places, WF_PATH_NOWHERE);
        wf_path_start(path, epoch, 0);
    }
    return path;
}

/* With room for at least so much, and what it held. */
static int make_room(struct wf_path **path, const struct wf_path_snapshot *s)
{
    struct wf_path *old = *path;
    if (old && s->slots <= old->capacity && s->places <= old->places)
        return 0;
    uint32_t capacity = old && old->capacity > s->slots ? old->capacity : s->slots,
             places = old && old->places > s->places ? old->places : s->places;
    struct wf_path *larger = new_path(capacity, places, s->epoch);
    struct wf_path_snapshot *held =
        old ? malloc(wf_path_snapshot_bytes(old->capacity, old->places)) : NULL;
    if (!larger || (old && !held)) {
        free(larger);
        free(held);
        return -1;
    }
    if (old) {
        wf_path_snapshot(old, held);
        wf_path_part(larger, held, 0);
    }
    free(held);
    free(old);
    *path = larger;
    return 0;
}

/* The host's number; WF_INTERN_NONE without memory. */
static uint32_t add_host(struct wf_critical *c, const char *name)
{
    void *hosts = wf_array_reserve(c->hosts, &c->host_capacity, c->host_names.count + 1, sizeof *c->hosts);
    if (!hosts)
        return WF_INTERN_NONE;
    c->hosts = hosts;
    size_t before = c->host_names.count;
    uint32_t host = wf_intern_add_text(&c->host_names, name);
    if (host == before)
        c->hosts[host] = (struct wf_critical_host){0};
    return host;
}

/* Nobody starts at the same moment: not whoever is in a call while it hears of it. */
static void add_moments(struct wf_critical *c, const struct wf_rank *rank)
{
    const struct wf_path_record *record = &c->sampler.record;
    int64_t start = wf_rank_virtual_moment_ns(rank, record->start_virtual), length = c->sampler.snapshot->length;
    c->first_ns = start < c->first_ns ? start : c->first_ns;
    c->last_ns = start > c->last_ns ? start : c->last_ns;
    if (length <= c->longest_ns)
        return;
    c->longest_ns = length;
    c->end_ns = wf_rank_virtual_moment_ns(rank, c->sampler.stopped ? record->stop_virtual
                                                                   : (uint64_t)c->sampler.state->since);
}

static int add_sample(struct wf_critical *c, const struct wf_rank *rank, uint32_t host)
{
    const struct wf_path_snapshot *s = c->sampler.snapshot;
    if (s->epoch < c->epoch)
        return 0;
    if (s->epoch > c->epoch)
        begin_epoch(c, s->epoch);
    if (make_room(&c->hosts[host].path, s) != 0)
        return -1;
    wf_path_part(c->hosts[host].path, s, 0);
    add_moments(c, rank);
    c->stopped = c->stopped || c->sampler.stopped;
    return 0;
}

/* Those behind the state, as far as they are in the file. The processes of a host have the same ones; some have more. */
static int add_keys(struct wf_critical_host *host, const struct wf_segment_reader *reader, const struct wf_path_record *record)
{
    const unsigned char *keys = (const unsigned char *)(record + 1) + ((size_t)record->state_bytes + 7) / 8 * 8;
    size_t count = record->key_count;
    if (count <= host->key_count || keys + count * sizeof *host->keys > reader->bytes + reader->used_bytes)
        return 0;
    uint64_t *more = wf_array_reserve(host->keys, &host->key_capacity, count, sizeof *more);
    if (!more)
        return -1;
    memcpy(more, keys, count * sizeof *more);
    host->keys = more;
    host->key_count = count;
    return 0;
}

static int take_sample(struct wf_critical *c, const struct wf_segment_reader *reader,
                       const struct wf_rank *rank, uint32_t host, const struct wf_path_record *record,
                       uint32_t lane, int fd)
{
    switch (wf_path_sampler_take(&c->sampler, reader, rank, record, lane, fd)) {
    case WF_SAMPLE_TAKEN:
        c->parts += c->sampler.record.parts;
        c->lost += c->sampler.record.lost;
        return add_keys(&c->hosts[host], reader, record) == 0 ? add_sample(c, rank, host) : -1;
    case WF_SAMPLE_TORN:
        if (c->torn++ == 0)
            c->torn_rank = rank->rank;
        return 0;
    case WF_SAMPLE_DAMAGED:
        c->dangling++;
        return 0;
    case WF_SAMPLE_NO_MEMORY:
        return -1;
    default:
        return 0;
    }
}

/* ---- who has which slot ---- */

static int add_slot(struct wf_critical *c, uint32_t host, uint32_t epoch, uint32_t slot,
                    enum wf_critical_kind kind, uint32_t entry)
{
    struct wf_critical_slot key = {host, slot, kind, entry};
    if (epoch != c->epoch || slot < WF_PATH_FIRST || slot >= WF_PATH_NOWHERE)
        return 0;
    return wf_intern_add(&c->slots, &key, sizeof key) == WF_INTERN_NONE ? -1 : 0;
}

static int add_sites(struct wf_critical *c, const struct wf_segment_reader *reader, uint32_t host,
                     const struct wf_program *program, const struct wf_sites *sites)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_SITE);
    for (const struct wf_site_record *site; (site = wf_segment_records_next(&records));) {
        uint32_t number =
            site->path_epoch == c->epoch ? wf_sites_find(sites, program, reader, site) : WF_NO_SITE;
        if (number == WF_NO_SITE)
            continue;
        uint32_t entry = wf_sites_entry(sites, number);
        if (add_slot(c, host, site->path_epoch, site->path_slot, WF_CRITICAL_STATEMENT, entry) != 0 ||
            add_slot(c, host, site->path_epoch, site->path_stretch, WF_CRITICAL_STRETCH, entry) != 0)
            return -1;
    }
    return 0;
}

static int add_regions(struct wf_critical *c, const struct wf_segment_reader *reader, uint32_t host,
                       const struct wf_regions *regions, const struct wf_visits *visits)
{
    static const enum wf_critical_kind kinds[] = {[WF_REGION_PROCEDURE] = WF_CRITICAL_PROCEDURE,
                                                  [WF_REGION_LOOP] = WF_CRITICAL_LOOP,
                                                  [WF_REGION_USER] = WF_CRITICAL_REGION,
                                                  [WF_REGION_PHASE] = WF_CRITICAL_REGION};
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_REGION);
    size_t i = 0;
    for (const struct wf_region_record *region; (region = wf_segment_records_next(&records)); i++) {
        uint32_t entry = visits->numbers[i].entry;
        if (entry == WF_NO_REGION || regions->entries[entry].kind == WF_REGION_COUNTER)
            continue;
        if (add_slot(c, host, region->path_epoch, region->path_slot, kinds[regions->entries[entry].kind],
                     entry) != 0)
            return -1;
    }
    return 0;
}

/* ---- own times ---- */

static void add_ns(int64_t *sum, int64_t ns)
{
    if (*sum < WF_TIME_LIMIT_NS)
        *sum += ns;
}

static int add_times(struct wf_critical *c, const struct wf_rank *rank, const struct wf_sites *sites,
                     const struct wf_regions *regions, const struct wf_merge *merge,
                     const struct wf_visits *visits)
{
    if (!c->site_ns)
        c->site_ns = calloc(wf_sites_count(sites) + 1, sizeof *c->site_ns);
    if (!c->region_ns)
        c->region_ns = calloc(wf_regions_count(regions) + 1, sizeof *c->region_ns);
    if (!c->site_ns || !c->region_ns)
        return -1;
    for (size_t i = 0; i < merge->event_count; i++)
        add_ns(&c->site_ns[merge->events[i].site],
               wf_rank_virtual_ns(rank, merge->events[i].ticks_virtual, merge->events[i].ticks_raw));
    for (size_t i = 0; i < visits->event_count; i++)
        add_ns(
            &c->region_ns[visits->events[i].entry],
            wf_rank_virtual_ns(rank, visits->events[i].sums.self_virtual, visits->events[i].sums.self_raw));
    return 0;
}

/* ---- one segment ---- */

int wf_critical_add(struct wf_critical *c, const struct wf_segment_reader *reader, const struct wf_rank *rank,
                    const char *file, const struct wf_program *program, const struct wf_sites *sites,
                    const struct wf_regions *regions, const struct wf_merge *merge,
                    const struct wf_visits *visits)
{
    c->dangling = 0;
    if (rank->world != 0 || reader->counts[WF_CHUNK_PATH] == 0)
        return 0;
    uint32_t host = add_host(c, rank->header->host);
    if (host == WF_INTERN_NONE)
        return -1;
    int fd = rank->ending == WF_ENDING_RUNNING ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1,
        result = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_PATH);
    for (const struct wf_path_record *record; result == 0 && (record = wf_segment_records_next(&records));)
        result = take_sample(c, reader, rank, host, record, records.lane, fd);
    if (fd >= 0)
        close(fd);
    if (result != 0 || c->epoch == 0)
        return result;
    if (add_sites(c, reader, host, program, sites) != 0 || add_regions(c, reader, host, regions, visits) != 0)
        return -1;
    return add_times(c, rank, sites, regions, merge, visits);
}

int64_t wf_critical_length_ns(const struct wf_critical *c)
{
    return c->path ? c->path->length : 0;
}

/* A path of elapsed time is as long as the time that it took, but for pauses. */
int64_t wf_critical_begin_ns(const struct wf_critical *c)
{
    int64_t begin = c->end_ns - c->longest_ns;
    if (c->weight == WF_PATH_CPU || begin < c->first_ns)
        return c->first_ns;
    return begin > c->last_ns ? c->last_ns : begin;
}

/* ---- notes ---- */

static void note_lost(const struct wf_critical *c, struct wf_notes *notes)
{
    double lost = (double)c->lost, all = lost + (double)c->parts;
    if (lost > 0.01 * all)
        wf_notes_add(notes,
                     "For %s of %s messages and collectives (%s of them), nothing is known of the path that led "
                     "to the other side: the critical path may be longer than shown.",
                     wf_phrase_count(c->lost).text, wf_phrase_count(c->lost + c->parts).text,
                     wf_phrase_percent(lost, all).text);
}

static void note_torn(const struct wf_critical *c, struct wf_notes *notes)
{
    if (c->torn)
        wf_notes_add(notes,
                     "The critical path is without %zu thread%s%s of rank %lld: its state was being written "
                     "whenever it was read.",
                     c->torn, c->torn == 1 ? "" : "s", c->torn == 1 ? "" : ", the first",
                     (long long)c->torn_rank);
}

/* A hundredth of the run is what processes take to begin. */
static void note_part(const struct wf_critical *c, struct wf_notes *notes, int64_t from_ns, int64_t wall_ns)
{
    bool ends_early = c->stopped && from_ns + wf_critical_length_ns(c) < wall_ns - wall_ns / 100;
    if (c->row_count == 0 || (from_ns <= wall_ns / 100 && !ends_early))
        return;
    struct wf_phrase length = wf_phrase_time(wf_critical_length_ns(c)), from = wf_phrase_time(from_ns);
    if (from_ns == 0)
        wf_notes_add(notes, "The critical path covers only %s of the run, starting at its beginning.", length.text);
    else
        wf_notes_add(notes, "The critical path covers only %s of the run, starting %s after its beginning.", length.text, from.text);
}

static void note_buckets(const struct wf_critical *c, struct wf_notes *notes)
{
    size_t buckets = 0, regions = 0;
    for (size_t i = 0; i < c->row_count; i++)
        if (c->rows[i].kind == WF_CRITICAL_BUCKET && c->rows[i].regions > 1 &&
            wf_path_shares(c->path)[i] > 0) {
            buckets++;
            regions += c->rows[i].regions;
        }
    if (buckets)
        wf_notes_add(notes,
                     "On the critical path, %zu regions are shown in %zu group%s, because there are more than "
                     "could be tracked one by one: weft run --path-regions tracks more, --path-select chooses.",
                     regions, buckets, buckets == 1 ? "" : "s");
}

void wf_critical_note(const struct wf_critical *c, struct wf_notes *notes, int64_t from_ns, int64_t wall_ns)
{
    note_lost(c, notes);
    note_torn(c, notes);
    note_part(c, notes, from_ns, wall_ns);
    note_buckets(c, notes);
}
