/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/tables.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

/* Adds a field, with tabs, newlines and backslashes escaped. */
static void tables_add_field(struct wf_buffer *text, const char *field)
{
    wf_buffer_add(text, "\t", 1);
    for (; *field; field++) {
        const char *escaped = *field == '\t' ? "\\t" : *field == '\n' ? "\\n" : *field == '\\' ? "\\\\" : NULL;
        if (escaped)
            wf_buffer_add_text(text, escaped);
        else
            wf_buffer_add(text, field, 1);
    }
}

static void tables_add_number(struct wf_buffer *text, unsigned number)
{
    wf_buffer_addf(text, "\t%u", number);
}

/* The unit's own file is an empty field. */
static void tables_add_file(struct wf_buffer *text, const struct wf_source_unit *unit, const char *file)
{
    tables_add_field(text, strcmp(file, unit->file) ? file : "");
}

static unsigned tables_id_of(int region)
{
    return (unsigned)region + 1;
}

static void tables_add_state(struct wf_buffer *text, const struct wf_source_region *region)
{
    struct wf_buffer state = {0};
    wf_buffer_addf(&state, "%s%s",
                   region->probe == WF_PROBE_ON     ? "probe"
                   : region->probe == WF_PROBE_LEAF ? "leaf"
                                                    : "skipped:",
                   region->probe == WF_PROBE_SKIPPED ? region->reason : "");
    tables_add_field(text, wf_buffer_text(&state));
    wf_buffer_fini(&state);
}

static void tables_add_region(struct wf_buffer *text, const struct wf_source_unit *unit, int index)
{
    const struct wf_source_region *region = &unit->regions[index];
    wf_buffer_add_text(text, region->kind == WF_PROCEDURE ? "p" : "l");
    tables_add_number(text, tables_id_of(index));
    if (region->kind == WF_LOOP)
        tables_add_number(text, tables_id_of(region->parent));
    tables_add_number(text, region->line);
    tables_add_field(text, region->name);
    tables_add_file(text, unit, region->file);
    tables_add_state(text, region);
    wf_buffer_add(text, "\n", 1);
}

static void tables_add_call(struct wf_buffer *text, const struct wf_source_unit *unit,
                            const struct wf_source_call *call)
{
    wf_buffer_add_text(text, call->kind == WF_COMMUNICATION ? "m" : "c");
    tables_add_number(text, tables_id_of(call->parent));
    tables_add_number(text, call->line);
    tables_add_field(text, call->callee);
    tables_add_file(text, unit, call->file);
    if (call->kind == WF_CALL && call->target != WF_NONE)
        tables_add_number(text, tables_id_of(call->target));
    wf_buffer_add(text, "\n", 1);
}

/* Calls of the system's libraries are no part of the program's structure. */
static bool tables_list_call(const struct wf_source_call *call)
{
    return call->kind == WF_COMMUNICATION || !call->library;
}

void wf_tables_text(const struct wf_source_unit *unit, struct wf_buffer *text)
{
    wf_buffer_addf(text, "unit\t%d", WF_TABLES_VERSION);
    tables_add_field(text, unit->file);
    wf_buffer_add(text, "\n", 1);
    for (size_t i = 0; i < unit->region_count; i++)
        tables_add_region(text, unit, (int)i);
    for (size_t i = 0; i < unit->call_count; i++)
        if (tables_list_call(&unit->calls[i]))
            tables_add_call(text, unit, &unit->calls[i]);
}

void wf_tables_definition(const struct wf_source_unit *unit, struct wf_buffer *definition)
{
    struct wf_buffer text = {0};
    wf_tables_text(unit, &text);
    wf_buffer_add_text(
        definition,
        "_Pragma(\"GCC diagnostic push\") _Pragma(\"GCC diagnostic ignored \\\"-Woverlength-strings\\\"\")\n"
        "WEFT_TABLE_(");
    char *rest = text.data, *line;
    while ((line = strsep(&rest, "\n")) && *line) {
        struct wf_buffer record = {0};
        wf_buffer_addf(&record, "%s\n", line);
        wf_buffer_add_text(definition, "\n");
        wf_buffer_add_literal(definition, record.data);
        wf_buffer_fini(&record);
    }
    wf_buffer_add_text(definition, ")\n_Pragma(\"GCC diagnostic pop\")\n");
    wf_buffer_fini(&text);
}

/* ---- JSON ---- */

/* Any bytes as a string: a text that is no UTF-8 is read as Latin 1. */
static json_t *tables_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    struct wf_buffer utf8 = {0};
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        char two[] = {(char)(0xc0 | *c >> 6), (char)(0x80 | (*c & 0x3f))};
        if (*c < 0x80)
            wf_buffer_add(&utf8, c, 1);
        else
            wf_buffer_add(&utf8, two, 2);
    }
    string = json_string(wf_buffer_text(&utf8));
    wf_buffer_fini(&utf8);
    return string;
}

static json_t *tables_place(const char *file, unsigned line)
{
    char *text = wf_text_format("%s:%u", file, line);
    json_t *string = tables_json_text(text);
    free(text);
    return string;
}

static json_t *tables_place_of(const struct wf_source_unit *unit, int region)
{
    return tables_place(unit->regions[region].file, unit->regions[region].line);
}

static void tables_append(json_t *tables, const char *name, json_t *row)
{
    json_array_append_new(json_object_get(tables, name), row);
}

static void tables_append_loop(json_t *tables, const struct wf_source_unit *unit, int index)
{
    const struct wf_source_region *loop = &unit->regions[index];
    bool in_loop = unit->regions[loop->parent].kind == WF_LOOP;
    json_t *row = json_object();
    json_object_set_new(row, in_loop ? "l_l" : "l_p", tables_place_of(unit, loop->parent));
    json_object_set_new(row, in_loop ? "l_il" : "l_l", tables_place_of(unit, index));
    json_object_set_new(row, "kind", tables_json_text(loop->name));
    tables_append(tables, in_loop ? "T_ll" : "T_pl", row);
}

static void tables_append_call(json_t *tables, const struct wf_source_unit *unit, const struct wf_source_call *call)
{
    bool in_loop = unit->regions[call->parent].kind == WF_LOOP, communicates = call->kind == WF_COMMUNICATION;
    json_t *row = json_object();
    json_object_set_new(row, in_loop ? "l_l" : "l_p", tables_place_of(unit, call->parent));
    json_object_set_new(row, communicates ? "l_c" : "l_pc", tables_place(call->file, call->line));
    if (!communicates)
        json_object_set_new(row, "l_pi", call->target == WF_NONE ? json_null() : tables_place_of(unit, call->target));
    json_object_set_new(row, communicates ? "function" : "callee", tables_json_text(call->callee));
    tables_append(tables, communicates ? (in_loop ? "T_lcom" : "T_pcom") : in_loop ? "T_lc" : "T_pc", row);
}

static void tables_append_procedure(json_t *tables, const struct wf_source_unit *unit, int index)
{
    json_t *row = json_object();
    json_object_set_new(row, "l_p", tables_place_of(unit, index));
    json_object_set_new(row, "name", tables_json_text(unit->regions[index].name));
    tables_append(tables, "procedures", row);
}

int wf_tables_write_json(const struct wf_source_unit *unit, FILE *out)
{
    static const char *const names[] = {"procedures", "T_pl", "T_pcom", "T_pc", "T_ll", "T_lcom", "T_lc"};
    json_t *tables = json_object();
    json_object_set_new(tables, "file", tables_json_text(unit->file));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_object_set_new(tables, names[i], json_array());
    for (size_t i = 0; i < unit->region_count; i++) {
        if (unit->regions[i].kind == WF_LOOP)
            tables_append_loop(tables, unit, (int)i);
        else
            tables_append_procedure(tables, unit, (int)i);
    }
    for (size_t i = 0; i < unit->call_count; i++)
        if (tables_list_call(&unit->calls[i]))
            tables_append_call(tables, unit, &unit->calls[i]);
    int result = json_dumpf(tables, out, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(tables);
    return result || fputc('\n', out) == EOF || fflush(out) ? -1 : 0;
}
