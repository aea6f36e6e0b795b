/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/completion.h"

#include <string.h>

#include "base/memory.h"
#include "measure/library/flavour.h"
#include "measure/order/patience.h"

/* Many requests at a time: the room of the last such call is kept for the next one. */
static struct {
    _Atomic bool taken;
    MPI_Request *copy;
    int n;
} completion_room;

static size_t completion_bytes(int n)
{
    return ((size_t)n * sizeof(MPI_Request) + 4095) / 4096 * 4096;
}

MPI_Request *wf_completion_take(MPI_Request *few, int n)
{
    if (n <= WF_COMPLETION_FEW)
        return few;
    if (atomic_exchange(&completion_room.taken, true))
        return wf_memory_pages(completion_bytes(n));
    if (n > completion_room.n) {
        if (completion_room.copy)
            wf_memory_release(completion_room.copy, completion_bytes(completion_room.n));
        completion_room.copy = wf_memory_pages(completion_bytes(n));
        completion_room.n = completion_room.copy ? n : 0;
    }
    if (!completion_room.copy)
        atomic_store(&completion_room.taken, false);
    return completion_room.copy;
}

void wf_completion_give(MPI_Request *few, MPI_Request *copy, int n)
{
    if (copy == few)
        return;
    if (copy == completion_room.copy)
        atomic_store(&completion_room.taken, false);
    else
        wf_memory_release(copy, completion_bytes(n));
}

/* One request is called by Wait and Test, which have a return code of their own for it. */
static int completion_real_test(struct wf_completion *x, int *flag)
{
    int rc = MPI_SUCCESS;
    switch (x->kind) {
    case WF_COMPLETION_one:
        return wf_real.Test(x->copy, flag, x->status);
    case WF_COMPLETION_all:
        return wf_real.Testall(x->n, x->copy, flag, x->statuses);
    case WF_COMPLETION_any:
        return wf_real.Testany(x->n, x->copy, x->index, flag, x->status);
    case WF_COMPLETION_some:
        rc = wf_real.Testsome(x->n, x->copy, x->outcount, x->indices, x->statuses);
        *flag = rc == MPI_SUCCESS && *x->outcount != 0;
        return rc;
    }
    return rc;
}

static int completion_real_wait(struct wf_completion *x)
{
    switch (x->kind) {
    case WF_COMPLETION_one:
        return wf_real.Wait(x->copy, x->status);
    case WF_COMPLETION_all:
        return wf_real.Waitall(x->n, x->copy, x->statuses);
    case WF_COMPLETION_any:
        return wf_real.Waitany(x->n, x->copy, x->index, x->status);
    case WF_COMPLETION_some:
        return wf_real.Waitsome(x->n, x->copy, x->outcount, x->indices, x->statuses);
    }
    return MPI_SUCCESS;
}

static void completion_fill(struct wf_completion *x)
{
    x->open = 0;
    for (int i = 0; i < x->n; i++) {
        const struct wf_stand_in *s = wf_stand_in_is_any() ? wf_stand_in_find(x->given[i]) : NULL;
        x->copy[i] = s ? s->inner : x->given[i];
        x->open += s && s->state == WF_STAND_IN_OPEN;
    }
}

/* The status of request i, as the call came out; NULL: it is not known. */
static const MPI_Status *completion_status_of(const struct wf_completion *x, int i, int rc)
{
    if (x->kind == WF_COMPLETION_one || x->kind == WF_COMPLETION_any)
        return rc != MPI_SUCCESS || x->status == MPI_STATUS_IGNORE ? NULL : x->status;
    if (rc != MPI_SUCCESS || x->statuses == MPI_STATUSES_IGNORE)
        return NULL;
    if (x->kind == WF_COMPLETION_all)
        return &x->statuses[i];
    for (int k = 0; k < *x->outcount; k++)
        if (x->indices[k] == i)
            return &x->statuses[k];
    return NULL;
}

/* What MPI did to the copy happens to the application's handles. */
static void completion_write_back(struct wf_completion *x, int rc)
{
    for (int i = 0; i < x->n; i++) {
        struct wf_stand_in *s = wf_stand_in_is_any() ? wf_stand_in_find(x->given[i]) : NULL;
        if (!s && x->copy[i] != x->given[i])
            x->reqs[i] = x->copy[i];
        else if (s && s->state == WF_STAND_IN_POSTED && x->copy[i] == MPI_REQUEST_NULL)
            wf_stand_in_complete(s, &x->reqs[i], completion_status_of(x, i, rc));
    }
}

/* Open ones make "none is active" untrue, and "all are complete". */
static int completion_test_open(struct wf_completion *x, int *flag)
{
    if (x->kind == WF_COMPLETION_one || x->kind == WF_COMPLETION_all) {
        *flag = 0;
        wf_stand_in_progress();
        return MPI_SUCCESS;
    }
    int rc = completion_real_test(x, flag);
    if (rc != MPI_SUCCESS)
        return rc;
    if (x->kind == WF_COMPLETION_any && *flag && *x->index == MPI_UNDEFINED)
        *flag = 0;
    if (x->kind == WF_COMPLETION_some && *x->outcount == MPI_UNDEFINED)
        *flag = *x->outcount = 0;
    return MPI_SUCCESS;
}

int wf_completion_test(struct wf_completion *x, bool *done)
{
    int flag = 0;
    wf_stand_in_drive();
    completion_fill(x);
    int rc = x->open ? completion_test_open(x, &flag) : completion_real_test(x, &flag);
    completion_write_back(x, rc);
    *done = flag != 0;
    return rc;
}

int wf_completion_call(struct wf_completion *x, bool waits, bool *done)
{
    wf_stand_in_drive();
    completion_fill(x);
    if (!waits || x->open)
        return wf_completion_test(x, done);
    int rc = completion_real_wait(x);
    completion_write_back(x, rc);
    *done = true;
    return rc;
}

bool wf_completion_is_complete(const struct wf_completion *x, int *rc)
{
    int flag = 1;
    *rc = MPI_SUCCESS;
    for (int i = 0; i < x->n && flag && *rc == MPI_SUCCESS; i++)
        if (x->given[i] != MPI_REQUEST_NULL)
            *rc = wf_completion_look(x->given[i], &flag, MPI_STATUS_IGNORE);
    return flag && *rc == MPI_SUCCESS;
}

bool wf_completion_has_stand_in(const struct wf_completion *x)
{
    for (int i = 0; i < x->n && wf_stand_in_is_any(); i++)
        if (wf_stand_in_find(x->given[i]))
            return true;
    return false;
}

int wf_completion_try(struct wf_completion *x, bool *done)
{
    int rc = wf_completion_test(x, done);
    if (WF_WAITALL_SETS_ERRORS && x->kind == WF_COMPLETION_all && rc == MPI_SUCCESS && *done &&
        x->statuses != MPI_STATUSES_IGNORE)
        for (int i = 0; i < x->n; i++)
            x->statuses[i].MPI_ERROR = MPI_SUCCESS;
    return rc;
}

int wf_completion_wait(struct wf_completion *x)
{
    struct wf_patience patience = {0};
    bool done = false;
    for (wf_stand_in_drive(); wf_stand_in_is_open(); wf_patience_wait(&patience)) {
        int rc = wf_completion_try(x, &done);
        if (done || rc != MPI_SUCCESS)
            return rc;
    }
    return wf_completion_call(x, true, &done);
}

int wf_completion_look(MPI_Request request, int *flag, MPI_Status *status)
{
    wf_stand_in_drive();
    const struct wf_stand_in *s = wf_stand_in_is_any() ? wf_stand_in_find(request) : NULL;
    if (!s || s->state == WF_STAND_IN_POSTED)
        return wf_real.Request_get_status(s ? s->inner : request, flag, status);
    *flag = 0;
    wf_stand_in_progress();
    return MPI_SUCCESS;
}

/* ---- the application's calls ---- */

bool wf_completion_of(struct wf_completion *x, enum wf_completion_kind kind, struct wf_args *a)
{
    bool one = kind == WF_COMPLETION_one;
    *x = (struct wf_completion){.kind = kind,
                                .n = one ? 1 : a->reqn,
                                .given = one ? a->req : a->own_reqs,
                                .reqs = one ? a->req : a->reqs,
                                .index = a->index,
                                .outcount = a->outcount,
                                .indices = a->indices,
                                .status = a->status,
                                .statuses = a->statuses};
    bool any = kind == WF_COMPLETION_any, some = kind == WF_COMPLETION_some;
    return x->n > 0 && x->given && x->reqs && (!any || x->index) && (!some || (x->outcount && x->indices));
}

/* Is there anything for MPI that is not the application's own? */
static bool completion_concerns(const struct wf_completion *x)
{
    return wf_stand_in_is_open() || wf_completion_has_stand_in(x);
}

static bool completion_direct(enum wf_completion_kind kind, struct wf_args *a, int *flag, int *rc)
{
    struct wf_completion x;
    MPI_Request few[WF_COMPLETION_FEW];
    bool done;
    if (!wf_stand_in_is_any() || !wf_completion_of(&x, kind, a) || !completion_concerns(&x))
        return false;
    x.copy = wf_completion_take(few, x.n);
    if (!x.copy)
        return false;
    if (!flag && !a->tests)
        *rc = wf_completion_wait(&x);
    else
        *rc = wf_completion_test(&x, &done);
    if (flag)
        *flag = done;
    wf_completion_give(few, x.copy, x.n);
    return true;
}

bool wf_completion_wait_one(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return completion_direct(WF_COMPLETION_one, a, NULL, rc);
}

bool wf_completion_wait_all(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return completion_direct(WF_COMPLETION_all, a, NULL, rc);
}

bool wf_completion_wait_any(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return completion_direct(WF_COMPLETION_any, a, NULL, rc);
}

bool wf_completion_wait_some(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return completion_direct(WF_COMPLETION_some, a, NULL, rc);
}

bool wf_completion_test_one(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return a->flag && completion_direct(WF_COMPLETION_one, a, a->flag, rc);
}

bool wf_completion_test_all(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return a->flag && completion_direct(WF_COMPLETION_all, a, a->flag, rc);
}

bool wf_completion_test_any(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return a->flag && completion_direct(WF_COMPLETION_any, a, a->flag, rc);
}

bool wf_completion_test_some(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return completion_direct(WF_COMPLETION_some, a, NULL, rc);
}

bool wf_completion_status(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    if (!wf_stand_in_is_any() || !a->flag)
        return false;
    *rc = wf_completion_look(a->request, a->flag, a->status);
    return true;
}
