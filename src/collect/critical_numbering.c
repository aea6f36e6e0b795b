/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/critical_numbering.h"

#include <stdlib.h>
#include <string.h>

void wf_critical_numbering_fini(struct wf_critical_numbering *n)
{
    free(n->up);
    free(n->row);
}

bool wf_critical_is_site(enum wf_critical_kind kind)
{
    return kind == WF_CRITICAL_STATEMENT || kind == WF_CRITICAL_STRETCH;
}

struct wf_critical_identity wf_critical_identity_of(enum wf_critical_kind kind, uint32_t entry,
                                                    const struct wf_sites *sites, const struct wf_regions *regions)
{
    if (wf_critical_is_site(kind)) {
        const struct wf_site_entry *site = &sites->entries[entry];
        return (struct wf_critical_identity){kind, site->name, site->file,
                                             site->line ? site->line : (uint32_t)site->offset};
    }
    const struct wf_region_entry *region = &regions->entries[entry];
    return (struct wf_critical_identity){kind, region->name, region->file, region->line};
}

struct wf_critical_slot wf_critical_slot_at(const struct wf_critical *c, size_t number)
{
    struct wf_critical_slot key;
    memcpy(&key, wf_intern_get(&c->slots, (uint32_t)number), sizeof key);
    return key;
}

/* ---- which slots are one ---- */

uint32_t wf_critical_numbering_root(const struct wf_critical_numbering *n, uint32_t slot)
{
    while (n->up[slot] != slot)
        slot = n->up[slot] = n->up[n->up[slot]];
    return slot;
}

/* The lower one stays a root, so that rows keep the order in which their slots came. */
static void numbering_join(struct wf_critical_numbering *n, uint32_t a, uint32_t b)
{
    uint32_t x = wf_critical_numbering_root(n, a), y = wf_critical_numbering_root(n, b);
    if (x < y)
        n->up[y] = x;
    else
        n->up[x] = y;
}

static bool numbering_slot_is_used(const struct wf_critical *c, uint32_t host, uint32_t slot)
{
    struct wf_path *path = c->hosts[host].path;
    if (!path || slot >= path->used)
        return false;
    int64_t any = 0;
    for (int of = WF_PATH_OWN; of <= WF_PATH_ALL; of++) {
        int32_t row = wf_path_row(slot, (enum wf_path_part_of)of);
        any |= wf_path_shares(path)[row];
        for (int i = 0; i < WF_PATH_STEPS; i++)
            any |= wf_path_savings(path)[row * WF_PATH_STEPS + i];
    }
    return any != 0;
}

static uint32_t numbering_slot_limit(const struct wf_critical *c)
{
    uint32_t limit = WF_PATH_FIRST;
    for (size_t i = 0; i < c->host_names.count; i++)
        if (c->hosts[i].path && c->hosts[i].path->used > limit)
            limit = c->hosts[i].path->used;
    for (size_t i = 0; i < c->slots.count; i++)
        if (wf_critical_slot_at(c, i).slot >= limit)
            limit = wf_critical_slot_at(c, i).slot + 1;
    return limit;
}

static int numbering_init(struct wf_critical_numbering *n, const struct wf_critical *c)
{
    n->per_host = numbering_slot_limit(c);
    n->count = n->per_host * (uint32_t)c->host_names.count;
    n->up = malloc((n->count + 1) * sizeof *n->up);
    n->row = malloc((n->count + 1) * sizeof *n->row);
    if (!n->up || !n->row)
        return -1;
    for (uint32_t i = 0; i < n->count; i++) {
        n->up[i] = i;
        n->row[i] = UINT32_MAX;
    }
    return 0;
}

/* Joins the slots of each region on all hosts; and so "other" and "transfer", which each host has. The identities get
 * their numbers here. */
static int numbering_join_regions(struct wf_critical_numbering *n, struct wf_critical *c, struct wf_intern *identities,
                                  const struct wf_sites *sites, const struct wf_regions *regions)
{
    uint32_t *first = malloc((c->slots.count + 1) * sizeof *first);
    int result = first ? 0 : -1;
    for (size_t i = 0; i < c->slots.count && result == 0; i++) {
        struct wf_critical_slot key = wf_critical_slot_at(c, i);
        struct wf_critical_identity identity = wf_critical_identity_of(key.kind, key.entry, sites, regions);
        size_t before = identities->count;
        uint32_t number = wf_intern_add(identities, &identity, sizeof identity),
                 node = key.host * n->per_host + key.slot;
        result = number == WF_INTERN_NONE ? -1 : 0;
        if (result == 0 && number == before)
            first[number] = node;
        else if (result == 0)
            numbering_join(n, first[number], node);
    }
    free(first);
    for (uint32_t host = 1; host < c->host_names.count; host++)
        for (uint32_t slot = 0; slot < WF_PATH_FIRST; slot++)
            numbering_join(n, slot, host * n->per_host + slot);
    return result;
}

static uint64_t numbering_key(const struct wf_critical *c, const struct wf_critical_numbering *n, uint32_t node)
{
    const struct wf_critical_host *host = &c->hosts[node / n->per_host];
    uint32_t slot = node % n->per_host;
    return slot < host->key_count ? host->keys[slot] : 0;
}

/* Joins slots that have a share on a host where no process has met their region: they came from another host, and their
 * key tells which region it is. */
static void numbering_join_strangers(struct wf_critical_numbering *n, const struct wf_critical *c, const bool *known)
{
    for (uint32_t node = 0; node < n->count; node++) {
        uint64_t key = numbering_key(c, n, node);
        if (known[node] || key == 0 || !numbering_slot_is_used(c, node / n->per_host, node % n->per_host))
            continue;
        for (uint32_t other = 0; other < n->count; other++)
            if (known[other] && numbering_key(c, n, other) == key) {
                numbering_join(n, node, other);
                break;
            }
    }
}

int wf_critical_numbering_find(struct wf_critical_numbering *n, struct wf_critical *c, struct wf_intern *identities,
                               const struct wf_sites *sites, const struct wf_regions *regions)
{
    if (numbering_init(n, c) != 0 || numbering_join_regions(n, c, identities, sites, regions) != 0)
        return -1;
    bool *known = calloc(n->count + 1, sizeof *known);
    if (!known)
        return -1;
    for (size_t i = 0; i < c->slots.count; i++)
        known[wf_critical_slot_at(c, i).host * n->per_host + wf_critical_slot_at(c, i).slot] = true;
    numbering_join_strangers(n, c, known);
    free(known);
    return 0;
}

/* ---- their rows ---- */

static bool numbering_is_followed(const struct wf_critical *c, uint32_t host, uint32_t slot)
{
    return slot < WF_PATH_FIRST || (slot < c->hosts[host].followed_count && c->hosts[host].followed[slot]);
}

int wf_critical_numbering_rows(struct wf_critical_numbering *n, struct wf_critical *c)
{
    bool *wanted = calloc(n->count + 1, sizeof *wanted);
    if (!wanted)
        return -1;
    for (size_t i = 0; i < c->slots.count; i++) {
        struct wf_critical_slot key = wf_critical_slot_at(c, i);
        uint32_t root = wf_critical_numbering_root(n, key.host * n->per_host + key.slot);
        wanted[root] = wanted[root] || numbering_is_followed(c, key.host, key.slot);
    }
    for (uint32_t node = 0; node < n->count; node++)
        if (node % n->per_host < WF_PATH_FIRST || numbering_slot_is_used(c, node / n->per_host, node % n->per_host))
            wanted[wf_critical_numbering_root(n, node)] = true;
    for (uint32_t node = 0; node < n->count && c->row_count < WF_PATH_NOWHERE - 1; node++)
        if (wanted[node])
            n->row[node] = (uint32_t)c->row_count++;
    free(wanted);
    c->rows = calloc(c->row_count + 2, sizeof *c->rows);
    for (uint32_t node = 0; c->rows && node < n->count; node++) {
        uint32_t row = n->row[wf_critical_numbering_root(n, node)];
        if (row != UINT32_MAX && numbering_is_followed(c, node / n->per_host, node % n->per_host))
            c->rows[row].followed = true;
    }
    return c->rows ? 0 : -1;
}
