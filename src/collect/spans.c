/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/spans.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collect/array.h"

void wf_spans_fini(struct wf_spans *spans)
{
    free(spans->items);
    *spans = (struct wf_spans){0};
}

int wf_spans_add(struct wf_spans *spans, struct wf_span span)
{
    void *items = wf_array_reserve(spans->items, &spans->capacity, spans->count + 1, sizeof *spans->items);
    if (!items)
        return -1;
    spans->items = items;
    span.order = spans->count;
    spans->items[spans->count++] = span;
    return 0;
}

static int compare_spans(const void *a, const void *b)
{
    const struct wf_span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void wf_spans_settle(struct wf_spans *spans)
{
    uint64_t reach = 0;
    if (spans->count)
        qsort(spans->items, spans->count, sizeof *spans->items, compare_spans);
    for (size_t i = 0; i < spans->count; i++) {
        reach = spans->items[i].end > reach ? spans->items[i].end : reach;
        spans->items[i].reach = reach;
    }
}

typedef bool is_better(const struct wf_span *span, const struct wf_span *best, uint64_t chunk);

/* From the last one that begins early enough, backwards for as long as any can still cover the address: of modules that were never
 * closed, and so lie beside each other, that is one. */
static const struct wf_span *find(const struct wf_spans *spans, uint64_t address, uint64_t chunk, is_better *better)
{
    size_t low = 0, high = spans->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (spans->items[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    const struct wf_span *best = NULL;
    for (; low > 0 && spans->items[low - 1].reach > address; low--)
        if (spans->items[low - 1].end > address && better(&spans->items[low - 1], best, chunk))
            best = &spans->items[low - 1];
    return best;
}

static bool comes_first(const struct wf_span *span, const struct wf_span *best, uint64_t chunk)
{
    return (span->closed_bytes == 0 || chunk < span->closed_bytes) && (!best || span->order < best->order);
}

const struct wf_span *wf_spans_find(const struct wf_spans *spans, uint64_t address, uint64_t chunk)
{
    return find(spans, address, chunk, comes_first);
}

/* Among equals: of open ones the first in the file, of closed ones the last. */
static bool comes_last(const struct wf_span *span, const struct wf_span *best, uint64_t chunk)
{
    (void)chunk;
    if (!best)
        return true;
    uint64_t until = span->closed_bytes - 1, best_until = best->closed_bytes - 1; /* open: the largest number there is */
    if (until != best_until)
        return until > best_until;
    return until == UINT64_MAX ? span->order < best->order : span->order > best->order;
}

const struct wf_span *wf_spans_find_last(const struct wf_spans *spans, uint64_t address)
{
    return find(spans, address, 0, comes_last);
}
