/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/directive.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static size_t directive_word_length(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (isalnum((unsigned char)text[n]) || text[n] == '_'))
        n++;
    return n;
}

/* The next word at *at, with *at moved behind it; its length is 0 if something else comes first. */
static const char *directive_next_word(const char *text, size_t length, size_t *at, size_t *bytes)
{
    while (*at < length && (isspace((unsigned char)text[*at]) || text[*at] == '\\'))
        ++*at;
    const char *word = text + *at;
    *bytes = directive_word_length(word, length - *at);
    *at += *bytes;
    return word;
}

bool wf_directive_in_list(const char *list, const char *word, size_t bytes)
{
    for (const char *at = list; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' '))
        if (strcspn(at, " ") == bytes && !strncmp(at, word, bytes))
            return true;
    return false;
}

/* OpenMP and OpenACC: the words in front of the clauses. */
static enum wf_directive_kind directive_parallel_kind(const char *text, size_t length, size_t at)
{
    enum wf_directive_kind kind = WF_DIRECTIVE_UNBOUND;
    for (;;) {
        size_t bytes;
        const char *word = directive_next_word(text, length, &at, &bytes);
        if (bytes == 0 || (at < length && text[at] == '('))
            return kind;
        if (wf_directive_in_list("for simd do distribute taskloop loop tile unroll", word, bytes))
            return WF_DIRECTIVE_BOUND;
        if (wf_directive_in_list("section", word, bytes))
            kind = WF_DIRECTIVE_SECTION;
        else if (wf_directive_in_list(
                     "parallel single master masked critical task ordered teams taskgroup scope target kernels serial",
                     word, bytes))
            kind = WF_DIRECTIVE_BLOCK;
    }
}

enum wf_directive_kind wf_directive_pragma_kind(const char *text, size_t length)
{
    size_t at = 0, bytes;
    const char *word = directive_next_word(text, length, &at, &bytes);
    if (wf_directive_in_list("omp acc", word, bytes))
        return directive_parallel_kind(text, length, at);
    if (wf_directive_in_list(
            "message pack once weak STDC region endregion mark redefine_extname push_macro pop_macro warning error",
            word, bytes))
        return WF_DIRECTIVE_UNBOUND;
    if (wf_directive_in_list("GCC clang", word, bytes)) {
        word = directive_next_word(text, length, &at, &bytes);
        return wf_directive_in_list("ivdep unroll novector loop", word, bytes) ? WF_DIRECTIVE_BOUND
                                                                               : WF_DIRECTIVE_UNBOUND;
    }
    return WF_DIRECTIVE_BOUND; /* ivdep, unroll, vector and what other compilers know */
}

enum wf_directive_kind wf_directive_kind(const char *text, size_t length)
{
    size_t at = 1, bytes;
    const char *word = directive_next_word(text, length, &at, &bytes);
    if (wf_directive_in_list("if ifdef ifndef", word, bytes))
        return WF_DIRECTIVE_OPEN_IF;
    if (wf_directive_in_list("else elif elifdef elifndef", word, bytes))
        return WF_DIRECTIVE_MIDDLE;
    if (wf_directive_in_list("endif", word, bytes))
        return WF_DIRECTIVE_CLOSE_IF;
    return wf_directive_in_list("pragma", word, bytes) ? wf_directive_pragma_kind(text + at, length - at)
                                                       : WF_DIRECTIVE_UNBOUND;
}

/* ---- the loops and blocks that a pragma is for ---- */

/* The number in name(number), or `otherwise` if it is none; 0 without that clause. */
static unsigned directive_clause_number(const char *text, size_t length, const char *name, unsigned otherwise)
{
    for (size_t at = 0; at < length;) {
        size_t bytes = directive_word_length(text + at, length - at);
        bool found = bytes == strlen(name) && !strncmp(text + at, name, bytes);
        at += bytes ? bytes : 1;
        while (found && at < length && isspace((unsigned char)text[at]))
            at++;
        if (!found || at >= length || text[at] != '(')
            continue;
        at++;
        while (at < length && isspace((unsigned char)text[at]))
            at++;
        return isdigit((unsigned char)text[at]) ? (unsigned)strtoul(text + at, NULL, 10) : otherwise;
    }
    return 0;
}

unsigned wf_directive_inner_loops(const char *text, size_t length)
{
    size_t at = 0, bytes;
    bool all = false;
    while (at < length) {
        const char *word = directive_next_word(text, length, &at, &bytes);
        all |= wf_directive_in_list("simd target acc tile", word, bytes);
        at += !bytes;
    }
    if (all)
        return UINT_MAX;
    unsigned collapse = directive_clause_number(text, length, "collapse", UINT_MAX),
             ordered = directive_clause_number(text, length, "ordered", UINT_MAX);
    unsigned most = collapse > ordered ? collapse : ordered;
    return most == UINT_MAX ? most : most > 1 ? most - 1 : 0;
}

bool wf_directive_offloads(const char *text, size_t length)
{
    size_t at = 1, bytes;
    const char *word = directive_next_word(text, length, &at, &bytes);
    if (!wf_directive_in_list("pragma", word, bytes))
        return false;
    word = directive_next_word(text, length, &at, &bytes);
    if (wf_directive_in_list("acc", word, bytes))
        return true;
    word = wf_directive_in_list("omp", word, bytes) ? directive_next_word(text, length, &at, &bytes) : "";
    return bytes && wf_directive_in_list("target", word, bytes);
}

/* ---- includes ---- */

const char *wf_directive_included(const char *text, size_t length, size_t *bytes)
{
    size_t at = 1, word_bytes;
    const char *word = directive_next_word(text, length, &at, &word_bytes);
    if (!wf_directive_in_list("include", word, word_bytes))
        return NULL;
    const char *name = memchr(text + at, '"', length - at);
    const char *end = name ? memchr(name + 1, '"', (size_t)(text + length - name - 1)) : NULL;
    if (!end)
        return NULL;
    *bytes = (size_t)(end - name - 1);
    return name + 1;
}

/* ---- macros that expand to pragmas ---- */

enum { MAX_MACROS_DEEP = 8 };

static bool directive_names_pragma(const struct wf_source_unit *unit, const char *name, size_t bytes, int depth);

/* Whether the rest of a #define has _Pragma in it, or a macro that has. */
static bool directive_body_has_pragma(const struct wf_source_unit *unit, const char *text, size_t length, int depth)
{
    for (size_t at = 0; at < length;) {
        size_t bytes = directive_word_length(text + at, length - at);
        if (bytes && (wf_directive_in_list("_Pragma __pragma", text + at, bytes) ||
                      directive_names_pragma(unit, text + at, bytes, depth + 1)))
            return true;
        at += bytes ? bytes : 1;
    }
    return false;
}

static bool directive_defines_pragma(const struct wf_source_unit *unit, const char *directive, size_t length,
                                     const char *name, size_t bytes, int depth)
{
    size_t at = 1, found;
    const char *word = directive_next_word(directive, length, &at, &found);
    if (!wf_directive_in_list("define", word, found))
        return false;
    word = directive_next_word(directive, length, &at, &found);
    return found == bytes && !strncmp(word, name, bytes) &&
           directive_body_has_pragma(unit, directive + at, length - at, depth);
}

/* Whether a macro of this name, defined in one of the user's files, expands to a pragma. */
static bool directive_names_pragma(const struct wf_source_unit *unit, const char *name, size_t bytes, int depth)
{
    if (depth > MAX_MACROS_DEEP)
        return false;
    for (size_t s = 0; s < unit->source_count; s++) {
        const struct wf_source *source = &unit->sources[s];
        for (size_t i = 0; i < source->token_count; i++)
            if (source->tokens[i].kind == WF_TOKEN_DIRECTIVE &&
                directive_defines_pragma(unit, source->text + source->tokens[i].at, source->tokens[i].length, name,
                                         bytes, depth))
                return true;
    }
    return false;
}

bool wf_directive_macro_is_pragma(const struct wf_source_unit *unit, const char *name, size_t bytes)
{
    return directive_names_pragma(unit, name, bytes, 0);
}
