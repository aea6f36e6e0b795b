/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A polite wait of order control: short pauses, then the core is given away, then sleep that grows to 100 us. Between
 * two waits the caller lets MPI make progress. Lives on the stack of the thread that waits; errno stays as it is.
 */
#ifndef WF_PATIENCE_H
#define WF_PATIENCE_H

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "base/line.h"

struct wf_patience {
    uint32_t tries;
};

enum { WF_PATIENCE_PAUSES = 64, WF_PATIENCE_YIELDS = 512, WF_PATIENCE_LONGEST_US = 100 };

static inline void wf_patience_wait(struct wf_patience *p)
{
    int before = errno;
    uint32_t tries = p->tries++;
    if (tries < WF_PATIENCE_PAUSES) {
        wf_line_wait();
    } else if (tries < WF_PATIENCE_YIELDS) {
        sched_yield();
    } else {
        uint32_t us = (tries - WF_PATIENCE_YIELDS) / 8 + 1;
        us = us < WF_PATIENCE_LONGEST_US ? us : WF_PATIENCE_LONGEST_US;
        nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
    }
    errno = before;
}

#endif
