/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What one process sees of all others of its host, without their help: where they are on their virtual clocks
 * (measure/clock/shown_clock.h), what they are blocked in (format/needs.h), and which messages are on their way to them
 * (measure/exchange/pending.h). From this follow their bounds (bound.h).
 *
 * A look has four steps in this order, or it would join what does not belong together:
 *
 *     1  what each process does
 *     2  for those that are blocked, which of their needs are satisfied: a message that is not there yet is sent behind
 *        step 1, so no earlier than its sender's bound
 *     3  those that have gone on since step 1 may have read such a message: their bounds are where their calls began
 *     4  the caller looks at its own headers: one that is not there yet was sent behind step 1, too
 *
 * One thread, the one that makes the MPI calls. All memory is taken at the start.
 */
#ifndef WF_SIGHT_H
#define WF_SIGHT_H

#include <stdbool.h>
#include <stdint.h>

/* Others see this process from now on, as soon as there is a box. Until its first call it may send anything. */
void wf_sight_show(void);

/* They do not any more. */
void wf_sight_hide(void);

/* MPI is initialised. False: there is no memory. */
bool wf_sight_start(void);

/* Steps 1 to 3. stops: the caller sends nothing before it has received what it asks for; else it is seen as the others
 * are. */
void wf_sight_look(bool stops);

/* Of that look: the virtual time below which a rank of the world sends nothing any more. */
uint64_t wf_sight_bound(int32_t rank);

/* Can this rank be seen at all? */
bool wf_sight_sees(int32_t rank);

#endif
