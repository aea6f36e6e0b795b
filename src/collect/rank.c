/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/rank.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/birth.h"
#include "collect/array.h"
#include "collect/intern.h"

void wf_ranks_fini(struct wf_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        free(ranks->items[i].file);
        free(ranks->items[i].header);
        wf_address_space_fini(&ranks->items[i].space);
    }
    free(ranks->items);
    *ranks = (struct wf_ranks){0};
}

/* ---- how it ended ---- */

static void read_text(const char *path, char *text, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
}

static bool ran_here(const struct wf_segment_header *header)
{
    char boot_id[64], host[256] = "";
    read_text("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    boot_id[strcspn(boot_id, "\n")] = '\0';
    gethostname(host, sizeof host - 1);
    return boot_id[0] && strcmp(boot_id, header->boot_id) == 0 &&
           strncmp(host, header->host, sizeof header->host - 1) == 0;
}

static bool is_alive(const struct wf_segment_header *header)
{
    return ran_here(header) && wf_birth_judge(header->pid, header->start_time, header->pid_namespace) == WF_BIRTH_ALIVE;
}

static enum wf_ending find_ending(const struct wf_segment_header *header)
{
    uint32_t state = header->state;
    switch (state) {
    case WF_STATE_FINALIZED:
        return WF_ENDING_FINALIZED;
    case WF_STATE_ABORTED:
        return WF_ENDING_ABORTED;
    case WF_STATE_EXITED:
        return WF_ENDING_EXITED;
    default:
        return is_alive(header) ? WF_ENDING_RUNNING : WF_ENDING_DIED;
    }
}

const char *wf_rank_ending(const struct wf_rank *rank)
{
    static const char *const names[] = {"finalized", "aborted", "exited", "died", "running"};
    return names[rank->ending];
}

/* ---- from a segment ---- */

static struct wf_segment_header *copy_header(const struct wf_segment_header *from)
{
    struct wf_segment_header *header = malloc(sizeof *header);
    if (!header)
        return NULL;
    memcpy(header, from, sizeof *header);
    header->host[sizeof header->host - 1] = header->mpi[sizeof header->mpi - 1] = '\0';
    header->world[sizeof header->world - 1] = header->boot_id[sizeof header->boot_id - 1] = '\0';
    header->program[sizeof header->program - 1] = header->command[sizeof header->command - 1] = '\0';
    return header;
}

static void add_headers(struct wf_header_counts *sum, const struct wf_header_counts *of)
{
    sum->sent += of->sent;
    sum->taken += of->taken;
    sum->missing += of->missing;
    sum->ambiguous += of->ambiguous;
    sum->dropped += of->dropped;
}

static void add_lane(struct wf_rank_lanes *lanes, const struct wf_lane_record *lane)
{
    lanes->threads += lane->events || lane->current_site;
    lanes->threads_with_events += lane->events != 0;
    lanes->events += lane->events;
    lanes->mpi_ticks += lane->mpi_ticks;
    lanes->mpi_virtual_ticks += lane->mpi_virtual_ticks;
    lanes->sync_ticks += lane->sync_ticks;
    lanes->sync_raw_ticks += lane->sync_raw_ticks;
    lanes->overhead_ticks += lane->overhead_ticks;
    add_headers(&lanes->headers, &lane->headers);
    if (lane->leave_ticks > lanes->last_sign_ticks)
        lanes->last_sign_ticks = lane->leave_ticks;
    if (lane->current_site && lane->enter_ticks > lanes->last_sign_ticks)
        lanes->last_sign_ticks = lane->enter_ticks;
    if (lane->main)
        lanes->current_site = lane->current_site;
}

/* The thread that called MPI_Init; in a process without MPI, its first. */
static const struct wf_lane_record *find_main(const struct wf_segment_reader *reader)
{
    const struct wf_lane_record *first = NULL;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records));) {
        if (lane->main)
            return lane;
        first = first ? first : lane;
    }
    return first;
}

static struct wf_rank_lanes read_lanes(const struct wf_segment_reader *reader)
{
    struct wf_rank_lanes lanes = {0};
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records));)
        add_lane(&lanes, lane);
    const struct wf_lane_record *main_lane = find_main(reader);
    if (main_lane) {
        lanes.intrusion_ticks = main_lane->intrusion_ticks;
        lanes.lag_ticks = main_lane->lag_ticks;
    }
    return lanes;
}

/* A counter's values are no visits. */
static uint64_t count_visits(const struct wf_segment_reader *reader)
{
    uint64_t visits = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_VISIT);
    for (const struct wf_visit_record *visit; (visit = wf_segment_records_next(&records));) {
        const struct wf_region_record *region = wf_segment_reader_region(reader, visit->region);
        if (region && region->kind != WF_REGION_COUNTER)
            visits += visit->num;
    }
    return visits;
}

static uint32_t find_last_site(const struct wf_rank *rank, const struct wf_segment_reader *reader,
                               const struct wf_program *program, const struct wf_sites *sites)
{
    const struct wf_site_record *site = wf_segment_reader_site(reader, rank->lanes.current_site);
    return site && rank->ending != WF_ENDING_FINALIZED ? wf_sites_find(sites, program, reader, site)
                                                       : WF_NO_SITE;
}

/* To everybody else it is a rank like any other. */
static void place_alone(struct wf_rank *rank)
{
    rank->without_mpi = true;
    rank->header->rank = 0;
    rank->header->size = 1;
}

int wf_ranks_add(struct wf_ranks *ranks, const struct wf_segment_reader *reader, const char *file,
                 struct wf_program *program, struct wf_sites *sites)
{
    void *items = wf_array_reserve(ranks->items, &ranks->capacity, ranks->count + 1, sizeof *ranks->items);
    if (!items)
        return -1;
    ranks->items = items;
    struct wf_rank *rank = &ranks->items[ranks->count++];
    *rank = (struct wf_rank){.file = strdup(file),
                             .header = copy_header(wf_segment_reader_header(reader)),
                             .used_bytes = reader->used_bytes,
                             .damaged = reader->damaged,
                             .has_virtual = wf_segment_reader_has_virtual(reader),
                             .regions = reader->counts[WF_CHUNK_REGION],
                             .visits = count_visits(reader),
                             .lanes = read_lanes(reader)};
    if (!rank->file || !rank->header || wf_sites_add_segment(sites, program, reader) != 0 ||
        wf_address_space_read(&rank->space, reader, program) != 0)
        return -1;
    if (rank->header->rank < 0)
        place_alone(rank);
    rank->timebase = wf_timebase_read(rank->header);
    rank->ending = find_ending(rank->header);
    rank->last_site = find_last_site(rank, reader, program, sites);
    return 0;
}

/* ---- its times ---- */

static uint64_t begin_ticks(const struct wf_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    if (header->init_end_ticks)
        return header->init_end_ticks;
    return header->init_begin_ticks ? header->init_begin_ticks : header->tick0;
}

static uint64_t end_ticks(const struct wf_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    if (header->finalize_begin_ticks)
        return header->finalize_begin_ticks;
    return header->end_ticks ? header->end_ticks : rank->lanes.last_sign_ticks;
}

static uint64_t less(uint64_t ticks, uint64_t part)
{
    return ticks > part ? ticks - part : 0;
}

/* Virtual twins of the two above. A process that did not get to MPI_Finalize has the intrusion of its last
 * call. */
static uint64_t begin_virtual_ticks(const struct wf_rank *rank)
{
    uint64_t ticks = rank->header->init_end_virtual_ticks;
    return rank->header->init_end_ticks && ticks ? ticks : begin_ticks(rank);
}

static uint64_t end_virtual_ticks(const struct wf_rank *rank)
{
    uint64_t ticks = rank->header->finalize_begin_virtual_ticks;
    return rank->header->finalize_begin_ticks && ticks ? ticks
                                                       : less(end_ticks(rank), rank->lanes.intrusion_ticks);
}

static int64_t between_ns(const struct wf_rank *rank, uint64_t from, uint64_t to)
{
    return wf_rank_ticks_ns(rank, less(to, from));
}

int64_t wf_rank_ticks_ns(const struct wf_rank *rank, uint64_t ticks)
{
    return wf_timebase_duration_ns(&rank->timebase, ticks);
}

int64_t wf_rank_virtual_ns(const struct wf_rank *rank, uint64_t virtual_ticks, uint64_t raw_ticks)
{
    return wf_rank_ticks_ns(rank, rank->has_virtual ? virtual_ticks : raw_ticks);
}

static int64_t not_negative(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

/* As the probes have added it up; else, as many as there were, each as calibrated. (A visit's two probes cost
 * about as much as watching one call.) */
static int64_t overhead_ns(const struct wf_rank *rank)
{
    uint64_t probes;
    if (rank->lanes.overhead_ticks)
        return wf_rank_ticks_ns(rank, rank->lanes.overhead_ticks);
    if (__builtin_add_overflow(rank->lanes.events, rank->visits, &probes))
        probes = UINT64_MAX;
    unsigned __int128 ticks = (unsigned __int128)probes * rank->header->probe_ticks;
    return wf_rank_ticks_ns(rank, ticks > INT64_MAX ? INT64_MAX : (uint64_t)ticks);
}

/* From the end of MPI_Init on, without pauses. In a pause nothing is watched: it is as long in virtual time.
 */
static void compute_walls(const struct wf_rank *rank, struct wf_rank_times *times)
{
    const struct wf_segment_header *header = rank->header;
    uint64_t begin = begin_ticks(rank), end = end_ticks(rank);
    times->paused_ns = not_negative(wf_rank_ticks_ns(rank, header->paused_ticks));
    if (header->paused_since_ticks)
        times->paused_ns += between_ns(rank, header->paused_since_ticks, end);
    times->wall_ns = times->wall_raw_ns = not_negative(between_ns(rank, begin, end) - times->paused_ns);
    if (!rank->has_virtual)
        return;
    times->begin_intrusion_ns = between_ns(rank, begin_virtual_ticks(rank), begin);
    times->wall_ns =
        not_negative(between_ns(rank, begin_virtual_ticks(rank), end_virtual_ticks(rank)) - times->paused_ns);
}

static struct wf_rank_times compute_times(const struct wf_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    const struct wf_rank_lanes *lanes = &rank->lanes;
    int64_t threads = lanes->threads_with_events ? lanes->threads_with_events : 1;
    struct wf_rank_times times = {.overhead_ns = overhead_ns(rank)};
    if (header->init_begin_ticks)
        times.init_ns = between_ns(rank, header->init_begin_ticks, header->init_end_ticks);
    if (header->finalize_begin_ticks)
        times.finalize_ns = between_ns(rank, header->finalize_begin_ticks, header->finalize_end_ticks);
    compute_walls(rank, &times);
    times.mpi_raw_ns = wf_rank_ticks_ns(rank, lanes->mpi_ticks) / threads;
    times.mpi_ns = wf_rank_virtual_ns(rank, lanes->mpi_virtual_ticks, lanes->mpi_ticks) / threads;
    times.sync_raw_ns = wf_rank_ticks_ns(rank, lanes->sync_raw_ticks) / threads;
    times.sync_ns = wf_rank_virtual_ns(rank, lanes->sync_ticks, lanes->sync_raw_ticks) / threads;
    times.useful_ns = not_negative(times.wall_ns - times.mpi_ns);
    times.ideal_ns = not_negative(times.wall_ns - wf_rank_ticks_ns(rank, lanes->lag_ticks));
    times.dropped_ns = wf_rank_ticks_ns(rank, header->dropped_sites_ticks + header->dropped_coms_ticks);
    return times;
}

/* Processes of one boot read one counter: whoever ended too early to know its rate takes the best known one.
 */
static void lend_clocks(struct wf_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        struct wf_rank *rank = &ranks->items[i];
        if (wf_timebase_known(&rank->timebase))
            continue;
        const struct wf_timebase *best = NULL;
        for (size_t j = 0; j < ranks->count; j++) {
            const struct wf_rank *other = &ranks->items[j];
            if (other->header->clock == rank->header->clock && wf_timebase_known(&other->timebase) &&
                strcmp(other->header->boot_id, rank->header->boot_id) == 0 &&
                (!best || other->timebase.ticks > best->ticks))
                best = &other->timebase;
        }
        if (best)
            wf_timebase_borrow(&rank->timebase, best);
    }
}

/* CLOCK_MONOTONIC is one clock within one boot of one host. (The boot alone does not do: containers of one
 * boot may have time namespaces.) */
static uint32_t clock_of(struct wf_intern *clocks, const struct wf_rank *rank, size_t index)
{
    char key[256];
    if (rank->header->boot_id[0])
        snprintf(key, sizeof key, "%s %s", rank->header->boot_id, rank->header->host);
    else
        snprintf(key, sizeof key, "%zu", index);
    return wf_intern_add_text(clocks, key);
}

static const struct wf_rank *find_root(const struct wf_ranks *ranks, const struct wf_rank *rank)
{
    for (size_t i = 0; i < ranks->count; i++) {
        const struct wf_segment_header *header = ranks->items[i].header;
        if (header->rank == 0 && header->size == rank->header->size &&
            strcmp(header->world, rank->header->world) == 0)
            return &ranks->items[i];
    }
    return NULL;
}

/* Of a rank that speaks for its host's clock. Between hosts that have not been compared there is only the
 * time of day. */
static struct wf_host_clock host_clock(const struct wf_ranks *ranks, const struct wf_rank *rank)
{
    const struct wf_rank *root = wf_host_clock_compared(rank->header) ? find_root(ranks, rank) : NULL;
    if (!root)
        return wf_host_clock_of_day(rank->header);
    struct wf_host_clock first = wf_host_clock_of_day(root->header);
    return wf_host_clock_against(rank->header, &first);
}

/* The ranks of one clock have one that speaks for it, so that their order among each other stays exact. */
static int eloquence(const struct wf_rank *rank)
{
    return wf_host_clock_compared(rank->header) ? 2 : rank->header->rank == 0;
}

static int choose_speakers(const struct wf_ranks *ranks, struct wf_intern *clocks, uint32_t *clock_of_rank,
                           size_t *speakers)
{
    for (size_t i = 0; i < ranks->count; i++) {
        size_t before = clocks->count;
        uint32_t clock = clock_of_rank[i] = clock_of(clocks, &ranks->items[i], i);
        if (clock == WF_INTERN_NONE)
            return -1;
        if (clock == before || eloquence(&ranks->items[i]) > eloquence(&ranks->items[speakers[clock]]))
            speakers[clock] = i;
    }
    return 0;
}

static int align_clocks(struct wf_ranks *ranks)
{
    struct wf_intern clocks = {0};
    uint32_t *clock_of_rank = calloc(ranks->count + 1, sizeof *clock_of_rank);
    size_t *speakers = calloc(ranks->count + 1, sizeof *speakers);
    int result = clock_of_rank && speakers ? choose_speakers(ranks, &clocks, clock_of_rank, speakers) : -1;
    for (size_t clock = 0; clock < clocks.count && result == 0; clock++)
        ranks->items[speakers[clock]].host_clock = host_clock(ranks, &ranks->items[speakers[clock]]);
    for (size_t i = 0; i < ranks->count && result == 0; i++)
        ranks->items[i].host_clock = ranks->items[speakers[clock_of_rank[i]]].host_clock;
    free(clock_of_rank);
    free(speakers);
    wf_intern_fini(&clocks);
    return result;
}

int wf_ranks_settle_times(struct wf_ranks *ranks)
{
    lend_clocks(ranks);
    for (size_t i = 0; i < ranks->count; i++)
        ranks->items[i].times = compute_times(&ranks->items[i]);
    return align_clocks(ranks);
}

int64_t wf_rank_begin_ns(const struct wf_rank *rank)
{
    int64_t host_ns = wf_timebase_moment_ns(&rank->timebase, begin_ticks(rank));
    return not_negative(wf_host_clock_shared_ns(&rank->host_clock, host_ns));
}

/* Nothing began before 1970, whatever a damaged segment says. */
int64_t wf_rank_virtual_begin_ns(const struct wf_rank *rank)
{
    return not_negative(wf_rank_begin_ns(rank) - rank->times.begin_intrusion_ns);
}

int64_t wf_rank_virtual_moment_ns(const struct wf_rank *rank, uint64_t virtual_ticks)
{
    return wf_rank_virtual_begin_ns(rank) + wf_rank_ticks_ns(rank, virtual_ticks - begin_virtual_ticks(rank));
}

/* ---- what is missing ---- */

uint64_t wf_rank_dropped_calls(const struct wf_rank *rank)
{
    return rank->header->dropped_sites + rank->header->dropped_coms;
}

bool wf_rank_complete(const struct wf_rank *rank)
{
    return rank->ending == WF_ENDING_FINALIZED && !rank->damaged && wf_timebase_known(&rank->timebase) &&
           wf_rank_dropped_calls(rank) == 0 && rank->header->dropped_requests == 0 &&
           rank->header->dropped_lanes == 0 && rank->header->dropped_regions == 0 &&
           rank->header->dropped_visits == 0 && rank->header->passed == 0;
}
