/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Binary search in anything that is sorted: how many of its items come before what is sought.
 *
 *     struct wf_bisection b = {.high = count};
 *     while (wf_bisection_goes_on(&b))
 *         wf_bisection_step(&b, items[b.middle].key < key);
 *     // b.low items are before the key; items[b.low], if there is one, is the first that is not
 */
#ifndef WF_BISECTION_H
#define WF_BISECTION_H

#include <stdbool.h>
#include <stddef.h>

struct wf_bisection {
    size_t low, high; /* the answer is one of low..high */
    size_t middle;    /* the item to look at */
};

static inline bool wf_bisection_goes_on(struct wf_bisection *b)
{
    b->middle = b->low + (b->high - b->low) / 2;
    return b->low < b->high;
}

/* Whether the item in the middle comes before what is sought. */
static inline void wf_bisection_step(struct wf_bisection *b, bool is_before)
{
    if (is_before)
        b->low = b->middle + 1;
    else
        b->high = b->middle;
}

#endif
