/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/program.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"

static void add_fact(struct wf_program *program, struct wf_query *query)
{
    program->facts = wf_memory_grow(program->facts, program->fact_count, sizeof *program->facts);
    program->facts[program->fact_count++] = (struct wf_fact){
        .key = wf_query_text(query, 0),
        .is_integer = wf_query_is_integer(query, 1),
        .integer = wf_query_integer(query, 1),
        .text = wf_query_text(query, 1),
    };
}

static void add_note(struct wf_program *program, struct wf_query *query)
{
    program->notes = wf_memory_grow(program->notes, program->note_count, sizeof *program->notes);
    program->notes[program->note_count++] = wf_query_text(query, 0);
}

static const struct {
    const char *sql;
    void (*add)(struct wf_program *, struct wf_query *);
} questions[] = {
    {"SELECT key, value FROM run ORDER BY key", add_fact},
    {"SELECT sentence FROM weft_note ORDER BY id", add_note},
};

int wf_program_read(struct wf_program *program, struct wf_profile *profile, struct wf_error *error)
{
    int result = 0;
    *program = (struct wf_program){0};
    for (size_t i = 0; result == 0 && i < sizeof questions / sizeof *questions; i++) {
        struct wf_query query;
        result = wf_query_open(&query, profile, questions[i].sql, error);
        while (result == 0 && (result = wf_query_next(&query, error)) == 1) {
            questions[i].add(program, &query);
            result = 0;
        }
        wf_query_close(&query);
    }
    if (result)
        wf_program_free(program);
    return result;
}

void wf_program_free(struct wf_program *program)
{
    for (size_t i = 0; i < program->fact_count; i++) {
        free(program->facts[i].key);
        free(program->facts[i].text);
    }
    for (size_t i = 0; i < program->note_count; i++)
        free(program->notes[i]);
    free(program->facts);
    free(program->notes);
    *program = (struct wf_program){0};
}

static const struct wf_fact *find(const struct wf_program *program, const char *key)
{
    for (size_t i = 0; i < program->fact_count; i++)
        if (!strcmp(program->facts[i].key, key))
            return &program->facts[i];
    return NULL;
}

const char *wf_program_text(const struct wf_program *program, const char *key)
{
    const struct wf_fact *fact = find(program, key);
    return fact ? fact->text : "";
}

int64_t wf_program_integer(const struct wf_program *program, const char *key)
{
    const struct wf_fact *fact = find(program, key);
    return fact ? fact->integer : 0;
}
