/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread of the process, from its first call or probe, where it gets a lane (wf_process_lane), to its end, where what
 * it is in ends with it.
 */
#ifndef WF_THREADS_H
#define WF_THREADS_H

/* Once, early: while a key with a low number is left, which costs no memory of the application's allocator. */
void wf_threads_watch(void);

#endif
