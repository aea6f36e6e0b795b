/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/efficiency.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"

int wf_efficiency_read(struct wf_efficiency *efficiency, struct wf_profile *profile, struct wf_error *error)
{
    struct wf_query query;
    *efficiency = (struct wf_efficiency){0};
    int result = wf_query_open(&query, profile, "SELECT name, value FROM efficiency", error);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1) {
        efficiency->items = wf_memory_grow(efficiency->items, efficiency->count, sizeof *efficiency->items);
        efficiency->items[efficiency->count++] = (struct wf_factor){.name = wf_query_text(&query, 0),
                                                                    .known = !wf_query_null(&query, 1),
                                                                    .value = wf_query_real(&query, 1)};
        result = 0;
    }
    wf_query_close(&query);
    if (result)
        wf_efficiency_free(efficiency);
    return result;
}

void wf_efficiency_free(struct wf_efficiency *efficiency)
{
    for (size_t i = 0; i < efficiency->count; i++)
        free(efficiency->items[i].name);
    free(efficiency->items);
    *efficiency = (struct wf_efficiency){0};
}

const struct wf_factor *wf_efficiency_find(const struct wf_efficiency *efficiency, const char *name)
{
    for (size_t i = 0; i < efficiency->count; i++)
        if (!strcmp(efficiency->items[i].name, name) && efficiency->items[i].known)
            return &efficiency->items[i];
    return NULL;
}
