/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/static_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/word.h"

static struct wf_static_place static_place_parse(struct wf_query *query, int column)
{
    char *text = wf_query_text(query, column);
    struct wf_word word = wf_word_parse(text);
    free(text);
    return (struct wf_static_place){word.file, word.line};
}

static bool static_row_parse_kind(const char *kind, struct wf_static_row *row)
{
    static const struct {
        const char *name;
        bool in_loop;
        enum wf_node_kind kind;
    } kinds[] = {{"pl", false, WF_NODE_LOOP}, {"pcom", false, WF_NODE_COMMUNICATION}, {"pc", false, WF_NODE_CALL},
                 {"ll", true, WF_NODE_LOOP},  {"lcom", true, WF_NODE_COMMUNICATION},  {"lc", true, WF_NODE_CALL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, kind) != 0)
            continue;
        row->in_loop = kinds[i].in_loop;
        row->kind = kinds[i].kind;
        return true;
    }
    return false;
}

static int static_rows_add(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_static_rows *rows = context;
    struct wf_static_row row = {0};
    char *kind = wf_query_text(query, 0);
    if (static_row_parse_kind(kind, &row)) {
        row.outer = static_place_parse(query, 1);
        row.inner = static_place_parse(query, 2);
        row.callee = static_place_parse(query, 3);
        row.name = wf_query_text(query, 4);
        rows->items = wf_memory_grow(rows->items, rows->count, sizeof *rows->items);
        rows->items[rows->count++] = row;
    }
    free(kind);
    return 0;
}

int wf_static_rows_read(struct wf_static_rows *rows, struct wf_profile *profile, struct wf_error *error)
{
    return wf_query_each(profile, "SELECT kind, outer, inner, callee, name FROM weft_static", static_rows_add, rows,
                         error);
}

void wf_static_rows_free(struct wf_static_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->items[i].outer.file);
        free(rows->items[i].inner.file);
        free(rows->items[i].callee.file);
        free(rows->items[i].name);
    }
    free(rows->items);
}
