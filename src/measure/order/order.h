/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of order control: which message a receive or probe from any source takes, and what a completion finds
 * complete. Without it MPI decides. A way of deciding (struct wf_order_way) has a function for each class of calls
 * whose outcome MPI's rules leave open. The wrapper asks it just before the real function:
 *
 *     direct    chooses: it sets a->source and a->source_tag, with which the real function is called then; or it makes
 *               the call itself, sets *rc, and returns true. It runs at depth WF_IN_MPI and may call MPI by wf_real.
 *     settled   is told how the call came out
 *
 *     order          which way the run has
 *     stand_in       requests whose real receive is another one, for ways that hold or direct receives
 *     completion     completing requests with stand-ins among them
 *     course         the recorded outcomes of this process, written or read
 *     record, replay, hold    the ways
 *
 * What is global: the way; the table of stand-ins, with its lock; the course and the state of the way, which belong to
 * the thread that makes the MPI calls.
 *
 * What the rest of weft knows of the call stays as the application made it: a->peer is still MPI_ANY_SOURCE.
 *
 * wf_order_way is written once, in MPI_Init, and read by every thread. It is NULL where MPI decides: one test in each
 * of these calls. The room may use base/, format/ and all rooms of measure/ but probe/ and mpi/.
 */
#ifndef WF_ORDER_H
#define WF_ORDER_H

#include "measure/event/call.h"
#include "measure/exchange/args.h"
#include "measure/exchange/ring.h"

/* Classes of mpi_calls.tbl. wrap.awk knows the same names. */
enum wf_order_class {
    WF_ORDER_recv,
    WF_ORDER_sendrecv,
    WF_ORDER_irecv,
    WF_ORDER_isendrecv,
    WF_ORDER_recv_init,
    WF_ORDER_start,
    WF_ORDER_startall,
    WF_ORDER_probe,
    WF_ORDER_iprobe,
    WF_ORDER_mprobe,
    WF_ORDER_improbe,
    WF_ORDER_wait,
    WF_ORDER_waitall,
    WF_ORDER_waitany,
    WF_ORDER_waitsome,
    WF_ORDER_test,
    WF_ORDER_testall,
    WF_ORDER_testany,
    WF_ORDER_testsome,
    WF_ORDER_status,
    WF_ORDER_request_free,
    WF_ORDER_cancel,
    WF_ORDER_comm_free,
    WF_ORDER_CLASSES,
};

/* NULL where a way has nothing to do for a class. */
struct wf_order_way {
    bool (*direct[WF_ORDER_CLASSES])(struct wf_call *c, struct wf_args *a, int *rc);
    void (*settled[WF_ORDER_CLASSES])(struct wf_call *c, const struct wf_args *a, int rc);
    /* A call of another class is about to begin in which the process may be blocked; or not, if it is a send that is
     * over at once. NULL: nothing. */
    void (*blocks)(bool at_once);
};

extern const struct wf_order_way *wf_order_way WF_HIDDEN;

/* Before MPI is initialised, and the box is there: others may see it as soon as they are. */
void wf_order_create(void);

/* MPI is initialised, and headers can be exchanged: the way that the run is to have (settings.h). */
void wf_order_start(void);

/* How a way begins: `rest` is its part of the setting, behind "NAME:". NULL: it cannot, has said why, and MPI decides.
 */
typedef const struct wf_order_way *wf_order_start_function(const char *rest);
wf_order_start_function wf_order_hold_start, wf_order_record_start, wf_order_replay_start;
wf_order_start_function wf_order_keep_start; /* keep:NANOSECONDS, the longest time that a receive is held */

/* What a way may read of the parameters. They are copied one by one: parameters whose address was taken, or that were
 * copied as a whole, would be in memory also where there is no way. */
static inline __attribute__((always_inline)) struct wf_args wf_order_args(const struct wf_args *a)
{
    return (struct wf_args){.buf = a->buf,
                            .rbuf = a->rbuf,
                            .n = a->n,
                            .rn = a->rn,
                            .type = a->type,
                            .rtype = a->rtype,
                            .peer = a->peer,
                            .rpeer = a->rpeer,
                            .tag = a->tag,
                            .rtag = a->rtag,
                            .source = a->source,
                            .source_tag = a->source_tag,
                            .parts = a->parts,
                            .comm = a->comm,
                            .request = a->request,
                            .status = a->status,
                            .statuses = a->statuses,
                            .req = a->req,
                            .reqs = a->reqs,
                            .reqn = a->reqn,
                            .message = a->message,
                            .flag = a->flag,
                            .index = a->index,
                            .outcount = a->outcount,
                            .indices = a->indices,
                            .handle = a->handle,
                            .own_reqs = a->own_reqs,
                            .tests = a->tests,
                            .freed = a->freed,
                            .started = a->started,
                            .posted = a->posted};
}

/* True: the call is made, and *rc says how. False: the real function is to be called, with a->source and
 * a->source_tag. */
static inline __attribute__((always_inline)) bool wf_order_direct(enum wf_order_class class, struct wf_call *c,
                                                                  struct wf_args *a, const void *caller, int *rc)
{
    const struct wf_order_way *way = wf_order_way;
    if (__builtin_expect(way == NULL, 1) || !way->direct[class])
        return false;
    struct wf_args args = wf_order_args(a);
    int result = MPI_SUCCESS;
    c->caller = caller;
    bool made = way->direct[class](c, &args, &result);
    a->source = args.source;
    a->source_tag = args.source_tag;
    *rc = result;
    return made;
}

static inline __attribute__((always_inline)) void wf_order_blocks(const struct wf_args *a)
{
    const struct wf_order_way *way = wf_order_way;
    if (__builtin_expect(way == NULL, 1) || !way->blocks)
        return;
    way->blocks(a->record && !(a->flags & WF_HEADER_SYNC));
}

static inline __attribute__((always_inline)) void wf_order_settled(enum wf_order_class class, struct wf_call *c,
                                                                   const struct wf_args *a, int rc)
{
    const struct wf_order_way *way = wf_order_way;
    if (__builtin_expect(way == NULL, 1) || !way->settled[class])
        return;
    struct wf_args args = wf_order_args(a);
    way->settled[class](c, &args, rc);
}

#endif
