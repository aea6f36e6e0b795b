/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stands before dlclose: what weft keeps of a library's addresses, and its pointers into the library, go with it.
 * Any thread.
 */
#include <dlfcn.h>

#include "measure/guest/child.h"
#include "measure/guest/guard.h"
#include "measure/record/lanes.h"
#include "measure/record/module.h"
#include "measure/probe/probe.h"
#include "measure/process/process.h"

enum { SPANS = 16 };

static void dlclose_forget(void)
{
    struct wf_module_span spans[SPANS];
    for (uint32_t count = SPANS; count == SPANS;) {
        count = wf_module_look_for_closed(spans, SPANS);
        for (uint32_t i = 0; i < count; i++) {
            wf_probe_module_closed(spans[i].start, spans[i].end);
            wf_lane_module_closed(spans[i].start, spans[i].end);
        }
    }
}

__attribute__((visibility("default"))) int dlclose(void *handle);

/* Destructors of the library run inside, and may be instrumented. Whether it is unmapped is known only afterwards;
 * until then no thread follows a pointer into code that is not running (wf_probe_closing). */
int dlclose(void *handle)
{
    static int (*_Atomic next)(void *);
    int (*real)(void *) = next;
    struct wf_guard guard;
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "dlclose");
        next = real;
    }
    if (!wf_process.watching || wf_child_is())
        return real(handle);
    wf_probe_closing(1);
    int result = real(handle);
    if (wf_guard_enter(&guard)) {
        dlclose_forget();
        wf_guard_leave(&guard);
    }
    wf_probe_closing(-1);
    return result;
}
