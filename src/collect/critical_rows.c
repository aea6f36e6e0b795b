/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the hosts' paths and slots to one path and its rows. Slots that a region has on several hosts are one
 * row; so are the slots of one that has several (a statement that was compiled into several places), whose
 * savings are added: they may save more together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/critical.h"

/* What makes two regions one. */
struct identity {
    uint32_t kind, name, file, line;
};

/* Slots of all hosts, host by host: first as a forest, whose trees are the rows to be; then as rows. */
struct numbering {
    uint32_t per_host, count;
    uint32_t *up;  /* towards the root of its tree */
    uint32_t *row; /* of a root; UINT32_MAX: it has none */
};

static uint32_t root_of(const struct numbering *n, uint32_t slot)
{
    while (n->up[slot] != slot)
        slot = n->up[slot] = n->up[n->up[slot]];
    return slot;
}

/* The lower one stays a root, so that what is met first comes first. */
static void join(struct numbering *n, uint32_t a, uint32_t b)
{
    uint32_t x = root_of(n, a), y = root_of(n, b);
    if (x < y)
        n->up[y] = x;
    else
        n->up[x] = y;
}

static struct wf_critical_slot get_key(const struct wf_critical *c, size_t number)
{
    struct wf_critical_slot key;
    memcpy(&key, wf_intern_get(&c->slots, (uint32_t)number), sizeof key);
    return key;
}

static bool is_site(enum wf_critical_kind kind)
{
    return kind == WF_CRITICAL_STATEMENT || kind == WF_CRITICAL_STRETCH;
}

static struct identity identity_of(enum wf_critical_kind kind, uint32_t entry, const struct wf_sites *sites,
                                   const struct wf_regions *regions)
{
    if (is_site(kind)) {
        const struct wf_site_entry *site = &sites->entries[entry];
        return (struct identity){kind, site->name, site->file,
                                 site->line ? site->line : (uint32_t)site->offset};
    }
    const struct wf_region_entry *region = &regions->entries[entry];
    return (struct identity){kind, region->name, region->file, region->line};
}

/* ---- which slots are one ---- */

static bool is_used(const struct wf_critical *c, uint32_t host, uint32_t slot)
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

static uint32_t slot_limit(const struct wf_critical *c)
{
    uint32_t limit = WF_PATH_FIRST;
    for (size_t i = 0; i < c->host_names.count; i++)
        if (c->hosts[i].path && c->hosts[i].path->used > limit)
            limit = c->hosts[i].path->used;
    for (size_t i = 0; i < c->slots.count; i++)
        if (get_key(c, i).slot >= limit)
            limit = get_key(c, i).slot + 1;
    return limit;
}

static int numbering_init(struct numbering *n, const struct wf_critical *c)
{
    n->per_host = slot_limit(c);
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

/* Those of one region, wherever it has them; and with them, what each host calls "other" and "transfer". The
 * identities get their numbers here. */
static int join_regions(struct numbering *n, struct wf_critical *c, struct wf_intern *identities,
                        const struct wf_sites *sites, const struct wf_regions *regions)
{
    uint32_t *first = malloc((c->slots.count + 1) * sizeof *first);
    int result = first ? 0 : -1;
    for (size_t i = 0; i < c->slots.count && result == 0; i++) {
        struct wf_critical_slot key = get_key(c, i);
        struct identity identity = identity_of(key.kind, key.entry, sites, regions);
        size_t before = identities->count;
        uint32_t number = wf_intern_add(identities, &identity, sizeof identity),
                 node = key.host * n->per_host + key.slot;
        result = number == WF_INTERN_NONE ? -1 : 0;
        if (result == 0 && number == before)
            first[number] = node;
        else if (result == 0)
            join(n, first[number], node);
    }
    free(first);
    for (uint32_t host = 1; host < c->host_names.count; host++)
        for (uint32_t slot = 0; slot < WF_PATH_FIRST; slot++)
            join(n, slot, host * n->per_host + slot);
    return result;
}

static uint64_t key_of(const struct wf_critical *c, const struct numbering *n, uint32_t node)
{
    const struct wf_critical_host *host = &c->hosts[node / n->per_host];
    uint32_t slot = node % n->per_host;
    return slot < host->key_count ? host->keys[slot] : 0;
}

/* A slot that has a share on a host where nobody has met its region came from another host, where somebody
 * has: its key tells which it is. */
static void join_strangers(struct numbering *n, const struct wf_critical *c, const bool *known)
{
    for (uint32_t node = 0; node < n->count; node++) {
        uint64_t key = key_of(c, n, node);
        if (known[node] || key == 0 || !is_used(c, node / n->per_host, node % n->per_host))
            continue;
        for (uint32_t other = 0; other < n->count; other++)
            if (known[other] && key_of(c, n, other) == key) {
                join(n, node, other);
                break;
            }
    }
}

static int find_trees(struct numbering *n, struct wf_critical *c, struct wf_intern *identities,
                      const struct wf_sites *sites, const struct wf_regions *regions)
{
    if (numbering_init(n, c) != 0 || join_regions(n, c, identities, sites, regions) != 0)
        return -1;
    bool *known = calloc(n->count + 1, sizeof *known);
    if (!known)
        return -1;
    for (size_t i = 0; i < c->slots.count; i++)
        known[get_key(c, i).host * n->per_host + get_key(c, i).slot] = true;
    join_strangers(n, c, known);
    free(known);
    return 0;
}

/* ---- rows ---- */

/* "Other" and "transfer" are the first two; then every slot that a region has, or that something is known of.
 */
static int number_rows(struct numbering *n, struct wf_critical *c)
{
    bool *wanted = calloc(n->count + 1, sizeof *wanted);
    if (!wanted)
        return -1;
    for (size_t i = 0; i < c->slots.count; i++)
        wanted[root_of(n, get_key(c, i).host * n->per_host + get_key(c, i).slot)] = true;
    for (uint32_t node = 0; node < n->count; node++)
        if (node % n->per_host < WF_PATH_FIRST || is_used(c, node / n->per_host, node % n->per_host))
            wanted[root_of(n, node)] = true;
    for (uint32_t node = 0; node < n->count && c->row_count < WF_PATH_NOWHERE; node++)
        if (wanted[node])
            n->row[node] = (uint32_t)c->row_count++;
    free(wanted);
    c->rows = calloc(c->row_count + 1, sizeof *c->rows);
    return c->rows ? 0 : -1;
}

static int compare_members(const void *a, const void *b)
{
    const struct wf_critical_member *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->identity != y->identity)
        return x->identity < y->identity ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static bool is_same_member(const struct wf_critical_member *a, const struct wf_critical_member *b)
{
    return a->row == b->row && a->identity == b->identity && a->entry == b->entry;
}

/* Each once, though several hosts have it. */
static int list_members(const struct numbering *n, struct wf_critical *c, const struct wf_intern *identities,
                        const struct wf_sites *sites, const struct wf_regions *regions)
{
    size_t count = 0;
    c->members = malloc((c->slots.count + 1) * sizeof *c->members);
    if (!c->members)
        return -1;
    for (size_t i = 0; i < c->slots.count; i++) {
        struct wf_critical_slot key = get_key(c, i);
        struct identity identity = identity_of(key.kind, key.entry, sites, regions);
        uint32_t row = n->row[root_of(n, key.host * n->per_host + key.slot)];
        if (row != UINT32_MAX)
            c->members[count++] = (struct wf_critical_member){
                row, key.kind, key.entry, wf_intern_find(identities, &identity, sizeof identity)};
    }
    qsort(c->members, count, sizeof *c->members, compare_members);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !is_same_member(&c->members[c->member_count - 1], &c->members[i]))
            c->members[c->member_count++] = c->members[i];
    return 0;
}

static int64_t own_ns(const struct wf_critical *c, const struct wf_critical_member *member)
{
    if (member->kind == WF_CRITICAL_STRETCH)
        return 0; /* nobody has measured it */
    return is_site(member->kind) ? c->site_ns[member->entry] : c->region_ns[member->entry];
}

/* A row is called as its region with the most time is. */
static int name_row(struct wf_critical_row *row, const struct wf_critical_member *member,
                    struct wf_program *program, const struct wf_sites *sites,
                    const struct wf_regions *regions)
{
    if (!is_site(member->kind)) {
        const struct wf_region_entry *region = &regions->entries[member->entry];
        *row = (struct wf_critical_row){
            .name = region->name, .file = region->file, .line = region->line, .procedure = region->procedure};
        return 0;
    }
    const struct wf_site_entry *site = &sites->entries[member->entry];
    *row = (struct wf_critical_row){
        .name = site->name, .file = site->file, .line = site->line, .procedure = site->procedure};
    if (member->kind == WF_CRITICAL_STATEMENT)
        return 0;
    char name[256];
    snprintf(name, sizeof name, "after %s", wf_program_string(program, site->name));
    row->name = wf_intern_add_text(&program->texts, name);
    return row->name == WF_INTERN_NONE ? -1 : 0;
}

/* Of the members from `first` on, which are sorted by row. */
static int fill_row(struct wf_critical *c, uint32_t number, size_t first, struct wf_program *program,
                    const struct wf_sites *sites, const struct wf_regions *regions)
{
    struct wf_critical_row *row = &c->rows[number];
    size_t end = first, most = first, count = 0;
    for (; end < c->member_count && c->members[end].row == number; end++) {
        count += end == first || c->members[end].identity != c->members[end - 1].identity;
        if (own_ns(c, &c->members[end]) > own_ns(c, &c->members[most]))
            most = end;
    }
    if (end == first) {
        *row = (struct wf_critical_row){.kind = number < WF_PATH_FIRST ? (enum wf_critical_kind)number
                                                                       : WF_CRITICAL_BUCKET,
                                        .name = WF_INTERN_NONE,
                                        .file = WF_INTERN_NONE,
                                        .procedure = WF_NO_PROCEDURE};
    } else if (name_row(row, &c->members[most], program, sites, regions) != 0) {
        return -1;
    } else {
        row->kind = count > 1 ? WF_CRITICAL_BUCKET : c->members[most].kind;
    }
    row->regions = count;
    row->first_member = first;
    row->member_count = end - first;
    return 0;
}

static int fill_rows(struct wf_critical *c, struct wf_program *program, const struct wf_sites *sites,
                     const struct wf_regions *regions)
{
    size_t next = 0;
    for (uint32_t number = 0; number < c->row_count; number++) {
        if (fill_row(c, number, next, program, sites, regions) != 0)
            return -1;
        next += c->rows[number].member_count;
    }
    return 0;
}

/* ---- figures ---- */

/* Sums of a damaged segment stop where they would do harm. */
static void add(int64_t *sum, int64_t value, int64_t limit)
{
    if (__builtin_add_overflow(*sum, value, sum) || *sum > limit || *sum < -limit)
        *sum = value < 0 ? -limit : limit;
}

static void add_slot(struct wf_path_snapshot *to, uint32_t slot, struct wf_path *from, uint32_t from_slot,
                     enum wf_path_part_of of)
{
    int32_t row = wf_path_row(slot, of), from_row = wf_path_row(from_slot, of);
    add(&wf_path_snapshot_shares(to)[row], wf_path_shares(from)[from_row], 2 * WF_PATH_LIMIT);
    for (int i = 0; i < WF_PATH_STEPS; i++)
        add(&wf_path_snapshot_savings(to)[row * WF_PATH_STEPS + i],
            wf_path_savings(from)[from_row * WF_PATH_STEPS + i], 2 * WF_PATH_STEPS * WF_PATH_LIMIT);
}

/* A host's path with the rows' numbers for its own. */
static void translate(struct wf_path_snapshot *to, const struct wf_critical *c, const struct numbering *n,
                      uint32_t host)
{
    struct wf_path *from = c->hosts[host].path;
    memset(to->values, 0, to->bytes - sizeof *to);
    memcpy(wf_path_snapshot_places(to), wf_path_places(from), sizeof(int64_t) * 2 * from->places);
    to->length = from->length;
    for (uint32_t slot = 0; slot < from->used; slot++) {
        uint32_t row = n->row[root_of(n, host * n->per_host + slot)];
        if (row == UINT32_MAX)
            continue;
        add_slot(to, row, from, slot, WF_PATH_OWN);
        add_slot(to, row, from, slot, WF_PATH_ALL);
    }
}

static int merge_hosts(struct wf_critical *c, const struct numbering *n)
{
    uint32_t places = 0, rows = (uint32_t)c->row_count;
    for (size_t i = 0; i < c->host_names.count; i++)
        if (c->hosts[i].path && c->hosts[i].path->places > places)
            places = c->hosts[i].path->places;
    struct wf_path_snapshot *sample = malloc(wf_path_snapshot_bytes(rows, places));
    c->path = malloc(wf_path_bytes(rows, places));
    if (sample && c->path) {
        *sample = (struct wf_path_snapshot){.epoch = c->epoch,
                                            .slots = (uint16_t)rows,
                                            .all_slots = (uint16_t)rows,
                                            .place = WF_PATH_NOWHERE};
        wf_path_snapshot_shape(sample, rows, rows, places);
        wf_path_init(c->path, rows, places, WF_PATH_NOWHERE);
        wf_path_start(c->path, c->epoch, 0);
    }
    for (uint32_t i = 0; i < c->host_names.count && sample && c->path; i++)
        if (c->hosts[i].path) {
            translate(sample, c, n, i);
            wf_path_part(c->path, sample, 0);
        }
    free(sample);
    return sample && c->path ? 0 : -1;
}

static void mark_used(struct wf_critical *c, struct wf_sites *sites, struct wf_regions *regions)
{
    for (size_t i = 0; i < c->member_count; i++)
        if (is_site(c->members[i].kind))
            sites->entries[c->members[i].entry].used = true;
        else
            regions->entries[c->members[i].entry].used = true;
}

int wf_critical_settle(struct wf_critical *c, struct wf_program *program, struct wf_sites *sites,
                       struct wf_regions *regions)
{
    struct numbering n = {0};
    struct wf_intern identities = {0};
    if (c->epoch == 0)
        return 0;
    int result = find_trees(&n, c, &identities, sites, regions);
    if (result == 0)
        result = number_rows(&n, c);
    if (result == 0)
        result = list_members(&n, c, &identities, sites, regions);
    if (result == 0)
        result = fill_rows(c, program, sites, regions);
    if (result == 0)
        result = merge_hosts(c, &n);
    if (result == 0)
        mark_used(c, sites, regions);
    wf_intern_fini(&identities);
    free(n.up);
    free(n.row);
    return result;
}
