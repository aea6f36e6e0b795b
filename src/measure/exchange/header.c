/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/arrival.h"

#include <sched.h>

/* All sends together wait in vain for their receivers' replies: one part of so many of the run so far. */
#define AWAIT_SHARE 256u

void wf_header_calibrate(int rank)
{
    struct wf_link *link = wf_link_to(rank);
    struct wf_header h = {.comm = 1};
    uint64_t best = UINT64_MAX;
    for (int batch = 0; batch < 8; batch++) {
        uint64_t since = wf_clock_ticks();
        for (int i = 0; i < 8; i++)
            wf_link_put(link, &h);
        uint64_t ticks = (wf_clock_ticks() - since) / 8;
        best = ticks < best ? ticks : best;
        for (struct wf_record *r; (r = wf_link_peek(link));)
            wf_ring_take(&link->from, r, &h);
    }
    wf_process_put_cost(best);
}

/* ---- root causes ---- */

static uint64_t header_released(const struct wf_lane *lane)
{
    const struct wf_segment_header *header = wf_process.segment.header;
    return wf_max(lane->released, wf_call_root_time(header->init_end_ticks, header->init_end_virtual_ticks));
}

void wf_header_tell_unknown(struct wf_call *c)
{
    struct wf_lane_unknown *unknown = &c->lane->unknown;
    struct wf_roots roots;
    wf_roots_start(&roots, WF_PARTNER_NONE, 0);
    wf_roots_add(&roots, &roots.culprit, unknown->ticks);
    wf_root_ring_publish(&wf_own_box.box->roots, &roots, wf_less(unknown->end, unknown->ticks), 0);
    c->lane->released = wf_max(c->lane->released, unknown->end);
    unknown->ticks = 0;
}

const struct wf_roots *wf_header_find_roots(struct wf_call *c, uint64_t ticks, int32_t culprit, uint64_t through)
{
    uint64_t since = wf_clock_ticks(), begin = wf_call_root_time(c->start, wf_call_virt(c));
    struct wf_link *link = wf_link_to(culprit);
    struct wf_roots *roots = &c->lane->roots;
    if (c->site == &c->lane->muted)
        return NULL;
    struct wf_root_wait wait = {begin, begin + ticks, header_released(c->lane), wf_own_box.rank};
    const struct wf_box *box = wf_link_is_local(link) ? wf_box_in(&link->view, culprit) : NULL;
    wf_roots_start(roots, culprit, through);
    wf_root_ring_divide(box ? &box->roots : NULL, roots, &wait);
    c->lane->released = wait.end;
    if (c->lane == wf_process.main)
        wf_root_ring_publish(&wf_own_box.box->roots, roots, begin, wf_limits.long_wait);
    c->awaited += wf_less(wf_clock_ticks(), since);
    return roots;
}

void wf_call_settle_polled(struct wf_call *c, struct wf_others *o, struct wf_event *e)
{
    if (!c->chained) {
        wf_call_settle_with(c, o, e);
        return;
    }
    if (o->kind == WF_WAIT_LATE_SENDER)
        wf_others_find_order(o, wf_call_virt(c));
    wf_poll_settle(c, &o->merge, o->kind, e);
    if (e->times.sync > wf_limits.long_wait)
        e->roots = wf_header_find_roots(c, e->times.sync, e->culprit, e->through);
}

void wf_call_take_polled(struct wf_call *c, struct wf_others *o, int32_t partner, uint64_t num, uint64_t bytes)
{
    struct wf_event e;
    wf_call_settle_polled(c, o, &e);
    wf_call_take(c, &e, partner, num, bytes);
}

/* ---- messages that are sent ---- */

uint32_t wf_header_show_known_now(struct wf_call *c, uint32_t flags)
{
    uint64_t since = wf_clock_ticks();
    uint32_t known = wf_race_show(flags);
    wf_call_put_off_since(c, since);
    return known;
}

struct wf_record *wf_header_put_far(struct wf_call *c, struct wf_link *link, const struct wf_header *h)
{
    if (!wf_link_is_far(link))
        return NULL;
    uint64_t since = wf_clock_ticks();
    c->end = c->start;     /* it has not taken any time yet */
    wf_call_feed_begin(c); /* what goes there is written now */
    struct wf_record *record = wf_link_put_far(link, h, c->feed, since);
    wf_call_put_off_since(c, since);
    return record;
}

void wf_header_take_back(int32_t to, struct wf_record *record, uint32_t number)
{
    struct wf_link *link = wf_link_to(to);
    wf_threads_lock(&link->to.lock);
    wf_link_take_back(link, record, number);
    wf_threads_unlock(&link->to.lock);
}

/* ---- replies ---- */

static bool header_may_await(const struct wf_call *c)
{
    return __atomic_load_n(&wf_process.vain_ticks, __ATOMIC_RELAXED) <=
           (c->end - wf_process.segment.header->init_end_ticks) / AWAIT_SHARE;
}

/* The reply is written when the receive begins or, if it had begun before the send, when it ends: now, or as soon as
 * the receiver gets a core. A message that was sent at once gets none for long, and one whose receive was not late gets
 * none at all. Then the next ones do not wait for theirs either. So waiting in vain takes no more than a small part of
 * the run. */
static void header_await_reply(struct wf_call *c, struct wf_link *link, struct wf_ring *ring, uint32_t number,
                               uint64_t stake)
{
    const struct wf_reply *reply = wf_ring_reply(ring, number);
    uint64_t most = stake / 16 < wf_limits.await ? stake / 16 : wf_limits.await;
    bool came = false;
    for (int i = 0; !came && c->awaited < most; i++) {
        came = wf_reply_is_there(reply, number);
        if (!came && i > 64)
            sched_yield();
        c->awaited = wf_less(wf_clock_ticks(), c->end);
    }
    if (came)
        return;
    __atomic_fetch_add(&wf_process.vain_ticks, c->awaited, __ATOMIC_RELAXED);
    wf_set(link->intrusion, c->before.intrusion);
}

/* A receive that began after the send had ended was not waited for, nor was one that had begun before if the send need
 * not wait. */
static bool header_waited_for(const struct wf_call *c, const struct wf_stamp *receive, uint32_t flags)
{
    return receive->real <= c->end && (flags != WF_HEADER_EAGER || receive->real >= c->start);
}

void wf_header_reply(struct wf_call *c, struct wf_ring *ring, uint32_t number, uint32_t flags, int32_t to,
                     uint64_t stake, struct wf_others *o)
{
    struct wf_link *link = wf_link_to(to);
    bool far = wf_link_is_far(link);
    struct wf_stamp stamp;
    struct wf_showing shown;
    uint64_t address;
    if (__builtin_expect(far, 0))
        wf_link_await_reply(link, ring, number, c->end - c->start);
    else if (__builtin_expect(stake >= wf_limits.long_wait, 0) && header_may_await(c))
        header_await_reply(c, link, ring, number, stake);
    bool replied = wf_reply_read(wf_ring_reply(ring, number), number, &stamp, &address, &shown);
    if (replied)
        wf_set(link->intrusion, stamp.real - stamp.virt);
    if (!replied || (!far && !header_waited_for(c, &stamp, flags))) {
        wf_arrival_explain_by_return(c, to, WF_WAIT_LATE_RECEIVER, o);
        return;
    }
    wf_others_add(o, &stamp, 0, to, address, WF_WAIT_LATE_RECEIVER);
    if (c->feed)
        wf_snapshot_saw_for_now(c->feed, shown.path ? wf_link_shown(link, shown.path) : NULL, shown.ticket, stamp.virt);
}

/* ---- messages that are received ---- */

void wf_header_saw(struct wf_feed *feed, const struct wf_site *site, int32_t from, uint64_t latency,
                   const struct wf_header *h)
{
    struct wf_link *link = wf_link_to(from);
    struct wf_shown *shown = h->path ? wf_link_shown_at_once(link, h->path) : NULL;
    if (__builtin_expect(shown != NULL, 1))
        wf_snapshot_saw(feed, site, shown, latency, h->stamp.virt);
    else
        wf_snapshot_saw(feed, site, h->path ? wf_link_shown(link, h->path) : NULL, latency, h->stamp.virt);
}

/* A receive or probe from any source, and where it counts; record NULL: nowhere, or it is not from any source. */
static struct wf_wildcard header_wildcard(struct wf_call *c, int source, int tag)
{
    return (struct wf_wildcard){.record = source == MPI_ANY_SOURCE ? wf_lane_order(c->lane, c->site) : NULL,
                                .tag = tag == MPI_ANY_TAG ? WF_ANY : tag};
}

void wf_header_received_slow(struct wf_call *c, const MPI_Status *status, uint64_t comm, int32_t from, int source,
                             int tag, struct wf_others *o)
{
    struct wf_stamp begin = wf_call_stamp(c);
    struct wf_wildcard any = header_wildcard(c, source, tag);
    struct wf_header h;
    if (wf_match_receive(from, status->MPI_TAG, comm, &begin, c->site->address, any.record ? &any : NULL, &h))
        wf_header_came(c, &h, from, wf_status_bytes(status), true, o);
    else
        wf_header_missing(c, from);
}

void wf_header_found(struct wf_call *c, const struct wf_args *a, int32_t from, struct wf_others *o)
{
    const struct wf_group *ranks = wf_header_is_on() && from >= 0 ? wf_comm_known(a->comm) : NULL;
    struct wf_header h;
    wf_header_expect(a->peer);
    if (!ranks) {
        wf_header_unknown(c, a->peer, from);
        return;
    }
    struct wf_wildcard any = header_wildcard(c, a->peer, a->tag);
    if (wf_match_peek(from, a->status->MPI_TAG, ranks->id, any.record ? &any : NULL, &h))
        wf_header_probed(c, &h, from, o);
}

void wf_header_probed(const struct wf_call *c, const struct wf_header *h, int32_t from, struct wf_others *o)
{
    wf_others_add(o, &h->stamp, 0, from, h->address, WF_WAIT_LATE_SENDER);
    o->merge.real = wf_max(o->merge.real, c->granted);
    if (c->feed)
        wf_snapshot_saw_for_now(c->feed, h->path ? wf_link_shown(wf_link_to(from), h->path) : NULL, 0, h->stamp.virt);
}

/* ---- collectives ---- */

/* The stamp of an entry is of when all are told, and is known when they are: then it is written anew. */
void wf_header_enter_far(struct wf_call *c, struct wf_group *group, uint32_t number, enum wf_depends depends, int root)
{
    uint64_t since = wf_clock_ticks();
    struct wf_entry e = {.address = wf_call_through(c), .stamp = wf_call_stamp(c)};
    int32_t to[WF_DEPENDS_MEMBERS];
    int count = 0;
    for (int i = 0; i < group->size && wf_depends_reaches(depends, group->size); i++)
        if (wf_depends_on(depends, root, i, group->rank) && group->partner[i] >= 0)
            to[count++] = group->partner[i];
    if (!wf_links_tell(to, count, group->id, number, &e, c->feed, since))
        return;
    wf_call_put_off_since(c, since);
    e = (struct wf_entry){.path = 0};
    wf_slots_entered(&wf_own_box.box->slots, group->id, number, &e);
    e.stamp = wf_call_stamp(c);
    wf_header_write_entry(group->id, number, &e);
}

static const uint8_t header_wait_of[] = {
    [WF_DEPENDS_barrier] = WF_WAIT_BARRIER,     [WF_DEPENDS_all] = WF_WAIT_ALL_TO_ALL,
    [WF_DEPENDS_root] = WF_WAIT_LATE_BROADCAST, [WF_DEPENDS_members] = WF_WAIT_EARLY_REDUCE,
    [WF_DEPENDS_below] = WF_WAIT_SCAN,          [WF_DEPENDS_neighbours] = WF_WAIT_NEIGHBOUR,
    [WF_DEPENDS_arrivals] = WF_WAIT_ALL_TO_ALL, [WF_DEPENDS_made] = WF_WAIT_ALL_TO_ALL,
};

static uint32_t header_wait_in(const struct wf_group *group, enum wf_depends depends)
{
    if (group->kind == WF_GROUP_WIN)
        return WF_WAIT_WINDOW;
    return group->kind == WF_GROUP_FILE ? WF_WAIT_FILE : header_wait_of[depends];
}

static inline void header_gather_member(const struct wf_call *c, const struct wf_group *group, int32_t member,
                                        uint32_t number, enum wf_depends depends, struct wf_others *o)
{
    struct wf_link *link = member >= 0 ? wf_link_to(member) : NULL;
    struct wf_entry e;
    bool found = link && wf_link_entered(link, group->id, number, &e);
    if (__builtin_expect(!found, 0) && link && wf_depends_reaches(depends, group->size))
        found = wf_link_await_entry(link, group->id, number) && wf_link_entered(link, group->id, number, &e);
    if (!found) {
        wf_header_missing(c, member);
        return;
    }
    wf_race_hear(member, e.known);
    wf_others_add(o, &e.stamp, 0, member, e.address, header_wait_of[depends]);
    if (c->feed)
        wf_snapshot_saw_for_now(c->feed, e.path ? wf_link_shown(link, e.path) : NULL, e.path_ticket, e.stamp.virt);
    c->lane->record->headers.taken++;
}

/* Those that the caller cannot have left without. On an intercommunicator that differs from library to library. */
static void header_gather_certain(const struct wf_call *c, struct wf_group *group, MPI_Comm comm, uint32_t number,
                                  enum wf_depends depends, int root, struct wf_others *o)
{
    if (depends == WF_DEPENDS_neighbours) {
        int count;
        const int32_t *sources = wf_group_sources(group, comm, &count);
        for (int i = 0; i < count; i++)
            if (sources[i] != group->partner[group->rank])
                header_gather_member(c, group, sources[i], number, depends, o);
        return;
    }
    if (depends == WF_DEPENDS_root) {
        if (group->rank != root && root >= 0 && root < group->size)
            header_gather_member(c, group, group->partner[root], number, depends, o);
        return;
    }
    for (int i = 0; i < group->size; i++)
        if (wf_depends_on(depends, root, group->rank, i))
            header_gather_member(c, group, group->partner[i], number, depends, o);
}

/* Does every member do the same, although MPI lets the library decide whether it waits for the others? */
static bool header_concerns_all(const struct wf_group *group, enum wf_depends depends)
{
    return group->kind != WF_GROUP_COMM || depends == WF_DEPENDS_arrivals ||
           (group->inter && wf_depends_on_all(depends));
}

void wf_header_gather(const struct wf_call *c, struct wf_group *group, MPI_Comm comm, uint32_t number,
                      enum wf_depends depends, int root, struct wf_others *o)
{
    if (__builtin_expect(!group->inter, 1))
        header_gather_certain(c, group, comm, number, depends, root, o);
    if (__builtin_expect(!group->inter && wf_depends_on_all(depends), 1))
        return;
    uint32_t kind = header_wait_in(group, depends);
    if (header_concerns_all(group, depends) && wf_arrival_gather(c, group, number, kind, o))
        return;
    if (wf_arrival_is_wanted(c))
        wf_arrival_explain_by(c, group, group->id, number, kind, o);
}
