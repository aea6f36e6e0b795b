/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What watching one call costs, measured with calls that do nothing.
 */
#include "measure/event/call.h"

/* At the statement that stands for all while nothing is counted (measure/record/lane.c). */
static void calibration_call(struct wf_call *c)
{
    if (!wf_call_enter(c, 0, NULL, NULL))
        return;
    wf_call_begin(c);
    wf_call_go(c);
    wf_call_end(c);
    wf_call_take_alone(c, WF_PARTNER_NONE, 1, 8);
    wf_call_leave(c);
}

static uint64_t calibration_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What one watched call costs, by the best of many empty ones: noise only ever adds. */
struct wf_cost wf_call_calibrate(struct wf_lane *lane)
{
    struct wf_call c = {.end = 0};
    struct wf_lane_record record = *lane->record;
    struct wf_cost cost = {.inner = UINT64_MAX, .all = UINT64_MAX};
    uint64_t intrusion = lane->probes.intrusion, lag = lane->lag, delay = wf_process.test_delay_ticks;
    struct wf_tls tls = weft_tls;
    weft_tls.depth = WF_OUTSIDE;
    wf_process.test_delay_ticks = 0; /* a test's delay is measured where it happens */
    for (int batch = 0; batch < 64; batch++) {
        uint64_t start = wf_clock_ticks();
        for (int i = 0; i < 32; i++) {
            calibration_call(&c);
            cost.inner = calibration_least(cost.inner, c.end - c.start);
        }
        cost.all = calibration_least(cost.all, (wf_clock_ticks() - start) / 32);
    }
    weft_tls = tls;
    wf_process.test_delay_ticks = delay;
    *lane->record = record;
    lane->probes.intrusion = intrusion;
    lane->lag = lag;
    /* Nothing between the readings and the rest on either side: the clock's own cost counts half before and half behind
     * its value. */
    uint64_t outer = wf_less(cost.all, cost.inner);
    cost.before = outer / 2;
    cost.after = outer - cost.before;
    cost.tail = cost.inner / 2;
    return cost;
}
