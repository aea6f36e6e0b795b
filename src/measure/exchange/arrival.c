/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/arrival.h"

#include "measure/process/core.h"

static bool arrival_read(const struct wf_candidates *all, int32_t rank, struct wf_entry *e)
{
    struct wf_link *link = wf_link_to(rank);
    return all->id ? wf_link_entered(link, all->id, all->number, e) : wf_link_returned(link, e);
}

/* The latest arrival in (after, c->end]. Returns its rank, or -1. */
static int32_t arrival_find_last(const struct wf_call *c, const struct wf_candidates *all, uint64_t after,
                                 struct wf_entry *last)
{
    struct wf_entry e;
    int32_t who = -1;
    for (int i = 0; i < all->count; i++) {
        int32_t rank = all->ranks[i];
        if (rank < 0 || !arrival_read(all, rank, &e) || e.stamp.real <= after || e.stamp.real > c->end)
            continue;
        *last = e;
        after = e.stamp.real;
        who = rank;
    }
    return who;
}

/* Does the call's end follow the arrival? Only a core that was taken meanwhile, or moving what is moved, makes that
 * later; but by less than it waited. */
static bool arrival_explains(const struct wf_call *c, uint64_t arrival, uint64_t since, uint64_t without)
{
    uint64_t rest = wf_less(c->end, arrival);
    return rest <= wf_limits.arrived + without || rest <= wf_less(arrival, since);
}

static void arrival_add(const struct wf_call *c, const struct wf_candidates *all, int32_t who, const struct wf_entry *e,
                        struct wf_others *o)
{
    wf_others_add(o, &e->stamp, 0, who, e->address, all->kind);
    if (c->feed)
        wf_snapshot_saw_for_now(c->feed, e->path ? wf_link_shown(wf_link_to(who), e->path) : NULL, e->path_ticket,
                                e->stamp.virt);
    c->lane->record->headers.taken++;
}

void wf_arrival_explain(const struct wf_call *c, const struct wf_candidates *candidates, struct wf_others *o)
{
    uint64_t since = wf_max(c->start, o->merge.entry), without = wf_core_peek(c->lane, c->end);
    struct wf_entry e;
    if (wf_less(wf_less(c->end, since), without) <= wf_limits.long_call)
        return; /* it had no core, and waited for no other rank */
    int32_t who = arrival_find_last(c, candidates, since + wf_limits.long_call / 2, &e);
    if (who < 0 || !arrival_explains(c, e.stamp.real, since, without))
        return;
    arrival_add(c, candidates, who, &e, o);
}

/* Other members, on either side: those of `ranks` that are watched here have all entered before the call's end. */
static bool arrival_is_of_all(const struct wf_call *c, const struct wf_candidates *all)
{
    struct wf_entry e;
    for (int i = 0; i < all->count; i++)
        if (all->ranks[i] < 0 || !arrival_read(all, all->ranks[i], &e) || e.stamp.real > c->end)
            return false;
    return true;
}

static void arrival_add_all(const struct wf_call *c, const struct wf_candidates *all, struct wf_others *o)
{
    struct wf_entry e;
    for (int i = 0; i < all->count; i++)
        if (all->ranks[i] != wf_own_box.rank && arrival_read(all, all->ranks[i], &e))
            arrival_add(c, all, all->ranks[i], &e, o);
}

bool wf_arrival_gather(const struct wf_call *c, const struct wf_group *group, uint32_t number, uint32_t kind,
                       struct wf_others *o)
{
    struct wf_candidates sides[] = {
        {.ranks = group->partner, .count = group->size, .id = group->id, .number = number, .kind = kind},
        {.ranks = group->local.ranks, .count = group->local.count, .id = group->id, .number = number, .kind = kind}};
    if (!arrival_is_of_all(c, &sides[0]) || !arrival_is_of_all(c, &sides[1]))
        return false;
    arrival_add_all(c, &sides[0], o);
    arrival_add_all(c, &sides[1], o);
    return true;
}

static void arrival_tell_return(struct wf_call *c)
{
    uint64_t since = wf_clock_ticks();
    struct wf_entry e = {.address = c->site->address};
    if (c->feed && !c->late)
        wf_snapshot_show_entry(c->feed, NULL, &e);
    wf_call_put_off_since(c, since);
    e.stamp = wf_call_stamp(c);
    wf_threads_lock(&wf_own_box.entering);
    wf_slot_write(&wf_own_box.box->returned, WF_BOX_RETURN, &e);
    wf_threads_unlock(&wf_own_box.entering);
}

void wf_arrival_tell(struct wf_call *c)
{
    if (!wf_header_is_on())
        return;
    if (c->returned)
        arrival_tell_return(c);
    if (c->lane->unknown.ticks)
        wf_header_tell_unknown(c);
}

void wf_arrival_explain_by_return(const struct wf_call *c, int32_t rank, uint32_t kind, struct wf_others *o)
{
    if (wf_arrival_is_wanted(c))
        wf_arrival_explain(c, &(struct wf_candidates){.ranks = &rank, .count = 1, .kind = kind}, o);
}

void wf_arrival_explain_by(const struct wf_call *c, const struct wf_group *group, uint64_t id, uint32_t number,
                           uint32_t kind, struct wf_others *o)
{
    struct wf_candidates all = {
        .ranks = group->partner, .count = group->size, .id = id, .number = number, .kind = kind};
    wf_arrival_explain(c, &all, o);
    all.ranks = group->local.ranks;
    all.count = group->local.count;
    if (all.count)
        wf_arrival_explain(c, &all, o);
}
