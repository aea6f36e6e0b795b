/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"

#include <errno.h>

static uint64_t arena_round_up(uint64_t bytes)
{
    return (bytes + WF_ARENA_UNIT - 1) / WF_ARENA_UNIT * WF_ARENA_UNIT;
}

int wf_arena_create(struct wf_arena *arena, const struct wf_file_place *place, const char *name, uint64_t limit_bytes,
                    uint64_t first_bytes)
{
    int why = wf_file_create(&arena->file, place, name, limit_bytes);
    if (!why)
        why = wf_file_grow(&arena->file, first_bytes);
    arena->used_bytes = arena_round_up(first_bytes);
    return why;
}

void wf_arena_remove(struct wf_arena *arena)
{
    wf_file_remove(&arena->file);
}

uint32_t wf_arena_add(struct wf_arena *arena, uint64_t bytes)
{
    uint32_t offset = 0;
    int saved = errno;
    bytes = arena_round_up(bytes);
    wf_lock_take(&arena->lock);
    if (wf_file_grow(&arena->file, arena->used_bytes + bytes) == 0) {
        offset = (uint32_t)(arena->used_bytes / WF_ARENA_UNIT);
        arena->used_bytes += bytes;
    }
    wf_lock_give(&arena->lock);
    errno = saved;
    return offset;
}
