/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters of <weft/weft.h>. Apart from the other ways in, because api.c is compiled without floating point.
 */
#include <string.h>

#include "format/segment.h"
#include "measure/guest/child.h"
#include "measure/guest/guard.h"
#include "measure/probe/probe.h"

void wf_probe_count(struct weft_region_ *counter, double value)
{
    struct wf_guard guard;
    double sum;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    struct wf_visit_record *visit = wf_probe_counter(counter);
    if (visit) {
        memcpy(&sum, &visit->ticks_raw, sizeof sum);
        sum += value;
        memcpy(&visit->ticks_raw, &sum, sizeof sum);
        visit->num++;
    }
    wf_guard_leave(&guard);
}
