/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks that are stuck, as an answer: which statement each is in, what it waits for there, and in what order the ranks
 * of the cycle wait for each other. It comes from a run that goes on (cli/stuck_find.h), or from a profile. The caller
 * owns it; one thread.
 */
#ifndef WF_ANALYSE_STUCK_H
#define WF_ANALYSE_STUCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct wf_stuck_rank {
    int64_t rank;
    int64_t cycle;     /* place in the cycle, from 1 on, each waiting for the next and the last for the first; 0: it is
                          not in it */
    int64_t since_ns;  /* it has been in the call since then, after the end of its MPI_Init */
    int64_t waited_ns; /* so long when that was found out; in a profile: until the rank was last seen */
    bool stuck;        /* false, of a run that goes on: it can go on, as far as is known */
    char call[64];     /* "MPI_Recv"; empty: it is in no call */
    char place[256];   /* "ring.c:12"; empty: not known */
    char procedure[128];
    char wants[192];    /* "a message from rank 1 (tag 5)"; empty: nothing is known */
    char waits_for[96]; /* the ranks: "1", "0, 2"; empty: none, or not known */
};

struct wf_stuck {
    struct wf_stuck_rank *items; /* by rank */
    size_t count, capacity;
    size_t stuck; /* so many are */
};

void wf_stuck_free(struct wf_stuck *stuck);

/* The rank at this place of the cycle; NULL: there is none. */
const struct wf_stuck_rank *wf_stuck_at(const struct wf_stuck *stuck, int64_t cycle);

struct wf_profile;

/* What was found while the run went on; empty: nothing. */
int wf_stuck_read(struct wf_stuck *stuck, struct wf_profile *profile, struct wf_error *error);

#endif
