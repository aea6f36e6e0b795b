/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/class_epoch.h"

#include "measure/exchange/arrival.h"

enum epoch_note {
    NOTE_none,
    NOTE_post,       /* of an exposure */
    NOTE_complete,   /* of an access */
    NOTE_unlock,     /* of one target's exclusive lock: its rank is in the number */
    NOTE_unlock_any, /* the same, for those that wait for locks of several */
    NOTE_unlock_shared,
    NOTE_unlock_shared_any,
    NOTE_unlock_all, /* of all targets; it was shared */
};

static const struct epoch_class {
    uint8_t leaves; /* enum epoch_note */
    uint8_t awaits;
    uint8_t wait;   /* enum wf_wait_kind */
    bool one, many; /* it concerns one target, or all of the window */
} epoch_classes[] = {
    [WF_EPOCH_start] = {.awaits = NOTE_post, .wait = WF_WAIT_LATE_POST},
    [WF_EPOCH_complete] = {.leaves = NOTE_complete, .awaits = NOTE_post, .wait = WF_WAIT_LATE_POST},
    [WF_EPOCH_post] = {.leaves = NOTE_post},
    [WF_EPOCH_wait] = {.awaits = NOTE_complete, .wait = WF_WAIT_LATE_COMPLETE},
    [WF_EPOCH_lock] = {.awaits = NOTE_unlock, .wait = WF_WAIT_LOCK, .one = true},
    [WF_EPOCH_unlock] = {.leaves = NOTE_unlock, .awaits = NOTE_unlock, .wait = WF_WAIT_LOCK, .one = true},
    [WF_EPOCH_lock_all] = {.awaits = NOTE_unlock_any, .wait = WF_WAIT_LOCK, .many = true},
    [WF_EPOCH_unlock_all] = {.leaves = NOTE_unlock_all, .awaits = NOTE_unlock_any, .wait = WF_WAIT_LOCK, .many = true},
};

/* Beside the numbers of the window's collectives. */
static uint32_t epoch_number(enum epoch_note note, int target)
{
    uint32_t of = note == NOTE_unlock || note == NOTE_unlock_shared ? (uint32_t)target : 0;
    return UINT32_C(1) << 31 | of << 3 | (uint32_t)note;
}

static enum epoch_note epoch_of_shared(enum epoch_note unlock)
{
    return unlock == NOTE_unlock ? NOTE_unlock_shared : NOTE_unlock_shared_any;
}

/* Does the call ask for an exclusive lock, or work under one? */
static bool epoch_is_exclusive(const struct wf_args *a, const struct epoch_class *class)
{
    return wf_group_is_exclusive(a->entered, class->many ? WF_ANY_TARGET : a->peer);
}

void wf_epoch_begun(struct wf_call *c, struct wf_args *a)
{
    const struct epoch_class *class = &epoch_classes[a->epoch];
    a->entered = wf_header_is_on() ? wf_win_known(a->win) : NULL;
    if (!a->entered || class->leaves == NOTE_none)
        return;
    uint64_t window = a->entered->id;
    enum epoch_note note = class->leaves, any = NOTE_unlock_any;
    if (note == NOTE_unlock && !epoch_is_exclusive(a, class)) {
        note = epoch_of_shared(note);
        any = epoch_of_shared(any);
    }
    struct wf_entry e = wf_header_enter_as(c, NULL, window, epoch_number(note, a->peer), wf_call_through(c));
    if (class->leaves == NOTE_unlock)
        wf_header_write_entry(window, epoch_number(any, 0), &e);
}

/* The group that the call names, or that an earlier call has named for it. */
static void epoch_explain_active(const struct wf_call *c, const struct wf_args *a, const struct epoch_class *class,
                                 struct wf_others *o)
{
    const struct wf_group_ranks *ranks = a->epoch == WF_EPOCH_wait ? &a->entered->exposure : &a->entered->access;
    struct wf_candidates candidates = {.ranks = ranks->ranks,
                                       .count = ranks->count,
                                       .id = a->entered->id,
                                       .number = epoch_number(class->awaits, 0),
                                       .kind = class->wait};
    wf_arrival_explain(c, &candidates, o);
    if (a->epoch != WF_EPOCH_complete)
        return;
    /* The targets are to take part, where the library does not do it for them. */
    candidates.id = 0;
    candidates.kind = WF_WAIT_WINDOW;
    wf_arrival_explain(c, &candidates, o);
}

/* Any member may have had the lock, of this target or of all. Shared locks do not wait for each other. */
static void epoch_explain_lock(const struct wf_call *c, const struct wf_args *a, const struct epoch_class *class,
                               struct wf_others *o)
{
    uint64_t window = a->entered->id;
    wf_arrival_explain_by(c, a->entered, window, epoch_number(class->awaits, a->peer), class->wait, o);
    if (!epoch_is_exclusive(a, class))
        return;
    enum epoch_note shared = epoch_of_shared(class->awaits);
    wf_arrival_explain_by(c, a->entered, window, epoch_number(shared, a->peer), class->wait, o);
    wf_arrival_explain_by(c, a->entered, window, epoch_number(NOTE_unlock_all, 0), class->wait, o);
}

static void epoch_explain(const struct wf_call *c, const struct wf_args *a, const struct epoch_class *class,
                          struct wf_others *o)
{
    if (!class->one && !class->many) {
        epoch_explain_active(c, a, class, o);
        return;
    }
    epoch_explain_lock(c, a, class, o);
    if (class->one)
        wf_arrival_explain_by_return(c, wf_win_partner(a->win, a->peer), WF_WAIT_WINDOW, o);
}

void wf_epoch_after(struct wf_call *c, struct wf_args *a, int rc)
{
    const struct epoch_class *class = &epoch_classes[a->epoch];
    if (wf_args_poll_failed(c, a, rc))
        return;
    if (rc != MPI_SUCCESS) {
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    wf_race_lose();
    if (a->entered && a->epoch == WF_EPOCH_start)
        wf_group_keep(&a->entered->access, a->group);
    if (a->entered && a->epoch == WF_EPOCH_post)
        wf_group_keep(&a->entered->exposure, a->group);
    if (a->entered && a->lock)
        wf_group_keep_lock(a->entered, a->peer, a->lock == MPI_LOCK_EXCLUSIVE);
    if (a->entered && class->awaits != NOTE_none && wf_arrival_is_wanted(c))
        epoch_explain(c, a, class, &o);
    if (a->entered && a->epoch == WF_EPOCH_unlock)
        wf_group_keep_lock(a->entered, a->peer, false);
    wf_call_take_with(c, &o, class->one ? wf_win_partner(a->win, a->peer) : WF_PARTNER_ALL, 1, 0);
}
