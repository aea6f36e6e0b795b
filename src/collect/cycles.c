/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tarjan's algorithm with a stack on the heap: a call graph may be as deep as a program is long.
 */
#include "collect/cycles.h"

#include <stdlib.h>

#define NONE UINT32_MAX

struct cycle_search {
    const struct wf_edge *edges;
    size_t edge_count;
    size_t *next;    /* by node: the edge to look at */
    uint32_t *order; /* by node: its place in the order of discovery; NONE: not yet met */
    uint32_t *low;   /* by node: the place of the earliest node that can be reached from it */
    uint32_t *path;  /* from the root to the current node */
    uint32_t *open;  /* nodes met whose component is not known */
    uint32_t path_count, open_count, met;
    uint32_t *component; /* NONE: not known */
};

static int cycles_compare_edges(const void *a, const void *b)
{
    const struct wf_edge *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void cycles_meet(struct cycle_search *s, uint32_t node)
{
    s->order[node] = s->low[node] = s->met++;
    s->path[s->path_count++] = node;
    s->open[s->open_count++] = node;
}

/* All open nodes from this one on are one component. */
static void cycles_close_component(struct cycle_search *s, uint32_t node)
{
    uint32_t first = s->open_count, lowest = node;
    do {
        first--;
        lowest = s->open[first] < lowest ? s->open[first] : lowest;
    } while (s->open[first] != node);
    for (uint32_t i = first; i < s->open_count; i++)
        s->component[s->open[i]] = lowest;
    s->open_count = first;
}

static void cycles_leave(struct cycle_search *s, uint32_t node)
{
    s->path_count--;
    if (s->low[node] == s->order[node])
        cycles_close_component(s, node);
    if (s->path_count > 0) {
        uint32_t before = s->path[s->path_count - 1];
        if (s->low[node] < s->low[before])
            s->low[before] = s->low[node];
    }
}

static void cycles_step(struct cycle_search *s)
{
    uint32_t node = s->path[s->path_count - 1];
    size_t edge = s->next[node];
    if (edge >= s->edge_count || s->edges[edge].from != node) {
        cycles_leave(s, node);
        return;
    }
    s->next[node]++;
    uint32_t to = s->edges[edge].to;
    if (s->order[to] == NONE)
        cycles_meet(s, to);
    else if (s->component[to] == NONE && s->order[to] < s->low[node])
        s->low[node] = s->order[to];
}

static void cycles_search(struct cycle_search *s, uint32_t node_count)
{
    for (size_t e = s->edge_count; e-- > 0;)
        s->next[s->edges[e].from] = e;
    for (uint32_t node = 0; node < node_count; node++) {
        if (s->order[node] == NONE)
            cycles_meet(s, node);
        while (s->path_count > 0)
            cycles_step(s);
    }
}

int wf_cycles_find(struct wf_edge *edges, size_t edge_count, uint32_t node_count, uint32_t *component)
{
    size_t room = (size_t)node_count + 1;
    struct cycle_search s = {.edges = edges,
                             .edge_count = edge_count,
                             .next = malloc(room * sizeof *s.next),
                             .order = malloc(room * sizeof *s.order),
                             .low = malloc(room * sizeof *s.low),
                             .path = malloc(room * sizeof *s.path),
                             .open = malloc(room * sizeof *s.open),
                             .component = component};
    int result = s.next && s.order && s.low && s.path && s.open ? 0 : -1;
    for (uint32_t i = 0; i < node_count && result == 0; i++) {
        s.next[i] = edge_count;
        s.order[i] = component[i] = NONE;
    }
    if (result == 0) {
        if (edge_count)
            qsort(edges, edge_count, sizeof *edges, cycles_compare_edges);
        cycles_search(&s, node_count);
    }
    free(s.next);
    free(s.order);
    free(s.low);
    free(s.path);
    free(s.open);
    return result;
}
