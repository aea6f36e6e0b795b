/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages on their way between any two processes of this host, as a third one sees them: headers that the sender has
 * left in its box, and that the receiver has not read. They are only looked at. For order control: only then the
 * receivers tell how far they have read (wf_own_box.tells_each).
 *
 * What is seen belongs together as long as the receiver reads none of it: the caller checks that afterwards.
 */
#ifndef WF_PENDING_H
#define WF_PENDING_H

#include "measure/exchange/link.h"

/* The earliest virtual send time of a message from one rank to another that has this communicator and tag (or WF_ANY);
 * UINT64_MAX: there is none; 0: it cannot be seen. */
uint64_t wf_pending_first(int32_t from, int32_t to, uint64_t comm, int32_t tag);

#endif
