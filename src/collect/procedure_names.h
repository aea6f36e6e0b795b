/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Procedures by their names: which procedure a call means where the text tells no more than its name. Its owner is the
 * function that settles tables or reads a unit.
 */
#ifndef WF_COLLECT_PROCEDURE_NAMES_H
#define WF_COLLECT_PROCEDURE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"

struct wf_procedure_names {
    struct wf_intern names; /* numbers as in procedures */
    uint32_t *procedures;   /* WF_NO_PROCEDURE: several have this name */
    size_t capacity;
};

/* A zeroed struct is an empty one. */
void wf_procedure_names_fini(struct wf_procedure_names *names);

/* `name` is the number of a text. Returns 0, or -1 without memory. */
int wf_procedure_names_add(struct wf_procedure_names *names, uint32_t name, uint32_t procedure);

/* WF_NO_PROCEDURE: none has this name, or several have. */
uint32_t wf_procedure_names_find(const struct wf_procedure_names *names, uint32_t name);

#endif
