/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The POP efficiency factors of a run, as the profile's view gives them. The struct owns its factors.
 */
#ifndef WF_ANALYSE_EFFICIENCY_H
#define WF_ANALYSE_EFFICIENCY_H

#include <stdbool.h>
#include <stddef.h>

#include "analyse/profile.h"

struct wf_factor {
    char *name; /* "parallel_efficiency" */
    bool known;
    double value; /* 0 to 1 */
    char *reason; /* why it is not known; "": there is none */
};

struct wf_efficiency {
    struct wf_factor *items;
    size_t count;
};

int wf_efficiency_read(struct wf_efficiency *efficiency, struct wf_profile *profile, struct wf_error *error);
void wf_efficiency_free(struct wf_efficiency *efficiency);

/* Why it is not known, or "". */
const char *wf_efficiency_reason(const struct wf_efficiency *efficiency, const char *name);

/* NULL: it is missing or not known. */
const struct wf_factor *wf_efficiency_find(const struct wf_efficiency *efficiency, const char *name);

#endif
