/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/region.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

static int region_list_add(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_region_list *list = context;
    int64_t id = wf_query_integer(query, 0);
    if (list->count == 0 || list->items[list->count - 1].id != id) {
        list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
        list->items[list->count++] = (struct wf_region){.id = id,
                                                        .type = wf_query_text(query, 1),
                                                        .name = wf_query_text(query, 2),
                                                        .file = wf_query_text(query, 3),
                                                        .line = wf_query_integer(query, 4)};
    }
    struct wf_region *region = &list->items[list->count - 1];
    int64_t *const sums[] = {&region->calls, &region->time_ns, &region->time_raw_ns, &region->self_ns,
                             &region->self_raw_ns};
    for (int i = 0; i < (int)(sizeof sums / sizeof *sums); i++)
        wf_sum_add(sums[i], wf_query_integer(query, 5 + i));
    return 0;
}

static int region_by_raw_time(const void *left, const void *right)
{
    const struct wf_region *a = left, *b = right;
    if (a->time_raw_ns != b->time_raw_ns)
        return a->time_raw_ns < b->time_raw_ns ? 1 : -1;
    return (a->id > b->id) - (a->id < b->id);
}

int wf_region_list_read(struct wf_region_list *list, struct wf_profile *profile, struct wf_error *error)
{
    *list = (struct wf_region_list){0};
    int result =
        wf_query_each(profile,
                      "SELECT site, event_type, name, file, line, calls, time_ns, time_raw_ns, self_ns, self_raw_ns "
                      "FROM event WHERE event_type != 'communication' ORDER BY site",
                      region_list_add, list, error);
    if (result)
        wf_region_list_free(list);
    else if (list->count)
        qsort(list->items, list->count, sizeof *list->items, region_by_raw_time);
    return result;
}

void wf_region_list_free(struct wf_region_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].type);
        free(list->items[i].name);
        free(list->items[i].file);
    }
    free(list->items);
    *list = (struct wf_region_list){0};
}
