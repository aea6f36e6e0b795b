/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/mappings.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bisection.h"

void wf_mappings_fini(struct wf_mappings *mappings)
{
    free(mappings->items);
    *mappings = (struct wf_mappings){0};
}

int wf_mappings_add(struct wf_mappings *mappings, struct wf_mapping mapping)
{
    if (WF_ARRAY_RESERVE(mappings->items, mappings->capacity, mappings->count + 1) != 0)
        return -1;
    mapping.order = mappings->count;
    mappings->items[mappings->count++] = mapping;
    return 0;
}

static int mappings_compare(const void *a, const void *b)
{
    const struct wf_mapping *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void wf_mappings_settle(struct wf_mappings *mappings)
{
    uint64_t reach = 0;
    if (mappings->count)
        qsort(mappings->items, mappings->count, sizeof *mappings->items, mappings_compare);
    for (size_t i = 0; i < mappings->count; i++) {
        reach = mappings->items[i].end > reach ? mappings->items[i].end : reach;
        mappings->items[i].reach = reach;
    }
}

typedef bool mapping_test(const struct wf_mapping *mapping, const struct wf_mapping *best, uint64_t chunk);

/* Looks at the last one that begins early enough, and backwards for as long as any can still cover the address. Modules
 * that were never closed lie beside each other: then it looks at one only. */
static const struct wf_mapping *mappings_find_best(const struct wf_mappings *mappings, uint64_t address, uint64_t chunk,
                                                   mapping_test *better)
{
    struct wf_bisection b = {.high = mappings->count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, mappings->items[b.middle].start <= address);
    const struct wf_mapping *best = NULL;
    for (size_t i = b.low; i > 0 && mappings->items[i - 1].reach > address; i--)
        if (mappings->items[i - 1].end > address && better(&mappings->items[i - 1], best, chunk))
            best = &mappings->items[i - 1];
    return best;
}

static bool mapping_comes_first(const struct wf_mapping *mapping, const struct wf_mapping *best, uint64_t chunk)
{
    return (mapping->closed_bytes == 0 || chunk < mapping->closed_bytes) && (!best || mapping->order < best->order);
}

const struct wf_mapping *wf_mappings_find(const struct wf_mappings *mappings, uint64_t address, uint64_t chunk)
{
    return mappings_find_best(mappings, address, chunk, mapping_comes_first);
}

/* Among equals it takes of open ones the first in the file, of closed ones the last. */
static bool mapping_comes_last(const struct wf_mapping *mapping, const struct wf_mapping *best, uint64_t chunk)
{
    (void)chunk;
    if (!best)
        return true;
    uint64_t until = mapping->closed_bytes - 1, best_until = best->closed_bytes - 1; /* open: the largest number there
                                                                                      * is
                                                                                      */
    if (until != best_until)
        return until > best_until;
    return until == UINT64_MAX ? mapping->order < best->order : mapping->order > best->order;
}

const struct wf_mapping *wf_mappings_find_last(const struct wf_mappings *mappings, uint64_t address)
{
    return mappings_find_best(mappings, address, 0, mapping_comes_last);
}
