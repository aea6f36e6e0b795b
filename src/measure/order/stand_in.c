/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/stand_in.h"

#include <limits.h>

#include "base/lock.h"
#include "base/pool.h"
#include "measure/library/flavour.h"
#include "measure/process/process.h"

#define STAND_IN_MOST (1u << 20)
#define STAND_IN_BUCKET_BITS 10
#define STAND_IN_TAG_BELOW 0x5EF7 /* its tag is that much below the largest: no program sends itself that */

static struct {
    struct wf_lock lock;
    struct wf_pool pool;
    struct wf_stand_in *buckets[1u << STAND_IN_BUCKET_BITS]; /* by a hash of the handle */
    struct stand_in_list {                                   /* each in the order of their starts, */
        struct wf_stand_in *first, *last;
    } lists[WF_STAND_IN_POSTED + 1]; /* by enum wf_stand_in_state */
    int nothing_tag;
} stand_ins = {.pool = WF_POOL(struct wf_stand_in, STAND_IN_MOST)};

_Atomic uint32_t wf_stand_in_count;

static void stand_in_lock(void)
{
    if (wf_process.threads)
        wf_lock_take(&stand_ins.lock);
}

static void stand_in_unlock(void)
{
    if (wf_process.threads)
        wf_lock_give(&stand_ins.lock);
}

void wf_stand_in_start(void)
{
    int *most = NULL, known = 0;
    wf_real.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &known);
    stand_ins.nothing_tag = known && *most > 32767 ? *most - STAND_IN_TAG_BELOW : 32767;
}

bool wf_stand_in_is_open(void)
{
    return stand_ins.lists[WF_STAND_IN_OPEN].first != NULL;
}

struct wf_stand_in *wf_stand_in_last_open(void)
{
    return stand_ins.lists[WF_STAND_IN_OPEN].last;
}

void wf_stand_in_progress(void)
{
    int flag;
    wf_real.Iprobe(0, stand_ins.nothing_tag, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

int wf_stand_in_receive_nothing(MPI_Request *request)
{
    return wf_real.Irecv(NULL, 0, MPI_BYTE, 0, stand_ins.nothing_tag, MPI_COMM_SELF, request);
}

/* ---- the table, and the list of the open ones; with the lock held ---- */

static struct wf_stand_in **stand_in_bucket(MPI_Request handle)
{
    return &stand_ins.buckets[((uintptr_t)handle * 0x9E3779B97F4A7C15u) >> (64 - STAND_IN_BUCKET_BITS)];
}

static struct wf_stand_in *stand_in_look(MPI_Request handle)
{
    struct wf_stand_in *s = *stand_in_bucket(handle);
    while (s && s->handle != handle)
        s = s->next;
    return s;
}

static struct wf_stand_in *stand_in_add(const struct wf_stand_in *what)
{
    struct wf_stand_in *s = wf_pool_take(&stand_ins.pool), **bucket = stand_in_bucket(what->handle);
    if (!s)
        return NULL;
    *s = *what;
    s->next = *bucket;
    *bucket = s;
    atomic_fetch_add_explicit(&wf_stand_in_count, 1, memory_order_relaxed);
    return s;
}

static void stand_in_unlink(struct wf_stand_in *s)
{
    struct wf_stand_in **at = stand_in_bucket(s->handle);
    while (*at && *at != s)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
}

/* Into the list of a state, as the last. Idle ones are in none. */
static void stand_in_enlist(struct wf_stand_in *s, enum wf_stand_in_state state)
{
    struct stand_in_list *list = &stand_ins.lists[state];
    s->state = state;
    if (state == WF_STAND_IN_IDLE)
        return;
    s->later = NULL;
    s->earlier = list->last;
    *(s->earlier ? &s->earlier->later : &list->first) = s;
    list->last = s;
}

static void stand_in_delist(struct wf_stand_in *s)
{
    struct stand_in_list *list = &stand_ins.lists[s->state];
    if (s->state == WF_STAND_IN_IDLE)
        return;
    *(s->earlier ? &s->earlier->later : &list->first) = s->later;
    *(s->later ? &s->later->earlier : &list->last) = s->earlier;
}

static void stand_in_open(struct wf_stand_in *s)
{
    s->inner = MPI_REQUEST_NULL;
    stand_in_enlist(s, WF_STAND_IN_OPEN);
    if (s->way->started)
        s->way->started(s);
}

static void stand_in_give(struct wf_stand_in *s)
{
    if (s->own_type)
        wf_real.Type_free(&s->type);
    atomic_fetch_sub_explicit(&wf_stand_in_count, 1, memory_order_relaxed);
    wf_pool_give(&stand_ins.pool, s);
}

/* ---- beginnings ---- */

/* The application may free a derived type when its receive is started. One made of it has no attributes of its own,
 * which a duplicate would copy by functions of the application. */
static bool stand_in_take_type(struct wf_stand_in *s)
{
    MPI_Datatype own;
    if (wf_type_bytes_predefined(s->type))
        return true;
    if (wf_real.Type_contiguous(1, s->type, &own) != MPI_SUCCESS)
        return false;
    wf_real.Type_commit(&own);
    s->type = own;
    s->own_type = true;
    return true;
}

static struct wf_stand_in stand_in_of(const struct wf_args *a, const struct wf_stand_in_way *way)
{
    return (struct wf_stand_in){.way = way,
                                .inner = MPI_REQUEST_NULL,
                                .buf = (void *)a->buf,
                                .n = a->n,
                                .type = a->type,
                                .source = a->peer,
                                .tag = a->tag,
                                .comm = a->comm};
}

static int stand_in_irecv(void *buf, int64_t n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                          MPI_Request *request)
{
#if MPI_VERSION >= 4
    if (n > INT_MAX)
        return wf_real.Irecv_c(buf, n, type, source, tag, comm, request);
#endif
    return wf_real.Irecv(buf, (int)n, type, source, tag, comm, request);
}

/* What the generalised request says to code that weft does not see. */
static int stand_in_query(void *extra, MPI_Status *status)
{
    (void)extra;
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    wf_real.Status_set_cancelled(status, 0);
    return wf_real.Status_set_elements(status, MPI_BYTE, 0);
}

static int stand_in_freed(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int stand_in_cancelled(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

/* MPI checks the arguments of a receive that is complete at once: an error is the application's then, raised as usual.
 */
static int stand_in_check(const struct wf_args *a)
{
    MPI_Request checked = MPI_REQUEST_NULL;
    int rc = stand_in_irecv((void *)a->buf, a->n, a->type, MPI_PROC_NULL, a->tag, a->comm, a->req ? &checked : NULL);
    if (rc == MPI_SUCCESS)
        wf_real.Wait(&checked, MPI_STATUS_IGNORE);
    return rc;
}

static void stand_in_end_handle(MPI_Request *handle)
{
    wf_real.Grequest_complete(*handle);
    wf_real.Wait(handle, MPI_STATUS_IGNORE);
}

bool wf_stand_in_hold(struct wf_args *a, const struct wf_stand_in_way *way, int *rc)
{
    struct wf_stand_in what = stand_in_of(a, way), *s = NULL;
    *rc = stand_in_check(a);
    if (*rc != MPI_SUCCESS)
        return true;
    if (wf_real.Grequest_start(stand_in_query, stand_in_freed, stand_in_cancelled, NULL, &what.handle) != MPI_SUCCESS)
        return false;
    if (stand_in_take_type(&what)) {
        stand_in_lock();
        s = stand_in_add(&what);
        if (s)
            stand_in_open(s);
        stand_in_unlock();
    }
    if (s) {
        *a->req = what.handle;
        return true;
    }
    if (what.own_type)
        wf_real.Type_free(&what.type);
    stand_in_end_handle(&what.handle);
    return false;
}

void wf_stand_in_keep(const struct wf_args *a, const struct wf_stand_in_way *way)
{
    struct wf_stand_in what = stand_in_of(a, way);
    what.handle = *a->req;
    what.persistent = true;
    if (!stand_in_take_type(&what))
        return;
    stand_in_lock();
    stand_in_add(&what);
    stand_in_unlock();
}

/* ---- the inner request ---- */

static int stand_in_posted(struct wf_stand_in *s, int rc, MPI_Request inner)
{
    if (rc != MPI_SUCCESS)
        return rc;
    stand_in_delist(s);
    s->inner = inner;
    if (!s->freed) {
        stand_in_enlist(s, WF_STAND_IN_POSTED);
    } else {
        wf_real.Request_free(&s->inner);
        stand_in_give(s);
    }
    return MPI_SUCCESS;
}

int wf_stand_in_post(struct wf_stand_in *s, int source, int tag)
{
    MPI_Request inner = MPI_REQUEST_NULL;
    int rc = stand_in_irecv(s->buf, s->n, s->type, source, tag, s->comm, &inner);
    return stand_in_posted(s, rc, inner);
}

int wf_stand_in_post_nothing(struct wf_stand_in *s)
{
    MPI_Request inner = MPI_REQUEST_NULL;
    int rc = wf_stand_in_receive_nothing(&inner);
    return stand_in_posted(s, rc, inner);
}

/* One whose message has come in the meantime stays as it is. */
static void stand_in_post_anew(struct wf_stand_in *s)
{
    MPI_Status status;
    int complete = 0, rc = wf_real.Request_get_status(s->inner, &complete, &status);
    if (rc != MPI_SUCCESS || complete || wf_real.Cancel(&s->inner) != MPI_SUCCESS)
        return;
    while (!complete && rc == MPI_SUCCESS)
        rc = wf_real.Request_get_status(s->inner, &complete, &status);
    if (rc != MPI_SUCCESS || !wf_status_cancelled(&status))
        return;
    wf_real.Wait(&s->inner, MPI_STATUS_IGNORE);
    stand_in_irecv(s->buf, s->n, s->type, s->source, s->tag, s->comm, &s->inner);
}

void wf_stand_in_post_all_anew(void)
{
    stand_in_lock();
    for (struct wf_stand_in *s = stand_ins.lists[WF_STAND_IN_POSTED].first; s; s = s->later)
        stand_in_post_anew(s);
    stand_in_unlock();
}

void wf_stand_in_drive(void)
{
    if (!wf_stand_in_is_open() || (wf_process.threads && !wf_lock_try(&stand_ins.lock)))
        return;
    for (struct wf_stand_in *s = stand_ins.lists[WF_STAND_IN_OPEN].first, *later; s; s = later) {
        later = s->later;
        s->way->progress(s);
    }
    stand_in_unlock();
}

struct wf_stand_in *wf_stand_in_find(MPI_Request handle)
{
    if (handle == MPI_REQUEST_NULL)
        return NULL;
    stand_in_lock();
    struct wf_stand_in *s = stand_in_look(handle);
    stand_in_unlock();
    return s && s->state != WF_STAND_IN_IDLE ? s : NULL;
}

void wf_stand_in_complete(struct wf_stand_in *s, MPI_Request *handle, const MPI_Status *status)
{
    s->inner = MPI_REQUEST_NULL;
    if (s->way->completed)
        s->way->completed(s, status);
    bool persistent = s->persistent;
    MPI_Request own = s->handle;
    stand_in_lock();
    stand_in_delist(s);
    if (persistent) {
        s->state = WF_STAND_IN_IDLE;
    } else {
        stand_in_unlink(s);
        stand_in_give(s);
    }
    stand_in_unlock();
    if (persistent)
        return;
    stand_in_end_handle(&own);
    *handle = MPI_REQUEST_NULL;
}

/* ---- what the application does with a handle ---- */

/* Starts one of a Start or Startall. One that is under way already is an error, and MPI says which. */
static int stand_in_start_one(MPI_Request *handle)
{
    stand_in_lock();
    struct wf_stand_in *s = stand_in_look(*handle);
    bool idle = s && s->state == WF_STAND_IN_IDLE;
    if (idle)
        stand_in_open(s);
    stand_in_unlock();
    MPI_Request none = MPI_REQUEST_NULL;
    return idle ? MPI_SUCCESS : wf_real.Start(s ? &none : handle);
}

bool wf_stand_in_starts(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    if (!wf_stand_in_is_any() || !a->req)
        return false;
    *rc = stand_in_start_one(a->req);
    return true;
}

bool wf_stand_in_startall(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    if (!wf_stand_in_is_any() || a->reqn <= 0 || !a->reqs || !a->started) /* which is where they can be read */
        return false;
    for (int i = 0; i < a->reqn; i++)
        if (a->reqs[i] == MPI_REQUEST_NULL)
            return false; /* MPI starts none of them */
    *rc = MPI_SUCCESS;
    for (int i = 0; i < a->reqn && *rc == MPI_SUCCESS; i++)
        *rc = stand_in_start_one(&a->reqs[i]);
    return true;
}

bool wf_stand_in_cancel(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    struct wf_stand_in *s = wf_stand_in_is_any() && a->req ? wf_stand_in_find(*a->req) : NULL;
    if (!s)
        return false;
    stand_in_lock();
    *rc = s->state == WF_STAND_IN_OPEN ? wf_stand_in_post_nothing(s) : MPI_SUCCESS;
    stand_in_unlock();
    if (*rc == MPI_SUCCESS)
        *rc = wf_real.Cancel(&s->inner);
    return true;
}

/* The real function frees the handle. An open receive is posted later all the same: its message is expected. */
bool wf_stand_in_free(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c, (void)rc;
    if (!wf_stand_in_is_any() || !a->req || *a->req == MPI_REQUEST_NULL)
        return false;
    MPI_Request handle = *a->req;
    stand_in_lock();
    struct wf_stand_in *s = stand_in_look(handle);
    if (s) {
        stand_in_unlink(s);
        if (!s->persistent)
            wf_real.Grequest_complete(handle);
        s->freed = true;
        s->handle = MPI_REQUEST_NULL;
        if (s->state != WF_STAND_IN_OPEN) {
            stand_in_delist(s);
            if (s->state == WF_STAND_IN_POSTED)
                wf_real.Request_free(&s->inner);
            stand_in_give(s);
        }
    }
    stand_in_unlock();
    return false;
}

/* Idle ones of a communicator: the handle is started itself from now on. */
static void stand_in_retire(struct wf_stand_in *s, MPI_Comm comm)
{
    for (struct wf_stand_in *next; s; s = next) {
        next = s->next;
        if (s->comm != comm || s->state != WF_STAND_IN_IDLE)
            continue;
        stand_in_unlink(s);
        stand_in_give(s);
    }
}

bool wf_stand_in_comm_free(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c, (void)rc;
    if (!wf_stand_in_is_any() || a->freed == MPI_COMM_NULL)
        return false;
    stand_in_lock();
    for (struct wf_stand_in *s = stand_ins.lists[WF_STAND_IN_OPEN].first, *later; s; s = later) {
        later = s->later;
        if (s->comm == a->freed)
            wf_stand_in_post(s, s->source, s->tag);
    }
    for (size_t b = 0; b < sizeof stand_ins.buckets / sizeof *stand_ins.buckets; b++)
        stand_in_retire(stand_ins.buckets[b], a->freed);
    stand_in_unlock();
    return false;
}
