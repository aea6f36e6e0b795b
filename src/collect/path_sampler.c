/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/path_sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

#include "collect/array.h"

enum {
    TRIES = 500,
    PAUSE_NS = 100000
}; /* a thread writes for a few microseconds, if it is not kept from its core */

void wf_path_sampler_fini(struct wf_path_sampler *sampler)
{
    free(sampler->snapshot);
    free(sampler->state);
    *sampler = (struct wf_path_sampler){0};
}

/* ---- a whole copy ---- */

static bool read_whole(int fd, void *to, size_t bytes, size_t offset)
{
    return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* One try. The record is read before and after what it speaks for. */
static bool copy_once(struct wf_path_sampler *s, struct wf_lane_record *lane, size_t state_bytes,
                      size_t record_at, size_t lane_at, int fd)
{
    struct wf_path_record after;
    return read_whole(fd, &s->record, sizeof s->record, record_at) && s->record.sequence % 2 == 0 &&
           read_whole(fd, s->state, state_bytes, record_at + sizeof s->record) &&
           read_whole(fd, lane, sizeof *lane, lane_at) && read_whole(fd, &after, sizeof after, record_at) &&
           after.sequence == s->record.sequence;
}

static bool copy_running(struct wf_path_sampler *s, struct wf_lane_record *lane, size_t state_bytes,
                         size_t record_at, size_t lane_at, int fd)
{
    for (int i = 0; i < TRIES; i++) {
        if (copy_once(s, lane, state_bytes, record_at, lane_at, fd))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    return false;
}

/* ---- what cannot be ---- */

static bool is_small(int64_t value, int64_t limit)
{
    return value >= -limit && value <= limit;
}

static bool shape_is_valid(const struct wf_path *p, size_t bytes)
{
    return p->below == wf_path_below(p->capacity) && p->above == wf_path_above(p->capacity) &&
           p->used >= WF_PATH_FIRST && p->used <= p->capacity && p->all_used >= WF_PATH_FIRST &&
           p->all_used <= p->capacity && p->depth >= 1 && p->depth <= WF_PATH_DEPTH && p->statement < p->used &&
           p->values_epoch % 2 == 1 && (p->place < p->places || p->place == WF_PATH_NOWHERE) &&
           wf_path_bytes(p->capacity, p->places) <= bytes;
}

static bool stack_is_valid(const struct wf_path *p)
{
    for (uint32_t i = 0; i < p->depth; i++)
        if (p->stack[i].slot >= p->used || !is_small(p->stack[i].since, WF_PATH_LIMIT) ||
            !is_small(p->stack[i].own, WF_PATH_LIMIT))
            return false;
    return is_small(p->since, WF_PATH_LIMIT) && is_small(p->length, WF_PATH_LIMIT) &&
           is_small(p->placed, WF_PATH_LIMIT);
}

static bool values_are_valid(struct wf_path *p)
{
    const int64_t *value = p->values, *shares = wf_path_shares(p) - p->below,
                  *end = wf_path_places(p) + 2 * (size_t)p->places;
    for (; value < shares; value++)
        if (!is_small(*value, WF_PATH_STEPS * WF_PATH_LIMIT))
            return false;
    for (; value < end; value++)
        if (!is_small(*value, WF_PATH_LIMIT))
            return false;
    return true;
}

/* ---- this moment ---- */

static uint64_t clock_now(const struct wf_rank *rank)
{
#ifdef __x86_64__
    if (rank->header->clock == WF_CLOCK_TSC)
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* How long a thread has computed, as its own clock of CPU time tells it; 0: it is gone. */
static uint64_t cpu_now(const struct wf_rank *rank, const struct wf_lane_record *lane)
{
    char path[64];
    unsigned long long ns = 0;
    snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", rank->header->pid, lane->thread_id);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%llu", &ns) != 1)
        ns = 0;
    if (file)
        fclose(file);
    return ns;
}

static bool thread_runs(const struct wf_rank *rank, const struct wf_lane_record *lane)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task/%u", rank->header->pid, lane->thread_id);
    return access(path, F_OK) == 0;
}

/* The last time that a thread was seen, where nobody runs any more. */
static uint64_t last_sign(const struct wf_rank *rank, const struct wf_lane_record *lane)
{
    uint64_t ticks = lane->leave_ticks;
    if (lane->current_site && lane->enter_ticks > ticks)
        ticks = lane->enter_ticks;
    if (lane->main && rank->header->end_ticks > ticks)
        ticks = rank->header->end_ticks;
    return ticks;
}

/* Up to when the state is to be counted, on its activity clock. What is over, or paused, goes no further; and
 * no clock goes back behind what has been counted. */
static int64_t sample_time(const struct wf_path_sampler *s, const struct wf_rank *rank,
                           const struct wf_lane_record *lane, bool running)
{
    uint64_t now = 0, end = rank->header->finalize_begin_virtual_ticks;
    if (s->record.ended || rank->header->paused_since_ticks)
        return s->state->since;
    if (s->record.weight == WF_PATH_CPU)
        now = running ? cpu_now(rank, lane) : 0;
    else if (!running)
        now = last_sign(rank, lane) - lane->intrusion_ticks;
    else if (thread_runs(rank, lane))
        now = clock_now(rank) - lane->intrusion_ticks;
    if (s->record.weight != WF_PATH_CPU && end && now > end)
        now = end; /* a thread that went on beside MPI_Finalize */
    return (int64_t)now > s->state->since && is_small((int64_t)now, WF_PATH_LIMIT) ? (int64_t)now
                                                                                   : s->state->since;
}

/* ---- in nanoseconds ---- */

static int64_t to_ns(const struct wf_rank *rank, int64_t ticks, int64_t limit)
{
    int64_t ns = wf_rank_ticks_ns(rank, (uint64_t)ticks);
    return ns > limit ? limit : ns < -limit ? -limit : ns;
}

static void convert(struct wf_path_snapshot *s, const struct wf_rank *rank)
{
    size_t shares = (size_t)s->below + s->above, places = 2 * (size_t)s->places,
           savings = shares * WF_PATH_STEPS;
    int64_t *value = s->values;
    s->length = to_ns(rank, s->length, WF_PATH_LIMIT);
    for (size_t i = 0; i < savings; i++, value++)
        *value = to_ns(rank, *value, WF_PATH_STEPS * WF_PATH_LIMIT);
    for (size_t i = 0; i < shares; i++, value++)
        *value = to_ns(rank, *value, WF_PATH_LIMIT);
    for (size_t i = 0; i < places; i += 2, value += 2) /* the other one counts arrivals */
        *value = to_ns(rank, *value, WF_PATH_LIMIT);
}

/* ---- all of it ---- */

static bool reserve(struct wf_path_sampler *s, size_t state_bytes)
{
    void *state = wf_array_reserve(s->state, &s->state_capacity, state_bytes, 1);
    if (!state)
        return false;
    s->state = state;
    /* A snapshot of a state is smaller than the state: it has neither a stack nor what is active. */
    void *snapshot = wf_array_reserve(s->snapshot, &s->snapshot_capacity, state_bytes, 1);
    if (!snapshot)
        return false;
    s->snapshot = snapshot;
    return true;
}

enum wf_sample_result wf_path_sampler_take(struct wf_path_sampler *s, const struct wf_segment_reader *reader,
                                           const struct wf_rank *rank, const struct wf_path_record *record,
                                           uint32_t lane, int fd)
{
    const struct wf_lane_record *found = wf_segment_reader_lane(reader, lane);
    size_t bytes = record->state_bytes, at = (size_t)((const unsigned char *)record - reader->bytes);
    if (!found)
        return WF_SAMPLE_DAMAGED;
    if (!reserve(s, bytes))
        return WF_SAMPLE_NO_MEMORY;
    struct wf_lane_record its_lane = *found;
    memcpy(&s->record, record, sizeof s->record);
    memcpy(s->state, record + 1, bytes);
    if (fd >= 0 ? !copy_running(s, &its_lane, bytes, at, (size_t)lane * WF_SEGMENT_UNIT, fd)
                : s->record.sequence % 2 != 0)
        return WF_SAMPLE_TORN;
    if (s->state->values_epoch == 0)
        return WF_SAMPLE_NONE;
    if (!shape_is_valid(s->state, bytes) || !stack_is_valid(s->state) || !values_are_valid(s->state))
        return WF_SAMPLE_DAMAGED;
    s->stopped = !wf_path_is_on(s->state);
    wf_path_sample(s->state, sample_time(s, rank, &its_lane, fd >= 0), s->snapshot);
    if (s->record.weight != WF_PATH_CPU)
        convert(s->snapshot, rank);
    return WF_SAMPLE_TAKEN;
}
