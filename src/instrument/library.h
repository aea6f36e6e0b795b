/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Judges calls of functions that are declared in the system's headers: are they known to be short? It belongs to one
 * parse, which uses it from one thread, and remembers what it has judged.
 */
#ifndef WF_LIBRARY_H
#define WF_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "instrument/clang.h"

struct wf_library {
    struct wf_library_answer {
        char *function; /* libclang's name for it */
        bool is_short;
    } * answers;
    size_t count;
};

/* A function is known to be short by its name (short_calls.h), or by its body if that is in the header: no loops, and
 * only calls that are short by the same rule. What a template's body calls is not known, so templates are known by
 * their names alone. */
bool wf_library_is_short(struct wf_library *library, CXCursor function);

void wf_library_fini(struct wf_library *library);

#endif
