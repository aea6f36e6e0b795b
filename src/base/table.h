/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A table that finds things by a hash: open addressing, linear probing. It holds no things, only where they are, in
 * words of 8 bytes behind `base`: things lie within 32 GiB behind it, at multiples of 8 bytes. The key is part of the
 * thing, and a lookup compares it inline:
 *
 *     for (uint32_t i = wf_hash(key);; i++) {
 *         struct cell *cell = wf_table_at(&table, i);
 *         if (!cell || cell->key == key)
 *             return cell;
 *     }
 *
 * An empty table needs no memory; memory comes from the kernel and errno stays as it is, so that a table can be used in
 * other people's processes. Not thread-safe: its owner locks, or is one thread. A signal handler must not touch a table
 * of the thread that it interrupts (measure/guest/guard.h sees to that).
 */
#ifndef WF_BASE_TABLE_H
#define WF_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"

#define WF_TABLE_WORD 8u

struct wf_table {
    uint32_t mask;   /* number of slots - 1 */
    uint32_t used;   /* number of things */
    uint32_t *slots; /* 1 + where a thing is, in words behind base; 0: empty */
    char *base;
};

typedef uint32_t wf_table_hash(const void *thing);

/* What an empty table has: one slot, which is never written. */
extern const uint32_t wf_table_no_slots[1] WF_SHARED(table_no_slots);

#define WF_TABLE(base_)                                                 \
    {                                                                   \
        .slots = (uint32_t *)wf_table_no_slots, .base = (char *)(base_) \
    }

static inline uint32_t wf_hash(uint64_t key)
{
    return (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32);
}

/* The thing in a slot; NULL: it is empty. A search begins at the slot of the hash and goes on, over the end, until it
 * has found the thing or an empty slot. */
static inline void *wf_table_at(const struct wf_table *table, uint32_t slot)
{
    uint32_t place = table->slots[slot & table->mask];
    return place ? table->base + ((size_t)place - 1) * WF_TABLE_WORD : NULL;
}

/* Puts in a thing that is not there yet. False: there is no memory, and the table is as it was. */
bool wf_table_add(struct wf_table *table, const void *thing, wf_table_hash *hash) WF_SHARED(table_add);

/* Takes a thing out; it may not be there. Things behind it move: a search that was under way begins again. */
void wf_table_remove(struct wf_table *table, const void *thing, wf_table_hash *hash) WF_SHARED(table_remove);

/* Takes out all that are not wanted. */
void wf_table_keep(struct wf_table *table, bool (*is_wanted)(const void *thing), wf_table_hash *hash)
    WF_SHARED(table_keep);

#endif
