/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What `weft run` prints when the program has ended: at most twelve lines.
 */
#ifndef WF_SUMMARY_H
#define WF_SUMMARY_H

#include <stdio.h>

#include "analyse/profile.h"

/* A profile that cannot be read gives one line that says so. The locale must be set (setlocale). */
void wf_summary_print(FILE *out, struct wf_profile *profile);

#endif
