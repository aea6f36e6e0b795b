/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/snapshot.h"

#include "measure/exchange/box.h"
#include "measure/exchange/exchange.h"

#define UNIT WF_ARENA_UNIT
#define FIRST_BLOCKS 8u
#define BLOCK_LIMIT_BYTES (16u << 20) /* of unread snapshots; beyond it messages go without */
#define BUSY UINT64_MAX               /* a ticket: it is being written */

struct wf_snapshots wf_snapshots;

static struct wf_shown *snapshot_at(uint32_t offset)
{
    return wf_box_at(wf_own_box.box, offset);
}

static bool snapshot_is_free(uint32_t offset)
{
    return atomic_load_explicit(&snapshot_at(offset)->ticket, memory_order_acquire) == 0;
}

/* ---- pools ---- */

/* The first, or as many as there are. */
static bool pool_add_blocks(struct wf_snapshot_pool *p, size_t bytes)
{
    uint32_t count = p->count ? p->count : FIRST_BLOCKS, part = 0;
    while (p->first[part])
        part++;
    p->stride = p->count ? p->stride : (uint32_t)((bytes + UNIT - 1) / UNIT);
    uint64_t size = (uint64_t)count * p->stride * UNIT;
    p->first[part] = size <= BLOCK_LIMIT_BYTES ? wf_box_allocate(size) : 0;
    p->count += p->first[part] ? count : 0;
    return p->first[part] != 0;
}

static uint32_t pool_block(const struct wf_snapshot_pool *p, uint32_t i)
{
    i %= p->count;
    if (i < FIRST_BLOCKS)
        return p->first[0] + i * p->stride;
    uint32_t part = 32 - (uint32_t)__builtin_clz(i / FIRST_BLOCKS), before = FIRST_BLOCKS << (part - 1);
    return p->first[part] + (i - before) * p->stride;
}

static bool pool_is_large_enough(const struct wf_snapshot_pool *p, size_t bytes)
{
    return bytes <= (size_t)p->stride * UNIT;
}

/* The one before the last: its reader has most probably read it. Else one of the first few: little has changed since it
 * was written last. Else one of the next few. */
static uint32_t pool_find_free(struct wf_snapshot_pool *p)
{
    if (p->given[1] && snapshot_is_free(p->given[1]))
        return p->given[1];
    for (uint32_t tries = 0; tries < 16 && tries < p->count; tries++) {
        uint32_t offset = pool_block(p, tries < 8 ? tries : p->next++);
        if (snapshot_is_free(offset))
            return offset;
    }
    return 0;
}

static uint32_t pool_give(struct wf_snapshot_pool *p)
{
    uint32_t offset = pool_find_free(p);
    if (!offset)
        return 0;
    atomic_store_explicit(&snapshot_at(offset)->ticket, WF_SNAPSHOT_MESSAGE | ++wf_snapshots.tickets,
                          memory_order_relaxed);
    p->given[1] = p->given[0];
    p->given[0] = offset;
    return offset;
}

static uint32_t snapshot_take_block(size_t bytes)
{
    struct wf_snapshot_pool *p = &wf_snapshots.messages;
    if (!pool_is_large_enough(p, bytes))
        *p = (struct wf_snapshot_pool){.count = 0}; /* what was there stays as long as a header refers to it */
    uint32_t offset = p->count ? pool_give(p) : 0;
    if (!offset && pool_add_blocks(p, bytes)) {
        p->next = p->count > FIRST_BLOCKS ? p->count / 2 : 0;
        offset = pool_give(p);
    }
    return offset;
}

uint32_t wf_snapshot_block(size_t bytes)
{
    wf_threads_lock(&wf_snapshots.lock);
    uint32_t offset = wf_snapshots.spare && pool_is_large_enough(&wf_snapshots.messages, bytes)
                          ? wf_snapshots.spare
                          : snapshot_take_block(bytes);
    wf_snapshots.spare = 0;
    wf_threads_unlock(&wf_snapshots.lock);
    return offset;
}

/* The block that will probably be given next; NULL: there is none yet, or with several threads any may get it. */
static struct wf_shown *snapshot_next_block(void)
{
    if (wf_process.threads)
        return NULL;
    uint32_t offset = wf_snapshots.spare ? wf_snapshots.spare : wf_snapshots.messages.given[1];
    return offset ? snapshot_at(offset) : NULL;
}

/* A passing one that no other thread is writing. */
static uint32_t snapshot_take_passing(void)
{
    struct wf_snapshot_pool *p = &wf_snapshots.passing;
    for (uint32_t tries = 0; p->count && tries < WF_SNAPSHOTS_PASSING; tries++) {
        uint32_t offset = pool_block(p, p->next++);
        if (atomic_load_explicit(&snapshot_at(offset)->ticket, memory_order_acquire) == BUSY)
            continue;
        atomic_store_explicit(&snapshot_at(offset)->ticket, BUSY, memory_order_relaxed);
        return offset;
    }
    return 0;
}

static uint32_t pair_block(struct wf_snapshot_pair *pair, size_t bytes)
{
    bytes = (bytes + UNIT - 1) / UNIT * UNIT;
    if (pair->first == 0 && bytes)
        pair->first = wf_box_allocate(2 * bytes);
    return pair->first ? pair->first + pair->number % 2 * (uint32_t)(bytes / UNIT) : 0;
}

/* ---- showing ---- */

struct wf_showing wf_snapshot_show_for_now(struct wf_feed *feed)
{
    struct wf_showing s = {.path = 0};
    size_t bytes = wf_feed_shown_bytes(feed);
    if (!bytes)
        return s;
    wf_threads_lock(&wf_snapshots.lock);
    if (!pool_is_large_enough(&wf_snapshots.passing, bytes))
        wf_snapshots.passing = (struct wf_snapshot_pool){.count = 0};
    while (wf_snapshots.passing.count < WF_SNAPSHOTS_PASSING && pool_add_blocks(&wf_snapshots.passing, bytes))
        ;
    s.path = snapshot_take_passing();
    s.ticket = ++wf_snapshots.tickets;
    wf_threads_unlock(&wf_snapshots.lock);
    if (!s.path)
        return s;
    struct wf_shown *shown = snapshot_at(s.path);
    atomic_thread_fence(memory_order_release); /* a reader of any of what follows finds it busy, too */
    wf_feed_show_for_now(feed, shown);
    atomic_store_explicit(&shown->ticket, s.ticket, memory_order_release);
    wf_line_hand_over(shown);
    return s;
}

static void snapshot_sent(int32_t to, uint32_t path, uint64_t begin_virt)
{
    if (wf_process.threads)
        return;
    wf_snapshots.sent.begin_virt = begin_virt;
    wf_snapshots.sent.to = to;
    wf_snapshots.sent.showing.path = path;
    wf_snapshots.sent.showing.ticket = atomic_load_explicit(&snapshot_at(path)->ticket, memory_order_relaxed);
}

static bool snapshot_went_with_message(int32_t to, uint64_t begin_virt)
{
    return !wf_process.threads && wf_snapshots.sent.begin_virt == begin_virt && wf_snapshots.sent.to == to;
}

uint32_t wf_snapshot_show(struct wf_feed *feed, int32_t to, bool late, uint64_t begin_virt)
{
    size_t bytes = wf_feed_shown_bytes(feed);
    uint32_t offset = bytes ? wf_snapshot_block(bytes) : 0;
    if (!offset)
        return 0;
    struct wf_shown *shown = snapshot_at(offset);
    if (late) { /* takes no time that could be told */
        wf_feed_promise(feed, shown);
        return offset;
    }
    wf_feed_show(feed, shown);
    atomic_store_explicit(&shown->promised, 0, memory_order_relaxed);
    wf_line_hand_over(shown);
    snapshot_sent(to, offset, begin_virt);
    return offset;
}

void wf_snapshot_look_for_spare(const struct wf_feed *feed)
{
    if (wf_process.threads || wf_snapshots.spare)
        return;
    size_t bytes = wf_feed_shown_bytes(feed);
    wf_snapshots.spare = bytes ? snapshot_take_block(bytes) : 0;
    if (wf_snapshots.spare)
        atomic_store_explicit(&snapshot_at(wf_snapshots.spare)->promised, 1, memory_order_relaxed);
}

void wf_snapshot_show_entry(struct wf_feed *feed, struct wf_snapshot_pair *pair, struct wf_entry *e)
{
    if (!pair) {
        struct wf_showing s = wf_snapshot_show_for_now(feed);
        e->path = s.path;
        e->path_ticket = s.ticket;
        return;
    }
    size_t bytes = wf_feed_shown_bytes(feed);
    e->path = bytes ? pair_block(pair, bytes) : 0;
    pair->number += bytes != 0;
    if (!e->path)
        return;
    struct wf_shown *shown = snapshot_at(e->path);
    wf_feed_show(feed, shown);
    wf_line_hand_over(shown);
}

void wf_snapshot_expect_entry(const struct wf_feed *feed, const struct wf_snapshot_pair *pair)
{
    struct wf_snapshot_pair next = *pair;
    wf_feed_expect(feed, snapshot_at(pair_block(&next, wf_feed_shown_bytes(feed))));
}

struct wf_showing wf_snapshot_show_reply(int32_t to, uint64_t begin_virt)
{
    struct wf_feed *feed = weft_tls.lane ? weft_tls.lane->feed : NULL;
    struct wf_showing s = {.path = 0};
    if (feed && !wf_feed_began_at(feed, begin_virt))
        wf_set(wf_snapshots.late, true);
    else if (feed && snapshot_went_with_message(to, begin_virt))
        s = wf_snapshots.sent.showing;
    else if (feed)
        s = wf_snapshot_show_for_now(feed);
    return s;
}

/* ---- seeing ---- */

void wf_snapshot_saw(struct wf_feed *feed, const struct wf_site *site, struct wf_shown *shown, uint64_t latency,
                     uint64_t sent_virt)
{
    struct wf_shown *next = feed && !site->path_soon ? snapshot_next_block() : NULL;
    if (next) /* most probably its reader was the one who sent this */
        wf_feed_expect(feed, next);
    if (feed && shown)
        wf_feed_part(
            feed, &(struct wf_feed_part){.shown = shown, .release = true, .latency = latency, .sent_virt = sent_virt});
    else if (feed)
        wf_feed_lost(feed);
    else if (shown)
        wf_snapshot_release(shown);
}

void wf_snapshot_saw_for_now(struct wf_feed *feed, struct wf_shown *shown, uint64_t ticket, uint64_t sent_virt)
{
    bool message = ticket & WF_SNAPSHOT_MESSAGE;
    if (shown && message &&
        (atomic_load_explicit(&shown->ticket, memory_order_acquire) != ticket || wf_feed_has_part(feed, shown)))
        return;
    bool stays = ticket == 0 || (message && !wf_process.threads); /* until we have received that message; another thread
                                                                     of ours may do that now */
    if (shown)
        wf_feed_part(feed,
                     &(struct wf_feed_part){
                         .shown = shown, .check = stays ? NULL : &shown->ticket, .is = ticket, .sent_virt = sent_virt});
    else
        wf_feed_lost(feed);
}
