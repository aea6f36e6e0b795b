/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dlclose, seen: what weft keeps of a library's addresses, and its pointers into the library, go with it.
 */
#include <dlfcn.h>

#include "guest/child.h"
#include "guest/guard.h"
#include "measure/lane.h"
#include "measure/module.h"
#include "measure/probe.h"
#include "measure/process.h"

enum { ROOM = 16 };

static void forget_closed(void)
{
    struct wf_module_span spans[ROOM];
    for (uint32_t count = ROOM; count == ROOM;) {
        count = wf_module_look_for_closed(spans, ROOM);
        for (uint32_t i = 0; i < count; i++) {
            wf_probe_module_closed(spans[i].start, spans[i].end);
            wf_lane_module_closed(spans[i].start, spans[i].end);
        }
    }
}

__attribute__((visibility("default"))) int dlclose(void *handle);

/* Destructors of the library run inside, and may be instrumented. Whether it goes at all is known afterwards; until then nobody goes through a pointer into
 * a library that is not running (wf_probe_closing). */
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
        forget_closed();
        wf_guard_leave(&guard);
    }
    wf_probe_closing(-1);
    return result;
}
