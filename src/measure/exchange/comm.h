/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators, windows and files by their handles, and names of these that all their members agree on. They are known
 * from when they are made until they are freed; a communicator that was made where weft did not see it is looked up at
 * the first message on it. Any thread.
 */
#ifndef WF_COMM_H
#define WF_COMM_H

#include "base/shared.h"
#include "measure/exchange/group.h"

void wf_comm_init(MPI_Group world, bool is_comm_world); /* keeps the group */
void wf_comm_fini(void);                                /* frees it; MPI_Finalize does so anyway, a session does not */
void wf_comm_again(MPI_Group world);                    /* the session goes on: a group in its place */

int32_t wf_comm_look_up(MPI_Comm comm, int rank);

/* Who makes a communicator, and so what its name is made of. */
enum wf_maker {
    WF_MAKER_all,    /* all members of another one, in a collective on it: of its name, and of how many were made of it
                        before */
    WF_MAKER_some,   /* some members of another one: of its name, their tag, and of how many they made before with these
                      */
    WF_MAKER_groups, /* groups without a communicator: of the tag or the word, and of how many they made with it before
                      */
};

/* What the name of a communicator begins with that MPI has just made, or begun to make, with these arguments; `word`
 * may be NULL. */
uint64_t wf_comm_stem(enum wf_maker maker, MPI_Comm parent, int tag, const char *word);

/* What a partitioned send and its receive are called, which are initialised in one order. */
uint64_t wf_comm_pair_name(uint64_t comm, int tag, int32_t from, int32_t to, bool sends);

/* It is made. Members of other groups that the same call made have the same stem. */
void wf_comm_made(MPI_Comm comm, enum wf_maker maker, uint64_t stem);

/* What a call that makes a communicator is called by all who make it, before it is made; NULL as the parent will do.
 * Calls that are made one after another may have the same name. */
uint64_t wf_comm_call_name(enum wf_maker maker, MPI_Comm parent, int tag);

/* A window or file is made on a communicator: its handle may have stood for another one. */
void wf_win_made(MPI_Win win, MPI_Comm on);
void wf_file_made(MPI_File file, MPI_Comm on);

/* As wf_comm_known. */
struct wf_group *wf_win_known(MPI_Win win);
struct wf_group *wf_file_known(MPI_File file);

/* What is known of a communicator, without asking MPI: it may be no communicator at all. NULL: nothing, or no headers
 * go with its messages. Not for use after it was freed. */
struct wf_group *wf_comm_known_slow(MPI_Comm comm);

extern struct wf_group *wf_comm_world WF_HIDDEN; /* NULL: there is no MPI_COMM_WORLD */

int32_t wf_win_partner(MPI_Win win, int rank);

/* A communicator, window or file is about to be freed, if MPI agrees. When it has answered, exactly what the handle
 * stood for before is forgotten: by then another thread may have got it for a new one. */
struct wf_group *wf_comm_leaving(MPI_Comm comm);
struct wf_group *wf_win_leaving(MPI_Win win);
struct wf_group *wf_file_leaving(MPI_File file);
void wf_group_left(struct wf_group *group, bool gone);

/* For a receive from MPI_ANY_SOURCE: who it was is known later, when the communicator may be freed. NULL: out of
 * memory. */
struct wf_group *wf_comm_hold(MPI_Comm comm);

static inline struct wf_group *wf_comm_known(MPI_Comm comm)
{
    return __builtin_expect(comm == MPI_COMM_WORLD, 1) ? wf_comm_world : wf_comm_known_slow(comm);
}

static inline int32_t wf_comm_partner(MPI_Comm comm, int rank)
{
    if (__builtin_expect(comm == MPI_COMM_WORLD && rank >= 0, 1))
        return rank;
    return wf_comm_look_up(comm, rank);
}

#endif
