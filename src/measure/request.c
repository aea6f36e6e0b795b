/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/request.h"

#include <stddef.h>

#include "base/lock.h"
#include "guest/memory.h"
#include "measure/process.h"

#define MAX_REQUESTS (1u << 20) /* address space only: memory is used for as many as were ever under way at once */
#define BUCKETS (1u << 13)
#define MAX_SEARCH 64 /* entries of one handle that are compared by their variable before the oldest is taken */

struct bucket {
    uint32_t first, last; /* index + 1 into pool; 0: empty */
};

static struct wf_request *pool;
static uint32_t pool_used, pool_free;
static struct bucket buckets[BUCKETS];
static struct wf_lock taken;

static void lock(void)
{
    if (wf_process.threads)
        wf_lock_take(&taken);
}

static void unlock(void)
{
    if (wf_process.threads)
        wf_lock_give(&taken);
}

static struct bucket *bucket_of(uintptr_t handle)
{
    return &buckets[(handle * 0x9E3779B97F4A7C15u) >> 51];
}

static uint32_t allocate(void)
{
    if (!pool && !(pool = wf_memory_pages((size_t)MAX_REQUESTS * sizeof *pool)))
        return 0;
    uint32_t entry = pool_free;
    if (entry)
        pool_free = pool[entry - 1].next;
    else if (pool_used < MAX_REQUESTS)
        entry = ++pool_used;
    return entry;
}

static void release(uint32_t entry)
{
    pool[entry - 1].next = pool_free;
    pool_free = entry;
}

/* Takes the entry behind `before` (0: the first) out of the bucket. */
static void unlink_entry(struct bucket *bucket, uint32_t before, uint32_t entry)
{
    uint32_t next = pool[entry - 1].next;
    if (before)
        pool[before - 1].next = next;
    else
        bucket->first = next;
    if (bucket->last == entry)
        bucket->last = before;
}

static bool is_message(const struct wf_request *request)
{
    return request->kind == WF_REQUEST_MESSAGE;
}

/* Sets *before to the entry in front of the one found. */
static uint32_t find(const struct bucket *bucket, uintptr_t handle, const void *variable, bool message, uint32_t *before)
{
    uint32_t oldest = 0, oldest_before = 0, previous = 0;
    int left = MAX_SEARCH;
    for (uint32_t e = bucket->first; e && left > 0; previous = e, e = pool[e - 1].next) {
        if (pool[e - 1].handle != handle || is_message(&pool[e - 1]) != message)
            continue;
        if (pool[e - 1].variable == variable) {
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

/* Two receives under way cannot have one handle: the older one was completed where we did not see it. With threads it may only be that
 * the completion has not got here yet, but not if the same variable has a new request now. */
static void forget_stale(struct bucket *bucket, const struct wf_request *request)
{
    uint32_t previous = 0;
    for (uint32_t e = bucket->first; e; previous = e, e = pool[e - 1].next)
        if (pool[e - 1].handle == request->handle && pool[e - 1].kind == request->kind &&
            (!wf_process.threads || pool[e - 1].variable == request->variable)) {
            unlink_entry(bucket, previous, e);
            wf_ranks_drop(pool[e - 1].ranks);
            release(e);
            return;
        }
}

bool wf_request_add(const struct wf_request *request)
{
    struct bucket *bucket = bucket_of(request->handle);
    lock();
    /* Receives from nobody are complete at once and share one handle, like small sends. */
    if (request->kind != WF_REQUEST_SEND && request->kind != WF_REQUEST_OTHER && request->partner != WF_PARTNER_NOBODY)
        forget_stale(bucket, request);
    uint32_t entry = allocate();
    if (entry) {
        pool[entry - 1] = *request;
        pool[entry - 1].next = 0;
        if (bucket->last)
            pool[bucket->last - 1].next = entry;
        else
            bucket->first = entry;
        bucket->last = entry;
    }
    unlock();
    if (!entry) {
        wf_ranks_drop(request->ranks);
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_requests, 1, memory_order_relaxed);
    }
    return entry != 0;
}

static bool take(uintptr_t handle, const void *variable, bool message, bool keep_persistent, struct wf_request *request)
{
    struct bucket *bucket = bucket_of(handle);
    uint32_t before;
    uint32_t entry = pool ? find(bucket, handle, variable, message, &before) : 0;
    if (!entry)
        return false;
    *request = pool[entry - 1];
    if (keep_persistent && request->persistent) {
        pool[entry - 1].active = false;
    } else {
        unlink_entry(bucket, before, entry);
        release(entry);
    }
    return true;
}

bool wf_request_take(uintptr_t handle, const void *variable, bool message, struct wf_request *request)
{
    lock();
    bool found = take(handle, variable, message, true, request);
    unlock();
    return found;
}

/* With the lock held. */
static struct wf_request *persistent(uintptr_t handle)
{
    for (uint32_t e = bucket_of(handle)->first; e; e = pool[e - 1].next)
        if (pool[e - 1].handle == handle && pool[e - 1].persistent)
            return &pool[e - 1];
    return NULL;
}

bool wf_request_persistent(uintptr_t handle, struct wf_request *request)
{
    lock();
    const struct wf_request *r = persistent(handle);
    if (r)
        *request = *r;
    unlock();
    return r != NULL;
}

void wf_request_started(uintptr_t handle, const struct wf_request *started)
{
    lock();
    struct wf_request *r = persistent(handle);
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
    }
    unlock();
}

void wf_request_forget(uintptr_t handle, const void *variable)
{
    struct wf_request request;
    lock();
    if (take(handle, variable, false, false, &request) && request.ranks) {
        unlock();
        wf_ranks_drop(request.ranks);
        return;
    }
    unlock();
}
