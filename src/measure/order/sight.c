/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/sight.h"

#include "base/memory.h"
#include "measure/exchange/match.h"
#include "measure/exchange/pending.h"
#include "measure/order/bound.h"

#define BEFORE_ALL 1u /* a moment of virtual time; 0 would say that the process is in no call */

/* What is kept of a process during a look. */
struct sight_process {
    const struct wf_box *box; /* NULL: it cannot be seen */
    struct wf_needs_copy needs;
};

static struct {
    struct sight_process *seen; /* by world rank, as the next */
    struct wf_bound_process *bounds;
    struct wf_bound_need *needs;
    uint32_t need_count, need_room;
} sight;

void wf_sight_show(void)
{
    if (!wf_own_box.box)
        return;
    wf_set(wf_own_box.box->clock.entered, BEFORE_ALL);
    wf_set(wf_own_box.box->clock.shown, 1);
    wf_own_box.tells_each = true; /* before there is any ring */
}

void wf_sight_hide(void)
{
    wf_process.shown_clock = NULL;
    if (wf_own_box.box)
        wf_set(wf_own_box.box->clock.shown, 0);
}

bool wf_sight_start(void)
{
    wf_sight_show();
    wf_process.shown_clock = &wf_own_box.box->clock;
    wf_process.begins_slowly = true;
    size_t n = (size_t)wf_links.count;
    sight.need_room = (uint32_t)(n * (n + WF_NEEDS_ROOM));
    sight.seen = wf_memory_pages(n * sizeof *sight.seen);
    sight.bounds = wf_memory_pages(n * sizeof *sight.bounds);
    sight.needs = wf_memory_pages(sight.need_room * sizeof *sight.needs);
    return sight.seen && sight.bounds && sight.needs;
}

static const struct wf_box *sight_box(int32_t rank)
{
    struct wf_link *link = wf_link_to(rank);
    const struct wf_box *box = wf_link_is_local(link) ? wf_box_in(&link->view, rank) : NULL;
    return box && wf_get(box->clock.shown) ? box : NULL;
}

bool wf_sight_sees(int32_t rank)
{
    return rank >= 0 && sight_box(rank) != NULL;
}

uint64_t wf_sight_bound(int32_t rank)
{
    return sight.bounds[rank].bound;
}

/* ---- step 1 ---- */

static bool sight_is_blocked(const struct wf_needs_copy *needs)
{
    return needs->mode == WF_NEEDS_ONE || needs->mode == WF_NEEDS_ANY || needs->mode == WF_NEEDS_ALL;
}

static void sight_see(int32_t rank, bool stops, uint64_t now)
{
    struct sight_process *p = &sight.seen[rank];
    struct wf_bound_process *b = &sight.bounds[rank];
    *b = (struct wf_bound_process){.mode = stops ? WF_BOUND_STOPS : WF_BOUND_RUNS};
    p->needs.mode = WF_NEEDS_RUNNING;
    p->box = stops ? NULL : sight_box(rank);
    if (!p->box)
        return;
    bool read = wf_needs_read(&p->box->head.needs.first, &p->needs);
    b->begin = wf_shown_clock_bound(&p->box->clock, now);
    if (!read || !sight_is_blocked(&p->needs))
        p->needs.mode = WF_NEEDS_RUNNING;
    else
        b->begin = p->needs.virtual_ticks;
}

/* ---- step 2 ---- */

static void sight_need(struct wf_bound_process *b, int32_t from, uint64_t sent)
{
    if (sight.need_count == sight.need_room)
        return; /* without it the bound is lower */
    sight.needs[sight.need_count++] = (struct wf_bound_need){.from = from, .sent = sent};
    b->count++;
}

/* What it waits for is not known, or may be there already. */
static void sight_knows_nothing(struct wf_bound_process *b)
{
    b->mode = WF_BOUND_RUNS;
}

static uint64_t sight_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The earliest message for `to` that is on its way, or that it has seen itself. */
static uint64_t sight_sent(int32_t to, const struct wf_need_copy *need)
{
    const struct sight_process *p = &sight.seen[to];
    uint64_t sent = atomic_load_explicit(&p->box->clock.aside, memory_order_relaxed);
    int32_t tag = need->tag == WF_NEED_ANY_TAG ? WF_ANY : need->tag;
    for (int32_t from = 0; from < wf_links.count; from++)
        if (need->rank == WF_NEED_ANY_RANK || need->rank == from)
            sent = sight_earlier(sent, wf_pending_first(from, to, need->comm, tag));
    return sent;
}

/* What a process tells of a communicator; NULL: nothing. */
static const struct wf_needs_comm *sight_comm(int32_t rank, uint64_t comm)
{
    struct wf_link *link = wf_link_to(rank);
    const struct wf_box *box = wf_link_is_local(link) ? wf_box_in(&link->view, rank) : NULL;
    uint32_t offset = box ? atomic_load_explicit(&box->head.needs.comms, memory_order_acquire) : 0;
    for (uint32_t last = UINT32_MAX; offset && offset < last;) { /* a list grows at its begin */
        if (!wf_box_has(&link->view, rank, offset, sizeof(struct wf_needs_comm)))
            return NULL;
        const struct wf_needs_comm *record = wf_box_at(box, offset);
        if (atomic_load_explicit(&record->comm, memory_order_acquire) == comm) {
            uint64_t bytes = sizeof *record + (uint64_t)wf_get(record->count) * sizeof(int32_t);
            return wf_box_has(&link->view, rank, offset, bytes) ? record : NULL;
        }
        last = offset;
        offset = wf_get(record->next);
    }
    return NULL;
}

/* Messages of any member, if that is all that is needed: other ranks do not matter then. False: it is not known who
 * they are. */
static bool sight_add_members(int32_t rank, struct wf_bound_process *b, const struct wf_need_copy *need)
{
    const struct wf_needs_comm *record = sight_comm(rank, need->comm);
    uint32_t count = record ? wf_get(record->count) : 0;
    if (count == 0 || count == (uint32_t)wf_links.count || sight.seen[rank].needs.count != 1)
        return false;
    uint64_t sent = sight_sent(rank, need);
    b->mode = WF_BOUND_ANY;
    for (uint32_t i = 0; i < count; i++) {
        int32_t member = wf_get(record->ranks[i]);
        if (member < 0 || member >= wf_links.count)
            sight_knows_nothing(b);
        else if (member != rank)
            sight_need(b, member, sent);
    }
    return true;
}

static void sight_add_message(int32_t rank, struct wf_bound_process *b, const struct wf_need_copy *need)
{
    bool several = need->rank == WF_NEED_ANY_RANK;
    if (need->comm == 0 || (!several && (need->rank < 0 || need->rank >= wf_links.count)))
        sight_knows_nothing(b);
    else if (!several || !sight_add_members(rank, b, need))
        sight_need(b, several ? WF_BOUND_ANYONE : need->rank, sight_sent(rank, need));
}

/* Does its receiver have to make another call before it can take what is sent? */
static bool sight_takes_nothing(int32_t sender, const struct wf_need_copy *sent)
{
    if (sent->rank == wf_own_box.rank && sight.seen[sent->rank].needs.mode == WF_NEEDS_RUNNING)
        return sent->comm != 0 && !wf_match_accepts(sender, sent->tag, sent->comm);
    const struct sight_process *p = &sight.seen[sent->rank];
    if (!p->box || wf_get(p->box->clock.open) != 0)
        return false;
    for (uint32_t i = 0; p->needs.mode != WF_NEEDS_RUNNING && i < p->needs.count; i++) {
        const struct wf_need_copy *need = &p->needs.need[i];
        bool fits = need->comm == sent->comm && (need->tag == WF_NEED_ANY_TAG || need->tag == sent->tag);
        if (need->kind == WF_NEED_MESSAGE && fits && (need->rank == WF_NEED_ANY_RANK || need->rank == sender))
            return false;
    }
    return true;
}

static void sight_add_receiver(int32_t rank, struct wf_bound_process *b, const struct wf_need_copy *need)
{
    if (need->rank < 0 || need->rank >= wf_links.count || !sight_takes_nothing(rank, need))
        sight_knows_nothing(b);
    else
        sight_need(b, need->rank, WF_BOUND_NEVER);
}

static bool sight_has_entered(int32_t rank, uint64_t comm, uint32_t number)
{
    const struct wf_needs_comm *record = sight_comm(rank, comm);
    return record && wf_get(record->entered) > number;
}

/* Is the entry of this member needed? below: it has a lower rank than the one that needs it. */
static bool sight_is_needed(const struct wf_need_copy *need, int32_t member, bool below)
{
    switch ((enum wf_need_members)need->members) {
    case WF_NEED_ROOT:
        return member == need->rank;
    case WF_NEED_LOWER:
        return below;
    case WF_NEED_SOME:
    case WF_NEED_EACH:
        break;
    }
    return true;
}

/* Of some that have not entered, any one may be the one: nothing is known beside other needs. */
static void sight_add_collective(int32_t rank, struct wf_bound_process *b, const struct wf_need_copy *need)
{
    const struct wf_needs_comm *record = sight_comm(rank, need->comm);
    uint32_t number = (uint32_t)need->tag, count = record ? wf_get(record->count) : 0, before = b->count;
    bool some = need->members == WF_NEED_SOME, alone = sight.seen[rank].needs.count == 1, below = true;
    if (!record || number & WF_NEED_APART || (some && !alone) || b->mode == WF_BOUND_ANY) {
        sight_knows_nothing(b);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t member = wf_get(record->ranks[i]);
        below = below && member != rank;
        if (member < 0 || member >= wf_links.count) {
            sight_knows_nothing(b);
            return;
        }
        if (member != rank && sight_is_needed(need, member, below) && !sight_has_entered(member, need->comm, number))
            sight_need(b, member, WF_BOUND_NEVER);
    }
    if (some && b->count > before)
        b->mode = WF_BOUND_ANY;
}

static void sight_add_needs(int32_t rank)
{
    const struct wf_needs_copy *needs = &sight.seen[rank].needs;
    struct wf_bound_process *b = &sight.bounds[rank];
    b->mode = needs->mode == WF_NEEDS_ANY ? WF_BOUND_ANY : WF_BOUND_ALL;
    b->first = sight.need_count;
    for (uint32_t i = 0; i < needs->count && b->mode != WF_BOUND_RUNS; i++) {
        const struct wf_need_copy *need = &needs->need[i];
        switch ((enum wf_need_kind)need->kind) {
        case WF_NEED_MESSAGE:
            sight_add_message(rank, b, need);
            break;
        case WF_NEED_RECEIVER:
            sight_add_receiver(rank, b, need);
            break;
        case WF_NEED_COLLECTIVE:
            sight_add_collective(rank, b, need);
            break;
        case WF_NEED_FINALIZE:
            b->mode = WF_BOUND_STOPS;
            return;
        case WF_NEED_NOTHING:
            sight_knows_nothing(b);
            break;
        }
    }
    if (b->count == 0)
        sight_knows_nothing(b);
}

/* ---- step 3 ---- */

static bool sight_has_gone_on(const struct sight_process *p)
{
    const struct wf_needs *needs = &p->box->head.needs.first;
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&needs->mode, memory_order_acquire) != p->needs.mode ||
           wf_get(needs->sequence) != p->needs.sequence;
}

void wf_sight_look(bool stops)
{
    uint64_t now = wf_clock_ticks();
    sight.need_count = 0;
    for (int32_t i = 0; i < wf_links.count; i++)
        sight_see(i, stops && i == wf_own_box.rank, now);
    for (int32_t i = 0; i < wf_links.count; i++)
        if (sight.seen[i].needs.mode != WF_NEEDS_RUNNING)
            sight_add_needs(i);
    for (int32_t i = 0; i < wf_links.count; i++)
        if (sight.seen[i].needs.mode != WF_NEEDS_RUNNING && sight_has_gone_on(&sight.seen[i]))
            sight_knows_nothing(&sight.bounds[i]);
    wf_bound_find(sight.bounds, wf_links.count, sight.needs);
}
