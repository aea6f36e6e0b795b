/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "Did you mean": how far two names are apart, in letters inserted, deleted, changed or swapped. Pure functions.
 */
#ifndef WF_ANALYSE_NEAREST_H
#define WF_ANALYSE_NEAREST_H

#include <stdbool.h>

int wf_nearest_distance(const char *a, const char *b);

/* Whether a name at this distance is worth suggesting. */
bool wf_nearest_close(const char *word, int distance);

#endif
