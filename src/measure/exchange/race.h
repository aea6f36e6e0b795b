/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Races between messages (weft run --races): what this process has heard of others' receives from any source, and which
 * of its own could have taken another message. What goes to others is in its box (known.h); what it has taken is in the
 * log (race_log.h). No race is told that is none: where knowledge may be lost, it is told that it is not known.
 *
 * What MPI itself guarantees to happen before is followed: messages, probes, and those members of collectives that a
 * member cannot leave without. Synchronous sends, windows, collective access to files, intercommunicators, other worlds
 * and other hosts are not followed: behind them, nothing is known for certain.
 *
 * Off without the option: then all that is left is one test. Any thread; its lock is taken with MPI_THREAD_MULTIPLE.
 */
#ifndef WF_RACE_H
#define WF_RACE_H

#include "measure/exchange/link.h"
#include "measure/exchange/race_log.h"

struct wf_races {
    bool on;
};

extern struct wf_races wf_races WF_HIDDEN;

/* The boxes are there. */
void wf_race_start(void);

/* The version of what is known, for what is about to be sent or entered. flags: of the header (enum wf_header_flags).
 * Only where races are looked for. */
uint32_t wf_race_show(uint32_t flags);

void wf_race_lose_now(void);

/* Something may have happened before that cannot be followed. */
static inline void wf_race_lose(void)
{
    if (__builtin_expect(wf_races.on, 0))
        wf_race_lose_now();
}

void wf_race_hear_now(int32_t rank, uint32_t version);

/* What this rank knew then has happened before. */
static inline void wf_race_hear(int32_t rank, uint32_t version)
{
    if (__builtin_expect(wf_races.on, 0))
        wf_race_hear_now(rank, version);
}

/* The caller has taken, or found, a message, with what its sender knew then (a version; 0: that is not known). What is
 * heard is filled in. keep: see wf_race_log_take. */
void wf_race_take(struct wf_race_message *m, uint32_t version, bool keep);

#endif
