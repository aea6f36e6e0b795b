/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From the hosts' paths and slots to one path and its rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/critical_numbering.h"

/* ---- rows ---- */

static int critical_member_compare(const void *a, const void *b)
{
    const struct wf_critical_member *x = a, *y = b;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    if (x->identity != y->identity)
        return x->identity < y->identity ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static bool critical_member_is_same(const struct wf_critical_member *a, const struct wf_critical_member *b)
{
    return a->row == b->row && a->identity == b->identity && a->entry == b->entry;
}

/* Lists each member once, though several hosts have it. */
static int critical_rows_list_members(const struct wf_critical_numbering *n, struct wf_critical *c,
                                      const struct wf_intern *identities, const struct wf_sites *sites,
                                      const struct wf_regions *regions)
{
    size_t count = 0;
    c->members = malloc((c->slots.count + 1) * sizeof *c->members);
    if (!c->members)
        return -1;
    for (size_t i = 0; i < c->slots.count; i++) {
        struct wf_critical_slot key = wf_critical_slot_at(c, i);
        struct wf_critical_identity identity = wf_critical_identity_of(key.kind, key.entry, sites, regions);
        uint32_t row = n->row[wf_critical_numbering_root(n, key.host * n->per_host + key.slot)];
        if (row != UINT32_MAX)
            c->members[count++] = (struct wf_critical_member){row, key.kind, key.entry,
                                                              wf_intern_find(identities, &identity, sizeof identity)};
    }
    qsort(c->members, count, sizeof *c->members, critical_member_compare);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !critical_member_is_same(&c->members[c->member_count - 1], &c->members[i]))
            c->members[c->member_count++] = c->members[i];
    return 0;
}

static int64_t critical_member_own_ns(const struct wf_critical *c, const struct wf_critical_member *member)
{
    if (member->kind == WF_CRITICAL_STRETCH)
        return 0; /* it is not measured */
    return wf_critical_is_site(member->kind) ? c->site_ns[member->entry] : c->region_ns[member->entry];
}

/* A statement whose line is not known is at an address in its module. */
static int critical_row_place(struct wf_critical_row *row, const struct wf_site_entry *site,
                              struct wf_collected_program *program)
{
    char place[512];
    row->file = site->file;
    row->line = site->line;
    if (site->line)
        return 0;
    const char *module = wf_modules_path(&program->modules, site->module), *base = strrchr(module, '/');
    snprintf(place, sizeof place, "%s+0x%llx", base ? base + 1 : module, (unsigned long long)site->offset);
    row->file = wf_intern_add_text(&program->texts, place);
    return row->file == WF_INTERN_NONE ? -1 : 0;
}

static int critical_row_name(struct wf_critical_row *row, const struct wf_critical_member *member,
                             struct wf_collected_program *program, const struct wf_sites *sites,
                             const struct wf_regions *regions)
{
    row->file = WF_INTERN_NONE;
    row->procedure = WF_NO_PROCEDURE;
    if (!wf_critical_is_site(member->kind)) {
        const struct wf_region_entry *region = &regions->entries[member->entry];
        row->name = region->name;
        row->file = region->file;
        row->line = region->line;
        row->procedure = region->procedure;
        return 0;
    }
    const struct wf_site_entry *site = &sites->entries[member->entry];
    row->name = site->name;
    row->procedure = site->procedure;
    if (critical_row_place(row, site, program) != 0)
        return -1;
    if (member->kind == WF_CRITICAL_STATEMENT)
        return 0;
    char name[256];
    snprintf(name, sizeof name, "after %s", wf_collected_program_string(program, site->name));
    row->name = wf_intern_add_text(&program->texts, name);
    return row->name == WF_INTERN_NONE ? -1 : 0;
}

/* Fills a row from its members, which begin at `first`: members are sorted by row. */
static int critical_row_fill(struct wf_critical *c, uint32_t number, size_t first, struct wf_collected_program *program,
                             const struct wf_sites *sites, const struct wf_regions *regions)
{
    struct wf_critical_row *row = &c->rows[number];
    size_t end = first, most = first, count = 0;
    for (; end < c->member_count && c->members[end].row == number; end++) {
        count += end == first || c->members[end].identity != c->members[end - 1].identity;
        if (critical_member_own_ns(c, &c->members[end]) > critical_member_own_ns(c, &c->members[most]))
            most = end;
    }
    if (end == first) {
        row->kind = number < WF_PATH_FIRST ? (enum wf_critical_kind)number : WF_CRITICAL_UNKNOWN;
        row->name = row->file = WF_INTERN_NONE;
        row->procedure = WF_NO_PROCEDURE;
    } else if (critical_row_name(row, &c->members[most], program, sites, regions) != 0) {
        return -1;
    } else {
        row->kind = c->members[most].kind;
    }
    row->regions = count;
    row->first_member = first;
    row->member_count = end - first;
    return 0;
}

static int critical_rows_fill(struct wf_critical *c, struct wf_collected_program *program, const struct wf_sites *sites,
                              const struct wf_regions *regions)
{
    size_t next = 0;
    for (uint32_t number = 0; number < c->row_count; number++) {
        if (critical_row_fill(c, number, next, program, sites, regions) != 0)
            return -1;
        next += c->rows[number].member_count;
    }
    return 0;
}

/* ---- figures ---- */

/* Sums of a damaged segment stop before they overflow. */
static void critical_row_add_limited(int64_t *sum, int64_t value, int64_t limit)
{
    if (__builtin_add_overflow(*sum, value, sum) || *sum > limit || *sum < -limit)
        *sum = value < 0 ? -limit : limit;
}

static void critical_row_add_slot(struct wf_path_snapshot *to, uint32_t slot, struct wf_path *from, uint32_t from_slot,
                                  enum wf_path_part_of of)
{
    int32_t row = wf_path_row(slot, of), from_row = wf_path_row(from_slot, of);
    critical_row_add_limited(&wf_path_snapshot_shares(to)[row], wf_path_shares(from)[from_row], 2 * WF_PATH_LIMIT);
    for (int i = 0; i < WF_PATH_STEPS; i++)
        critical_row_add_limited(&wf_path_snapshot_savings(to)[row * WF_PATH_STEPS + i],
                                 wf_path_savings(from)[from_row * WF_PATH_STEPS + i],
                                 2 * WF_PATH_STEPS * WF_PATH_LIMIT);
}

/* Writes a host's path with the rows' numbers in the place of its own. */
static void critical_rows_translate(struct wf_path_snapshot *to, const struct wf_critical *c,
                                    const struct wf_critical_numbering *n, uint32_t host)
{
    struct wf_path *from = c->hosts[host].path;
    memset(to->values, 0, to->bytes - sizeof *to);
    memcpy(wf_path_snapshot_places(to), wf_path_places(from), sizeof(int64_t) * 2 * from->places);
    to->length = from->length;
    for (uint32_t slot = 0; slot < from->used; slot++) {
        uint32_t row = n->row[wf_critical_numbering_root(n, host * n->per_host + slot)];
        if (row == UINT32_MAX)
            continue;
        critical_row_add_slot(to, row, from, slot, WF_PATH_OWN);
        critical_row_add_slot(to, row, from, slot, WF_PATH_ALL);
    }
}

static int critical_rows_merge_hosts(struct wf_critical *c, const struct wf_critical_numbering *n)
{
    uint32_t places = 0, rows = (uint32_t)c->row_count + 1; /* and the beginning */
    for (size_t i = 0; i < c->host_names.count; i++)
        if (c->hosts[i].path && c->hosts[i].path->places > places)
            places = c->hosts[i].path->places;
    struct wf_path_snapshot *sample = malloc(wf_path_snapshot_bytes(rows, places));
    c->path = malloc(wf_path_bytes(rows, places));
    if (sample && c->path) {
        *sample = (struct wf_path_snapshot){.epoch = c->epoch,
                                            .map = 1,
                                            .slots = (uint16_t)rows,
                                            .all_slots = (uint16_t)rows,
                                            .place = WF_PATH_NOWHERE};
        wf_path_snapshot_shape(sample, rows, rows, places, 0);
        wf_path_init(c->path, rows, places, WF_PATH_NOWHERE);
        wf_path_start(c->path, c->epoch, 0);
    }
    for (uint32_t i = 0; i < c->host_names.count && sample && c->path; i++)
        if (c->hosts[i].path) {
            critical_rows_translate(sample, c, n, i);
            wf_path_part(c->path, sample, 0);
        }
    free(sample);
    return sample && c->path ? 0 : -1;
}

#define LITTLE_NS 1000 /* times are rounded on several clocks */

/* What is before the first statement is in no region and in no list. So it is the rest, if nothing else is, and has its
 * savings; else it is part of it. Only one thread's beginning is on the path. */
static void critical_rows_add_beginning(struct wf_critical *c)
{
    int64_t *shares = wf_path_shares(c->path), *saved = wf_path_savings(c->path);
    size_t row = c->row_count;
    bool all = shares[WF_PATH_OTHER] <= c->beginning_ns + LITTLE_NS && !c->some_listed;
    int64_t share = all || shares[WF_PATH_OTHER] < c->beginning_ns ? shares[WF_PATH_OTHER] : c->beginning_ns;
    if (share <= 0 || c->beginning_ns == 0)
        return;
    c->rows[row] = (struct wf_critical_row){.kind = WF_CRITICAL_BEGINNING,
                                            .name = WF_INTERN_NONE,
                                            .file = WF_INTERN_NONE,
                                            .procedure = WF_NO_PROCEDURE,
                                            .followed = all,
                                            .regions = 1};
    shares[WF_PATH_OTHER] -= share;
    shares[row] = share;
    for (int i = 0; i < WF_PATH_STEPS && c->rows[row].followed; i++) {
        saved[row * WF_PATH_STEPS + (size_t)i] = saved[i];
        saved[i] = 0;
    }
    c->row_count++;
}

static void critical_rows_mark_used(struct wf_critical *c, struct wf_sites *sites, struct wf_regions *regions)
{
    for (size_t i = 0; i < c->member_count; i++)
        if (wf_critical_is_site(c->members[i].kind))
            sites->entries[c->members[i].entry].used = true;
        else
            regions->entries[c->members[i].entry].used = true;
}

int wf_critical_settle(struct wf_critical *c, struct wf_collected_program *program, struct wf_sites *sites,
                       struct wf_regions *regions)
{
    struct wf_critical_numbering n = {0};
    struct wf_intern identities = {0};
    if (c->epoch == 0)
        return 0;
    int result = wf_critical_numbering_find(&n, c, &identities, sites, regions);
    if (result == 0)
        result = wf_critical_numbering_rows(&n, c);
    if (result == 0)
        result = critical_rows_list_members(&n, c, &identities, sites, regions);
    if (result == 0)
        result = critical_rows_fill(c, program, sites, regions);
    if (result == 0)
        result = critical_rows_merge_hosts(c, &n);
    if (result == 0)
        critical_rows_add_beginning(c);
    if (result == 0)
        critical_rows_mark_used(c, sites, regions);
    wf_intern_fini(&identities);
    wf_critical_numbering_fini(&n);
    return result;
}
