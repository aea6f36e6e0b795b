/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room record: what a process keeps of what happens, in its segment (format/segment.h). It uses guest/, clock/,
 * base/, format/ and include/weft/. All rooms above but library/ may use it, the backends as far as functions are
 * WF_SHARED.
 *
 *     segment.h  the file: chunks are added to it                                        the process's; any thread
 *     module.h   executables and libraries: which an address lies in                     the process's; any thread
 *     lanes.h    the list of lanes, and what other threads tell one                      the process's; any thread
 *     lane.h     a lane: one thread's records, and all that the thread's probes know     its thread's
 *     site.h     in a lane: communication statements                                     its thread's
 *     com.h      in a lane: what a statement exchanged with each partner                 its thread's
 *     wait.h     in a lane: how long a statement waited for each other rank, and why     its thread's
 *     mpi_calls.h  the functions of MPI by their numbers                                 constant
 *
 * The segment is a member of wf_process (process/), which opens it. A lane belongs to its thread until the thread ends,
 * then to the list. Records are written into the segment where they are, and are never removed: what reads them are
 * other processes. A thread adds to its lane only in weft (guest/guard.h), so no lane needs a lock, and no signal
 * handler finds one half changed; visits, which probes add, are added in quiet.
 *
 * What is global, one for the process: wf_lanes, because a pause or a closed library concerns every thread; modules
 * (module.c), because addresses are the process's; wf_com_none and wf_wait_none, which no function writes.
 */
#ifndef WF_RECORD_H
#define WF_RECORD_H

#include "measure/record/com.h"
#include "measure/record/lane.h"
#include "measure/record/lanes.h"
#include "measure/record/module.h"
#include "measure/record/order.h"
#include "measure/record/segment.h"
#include "measure/record/site.h"
#include "measure/record/wait.h"

#endif
