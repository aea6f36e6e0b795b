/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One line on a terminal about work that takes longer than a second; nothing elsewhere. The collection owns it.
 */
#ifndef WF_COLLECT_PROGRESS_H
#define WF_COLLECT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wf_progress {
    bool enabled, shown;
    size_t total;
    int64_t next_ns; /* when to draw it again */
};

void wf_progress_init(struct wf_progress *progress, bool wanted, size_t total);
void wf_progress_show(struct wf_progress *progress, size_t done);
void wf_progress_fini(struct wf_progress *progress); /* clears the line */

#endif
