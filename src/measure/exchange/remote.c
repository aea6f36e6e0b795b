/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/host_time.h"
#include "measure/exchange/hosts.h"
#include "measure/exchange/remote_state.h"

#define SENT_CAPACITY 256u

struct wf_remote wf_remote = {.patience_ns = WF_REMOTE_PATIENCE_NS, .reply_ns = WF_REMOTE_REPLY_NS};

bool wf_remote_start(int rank, int size, bool able)
{
    wf_remote.rank = rank;
    wf_remote.size = size;
    wf_remote.peers = wf_memory_pages((size_t)size * sizeof *wf_remote.peers);
    if (!wf_transport_start(wf_remote_take_message))
        return false;
    able = able && wf_hosts.of && wf_remote.peers;
    if (!able)
        wf_remote_say_off();
    return able;
}

void wf_remote_say_off(void)
{
    for (int32_t r = 0; r < wf_remote.size; r++)
        if (r != wf_remote.rank && wf_remote_is_far(r))
            wf_transport_post(r, &(struct wf_message){.kind = WF_MESSAGE_OFF});
}

bool wf_remote_is_far(int32_t rank)
{
    return !wf_hosts.of || wf_hosts.of[rank] != wf_hosts.own;
}

bool wf_remote_takes(int32_t rank)
{
    return !wf_get(wf_remote_peer(rank)->off);
}

/* ---- sending ---- */

static void remote_put_took(uint64_t since)
{
    int64_t usual = wf_get(wf_remote.put_ticks), took = (int64_t)wf_less(wf_clock_ticks(), since);
    wf_set(wf_remote.put_ticks, usual + (took - usual) / 8);
}

static struct wf_ring *remote_make_sent(struct wf_remote_peer *p)
{
    uint64_t replies = wf_ring_bytes(SENT_CAPACITY);
    struct wf_ring *ring = wf_memory_pages(replies + SENT_CAPACITY * sizeof(struct wf_reply));
    if (!ring)
        return NULL;
    ring->capacity = SENT_CAPACITY;
    ring->replies = (uint32_t)replies;
    atomic_store_explicit(&p->sent, ring, memory_order_release);
    return ring;
}

struct wf_record *wf_remote_put(int32_t to, uint32_t number, const struct wf_header *h, struct wf_feed *feed,
                                uint64_t since)
{
    struct wf_remote_peer *p = wf_remote_peer(to);
    struct wf_ring *ring = wf_get(p->sent) ? wf_get(p->sent) : remote_make_sent(p);
    struct wf_message m = {.kind = WF_MESSAGE_HEADER,
                           .number = number,
                           .comm = h->comm,
                           .tag = h->tag,
                           .flags = h->flags,
                           .address = h->address};
    struct wf_stamp sent = h->stamp;
    if (!ring)
        return NULL;
    sent.real += (uint64_t)wf_get(wf_remote.put_ticks);
    m.path = wf_transport_post_path(to, feed, WF_MESSAGE_HEADER);
    wf_host_time_write(&m, &sent);
    if (!wf_transport_post(to, &m))
        return NULL;
    struct wf_record *record = wf_ring_record(ring, number - 1);
    wf_set(record->number, number);
    wf_host_time_ask_seldom();
    remote_put_took(since);
    return record;
}

void wf_remote_retract(int32_t to, uint32_t number)
{
    wf_transport_post(to, &(struct wf_message){.kind = WF_MESSAGE_RETRACT, .number = number});
}

void wf_remote_end(int32_t to)
{
    struct wf_remote_peer *p = wf_remote_peer(to);
    if (!p->told)
        p->told = wf_transport_post(to, &(struct wf_message){.kind = WF_MESSAGE_GONE});
}

void wf_remote_reply(int32_t to, uint32_t number, const struct wf_stamp *begin, uint64_t address)
{
    struct wf_feed *feed = wf_remote_feed();
    struct wf_message m = {.kind = WF_MESSAGE_REPLY, .number = number, .address = address};
    if (feed && wf_feed_began_at(feed, begin->virt))
        m.path = wf_transport_post_path(to, feed, WF_MESSAGE_REPLY);
    wf_host_time_write(&m, begin);
    wf_transport_post(to, &m);
}

void wf_remote_begin_entry(struct wf_remote_entry *entry, uint64_t comm, uint32_t number, const struct wf_entry *e)
{
    struct wf_stamp sent = e->stamp;
    sent.real += (uint64_t)wf_get(wf_remote.put_ticks);
    entry->message =
        (struct wf_message){.kind = WF_MESSAGE_ENTRY, .number = number, .comm = comm, .address = e->address};
    wf_host_time_write(&entry->message, &sent);
}

void wf_remote_enter(int32_t to, struct wf_remote_entry *entry)
{
    entry->message.path = wf_transport_post_path(to, entry->feed, WF_MESSAGE_ENTRY);
    if (!wf_transport_post(to, &entry->message) && weft_tls.lane)
        weft_tls.lane->record->headers.dropped++;
}

void wf_remote_end_entry(const struct wf_remote_entry *entry)
{
    wf_host_time_ask_seldom();
    remote_put_took(entry->since);
}
