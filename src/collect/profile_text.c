/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows that all ranks share: the program's text and the notes.
 */
#include "collect/profile_insert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wf_profile_value text_procedure_value(struct wf_collected_program *program, uint32_t procedure)
{
    if (procedure == WF_NO_PROCEDURE)
        return (struct wf_profile_value)NOTHING();
    return (struct wf_profile_value)NUMBER(wf_profile_procedure_id(program, procedure));
}

/* ---- sites ---- */

static int text_insert_site(struct wf_profile_writer *writer, const struct wf_profile_text *text, uint32_t entry,
                            struct wf_error *error)
{
    const struct wf_site_entry *site = &text->sites->entries[entry];
    return INSERT(writer, WF_PROFILE_SITE, error, NUMBER(wf_profile_site_id(entry)), TEXT("communication"),
                  TEXT(wf_collected_program_string(text->program, site->name)),
                  TEXT(wf_collected_program_string(text->program, site->file)), NUMBER(site->line),
                  text_procedure_value(text->program, site->procedure),
                  TEXT(wf_modules_path(&text->program->modules, site->module)), NUMBER(site->offset));
}

static const char *text_region_type(uint32_t kind)
{
    static const char *const types[] = {[WF_REGION_PROCEDURE] = "procedure",
                                        [WF_REGION_LOOP] = "loop",
                                        [WF_REGION_USER] = "region",
                                        [WF_REGION_PHASE] = "phase"};
    return types[kind];
}

static int text_insert_region(struct wf_profile_writer *writer, const struct wf_profile_text *text, uint32_t number,
                              struct wf_error *error)
{
    const struct wf_region_entry *entry = &text->regions->entries[number];
    const char *module = "";
    uint64_t offset = 0;
    if (entry->address != WF_NO_ADDRESS) {
        const struct wf_address *address = &text->program->addresses.items[entry->address];
        module = wf_modules_path(&text->program->modules, address->module);
        offset = address->offset;
    }
    return INSERT(writer, WF_PROFILE_SITE, error, NUMBER(wf_profile_region_id(text->sites, number)),
                  TEXT(text_region_type(entry->kind)), TEXT(wf_collected_program_string(text->program, entry->name)),
                  TEXT(wf_collected_program_string(text->program, entry->file)), NUMBER(entry->line),
                  text_procedure_value(text->program, entry->procedure), TEXT(module), NUMBER(offset));
}

static int text_insert_sites(struct wf_profile_writer *writer, const struct wf_profile_text *text,
                             struct wf_error *error)
{
    for (size_t i = 0; i < wf_sites_count(text->sites); i++)
        if (text->sites->entries[i].used && text_insert_site(writer, text, (uint32_t)i, error) != 0)
            return -1;
    for (size_t i = 0; i < wf_regions_count(text->regions); i++)
        if (text->regions->entries[i].used && text_insert_region(writer, text, (uint32_t)i, error) != 0)
            return -1;
    return 0;
}

/* ---- static tables ---- */

/* "file:line", to be freed. */
static char *text_of_place(const struct wf_collected_program *program, struct wf_table_place place)
{
    char *text = NULL;
    return asprintf(&text, "%s:%u", wf_collected_program_string(program, place.file), place.line) < 0 ? NULL : text;
}

static char *text_of_callee(const struct wf_collected_program *program, const struct wf_table_row *row)
{
    if (row->callee == WF_NO_PROCEDURE)
        return strdup(wf_collected_program_string(program, row->name));
    const struct wf_procedure *callee =
        &program->procedures.items[wf_procedures_one(&program->procedures, row->callee)];
    return text_of_place(program, (struct wf_table_place){callee->file, callee->line});
}

static const char *text_row_kind(const struct wf_table_row *row)
{
    static const char *const kinds[2][3] = {{[WF_TABLE_LOOP] = "pl", [WF_TABLE_COM] = "pcom", [WF_TABLE_CALL] = "pc"},
                                            {[WF_TABLE_LOOP] = "ll", [WF_TABLE_COM] = "lcom", [WF_TABLE_CALL] = "lc"}};
    return kinds[row->outer_loop][row->kind];
}

/* Two statements of one kind in one line are one row, because the tables know only places. Returns 1 if the row is
 * there already, -1 without memory. */
static int text_row_is_known(struct wf_intern *known, const char *kind, const char *outer, const char *inner,
                             const char *callee)
{
    char *key = NULL;
    size_t before = known->count;
    if (asprintf(&key, "%s\n%s\n%s\n%s", kind, outer, inner, callee ? callee : "") < 0)
        return -1;
    uint32_t number = wf_intern_add_text(known, key);
    free(key);
    return number == WF_INTERN_NONE ? -1 : number != before;
}

static int text_insert_row(struct wf_profile_writer *writer, const struct wf_collected_program *program,
                           const struct wf_table_row *row, struct wf_intern *known, const char *outer,
                           const char *inner, const char *callee, struct wf_error *error)
{
    if (!outer || !inner || (row->kind == WF_TABLE_CALL && !callee))
        return wf_error_set(error, "out of memory");
    int there = text_row_is_known(known, text_row_kind(row), outer, inner, callee);
    if (there != 0)
        return there > 0 ? 0 : wf_error_set(error, "out of memory");
    struct wf_profile_value called = NOTHING();
    if (callee)
        called = (struct wf_profile_value)TEXT(callee);
    return INSERT(writer, WF_PROFILE_STATIC, error, TEXT(text_row_kind(row)), TEXT(outer), TEXT(inner), called,
                  TEXT(wf_collected_program_string(program, row->name)), NUMBER(row->dynamic));
}

/* A call by a pointer is not shown: the calls that it made have rows of their own. A loop in another one of the same
 * line would stand in itself. */
static bool text_row_is_shown(const struct wf_tables *tables, const struct wf_table_row *row)
{
    if (row->kind == WF_TABLE_CALL)
        return row->name != tables->pointer;
    return row->kind != WF_TABLE_LOOP || !row->outer_loop || row->outer.file != row->inner.file ||
           row->outer.line != row->inner.line;
}

static int text_insert_rows(struct wf_profile_writer *writer, const struct wf_collected_program *program,
                            const struct wf_table_row *rows, size_t count, struct wf_intern *known,
                            struct wf_error *error)
{
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        if (!text_row_is_shown(&program->tables, &rows[i]))
            continue;
        char *outer = text_of_place(program, rows[i].outer), *inner = text_of_place(program, rows[i].inner),
             *callee = rows[i].kind == WF_TABLE_CALL ? text_of_callee(program, &rows[i]) : NULL;
        result = text_insert_row(writer, program, &rows[i], known, outer, inner, callee, error);
        free(outer);
        free(inner);
        free(callee);
    }
    return result;
}

static int text_insert_node(struct wf_profile_writer *writer, struct wf_collected_program *program,
                            const struct wf_table_node *node, struct wf_error *error)
{
    char *place = text_of_place(program, node->place);
    if (!place)
        return wf_error_set(error, "out of memory");
    int result = INSERT(writer, WF_PROFILE_PLACE, error, TEXT(place), TEXT(node->loop ? "loop" : "procedure"),
                        TEXT(wf_collected_program_string(program, node->name)),
                        TEXT(wf_collected_program_string(program, node->place.file)), NUMBER(node->place.line),
                        text_procedure_value(program, node->procedure),
                        TEXT(wf_collected_program_string(program, node->status)));
    free(place);
    return result;
}

static int text_insert_tables(struct wf_profile_writer *writer, struct wf_collected_program *program,
                              struct wf_error *error)
{
    const struct wf_tables *tables = &program->tables;
    struct wf_intern known = {0};
    int result = text_insert_rows(writer, program, tables->rows, wf_tables_row_count(tables), &known, error);
    if (result == 0)
        result =
            text_insert_rows(writer, program, tables->dynamic_rows, wf_tables_dynamic_count(tables), &known, error);
    wf_intern_fini(&known);
    for (size_t i = 0; i < wf_tables_node_count(tables) && result == 0; i++)
        result = text_insert_node(writer, program, &tables->nodes[i], error);
    return result;
}

/* ---- procedures ---- */

static int text_insert_procedure(struct wf_profile_writer *writer, struct wf_collected_program *program,
                                 uint32_t number, struct wf_error *error)
{
    const struct wf_procedure *procedure = &program->procedures.items[number];
    if (INSERT(writer, WF_PROFILE_PROCEDURE, error, NUMBER(wf_profile_procedure_id(program, number)),
               TEXT(wf_collected_program_string(program, procedure->name)),
               TEXT(wf_collected_program_string(program, procedure->file)), NUMBER(procedure->line)) != 0)
        return -1;
    if (procedure->cycle == WF_NO_PROCEDURE)
        return 0;
    return INSERT(writer, WF_PROFILE_CYCLE, error, NUMBER(wf_profile_procedure_id(program, number)),
                  NUMBER(wf_profile_procedure_id(program, procedure->cycle)));
}

/* Last, because the other rows mark those that are used. The first of a cycle is used if one of the cycle is. */
static int text_insert_procedures(struct wf_profile_writer *writer, struct wf_collected_program *program,
                                  struct wf_error *error)
{
    struct wf_procedure *items = program->procedures.items;
    for (size_t i = 0; i < wf_procedures_count(&program->procedures); i++)
        if (items[i].used && items[i].cycle != WF_NO_PROCEDURE)
            items[items[i].cycle].used = true;
    for (size_t i = 0; i < wf_procedures_count(&program->procedures); i++)
        if (items[i].used && text_insert_procedure(writer, program, (uint32_t)i, error) != 0)
            return -1;
    return 0;
}

int wf_profile_writer_text(struct wf_profile_writer *writer, const struct wf_profile_text *text, struct wf_error *error)
{
    if (text_insert_sites(writer, text, error) != 0 || text_insert_tables(writer, text->program, error) != 0)
        return -1;
    return text_insert_procedures(writer, text->program, error);
}

/* ---- the notes ---- */

int wf_profile_writer_notes(struct wf_profile_writer *writer, const struct wf_notes *notes, struct wf_error *error)
{
    for (size_t i = 0; i < notes->count; i++)
        if (INSERT(writer, WF_PROFILE_NOTE, error, TEXT(notes->sentences[i])) != 0)
            return -1;
    return 0;
}
