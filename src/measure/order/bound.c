/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/bound.h"

#include <stddef.h>

static uint64_t bound_earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t bound_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* When a need is satisfied, as far as is known from the processes that are settled; first: the earliest of them. */
static uint64_t bound_of_need(const struct wf_bound_process *processes, const struct wf_bound_need *need,
                              uint64_t first)
{
    uint64_t bound = first;
    if (need->from != WF_BOUND_ANYONE)
        bound = processes[need->from].settled ? processes[need->from].bound : WF_BOUND_NEVER;
    return bound_earlier(need->sent, bound);
}

/* What is known of a process that is not settled. */
static uint64_t bound_so_far(const struct wf_bound_process *processes, const struct wf_bound_process *p,
                             const struct wf_bound_need *needs, uint64_t first)
{
    if (p->mode == WF_BOUND_STOPS)
        return WF_BOUND_NEVER;
    if (p->mode == WF_BOUND_RUNS)
        return p->begin;
    uint64_t bound = p->mode == WF_BOUND_ANY ? WF_BOUND_NEVER : p->begin;
    for (uint32_t i = p->first; i < p->first + p->count; i++) {
        uint64_t need = bound_of_need(processes, &needs[i], first);
        bound = p->mode == WF_BOUND_ANY ? bound_earlier(bound, need) : bound_later(bound, need);
    }
    return bound_later(bound, p->begin);
}

/* The earliest of those that are not settled becomes settled: no other one can make it earlier, because what follows
 * from a bound is no earlier than that. */
void wf_bound_find(struct wf_bound_process *processes, int32_t count, const struct wf_bound_need *needs)
{
    uint64_t first = WF_BOUND_NEVER;
    for (int32_t i = 0; i < count; i++) {
        processes[i].settled = false;
        processes[i].bound = WF_BOUND_NEVER;
    }
    for (;;) {
        struct wf_bound_process *next = NULL;
        for (int32_t i = 0; i < count; i++) {
            struct wf_bound_process *p = &processes[i];
            if (p->settled)
                continue;
            p->bound = bound_so_far(processes, p, needs, first);
            if (p->bound != WF_BOUND_NEVER && (!next || p->bound < next->bound))
                next = p;
        }
        if (!next)
            return;
        next->settled = true;
        first = bound_earlier(first, next->bound);
    }
}
