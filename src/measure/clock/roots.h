/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Root causes: which ranks' own work is behind one wait. Waiter and culprit have each been released from a wait before.
 * The culprit comes later because it was released later, and because it has worked more since. The first is passed on:
 * its roots are those of the culprit's waits, and what the culprit worked between them. The second is the culprit's own
 * work. The parts of a wait are as long as the wait, all together. Pure: numbers in, numbers out.
 *
 * measure/exchange/root_ring.h divides a wait; the lane keeps the last one (wf_lane.roots), until it is counted.
 */
#ifndef WF_ROOTS_H
#define WF_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef WF_ROOT_PARTS     /* a simulation has more */
#define WF_ROOT_PARTS 16u /* of one wait; further ones are put to those of the same root, or to the culprit's */
#endif

struct wf_root {
    uint64_t address; /* the statement through which it made others late; 0: not known */
    int32_t rank;
};

struct wf_root_part {
    struct wf_root root;
    uint64_t ticks;
};

struct wf_roots {
    struct wf_root culprit;
    uint64_t passed; /* ticks of all parts that are not the culprit's own work */
    uint32_t count;
    struct wf_root_part parts[WF_ROOT_PARTS]; /* in the order of time, one behind another */
};

static inline bool wf_root_is(const struct wf_root *a, const struct wf_root *b)
{
    return a->rank == b->rank && a->address == b->address;
}

static inline void wf_roots_start(struct wf_roots *r, int32_t culprit, uint64_t through)
{
    r->culprit = (struct wf_root){.rank = culprit, .address = through};
    r->passed = 0;
    r->count = 0;
}

/* The part that goes on with this root; NULL: there is none, and no room for one. */
static inline struct wf_root_part *wf_roots_part(struct wf_roots *r, const struct wf_root *root, uint32_t room)
{
    if (r->count && wf_root_is(&r->parts[r->count - 1].root, root))
        return &r->parts[r->count - 1];
    if (r->count < room) {
        r->parts[r->count] = (struct wf_root_part){.root = *root};
        return &r->parts[r->count++];
    }
    for (uint32_t i = r->count; i-- > 0;)
        if (wf_root_is(&r->parts[i].root, root))
            return &r->parts[i];
    return NULL;
}

/* The next part of the wait. */
static inline void wf_roots_add(struct wf_roots *r, const struct wf_root *root, uint64_t ticks)
{
    if (ticks == 0)
        return;
    struct wf_root_part *part = wf_roots_part(r, root, WF_ROOT_PARTS - 1);
    if (!part)
        part = wf_roots_part(r, &r->culprit, WF_ROOT_PARTS);
    part->ticks += ticks;
    if (!wf_root_is(&part->root, &r->culprit))
        r->passed += ticks;
}

#endif
