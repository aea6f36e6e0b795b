/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/efficiency.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"

static int efficiency_add(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_efficiency *efficiency = context;
    efficiency->items = wf_memory_grow(efficiency->items, efficiency->count, sizeof *efficiency->items);
    efficiency->items[efficiency->count++] = (struct wf_factor){
        .name = wf_query_text(query, 0),
        .known = !wf_query_null(query, 1),
        .value = wf_query_real(query, 1),
        .reason = wf_query_text(query, 2),
    };
    return 0;
}

int wf_efficiency_read(struct wf_efficiency *efficiency, struct wf_profile *profile, struct wf_error *error)
{
    *efficiency = (struct wf_efficiency){0};
    int result =
        wf_query_each(profile, "SELECT name, value, reason FROM efficiency", efficiency_add, efficiency, error);
    if (result)
        wf_efficiency_free(efficiency);
    return result;
}

void wf_efficiency_free(struct wf_efficiency *efficiency)
{
    for (size_t i = 0; i < efficiency->count; i++) {
        free(efficiency->items[i].name);
        free(efficiency->items[i].reason);
    }
    free(efficiency->items);
    *efficiency = (struct wf_efficiency){0};
}

const char *wf_efficiency_reason(const struct wf_efficiency *efficiency, const char *name)
{
    for (size_t i = 0; i < efficiency->count; i++)
        if (!strcmp(efficiency->items[i].name, name) && !efficiency->items[i].known)
            return efficiency->items[i].reason;
    return "";
}

const struct wf_factor *wf_efficiency_find(const struct wf_efficiency *efficiency, const char *name)
{
    for (size_t i = 0; i < efficiency->count; i++)
        if (!strcmp(efficiency->items[i].name, name) && efficiency->items[i].known)
            return &efficiency->items[i];
    return NULL;
}
