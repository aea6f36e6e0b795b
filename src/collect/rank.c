/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/rank.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/birth.h"
#include "collect/unfinished.h"

void wf_collected_ranks_fini(struct wf_collected_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        free(ranks->items[i].file);
        free(ranks->items[i].header);
        wf_address_space_fini(&ranks->items[i].space);
    }
    free(ranks->items);
    *ranks = (struct wf_collected_ranks){0};
}

/* ---- how it ended ---- */

static void rank_read_text(const char *path, char *text, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
}

static bool rank_ran_here(const struct wf_segment_header *header)
{
    char boot_id[64], host[256] = "";
    rank_read_text("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    boot_id[strcspn(boot_id, "\n")] = '\0';
    gethostname(host, sizeof host - 1);
    return boot_id[0] && strcmp(boot_id, header->boot_id) == 0 &&
           strncmp(host, header->host, sizeof header->host - 1) == 0;
}

static bool rank_is_alive(const struct wf_segment_header *header)
{
    return rank_ran_here(header) &&
           wf_birth_judge(header->pid, header->start_time, header->pid_namespace) == WF_BIRTH_ALIVE;
}

static enum wf_ending rank_find_ending(const struct wf_segment_header *header, bool alive)
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
        return alive ? WF_ENDING_RUNNING : WF_ENDING_DIED;
    }
}

const char *wf_collected_rank_ending(const struct wf_collected_rank *rank)
{
    static const char *const names[] = {"finalized", "aborted", "exited", "died", "running"};
    return names[rank->ending];
}

/* ---- from a segment ---- */

static struct wf_segment_header *rank_copy_header(const struct wf_segment_header *from)
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

static void rank_lanes_add_headers(struct wf_header_counts *sum, const struct wf_header_counts *of)
{
    sum->sent += of->sent;
    sum->taken += of->taken;
    sum->missing += of->missing;
    sum->ambiguous += of->ambiguous;
    sum->dropped += of->dropped;
}

static void rank_lanes_add(struct wf_rank_lanes *lanes, const struct wf_lane_record *lane)
{
    lanes->threads += lane->events || lane->current_site;
    lanes->events += lane->events;
    lanes->overhead_ticks += lane->overhead_ticks;
    rank_lanes_add_headers(&lanes->headers, &lane->headers);
    if (lane->leave_ticks > lanes->last_sign_ticks)
        lanes->last_sign_ticks = lane->leave_ticks;
    if (lane->current_site && lane->enter_ticks > lanes->last_sign_ticks)
        lanes->last_sign_ticks = lane->enter_ticks;
    if (lane->main) {
        lanes->current_site = lane->current_site;
        wf_unfinished_call(lane, &lanes->current_since_ticks);
    }
}

/* The thread that called MPI_Init; in a process without MPI, its first. */
static const struct wf_lane_record *rank_find_main_lane(const struct wf_segment_reader *reader)
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

/* The thread that stands for its rank: the main thread if it calls MPI at all between MPI_Init and MPI_Finalize, else
 * the one with the most calls. Only times of one thread fit together: a thread cannot lose more time to transfers than
 * it has spent in MPI, but the main thread can lose more than all threads have spent there in the mean. */
static const struct wf_lane_record *rank_find_standing_lane(const struct wf_segment_reader *reader,
                                                            const struct wf_lane_record *main_lane)
{
    const struct wf_lane_record *most = NULL;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    if (main_lane->mpi_ticks || main_lane->current_site)
        return main_lane;
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records));)
        if (lane->mpi_ticks && (!most || lane->events > most->events))
            most = lane;
    return most ? most : main_lane;
}

static void rank_lanes_take(struct wf_rank_lanes *lanes, const struct wf_lane_record *lane)
{
    lanes->mpi_ticks = lane->mpi_ticks;
    lanes->mpi_virtual_ticks = lane->mpi_virtual_ticks;
    lanes->sync_ticks = lane->sync_ticks;
    lanes->sync_raw_ticks = lane->sync_raw_ticks;
    lanes->idle = lane->idle;
    lanes->no_core_ticks = lane->no_core_ticks;
    lanes->no_core_all_ticks = lane->no_core_all_ticks;
    lanes->lag_ticks = lane->lag_ticks;
    lanes->open_call = wf_unfinished_call(lane, &lanes->open_since_ticks);
}

static struct wf_rank_lanes rank_lanes_read(const struct wf_segment_reader *reader)
{
    struct wf_rank_lanes lanes = {0};
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records));)
        rank_lanes_add(&lanes, lane);
    const struct wf_lane_record *main_lane = rank_find_main_lane(reader);
    if (main_lane) {
        lanes.intrusion_ticks = main_lane->intrusion_ticks;
        rank_lanes_take(&lanes, rank_find_standing_lane(reader, main_lane));
    }
    return lanes;
}

/* A counter's values are no visits. */
static uint64_t rank_count_visits(const struct wf_segment_reader *reader, uint64_t *last_sign)
{
    uint64_t visits = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_VISIT);
    for (const struct wf_visit_record *visit; (visit = wf_segment_records_next(&records));) {
        const struct wf_region_record *region = wf_segment_reader_region(reader, visit->region);
        if (region && region->kind != WF_REGION_COUNTER)
            visits += visit->num;
    }
    return visits + wf_unfinished_visits(reader, last_sign);
}

static uint32_t rank_find_last_site(const struct wf_collected_rank *rank, const struct wf_segment_reader *reader,
                                    const struct wf_collected_program *program, const struct wf_sites *sites)
{
    const struct wf_site_record *site = wf_segment_reader_site(reader, rank->lanes.current_site);
    return site && rank->ending != WF_ENDING_FINALIZED ? wf_sites_find(sites, program, reader, site) : WF_NO_SITE;
}

/* To the rest of the collector it is a rank like any other. */
static void rank_place_alone(struct wf_collected_rank *rank)
{
    rank->without_mpi = true;
    rank->header->rank = 0;
    rank->header->size = 1;
}

int wf_collected_ranks_add(struct wf_collected_ranks *ranks, const struct wf_segment_reader *reader, const char *file,
                           struct wf_collected_program *program, struct wf_sites *sites)
{
    if (WF_ARRAY_RESERVE(ranks->items, ranks->capacity, ranks->count + 1) != 0)
        return -1;
    struct wf_collected_rank *rank = &ranks->items[ranks->count++];
    *rank = (struct wf_collected_rank){.file = strdup(file),
                                       .header = rank_copy_header(wf_segment_reader_header(reader)),
                                       .used_bytes = reader->used_bytes,
                                       .damaged = reader->damaged,
                                       .has_virtual = wf_segment_reader_has_virtual(reader),
                                       .regions = reader->counts[WF_CHUNK_REGION],
                                       .lanes = rank_lanes_read(reader)};
    uint64_t last_visit;
    rank->visits = rank_count_visits(reader, &last_visit);
    if (last_visit > rank->lanes.last_sign_ticks)
        rank->lanes.last_sign_ticks = last_visit;
    if (!rank->file || !rank->header || wf_sites_add_segment(sites, program, reader) != 0 ||
        wf_address_space_read(&rank->space, reader, program) != 0)
        return -1;
    if (rank->header->rank < 0)
        rank_place_alone(rank);
    rank->timebase = wf_timebase_read(rank->header);
    rank->alive = rank_is_alive(rank->header);
    rank->ending = rank_find_ending(rank->header, rank->alive);
    rank->last_site = rank_find_last_site(rank, reader, program, sites);
    return 0;
}

/* ---- what is missing ---- */

uint64_t wf_collected_rank_dropped_calls(const struct wf_collected_rank *rank)
{
    return rank->header->dropped_sites + rank->header->dropped_coms;
}

bool wf_collected_rank_complete(const struct wf_collected_rank *rank)
{
    return rank->ending == WF_ENDING_FINALIZED && !rank->damaged && wf_timebase_known(&rank->timebase) &&
           wf_collected_rank_dropped_calls(rank) == 0 && rank->header->dropped_requests == 0 &&
           rank->header->dropped_lanes == 0 && rank->header->dropped_regions == 0 &&
           rank->header->dropped_visits == 0 && rank->header->passed == 0;
}
