/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the static tables: strings one behind the other, each a unit; a record a line, its fields separated by
 * tabs. docs/static-tables.md describes it. Records that make no sense are skipped, because a section may hold
 * anything.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collect/procedure_names.h"
#include "collect/tables.h"

#define TABLES_VERSION 1u
#define MOST_FIELDS 8
#define NO_ID UINT32_MAX
#define NOT_YET (WF_NO_PROCEDURE - 1) /* in the place of a node's procedure */

/* A node as its unit names it. */
struct table_unit_node {
    struct wf_table_node node;
    uint32_t parent; /* id; of loops only */
};

struct table_unit_row {
    struct wf_table_row row;
    uint32_t parent; /* id */
    uint32_t target; /* id of the procedure called; NO_ID: the unit does not know it */
};

struct table_unit {
    struct wf_intern *texts;
    uint32_t file;
    bool readable;
    struct wf_intern ids; /* numbers as in nodes */
    struct table_unit_node *nodes;
    size_t node_capacity;
    struct table_unit_row *rows;
    size_t row_count, row_capacity;
};

static void unit_fini(struct table_unit *unit)
{
    wf_intern_fini(&unit->ids);
    free(unit->nodes);
    free(unit->rows);
}

/* ---- a line ---- */

struct table_fields {
    char *texts[MOST_FIELDS];
    int count;
};

/* "\t", "\n" and "\\" stand for what would have ended the field. */
static char *fields_unescape(char *field)
{
    char *to = field;
    for (const char *from = field; *from; from++) {
        bool escaped = from[0] == '\\' && from[1];
        from += escaped;
        *to++ = escaped && *from == 't' ? '\t' : escaped && *from == 'n' ? '\n' : *from;
    }
    *to = '\0';
    return field;
}

static struct table_fields fields_split(char *line)
{
    struct table_fields fields = {.count = 0};
    while (line && fields.count < MOST_FIELDS)
        fields.texts[fields.count++] = fields_unescape(strsep(&line, "\t"));
    return fields;
}

static bool fields_parse_number(const char *text, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *number = (uint32_t)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value < UINT32_MAX;
}

/* The file of a record; an empty field stands for the unit's file. */
static uint32_t unit_file(const struct table_unit *unit, const struct table_fields *fields, int index)
{
    const char *file = index < fields->count ? fields->texts[index] : "";
    return file[0] ? wf_intern_add_text(unit->texts, file) : unit->file;
}

static int unit_add_node(struct table_unit *unit, uint32_t id, uint32_t parent, const struct wf_table_node *node)
{
    struct table_unit_node item = {*node, parent};
    if (node->place.file == WF_INTERN_NONE || node->name == WF_INTERN_NONE || node->status == WF_INTERN_NONE)
        return -1;
    uint32_t number = WF_INTERN_ADD_ITEM(&unit->ids, &id, unit->nodes, unit->node_capacity, &item);
    return number == WF_INTERN_NONE ? -1 : 0;
}

static uint32_t unit_status(const struct table_unit *unit, const struct table_fields *fields, int index)
{
    return wf_intern_add_text(unit->texts, index < fields->count ? fields->texts[index] : "");
}

/* p ID LINE NAME FILE STATUS */
static int unit_read_procedure(struct table_unit *unit, const struct table_fields *fields)
{
    uint32_t id, line;
    if (fields->count < 4 || !fields_parse_number(fields->texts[1], &id) ||
        !fields_parse_number(fields->texts[2], &line))
        return 0;
    struct wf_table_node node = {.place = {unit_file(unit, fields, 4), line},
                                 .name = wf_intern_add_text(unit->texts, fields->texts[3]),
                                 .status = unit_status(unit, fields, 5),
                                 .procedure = NOT_YET};
    return unit_add_node(unit, id, 0, &node);
}

/* l ID PARENT LINE KIND FILE STATUS */
static int unit_read_loop(struct table_unit *unit, const struct table_fields *fields)
{
    uint32_t id, parent, line;
    if (fields->count < 5 || !fields_parse_number(fields->texts[1], &id) ||
        !fields_parse_number(fields->texts[2], &parent) || !fields_parse_number(fields->texts[3], &line))
        return 0;
    struct wf_table_node node = {.place = {unit_file(unit, fields, 5), line},
                                 .name = wf_intern_add_text(unit->texts, fields->texts[4]),
                                 .status = unit_status(unit, fields, 6),
                                 .procedure = NOT_YET,
                                 .loop = true};
    return unit_add_node(unit, id, parent, &node);
}

/* m PARENT LINE MPI_FUNCTION FILE, and c PARENT LINE CALLEE FILE TARGET */
static int unit_read_statement(struct table_unit *unit, const struct table_fields *fields, enum wf_table_kind kind)
{
    uint32_t parent, line, target;
    if (fields->count < 4 || !fields_parse_number(fields->texts[1], &parent) ||
        !fields_parse_number(fields->texts[2], &line))
        return 0;
    struct wf_table_row row = {.kind = kind,
                               .inner = {unit_file(unit, fields, 4), line},
                               .name = wf_intern_add_text(unit->texts, fields->texts[3]),
                               .callee = WF_NO_PROCEDURE};
    if (WF_ARRAY_RESERVE(unit->rows, unit->row_capacity, unit->row_count + 1) != 0)
        return -1;
    if (row.inner.file == WF_INTERN_NONE || row.name == WF_INTERN_NONE)
        return -1;
    if (fields->count < 6 || !fields_parse_number(fields->texts[5], &target))
        target = NO_ID;
    unit->rows[unit->row_count++] = (struct table_unit_row){row, parent, target};
    return 0;
}

/* unit VERSION FILE */
static int unit_read_head(struct table_unit *unit, const struct table_fields *fields, size_t *newer)
{
    uint32_t version;
    if (fields->count < 3 || !fields_parse_number(fields->texts[1], &version))
        return 0;
    *newer += version > TABLES_VERSION;
    unit->readable = version == TABLES_VERSION;
    unit->file = wf_intern_add_text(unit->texts, fields->texts[2]);
    return unit->file == WF_INTERN_NONE ? -1 : 0;
}

static int unit_read_line(struct table_unit *unit, char *line, size_t *newer)
{
    struct table_fields fields = fields_split(line);
    if (strcmp(fields.texts[0], "unit") == 0)
        return unit_read_head(unit, &fields, newer);
    if (!unit->readable)
        return 0;
    if (strcmp(fields.texts[0], "p") == 0)
        return unit_read_procedure(unit, &fields);
    if (strcmp(fields.texts[0], "l") == 0)
        return unit_read_loop(unit, &fields);
    if (strcmp(fields.texts[0], "m") == 0)
        return unit_read_statement(unit, &fields, WF_TABLE_COM);
    if (strcmp(fields.texts[0], "c") == 0)
        return unit_read_statement(unit, &fields, WF_TABLE_CALL);
    return 0;
}

/* ---- a unit ---- */

static struct table_unit_node *unit_find_node(const struct table_unit *unit, uint32_t id)
{
    uint32_t number = wf_intern_find(&unit->ids, &id, sizeof id);
    return number == WF_INTERN_NONE ? NULL : &unit->nodes[number];
}

static int unit_name_procedures(struct table_unit *unit, struct wf_procedures *procedures)
{
    for (size_t i = 0; i < unit->ids.count; i++) {
        struct wf_table_node *node = &unit->nodes[i].node;
        if (!node->loop && wf_procedures_add_instrumented(procedures, node->name, node->place.file, node->place.line,
                                                          &node->procedure) != 0)
            return -1;
    }
    return 0;
}

/* The procedure around a loop, however deep it is. A loop that is around itself is in none. */
static void unit_place_loop(struct table_unit *unit, struct table_unit_node *loop)
{
    size_t steps = 0;
    struct table_unit_node *outer = loop;
    while (outer && outer->node.procedure == NOT_YET && steps++ <= unit->ids.count)
        outer = unit_find_node(unit, outer->parent);
    uint32_t procedure = outer && outer->node.procedure != NOT_YET ? outer->node.procedure : WF_NO_PROCEDURE;
    for (outer = loop; outer && outer->node.procedure == NOT_YET; outer = unit_find_node(unit, outer->parent))
        outer->node.procedure = procedure;
}

static int unit_hand_over_nodes(struct table_unit *unit, struct wf_tables *tables)
{
    for (size_t i = 0; i < unit->ids.count; i++) {
        struct table_unit_node *item = &unit->nodes[i];
        if (item->node.procedure == NOT_YET)
            unit_place_loop(unit, item);
        if (item->node.procedure != WF_NO_PROCEDURE && wf_tables_add_node(tables, &item->node) != 0)
            return -1;
    }
    return 0;
}

/* A row's outer side is its parent, a procedure or loop of the same unit. */
static int unit_hand_over_row(const struct table_unit *unit, struct wf_tables *tables, struct wf_table_row row,
                              uint32_t parent)
{
    const struct table_unit_node *outer = unit_find_node(unit, parent);
    if (!outer || outer->node.procedure == WF_NO_PROCEDURE)
        return 0;
    row.outer = outer->node.place;
    row.outer_loop = outer->node.loop;
    row.procedure = outer->node.procedure;
    return wf_tables_add_row(tables, &row);
}

/* Collects the procedures of a unit: a call means one of them before any of another unit. */
static int unit_collect_names(const struct table_unit *unit, struct wf_procedure_names *names)
{
    for (size_t i = 0; i < unit->ids.count; i++) {
        const struct wf_table_node *node = &unit->nodes[i].node;
        if (!node->loop && wf_procedure_names_add(names, node->name, node->procedure) != 0)
            return -1;
    }
    return 0;
}

static uint32_t unit_find_callee(const struct table_unit *unit, const struct wf_procedure_names *names,
                                 const struct table_unit_row *row)
{
    const struct table_unit_node *target = row->target == NO_ID ? NULL : unit_find_node(unit, row->target);
    if (target && !target->node.loop)
        return target->node.procedure;
    return wf_procedure_names_find(names, row->row.name);
}

static int unit_hand_over_loops(const struct table_unit *unit, struct wf_tables *tables)
{
    for (size_t i = 0; i < unit->ids.count; i++) {
        const struct wf_table_node *node = &unit->nodes[i].node;
        struct wf_table_row row = {
            .kind = WF_TABLE_LOOP, .inner = node->place, .name = node->name, .callee = WF_NO_PROCEDURE};
        if (node->loop && unit_hand_over_row(unit, tables, row, unit->nodes[i].parent) != 0)
            return -1;
    }
    return 0;
}

static int unit_hand_over_statements(const struct table_unit *unit, struct wf_tables *tables)
{
    struct wf_procedure_names names = {0};
    int result = unit_collect_names(unit, &names);
    for (size_t i = 0; i < unit->row_count && result == 0; i++) {
        struct wf_table_row row = unit->rows[i].row;
        if (row.kind == WF_TABLE_CALL)
            row.callee = unit_find_callee(unit, &names, &unit->rows[i]);
        result = unit_hand_over_row(unit, tables, row, unit->rows[i].parent);
    }
    wf_procedure_names_fini(&names);
    return result;
}

static int unit_read(struct wf_tables *tables, struct wf_intern *texts, struct wf_procedures *procedures, char *text)
{
    struct table_unit unit = {.texts = texts};
    int result = 0;
    for (char *line; result == 0 && (line = strsep(&text, "\n"));)
        result = unit_read_line(&unit, line, &tables->newer);
    if (result == 0)
        result = unit_name_procedures(&unit, procedures);
    if (result == 0)
        result = unit_hand_over_nodes(&unit, tables);
    if (result == 0)
        result = unit_hand_over_loops(&unit, tables);
    if (result == 0)
        result = unit_hand_over_statements(&unit, tables);
    unit_fini(&unit);
    return result;
}

int wf_tables_read(struct wf_tables *tables, struct wf_intern *texts, struct wf_procedures *procedures,
                   const char *bytes, size_t length)
{
    for (const char *end = bytes + length; bytes < end;) {
        size_t unit_length = strnlen(bytes, (size_t)(end - bytes));
        char *copy = unit_length ? strndup(bytes, unit_length) : NULL; /* between units there is padding */
        if (unit_length && !copy)
            return -1;
        int result = copy ? unit_read(tables, texts, procedures, copy) : 0;
        free(copy);
        if (result != 0)
            return -1;
        bytes += unit_length + 1;
    }
    return 0;
}
