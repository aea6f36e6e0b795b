/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/table.h"

#include "base/memory.h"

#define FIRST_SLOTS 256u

const uint32_t wf_table_no_slots[1];

static void table_put(struct wf_table *table, const void *thing, uint32_t slot)
{
    while (wf_table_at(table, slot))
        slot++;
    table->slots[slot & table->mask] = (uint32_t)((size_t)((const char *)thing - table->base) / WF_TABLE_WORD + 1);
}

static bool table_grow(struct wf_table *table, wf_table_hash *hash)
{
    uint32_t slots = table->mask ? 2 * (table->mask + 1) : FIRST_SLOTS;
    struct wf_table larger = {.mask = slots - 1, .used = table->used, .base = table->base};
    larger.slots = wf_memory_pages(slots * sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (uint32_t s = 0; s <= table->mask; s++) {
        const void *thing = wf_table_at(table, s);
        if (thing)
            table_put(&larger, thing, hash(thing));
    }
    struct wf_table before = *table;
    *table = larger;
    if (before.mask)
        wf_memory_release(before.slots, (before.mask + 1) * sizeof *before.slots);
    return true;
}

bool wf_table_add(struct wf_table *table, const void *thing, wf_table_hash *hash)
{
    uint64_t slots = (uint64_t)table->mask + 1;
    if (5 * ((uint64_t)table->used + 1) > 4 * slots && !table_grow(table, hash))
        return false;
    table_put(table, thing, hash(thing));
    table->used++;
    return true;
}

/* Fills the gap with what lies behind it and may lie here, so that no search ends at the gap too early. */
static void table_empty_slot(struct wf_table *table, uint32_t gap, wf_table_hash *hash)
{
    const void *thing;
    for (uint32_t s = gap + 1; (thing = wf_table_at(table, s)); s++)
        if (((s - hash(thing)) & table->mask) >= ((s - gap) & table->mask)) {
            table->slots[gap & table->mask] = table->slots[s & table->mask];
            gap = s;
        }
    table->slots[gap & table->mask] = 0;
    table->used--;
}

void wf_table_remove(struct wf_table *table, const void *thing, wf_table_hash *hash)
{
    uint32_t slot = hash(thing);
    const void *found;
    while ((found = wf_table_at(table, slot)) && found != thing)
        slot++;
    if (found)
        table_empty_slot(table, slot, hash);
}

void wf_table_keep(struct wf_table *table, bool (*is_wanted)(const void *thing), wf_table_hash *hash)
{
    const void *thing;
    for (uint32_t s = 0; s <= table->mask; s++)
        while ((thing = wf_table_at(table, s)) && !is_wanted(thing))
            table_empty_slot(table, s, hash);
}
