/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/program.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"

static int program_add_fact(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_program *program = context;
    program->facts = wf_memory_grow(program->facts, program->fact_count, sizeof *program->facts);
    program->facts[program->fact_count++] = (struct wf_fact){
        .key = wf_query_text(query, 0),
        .is_integer = wf_query_is_integer(query, 1),
        .integer = wf_query_integer(query, 1),
        .text = wf_query_text(query, 1),
    };
    return 0;
}

static int program_add_note(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_program *program = context;
    program->notes = wf_memory_grow(program->notes, program->note_count, sizeof *program->notes);
    program->notes[program->note_count++] = wf_query_text(query, 0);
    return 0;
}

int wf_program_read(struct wf_program *program, struct wf_profile *profile, struct wf_error *error)
{
    *program = (struct wf_program){0};
    int result = wf_query_each(profile, "SELECT key, value FROM run ORDER BY key", program_add_fact, program, error);
    if (result == 0)
        result = wf_query_each(profile, "SELECT sentence FROM weft_note ORDER BY id", program_add_note, program, error);
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

static const struct wf_fact *program_find_fact(const struct wf_program *program, const char *key)
{
    for (size_t i = 0; i < program->fact_count; i++)
        if (!strcmp(program->facts[i].key, key))
            return &program->facts[i];
    return NULL;
}

const char *wf_program_text(const struct wf_program *program, const char *key)
{
    const struct wf_fact *fact = program_find_fact(program, key);
    return fact ? fact->text : "";
}

int64_t wf_program_integer(const struct wf_program *program, const char *key)
{
    const struct wf_fact *fact = program_find_fact(program, key);
    return fact ? fact->integer : 0;
}
