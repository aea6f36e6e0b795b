/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/procedure_names.h"

#include <stdlib.h>

#include "collect/procedures.h"

void wf_procedure_names_fini(struct wf_procedure_names *names)
{
    free(names->procedures);
    wf_intern_fini(&names->names);
}

int wf_procedure_names_add(struct wf_procedure_names *names, uint32_t name, uint32_t procedure)
{
    uint32_t number = WF_INTERN_ADD_ITEM(&names->names, &name, names->procedures, names->capacity, &procedure);
    if (number == WF_INTERN_NONE)
        return -1;
    if (names->procedures[number] != procedure)
        names->procedures[number] = WF_NO_PROCEDURE;
    return 0;
}

uint32_t wf_procedure_names_find(const struct wf_procedure_names *names, uint32_t name)
{
    uint32_t number = wf_intern_find(&names->names, &name, sizeof name);
    return number == WF_INTERN_NONE ? WF_NO_PROCEDURE : names->procedures[number];
}
