/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One watched call, from its entry to its end, on the stack of the thread that makes it:
 *
 *     enter   is it the application's own call, and is it watched?  finds its statement
 *     begin   reads the clock; the real function runs
 *     end     reads the clock; the statement's count and time
 *
 * and then the class of the function says between whom, and how many bytes (wf_call_count).
 */
#ifndef WF_CALL_H
#define WF_CALL_H

#include "measure/process.h"

struct wf_call {
    struct wf_tls *tls;
    struct wf_lane *lane;
    struct wf_site *site;
    const char *requests; /* where Fortran keeps the call's requests; NULL: it was called from C */
    uint64_t start;
    uint64_t ticks;
};

/* A register, not the address of a variable: what has an address cannot stay in registers. */
static inline uintptr_t wf_call_stack(void)
{
    uintptr_t stack;
    __asm__("mov %%rsp, %0" : "=r"(stack));
    /* cppcheck-suppress uninitvar ; it does not read asm */
    return stack;
}

/* A call inside a watched one is further down the stack. If it is not, the watched one was left by a jump: an error handler of the application's
 * own may do so. */
static inline bool wf_call_is_inside(struct wf_tls *tls)
{
    if (tls->depth != 0 && wf_call_stack() >= tls->outer)
        tls->depth = 0;
    return tls->depth != 0;
}

static inline __attribute__((always_inline)) bool wf_call_enter(struct wf_call *c, uint32_t call, const void *address)
{
    struct wf_tls *tls = &weft_tls;
    struct wf_lane *lane = tls->lane;
    const char *requests = NULL;
    if (__builtin_expect(tls->fortran_call != 0, 0)) {
        /* The Fortran binding called us: the statement is where the binding itself was called. */
        if (tls->fortran_call == call + 1) {
            address = tls->fortran_site;
            requests = tls->fortran_requests;
        }
        tls->fortran_call = 0;
    }
    if (__builtin_expect(tls->depth != 0, 0) && wf_call_is_inside(tls))
        return false;
    if (__builtin_expect(!lane, 0)) {
        lane = wf_process_lane();
        if (!lane)
            return false;
    }
    tls->depth = 1;
    tls->outer = wf_call_stack();
    c->tls = tls;
    c->lane = lane;
    c->requests = requests;
    c->site = __builtin_expect(wf_process.paused, 0) ? &lane->muted : wf_lane_site(lane, (uintptr_t)address, call);
    return true;
}

/* WEFT_TEST_DELAY makes watching as costly as a test wants it. */
static inline void wf_call_delay(void)
{
    if (__builtin_expect(wf_process.test_delay_ticks != 0, 0))
        for (uint64_t until = wf_clock_ticks() + wf_process.test_delay_ticks; wf_clock_ticks() < until;)
            ;
}

static inline __attribute__((always_inline)) void wf_call_begin(struct wf_call *c)
{
    wf_call_delay();
    c->lane->record->current_site = c->site->offset;
    c->start = wf_clock_ticks();
    c->lane->record->enter_ticks = c->start;
}

static inline __attribute__((always_inline)) void wf_call_end(struct wf_call *c)
{
    uint64_t now = wf_clock_ticks();
    /* Another core's counter may be a few ticks behind after a migration. */
    uint64_t ticks = now > c->start ? now - c->start : 0;
    struct wf_site_record *site = c->site->record;
    struct wf_lane_record *lane = c->lane->record;
    c->ticks = ticks;
    site->calls++;
    site->ticks_raw += ticks;
    if (ticks > site->max_ticks)
        site->max_ticks = ticks;
    c->lane->probes.top->visit->inner += ticks;
    lane->leave_ticks = now;
    lane->current_site = 0;
    if (__builtin_expect(c->site->offset != 0, 1)) {
        lane->events++;
        lane->mpi_ticks += ticks;
    } else if (c->site == &c->lane->lost) {
        lane->events++;
        lane->mpi_ticks += ticks;
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_sites, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_sites_ticks, ticks, memory_order_relaxed);
    }
    c->tls->depth = 0;
}

static inline void wf_call_count(struct wf_call *c, int32_t partner, uint64_t num, uint64_t bytes, uint64_t ticks)
{
    wf_lane_count(c->lane, c->site, partner, num, bytes, ticks);
}

#endif
