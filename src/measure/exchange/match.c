/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/match.h"

#include "base/memory.h"
#include "measure/clock/limits.h"
#include "measure/exchange/race.h"
#include "measure/exchange/snapshot.h"

#define MAX_CELLS (1u << 20) /* address space only */
#define MAX_SEARCH 256
#define FAR_LOOKS 4

/* A header that was passed over, or a posted receive: both wait in order for their other half. */
struct match_node {
    struct match_node *next;
    struct wf_taken taken;
    int32_t source;
};

struct wf_posted {
    struct match_node node; /* its header, once `has`; it is in no queue from then on */
    struct wf_match_queue *queue;
    struct wf_posted *next, *previous;
    uint64_t comm, order;
    struct wf_stamp begin;
    struct wf_showing shown;
    uint64_t address;
    struct wf_order_record *record; /* where it counts, if its source is any */
    int32_t source, tag;
    bool has;
};

/* One sender's. */
struct wf_match_queue {
    struct match_node *aside, *aside_last;  /* headers that were passed over, in the order they were sent */
    struct wf_posted *posted, *posted_last; /* that have no header yet */
};

/* One pool for both: a posted receive has room for a node. */
struct wf_match wf_match = {.cells = WF_POOL(struct wf_posted, MAX_CELLS)};

static void *match_cell(void)
{
    void *cell = wf_pool_take(&wf_match.cells);
    wf_match.open += cell != NULL;
    return cell;
}

static void match_release(void *cell)
{
    wf_pool_give(&wf_match.cells, cell);
    wf_match.open--;
}

/* ---- queues ---- */

static bool match_make_queues(void)
{
    wf_match.queues = wf_memory_pages(((size_t)wf_links.count + 1) * sizeof *wf_match.queues);
    return wf_match.queues != NULL;
}

/* NULL: there is no memory. */
static inline struct wf_match_queue *match_queue(int32_t source)
{
    if (__builtin_expect(!wf_match.queues, 0) && !match_make_queues())
        return NULL;
    return &wf_match.queues[source == WF_ANY ? 0 : source + 1];
}

static bool match_tag_fits(int32_t wanted, int32_t tag)
{
    return wanted == WF_ANY || wanted == tag;
}

static bool node_fits(const struct match_node *n, uint64_t comm, int32_t tag)
{
    return n->taken.header.comm == comm && match_tag_fits(tag, n->taken.header.tag);
}

static void match_count_unanswered(const struct match_node *n, int change)
{
    if (n->taken.header.flags & WF_HEADER_AWAITS)
        wf_set(wf_match.unanswered, wf_get(wf_match.unanswered) + (uint32_t)change);
}

static void queue_append(struct wf_match_queue *q, struct match_node *node)
{
    node->next = NULL;
    if (q->aside_last)
        q->aside_last->next = node;
    else
        q->aside = node;
    q->aside_last = node;
    match_count_unanswered(node, 1);
}

static void queue_remove(struct wf_match_queue *q, struct match_node *before, struct match_node *n)
{
    if (before)
        before->next = n->next;
    else
        q->aside = n->next;
    if (q->aside_last == n)
        q->aside_last = before;
    match_count_unanswered(n, -1);
    match_release(n);
}

/* So many receives wait for a header, for order control. */
static void match_count_waiting(int change)
{
    wf_match.waiting += (uint32_t)change;
    if (__builtin_expect(wf_process.shown_clock != NULL, 0))
        wf_set(wf_process.shown_clock->open, wf_match.waiting);
}

static void queue_unlink(struct wf_match_queue *q, struct wf_posted *p)
{
    match_count_waiting(-1);
    if (p->previous)
        p->previous->next = p->next;
    else
        q->posted = p->next;
    if (p->next)
        p->next->previous = p->previous;
    else
        q->posted_last = p->previous;
}

/* ---- headers ---- */

/* Its message was never sent. What its sender showed with it is free, as if it had been read. */
static void match_discard(const struct wf_header *h, struct wf_link *link)
{
    struct wf_shown *shown = h->path ? wf_link_shown(link, h->path) : NULL;
    if (shown)
        wf_snapshot_release(shown);
}

/* Moves the next header of the link to those passed over, past those of messages that were never sent; false: there is
 * none, or no room. */
static bool match_draw(struct wf_match_queue *q, int32_t source)
{
    struct wf_link *link = wf_link_to(source);
    struct wf_record *record;
    struct wf_taken dead;
    while ((record = wf_link_peek(link)) && wf_get(record->flags) & WF_HEADER_DEAD) {
        wf_link_take(link, record, &dead);
        match_discard(&dead.header, link);
    }
    struct match_node *node = record ? match_cell() : NULL;
    if (!node)
        return false;
    wf_link_take(link, record, &node->taken);
    node->source = source;
    queue_append(q, node);
    return true;
}

/* The first-sent header that fits, with what is in front of it (NULL: it is the first); draws from the link as far as
 * needed. */
static struct match_node *match_find(struct wf_match_queue *q, int32_t source, uint64_t comm, int32_t tag,
                                     struct match_node **before)
{
    struct match_node *previous = NULL, *n = q->aside, *next;
    for (;; n = next) {
        if (!n) {
            if (!match_draw(q, source))
                return NULL;
            n = q->aside_last;
        }
        next = n->next;
        if (!node_fits(n, comm, tag)) {
            previous = n;
            continue;
        }
        *before = previous;
        if (!wf_link_is_dead(&n->taken))
            return n;
        match_discard(&n->taken.header, wf_link_to(source));
        queue_remove(q, previous, n);
    }
}

static bool match_take(struct wf_match_queue *q, int32_t source, uint64_t comm, int32_t tag, struct match_node *out)
{
    struct match_node *before;
    struct match_node *n = match_find(q, source, comm, tag, &before);
    if (!n)
        return false;
    *out = *n;
    queue_remove(q, before, n);
    return true;
}

/* The sender waits, or has waited, for this receive. */
static void match_reply(struct match_node *n, const struct wf_stamp *begin, uint64_t address,
                        const struct wf_showing *shown)
{
    wf_link_reply(wf_link_to(n->source), &n->taken, begin, address, shown);
}

/* ---- receives ---- */

/* Gives a posted receive its header, if that has been sent. */
static void match_serve(struct wf_match_queue *q, int32_t source, struct wf_posted *p)
{
    if (!match_take(q, source, p->comm, p->tag, &p->node))
        return;
    p->has = true;
    queue_unlink(q, p);
    wf_wildcard_pass(&p->node.taken.header, source, p->order);
    match_reply(&p->node, &p->begin, p->address, &p->shown);
}

/* Receives posted before `order` come first. Behind MAX_SEARCH of them that are still without a message, none is looked
 * at. */
static void match_serve_earlier(struct wf_match_queue *q, int32_t source, uint64_t comm, uint64_t order)
{
    int left = MAX_SEARCH;
    for (struct wf_posted *p = q->posted, *next; p && p->order < order && left > 0; p = next) {
        next = p->next;
        if (p->comm == comm)
            match_serve(q, source, p);
        left -= !p->has;
    }
}

/* A receive from any source that was posted earlier and fits may have got an earlier message of this sender. */
static bool match_is_ambiguous(struct wf_match_queue *q, int32_t source, uint64_t comm, int32_t tag, uint64_t order)
{
    bool rival = false;
    int left = MAX_SEARCH;
    for (const struct wf_posted *p = wf_match.queues->posted; p && p->order < order && !rival && left-- > 0;
         p = p->next)
        rival = p->comm == comm && match_tag_fits(p->tag, tag);
    if (!rival)
        return false;
    int candidates = 0;
    while (match_draw(q, source))
        ;
    for (const struct match_node *n = q->aside; n && candidates < 2; n = n->next)
        candidates += node_fits(n, comm, tag);
    return candidates > 1;
}

/* The message has come from another host, and its header, which was sent before, may still come. */
static bool match_await(struct wf_match_queue *q, int32_t source, int32_t tag, uint64_t comm, uint64_t order,
                        struct match_node *out)
{
    struct wf_link *link = wf_link_to(source);
    int64_t since = 0;
    uint32_t drawn;
    do {
        drawn = wf_link_taken(link);
        if (!wf_link_await(link, &since))
            break;
        match_serve_earlier(q, source, comm, order);
        if (match_take(q, source, comm, tag, out))
            return true;
    } while (wf_link_taken(link) != drawn); /* else there is no room for what has come */
    wf_link_skip(link, comm, tag);
    return false;
}

static bool match_complete_at_once(struct wf_match_queue *q, int32_t source, int32_t tag, uint64_t comm, uint64_t order,
                                   struct match_node *out)
{
    match_serve_earlier(q, source, comm, order);
    bool ambiguous = match_is_ambiguous(q, source, comm, tag, order), found = match_take(q, source, comm, tag, out);
    if (found && ambiguous) {
        out->taken.header.known = 0; /* it may be another one's */
        if (weft_tls.lane)
            weft_tls.lane->record->headers.ambiguous++;
    }
    return found;
}

static bool match_complete(int32_t source, int32_t tag, uint64_t comm, uint64_t order, struct match_node *out)
{
    struct wf_match_queue *q = match_queue(source);
    return q && (match_complete_at_once(q, source, tag, comm, order, out) ||
                 (wf_link_is_far(wf_link_to(source)) && match_await(q, source, tag, comm, order, out)));
}

/* Of another host's ranks it is not known without looking. */
static bool match_has_headers(const struct wf_match_queue *q, int32_t source)
{
    struct wf_link *link = wf_link_to(source);
    if (wf_link_is_far(link)) {
        wf_links_pump_seldom();
        return true;
    }
    return q->aside || wf_link_peek(link);
}

static void queue_post(struct wf_match_queue *q, struct wf_posted *p)
{
    match_count_waiting(1);
    p->previous = q->posted_last;
    if (q->posted_last)
        q->posted_last->next = p;
    else
        q->posted = p;
    q->posted_last = p;
}

static void match_expect_any(void)
{
    wf_match.open += 1 - wf_match.any;
    wf_match.any = 1;
}

void wf_match_expect_any_slow(void)
{
    wf_threads_lock(&wf_match.lock);
    match_expect_any();
    wf_threads_unlock(&wf_match.lock);
}

static void match_posted_any(void)
{
    match_expect_any();
    wf_wildcard_posted();
}

struct wf_posted *wf_match_post(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin,
                                uint64_t address)
{
    wf_threads_lock(&wf_match.lock);
    struct wf_match_queue *q = match_queue(source);
    struct wf_posted *p = q ? match_cell() : NULL;
    if (p) {
        *p = (struct wf_posted){.queue = q,
                                .comm = comm,
                                .order = ++wf_match.orders,
                                .begin = *begin,
                                .address = address,
                                .source = source,
                                .tag = tag};
        wf_match.posted++;
        queue_post(q, p);
        if (__builtin_expect(source == WF_ANY, 0))
            match_posted_any();
        else if (wf_match_is_awaited(wf_link_to(source)) && match_has_headers(q, source))
            match_serve_earlier(q, source, comm, p->order + 1);
    }
    wf_threads_unlock(&wf_match.lock);
    return p;
}

void wf_match_count(struct wf_posted *posted, struct wf_order_record *record)
{
    posted->record = record;
}

void wf_match_wants(const struct wf_posted *posted, struct wf_match_wanted *wanted)
{
    wf_threads_lock(&wf_match.lock);
    *wanted = (struct wf_match_wanted){.tag = posted->tag, .came = posted->has, .comm = posted->comm};
    wf_threads_unlock(&wf_match.lock);
}

void wf_match_show(struct wf_posted *posted, struct wf_showing shown)
{
    wf_threads_lock(&wf_match.lock);
    posted->shown = shown;
    wf_threads_unlock(&wf_match.lock);
}

static void match_remove(struct wf_posted *p)
{
    wf_match.posted--;
    if (!p->has)
        queue_unlink(p->queue, p);
    if (__builtin_expect(p->source == WF_ANY, 0))
        wf_wildcard_completed();
    match_release(p);
}

/* A receive has taken, or a probe found, a message of this source and tag; header NULL: it came without one. */
static void match_race(const struct wf_header *header, struct wf_race_message m)
{
    m.sent = header ? header->stamp.real : 0;
    wf_race_take(&m, header ? header->known : 0, wf_wildcards_watched_until == UINT64_MAX);
}

static void match_race_completed(const struct wf_posted *p, int32_t source, int32_t tag, const struct wf_header *header)
{
    if (source < 0)
        wf_race_lose();
    else
        match_race(header, (struct wf_race_message){.comm = p->comm,
                                                    .order = p->order,
                                                    .any = p->source == WF_ANY,
                                                    .site = p->record && !wf_process.paused ? p->record->site : 0,
                                                    .source = source,
                                                    .tag = tag,
                                                    .wanted = p->tag});
}

/* A posted receive is complete: what does that tell about the order of receives from any source? A header that it had
 * before was seen then. */
static void match_pass_completed(const struct wf_posted *p, const struct match_node *n, bool found)
{
    if (__builtin_expect(p->source != WF_ANY, 1)) {
        if (found && !p->has)
            wf_wildcard_pass(&n->taken.header, n->source, p->order);
    } else if (p->record && !wf_process.paused) {
        if (found)
            wf_wildcard_take(&n->taken.header, n->source, p->order, &(struct wf_wildcard){p->record, p->tag});
        else
            wf_order_count_undecided(p->record);
    }
}

/* A receive that was posted in time may be served late: a large message does not move before its receiver is in MPI. */
static void match_reply_completed(struct match_node *n, const struct wf_posted *posted, const struct wf_stamp *begin,
                                  uint64_t address)
{
    match_reply(n, &posted->begin, posted->address, &posted->shown);
    if (__builtin_expect(begin->real > n->taken.header.stamp.real + wf_limits.long_call, 0))
        match_reply(n, begin, address, NULL);
}

bool wf_match_complete(struct wf_posted *posted, int32_t source, int32_t tag, const struct wf_stamp *begin,
                       uint64_t address, struct wf_header *header)
{
    struct match_node n = {.source = source};
    wf_threads_lock(&wf_match.lock);
    bool found = posted->has;
    if (found)
        n = posted->node;
    else if (source >= 0)
        found = match_complete(source, tag, posted->comm, posted->order, &n);
    if (found)
        match_reply_completed(&n, posted, begin, address);
    match_pass_completed(posted, &n, found);
    if (__builtin_expect(wf_races.on, 0))
        match_race_completed(posted, source, tag, found ? &n.taken.header : NULL);
    match_remove(posted);
    wf_threads_unlock(&wf_match.lock);
    *header = n.taken.header;
    return found;
}

bool wf_match_look(struct wf_posted *posted, int32_t source, int32_t tag, struct wf_header *header)
{
    struct match_node n = {.source = source};
    wf_threads_lock(&wf_match.lock);
    struct wf_match_queue *q = source >= 0 && !posted->has ? match_queue(source) : NULL;
    if (q && wf_link_is_far(wf_link_to(source)))
        wf_links_pump();
    if (q && match_complete_at_once(q, source, tag, posted->comm, posted->order, &n)) {
        queue_unlink(posted->queue, posted);
        posted->node = n;
        posted->has = true;
        if (posted->source != WF_ANY)
            wf_wildcard_pass(&n.taken.header, source, posted->order);
        match_reply(&n, &posted->begin, posted->address, &posted->shown);
    }
    bool has = posted->has;
    *header = posted->node.taken.header;
    if (has)
        wf_race_hear(source, header->known);
    else
        wf_race_lose();
    wf_threads_unlock(&wf_match.lock);
    return has;
}

/* A cancelled receive has no message; its header belongs to the next receive that fits. It came from the front of its
 * sender's queue. */
static void match_give_back(const struct match_node *header)
{
    struct wf_match_queue *q = match_queue(header->source);
    struct match_node *n = q ? match_cell() : NULL;
    if (!n)
        return;
    *n = *header;
    match_count_unanswered(n, 1);
    n->next = q->aside;
    q->aside = n;
    if (!q->aside_last)
        q->aside_last = n;
}

void wf_match_forget(struct wf_posted *posted)
{
    wf_threads_lock(&wf_match.lock);
    if (posted->has)
        match_give_back(&posted->node);
    match_remove(posted);
    wf_threads_unlock(&wf_match.lock);
}

/* The next header of a rank of this host, where nothing else is under way. */
static bool match_take_next(int32_t source, int32_t tag, uint64_t comm, struct match_node *out)
{
    struct wf_link *link = wf_link_to(source);
    struct wf_record *record = wf_match.open == wf_match.any ? wf_ring_peek(&link->from) : NULL;
    if (!record || wf_get(record->comm) != comm || wf_get(record->tag) != tag || wf_get(record->flags) & WF_HEADER_DEAD)
        return false;
    wf_link_take(link, record, &out->taken);
    return true;
}

/* What the message that a call has taken, or found, tells about the order of receives from any source. */
static void match_pass(const struct match_node *n, uint64_t order, const struct wf_wildcard *by, bool found)
{
    if (!found && by)
        wf_order_count_undecided(by->record);
    else if (found && by)
        wf_wildcard_take(&n->taken.header, n->source, order, by);
    else if (found)
        wf_wildcard_pass(&n->taken.header, n->source, order);
}

static struct wf_race_message match_race_of(int32_t source, int32_t tag, uint64_t comm, uint64_t order,
                                            const struct wf_wildcard *by)
{
    return (struct wf_race_message){.comm = comm,
                                    .order = order,
                                    .any = by != NULL,
                                    .site = by ? by->record->site : 0,
                                    .source = source,
                                    .tag = tag,
                                    .wanted = by ? by->tag : tag};
}

bool wf_match_receive(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address,
                      const struct wf_wildcard *by, struct wf_header *header)
{
    struct match_node n = {.source = source};
    wf_threads_lock(&wf_match.lock);
    uint64_t order = ++wf_match.orders;
    bool found = match_take_next(source, tag, comm, &n) || match_complete(source, tag, comm, order, &n);
    match_pass(&n, order, by, found);
    if (__builtin_expect(wf_races.on, 0))
        match_race(found ? &n.taken.header : NULL, match_race_of(source, tag, comm, order, by));
    if (found)
        match_reply(&n, begin, address, NULL);
    wf_threads_unlock(&wf_match.lock);
    *header = n.taken.header;
    return found;
}

static struct match_node *match_look(struct wf_match_queue *q, int32_t source, uint64_t comm, int32_t tag)
{
    struct match_node *before;
    match_serve_earlier(q, source, comm, wf_match.orders + 1);
    return match_find(q, source, comm, tag, &before);
}

void wf_match_announce(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address)
{
    wf_threads_lock(&wf_match.lock);
    struct wf_match_queue *q = match_queue(source);
    struct match_node *n = q ? match_look(q, source, comm, tag) : NULL;
    /* From another host it may take several looks until what has come is there. */
    for (int looks = FAR_LOOKS; q && !n && wf_link_is_far(wf_link_to(source)) && looks > 0; looks--) {
        wf_links_pump();
        n = match_look(q, source, comm, tag);
    }
    if (n)
        match_reply(n, begin, address, NULL);
    wf_threads_unlock(&wf_match.lock);
}

bool wf_match_peek(int32_t source, int32_t tag, uint64_t comm, const struct wf_wildcard *by, struct wf_header *header)
{
    wf_threads_lock(&wf_match.lock);
    struct wf_match_queue *q = match_queue(source);
    if (wf_link_is_far(wf_link_to(source)))
        wf_links_pump();
    struct match_node *n = q ? match_look(q, source, comm, tag) : NULL;
    if (by)
        match_pass(n, ++wf_match.orders, by, n != NULL);
    if (by && wf_races.on)
        match_race(n ? &n->taken.header : NULL, match_race_of(source, tag, comm, wf_match.orders, by));
    else
        wf_race_hear(source, n ? n->taken.header.known : 0);
    if (n)
        *header = n->taken.header;
    wf_threads_unlock(&wf_match.lock);
    return n != NULL;
}

/* Without taking: first what was passed over, then what lies in the ring. */
static bool match_first_untouched(const struct wf_match_queue *q, int32_t source, int32_t tag, uint64_t comm,
                                  struct wf_header *header)
{
    for (const struct match_node *n = q->aside; n; n = n->next)
        if (node_fits(n, comm, tag) && !wf_link_is_dead(&n->taken)) {
            *header = n->taken.header;
            return true;
        }
    return wf_link_look(wf_link_to(source), comm, tag, header);
}

bool wf_match_first(int32_t source, int32_t tag, uint64_t comm, uint64_t order, struct wf_header *header)
{
    struct wf_match_queue *q = match_queue(source);
    struct match_node *before, *n;
    if (!q)
        return false;
    if (!wf_match.posted)
        return match_first_untouched(q, source, tag, comm, header);
    wf_threads_lock(&wf_match.lock);
    match_serve_earlier(q, source, comm, order);
    n = match_find(q, source, comm, tag, &before);
    if (n)
        *header = n->taken.header;
    wf_threads_unlock(&wf_match.lock);
    return n != NULL;
}

/* With the lock. */
static struct wf_posted *match_first_posted(int32_t tag, uint64_t comm)
{
    struct wf_posted *p = wf_match.queues ? wf_match.queues->posted : NULL;
    while (p && (p->comm != comm || p->tag != tag))
        p = p->next;
    return p;
}

uint64_t wf_match_order(int32_t tag, uint64_t comm)
{
    wf_threads_lock(&wf_match.lock);
    const struct wf_posted *p = match_first_posted(tag, comm);
    uint64_t order = p ? p->order : WF_MATCH_NOW;
    wf_threads_unlock(&wf_match.lock);
    return order;
}

void wf_match_reserve(int32_t tag, uint64_t comm, int32_t source)
{
    wf_threads_lock(&wf_match.lock);
    struct wf_match_queue *q = match_queue(source);
    struct wf_posted *p = match_first_posted(tag, comm);
    if (q && p) {
        match_serve_earlier(q, source, comm, p->order);
        if (match_take(q, source, comm, tag, &p->node)) {
            p->has = true;
            queue_unlink(p->queue, p);
            match_reply(&p->node, &p->begin, p->address, &p->shown);
        }
    }
    wf_threads_unlock(&wf_match.lock);
}

static bool queue_accepts(const struct wf_match_queue *q, int32_t tag, uint64_t comm)
{
    const struct wf_posted *p = q->posted;
    while (p && (p->comm != comm || !match_tag_fits(p->tag, tag)))
        p = p->next;
    return p != NULL;
}

bool wf_match_accepts(int32_t source, int32_t tag, uint64_t comm)
{
    return wf_match.waiting && wf_match.queues &&
           (queue_accepts(&wf_match.queues[0], tag, comm) || queue_accepts(&wf_match.queues[source + 1], tag, comm));
}

static uint64_t queue_aside(const struct wf_match_queue *q, int32_t tag, uint64_t comm)
{
    for (const struct match_node *n = q->aside; n; n = n->next)
        if (node_fits(n, comm, tag))
            return n->taken.header.stamp.virt;
    return UINT64_MAX;
}

uint64_t wf_match_aside(int32_t source, int32_t tag, uint64_t comm)
{
    uint64_t first = UINT64_MAX;
    if (!wf_match.queues || wf_match.open - wf_match.any == wf_match.posted)
        return first;
    for (int32_t i = 0; i < wf_links.count; i++) {
        uint64_t virt = source == WF_ANY || source == i ? queue_aside(&wf_match.queues[i + 1], tag, comm) : first;
        first = virt < first ? virt : first;
    }
    return first;
}

bool wf_match_earlier(int32_t sender, uint64_t virt, uint64_t others_virt)
{
    bool earlier = false;
    wf_threads_lock(&wf_match.lock);
    wf_links_pump();
    for (int32_t source = 0; source < wf_links.count && !earlier; source++) {
        struct wf_match_queue *q = match_queue(source);
        if (q && !q->aside)
            match_draw(q, source);
        earlier = q && q->aside && q->aside->taken.header.stamp.virt < (source == sender ? virt : others_virt);
    }
    wf_threads_unlock(&wf_match.lock);
    return earlier;
}
