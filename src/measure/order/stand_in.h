/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Requests that stand in for others. The application holds a handle; the real receive is another request, the inner
 * one, which a way of deciding posts when it has decided from whom it is to be:
 *
 *     held         an Irecv from any source: the handle is a generalised request, so it is a real one also for code
 * that weft does not see persistent   a persistent receive from any source: the handle is the application's own
 * persistent request, which stays inactive in the MPI library
 *
 * A stand-in is idle (persistent only), open (started, and not decided), or posted (there is an inner request). All
 * calls that complete requests go through completion.h while there are stand-ins; these calls ask the way of each open
 * one to decide. MPI's progress rule wants more: an open receive must also be posted while the process blocks in a call
 * that completes none of them. wf_stand_in_drive asks all open ones, and wf_stand_in_is_open says whether there are
 * any.
 *
 * MPI matches receives in the order of posting: a way that leaves one open while others are posted behind it, which
 * could take the same messages, has to hold these back as well.
 *
 * Any thread; one lock for all, taken only where the program has several threads. Not while code of the application
 * runs: its arguments were checked by MPI before, so posting raises no error.
 */
#ifndef WF_STAND_IN_H
#define WF_STAND_IN_H

#include "measure/event/call.h"
#include "measure/exchange/args.h"

struct wf_stand_in;

/* What a way does for its stand-ins. */
struct wf_stand_in_way {
    /* A persistent one was started, or a held one made: it is the last of the open ones, and may be posted at once.
     * NULL: nothing. */
    void (*started)(struct wf_stand_in *s);
    /* Decides, if that can be decided now, with wf_stand_in_post. Must not block. Open ones are asked in the order of
     * their starts. */
    void (*progress)(struct wf_stand_in *s);
    /* It is complete: the status is the application's, NULL if it is not known. NULL: nothing. */
    void (*completed)(struct wf_stand_in *s, const MPI_Status *status);
};

enum wf_stand_in_state { WF_STAND_IN_IDLE, WF_STAND_IN_OPEN, WF_STAND_IN_POSTED };

struct wf_stand_in {
    struct wf_stand_in *next;            /* of the same bucket; first, because it is the pool's when the cell is free */
    struct wf_stand_in *earlier, *later; /* among the open or the posted ones */
    const struct wf_stand_in_way *way;
    MPI_Request handle, inner; /* inner: MPI_REQUEST_NULL unless posted */
    void *buf;                 /* the receive as the application asked for it: */
    int64_t n;
    MPI_Datatype type; /* own_type: made here, because the application may free its own */
    int source, tag;
    MPI_Comm comm;
    enum wf_stand_in_state state;
    bool own_type, persistent;
    bool freed;      /* the application has given it up, and it is to be posted all the same */
    uint64_t number; /* these are the way's: */
    uint64_t since;
    void *own;
};

/* Are there any? One test for programs that have none. */
extern _Atomic uint32_t wf_stand_in_count WF_HIDDEN;
static inline bool wf_stand_in_is_any(void)
{
    return __builtin_expect(atomic_load_explicit(&wf_stand_in_count, memory_order_relaxed) != 0, 0);
}
bool wf_stand_in_is_open(void);

/* The open one that was started last; the others are behind `earlier`. NULL: there is none. For programs of one thread.
 */
struct wf_stand_in *wf_stand_in_last_open(void);

/* Order control has begun: once, before any other function. */
void wf_stand_in_start(void);

/* Holds back an Irecv: *a->req is a stand-in then. MPI checks the arguments; *rc is its answer. False: there is no
 * memory, and MPI is to be called. */
bool wf_stand_in_hold(struct wf_args *a, const struct wf_stand_in_way *way, int *rc);

/* MPI has made a persistent receive *a->req: it is started as a stand-in from now on. */
void wf_stand_in_keep(const struct wf_args *a, const struct wf_stand_in_way *way);

/* Posts the inner request of an open one. Returns what MPI says; on an error it stays open. For the functions of a way,
 * which run with the lock held; *s may be gone afterwards. */
int wf_stand_in_post(struct wf_stand_in *s, int source, int tag);

/* The same so that nothing can arrive for it; it can be cancelled and freed. */
int wf_stand_in_post_nothing(struct wf_stand_in *s);

/* A request that receives nothing, ever. */
int wf_stand_in_receive_nothing(MPI_Request *request);

/* Gives up what the ways decided: posted ones whose message has not come are cancelled, and posted as the application
 * asked for them, in the order of their starts. */
void wf_stand_in_post_all_anew(void);

/* Asks the ways of all open ones. */
void wf_stand_in_drive(void);

/* Lets MPI make progress. */
void wf_stand_in_progress(void);

/* The stand-in of a handle that is started; NULL: it is an ordinary request, or an idle one. */
struct wf_stand_in *wf_stand_in_find(MPI_Request handle);

/* Its inner request is complete and gone. The handle is set as MPI would. */
void wf_stand_in_complete(struct wf_stand_in *s, MPI_Request *handle, const MPI_Status *status);

/* For the tables of ways (struct wf_order_way, direct). */
bool wf_stand_in_starts(struct wf_call *c, struct wf_args *a, int *rc);   /* start */
bool wf_stand_in_startall(struct wf_call *c, struct wf_args *a, int *rc); /* startall */
bool wf_stand_in_cancel(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_stand_in_free(struct wf_call *c, struct wf_args *a, int *rc);      /* request_free */
bool wf_stand_in_comm_free(struct wf_call *c, struct wf_args *a, int *rc); /* what is open there is posted as it was
                                                                              asked for */

#endif
