/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/verify.h"

#include <ctype.h>
#include <string.h>

/* ---- by the text alone ---- */

static bool verify_defines(const char *directive, size_t length, const char *name, size_t bytes, const char **body)
{
    size_t at = 1;
    while (at < length && isspace((unsigned char)directive[at]))
        at++;
    if (length - at < 6 || strncmp(directive + at, "define", 6) != 0)
        return false;
    at += 6;
    while (at < length && isspace((unsigned char)directive[at]))
        at++;
    *body = directive + at + bytes;
    return length - at >= bytes && !strncmp(directive + at, name, bytes) &&
           (length - at == bytes || !(isalnum((unsigned char)**body) || **body == '_'));
}

/* Whether the name is a macro of the user's with more than an expression in it. */
static bool verify_hides_statements(const struct wf_source_unit *unit, const char *name, size_t bytes)
{
    for (size_t s = 0; s < unit->source_count; s++) {
        const struct wf_source *source = &unit->sources[s];
        for (size_t i = 0; i < source->token_count; i++) {
            const struct wf_token *token = &source->tokens[i];
            const char *text = source->text + token->at, *body;
            if (token->kind == WF_TOKEN_DIRECTIVE && verify_defines(text, token->length, name, bytes, &body) &&
                memchr(body, ';', (size_t)(text + token->length - body)))
                return true;
        }
    }
    return false;
}

static char verify_sign(const struct wf_source *source, size_t token)
{
    return token < source->token_count && source->tokens[token].kind == WF_TOKEN_SIGN
               ? source->text[source->tokens[token].at]
               : 0;
}

/* The end of the block or simple statement that begins with this token; 0 if the text does not show it. */
static size_t verify_end_of_statement(const struct wf_source_unit *unit, const struct wf_source *source, size_t token)
{
    bool block = verify_sign(source, token) == '{';
    int depth = 0;
    for (; token < source->token_count; token++) {
        const struct wf_token *t = &source->tokens[token];
        char c = verify_sign(source, token);
        if (t->kind == WF_TOKEN_DIRECTIVE && !block)
            return 0;
        if (t->kind == WF_TOKEN_WORD && !block && verify_hides_statements(unit, source->text + t->at, t->length))
            return 0;
        depth += (c == '{' || c == '(' || c == '[') - (c == '}' || c == ')' || c == ']');
        if (depth == 0 && c == (block ? '}' : ';'))
            return t->at + 1;
    }
    return 0;
}

static bool verify_loop_is_plain(const struct wf_source_unit *unit, const struct wf_source_region *loop)
{
    const struct wf_source *source = &unit->sources[loop->source];
    size_t token = wf_token_find(source->tokens, source->token_count, loop->tail);
    size_t end = token < source->token_count && source->tokens[token].at == loop->tail
                     ? verify_end_of_statement(unit, source, token)
                     : 0;
    size_t expected = loop->semicolon ? wf_lexer_skip_space(source->text, source->length, loop->end) + 1 : loop->end;
    return end && end == expected;
}

bool wf_verify_text(const struct wf_source_unit *unit)
{
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_LOOP && unit->regions[i].probe == WF_PROBE_ON &&
            !verify_loop_is_plain(unit, &unit->regions[i]))
            return false;
    return true;
}

/* ---- by parsing again ---- */

static const char reason[] = "its tree would change";

static bool verify_same_region(const struct wf_source_region *a, const struct wf_source_region *b)
{
    return a->kind == b->kind && a->parent == b->parent && a->source == b->source && a->begin == b->begin &&
           a->line == b->line && a->begin_line == b->begin_line && !strcmp(a->name, b->name) &&
           !strcmp(a->file, b->file) && (a->kind == WF_LOOP || (a->end == b->end && a->hash == b->hash));
}

static bool verify_same_call(const struct wf_source_call *a, const struct wf_source_call *b)
{
    return a->kind == b->kind && a->parent == b->parent && a->line == b->line && !strcmp(a->callee, b->callee) &&
           !strcmp(a->file, b->file);
}

static void verify_skip_procedure(struct wf_source_unit *unit, int procedure)
{
    wf_source_region_skip(&unit->regions[procedure], reason);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].procedure == procedure)
            wf_source_region_skip(&unit->regions[i], reason);
}

/* The number of regions differs: skips the first procedure that differs. */
static int verify_skip_first(struct wf_source_unit *original, const struct wf_source_unit *again)
{
    for (size_t i = 0; i < original->region_count; i++) {
        if (i < again->region_count && verify_same_region(&original->regions[i], &again->regions[i]))
            continue;
        int procedure = original->regions[i].procedure;
        if (original->regions[procedure].probe == WF_PROBE_SKIPPED)
            return -1;
        verify_skip_procedure(original, procedure);
        return 1;
    }
    return -1;
}

int wf_verify_compare(struct wf_source_unit *original, const struct wf_source_unit *again)
{
    int result = 0;
    if (original->region_count != again->region_count)
        return verify_skip_first(original, again);
    for (size_t i = 0; i < original->region_count; i++) {
        if (verify_same_region(&original->regions[i], &again->regions[i]))
            continue;
        int procedure = original->regions[i].procedure;
        if (result == 0 && original->regions[procedure].probe == WF_PROBE_SKIPPED)
            return -1;
        verify_skip_procedure(original, procedure);
        result = 1;
    }
    if (result == 0 && original->call_count != again->call_count)
        return -1;
    for (size_t i = 0; result == 0 && i < original->call_count; i++)
        if (!verify_same_call(&original->calls[i], &again->calls[i]))
            return -1;
    return result;
}
