/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Replay of completions. A Test that failed fails. A call that completed something waits for exactly that: the recorded
 * requests are completed as a set of their own.
 */
#include "measure/library/real.h"
#include "measure/order/replay.h"

/* Waits until all of the set are complete. False: they are not in time, or *rc says what is wrong. */
static bool replay_awaits(const struct wf_call *c, const struct wf_completion *x, int *rc)
{
    struct wf_replay_wait wait = {.since_ns = 0};
    do {
        if (wf_completion_is_complete(x, rc) || *rc != MPI_SUCCESS)
            return *rc == MPI_SUCCESS;
    } while (wf_replay_goes_on(c, &wait));
    return false;
}

/* The same, and completes them by the function that the application calls. */
static bool replay_completes(const struct wf_call *c, struct wf_completion *x, bool waits, int *rc)
{
    bool done = false;
    if (replay_awaits(c, x, rc))
        *rc = wf_completion_call(x, waits, &done);
    return done && *rc == MPI_SUCCESS;
}

/* ---- one and all ---- */

/* Only stand-ins wait for what is recorded. True: the call is made. */
static bool replay_wait(const struct wf_call *c, struct wf_args *a, enum wf_completion_kind kind, int *rc)
{
    struct wf_completion x;
    struct wf_replay_wait wait = {.since_ns = 0};
    MPI_Request few[WF_COMPLETION_FEW];
    bool done = false;
    if (!wf_stand_in_is_any() || !wf_completion_of(&x, kind, a) || !wf_completion_has_stand_in(&x))
        return false;
    x.copy = wf_completion_take(few, x.n);
    if (!x.copy)
        return false;
    do
        *rc = wf_completion_try(&x, &done);
    while (!done && *rc == MPI_SUCCESS && wf_replay_goes_on(c, &wait));
    if (!done && *rc == MPI_SUCCESS)
        *rc = wf_completion_wait(&x);
    wf_completion_give(few, x.copy, x.n);
    return true;
}

bool wf_replay_wait_one(struct wf_call *c, struct wf_args *a, int *rc)
{
    return wf_replay_has_departed() ? wf_completion_wait_one(c, a, rc) : replay_wait(c, a, WF_COMPLETION_one, rc);
}

bool wf_replay_wait_all(struct wf_call *c, struct wf_args *a, int *rc)
{
    return wf_replay_has_departed() ? wf_completion_wait_all(c, a, rc) : replay_wait(c, a, WF_COMPLETION_all, rc);
}

/* A Test that has come true. If it does not in time, it has failed. */
static bool replay_test(const struct wf_call *c, struct wf_args *a, enum wf_completion_kind kind, int *rc)
{
    struct wf_completion x;
    struct wf_replay_wait wait = {.since_ns = 0};
    MPI_Request few[WF_COMPLETION_FEW];
    bool done = false;
    if (!wf_completion_of(&x, kind, a))
        return false;
    x.copy = wf_completion_take(few, x.n);
    if (!x.copy)
        return false;
    do
        *rc = wf_completion_test(&x, &done);
    while (!done && *rc == MPI_SUCCESS && wf_replay_goes_on(c, &wait));
    *a->flag = done;
    wf_completion_give(few, x.copy, x.n);
    return true;
}

bool wf_replay_test_one(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    enum wf_replay_answer answer = a->flag ? wf_replay_poll(c, WF_COURSE_TEST, &e) : WF_REPLAY_FREE;
    if (answer == WF_REPLAY_NO)
        *a->flag = 0;
    if (answer == WF_REPLAY_YES)
        return replay_test(c, a, WF_COMPLETION_one, rc);
    return answer == WF_REPLAY_NO || wf_completion_test_one(c, a, rc);
}

bool wf_replay_test_all(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    enum wf_replay_answer answer = a->flag ? wf_replay_poll(c, WF_COURSE_TESTALL, &e) : WF_REPLAY_FREE;
    if (answer == WF_REPLAY_NO)
        *a->flag = 0;
    if (answer == WF_REPLAY_YES)
        return replay_test(c, a, WF_COMPLETION_all, rc);
    return answer == WF_REPLAY_NO || wf_completion_test_all(c, a, rc);
}

bool wf_replay_status(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    struct wf_replay_wait wait = {.since_ns = 0};
    enum wf_replay_answer answer = a->flag ? wf_replay_poll(c, WF_COURSE_STATUS, &e) : WF_REPLAY_FREE;
    if (answer == WF_REPLAY_NO)
        *a->flag = 0;
    if (answer != WF_REPLAY_YES)
        return answer == WF_REPLAY_NO || wf_completion_status(c, a, rc);
    do
        *rc = wf_completion_look(a->request, a->flag, a->status);
    while (*rc == MPI_SUCCESS && !*a->flag && wf_replay_goes_on(c, &wait));
    return true;
}

/* ---- any ---- */

/* Completes the recorded one. False: it cannot be, and the process has departed. */
static bool replay_any(const struct wf_call *c, struct wf_args *a, uint64_t i, bool waits, int *rc)
{
    MPI_Request copy;
    int index = MPI_UNDEFINED;
    if (!a->own_reqs || !a->index || i >= (uint64_t)a->reqn || a->own_reqs[i] == MPI_REQUEST_NULL) {
        wf_replay_depart(c, "the request that is recorded as complete is not under way");
        return false;
    }
    struct wf_completion x = {.kind = WF_COMPLETION_any,
                              .n = 1,
                              .given = &a->own_reqs[i],
                              .reqs = &a->reqs[i],
                              .index = &index,
                              .status = a->status,
                              .copy = &copy};
    bool done = replay_completes(c, &x, waits, rc);
    if (done && index == MPI_UNDEFINED)
        wf_replay_depart(c, "the request that is recorded as complete is not under way");
    if (index == 0)
        *a->index = (int)i;
    return index == 0 || *rc != MPI_SUCCESS;
}

bool wf_replay_wait_any(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    if (wf_replay_expect(c, WF_COURSE_WAITANY, &e) == WF_REPLAY_YES && e.number != WF_COURSE_UNDEFINED &&
        replay_any(c, a, e.number, true, rc))
        return true;
    return wf_completion_wait_any(c, a, rc);
}

bool wf_replay_test_any(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    enum wf_replay_answer answer = a->flag && a->index ? wf_replay_poll(c, WF_COURSE_TESTANY, &e) : WF_REPLAY_FREE;
    if (answer == WF_REPLAY_NO) {
        *a->flag = 0;
        *a->index = MPI_UNDEFINED;
        return true;
    }
    if (answer == WF_REPLAY_YES && e.number != WF_COURSE_UNDEFINED && replay_any(c, a, e.number, false, rc)) {
        *a->flag = *rc == MPI_SUCCESS;
        return true;
    }
    return wf_completion_test_any(c, a, rc);
}

/* ---- some ---- */

/* The recorded requests, in the order in which they were reported. */
struct replay_set {
    MPI_Request *handles, *copy;
    int *indices;
    int n;
};

/* False: some of them are not under way. */
static bool replay_set_read(struct replay_set *set, const struct wf_args *a)
{
    bool right = true;
    for (int k = 0; k < set->n; k++) {
        uint64_t i;
        right = wf_replay_index(&i) && i < (uint64_t)a->reqn && right;
        set->indices[k] = right ? (int)i : 0;
        set->handles[k] = right ? a->own_reqs[i] : MPI_REQUEST_NULL;
        right = right && set->handles[k] != MPI_REQUEST_NULL;
    }
    return right;
}

static bool replay_set_complete(const struct wf_call *c, struct replay_set *set, struct wf_args *a, bool waits, int *rc)
{
    bool done;
    struct wf_completion x = {.kind = WF_COMPLETION_some,
                              .n = set->n,
                              .given = set->handles,
                              .reqs = set->handles,
                              .outcount = a->outcount,
                              .indices = a->indices,
                              .statuses = a->statuses,
                              .copy = set->copy};
    if (!replay_awaits(c, &x, rc))
        return *rc != MPI_SUCCESS;
    *a->outcount = 0;
    *rc = wf_completion_call(&x, waits, &done);
    for (int k = 0; k < set->n; k++)
        a->reqs[set->indices[k]] = set->handles[k];
    for (int k = 0; *a->outcount != MPI_UNDEFINED && k < *a->outcount; k++)
        a->indices[k] = set->indices[a->indices[k]];
    return true;
}

/* False: MPI is to decide; the process has departed, or there was nothing to complete. */
static bool replay_some(const struct wf_call *c, struct wf_args *a, uint64_t n, bool waits, int *rc)
{
    MPI_Request few[WF_COMPLETION_FEW];
    if (n == WF_COURSE_UNDEFINED)
        return false;
    MPI_Request *room = n <= (uint64_t)a->reqn && a->own_reqs ? wf_completion_take(few, 3 * (int)n) : NULL;
    if (!room) {
        wf_replay_depart(c, "the requests that are recorded as complete are not under way");
        return false;
    }
    struct replay_set set = {.handles = room, .copy = room + n, .indices = (int *)(room + 2 * n), .n = (int)n};
    bool made = replay_set_read(&set, a);
    if (made)
        made = replay_set_complete(c, &set, a, waits, rc);
    else
        wf_replay_depart(c, "the requests that are recorded as complete are not under way");
    wf_completion_give(few, room, 3 * (int)n);
    return made;
}

bool wf_replay_wait_some(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    if (wf_replay_expect(c, WF_COURSE_WAITSOME, &e) == WF_REPLAY_YES && replay_some(c, a, e.number, true, rc))
        return true;
    return wf_completion_wait_some(c, a, rc);
}

bool wf_replay_test_some(struct wf_call *c, struct wf_args *a, int *rc)
{
    struct wf_course_event e;
    enum wf_replay_answer answer = a->outcount ? wf_replay_poll(c, WF_COURSE_TESTSOME, &e) : WF_REPLAY_FREE;
    if (answer == WF_REPLAY_NO)
        *a->outcount = 0;
    if (answer == WF_REPLAY_NO || (answer == WF_REPLAY_YES && replay_some(c, a, e.number, false, rc)))
        return true;
    return wf_completion_test_some(c, a, rc);
}
