/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of calls that concern a whole communicator, window or file, and of local calls. The bytes of a collective are
 * what the caller puts in; for a rank that only gets something (bcast, scatter), what it gets.
 */
#ifndef WF_CLASS_COLLECTIVE_H
#define WF_CLASS_COLLECTIVE_H

#include "measure/mpi/class_p2p.h"

static inline void wf_coll_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

/* Does no member leave it before all have entered? */
static inline bool wf_coll_is_steady(const struct wf_args *a)
{
    bool full = a->shape == WF_SHAPE_one || a->shape == WF_SHAPE_each;
    return a->waits == WF_DEPENDS_barrier ||
           (a->waits == WF_DEPENDS_all && full && !a->nv && !a->nvc && !a->rnv && !a->rnvc && a->n > 0 && !a->commp);
}

void wf_coll_enter(struct wf_call *c, struct wf_args *a, bool steady);

static inline void wf_coll_begun(struct wf_call *c, struct wf_args *a)
{
    wf_coll_enter(c, a, wf_coll_is_steady(a));
}

/* What the call needs to go on. */
bool wf_coll_blocks(struct wf_call *c, const struct wf_args *a);

/* The others will take part in it with the next call of this one, or have not begun either. */
void wf_coll_failed(struct wf_call *c, struct wf_args *a, int rc);

void wf_coll_after(struct wf_call *c, struct wf_args *a, int rc);

/* Where its members are kept until it is complete; NULL: it is not followed. The holder drops it. */
struct wf_group *wf_coll_hold(const struct wf_args *a);

#define wf_icoll_before wf_coll_before

static inline void wf_icoll_begun(struct wf_call *c, struct wf_args *a)
{
    wf_coll_enter(c, a, false);
}

void wf_icoll_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_coll_init_before wf_coll_before

void wf_coll_init_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_local_before(struct wf_call *c, struct wf_args *a)
{
    c->asked = 0;
    c->polls = a->flag ? WF_POLLS_ASKS : a->looks ? WF_POLLS_LOOKS : WF_POLLS_NOT;
    c->local = c->polls == WF_POLLS_NOT;
}

void wf_local_after(struct wf_call *c, struct wf_args *a, int rc);

#endif
