/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of the critical path.
 */
#include "collect/profile_insert.h"

static const char *const kinds[] = {
    [WF_CRITICAL_OTHER] = "other",         [WF_CRITICAL_TRANSFER] = "transfer",
    [WF_CRITICAL_PROCEDURE] = "procedure", [WF_CRITICAL_LOOP] = "loop",
    [WF_CRITICAL_REGION] = "region",       [WF_CRITICAL_STATEMENT] = "statement",
    [WF_CRITICAL_STRETCH] = "stretch",     [WF_CRITICAL_BUCKET] = "bucket",
};

/* What has no name of its own is called by its kind. */
static const char *name_of(const struct wf_critical_row *row, const struct wf_program *program)
{
    if (row->name != WF_INTERN_NONE)
        return wf_program_string(program, row->name);
    return row->kind == WF_CRITICAL_BUCKET ? "not known" : kinds[row->kind];
}

/* There is nothing inside a statement, nor in the stretch behind one. */
static enum wf_path_part_of all_of(const struct wf_critical_row *row)
{
    return row->kind == WF_CRITICAL_STATEMENT || row->kind == WF_CRITICAL_STRETCH ? WF_PATH_OWN : WF_PATH_ALL;
}

static struct wf_profile_value all_saved(const struct wf_critical *c, uint32_t slot, int step)
{
    return (struct wf_profile_value)NUMBER(wf_path_saved_ticks(c->path, slot, all_of(&c->rows[slot]), step));
}

static int insert_row(struct wf_profile_writer *writer, const struct wf_critical *c, uint32_t slot,
                      struct wf_program *program, struct wf_error *error)
{
    const struct wf_critical_row *row = &c->rows[slot];
    const int64_t *shares = wf_path_shares(c->path);
    struct wf_profile_value procedure = NOTHING();
    if (row->procedure != WF_NO_PROCEDURE)
        procedure = (struct wf_profile_value)NUMBER(wf_profile_procedure_id(program, row->procedure));
    return INSERT(writer, WF_ROW_PATH, error, NUMBER(slot + 1), TEXT(kinds[row->kind]),
                  TEXT(name_of(row, program)),
                  TEXT(row->file == WF_INTERN_NONE ? "" : wf_program_string(program, row->file)),
                  NUMBER(row->line), procedure, NUMBER(row->regions), NUMBER(shares[wf_path_row(slot, WF_PATH_OWN)]),
                  NUMBER(wf_path_saved_ticks(c->path, slot, WF_PATH_OWN, 4)),
                  NUMBER(wf_path_saved_ticks(c->path, slot, WF_PATH_OWN, 1)),
                  NUMBER(wf_path_saved_ticks(c->path, slot, WF_PATH_OWN, 2)),
                  NUMBER(wf_path_saved_ticks(c->path, slot, WF_PATH_OWN, 3)), NUMBER(shares[wf_path_row(slot, all_of(row))]),
                  all_saved(c, slot, 1), all_saved(c, slot, 2), all_saved(c, slot, 3), all_saved(c, slot, 4));
}

static int insert_site(struct wf_profile_writer *writer, const struct wf_critical_member *member,
                       const struct wf_sites *sites, struct wf_error *error)
{
    if (member->kind == WF_CRITICAL_STRETCH)
        return 0;
    int64_t site = member->kind == WF_CRITICAL_STATEMENT ? wf_profile_site_id(member->entry)
                                                         : wf_profile_region_id(sites, member->entry);
    return INSERT(writer, WF_ROW_PATH_SITE, error, NUMBER(member->row + 1), NUMBER(site));
}

/* As many places as ranks; or, of a larger world, groups of ranks as even as can be. */
static int insert_place(struct wf_profile_writer *writer, const struct wf_critical *c, int64_t place,
                        int64_t places, int64_t size, struct wf_error *error)
{
    const int64_t *values = wf_path_places(c->path) + 2 * place;
    int64_t first = (place * size + places - 1) / places, next = ((place + 1) * size + places - 1) / places;
    return INSERT(writer, WF_ROW_PATH_PLACE, error, NUMBER(first), NUMBER(next - 1), NUMBER(values[0]),
                  NUMBER(values[1]));
}

int wf_profile_writer_path(struct wf_profile_writer *writer, const struct wf_critical *critical, int64_t size,
                           const struct wf_profile_text *text, struct wf_error *error)
{
    if (critical->row_count == 0)
        return 0;
    int64_t places = critical->path->places < size ? critical->path->places : size;
    for (size_t i = 0; i < critical->row_count; i++)
        if (insert_row(writer, critical, (uint32_t)i, text->program, error) != 0)
            return -1;
    for (size_t i = 0; i < critical->member_count; i++)
        if (insert_site(writer, &critical->members[i], text->sites, error) != 0)
            return -1;
    for (int64_t place = 0; place < places; place++)
        if (insert_place(writer, critical, place, places, size, error) != 0)
            return -1;
    return 0;
}
