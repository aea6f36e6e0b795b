/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replay of receives and probes. A blocking one waits until its message is there, so that it can give up, and is then
 * made with the recorded source and tag. A nonblocking or persistent one is a stand-in, whose inner request is posted
 * at once: with the recorded source and tag, or so that it takes nothing.
 */
#include <limits.h>

#include "measure/library/real.h"
#include "measure/order/replay.h"

/* A stand-in whose receive is recorded as completed: it cannot be cancelled. */
static char replay_completes;

static const char *replay_trouble; /* of a stand-in that was started just now; NULL: none */

/* ---- blocking ---- */

/* Waits for a message. False: it did not come, and *rc is not MPI_SUCCESS if a parameter is wrong. */
static bool replay_arrives(const struct wf_call *c, MPI_Comm comm, int source, int tag, int *rc)
{
    struct wf_replay_wait wait = {.since_ns = 0};
    int flag = 0;
    *rc = MPI_SUCCESS;
    do {
        wf_stand_in_drive();
        *rc = wf_real.Iprobe(source, tag, comm, &flag, MPI_STATUS_IGNORE);
        if (flag || *rc != MPI_SUCCESS)
            return flag && *rc == MPI_SUCCESS;
    } while (wf_replay_goes_on(c, &wait));
    return false;
}

/* The recorded source and tag. False: they are not possible, and the process has departed. */
static bool replay_choose(const struct wf_call *c, MPI_Comm comm, int asked_tag, const struct wf_course_event *e,
                          int *tag)
{
    *tag = e->tag == WF_COURSE_TAG_AS_ASKED ? asked_tag : e->tag;
    if (wf_replay_is_possible(comm, e->source, *tag))
        return true;
    wf_replay_depart(c, "the recorded source is no rank of the communicator");
    return false;
}

/* True: the call is over. */
static bool replay_take(const struct wf_call *c, struct wf_args *a, const struct wf_course_event *e, int *rc)
{
    int tag;
    if (!replay_choose(c, a->comm, a->tag, e, &tag))
        return false;
    if (replay_arrives(c, a->comm, e->source, tag, rc)) {
        a->source = e->source;
        a->source_tag = tag;
    }
    return *rc != MPI_SUCCESS;
}

/* Also a receive from one rank gives up where receives are directed that this rank may wait for. */
static bool replay_named(const struct wf_call *c, struct wf_args *a, int *rc)
{
    if (!wf_stand_in_is_any() || wf_replay_has_departed())
        return false;
    replay_arrives(c, a->comm, a->peer, a->tag, rc);
    return *rc != MPI_SUCCESS;
}

static bool replay_blocking(const struct wf_call *c, struct wf_args *a, enum wf_course_kind kind, int *rc)
{
    struct wf_course_event e;
    if (a->peer != MPI_ANY_SOURCE)
        return replay_named(c, a, rc);
    return wf_replay_expect(c, kind, &e) == WF_REPLAY_YES && replay_take(c, a, &e, rc);
}

bool wf_replay_recv(struct wf_call *c, struct wf_args *a, int *rc)
{
    return replay_blocking(c, a, WF_COURSE_RECV, rc);
}

bool wf_replay_probe(struct wf_call *c, struct wf_args *a, int *rc)
{
    return replay_blocking(c, a, WF_COURSE_PROBE, rc);
}

bool wf_replay_mprobe(struct wf_call *c, struct wf_args *a, int *rc)
{
    return replay_blocking(c, a, WF_COURSE_MPROBE, rc);
}

static bool replay_polled(const struct wf_call *c, struct wf_args *a, enum wf_course_kind kind, int *rc)
{
    struct wf_course_event e;
    if (a->peer == MPI_PROC_NULL || !a->flag)
        return false;
    enum wf_replay_answer answer = wf_replay_poll(c, kind, &e);
    if (answer == WF_REPLAY_NO)
        *a->flag = 0;
    return answer == WF_REPLAY_NO || (answer == WF_REPLAY_YES && replay_take(c, a, &e, rc));
}

bool wf_replay_iprobe(struct wf_call *c, struct wf_args *a, int *rc)
{
    return replay_polled(c, a, WF_COURSE_IPROBE, rc);
}

bool wf_replay_improbe(struct wf_call *c, struct wf_args *a, int *rc)
{
    return replay_polled(c, a, WF_COURSE_IMPROBE, rc);
}

/* ---- both ---- */

/* The send is under way while the message is waited for, as another rank may wait for it. */
static bool replay_send_and_take(const struct wf_call *c, struct wf_args *a, int source, int tag, int *rc)
{
    MPI_Request send = MPI_REQUEST_NULL;
    *rc = wf_real.Isend(a->buf, (int)a->n, a->type, a->peer, a->tag, a->comm, &send);
    if (*rc != MPI_SUCCESS)
        return true;
    bool arrives = replay_arrives(c, a->comm, source, tag, rc);
    if (*rc == MPI_SUCCESS)
        *rc = wf_real.Recv((void *)a->rbuf, (int)a->rn, a->rtype, arrives ? source : a->rpeer, arrives ? tag : a->rtag,
                           a->comm, a->status);
    int sent = wf_real.Wait(&send, MPI_STATUS_IGNORE);
    *rc = *rc != MPI_SUCCESS ? *rc : sent;
    return true;
}

bool wf_replay_sendrecv(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    int tag;
    if (a->rpeer != MPI_ANY_SOURCE || wf_replay_expect(c, WF_COURSE_SENDRECV, &e) != WF_REPLAY_YES ||
        !replay_choose(c, a->comm, a->rtag, &e, &tag))
        return false;
    if (a->rtype && a->n >= 0 && a->n <= INT_MAX && a->rn >= 0 && a->rn <= INT_MAX)
        return replay_send_and_take(c, a, e.source, tag, rc);
    a->source = e.source; /* Sendrecv_replace: its buffer is free only when both are over */
    a->source_tag = tag;
    return false;
}

/* ---- stand-ins ---- */

static void replay_started(struct wf_stand_in *s)
{
    struct wf_course_event e;
    s->own = NULL;
    enum wf_replay_taking taking = wf_replay_has_departed() ? WF_REPLAY_UNKNOWN : wf_replay_next_receive(&e);
    if (taking == WF_REPLAY_TAKES) {
        int tag = e.tag == WF_COURSE_TAG_AS_ASKED ? s->tag : e.tag;
        if (wf_replay_is_possible(s->comm, e.source, tag)) {
            s->own = &replay_completes;
            wf_stand_in_post(s, e.source, tag);
            return;
        }
        replay_trouble = "the recorded source is no rank of the communicator";
    } else if (taking == WF_REPLAY_NOTHING) {
        wf_stand_in_post_nothing(s);
        return;
    } else if (taking == WF_REPLAY_ENDS) {
        replay_trouble = "it posts more receives from any source than are recorded";
    }
    wf_stand_in_post(s, s->source, s->tag);
}

static void replay_progress(struct wf_stand_in *s)
{
    wf_stand_in_post(s, s->source, s->tag); /* it could not be posted when it was started */
}

static const struct wf_stand_in_way replay_receives = {.started = replay_started, .progress = replay_progress};

static void replay_look_for_trouble(const struct wf_call *c)
{
    if (replay_trouble)
        wf_replay_depart(c, replay_trouble);
    replay_trouble = NULL;
}

bool wf_replay_irecv(struct wf_call *c, struct wf_args *a, int *rc)
{
    if (a->peer != MPI_ANY_SOURCE || wf_replay_has_departed())
        return false;
    bool held = wf_stand_in_hold(a, &replay_receives, rc);
    replay_look_for_trouble(c);
    return held;
}

void wf_replay_recv_init(struct wf_call *c, const struct wf_args *a, int rc)
{
    (void)c;
    if (rc == MPI_SUCCESS && a->peer == MPI_ANY_SOURCE && !a->parts && !wf_replay_has_departed())
        wf_stand_in_keep(a, &replay_receives);
}

bool wf_replay_start(struct wf_call *c, struct wf_args *a, int *rc)
{
    bool started = wf_stand_in_starts(c, a, rc);
    replay_look_for_trouble(c);
    return started;
}

bool wf_replay_startall(struct wf_call *c, struct wf_args *a, int *rc)
{
    bool started = wf_stand_in_startall(c, a, rc);
    replay_look_for_trouble(c);
    return started;
}

bool wf_replay_cancel(struct wf_call *c, struct wf_args *a, int *rc)
{
    const struct wf_stand_in *s = wf_stand_in_is_any() && a->req ? wf_stand_in_find(*a->req) : NULL;
    if (!s || s->own != &replay_completes || wf_replay_has_departed())
        return wf_stand_in_cancel(c, a, rc);
    *rc = MPI_SUCCESS; /* as recorded: its message has come */
    return true;
}
