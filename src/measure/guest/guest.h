/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room guest: how weft lives in a process that is not its own. Any other room of measure/ may use it; it uses base/
 * only. What holds for all code of measure/:
 *
 * - Memory comes from the kernel (base/memory.h), never from malloc, which the application may have replaced.
 * - errno stays as it is. No descriptor is kept open, because an application may close or reuse any (directory.h).
 * - A thread is not in weft twice: what comes in from a signal handler meanwhile goes past weft (guard.h). A lock that
 *   is taken outside of MPI calls is taken in quiet (base/quiet.h): no handler and no cancellation comes between.
 * - A forked child goes unwatched and takes no lock (child.h).
 * - The environment is read once, when the library is loaded (settings.h).
 *
 * What is global, one for the process: wf_settings, constant once it is read; wf_child_parent, the page that tells a
 * child; wf_guard_passed, a counter that moves into the segment. One for each thread: weft_tls (thread.h), which the
 * stubs reach without a call.
 */
#ifndef WF_GUEST_H
#define WF_GUEST_H

#include "measure/guest/child.h"
#include "measure/guest/directory.h"
#include "measure/guest/guard.h"
#include "measure/guest/settings.h"
#include "measure/guest/thread.h"

#endif
