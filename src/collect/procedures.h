/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The procedures of a program. One is known from its declaration in the debug information of a module (located), or
 * from instrumented code and the static tables (instrumented). Once all are known, entries of the same procedure are
 * unified. The collected program owns them.
 */
#ifndef WF_COLLECT_PROCEDURES_H
#define WF_COLLECT_PROCEDURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "collect/modules.h"
#include "collect/resolve.h"

#define WF_NO_PROCEDURE UINT32_MAX

struct wf_procedure {
    uint32_t name, file; /* in texts */
    uint32_t line;       /* 0: no declaration is known */
    uint32_t bare;       /* in texts: the name without scopes and arguments. Since wf_procedures_unify */
    uint32_t same_as;    /* the number of the one that stands for it, mostly its own. Since wf_procedures_unify */
    uint32_t cycle;      /* the first of those it is mutually recursive with; WF_NO_PROCEDURE: of none */
    uint32_t place;      /* among those that stand for others, by file, line and name. Since wf_procedures_unify */
    bool instrumented;
    bool used; /* something in the profile refers to it */
};

struct wf_procedures {
    struct wf_intern keys; /* numbers as in items */
    struct wf_procedure *items;
    size_t capacity;
};

/* A zeroed struct is an empty one. */
void wf_procedures_fini(struct wf_procedures *procedures);

/* Both return 0, or -1 without memory. The first sets WF_NO_PROCEDURE where nothing is known. */
int wf_procedures_add_located(struct wf_procedures *procedures, struct wf_intern *texts,
                              const struct wf_modules *modules, uint32_t module, const struct wf_location *location,
                              uint32_t *number);
int wf_procedures_add_instrumented(struct wf_procedures *procedures, uint32_t name, uint32_t file, uint32_t line,
                                   uint32_t *number);

/* Finds out which of them are the same. Returns 0, or -1 without memory. */
int wf_procedures_unify(struct wf_procedures *procedures, struct wf_intern *texts);

size_t wf_procedures_count(const struct wf_procedures *procedures);

/* The one that stands for it; also for WF_NO_PROCEDURE. */
uint32_t wf_procedures_one(const struct wf_procedures *procedures, uint32_t number);

/* "physics::Grid<int>::sum(int)" -> "sum": the part of a name on which all tools agree. Returns a text's number, or
 * WF_INTERN_NONE without memory. */
uint32_t wf_procedures_bare_name(struct wf_intern *texts, const char *name);

#endif
