/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/path_sampler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

enum { TRIES = 500, PAUSE_NS = 100000 }; /* a thread writes for a few microseconds, unless it loses its core */

void wf_path_sampler_fini(struct wf_path_sampler *sampler)
{
    free(sampler->snapshot);
    free(sampler->state);
    *sampler = (struct wf_path_sampler){0};
}

/* ---- a whole copy ---- */

static bool sampler_read_whole(int fd, void *to, size_t bytes, size_t offset)
{
    return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

/* One try. The record is read before and after the state: if its number is the same, the copy is whole. */
static bool sampler_copy_once(struct wf_path_sampler *s, struct wf_lane_record *lane, size_t state_bytes,
                              size_t record_at, size_t lane_at, int fd)
{
    struct wf_path_record after;
    return sampler_read_whole(fd, &s->record, sizeof s->record, record_at) && s->record.sequence % 2 == 0 &&
           sampler_read_whole(fd, s->state, state_bytes, record_at + sizeof s->record) &&
           sampler_read_whole(fd, lane, sizeof *lane, lane_at) &&
           sampler_read_whole(fd, &after, sizeof after, record_at) && after.sequence == s->record.sequence;
}

static bool sampler_copy_running(struct wf_path_sampler *s, struct wf_lane_record *lane, size_t state_bytes,
                                 size_t record_at, size_t lane_at, int fd)
{
    for (int i = 0; i < TRIES; i++) {
        if (sampler_copy_once(s, lane, state_bytes, record_at, lane_at, fd))
            return true;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
    return false;
}

/* ---- what is damaged ---- */

static bool sampler_is_small(int64_t value, int64_t limit)
{
    return value >= -limit && value <= limit;
}

static bool sampler_shape_is_valid(const struct wf_path *p, size_t bytes)
{
    return p->below == wf_path_below(p->capacity) && p->above == wf_path_above(p->capacity) &&
           p->used >= WF_PATH_FIRST && p->used <= p->capacity && p->all_used >= WF_PATH_FIRST &&
           p->all_used <= p->capacity && p->listed <= WF_PATH_LISTED && p->depth >= 1 && p->depth <= WF_PATH_DEPTH &&
           p->statement < p->used && p->values_epoch % 2 == 1 &&
           (p->place < p->places || p->place == WF_PATH_NOWHERE) && wf_path_bytes(p->capacity, p->places) <= bytes;
}

static bool sampler_stack_is_valid(const struct wf_path *p)
{
    for (uint32_t i = 0; i < p->depth; i++)
        if (p->stack[i].slot >= p->used || !sampler_is_small(p->stack[i].since, WF_PATH_LIMIT) ||
            !sampler_is_small(p->stack[i].own, WF_PATH_LIMIT))
            return false;
    return sampler_is_small(p->since, WF_PATH_LIMIT) && sampler_is_small(p->length, WF_PATH_LIMIT) &&
           sampler_is_small(p->placed, WF_PATH_LIMIT);
}

static bool sampler_values_are_valid(struct wf_path *p)
{
    const int64_t *value = p->values, *shares = wf_path_shares(p) - p->below,
                  *end = wf_path_places(p) + 2 * (size_t)p->places;
    for (; value < shares; value++)
        if (!sampler_is_small(*value, WF_PATH_STEPS * WF_PATH_LIMIT))
            return false;
    for (; value < end; value++)
        if (!sampler_is_small(*value, WF_PATH_LIMIT))
            return false;
    for (uint32_t i = 0; i < p->listed; i++)
        if (!sampler_is_small(p->list[i].share, WF_PATH_LIMIT) || !sampler_is_small(p->list[i].weight, WF_PATH_LIMIT))
            return false;
    return sampler_is_small(p->around_due, WF_PATH_LIMIT);
}

/* ---- this moment ---- */

/* The CPU time of a thread, as its own clock tells it; 0: it is gone. */
static uint64_t sampler_cpu_now(const struct wf_collected_rank *rank, const struct wf_lane_record *lane)
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

static bool sampler_thread_runs(const struct wf_collected_rank *rank, const struct wf_lane_record *lane)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%u/task/%u", rank->header->pid, lane->thread_id);
    return access(path, F_OK) == 0;
}

/* The last time that a thread was seen, in a process that has ended. */
static uint64_t sampler_last_sign(const struct wf_collected_rank *rank, const struct wf_lane_record *lane)
{
    uint64_t ticks = lane->leave_ticks;
    if (lane->current_site && lane->enter_ticks > ticks)
        ticks = lane->enter_ticks;
    if (lane->main && rank->header->end_ticks > ticks)
        ticks = rank->header->end_ticks;
    return ticks;
}

/* Up to when the state is to be counted, on its activity clock. A path that has ended or is paused goes no further, and
 * no clock goes back behind what is counted. */
static int64_t sampler_time(const struct wf_path_sampler *s, const struct wf_collected_rank *rank,
                            const struct wf_lane_record *lane, bool running)
{
    uint64_t now = 0, end = rank->header->finalize_begin_virtual_ticks;
    if (s->record.ended || rank->header->paused_since_ticks)
        return s->state->since;
    if (s->record.weight == WF_PATH_CPU)
        now = running ? sampler_cpu_now(rank, lane) : 0;
    else if (!running)
        now = sampler_last_sign(rank, lane) - lane->intrusion_ticks;
    else if (sampler_thread_runs(rank, lane))
        now = wf_timebase_now(rank->header) - lane->intrusion_ticks;
    if (s->record.weight != WF_PATH_CPU && end && now > end)
        now = end; /* a thread that went on during MPI_Finalize */
    return (int64_t)now > s->state->since && sampler_is_small((int64_t)now, WF_PATH_LIMIT) ? (int64_t)now
                                                                                           : s->state->since;
}

/* ---- in nanoseconds ---- */

static int64_t sampler_to_ns(const struct wf_collected_rank *rank, int64_t ticks, int64_t limit)
{
    int64_t ns = wf_collected_rank_ticks_ns(rank, (uint64_t)ticks);
    return ns > limit ? limit : ns < -limit ? -limit : ns;
}

/* A thread without a call so far: it would note at its next call what it has computed before. */
static bool sampler_has_no_call(const struct wf_path_sampler *s, const struct wf_segment_reader *reader)
{
    const struct wf_path *state = s->state;
    bool outside = state->depth == 1 && !state->inside && state->stack[0].slot == WF_PATH_OTHER;
    return outside && reader->counts[WF_CHUNK_REGION] == 0 && state->length == (int64_t)s->record.beginning;
}

static void sampler_convert(struct wf_path_snapshot *s, const struct wf_collected_rank *rank)
{
    size_t shares = (size_t)s->below + s->above, places = 2 * (size_t)s->places, savings = shares * WF_PATH_STEPS;
    int64_t *value = s->values;
    s->length = sampler_to_ns(rank, s->length, WF_PATH_LIMIT);
    for (size_t i = 0; i < savings; i++, value++)
        *value = sampler_to_ns(rank, *value, WF_PATH_STEPS * WF_PATH_LIMIT);
    for (size_t i = 0; i < shares; i++, value++)
        *value = sampler_to_ns(rank, *value, WF_PATH_LIMIT);
    for (size_t i = 0; i < places; i += 2, value += 2) /* the second value of a place counts arrivals */
        *value = sampler_to_ns(rank, *value, WF_PATH_LIMIT);
    struct wf_path_listed *list = wf_path_snapshot_list(s);
    for (uint32_t i = 0; i < s->listed; i++)
        list[i].share = sampler_to_ns(rank, list[i].share, WF_PATH_LIMIT);
}

/* ---- all of it ---- */

static bool sampler_reserve(struct wf_path_sampler *s, size_t state_bytes)
{
    /* A snapshot of a state is smaller than the state: it has neither a stack nor what is active. */
    return wf_array_reserve(&s->state, &s->state_capacity, state_bytes, 1) == 0 &&
           wf_array_reserve(&s->snapshot, &s->snapshot_capacity, state_bytes, 1) == 0;
}

enum wf_sample_result wf_path_sampler_take(struct wf_path_sampler *s, const struct wf_segment_reader *reader,
                                           const struct wf_collected_rank *rank, const struct wf_path_record *record,
                                           uint32_t lane, int fd)
{
    const struct wf_lane_record *found = wf_segment_reader_lane(reader, lane);
    size_t bytes = record->state_bytes, at = (size_t)((const unsigned char *)record - reader->bytes);
    if (!found)
        return WF_SAMPLE_DAMAGED;
    if (!sampler_reserve(s, bytes))
        return WF_SAMPLE_NO_MEMORY;
    struct wf_lane_record its_lane = *found;
    memcpy(&s->record, record, sizeof s->record);
    memcpy(s->state, record + 1, bytes);
    if (fd >= 0 ? !sampler_copy_running(s, &its_lane, bytes, at, (size_t)lane * WF_SEGMENT_UNIT, fd)
                : s->record.sequence % 2 != 0)
        return WF_SAMPLE_TORN;
    if (s->state->values_epoch == 0)
        return WF_SAMPLE_NONE;
    if (!sampler_shape_is_valid(s->state, bytes) || !sampler_stack_is_valid(s->state) ||
        !sampler_values_are_valid(s->state))
        return WF_SAMPLE_DAMAGED;
    s->stopped = !wf_path_is_on(s->state);
    bool no_call = sampler_has_no_call(s, reader);
    wf_path_sample(s->state, sampler_time(s, rank, &its_lane, fd >= 0), s->snapshot);
    if (no_call)
        s->record.beginning = (uint64_t)s->snapshot->length;
    if (s->record.weight != WF_PATH_CPU)
        sampler_convert(s->snapshot, rank);
    return WF_SAMPLE_TAKEN;
}
