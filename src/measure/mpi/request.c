/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/request.h"

#include <stddef.h>

#include "base/lock.h"
#include "base/pool.h"
#include "measure/exchange/needs.h"
#include "measure/exchange/ring.h"
#include "measure/process/process.h"

#define MAX_REQUESTS (1u << 20)
#define QUEUE_BITS 13
#define MAX_SEARCH 64 /* entries of one handle that are compared by their variable before the oldest is taken */

struct request_entry {
    struct wf_request request;
    struct request_entry *next; /* in its queue */
};

struct request_queue {
    struct request_entry *first, *last; /* NULL: it is empty */
};

static struct wf_request_table {
    struct wf_lock lock;
    struct wf_pool entries;
    struct request_queue queues[1u << QUEUE_BITS]; /* by a hash of the handle */
} requests = {.entries = WF_POOL(struct request_entry, MAX_REQUESTS)};

static void request_lock(void)
{
    if (wf_process.threads)
        wf_lock_take(&requests.lock);
}

static void request_unlock(void)
{
    if (wf_process.threads)
        wf_lock_give(&requests.lock);
}

static struct request_queue *request_queue_of(uintptr_t handle)
{
    return &requests.queues[(handle * 0x9E3779B97F4A7C15u) >> (64 - QUEUE_BITS)];
}

/* Takes the entry behind `before` (NULL: the first) out of the queue and gives it back. */
static void request_remove(struct request_queue *queue, struct request_entry *before, struct request_entry *entry)
{
    if (before)
        before->next = entry->next;
    else
        queue->first = entry->next;
    if (queue->last == entry)
        queue->last = before;
    wf_pool_give(&requests.entries, entry);
}

static bool request_is_message(const struct wf_request *request)
{
    return request->kind == WF_REQUEST_MESSAGE;
}

/* Sets *before to the entry in front of the one found. */
static struct request_entry *request_find(const struct request_queue *queue, uintptr_t handle, const void *variable,
                                          bool message, struct request_entry **before)
{
    struct request_entry *oldest = NULL, *oldest_before = NULL, *previous = NULL;
    int left = MAX_SEARCH;
    for (struct request_entry *e = queue->first; e && left > 0; previous = e, e = e->next) {
        if (e->request.handle != handle || request_is_message(&e->request) != message)
            continue;
        if (e->request.variable == variable) {
            *before = previous;
            return e;
        }
        if (!oldest) {
            oldest = e;
            oldest_before = previous;
        }
        left--;
    }
    *before = oldest_before;
    return oldest;
}

/* Two receives under way cannot have one handle: the older one was completed where we did not see it. With threads it
 * may only be that the completion has not got here yet, but not if the same variable has a new request now. */
static void request_forget_stale(struct request_queue *queue, const struct wf_request *request)
{
    struct request_entry *previous = NULL;
    for (struct request_entry *e = queue->first; e; previous = e, e = e->next)
        if (e->request.handle == request->handle && e->request.kind == request->kind &&
            (!wf_process.threads || e->request.variable == request->variable)) {
            wf_group_drop(e->request.ranks);
            request_remove(queue, previous, e);
            return;
        }
}

static bool request_append(struct request_queue *queue, const struct wf_request *request)
{
    struct request_entry *entry = wf_pool_take(&requests.entries);
    if (!entry)
        return false;
    entry->request = *request;
    entry->next = NULL;
    if (queue->last)
        queue->last->next = entry;
    else
        queue->first = entry;
    queue->last = entry;
    return true;
}

/* Large messages that are under way take their time: others are told how much is. */
static void request_weigh(const struct wf_request *request, int sign)
{
    if (request->kind == WF_REQUEST_SEND && request->flags & WF_HEADER_SYNC && !request->partitioned)
        wf_needs_sent(sign * (int64_t)(request->bytes >> 10));
}

bool wf_request_add(const struct wf_request *request)
{
    struct request_queue *queue = request_queue_of(request->handle);
    request_lock();
    /* Receives from MPI_PROC_NULL are complete at once and share one handle, like small sends. */
    if (request->kind != WF_REQUEST_SEND && request->kind != WF_REQUEST_OTHER && request->partner != WF_PARTNER_NOBODY)
        request_forget_stale(queue, request);
    bool added = request_append(queue, request);
    request_unlock();
    if (added && !request->persistent)
        request_weigh(request, 1);
    if (!added) {
        wf_group_drop(request->ranks);
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_requests, 1, memory_order_relaxed);
    }
    return added;
}

/* With the lock held. */
static bool request_take(uintptr_t handle, const void *variable, bool message, bool keep_persistent,
                         struct wf_request *request)
{
    struct request_queue *queue = request_queue_of(handle);
    struct request_entry *before, *entry = request_find(queue, handle, variable, message, &before);
    if (!entry)
        return false;
    *request = entry->request;
    if (request->active || !request->persistent)
        request_weigh(request, -1);
    if (keep_persistent && request->persistent)
        entry->request.active = false;
    else
        request_remove(queue, before, entry);
    return true;
}

bool wf_request_take(uintptr_t handle, const void *variable, bool message, struct wf_request *request)
{
    request_lock();
    bool found = request_take(handle, variable, message, true, request);
    request_unlock();
    return found;
}

bool wf_request_look(uintptr_t handle, const void *variable, struct wf_request *request)
{
    struct request_entry *before;
    request_lock();
    const struct request_entry *entry = request_find(request_queue_of(handle), handle, variable, false, &before);
    bool found = entry && (entry->request.active || !entry->request.persistent);
    if (found)
        *request = entry->request;
    request_unlock();
    return found;
}

/* With the lock held. */
static struct wf_request *request_find_persistent(uintptr_t handle)
{
    for (struct request_entry *e = request_queue_of(handle)->first; e; e = e->next)
        if (e->request.handle == handle && e->request.persistent)
            return &e->request;
    return NULL;
}

bool wf_request_persistent(uintptr_t handle, struct wf_request *request)
{
    request_lock();
    const struct wf_request *r = request_find_persistent(handle);
    if (r)
        *request = *r;
    request_unlock();
    return r != NULL;
}

void wf_request_started(uintptr_t handle, const struct wf_request *started)
{
    request_lock();
    struct wf_request *r = request_find_persistent(handle);
    if (r) {
        r->address = started->address;
        r->call = started->call;
        r->ticks = started->ticks;
        r->ticks_virtual = started->ticks_virtual;
        r->posted = started->posted;
        r->ring = started->ring;
        r->record = started->record;
        r->starts = started->starts;
        r->active = true;
        request_weigh(r, 1);
    }
    request_unlock();
}

void wf_request_forget(uintptr_t handle, const void *variable)
{
    struct wf_request request;
    request_lock();
    bool found = request_take(handle, variable, false, false, &request);
    request_unlock();
    if (found)
        wf_group_drop(request.ranks);
}
