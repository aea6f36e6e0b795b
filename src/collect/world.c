/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/world.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/intern.h"

void wf_worlds_fini(struct wf_worlds *worlds)
{
    free(worlds->items);
    *worlds = (struct wf_worlds){0};
}

static int worlds_compare_begins(const void *a, const void *b)
{
    const struct wf_collected_rank *x = a, *y = b;
    int64_t begin_x = wf_collected_rank_begin_ns(x), begin_y = wf_collected_rank_begin_ns(y);
    if (begin_x != begin_y)
        return begin_x < begin_y ? -1 : 1;
    int order = (x->header->rank > y->header->rank) - (x->header->rank < y->header->rank);
    return order ? order : strcmp(x->file, y->file);
}

static int worlds_compare_numbers(const void *a, const void *b)
{
    const struct wf_collected_rank *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int worlds_add(struct wf_worlds *worlds, int32_t size)
{
    if (WF_ARRAY_RESERVE(worlds->items, worlds->capacity, worlds->count + 1) != 0)
        return -1;
    int64_t first = 0;
    if (worlds->count) {
        const struct wf_world *before = &worlds->items[worlds->count - 1];
        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the reserved part holds count worlds */
        first = before->first + before->size;
    }
    worlds->items[worlds->count++] = (struct wf_world){.size = size, .first = first};
    return 0;
}

/* The launcher's name and the size. A name may occur twice: where a program was started again, or where launchers give
 * no names. */
struct world_name_key {
    char world[sizeof((struct wf_segment_header *)0)->world];
    int32_t size;
};

struct world_place_key {
    uint32_t world;
    int32_t rank;
};

struct world_assignment {
    struct wf_worlds *worlds;
    struct wf_intern names;
    struct wf_intern places; /* that are taken */
    uint32_t *latest;        /* world of each name */
};

static int world_assignment_take_place(struct world_assignment *assignment, struct wf_collected_rank *rank)
{
    struct world_name_key key = {.size = rank->header->size};
    memcpy(key.world, rank->header->world, strlen(rank->header->world));
    size_t known = assignment->names.count;
    uint32_t name = wf_intern_add(&assignment->names, &key, sizeof key);
    if (name == WF_INTERN_NONE)
        return -1;
    bool fresh = name == known;
    struct world_place_key place = {fresh ? 0 : assignment->latest[name], rank->header->rank};
    if (fresh || wf_intern_find(&assignment->places, &place, sizeof place) != WF_INTERN_NONE) {
        place.world = assignment->latest[name] = (uint32_t)assignment->worlds->count;
        if (worlds_add(assignment->worlds, rank->header->size) != 0)
            return -1;
    }
    if (wf_intern_add(&assignment->places, &place, sizeof place) == WF_INTERN_NONE)
        return -1;
    struct wf_world *world = &assignment->worlds->items[place.world];
    world->present++;
    rank->world = place.world;
    rank->rank = world->first + rank->header->rank;
    return 0;
}

int wf_worlds_assign(struct wf_worlds *worlds, struct wf_collected_ranks *ranks)
{
    if (ranks->count == 0)
        return 0;
    struct world_assignment assignment = {.worlds = worlds, .latest = calloc(ranks->count, sizeof *assignment.latest)};
    int result = assignment.latest ? 0 : -1;
    /* In the order of time: worlds come in the order of their first process, and of two processes with one place the
     * later one begins a new world. */
    qsort(ranks->items, ranks->count, sizeof *ranks->items, worlds_compare_begins);
    for (size_t i = 0; i < ranks->count && result == 0; i++)
        result = world_assignment_take_place(&assignment, &ranks->items[i]);
    qsort(ranks->items, ranks->count, sizeof *ranks->items, worlds_compare_numbers);
    wf_intern_fini(&assignment.names);
    wf_intern_fini(&assignment.places);
    free(assignment.latest);
    return result;
}
