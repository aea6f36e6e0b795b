/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The summary that `weft run` prints when the program has ended: at most twelve lines, and eight more for the critical
 * path.
 */
#ifndef WF_SUMMARY_H
#define WF_SUMMARY_H

#include <stdio.h>

#include "analyse/profile.h"

/* If the profile cannot be read, prints one line that says so. The locale must be set (setlocale). */
void wf_summary_print(FILE *out, struct wf_profile *profile);

#endif
