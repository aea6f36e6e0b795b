/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/match.h"

#include <stddef.h>

#include "guest/memory.h"
#include "measure/process.h"
#include "measure/remote.h"

#define MAX_NODES (1u << 20) /* address space only */
#define MAX_SEARCH 256
#define REMOTE_LOOKS 4

/* A header that was passed over, or a posted receive: both wait in order for their other half. */
struct node {
    struct node *next;
    struct wf_header header;
    struct wf_ring *ring; /* of the header, for a reply */
    uint32_t number;
    int32_t source;
    bool answered;
};

struct wf_posted {
    struct node node; /* its header, once `has`; it is in no queue from then on */
    struct wf_posted *next, *previous;
    uint64_t comm, order;
    struct wf_stamp begin;
    struct wf_showing shown;
    uint64_t address;
    int32_t source, tag;
    bool has;
};

/* One sender's. */
struct queue {
    struct node *aside, *aside_last; /* headers that were passed over, in the order they were sent */
    struct wf_posted *posted, *posted_last; /* that have no header yet */
};

union cell {
    union cell *next;
    struct wf_posted posted;
};

uint32_t wf_match_open;
_Atomic uint32_t wf_match_unanswered;

static struct queue *queues;  /* by world rank */
static struct queue any;      /* of receives from any source */
static union cell *cells, *free_cells;
static uint32_t cells_used;
static uint64_t orders;
static struct wf_lock all; /* for all these, and the readers of measure/box.h, with MPI_THREAD_MULTIPLE */

static void lock(void)
{
    if (wf_process.threads)
        wf_lock_take(&all);
}

static void unlock(void)
{
    if (wf_process.threads)
        wf_lock_give(&all);
}

static void *new_cell(void)
{
    if (!cells)
        cells = wf_memory_pages((size_t)MAX_NODES * sizeof *cells);
    union cell *cell = free_cells;
    if (cell)
        free_cells = cell->next;
    else if (cells && cells_used < MAX_NODES)
        cell = &cells[cells_used++];
    if (cell)
        wf_match_open++;
    return cell;
}

static void release(void *memory)
{
    union cell *cell = memory;
    cell->next = free_cells;
    free_cells = cell;
    wf_match_open--;
}

static struct queue *queue_of(int32_t source)
{
    if (source == WF_ANY)
        return &any;
    if (!queues)
        queues = wf_memory_pages((size_t)wf_box->size * sizeof *queues);
    return queues ? &queues[source] : NULL;
}

static bool tag_fits(int32_t wanted, int32_t tag)
{
    return wanted == WF_ANY || wanted == tag;
}

static bool fits(const struct wf_header *h, uint64_t comm, int32_t tag)
{
    return h->comm == comm && tag_fits(tag, h->tag);
}

static void append(struct queue *q, struct node *node)
{
    node->next = NULL;
    if (q->aside_last)
        q->aside_last->next = node;
    else
        q->aside = node;
    q->aside_last = node;
}

static void count_unanswered(const struct wf_header *h, int change)
{
    if (h->flags & WF_HEADER_AWAITS)
        wf_set(wf_match_unanswered, wf_get(wf_match_unanswered) + (uint32_t)change);
}

/* Its message was never sent. What its sender showed with it is free, as if it had been read. */
static void discard(const struct wf_header *h, int32_t source)
{
    struct wf_shown *shown = h->path ? wf_box_shown(&wf_box_from[source], h->path) : NULL;
    if (shown)
        atomic_store_explicit(&shown->ticket, 0, memory_order_release);
}

/* Moves the next header of the ring to those aside, past those of messages that were never sent; false: there is none, or no room. */
static bool draw(struct queue *q, int32_t source)
{
    struct wf_reader *r = &wf_box_from[source];
    struct wf_record *record;
    struct node *node = NULL;
    struct wf_header dead;
    while ((record = wf_box_peek(r, source)) && wf_get(record->flags) & WF_HEADER_DEAD) {
        wf_box_take(r, record, &dead);
        discard(&dead, source);
    }
    if (record)
        node = new_cell();
    if (!node)
        return false;
    node->ring = wf_get(r->ring);
    node->number = r->remote ? record->remote_number : wf_get(r->next) + 1;
    node->source = source;
    node->answered = false;
    wf_box_take(r, record, &node->header);
    count_unanswered(&node->header, 1);
    append(q, node);
    return true;
}

/* Its sender has taken it back after we had taken it. Where that was long ago, its record may be another's by now: then it counts. */
static bool is_dead(const struct node *n)
{
    const struct wf_record *record = &n->ring->records[(n->number - 1) & (n->ring->capacity - 1)];
    return !wf_box_from[n->source].remote && wf_get(record->flags) & WF_HEADER_DEAD &&
           atomic_load_explicit(&record->number, memory_order_relaxed) == n->number;
}

static void remove_node(struct queue *q, struct node *before, struct node *n)
{
    if (before)
        before->next = n->next;
    else
        q->aside = n->next;
    if (q->aside_last == n)
        q->aside_last = before;
    count_unanswered(&n->header, -1);
    release(n);
}

/* The first-sent header that fits, with what is in front of it (NULL: it is the first); draws from the ring as far as needed. */
static struct node *find(struct queue *q, int32_t source, uint64_t comm, int32_t tag, struct node **before)
{
    struct node *previous = NULL, *n = q->aside, *next;
    for (;; n = next) {
        if (!n) {
            if (!draw(q, source))
                return NULL;
            n = q->aside_last;
        }
        next = n->next;
        if (!fits(&n->header, comm, tag)) {
            previous = n;
            continue;
        }
        *before = previous;
        if (!is_dead(n))
            return n;
        discard(&n->header, source);
        remove_node(q, previous, n);
    }
}

static bool take(struct queue *q, int32_t source, uint64_t comm, int32_t tag, struct node *out)
{
    struct node *before;
    struct node *n = find(q, source, comm, tag, &before);
    if (!n)
        return false;
    *out = *n;
    remove_node(q, before, n);
    return true;
}

/* The sender waits, or has waited, for this receive. */
static void reply(struct node *n, const struct wf_stamp *begin, uint64_t address, const struct wf_showing *shown)
{
    struct wf_reader *r = &wf_box_from[n->source];
    if (!r->remote) {
        wf_box_reply(r, n->ring, n->number, &n->header, begin, address, shown);
        return;
    }
    if (!n->answered && n->header.flags & WF_HEADER_SYNC)
        wf_remote_reply(n->source, n->number, begin, address);
    n->answered = true;
}

static void unlink_posted(struct queue *q, struct wf_posted *p)
{
    if (p->previous)
        p->previous->next = p->next;
    else
        q->posted = p->next;
    if (p->next)
        p->next->previous = p->previous;
    else
        q->posted_last = p->previous;
}

/* Gives a posted receive its header, if that has been sent. */
static void serve(struct queue *q, int32_t source, struct wf_posted *p)
{
    if (!take(q, source, p->comm, p->tag, &p->node))
        return;
    p->has = true;
    unlink_posted(q, p);
    reply(&p->node, &p->begin, p->address, &p->shown);
}

/* Receives posted before `order` come first. So many of them that are still without a message are not waited for by anybody. */
static void serve_earlier(struct queue *q, int32_t source, uint64_t comm, uint64_t order)
{
    int left = MAX_SEARCH;
    for (struct wf_posted *p = q->posted, *next; p && p->order < order && left > 0; p = next) {
        next = p->next;
        if (p->comm == comm)
            serve(q, source, p);
        left -= !p->has;
    }
}

/* A receive from any source that was posted earlier and fits may have got an earlier message of this sender. */
static bool is_ambiguous(struct queue *q, int32_t source, uint64_t comm, int32_t tag, uint64_t order)
{
    bool rival = false;
    int left = MAX_SEARCH;
    for (const struct wf_posted *p = any.posted; p && p->order < order && !rival && left-- > 0; p = p->next)
        rival = p->comm == comm && tag_fits(p->tag, tag);
    if (!rival)
        return false;
    int candidates = 0;
    while (draw(q, source))
        ;
    for (const struct node *n = q->aside; n && candidates < 2; n = n->next)
        candidates += fits(&n->header, comm, tag);
    return candidates > 1;
}

/* The message has come from another host, and its header, which was sent before, may still come. */
static bool await(struct queue *q, int32_t source, int32_t tag, uint64_t comm, uint64_t order, struct node *out)
{
    int64_t since = 0;
    uint32_t drawn;
    do {
        drawn = wf_get(wf_box_from[source].next);
        if (!wf_remote_await(source, &since))
            break;
        serve_earlier(q, source, comm, order);
        if (take(q, source, comm, tag, out))
            return true;
    } while (wf_get(wf_box_from[source].next) != drawn); /* else there is no room for what has come */
    wf_remote_skip(source, comm, tag);
    return false;
}

static bool complete(int32_t source, int32_t tag, uint64_t comm, uint64_t order, struct node *out)
{
    struct queue *q = queue_of(source);
    if (!q)
        return false;
    serve_earlier(q, source, comm, order);
    if (is_ambiguous(q, source, comm, tag, order) && weft_tls.lane)
        weft_tls.lane->record->headers.ambiguous++;
    return take(q, source, comm, tag, out) || (wf_box_from[source].remote && await(q, source, tag, comm, order, out));
}

/* Of another host's ranks it is not known without looking. */
static bool has_headers(const struct queue *q, int32_t source)
{
    struct wf_reader *r = &wf_box_from[source];
    if (r->remote)
        wf_remote_pump_seldom();
    return !r->remote || q->aside || wf_box_peek(r, source);
}

struct wf_posted *wf_match_post(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address)
{
    lock();
    struct queue *q = queue_of(source);
    struct wf_posted *p = q ? new_cell() : NULL;
    if (p) {
        *p = (struct wf_posted){.comm = comm, .order = ++orders, .begin = *begin, .address = address, .source = source, .tag = tag};
        p->previous = q->posted_last;
        if (q->posted_last)
            q->posted_last->next = p;
        else
            q->posted = p;
        q->posted_last = p;
        if (source != WF_ANY && wf_match_is_awaited(source) && has_headers(q, source))
            serve_earlier(q, source, comm, p->order + 1);
    }
    unlock();
    return p;
}

void wf_match_show(struct wf_posted *posted, struct wf_showing shown)
{
    lock();
    posted->shown = shown;
    unlock();
}

static void remove_posted(struct wf_posted *p)
{
    if (!p->has)
        unlink_posted(queue_of(p->source), p);
    release(p);
}

bool wf_match_complete(struct wf_posted *posted, int32_t source, int32_t tag, struct wf_header *header)
{
    struct node n = {.number = 0};
    lock();
    bool found = posted->has;
    if (found) {
        n = posted->node;
    } else if (source >= 0) {
        found = complete(source, tag, posted->comm, posted->order, &n);
        if (found)
            reply(&n, &posted->begin, posted->address, &posted->shown);
    }
    remove_posted(posted);
    unlock();
    *header = n.header;
    return found;
}

void wf_match_forget(struct wf_posted *posted)
{
    lock();
    if (posted->has) {
        /* A cancelled receive has no message; its header belongs to the next receive that fits. It came from the front of the queue. */
        struct queue *q = queue_of(posted->source);
        struct node *n = new_cell();
        if (n) {
            *n = posted->node;
            count_unanswered(&n->header, 1);
            n->next = q->aside;
            q->aside = n;
            if (!q->aside_last)
                q->aside_last = n;
        }
    }
    remove_posted(posted);
    unlock();
}

bool wf_match_receive_slow(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address, struct wf_header *header)
{
    struct node n = {.number = 0};
    lock();
    bool found = complete(source, tag, comm, ++orders, &n);
    if (found)
        reply(&n, begin, address, NULL);
    unlock();
    *header = n.header;
    return found;
}

static struct node *look(struct queue *q, int32_t source, uint64_t comm, int32_t tag, struct node **before)
{
    serve_earlier(q, source, comm, orders + 1);
    return find(q, source, comm, tag, before);
}

void wf_match_announce(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address)
{
    struct node *before, *n;
    lock();
    struct queue *q = queue_of(source);
    if (q) {
        /* From another host it may take several looks until what has come is there. */
        n = look(q, source, comm, tag, &before);
        for (int looks = REMOTE_LOOKS; !n && wf_box_from[source].remote && looks > 0; looks--) {
            wf_remote_pump();
            n = look(q, source, comm, tag, &before);
        }
        if (n)
            reply(n, begin, address, NULL);
    }
    unlock();
}

bool wf_match_peek(int32_t source, int32_t tag, uint64_t comm, struct wf_header *header)
{
    struct node *before, *n = NULL;
    lock();
    struct queue *q = queue_of(source);
    if (q) {
        if (wf_box_from[source].remote)
            wf_remote_pump();
        n = look(q, source, comm, tag, &before);
        if (n)
            *header = n->header;
    }
    unlock();
    return n != NULL;
}

bool wf_match_earlier(uint64_t virt)
{
    bool earlier = false;
    lock();
    if (wf_remote_on)
        wf_remote_pump();
    for (int32_t source = 0; source < (int32_t)wf_box->size && !earlier; source++) {
        struct queue *q = queue_of(source);
        if (q && !q->aside)
            draw(q, source);
        earlier = q && q->aside && q->aside->header.stamp.virt < virt;
    }
    unlock();
    return earlier;
}
