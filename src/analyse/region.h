/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The procedures, loops and marked regions that have records, each summed over the ranks, in virtual and in raw time. A
 * list owns its regions and their texts.
 */
#ifndef WF_ANALYSE_REGION_H
#define WF_ANALYSE_REGION_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/profile.h"

struct wf_region {
    int64_t id;
    char *type; /* 'procedure', 'loop', 'region', 'phase' */
    char *name, *file;
    int64_t line;
    int64_t calls, time_ns, time_raw_ns, self_ns, self_raw_ns;
};

struct wf_region_list {
    struct wf_region *items; /* largest raw time first */
    size_t count;
};

int wf_region_list_read(struct wf_region_list *list, struct wf_profile *profile, struct wf_error *error);
void wf_region_list_free(struct wf_region_list *list);

#endif
