/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of what processes tell each other. A header goes with each message, and a reply goes back where a send waits
 * for its receive. Each member of a collective leaves an entry. With all of them goes a snapshot of the critical path.
 * From the MPI calls down:
 *
 *     header      what a call does with headers; knows the parameters of MPI calls
 *     arrival     who was waited for, where only the end of the call tells
 *     match       which header belongs to which receive
 *     wildcard    whether monitoring has changed the order of receives from any source
 *     race        which messages raced, by what happened before (known: what was heard; race_log: what was taken)
 *     link        what this process has with each other rank: near or far
 *     snapshot    what a thread shows of its critical path, and sees of others'
 *     pending     messages on their way between two others
 *     box         ranks of this host: our own box, and views of others'
 *     needs       what a blocking call needs to go on, left in our own box for the outside
 *     remote      ranks of other hosts, over transport (messages), host_time (one time base) and hosts (who is where)
 *     ring, slots, root_ring, stamp      what lies in boxes; host_clock, depends: numbers in, numbers out
 *     group, comm             ranks in the world; handles, and names that all members agree on
 *
 * Each uses those below it and none above: link asks box or remote, which know neither links nor each other. This file
 * starts and ends them.
 *
 * Each object that has state has one structure for it. Global, because wrappers of MPI functions read them inline, are
 * wf_links, wf_match, wf_wildcards_watched_until, wf_races, wf_snapshots, wf_own_box and wf_comm_world; wf_hosts is
 * written once, in MPI_Init; the two files of remote share wf_remote. The rest is seen in its own file alone. Any
 * thread that is in an MPI call comes here. Below MPI_THREAD_MULTIPLE that is one at a time, and of the locks none is
 * taken but those for opening boxes and making room in the own one. What other threads or processes read without a lock
 * is atomic: tests/guest/protocols explores those protocols.
 *
 * It uses base/, format/ and the rooms guest, clock, record, process, path, event and library.
 */
#ifndef WF_EXCHANGE_H
#define WF_EXCHANGE_H

#include "base/lock.h"
#include "measure/process/process.h"

/* Before MPI is initialised: names the box. */
void wf_exchange_create(void);

/* MPI is initialised. has_world: there is an MPI_COMM_WORLD, so other hosts may be reached. False: no headers go with
 * this process's messages; without them its waits are not known to others, and it is corrected alone. */
bool wf_exchange_start(int rank, int size, bool has_world);

/* MPI_Finalize begins. */
void wf_exchange_finish(void);

/* A lock for what threads share in MPI calls: it is taken with MPI_THREAD_MULTIPLE only. */
static inline void wf_threads_lock(struct wf_lock *lock)
{
    if (__builtin_expect(wf_process.threads, 0))
        wf_lock_take(lock);
}

static inline void wf_threads_unlock(struct wf_lock *lock)
{
    if (__builtin_expect(wf_process.threads, 0))
        wf_lock_give(lock);
}

#endif
