/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What comes from ranks of other hosts, is kept as it would lie in their boxes, and is looked for there.
 */
#include <sched.h>

#include "base/memory.h"
#include "measure/clock/limits.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/host_time.h"
#include "measure/exchange/hosts.h"
#include "measure/exchange/remote_state.h"

#define CAME_CAPACITY 64u
#define CAME_LIMIT (1u << 20)
#define PATIENCE_NS WF_REMOTE_PATIENCE_NS
#define PATIENCE_LEAST_NS (PATIENCE_NS / 400)
#define REPLY_NS WF_REMOTE_REPLY_NS
#define REPLY_FROM_NS REPLY_NS /* a send that took less has not waited long enough to wait for the reply */

/* ---- what comes ---- */

static struct wf_remote_box *remote_box(struct wf_remote_peer *p)
{
    struct wf_remote_box *box = atomic_load_explicit(&p->box, memory_order_acquire);
    if (box)
        return box;
    wf_lock_take(&wf_remote.making);
    box = wf_get(p->box);
    if (!box)
        box = wf_memory_pages(sizeof *box);
    atomic_store_explicit(&p->box, box, memory_order_release);
    wf_lock_give(&wf_remote.making);
    return box;
}

/* The ring has room for one more. */
static struct wf_ring *remote_came_ring(struct wf_remote_peer *p, uint32_t written)
{
    struct wf_ring *old = wf_get(p->came.ring);
    uint32_t next = atomic_load_explicit(&p->came.next, memory_order_acquire); /* what is before it has been read */
    if (old && written - next < old->capacity)
        return old;
    uint32_t capacity = old ? 2 * old->capacity : CAME_CAPACITY;
    struct wf_ring *ring = capacity <= CAME_LIMIT ? wf_memory_pages(wf_ring_bytes(capacity)) : NULL;
    if (!ring)
        return NULL;
    ring->capacity = capacity;
    ring->tell = capacity / 2 - 1;
    for (uint32_t n = next; old && n != written; n++)
        *wf_ring_record(ring, n) = *wf_ring_record(old, n);
    atomic_store_explicit(&p->came.ring, ring, memory_order_release); /* the old one stays: another thread may be
                                                                         reading it */
    return ring;
}

static bool remote_is_skipped(struct wf_remote_peer *p, const struct wf_message *m)
{
    bool skipped = false;
    wf_threads_lock(&wf_remote.skipping);
    for (uint32_t i = 0; i < p->skip_count && !skipped; i++) {
        skipped = p->skips[i].comm == m->comm && p->skips[i].tag == m->tag;
        if (skipped)
            p->skips[i] = p->skips[--p->skip_count];
    }
    wf_threads_unlock(&wf_remote.skipping);
    return skipped;
}

static struct wf_shown *remote_block(struct wf_remote_box *box, uint32_t i, uint32_t *offset)
{
    *offset = (uint32_t)((size_t)(box->shown[i] - (char *)box) / WF_LINE_BYTES);
    return (struct wf_shown *)box->shown[i];
}

/* Room for what goes with a header: it stays until that is received. NULL: there is none. */
static struct wf_shown *remote_free_block(struct wf_remote_box *box, uint32_t *offset)
{
    for (uint32_t i = 0; i < WF_REMOTE_PATHS; i++) {
        struct wf_shown *shown = remote_block(box, i, offset);
        if (atomic_load_explicit(&shown->ticket, memory_order_acquire) == 0)
            return shown;
    }
    return NULL;
}

/* A path has come: it is kept where the sender's process would have shown it. */
static void remote_path_came(struct wf_remote_peer *p, const struct wf_message *m)
{
    struct wf_feed *feed = wf_remote_feed();
    struct wf_remote_box *box = feed ? remote_box(p) : NULL;
    p->last = (struct wf_showing){.path = 0};
    if (!box || m->number > WF_FEED_FAR_BYTES || wf_feed_room > WF_REMOTE_SHOWN_BYTES)
        return;
    uint32_t offset;
    struct wf_shown *shown = m->flags == WF_MESSAGE_HEADER
                                 ? remote_free_block(box, &offset)
                                 : remote_block(box, WF_REMOTE_PATHS + p->shown % WF_REMOTE_PATHS, &offset);
    if (!shown)
        return;
    atomic_store_explicit(&shown->ticket, 0, memory_order_relaxed); /* a reader that has not read what was here yet
                                                                       finds another ticket */
    atomic_thread_fence(memory_order_release);
    if (!wf_feed_read(feed, m + 1, m->number, shown))
        return;
    p->last = (struct wf_showing){.path = offset, .ticket = ++p->shown};
    atomic_store_explicit(&shown->ticket, p->last.ticket, memory_order_release);
}

static struct wf_showing remote_shown_with(struct wf_remote_peer *p, const struct wf_message *m)
{
    struct wf_showing last = p->last;
    p->last.path = 0;
    return m->path ? last : (struct wf_showing){.path = 0};
}

static void remote_header_came(struct wf_remote_peer *p, const struct wf_message *m)
{
    uint32_t written = wf_get(p->written);
    if (wf_get(p->gone) || remote_is_skipped(p, m))
        return;
    struct wf_ring *ring = remote_came_ring(p, written);
    if (!ring) {
        wf_set(p->gone, true);
        return;
    }
    struct wf_record *record = wf_ring_record(ring, written);
    struct wf_stamp stamp = wf_host_time_read(m);
    wf_set(record->flags, m->flags | WF_HEADER_FAR);
    wf_set(record->comm, m->comm);
    wf_set(record->tag, m->tag);
    wf_shared_stamp_write(&record->stamp, &stamp);
    wf_set(record->address, m->address);
    wf_set(record->path, remote_shown_with(p, m).path);
    record->far_number = m->number;
    atomic_store_explicit(&record->number, written + 1, memory_order_release);
    atomic_store_explicit(&p->written, written + 1, memory_order_release);
}

static void remote_retract_came(struct wf_remote_peer *p, const struct wf_message *m)
{
    struct wf_ring *ring = wf_get(p->came.ring);
    for (uint32_t n = wf_get(p->came.next); ring && n != wf_get(p->written); n++) {
        struct wf_record *record = wf_ring_record(ring, n);
        if (record->far_number == m->number)
            atomic_fetch_or_explicit(&record->flags, WF_HEADER_DEAD, memory_order_relaxed);
    }
}

static void remote_reply_came(struct wf_remote_peer *p, const struct wf_message *m)
{
    struct wf_ring *ring = atomic_load_explicit(&p->sent, memory_order_acquire);
    if (!ring)
        return;
    struct wf_reply *reply = wf_ring_reply(ring, m->number);
    struct wf_showing shown = remote_shown_with(p, m);
    struct wf_stamp stamp = wf_host_time_read(m);
    if (wf_get(reply->number) != m->number) /* each has one */
        wf_reply_write(reply, m->number, &stamp, m->address, shown);
}

static void remote_entry_came(struct wf_remote_peer *p, const struct wf_message *m)
{
    struct wf_remote_box *box = remote_box(p);
    struct wf_showing shown = remote_shown_with(p, m);
    struct wf_entry e = {
        .stamp = wf_host_time_read(m), .address = m->address, .path = shown.path, .path_ticket = shown.ticket};
    if (box)
        wf_slots_enter(&box->slots, m->comm, m->number, &e);
}

static void remote_off_came(int32_t from, struct wf_remote_peer *p)
{
    wf_set(p->off, true);
    wf_set(p->gone, true);
    if (wf_hosts_leader(wf_hosts.of[from]) == from)
        wf_host_time_done(); /* it asks no more */
}

void wf_remote_take_message(int32_t from, const struct wf_message *m)
{
    struct wf_remote_peer *p = wf_remote_peer(from);
    switch ((enum wf_message_kind)m->kind) {
    case WF_MESSAGE_HEADER:
        remote_header_came(p, m);
        break;
    case WF_MESSAGE_RETRACT:
        remote_retract_came(p, m);
        break;
    case WF_MESSAGE_REPLY:
        remote_reply_came(p, m);
        break;
    case WF_MESSAGE_ENTRY:
        remote_entry_came(p, m);
        break;
    case WF_MESSAGE_ASK:
        wf_host_time_asked(from, m);
        break;
    case WF_MESSAGE_TELL:
        wf_host_time_told(m);
        break;
    case WF_MESSAGE_DONE:
        wf_host_time_done();
        break;
    case WF_MESSAGE_OFF:
        remote_off_came(from, p);
        break;
    case WF_MESSAGE_GONE:
        wf_set(p->gone, true);
        break;
    case WF_MESSAGE_PATH:
        remote_path_came(p, m);
        break;
    }
}

/* ---- what has come ---- */

void wf_remote_pump(void)
{
    wf_transport_pump(WF_TRANSPORT_ANY);
}

void wf_remote_pump_seldom(void)
{
    if (wf_clock_ticks() - wf_transport_pumped() > wf_limits.seldom)
        wf_remote_pump();
}

struct wf_record *wf_remote_peek(int32_t from)
{
    return wf_ring_peek(&wf_remote_peer(from)->came);
}

uint32_t wf_remote_take(int32_t from, struct wf_record *record, struct wf_header *h)
{
    uint32_t number = record->far_number;
    wf_ring_take(&wf_remote_peer(from)->came, record, h);
    return number;
}

uint32_t wf_remote_taken(int32_t from)
{
    return wf_get(wf_remote_peer(from)->came.next);
}

struct wf_ring *wf_remote_replies(int32_t to)
{
    return wf_get(wf_remote_peer(to)->sent);
}

bool wf_remote_entered(int32_t rank, uint64_t comm, uint32_t number, struct wf_entry *e)
{
    const struct wf_remote_box *box = remote_box(wf_remote_peer(rank));
    return box && wf_slots_entered(&box->slots, comm, number, e);
}

struct wf_shown *wf_remote_shown(int32_t rank, uint32_t offset)
{
    struct wf_remote_box *box = atomic_load_explicit(&wf_remote_peer(rank)->box, memory_order_acquire);
    uint64_t begin = (uint64_t)offset * WF_LINE_BYTES;
    return box && begin + wf_feed_room <= sizeof *box ? (struct wf_shown *)((char *)box + begin) : NULL;
}

/* Waiting. What is waited for has been sent before something that has come, unless a guess about which process depends
 * on which is wrong; then it never comes, and the more often that happens the shorter is the wait. */
static bool remote_is_late(int64_t since)
{
    int64_t patience = wf_get(wf_remote.patience_ns);
    if (wf_host_time_now_ns() - since < patience) {
        sched_yield();
        return false;
    }
    wf_set(wf_remote.patience_ns, patience / 2 > PATIENCE_LEAST_NS ? patience / 2 : PATIENCE_LEAST_NS);
    return true;
}

static void remote_in_time(void)
{
    int64_t patience = wf_get(wf_remote.patience_ns);
    wf_set(wf_remote.patience_ns, patience + (patience < PATIENCE_NS ? patience / 16 : 0));
}

bool wf_remote_await(int32_t from, int64_t *since)
{
    struct wf_remote_peer *p = wf_remote_peer(from);
    *since = *since ? *since : wf_host_time_now_ns();
    do {
        wf_remote_pump();
        if (wf_get(p->written) != wf_get(p->came.next)) {
            remote_in_time();
            return true;
        }
    } while (!wf_get(p->gone) && !remote_is_late(*since));
    return false;
}

void wf_remote_skip(int32_t from, uint64_t comm, int32_t tag)
{
    struct wf_remote_peer *p = wf_remote_peer(from);
    wf_threads_lock(&wf_remote.skipping);
    if (p->skip_count < WF_REMOTE_SKIPS)
        p->skips[p->skip_count++] = (struct wf_remote_skip){.comm = comm, .tag = tag};
    else
        wf_set(p->gone, true);
    wf_threads_unlock(&wf_remote.skipping);
}

void wf_remote_await_reply(struct wf_ring *ring, uint32_t number, uint64_t ticks)
{
    const struct wf_reply *reply = wf_ring_reply(ring, number);
    int64_t since = wf_host_time_now_ns(), most = wf_get(wf_remote.reply_ns);
    int64_t limit = wf_host_time_ns_of(ticks) < REPLY_FROM_NS ? 0 : most;
    bool come, late;
    do {
        wf_remote_pump();
        come = wf_reply_is_there(reply, number);
        late = wf_host_time_now_ns() - since >= limit;
    } while (!come && !late);
    if (!come && limit)
        wf_set(wf_remote.reply_ns, most / 2 > REPLY_NS / 64 ? most / 2 : REPLY_NS / 64);
    else if (come)
        wf_set(wf_remote.reply_ns, most + (most < REPLY_NS ? most / 4 : 0));
}

bool wf_remote_await_entry(int32_t rank, uint64_t comm, uint32_t number)
{
    struct wf_entry e;
    int64_t since = wf_host_time_now_ns();
    if (!remote_box(wf_remote_peer(rank)))
        return false;
    do {
        wf_remote_pump();
        if (wf_remote_entered(rank, comm, number, &e)) {
            remote_in_time();
            return true;
        }
    } while (!wf_get(wf_remote_peer(rank)->gone) && !remote_is_late(since));
    return false;
}
