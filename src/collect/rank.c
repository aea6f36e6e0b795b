/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/rank.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/array.h"
#include "collect/intern.h"

void wf_ranks_fini(struct wf_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        free(ranks->items[i].file);
        free(ranks->items[i].header);
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

/* A zombie takes signals too, and stays one for long in a container whose first process reaps nothing. */
static bool is_zombie(pid_t pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_text(path, text, sizeof text);
    const char *behind_name = strrchr(text, ')');
    return behind_name && (strncmp(behind_name, ") Z", 3) == 0 || strncmp(behind_name, ") X", 3) == 0);
}

static bool is_alive(const struct wf_segment_header *header)
{
    if (header->pid == 0 || header->pid > INT_MAX || !ran_here(header))
        return false;
    pid_t pid = (pid_t)header->pid;
    return (kill(pid, 0) == 0 || errno == EPERM) && !is_zombie(pid);
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

static void add_lane(struct wf_rank_lanes *lanes, const struct wf_lane_record *lane)
{
    lanes->threads += lane->events || lane->current_site;
    lanes->threads_with_events += lane->events != 0;
    lanes->events += lane->events;
    lanes->mpi_ticks += lane->mpi_ticks;
    lanes->mpi_virtual_ticks += lane->mpi_virtual_ticks;
    if (lane->leave_ticks > lanes->last_sign_ticks)
        lanes->last_sign_ticks = lane->leave_ticks;
    if (lane->current_site && lane->enter_ticks > lanes->last_sign_ticks)
        lanes->last_sign_ticks = lane->enter_ticks;
    if (lane->main)
        lanes->current_site = lane->current_site;
}

static struct wf_rank_lanes read_lanes(const struct wf_segment_reader *reader)
{
    struct wf_rank_lanes lanes = {0};
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records));)
        add_lane(&lanes, lane);
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
    if (!rank->file || !rank->header || wf_sites_add_segment(sites, program, reader) != 0)
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

static int64_t between_ns(const struct wf_rank *rank, uint64_t from, uint64_t to)
{
    return to > from ? wf_timebase_duration_ns(&rank->timebase, to - from) : 0;
}

static int64_t not_negative(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

/* A visit's two probes cost about as much as watching one call. */
static int64_t overhead_ns(const struct wf_rank *rank)
{
    uint64_t probes;
    if (__builtin_add_overflow(rank->lanes.events, rank->visits, &probes))
        probes = UINT64_MAX;
    unsigned __int128 ticks = (unsigned __int128)probes * rank->header->probe_ticks;
    return wf_timebase_duration_ns(&rank->timebase, ticks > INT64_MAX ? INT64_MAX : (uint64_t)ticks);
}

static struct wf_rank_times compute_times(const struct wf_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    uint64_t begin = begin_ticks(rank), end = end_ticks(rank);
    struct wf_rank_times times = {.overhead_ns = overhead_ns(rank)};
    if (header->init_begin_ticks)
        times.init_ns = between_ns(rank, header->init_begin_ticks, header->init_end_ticks);
    if (header->finalize_begin_ticks)
        times.finalize_ns = between_ns(rank, header->finalize_begin_ticks, header->finalize_end_ticks);
    times.paused_ns = not_negative(wf_timebase_duration_ns(&rank->timebase, header->paused_ticks));
    if (header->paused_since_ticks)
        times.paused_ns += between_ns(rank, header->paused_since_ticks, end);
    times.wall_ns = not_negative(between_ns(rank, begin, end) - times.paused_ns);
    unsigned threads = rank->lanes.threads_with_events ? rank->lanes.threads_with_events : 1;
    times.mpi_raw_ns = wf_timebase_duration_ns(&rank->timebase, rank->lanes.mpi_ticks) / threads;
    times.mpi_ns = rank->has_virtual
                       ? wf_timebase_duration_ns(&rank->timebase, rank->lanes.mpi_virtual_ticks) / threads
                       : times.mpi_raw_ns;
    times.useful_ns = not_negative(times.wall_ns - times.mpi_ns);
    times.dropped_ns =
        wf_timebase_duration_ns(&rank->timebase, header->dropped_sites_ticks + header->dropped_coms_ticks);
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

/* CLOCK_MONOTONIC is one clock within one boot of one host; between hosts only the time of day is comparable.
 * (The boot alone does not do: containers of one boot may have time namespaces.) */
static uint32_t clock_of(struct wf_intern *clocks, const struct wf_rank *rank, size_t index)
{
    char key[256];
    if (rank->header->boot_id[0])
        snprintf(key, sizeof key, "%s %s", rank->header->boot_id, rank->header->host);
    else
        snprintf(key, sizeof key, "%zu", index);
    return wf_intern_add_text(clocks, key);
}

static int64_t own_offset_ns(const struct wf_rank *rank)
{
    uint64_t epoch_ns = rank->header->epoch_ns0;
    return (int64_t)(epoch_ns > WF_TIME_LIMIT_NS ? WF_TIME_LIMIT_NS : epoch_ns) - rank->timebase.ns0;
}

static int align_clocks(struct wf_ranks *ranks)
{
    struct wf_intern clocks = {0};
    size_t *first = calloc(ranks->count + 1, sizeof *first); /* rank that speaks for each clock */
    int result = first ? 0 : -1;
    for (size_t i = 0; i < ranks->count && result == 0; i++) {
        size_t before = clocks.count;
        uint32_t clock = clock_of(&clocks, &ranks->items[i], i);
        if (clock == WF_INTERN_NONE) {
            result = -1;
            break;
        }
        if (clock == before)
            first[clock] = i;
        ranks->items[i].clock_offset_ns = own_offset_ns(&ranks->items[first[clock]]);
    }
    free(first);
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
    int64_t ns =
        not_negative(wf_timebase_moment_ns(&rank->timebase, begin_ticks(rank)) + rank->clock_offset_ns);
    return ns < WF_TIME_LIMIT_NS ? ns : WF_TIME_LIMIT_NS;
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
           rank->header->dropped_visits == 0;
}
