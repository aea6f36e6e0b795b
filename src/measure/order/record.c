/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way that records: MPI decides, and each outcome that its rules leave open is written into the process's course.
 * A table says which receives from any source are under way, by their handles; no two have one handle.
 *
 * The order of calls of several threads is not one course: when a second thread makes such a call, recording ends.
 */
#include "measure/order/order.h"

#include "base/pool.h"
#include "measure/library/flavour.h"
#include "measure/order/course.h"

#define RECORD_MOST (1u << 20)
#define RECORD_BUCKET_BITS 12

struct record_receive {
    struct record_receive *next; /* of the same bucket */
    MPI_Request handle;
    uint64_t number; /* of the one under way */
    int asked_tag;
    bool persistent, active;
};

static struct {
    const struct wf_tls *thread; /* that makes the calls */
    struct wf_pool pool;
    struct record_receive *buckets[1u << RECORD_BUCKET_BITS];
    uint32_t count;
} record = {.pool = WF_POOL(struct record_receive, RECORD_MOST)};

/* False: nothing is recorded any more. */
static bool record_is_on(const struct wf_call *c)
{
    if (__builtin_expect(c->tls != record.thread, 0))
        wf_course_stop(WF_COURSE_THREADS);
    return !wf_course_is_stopped();
}

/* ---- receives under way ---- */

static struct record_receive **record_bucket(MPI_Request handle)
{
    return &record.buckets[((uintptr_t)handle * 0x9E3779B97F4A7C15u) >> (64 - RECORD_BUCKET_BITS)];
}

static struct record_receive *record_find(MPI_Request handle)
{
    struct record_receive *r = record.count ? *record_bucket(handle) : NULL;
    while (r && r->handle != handle)
        r = r->next;
    return r;
}

static void record_remove(struct record_receive *r)
{
    struct record_receive **at = record_bucket(r->handle);
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    record.count--;
    wf_pool_give(&record.pool, r);
}

static struct record_receive *record_add(MPI_Request handle, int asked_tag, bool persistent)
{
    struct record_receive *r = record_find(handle), **bucket = record_bucket(handle);
    if (r)
        record_remove(r); /* it was completed where weft did not see it */
    r = wf_pool_take(&record.pool);
    if (!r) {
        wf_course_stop(WF_COURSE_FULL);
        return NULL;
    }
    *r = (struct record_receive){.next = *bucket, .handle = handle, .asked_tag = asked_tag, .persistent = persistent};
    *bucket = r;
    record.count++;
    return r;
}

static int record_tag(int asked, const MPI_Status *status)
{
    return asked == MPI_ANY_TAG ? status->MPI_TAG : WF_COURSE_TAG_AS_ASKED;
}

/* A request is complete. status NULL: with an error, or its status is not known. */
static void record_complete(MPI_Request handle, const MPI_Status *status)
{
    struct record_receive *r = record_find(handle);
    if (!r || !r->active)
        return;
    if (!status)
        wf_course_add_unknown(r->number);
    else if (!wf_status_cancelled(status))
        wf_course_add_result(r->number, status->MPI_SOURCE, record_tag(r->asked_tag, status));
    r->active = false;
    if (!r->persistent)
        record_remove(r);
}

/* ---- posting ---- */

static void record_irecv(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS || a->peer != MPI_ANY_SOURCE || !record_is_on(c))
        return;
    struct record_receive *r = record_add(*a->req, a->tag, false);
    if (!r)
        return;
    r->number = wf_course_post();
    r->active = true;
}

static void record_recv_init(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (rc == MPI_SUCCESS && a->peer == MPI_ANY_SOURCE && !a->parts && record_is_on(c))
        record_add(*a->req, a->tag, true);
}

static void record_startall(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS || !record.count || !record_is_on(c))
        return;
    for (int i = 0; i < a->reqn; i++) {
        struct record_receive *r = record_find(a->reqs[i]);
        if (!r || !r->persistent)
            continue;
        r->number = wf_course_post();
        r->active = true;
    }
}

static void record_request_free(struct wf_call *c, const struct wf_args *a, int rc)
{
    struct record_receive *r = rc == MPI_SUCCESS && record_is_on(c) ? record_find((MPI_Request)a->handle) : NULL; /* as
                                                                                                                     it
                                                                                                                     was
                                                                                                                   */
    if (!r)
        return;
    if (r->active)
        wf_course_add_unknown(r->number);
    record_remove(r);
}

/* ---- receives and probes that wait ---- */

static void record_error(void)
{
    wf_course_add(&(struct wf_course_event){.kind = WF_COURSE_OTHER, .number = WF_COURSE_ERROR});
}

static void record_taken(const struct wf_call *c, enum wf_course_kind kind, int tag, const MPI_Status *status, int rc)
{
    if (!record_is_on(c))
        return;
    if (rc != MPI_SUCCESS || status == MPI_STATUS_IGNORE)
        record_error();
    else
        wf_course_add(
            &(struct wf_course_event){.kind = kind, .source = status->MPI_SOURCE, .tag = record_tag(tag, status)});
}

#define RECORD_TAKES(class, KIND, from, asked)                                      \
    static void record_##class(struct wf_call * c, const struct wf_args *a, int rc) \
    {                                                                               \
        if (a->from == MPI_ANY_SOURCE)                                              \
            record_taken(c, KIND, a->asked, a->status, rc);                         \
    }
RECORD_TAKES(recv, WF_COURSE_RECV, peer, tag)
RECORD_TAKES(sendrecv, WF_COURSE_SENDRECV, rpeer, rtag)
RECORD_TAKES(probe, WF_COURSE_PROBE, peer, tag)
RECORD_TAKES(mprobe, WF_COURSE_MPROBE, peer, tag)

/* ---- polls ---- */

/* False: the call is over as an event: it failed, or ended with an error. */
static bool record_came(bool flag, int rc)
{
    if (rc != MPI_SUCCESS)
        record_error();
    else if (!flag)
        wf_course_add_failed();
    return rc == MPI_SUCCESS && flag;
}

static void record_probed(const struct wf_call *c, const struct wf_args *a, enum wf_course_kind kind, int rc)
{
    if (a->peer != MPI_PROC_NULL && record_is_on(c) && record_came(rc == MPI_SUCCESS && *a->flag, rc))
        record_taken(c, kind, a->tag, a->status, rc);
}

static void record_iprobe(struct wf_call *c, const struct wf_args *a, int rc)
{
    record_probed(c, a, WF_COURSE_IPROBE, rc);
}

static void record_improbe(struct wf_call *c, const struct wf_args *a, int rc)
{
    record_probed(c, a, WF_COURSE_IMPROBE, rc);
}

static void record_came_as(enum wf_course_kind kind, uint64_t number)
{
    wf_course_add(&(struct wf_course_event){.kind = kind, .number = number});
}

static void record_status(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (record_is_on(c) && record_came(rc == MPI_SUCCESS && *a->flag, rc))
        record_came_as(WF_COURSE_STATUS, 0);
}

/* ---- completions ---- */

/* An error: whose handles are gone is over. */
static void record_all_failed(const struct wf_args *a)
{
    if (record.count && a->own_reqs)
        for (int i = 0; i < a->reqn; i++)
            if (a->own_reqs[i] != MPI_REQUEST_NULL && a->reqs[i] != a->own_reqs[i])
                record_complete(a->own_reqs[i], NULL);
}

static void record_wait(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (record.count && record_is_on(c) && a->handle != (uintptr_t)MPI_REQUEST_NULL)
        record_complete((MPI_Request)a->handle, rc == MPI_SUCCESS ? a->status : NULL);
}

static void record_test(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (!record_is_on(c) || !record_came(rc == MPI_SUCCESS && *a->flag, rc))
        return;
    record_came_as(WF_COURSE_TEST, 0);
    record_wait(c, a, rc);
}

static void record_waitall(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (!record.count || !record_is_on(c) || !a->own_reqs)
        return;
    if (rc != MPI_SUCCESS)
        record_all_failed(a);
    else
        for (int i = 0; i < a->reqn; i++)
            record_complete(a->own_reqs[i], a->statuses == MPI_STATUSES_IGNORE ? NULL : &a->statuses[i]);
}

static void record_testall(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (!record_is_on(c) || !record_came(rc == MPI_SUCCESS && *a->flag, rc))
        return;
    record_came_as(WF_COURSE_TESTALL, 0);
    record_waitall(c, a, rc);
}

static void record_any(const struct wf_args *a, enum wf_course_kind kind)
{
    int i = *a->index;
    record_came_as(kind, i == MPI_UNDEFINED ? WF_COURSE_UNDEFINED : (uint64_t)i);
    if (i != MPI_UNDEFINED && a->own_reqs)
        record_complete(a->own_reqs[i], a->status == MPI_STATUS_IGNORE ? NULL : a->status);
}

static void record_waitany(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (!record_is_on(c))
        return;
    if (rc == MPI_SUCCESS) {
        record_any(a, WF_COURSE_WAITANY);
    } else {
        record_error();
        record_all_failed(a);
    }
}

static void record_testany(struct wf_call *c, const struct wf_args *a, int rc)
{
    if (!record_is_on(c))
        return;
    if (record_came(rc == MPI_SUCCESS && *a->flag, rc))
        record_any(a, WF_COURSE_TESTANY);
    else if (rc != MPI_SUCCESS)
        record_all_failed(a);
}

static void record_some(const struct wf_args *a, enum wf_course_kind kind)
{
    bool none = *a->outcount == MPI_UNDEFINED;
    uint64_t n = none ? 0 : (uint64_t)*a->outcount;
    struct wf_course_event e = {.kind = kind, .number = none ? WF_COURSE_UNDEFINED : n};
    wf_course_add_list(&e, a->indices, n);
    for (uint64_t k = 0; k < n && a->own_reqs; k++)
        record_complete(a->own_reqs[a->indices[k]], a->statuses == MPI_STATUSES_IGNORE ? NULL : &a->statuses[k]);
}

static void record_somesome(const struct wf_call *c, const struct wf_args *a, enum wf_course_kind kind, int rc)
{
    if (!record_is_on(c))
        return;
    if (record_came(rc == MPI_SUCCESS && *a->outcount != 0, rc))
        record_some(a, kind);
    else if (rc != MPI_SUCCESS)
        record_all_failed(a);
}

static void record_waitsome(struct wf_call *c, const struct wf_args *a, int rc)
{
    record_somesome(c, a, WF_COURSE_WAITSOME, rc);
}

static void record_testsome(struct wf_call *c, const struct wf_args *a, int rc)
{
    record_somesome(c, a, WF_COURSE_TESTSOME, rc);
}

static const struct wf_order_way record_way = {
    .settled =
        {
            [WF_ORDER_recv] = record_recv,       [WF_ORDER_sendrecv] = record_sendrecv,
            [WF_ORDER_irecv] = record_irecv,     [WF_ORDER_recv_init] = record_recv_init,
            [WF_ORDER_start] = record_startall,  [WF_ORDER_startall] = record_startall,
            [WF_ORDER_probe] = record_probe,     [WF_ORDER_iprobe] = record_iprobe,
            [WF_ORDER_mprobe] = record_mprobe,   [WF_ORDER_improbe] = record_improbe,
            [WF_ORDER_wait] = record_wait,       [WF_ORDER_waitall] = record_waitall,
            [WF_ORDER_waitany] = record_waitany, [WF_ORDER_waitsome] = record_waitsome,
            [WF_ORDER_test] = record_test,       [WF_ORDER_testall] = record_testall,
            [WF_ORDER_testany] = record_testany, [WF_ORDER_testsome] = record_testsome,
            [WF_ORDER_status] = record_status,   [WF_ORDER_request_free] = record_request_free,
        },
};

const struct wf_order_way *wf_order_record_start(const char *rest)
{
    (void)rest;
    record.thread = &weft_tls;
    const struct wf_segment_header *process = wf_process.segment.header;
    return wf_course_create(process->rank, process->size) ? &record_way : NULL;
}
