/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The five parts of time in MPI, which every report shows under the same names.
 */
#ifndef WF_ANALYSE_PARTS_H
#define WF_ANALYSE_PARTS_H

#include <stdint.h>

enum wf_part {
    WF_PART_WAITING,     /* for another rank, which is known */
    WF_PART_TRANSFER,    /* what is left: messages on their way, and MPI's own work */
    WF_PART_POLLING,     /* asking for what had not come, without a result */
    WF_PART_NO_CORE,     /* ready, but another process had the core */
    WF_PART_UNEXPLAINED, /* longer than such calls take, and no rank is known to be the reason */
    WF_PARTS
};

struct wf_part_name {
    const char *name; /* "no core" */
    const char *key;  /* of its time, in JSON; that of waiting has another name everywhere */
};
extern const struct wf_part_name wf_part_names[WF_PARTS];

/* The parts that are neither waiting nor transfer, as profiles have them. */
struct wf_idle {
    int64_t polling_ns, no_core_ns, unexplained_ns;
};

void wf_idle_add(struct wf_idle *sum, const struct wf_idle *more);

struct wf_parts {
    int64_t ns[WF_PARTS];
};

struct wf_parts wf_parts_of(int64_t time_ns, int64_t waiting_ns, const struct wf_idle *idle);
void wf_parts_add(struct wf_parts *sum, const struct wf_parts *more);

#endif
