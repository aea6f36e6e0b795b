/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of the critical path.
 */
#include "collect/profile_insert.h"

static const char *const kinds[] = {
    [WF_CRITICAL_OTHER] = "other",     [WF_CRITICAL_TRANSFER] = "transfer", [WF_CRITICAL_PROCEDURE] = "procedure",
    [WF_CRITICAL_LOOP] = "loop",       [WF_CRITICAL_REGION] = "region",     [WF_CRITICAL_STATEMENT] = "statement",
    [WF_CRITICAL_STRETCH] = "stretch", [WF_CRITICAL_BEGINNING] = "stretch", [WF_CRITICAL_UNKNOWN] = "unknown",
};

static const char *path_row_name(const struct wf_critical_row *row, const struct wf_collected_program *program)
{
    static const char *const names[] = {[WF_CRITICAL_OTHER] = "not followed",
                                        [WF_CRITICAL_TRANSFER] = "transfer",
                                        [WF_CRITICAL_BEGINNING] = "before the first MPI call",
                                        [WF_CRITICAL_UNKNOWN] = "not known"};
    return row->name == WF_INTERN_NONE ? names[row->kind] : wf_collected_program_string(program, row->name);
}

/* There is nothing inside a statement, nor in the stretch behind one. */
static enum wf_path_part_of path_row_all_of(const struct wf_critical_row *row)
{
    return row->kind == WF_CRITICAL_STATEMENT || row->kind == WF_CRITICAL_STRETCH || row->kind == WF_CRITICAL_BEGINNING
               ? WF_PATH_OWN
               : WF_PATH_ALL;
}

/* The rest's savings would be those of everything that has no slot, and its share is less: what is in no other row. */
static bool path_row_is_followed(const struct wf_critical *c, uint32_t slot)
{
    return c->rows[slot].followed && slot != WF_PATH_OTHER;
}

static struct wf_profile_value path_row_saved(const struct wf_critical *c, uint32_t slot, enum wf_path_part_of of,
                                              int step)
{
    if (!path_row_is_followed(c, slot))
        return (struct wf_profile_value)NOTHING();
    return (struct wf_profile_value)NUMBER(wf_path_saved_ticks(c->path, slot, of, step));
}

/* What is inside a region is known while it is followed; it includes its own, also what it had before. Visits that are
 * nested too deep for the path's stack count with their waiting, and may be longer than the path. */
static struct wf_profile_value path_row_all_share(const struct wf_critical *c, uint32_t slot)
{
    const int64_t *shares = wf_path_shares(c->path);
    enum wf_path_part_of of = path_row_all_of(&c->rows[slot]);
    int64_t all = shares[wf_path_row(slot, of)], own = shares[slot];
    if (of == WF_PATH_ALL && !path_row_is_followed(c, slot))
        return (struct wf_profile_value)NOTHING();
    if (slot >= WF_PATH_FIRST)
        all = own > all ? own : all < c->path->length ? all : c->path->length;
    return (struct wf_profile_value)NUMBER(all);
}

static int path_insert_row(struct wf_profile_writer *writer, const struct wf_critical *c, uint32_t slot,
                           struct wf_collected_program *program, struct wf_error *error)
{
    const struct wf_critical_row *row = &c->rows[slot];
    const int64_t *shares = wf_path_shares(c->path);
    struct wf_profile_value procedure = NOTHING();
    if (row->procedure != WF_NO_PROCEDURE)
        procedure = (struct wf_profile_value)NUMBER(wf_profile_procedure_id(program, row->procedure));
    return INSERT(
        writer, WF_PROFILE_PATH, error, NUMBER(slot + 1), TEXT(kinds[row->kind]), TEXT(path_row_name(row, program)),
        TEXT(row->file == WF_INTERN_NONE ? "" : wf_collected_program_string(program, row->file)), NUMBER(row->line),
        procedure, NUMBER(row->regions), NUMBER(shares[wf_path_row(slot, WF_PATH_OWN)]),
        path_row_saved(c, slot, WF_PATH_OWN, 4), path_row_saved(c, slot, WF_PATH_OWN, 1),
        path_row_saved(c, slot, WF_PATH_OWN, 2), path_row_saved(c, slot, WF_PATH_OWN, 3), path_row_all_share(c, slot),
        path_row_saved(c, slot, path_row_all_of(row), 1), path_row_saved(c, slot, path_row_all_of(row), 2),
        path_row_saved(c, slot, path_row_all_of(row), 3), path_row_saved(c, slot, path_row_all_of(row), 4));
}

static int path_insert_site(struct wf_profile_writer *writer, const struct wf_critical_member *member,
                            const struct wf_sites *sites, struct wf_error *error)
{
    if (member->kind == WF_CRITICAL_STRETCH)
        return 0;
    int64_t site = member->kind == WF_CRITICAL_STATEMENT ? wf_profile_site_id(member->entry)
                                                         : wf_profile_region_id(sites, member->entry);
    return INSERT(writer, WF_PROFILE_PATH_SITE, error, NUMBER(member->row + 1), NUMBER(site));
}

/* There are as many places as ranks; or, in a larger world, as many groups of ranks of about the same size. */
static int path_insert_place(struct wf_profile_writer *writer, const struct wf_critical *c, int64_t place,
                             int64_t places, int64_t size, struct wf_error *error)
{
    const int64_t *values = wf_path_places(c->path) + 2 * place;
    int64_t first = (place * size + places - 1) / places, next = ((place + 1) * size + places - 1) / places;
    return INSERT(writer, WF_PROFILE_PATH_PLACE, error, NUMBER(first), NUMBER(next - 1), NUMBER(values[0]),
                  NUMBER(values[1]));
}

int wf_profile_writer_path(struct wf_profile_writer *writer, const struct wf_critical *critical, int64_t size,
                           const struct wf_profile_text *text, struct wf_error *error)
{
    if (critical->row_count == 0)
        return 0;
    int64_t places = critical->path->places < size ? critical->path->places : size;
    for (size_t i = 0; i < critical->row_count; i++)
        if (path_insert_row(writer, critical, (uint32_t)i, text->program, error) != 0)
            return -1;
    for (size_t i = 0; i < critical->member_count; i++)
        if (path_insert_site(writer, &critical->members[i], text->sites, error) != 0)
            return -1;
    for (int64_t place = 0; place < places; place++)
        if (path_insert_place(writer, critical, place, places, size, error) != 0)
            return -1;
    return 0;
}
