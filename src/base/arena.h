/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A mapped file that grows, and of which parts are given away for good: what a process shares with others on its host.
 * One lock for all of it, so that no two threads ever get the same part, and none a part without disk space behind it.
 * Any thread; errno stays as it is. Not for signal handlers, unless measure/guest/guard.h keeps those out that
 * interrupt the thread which has the lock.
 */
#ifndef WF_ARENA_H
#define WF_ARENA_H

#include <stdint.h>

#include "base/file.h"
#include "base/lock.h"

#define WF_ARENA_UNIT 64u /* parts begin at a line of the cache, and are named by their offset in these */

struct wf_arena {
    struct wf_lock lock;
    struct wf_file file;
    uint64_t used_bytes;
};

/* Creates the file, with `first_bytes` that are the caller's. Returns 0, or an errno. */
int wf_arena_create(struct wf_arena *arena, const struct wf_file_place *place, const char *name, uint64_t limit_bytes,
                    uint64_t first_bytes);

/* Unmaps and removes it: no other thread or process may use it yet. */
void wf_arena_remove(struct wf_arena *arena);

/* New, zeroed space: its offset in units; 0: there is none. */
uint32_t wf_arena_add(struct wf_arena *arena, uint64_t bytes);

#endif
