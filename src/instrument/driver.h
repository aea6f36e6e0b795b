/* SPDX-License-Identifier: BSD-3-Clause
 *
 * `weft cc`: runs a compiler's command line with instrumented copies in place of its sources. If weft's part fails, the
 * compiler gets the original command line. Once per process; one thread.
 */
#ifndef WF_DRIVER_H
#define WF_DRIVER_H

#include <stdbool.h>

#include "instrument/filter.h"

struct wf_driver {
    const struct wf_filter *filter;
    bool verbose; /* list what has no probe, and why */
};

/* argv: the compiler and its arguments, ended by NULL. Returns the compiler's exit status. Does not return if there is
 * nothing to instrument: then the process becomes the compiler. */
int wf_driver_run(const struct wf_driver *driver, char *const *argv);

/* The path of <weft/probe.h> of this weft; free() it. */
char *wf_driver_probe_header(void);

#endif
