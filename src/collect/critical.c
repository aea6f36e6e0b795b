/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/critical.h"

#include <assert.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "format/registry.h"

enum { ENOUGH = 4 }; /* savings of a region are known if it has had one such part of its share since it has a slot */

static_assert(sizeof(struct wf_critical_slot) == 16, "keys are compared as bytes");

void wf_critical_fini(struct wf_critical *c)
{
    for (size_t i = 0; i < c->host_names.count; i++) {
        free(c->hosts[i].path);
        free(c->hosts[i].keys);
        free(c->hosts[i].followed);
    }
    free(c->hosts);
    free(c->numbered);
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

/* Begins a newer epoch: samples of the last one are of no use. */
static void critical_begin_epoch(struct wf_critical *c, uint32_t epoch)
{
    for (size_t i = 0; i < c->host_names.count; i++) {
        free(c->hosts[i].path);
        c->hosts[i].path = NULL;
        c->hosts[i].map = 0;
    }
    c->epoch = epoch;
    c->weight = (enum wf_path_weight_of)c->sampler.record.weight;
    c->stopped = false;
    c->beginning_ns = 0;
    c->first_ns = INT64_MAX;
    c->last_ns = c->longest_ns = INT64_MIN;
}

static struct wf_path *critical_new_path(uint32_t capacity, uint32_t places, uint32_t epoch)
{
    struct wf_path *path = malloc(wf_path_bytes(capacity, places));
    if (path) {
        wf_path_init(path, capacity, places, WF_PATH_NOWHERE);
        wf_path_start(path, epoch, 0);
    }
    return path;
}

/* Makes room for as much as the snapshot holds, and keeps what is there. */
static int critical_make_room(struct wf_path **path, const struct wf_path_snapshot *s)
{
    struct wf_path *old = *path;
    if (old && s->slots <= old->capacity && s->places <= old->places)
        return 0;
    uint32_t capacity = old && old->capacity > s->slots ? old->capacity : s->slots,
             places = old && old->places > s->places ? old->places : s->places;
    struct wf_path *larger = critical_new_path(capacity, places, s->epoch);
    struct wf_path_snapshot *held = old ? malloc(wf_path_snapshot_bytes(old->capacity, old->places)) : NULL;
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
static uint32_t critical_add_host(struct wf_critical *c, const char *name)
{
    struct wf_critical_host host = {0};
    return wf_intern_add_item(&c->host_names, name, strlen(name), &c->hosts, &c->host_capacity, sizeof host, &host);
}

/* Threads do not start at the same moment: one that is in a call begins when it learns of the epoch. */
static void critical_add_moments(struct wf_critical *c, const struct wf_collected_rank *rank)
{
    const struct wf_path_record *record = &c->sampler.record;
    int64_t start = wf_collected_rank_virtual_moment_ns(rank, record->start_virtual),
            length = c->sampler.snapshot->length,
            beginning = record->weight == WF_PATH_CPU ? (int64_t)record->beginning
                                                      : wf_collected_rank_ticks_ns(rank, record->beginning);
    c->beginning_ns = beginning > c->beginning_ns && beginning < WF_PATH_LIMIT ? beginning : c->beginning_ns;
    c->first_ns = start < c->first_ns ? start : c->first_ns;
    c->last_ns = start > c->last_ns ? start : c->last_ns;
    if (length <= c->longest_ns)
        return;
    c->longest_ns = length;
    c->end_ns = wf_collected_rank_virtual_moment_ns(rank, c->sampler.stopped ? record->stop_virtual
                                                                             : (uint64_t)c->sampler.state->since);
}

/* ---- a slot for each region ---- */

static uint32_t critical_slot_of(uint32_t region)
{
    uint32_t number = region & ~WF_PATH_STATEMENT;
    return number && number <= WF_REGISTRY_REGIONS ? WF_PATH_FIRST + number - 1 : WF_PATH_OTHER;
}

static uint32_t critical_slot_in(struct wf_path *state, uint32_t slot)
{
    return slot < WF_PATH_FIRST ? slot : critical_slot_of(wf_path_regions(state)[slot]);
}

static uint32_t critical_slots_of(struct wf_path *state, struct wf_path_snapshot *s)
{
    uint32_t slots = WF_PATH_FIRST;
    for (uint32_t slot = 0; slot < s->slots; slot++)
        slots = critical_slot_in(state, slot) >= slots ? critical_slot_in(state, slot) + 1 : slots;
    for (uint32_t i = 0; i < s->listed; i++) {
        uint32_t slot = critical_slot_of(wf_path_snapshot_list(s)[i].region);
        slots = slot >= slots ? slot + 1 : slots;
    }
    return slots;
}

/* Slots of a damaged state may be one region. */
static void critical_sum(int64_t *sum, int64_t value, int64_t limit)
{
    if (__builtin_add_overflow(*sum, value, sum) || *sum > limit || *sum < -limit)
        *sum = value < 0 ? -limit : limit;
}

static void critical_number_row(struct wf_path_snapshot *to, int32_t to_row, struct wf_path_snapshot *from, int32_t row)
{
    critical_sum(&wf_path_snapshot_shares(to)[to_row], wf_path_snapshot_shares(from)[row], WF_PATH_LIMIT);
    for (int i = 0; i < WF_PATH_STEPS; i++)
        critical_sum(&wf_path_snapshot_savings(to)[to_row * WF_PATH_STEPS + i],
                     wf_path_snapshot_savings(from)[row * WF_PATH_STEPS + i], WF_PATH_STEPS * WF_PATH_LIMIT);
}

/* All inside a region that got its slot late is known since then: the whole is taken to be `times` as much. No region
 * has more than the whole path inside, and none saves more than it has. */
static void critical_number_inside(struct wf_path_snapshot *to, uint32_t slot, double times)
{
    int32_t row = wf_path_row(slot, WF_PATH_ALL);
    int64_t *share = &wf_path_snapshot_shares(to)[row], *saved = &wf_path_snapshot_savings(to)[row * WF_PATH_STEPS];
    if (*share <= 0 || *share >= to->length)
        return;
    times = fmin(times, (double)to->length / (double)*share);
    *share = (int64_t)((double)*share * times);
    for (int step = 0; step < WF_PATH_STEPS; step++)
        saved[step] = (int64_t)((double)saved[step] * times);
}

/* What is in the list is a region's own, and not the rest's. If it had a slot later, it is taken to have saved as much
 * of it as of what it has had since. */
static void critical_number_list(struct wf_path_snapshot *to, struct wf_path_snapshot *from)
{
    int64_t *shares = wf_path_snapshot_shares(to);
    for (uint32_t i = 0; i < from->listed; i++) {
        const struct wf_path_listed *e = &wf_path_snapshot_list(from)[i];
        uint32_t slot = critical_slot_of(e->region);
        int64_t since = shares[slot], *saved = wf_path_snapshot_savings(to) + (size_t)slot * WF_PATH_STEPS;
        critical_sum(&shares[e->region & WF_PATH_STATEMENT ? WF_PATH_TRANSFER : WF_PATH_OTHER], -e->share,
                     WF_PATH_LIMIT);
        critical_sum(&shares[slot], e->share, WF_PATH_LIMIT);
        if (slot < WF_PATH_FIRST || since <= 0 || e->share <= 0)
            continue;
        for (int step = 0; step < WF_PATH_STEPS; step++)
            critical_sum(&saved[step], (int64_t)((double)saved[step] * (double)e->share / (double)since),
                         WF_PATH_STEPS * WF_PATH_LIMIT);
        critical_number_inside(to, slot, 1 + (double)e->share / (double)since);
    }
}

/* Has it had enough of its share in its slot? */
static bool critical_is_known(struct wf_path_snapshot *numbered, struct wf_path_snapshot *s, uint32_t slot,
                              uint32_t into)
{
    int64_t since = slot < s->slots ? wf_path_snapshot_shares(s)[slot] : 0,
            all = into < numbered->slots ? wf_path_snapshot_shares(numbered)[into] : 0;
    return all <= 0 || since >= all / ENOUGH;
}

static int critical_number(struct wf_critical *c)
{
    struct wf_path *state = c->sampler.state;
    struct wf_path_snapshot *from = c->sampler.snapshot;
    uint32_t slots = critical_slots_of(state, from);
    if (wf_array_reserve(&c->numbered, &c->numbered_capacity, wf_path_snapshot_bytes(slots, from->places), 1) != 0)
        return -1;
    struct wf_path_snapshot *to = c->numbered;
    *to = (struct wf_path_snapshot){.epoch = from->epoch,
                                    .map = 1,
                                    .slots = (uint16_t)slots,
                                    .all_slots = (uint16_t)slots,
                                    .place = from->place,
                                    .length = from->length};
    wf_path_snapshot_shape(to, slots, slots, from->places, 0);
    memset(to->values, 0, to->bytes - sizeof *to);
    memcpy(wf_path_snapshot_places(to), wf_path_snapshot_places(from), sizeof(int64_t) * 2 * from->places);
    for (uint32_t slot = 0; slot < from->slots; slot++) {
        uint32_t into = critical_slot_in(state, slot);
        critical_number_row(to, wf_path_row(into, WF_PATH_OWN), from, wf_path_row(slot, WF_PATH_OWN));
        if (slot < from->all_slots)
            critical_number_row(to, wf_path_row(into, WF_PATH_ALL), from, wf_path_row(slot, WF_PATH_ALL));
    }
    critical_number_list(to, from);
    c->some_listed = c->some_listed || from->listed;
    return 0;
}

static int critical_note_followed(struct wf_critical *c, struct wf_critical_host *host)
{
    struct wf_path *state = c->sampler.state;
    if (state->map < host->map || (state->map == host->map && c->numbered->length <= host->length))
        return 0;
    uint32_t slots = WF_PATH_FIRST;
    for (uint32_t slot = WF_PATH_FIRST; slot < state->capacity; slot++)
        slots = critical_slot_in(state, slot) >= slots ? critical_slot_in(state, slot) + 1 : slots;
    if (WF_ARRAY_RESERVE(host->followed, host->followed_capacity, slots) != 0)
        return -1;
    memset(host->followed, 0, slots * sizeof *host->followed);
    for (uint32_t slot = WF_PATH_FIRST; slot < state->capacity; slot++) {
        uint32_t into = critical_slot_in(state, slot);
        host->followed[into] = critical_is_known(c->numbered, c->sampler.snapshot, slot, into);
    }
    host->followed_count = slots;
    host->length = c->numbered->length;
    host->map = state->map;
    return 0;
}

static int critical_add_sample(struct wf_critical *c, const struct wf_collected_rank *rank, uint32_t host)
{
    if (c->sampler.snapshot->epoch < c->epoch)
        return 0;
    if (c->sampler.snapshot->epoch > c->epoch)
        critical_begin_epoch(c, c->sampler.snapshot->epoch);
    if (critical_number(c) != 0 || critical_note_followed(c, &c->hosts[host]) != 0)
        return -1;
    const struct wf_path_snapshot *s = c->numbered;
    if (critical_make_room(&c->hosts[host].path, s) != 0)
        return -1;
    wf_path_part(c->hosts[host].path, s, 0);
    critical_add_moments(c, rank);
    c->stopped = c->stopped || c->sampler.stopped;
    return 0;
}

/* Which region has which number. */
static int critical_add_slot(struct wf_critical *c, uint32_t host, uint32_t number, enum wf_critical_kind kind,
                             uint32_t entry)
{
    struct wf_critical_slot key = {host, critical_slot_of(number), kind, entry};
    if (key.slot == WF_PATH_OTHER)
        return 0;
    return wf_intern_add(&c->slots, &key, sizeof key) == WF_INTERN_NONE ? -1 : 0;
}

/* Takes over the keys behind the state, if they are in the file. */
static int critical_add_keys(struct wf_critical_host *host, const struct wf_segment_reader *reader,
                             const struct wf_path_record *record, struct wf_path *state)
{
    const unsigned char *keys = (const unsigned char *)(record + 1) + ((size_t)record->state_bytes + 7) / 8 * 8;
    uint64_t key;
    if (record->key_count > state->capacity ||
        keys + record->key_count * sizeof key > reader->bytes + reader->used_bytes)
        return 0;
    for (uint32_t slot = WF_PATH_FIRST; slot < record->key_count; slot++) {
        uint32_t into = critical_slot_in(state, slot);
        if (WF_ARRAY_RESERVE(host->keys, host->key_capacity, into + 1) != 0)
            return -1;
        for (; host->key_count <= into; host->key_count++)
            host->keys[host->key_count] = 0;
        memcpy(&key, keys + slot * sizeof key, sizeof key);
        host->keys[into] = key;
    }
    return 0;
}

static int critical_take_sample(struct wf_critical *c, const struct wf_segment_reader *reader,
                                const struct wf_collected_rank *rank, uint32_t host,
                                const struct wf_path_record *record, uint32_t lane, int fd)
{
    switch (wf_path_sampler_take(&c->sampler, reader, rank, record, lane, fd)) {
    case WF_SAMPLE_TAKEN:
        c->parts += c->sampler.record.parts;
        c->lost += c->sampler.record.lost;
        return critical_add_keys(&c->hosts[host], reader, record, c->sampler.state) == 0
                   ? critical_add_sample(c, rank, host)
                   : -1;
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

/* ---- which region has which slot ---- */

static int critical_add_sites(struct wf_critical *c, const struct wf_segment_reader *reader, uint32_t host,
                              const struct wf_collected_program *program, const struct wf_sites *sites)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_SITE);
    for (const struct wf_site_record *site; (site = wf_segment_records_next(&records));) {
        uint32_t number =
            site->path_number || site->path_stretch ? wf_sites_find(sites, program, reader, site) : WF_NO_SITE;
        if (number == WF_NO_SITE)
            continue;
        uint32_t entry = wf_sites_entry(sites, number);
        if (critical_add_slot(c, host, site->path_number, WF_CRITICAL_STATEMENT, entry) != 0 ||
            critical_add_slot(c, host, site->path_stretch, WF_CRITICAL_STRETCH, entry) != 0)
            return -1;
    }
    return 0;
}

static int critical_add_regions(struct wf_critical *c, const struct wf_segment_reader *reader, uint32_t host,
                                const struct wf_regions *regions, const struct wf_merged_visits *visits)
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
        if (critical_add_slot(c, host, region->path_number, kinds[regions->entries[entry].kind], entry) != 0)
            return -1;
    }
    return 0;
}

/* ---- own times ---- */

static void critical_add_ns(int64_t *sum, int64_t ns)
{
    if (*sum < WF_TIME_LIMIT_NS)
        *sum += ns;
}

static int critical_add_times(struct wf_critical *c, const struct wf_collected_rank *rank, const struct wf_sites *sites,
                              const struct wf_regions *regions, const struct wf_merged_events *merged,
                              const struct wf_merged_visits *visits)
{
    if (!c->site_ns)
        c->site_ns = calloc(wf_sites_count(sites) + 1, sizeof *c->site_ns);
    if (!c->region_ns)
        c->region_ns = calloc(wf_regions_count(regions) + 1, sizeof *c->region_ns);
    if (!c->site_ns || !c->region_ns)
        return -1;
    for (size_t i = 0; i < merged->event_count; i++)
        critical_add_ns(
            &c->site_ns[merged->events[i].site],
            wf_collected_rank_virtual_ns(rank, merged->events[i].ticks_virtual, merged->events[i].ticks_raw));
    for (size_t i = 0; i < visits->event_count; i++)
        critical_add_ns(
            &c->region_ns[visits->events[i].entry],
            wf_collected_rank_virtual_ns(rank, visits->events[i].sums.self_virtual, visits->events[i].sums.self_raw));
    return 0;
}

/* ---- one segment ---- */

int wf_critical_add(struct wf_critical *c, const struct wf_segment_reader *reader, const struct wf_collected_rank *rank,
                    const char *file, const struct wf_collected_program *program, const struct wf_sites *sites,
                    const struct wf_regions *regions, const struct wf_merged_events *merged,
                    const struct wf_merged_visits *visits)
{
    c->dangling = 0;
    if (rank->world != 0 || reader->counts[WF_CHUNK_PATH] == 0)
        return 0;
    uint32_t host = critical_add_host(c, rank->header->host);
    if (host == WF_INTERN_NONE)
        return -1;
    int fd = rank->ending == WF_ENDING_RUNNING ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1,
        result = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_PATH);
    for (const struct wf_path_record *record; result == 0 && (record = wf_segment_records_next(&records));)
        result = critical_take_sample(c, reader, rank, host, record, records.lane, fd);
    if (fd >= 0)
        close(fd);
    if (result != 0 || c->epoch == 0)
        return result;
    if (critical_add_sites(c, reader, host, program, sites) != 0 ||
        critical_add_regions(c, reader, host, regions, visits) != 0)
        return -1;
    return critical_add_times(c, rank, sites, regions, merged, visits);
}

int64_t wf_critical_length_ns(const struct wf_critical *c)
{
    return c->path ? c->path->length : 0;
}

/* A path of elapsed time is as long as the time that passes along it, but for pauses. */
int64_t wf_critical_begin_ns(const struct wf_critical *c)
{
    int64_t begin = c->end_ns - c->longest_ns;
    if (c->weight == WF_PATH_CPU || begin < c->first_ns)
        return c->first_ns;
    return begin > c->last_ns ? c->last_ns : begin;
}

/* ---- notes ---- */

/* If the path is as long as the run all the same, they have not mattered. */
static void critical_note_lost(const struct wf_critical *c, struct wf_notes *notes, int64_t wall_ns)
{
    double lost = (double)c->lost, all = lost + (double)c->parts;
    bool whole = c->weight != WF_PATH_CPU && wf_critical_length_ns(c) >= wall_ns - wall_ns / 100;
    if (lost > 0.01 * all && !whole)
        wf_notes_add(notes,
                     "For %s of %s messages and collectives (%s of them), nothing is known of the path that led "
                     "to the other side: the critical path may be longer than shown.",
                     wf_phrase_count(c->lost).text, wf_phrase_count(c->lost + c->parts).text,
                     wf_phrase_percent(lost, all).text);
}

static void critical_note_torn(const struct wf_critical *c, struct wf_notes *notes)
{
    if (c->torn)
        wf_notes_add(notes,
                     "The critical path is without %zu thread%s%s of rank %lld: its state was being written "
                     "whenever it was read.",
                     c->torn, c->torn == 1 ? "" : "s", c->torn == 1 ? "" : ", the first", (long long)c->torn_rank);
}

/* A small part of the run does not count, nor does a short time: processes take that long to begin and to end. */
static void critical_note_part(const struct wf_critical *c, struct wf_notes *notes, int64_t from_ns, int64_t wall_ns)
{
    int64_t missing_ns = c->stopped ? wall_ns - wf_critical_length_ns(c) : from_ns;
    if (c->row_count == 0 || missing_ns < wall_ns / 20 || missing_ns < 10000000)
        return;
    struct wf_phrase length = wf_phrase_time(wf_critical_length_ns(c)), from = wf_phrase_time(from_ns);
    if (from_ns == 0)
        wf_notes_add(notes, "The critical path covers only %s of the run, starting at its beginning.", length.text);
    else
        wf_notes_add(notes, "The critical path covers only %s of the run, starting %s after its beginning.",
                     length.text, from.text);
}

void wf_critical_note(const struct wf_critical *c, struct wf_notes *notes, int64_t from_ns, int64_t wall_ns)
{
    critical_note_lost(c, notes, wall_ns);
    critical_note_torn(c, notes);
    critical_note_part(c, notes, from_ns, wall_ns);
}
