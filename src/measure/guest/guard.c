/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/guest/guard.h"

#include <errno.h>
#include <signal.h>

static _Atomic uint64_t guard_passed; /* until there is a segment */
_Atomic uint64_t *wf_guard_passed = &guard_passed;

static bool guard_is_on_signal_stack(void)
{
    stack_t stack;
    int saved = errno;
    bool on = sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
    errno = saved;
    return on;
}

/* What is called from inside is further down the stack; a handler may have a stack of its own. */
bool wf_guard_is_inside(struct wf_tls *tls, uintptr_t stack)
{
    if (stack >= tls->outer && !(tls->depth == WF_AT_WORK && guard_is_on_signal_stack())) {
        tls->depth = WF_OUTSIDE;
        return false;
    }
    if (tls->depth == WF_AT_WORK)
        atomic_fetch_add_explicit(wf_guard_passed, 1, memory_order_relaxed);
    return true;
}
