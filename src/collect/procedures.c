/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/procedures.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisection.h"
#include "base/order.h"

#define INSTRUMENTED (WF_NO_MODULE - 1) /* stands in the place of a module */

/* No padding: its bytes are the key. */
struct procedure_key {
    uint32_t module, name, file, line;
};

static_assert(sizeof(struct procedure_key) == 16, "keys are compared as bytes");

void wf_procedures_fini(struct wf_procedures *procedures)
{
    free(procedures->items);
    wf_intern_fini(&procedures->keys);
    *procedures = (struct wf_procedures){0};
}

size_t wf_procedures_count(const struct wf_procedures *procedures)
{
    return procedures->keys.count;
}

static int procedures_add(struct wf_procedures *procedures, const struct procedure_key *key,
                          const struct wf_procedure *procedure, uint32_t *number)
{
    if (key->name == WF_INTERN_NONE || key->file == WF_INTERN_NONE || procedure->file == WF_INTERN_NONE)
        return -1;
    struct wf_procedure item = *procedure;
    item.same_as = (uint32_t)procedures->keys.count;
    item.cycle = WF_NO_PROCEDURE;
    uint32_t added = WF_INTERN_ADD_ITEM(&procedures->keys, key, procedures->items, procedures->capacity, &item);
    if (added == WF_INTERN_NONE)
        return -1;
    *number = added;
    return 0;
}

int wf_procedures_add_located(struct wf_procedures *procedures, struct wf_intern *texts,
                              const struct wf_modules *modules, uint32_t module, const struct wf_location *location,
                              uint32_t *number)
{
    *number = WF_NO_PROCEDURE;
    if (!location->procedure)
        return 0;
    bool declared = location->procedure_file;
    uint32_t name = wf_intern_add_text(texts, location->procedure);
    uint32_t file = wf_intern_add_text(texts, declared ? location->procedure_file : wf_modules_path(modules, module));
    uint32_t full = wf_intern_add_text(texts, declared ? location->procedure_full_file : "");
    uint32_t line = declared && location->procedure_line > 0 ? (uint32_t)location->procedure_line : 0;
    return procedures_add(procedures, &(struct procedure_key){module, name, full, line},
                          &(struct wf_procedure){.name = name, .file = file, .line = line}, number);
}

int wf_procedures_add_instrumented(struct wf_procedures *procedures, uint32_t name, uint32_t file, uint32_t line,
                                   uint32_t *number)
{
    return procedures_add(procedures, &(struct procedure_key){INSTRUMENTED, name, file, line},
                          &(struct wf_procedure){.name = name, .file = file, .line = line, .instrumented = true},
                          number);
}

uint32_t wf_procedures_one(const struct wf_procedures *procedures, uint32_t number)
{
    return number == WF_NO_PROCEDURE ? number : procedures->items[number].same_as;
}

/* ---- names ---- */

static bool procedure_name_is_operator(const char *text)
{
    return strncmp(text, "operator", 8) == 0 && !isalnum((unsigned char)text[8]) && text[8] != '_';
}

static const char *procedure_name_behind_brackets(const char *text, char open, char close)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == open) - (*text == close);
        if (depth == 0)
            return text + 1;
    }
    return text;
}

uint32_t wf_procedures_bare_name(struct wf_intern *texts, const char *name)
{
    const char *start = name, *end = NULL, *c = name;
    while (*c) {
        if (c == start && procedure_name_is_operator(c)) {
            c += strlen(c);
        } else if (*c == '<') {
            end = end ? end : c;
            c = procedure_name_behind_brackets(c, '<', '>');
        } else if (c[0] == ':' && c[1] == ':') {
            start = c += 2;
            end = NULL;
        } else if (*c == '(' && c == start) { /* (anonymous namespace) */
            c = procedure_name_behind_brackets(c, '(', ')');
        } else if ((*c == '(' || *c == '.') && c > start) { /* arguments; or a clone that the compiler made: f.part.0 */
            break;
        } else {
            c++;
        }
    }
    end = end && end > start ? end : c;
    char *bare = strndup(start, (size_t)(end - start)); /* texts move, and the name may be one */
    uint32_t number = bare ? wf_intern_add_text(texts, bare) : WF_INTERN_NONE;
    free(bare);
    return number;
}

/* ---- which are the same ---- */

/* The instrumented procedures in two orders. */
struct procedure_index {
    uint32_t *by_name; /* bare name, file, line */
    uint32_t *by_place;
    size_t count;
};

static int procedure_compare_places(const struct wf_procedure *x, const struct wf_procedure *y)
{
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int procedure_compare_names(const struct wf_procedure *x, const struct wf_procedure *y)
{
    if (x->bare != y->bare)
        return x->bare < y->bare ? -1 : 1;
    return procedure_compare_places(x, y);
}

static int procedure_index_by_name(const void *a, const void *b, void *items)
{
    return procedure_compare_names((struct wf_procedure *)items + *(const uint32_t *)a,
                                   (struct wf_procedure *)items + *(const uint32_t *)b);
}

static int procedure_index_by_place(const void *a, const void *b, void *items)
{
    return procedure_compare_places((struct wf_procedure *)items + *(const uint32_t *)a,
                                    (struct wf_procedure *)items + *(const uint32_t *)b);
}

static int procedure_index_init(struct procedure_index *index, struct wf_procedures *procedures,
                                struct wf_intern *texts)
{
    size_t count = wf_procedures_count(procedures), bytes = (count + 1) * sizeof(uint32_t);
    *index = (struct procedure_index){.by_name = malloc(bytes), .by_place = malloc(bytes)};
    if (!index->by_name || !index->by_place)
        return -1;
    for (size_t i = 0; i < count; i++) {
        struct wf_procedure *procedure = &procedures->items[i];
        procedure->bare = wf_procedures_bare_name(texts, wf_intern_get(texts, procedure->name));
        if (procedure->bare == WF_INTERN_NONE)
            return -1;
        if (!procedure->instrumented)
            continue;
        index->by_name[index->count] = index->by_place[index->count] = (uint32_t)i;
        index->count++;
    }
    qsort_r(index->by_name, index->count, sizeof *index->by_name, procedure_index_by_name, procedures->items);
    qsort_r(index->by_place, index->count, sizeof *index->by_place, procedure_index_by_place, procedures->items);
    return 0;
}

static void procedure_index_fini(struct procedure_index *index)
{
    free(index->by_name);
    free(index->by_place);
}

/* The first of an order that does not come before the sought one. */
static size_t procedure_index_first(const struct wf_procedures *procedures, const uint32_t *order, size_t count,
                                    const struct wf_procedure *sought,
                                    int (*compare)(const struct wf_procedure *, const struct wf_procedure *))
{
    struct wf_bisection b = {.high = count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, compare(&procedures->items[order[b.middle]], sought) < 0);
    return b.low;
}

/* Finds it by name, file and line. Where tools count lines differently, by name and file, if only one matches. Where a
 * procedure has nothing but a symbol, by the name alone, if only one matches. */
static uint32_t procedure_index_find_by_name(const struct wf_procedures *procedures,
                                             const struct procedure_index *index, const struct wf_procedure *sought)
{
    bool declared = sought->line != 0;
    struct wf_procedure first = {.bare = sought->bare, .file = declared ? sought->file : 0};
    size_t matches = 0;
    uint32_t match = WF_NO_PROCEDURE;
    for (size_t i = procedure_index_first(procedures, index->by_name, index->count, &first, procedure_compare_names);
         i < index->count; i++) {
        const struct wf_procedure *there = &procedures->items[index->by_name[i]];
        if (there->bare != sought->bare || (declared && there->file != sought->file))
            break;
        if (declared && there->line == sought->line)
            return index->by_name[i];
        matches++;
        match = index->by_name[i];
    }
    return matches == 1 ? match : WF_NO_PROCEDURE;
}

/* A procedure without a name, or with one that each tool makes up (a lambda), is known by its place. */
static uint32_t procedure_index_find_by_place(const struct wf_procedures *procedures,
                                              const struct procedure_index *index, const struct wf_procedure *sought)
{
    size_t i = procedure_index_first(procedures, index->by_place, index->count, sought, procedure_compare_places);
    if (sought->line == 0 || i == index->count ||
        procedure_compare_places(&procedures->items[index->by_place[i]], sought) != 0)
        return WF_NO_PROCEDURE;
    bool several =
        i + 1 < index->count && procedure_compare_places(&procedures->items[index->by_place[i + 1]], sought) == 0;
    return several ? WF_NO_PROCEDURE : index->by_place[i];
}

struct procedure_order {
    const struct wf_procedure *items;
    const struct wf_intern *texts;
};

static int procedure_order_texts(const struct procedure_order *order, uint32_t x, uint32_t y)
{
    return x == y ? 0 : strcmp(wf_intern_get(order->texts, x), wf_intern_get(order->texts, y));
}

static int procedure_order_by_text(const void *a, const void *b, void *context)
{
    const struct procedure_order *order = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const struct wf_procedure *x = &order->items[i], *y = &order->items[j];
    int result = procedure_order_texts(order, x->file, y->file);
    if (result == 0)
        result = (x->line > y->line) - (x->line < y->line);
    if (result == 0)
        result = procedure_order_texts(order, x->name, y->name);
    return result ? result : (i > j) - (i < j);
}

/* So that two runs of one program number its procedures alike. */
static int procedures_sort(struct wf_procedures *procedures, const struct wf_intern *texts)
{
    size_t count = wf_procedures_count(procedures);
    uint32_t *numbers =
        wf_order_new(count, procedure_order_by_text, &(struct procedure_order){procedures->items, texts});
    if (!numbers)
        return -1;
    uint32_t place = 0;
    for (size_t i = 0; i < count; i++)
        if (procedures->items[numbers[i]].same_as == numbers[i])
            procedures->items[numbers[i]].place = place++;
    free(numbers);
    return 0;
}

int wf_procedures_unify(struct wf_procedures *procedures, struct wf_intern *texts)
{
    struct procedure_index index;
    int result = procedure_index_init(&index, procedures, texts);
    for (size_t i = 0; i < wf_procedures_count(procedures) && result == 0 && index.count; i++) {
        struct wf_procedure *procedure = &procedures->items[i];
        if (procedure->instrumented)
            continue;
        uint32_t same = procedure_index_find_by_name(procedures, &index, procedure);
        if (same == WF_NO_PROCEDURE)
            same = procedure_index_find_by_place(procedures, &index, procedure);
        procedure->same_as = same == WF_NO_PROCEDURE ? (uint32_t)i : same;
    }
    procedure_index_fini(&index);
    return result == 0 ? procedures_sort(procedures, texts) : -1;
}
