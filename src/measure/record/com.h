/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A com: what a statement exchanged with one partner, in one record of the segment. Only the lane's thread touches it.
 * Counting is inline, because it happens at every call, and mostly with the partner of the call before.
 */
#ifndef WF_COM_H
#define WF_COM_H

#include <stdint.h>

#include "base/shared.h"
#include "measure/record/site.h"

/* How long something took altogether, and how much of it was waiting (sync), in real and in virtual time; and how much
 * was neither waiting nor transfer (struct wf_idle_ticks). The rest is transfer. */
struct wf_times {
    uint64_t raw, virt, sync_raw, sync, idle;
};

static inline uint64_t wf_times_transfer(const struct wf_times *t)
{
    return t->virt - t->sync - t->idle;
}

/* Idle time is as long in real time. That may have been shorter by a few ticks where clocks differ. */
static inline uint64_t wf_times_transfer_raw(const struct wf_times *t)
{
    uint64_t rest = t->raw - t->sync_raw;
    return __builtin_expect(t->idle == 0, 1) ? rest : rest > t->idle ? rest - t->idle : 0;
}

/* No partner is this one: the first call of a site always looks. */
extern struct wf_com_record wf_com_none;

/* The record of one partner, which is site->last from now on. NULL: there is no room, or the site has no records. */
struct wf_com_record *wf_lane_com(struct wf_lane *lane, struct wf_site *site, int32_t partner) WF_SHARED(lane_com);

/* Counts what found no room. */
void wf_lane_drop(struct wf_lane *lane, const struct wf_site *site, uint64_t num, uint64_t ticks) WF_SHARED(lane_drop);

/* Adds to one partner's record of a site. */
static inline __attribute__((always_inline)) void wf_lane_count(struct wf_lane *lane, struct wf_site *site,
                                                                int32_t partner, uint64_t num, uint64_t bytes,
                                                                const struct wf_times *span)
{
    struct wf_com_record *com = site->last;
    if (__builtin_expect(com->partner != partner, 0)) {
        com = wf_lane_com(lane, site, partner);
        if (!com) {
            wf_lane_drop(lane, site, num, span->raw);
            return;
        }
    }
    com->num += num;
    com->bytes += bytes;
    com->trans_raw_ticks += wf_times_transfer_raw(span);
    com->trans_virtual_ticks += wf_times_transfer(span);
    com->sync_raw_ticks += span->sync_raw;
    com->sync_virtual_ticks += span->sync;
}

#endif
