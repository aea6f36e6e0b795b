/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of the static tables: strings one behind the other, each a unit; a record a line, its fields
 * separated by tabs. docs/static-tables.md describes it. A section may hold anything: what makes no sense is
 * passed over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/array.h"
#include "collect/tables.h"

#define VERSION 1u
#define MOST_FIELDS 8
#define NO_ID UINT32_MAX
#define NOT_YET (WF_NO_PROCEDURE - 1) /* in the place of a node's procedure */

/* A node as its unit names it. */
struct unit_node {
    struct wf_table_node node;
    uint32_t parent; /* id; of loops only */
};

struct unit_row {
    struct wf_table_row row;
    uint32_t parent; /* id */
    uint32_t target; /* id of the procedure called; NO_ID: the unit does not know it */
};

struct unit {
    struct wf_intern *texts;
    uint32_t file;
    bool readable;
    struct wf_intern ids; /* numbers as in nodes */
    struct unit_node *nodes;
    size_t node_capacity;
    struct unit_row *rows;
    size_t row_count, row_capacity;
};

static void unit_fini(struct unit *unit)
{
    wf_intern_fini(&unit->ids);
    free(unit->nodes);
    free(unit->rows);
}

/* ---- a line ---- */

struct fields {
    char *texts[MOST_FIELDS];
    int count;
};

/* "\t", "\n" and "\\" stand for what would have ended the field. */
static char *unescape(char *field)
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

static struct fields split(char *line)
{
    struct fields fields = {.count = 0};
    while (line && fields.count < MOST_FIELDS)
        fields.texts[fields.count++] = unescape(strsep(&line, "\t"));
    return fields;
}

static bool parse_number(const char *text, uint32_t *number)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    *number = (uint32_t)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && value < UINT32_MAX;
}

/* Where the record's file stands, an empty one being the unit's. */
static uint32_t file_of(const struct unit *unit, const struct fields *fields, int index)
{
    const char *file = index < fields->count ? fields->texts[index] : "";
    return file[0] ? wf_intern_add_text(unit->texts, file) : unit->file;
}

static int add_node(struct unit *unit, uint32_t id, uint32_t parent, const struct wf_table_node *node)
{
    size_t before = unit->ids.count;
    void *nodes = wf_array_reserve(unit->nodes, &unit->node_capacity, before + 1, sizeof *unit->nodes);
    if (!nodes)
        return -1;
    unit->nodes = nodes;
    if (node->place.file == WF_INTERN_NONE || node->name == WF_INTERN_NONE || node->status == WF_INTERN_NONE)
        return -1;
    uint32_t number = wf_intern_add(&unit->ids, &id, sizeof id);
    if (number == WF_INTERN_NONE)
        return -1;
    if (number == before)
        unit->nodes[number] = (struct unit_node){*node, parent};
    return 0;
}

static uint32_t status_of(const struct unit *unit, const struct fields *fields, int index)
{
    return wf_intern_add_text(unit->texts, index < fields->count ? fields->texts[index] : "");
}

/* p ID LINE NAME FILE STATUS */
static int read_procedure(struct unit *unit, const struct fields *fields)
{
    uint32_t id, line;
    if (fields->count < 4 || !parse_number(fields->texts[1], &id) || !parse_number(fields->texts[2], &line))
        return 0;
    struct wf_table_node node = {.place = {file_of(unit, fields, 4), line},
                                 .name = wf_intern_add_text(unit->texts, fields->texts[3]),
                                 .status = status_of(unit, fields, 5),
                                 .procedure = NOT_YET};
    return add_node(unit, id, 0, &node);
}

/* l ID PARENT LINE KIND FILE STATUS */
static int read_loop(struct unit *unit, const struct fields *fields)
{
    uint32_t id, parent, line;
    if (fields->count < 5 || !parse_number(fields->texts[1], &id) ||
        !parse_number(fields->texts[2], &parent) || !parse_number(fields->texts[3], &line))
        return 0;
    struct wf_table_node node = {.place = {file_of(unit, fields, 5), line},
                                 .name = wf_intern_add_text(unit->texts, fields->texts[4]),
                                 .status = status_of(unit, fields, 6),
                                 .procedure = NOT_YET,
                                 .loop = true};
    return add_node(unit, id, parent, &node);
}

/* m PARENT LINE MPI_FUNCTION FILE, and c PARENT LINE CALLEE FILE TARGET */
static int read_statement(struct unit *unit, const struct fields *fields, enum wf_table_kind kind)
{
    uint32_t parent, line, target;
    if (fields->count < 4 || !parse_number(fields->texts[1], &parent) ||
        !parse_number(fields->texts[2], &line))
        return 0;
    struct wf_table_row row = {.kind = kind,
                               .inner = {file_of(unit, fields, 4), line},
                               .name = wf_intern_add_text(unit->texts, fields->texts[3]),
                               .callee = WF_NO_PROCEDURE};
    void *rows = wf_array_reserve(unit->rows, &unit->row_capacity, unit->row_count + 1, sizeof *unit->rows);
    if (!rows)
        return -1;
    unit->rows = rows;
    if (row.inner.file == WF_INTERN_NONE || row.name == WF_INTERN_NONE)
        return -1;
    if (fields->count < 6 || !parse_number(fields->texts[5], &target))
        target = NO_ID;
    unit->rows[unit->row_count++] = (struct unit_row){row, parent, target};
    return 0;
}

/* unit VERSION FILE */
static int read_unit(struct unit *unit, const struct fields *fields, size_t *newer)
{
    uint32_t version;
    if (fields->count < 3 || !parse_number(fields->texts[1], &version))
        return 0;
    *newer += version > VERSION;
    unit->readable = version == VERSION;
    unit->file = wf_intern_add_text(unit->texts, fields->texts[2]);
    return unit->file == WF_INTERN_NONE ? -1 : 0;
}

static int read_line(struct unit *unit, char *line, size_t *newer)
{
    struct fields fields = split(line);
    if (strcmp(fields.texts[0], "unit") == 0)
        return read_unit(unit, &fields, newer);
    if (!unit->readable)
        return 0;
    if (strcmp(fields.texts[0], "p") == 0)
        return read_procedure(unit, &fields);
    if (strcmp(fields.texts[0], "l") == 0)
        return read_loop(unit, &fields);
    if (strcmp(fields.texts[0], "m") == 0)
        return read_statement(unit, &fields, WF_TABLE_COM);
    if (strcmp(fields.texts[0], "c") == 0)
        return read_statement(unit, &fields, WF_TABLE_CALL);
    return 0;
}

/* ---- a unit ---- */

static struct unit_node *find_node(const struct unit *unit, uint32_t id)
{
    uint32_t number = wf_intern_find(&unit->ids, &id, sizeof id);
    return number == WF_INTERN_NONE ? NULL : &unit->nodes[number];
}

static int name_procedures(struct unit *unit, struct wf_procedures *procedures)
{
    for (size_t i = 0; i < unit->ids.count; i++) {
        struct wf_table_node *node = &unit->nodes[i].node;
        if (!node->loop && wf_procedures_add_instrumented(procedures, node->name, node->place.file,
                                                          node->place.line, &node->procedure) != 0)
            return -1;
    }
    return 0;
}

/* The procedure around a loop, however deep it is. A loop that is around itself is in none. */
static void place_loop(struct unit *unit, struct unit_node *loop)
{
    size_t steps = 0;
    struct unit_node *outer = loop;
    while (outer && outer->node.procedure == NOT_YET && steps++ <= unit->ids.count)
        outer = find_node(unit, outer->parent);
    uint32_t procedure = outer && outer->node.procedure != NOT_YET ? outer->node.procedure : WF_NO_PROCEDURE;
    for (outer = loop; outer && outer->node.procedure == NOT_YET; outer = find_node(unit, outer->parent))
        outer->node.procedure = procedure;
}

static int hand_over_nodes(struct unit *unit, struct wf_tables *tables)
{
    for (size_t i = 0; i < unit->ids.count; i++) {
        struct unit_node *item = &unit->nodes[i];
        if (item->node.procedure == NOT_YET)
            place_loop(unit, item);
        if (item->node.procedure != WF_NO_PROCEDURE && wf_tables_add_node(tables, &item->node) != 0)
            return -1;
    }
    return 0;
}

/* A row's outer side is its parent, a procedure or loop of the same unit. */
static int hand_over_row(const struct unit *unit, struct wf_tables *tables, struct wf_table_row row,
                         uint32_t parent)
{
    const struct unit_node *outer = find_node(unit, parent);
    if (!outer || outer->node.procedure == WF_NO_PROCEDURE)
        return 0;
    row.outer = outer->node.place;
    row.outer_loop = outer->node.loop;
    row.procedure = outer->node.procedure;
    return wf_tables_add_row(tables, &row);
}

/* The procedures of a unit by their name: a call means them before any of another unit. */
struct locals {
    struct wf_intern names;
    uint32_t *procedures; /* WF_NO_PROCEDURE: several have this name */
};

static void locals_fini(struct locals *locals)
{
    free(locals->procedures);
    wf_intern_fini(&locals->names);
}

static int locals_init(struct locals *locals, const struct unit *unit)
{
    *locals = (struct locals){.procedures = malloc((unit->ids.count + 1) * sizeof *locals->procedures)};
    if (!locals->procedures)
        return -1;
    for (size_t i = 0; i < unit->ids.count; i++) {
        const struct wf_table_node *node = &unit->nodes[i].node;
        size_t before = locals->names.count;
        uint32_t number = node->loop ? 0 : wf_intern_add(&locals->names, &node->name, sizeof node->name);
        if (number == WF_INTERN_NONE)
            return -1;
        if (!node->loop) {
            bool only = number == before || locals->procedures[number] == node->procedure;
            locals->procedures[number] = only ? node->procedure : WF_NO_PROCEDURE;
        }
    }
    return 0;
}

static uint32_t find_callee(const struct unit *unit, const struct locals *locals, const struct unit_row *row)
{
    const struct unit_node *target = row->target == NO_ID ? NULL : find_node(unit, row->target);
    if (target && !target->node.loop)
        return target->node.procedure;
    uint32_t name = row->row.name;
    uint32_t number = wf_intern_find(&locals->names, &name, sizeof name);
    return number == WF_INTERN_NONE ? WF_NO_PROCEDURE : locals->procedures[number];
}

static int hand_over_loops(const struct unit *unit, struct wf_tables *tables)
{
    for (size_t i = 0; i < unit->ids.count; i++) {
        const struct wf_table_node *node = &unit->nodes[i].node;
        struct wf_table_row row = {
            .kind = WF_TABLE_LOOP, .inner = node->place, .name = node->name, .callee = WF_NO_PROCEDURE};
        if (node->loop && hand_over_row(unit, tables, row, unit->nodes[i].parent) != 0)
            return -1;
    }
    return 0;
}

static int hand_over_statements(const struct unit *unit, struct wf_tables *tables)
{
    struct locals locals;
    int result = locals_init(&locals, unit);
    for (size_t i = 0; i < unit->row_count && result == 0; i++) {
        struct wf_table_row row = unit->rows[i].row;
        if (row.kind == WF_TABLE_CALL)
            row.callee = find_callee(unit, &locals, &unit->rows[i]);
        result = hand_over_row(unit, tables, row, unit->rows[i].parent);
    }
    locals_fini(&locals);
    return result;
}

static int read_text(struct wf_tables *tables, struct wf_intern *texts, struct wf_procedures *procedures,
                     char *text)
{
    struct unit unit = {.texts = texts};
    int result = 0;
    for (char *line; result == 0 && (line = strsep(&text, "\n"));)
        result = read_line(&unit, line, &tables->newer);
    if (result == 0)
        result = name_procedures(&unit, procedures);
    if (result == 0)
        result = hand_over_nodes(&unit, tables);
    if (result == 0)
        result = hand_over_loops(&unit, tables);
    if (result == 0)
        result = hand_over_statements(&unit, tables);
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
        int result = copy ? read_text(tables, texts, procedures, copy) : 0;
        free(copy);
        if (result != 0)
            return -1;
        bytes += unit_length + 1;
    }
    return 0;
}
