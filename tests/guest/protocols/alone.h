/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process with the recorder, a box, matching and a path, but without MPI: what stands for the rest of weft. For one source of a program.
 */
#ifndef ALONE_H
#define ALONE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/header.h"
#include "measure/probe.h"

struct wf_process wf_process;
__thread struct wf_tls weft_tls;
struct wf_real wf_real;
struct wf_ranks *wf_comm_world;
bool wf_remote_on;
_Atomic int64_t wf_remote_put_ticks;
bool wf_probe_has_procedures;
const uint32_t wf_front_calls = 1;

enum { COMM = 1000, COMMS = 4 };
static struct wf_ranks *comms[COMMS]; /* of the handles COMM, COMM + 1, ... */
static int rank;

const char *wf_front_call_name(uint32_t call)
{
    (void)call;
    return "MPI_Any";
}

bool wf_probe_matches(const char *patterns, const char *name, const char *file)
{
    (void)patterns, (void)name, (void)file;
    return true;
}

void wf_process_world(char text[static WF_WORLD_BYTES])
{
    snprintf(text, WF_WORLD_BYTES, "alone");
}

static __thread struct wf_lane *own_lane;

struct wf_lane *wf_process_lane(void)
{
    own_lane = wf_lane_acquire(&wf_process.segment);
    own_lane->charged = true;
    return weft_tls.lane = own_lane;
}

bool wf_process_attend(struct wf_lane *lane)
{
    (void)lane;
    return false;
}

struct wf_ranks *wf_comm_known_slow(MPI_Comm comm)
{
    return (int)comm >= COMM && (int)comm < COMM + COMMS ? comms[(int)comm - COMM] : NULL;
}

const int32_t *wf_comm_sources(struct wf_ranks *ranks, MPI_Comm comm, int *count)
{
    (void)ranks, (void)comm;
    *count = 0;
    return NULL;
}

/* There are no other hosts. */
void wf_remote_pump(void) {}
void wf_remote_pump_seldom(void) {}
void wf_remote_retract(const struct wf_record *record) { (void)record; }
void wf_remote_skip(int32_t source, uint64_t comm, int32_t tag) { (void)source, (void)comm, (void)tag; }
bool wf_remote_await(int32_t source, int64_t *since) { return (void)source, (void)since, false; }
struct wf_box *wf_remote_box(int32_t of) { return (void)of, NULL; }
void wf_remote_await_reply(struct wf_ring *ring, uint32_t number, uint64_t ticks) { (void)ring, (void)number, (void)ticks; }
bool wf_remote_await_entry(int32_t member, uint64_t comm, uint32_t number) { return (void)member, (void)comm, (void)number, false; }

void wf_remote_reply(int32_t to, uint32_t number, const struct wf_stamp *begin, uint64_t address)
{
    (void)to, (void)number, (void)begin, (void)address;
}

struct wf_record *wf_remote_put(int32_t to, const struct wf_header *h, struct wf_feed *feed)
{
    (void)to, (void)h, (void)feed;
    return NULL;
}

bool wf_remote_enter(const struct wf_ranks *ranks, enum wf_waits waits, int root, uint32_t number, const struct wf_stamp *stamp, uint64_t address,
                     struct wf_feed *feed)
{
    (void)ranks, (void)waits, (void)root, (void)number, (void)stamp, (void)address, (void)feed;
    return false;
}

static struct wf_ranks *make_ranks(uint64_t id, int size)
{
    struct wf_ranks *ranks = calloc(1, sizeof *ranks + (size_t)size * sizeof *ranks->partner);
    ranks->id = id;
    ranks->rank = rank;
    ranks->size = size;
    for (int i = 0; i < size; i++)
        ranks->partner[i] = i;
    return ranks;
}

/* The process is a rank of a world, as after MPI_Init. */
static void start(const char *directory, int size, int communicators, bool threads)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/p-%d-%d.seg", directory, rank, (int)getpid());
    wf_clock_choose();
    if (wf_segment_open(&wf_process.segment, path, 64 << 20) != 0)
        abort();
    struct wf_segment_header *h = wf_process.segment.header;
    wf_clock_pair(&h->tick0, &h->ns0);
    usleep(1000);
    wf_clock_pair(&h->tick1, &h->ns1);
    h->init_end_ticks = wf_clock_ticks();
    wf_process.watching = wf_process.mpi = true;
    wf_process.threads = threads;
    wf_comm_world = make_ranks(1, size);
    for (int i = 0; i < communicators; i++)
        comms[i] = make_ranks((uint64_t)(i + 3) << 32, size);
    if (!wf_process_lane() || wf_box_start(rank, size) != 0)
        abort();
    wf_feed_start(rank, size, false, wf_clock_ticks());
}

static bool enter(struct wf_call *c, int statement)
{
    memset(c, 0, sizeof *c);
    return wf_call_enter(c, 0, (const void *)(uintptr_t)(0x1000 + statement));
}

#endif
