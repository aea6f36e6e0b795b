/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A process with the recorder, a box, matching and a path, but without MPI: what stands for the rest of weft.
 * For one source of a program.
 */
#ifndef ALONE_H
#define ALONE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "measure/exchange/header.h"
#include "measure/process/identity.h"
#include "measure/record/mpi_calls.h"

struct wf_process wf_process;
__thread struct wf_tls weft_tls;
struct wf_real wf_real;
struct wf_group *wf_comm_world;
const uint32_t wf_mpi_calls = 1;

enum { COMM = 1000, COMMS = 4 };
static struct wf_group *comms[COMMS]; /* of the handles COMM, COMM + 1, ... */
static int rank;

const char *wf_mpi_call_name(uint32_t call)
{
    (void)call;
    return "MPI_Any";
}

void wf_identity_world(char text[static WF_WORLD_BYTES])
{
    snprintf(text, WF_WORLD_BYTES, "alone");
}

void wf_process_put_cost(uint64_t ticks)
{
    (void)ticks;
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

struct wf_group *wf_comm_known_slow(MPI_Comm comm)
{
    return (int)comm >= COMM && (int)comm < COMM + COMMS ? comms[(int)comm - COMM] : NULL;
}

const int32_t *wf_group_sources(struct wf_group *ranks, MPI_Comm comm, int *count)
{
    (void)ranks, (void)comm;
    *count = 0;
    return NULL;
}

static struct wf_group *make_ranks(uint64_t id, int size)
{
    struct wf_group *ranks = calloc(1, sizeof *ranks + (size_t)size * sizeof *ranks->partner);
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
    wf_limits_start(h->tick0, h->ns0, h->tick1, h->ns1);
    if (!wf_process_lane() || wf_links_start(rank, size) != 0)
        abort();
    wf_feed_start(rank, size, false, wf_clock_ticks());
}

static bool enter(struct wf_call *c, int statement)
{
    memset(c, 0, sizeof *c);
    return wf_call_enter(c, 0, (const void *)(uintptr_t)(0x1000 + statement), NULL);
}

#endif
