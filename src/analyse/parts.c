/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/parts.h"

#include "analyse/sum.h"

const struct wf_part_name wf_part_names[WF_PARTS] = {
    [WF_PART_WAITING] = {"waiting", "sync_delay_ns"},
    [WF_PART_TRANSFER] = {"transfer", "transfer_ns"},
    [WF_PART_POLLING] = {"polling", "polling_ns"},
    [WF_PART_NO_CORE] = {"no core", "no_core_ns"},
    [WF_PART_UNEXPLAINED] = {"unexplained", "unexplained_ns"},
};

void wf_idle_add(struct wf_idle *sum, const struct wf_idle *more)
{
    wf_sum_add(&sum->polling_ns, more->polling_ns);
    wf_sum_add(&sum->no_core_ns, more->no_core_ns);
    wf_sum_add(&sum->unexplained_ns, more->unexplained_ns);
}

struct wf_parts wf_parts_of(int64_t time_ns, int64_t waiting_ns, const struct wf_idle *idle)
{
    struct wf_parts parts = {{[WF_PART_WAITING] = waiting_ns,
                              [WF_PART_POLLING] = idle->polling_ns,
                              [WF_PART_NO_CORE] = idle->no_core_ns,
                              [WF_PART_UNEXPLAINED] = idle->unexplained_ns}};
    int64_t known_ns = 0;
    for (int i = 0; i < WF_PARTS; i++)
        wf_sum_add(&known_ns, parts.ns[i]);
    /* Clocks may differ by a few ticks. */
    int64_t rest_ns;
    parts.ns[WF_PART_TRANSFER] = __builtin_sub_overflow(time_ns, known_ns, &rest_ns) || rest_ns < 0 ? 0 : rest_ns;
    return parts;
}

void wf_parts_add(struct wf_parts *sum, const struct wf_parts *more)
{
    for (int i = 0; i < WF_PARTS; i++)
        wf_sum_add(&sum->ns[i], more->ns[i]);
}
