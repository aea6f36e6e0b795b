/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/clock/limits.h"

/* At one tick a nanosecond: as good as any, until the clock's rate is known. */
struct wf_limits wf_limits = {
    .late = WF_LATE_NS,
    .long_wait = WF_LONG_WAIT_NS,
    .await = WF_AWAIT_NS,
    .soon = WF_SOON_NS,
    .seldom = WF_SELDOM_NS,
    .at_once = WF_AT_ONCE_NS,
    .long_call = WF_LONG_CALL_NS,
    .look = WF_LOOK_NS,
    .setup = WF_SETUP_NS,
    .arrived = WF_ARRIVED_NS,
    .order = WF_ORDER_NS,
    .ticks_per_kib = WF_BYTE_PS * 1024 / 1000,
    .turn = WF_TURN_NS,
    .rest = WF_REST_NS,
    .ns_per_tick = 1,
};

void wf_limits_start(uint64_t ticks0, uint64_t ns0, uint64_t ticks1, uint64_t ns1)
{
    if (ticks1 <= ticks0 || ns1 <= ns0)
        return;
    double rate = (double)(ticks1 - ticks0) / (double)(ns1 - ns0);
    wf_limits = (struct wf_limits){
        .late = (uint64_t)(WF_LATE_NS * rate),
        .long_wait = (uint64_t)(WF_LONG_WAIT_NS * rate),
        .await = (uint64_t)(WF_AWAIT_NS * rate),
        .soon = (uint64_t)(WF_SOON_NS * rate),
        .seldom = (uint64_t)(WF_SELDOM_NS * rate),
        .at_once = (uint64_t)(WF_AT_ONCE_NS * rate),
        .long_call = (uint64_t)(WF_LONG_CALL_NS * rate),
        .look = (uint64_t)(WF_LOOK_NS * rate),
        .setup = (uint64_t)(WF_SETUP_NS * rate),
        .arrived = (uint64_t)(WF_ARRIVED_NS * rate),
        .order = (uint64_t)(WF_ORDER_NS * rate),
        .ticks_per_kib = (uint64_t)(WF_BYTE_PS * rate * 1024 / 1000),
        .turn = (uint64_t)(WF_TURN_NS * rate),
        .rest = (uint64_t)(WF_REST_NS * rate),
        .ns_per_tick = 1 / rate,
    };
}
