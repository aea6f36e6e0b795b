/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/link.h"

#include <errno.h>

#include "base/memory.h"
#include "measure/clock/limits.h"
#include "measure/exchange/remote.h"
#include "measure/exchange/snapshot.h"
#include "measure/process/process.h"

_Alignas(WF_LINE_BYTES) struct wf_links wf_links; /* beside nothing that threads write */

int wf_links_start(int rank, int size)
{
    struct wf_link *links = wf_memory_pages((size_t)size * sizeof *links);
    int why = links ? wf_box_start(rank, size) : ENOMEM;
    if (why) {
        wf_box_remove();
        return why;
    }
    wf_links.of = links;
    wf_links.count = size;
    return 0;
}

void wf_links_reach_hosts(void)
{
    for (int32_t r = 0; r < wf_links.count; r++)
        if (wf_remote_is_far(r))
            wf_set(wf_links.of[r].view.where, WF_BOX_FAR);
    wf_links.far = true;
}

/* ---- headers for the other ---- */

/* What is rare, and found no room. */
static void link_count_dropped(void)
{
    if (weft_tls.lane)
        weft_tls.lane->record->headers.dropped++;
}

/* A box that has been made, but not begun yet, belongs to a rank that is watched. */
static bool link_is_watched(struct wf_link *link)
{
    return wf_box_in(&link->view, wf_link_rank(link)) || wf_link_is_local(link);
}

bool wf_link_make_room(struct wf_link *link)
{
    struct wf_ring_writer *w = &link->to;
    const struct wf_ring *ring = wf_get(w->ring);
    if (!wf_link_is_local(link))
        return false;
    if (!ring && !w->lost && !link_is_watched(link))
        return false; /* and no memory is filled that no process reads */
    if (!w->lost && ((ring && wf_ring_look(w)) || wf_box_grow(w, wf_link_rank(link))))
        return true;
    w->lost = true;
    wf_set(w->ring, NULL);
    link_count_dropped();
    return false;
}

struct wf_record *wf_link_put_far(struct wf_link *link, const struct wf_header *h, struct wf_feed *feed, uint64_t since)
{
    int32_t to = wf_link_rank(link);
    if (!wf_remote_takes(to)) {
        wf_set(link->view.where, WF_BOX_MISSING); /* nor does anything come from there */
        return NULL;
    }
    struct wf_record *record = link->to.lost ? NULL : wf_remote_put(to, link->to.next + 1, h, feed, since);
    if (record) {
        link->to.next++;
        return record;
    }
    link->to.lost = true;
    wf_remote_end(to);
    link_count_dropped();
    return NULL;
}

void wf_link_take_back(struct wf_link *link, struct wf_record *record, uint32_t number)
{
    if (wf_get(record->number) != number)
        return;
    if (wf_link_is_far(link))
        wf_remote_retract(wf_link_rank(link), number);
    else
        wf_set(record->flags, wf_get(record->flags) | WF_HEADER_DEAD);
}

struct wf_ring *wf_link_far_replies(const struct wf_link *link, uint32_t flags)
{
    return wf_link_is_far(link) && flags != WF_HEADER_EAGER ? wf_remote_replies(wf_link_rank(link)) : NULL;
}

void wf_link_await_reply(const struct wf_link *link, struct wf_ring *ring, uint32_t number, uint64_t ticks)
{
    if (wf_link_is_far(link))
        wf_remote_await_reply(ring, number, ticks);
}

/* ---- headers from the other ---- */

struct wf_record *wf_link_peek_slow(struct wf_link *link)
{
    int32_t from = wf_link_rank(link);
    struct wf_record *record = NULL;
    if (wf_link_is_far(link))
        return wf_remote_peek(from);
    while (!record && wf_box_follow(&link->view, from, &link->from))
        record = wf_ring_peek(&link->from);
    return record;
}

bool wf_link_look(struct wf_link *link, uint64_t comm, int32_t tag, struct wf_header *h)
{
    struct wf_ring_reader reader; /* goes ahead of the real one */
    int32_t from = wf_link_rank(link);
    if (!wf_link_is_local(link))
        return false;
    wf_set(reader.ring, wf_get(link->from.ring));
    wf_set(reader.next, wf_get(link->from.next));
    for (;;) {
        const struct wf_record *record = wf_ring_peek(&reader);
        if (!record) {
            if (!wf_box_follow(&link->view, from, &reader))
                return false;
        } else if (wf_header_fits(record, comm, tag)) {
            wf_header_read(record, h);
            return true;
        } else {
            wf_set(reader.next, wf_get(reader.next) + 1);
        }
    }
}

uint32_t wf_link_take_far(struct wf_link *link, struct wf_record *record, struct wf_header *h)
{
    return wf_remote_take(wf_link_rank(link), record, h);
}

uint32_t wf_link_taken(const struct wf_link *link)
{
    return wf_link_is_far(link) ? wf_remote_taken(wf_link_rank(link)) : wf_get(link->from.next);
}

/* Where the reply to a record goes that another process has written; NULL: it is not inside its box, or it is there
 * already. */
static inline struct wf_reply *link_reply_place(struct wf_link *link, struct wf_ring *ring, uint32_t number)
{
    struct wf_reply *reply = wf_ring_reply(ring, number);
    uint64_t end = (uint64_t)((char *)(reply + 1) - (const char *)wf_get(link->view.box));
    bool aligned = (uintptr_t)reply % _Alignof(struct wf_reply) == 0;
    return aligned && wf_box_has(&link->view, wf_link_rank(link), 0, end) && wf_get(reply->number) != number ? reply
                                                                                                             : NULL;
}

static bool link_is_late(const struct wf_header *h, const struct wf_stamp *begin)
{
    return begin->real >= h->stamp.real + wf_limits.late || begin->virt >= h->stamp.virt + wf_limits.late;
}

static inline __attribute__((always_inline)) void link_write_reply(struct wf_link *link, struct wf_ring *ring,
                                                                   uint32_t number, const struct wf_stamp *begin,
                                                                   uint64_t address, const struct wf_showing *shown)
{
    struct wf_reply *reply = link_reply_place(link, ring, number);
    if (reply)
        wf_reply_write(reply, number, begin, address,
                       shown && shown->path ? *shown : wf_snapshot_show_reply(wf_link_rank(link), begin->virt));
}

void wf_link_reply_now(struct wf_link *link, uint32_t number, const struct wf_header *h, const struct wf_stamp *begin,
                       uint64_t address)
{
    if (link_is_late(h, begin))
        link_write_reply(link, wf_get(link->from.ring), number, begin, address, NULL);
}

void wf_link_reply(struct wf_link *link, struct wf_taken *taken, const struct wf_stamp *begin, uint64_t address,
                   const struct wf_showing *shown)
{
    const struct wf_header *h = &taken->header;
    bool far = !taken->ring;
    if (taken->answered || !wf_header_wants_reply(h) || (!far && !link_is_late(h, begin)))
        return;
    taken->answered = true;
    if (!far)
        link_write_reply(link, taken->ring, taken->number, begin, address, shown);
    else if (h->flags & WF_HEADER_SYNC)
        wf_remote_reply(wf_link_rank(link), taken->number, begin, address);
}

bool wf_link_await(const struct wf_link *link, int64_t *since)
{
    return wf_link_is_far(link) && wf_remote_await(wf_link_rank(link), since);
}

void wf_link_skip(const struct wf_link *link, uint64_t comm, int32_t tag)
{
    wf_remote_skip(wf_link_rank(link), comm, tag);
}

void wf_links_pump(void)
{
    if (wf_links.far)
        wf_remote_pump();
}

void wf_links_pump_seldom(void)
{
    if (wf_links.far)
        wf_remote_pump_seldom();
}

/* ---- entries and snapshots of the other ---- */

bool wf_link_entered_slow(struct wf_link *link, uint64_t comm, uint32_t number, struct wf_entry *e)
{
    int32_t rank = wf_link_rank(link);
    if (wf_link_is_far(link))
        return wf_remote_entered(rank, comm, number, e);
    const struct wf_box *box = wf_box_in(&link->view, rank);
    return box && wf_slots_entered(&box->slots, comm, number, e);
}

bool wf_links_tell(const int32_t *ranks, int count, uint64_t comm, uint32_t number, const struct wf_entry *e,
                   struct wf_feed *feed, uint64_t since)
{
    struct wf_remote_entry entry = {.feed = feed, .since = since};
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (!wf_link_is_far(wf_link_to(ranks[i])) || !wf_remote_takes(ranks[i]))
            continue;
        if (!any)
            wf_remote_begin_entry(&entry, comm, number, e);
        any = true;
        wf_remote_enter(ranks[i], &entry);
    }
    if (any)
        wf_remote_end_entry(&entry);
    return any;
}

bool wf_link_await_entry(const struct wf_link *link, uint64_t comm, uint32_t number)
{
    return wf_link_is_far(link) && wf_remote_await_entry(wf_link_rank(link), comm, number);
}

struct wf_shown *wf_link_shown(struct wf_link *link, uint32_t offset)
{
    int32_t rank = wf_link_rank(link);
    if (wf_link_is_far(link))
        return wf_remote_shown(rank, offset);
    const struct wf_box *box = wf_box_in(&link->view, rank);
    return box && wf_box_has(&link->view, rank, offset, wf_feed_room) ? wf_box_at(box, offset) : NULL;
}
