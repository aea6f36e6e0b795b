/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/candidate.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/cursor.h"
#include "instrument/source_place.h"

/* ---- procedures ---- */

/* Whether the text has this word. */
static bool candidate_has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        bool before = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (!before && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

/* Judges by the words of the declaration, with macros expanded, and of the first declaration. */
static void candidate_judge_declaration(struct wf_parser *parser, CXCursor cursor, struct wf_source_region *region)
{
    static const struct {
        const char *word, *reason;
    } words[] = {
        {"constexpr", "constexpr"},  {"consteval", "consteval"},
        {"naked", "naked function"}, {"no_instrument_function", "no_instrument_function"},
        {"ifunc", "ifunc"},          {"gnu_inline", "inline without static"},
    };
    const CXCursor declarations[] = {cursor, wf_clang.getCanonicalCursor(cursor)}; /* which may have the attributes */
    for (size_t d = 0; d < sizeof declarations / sizeof *declarations; d++) {
        char *text = wf_clang_text(wf_clang.getCursorPrettyPrinted(declarations[d], parser->policy));
        text[strcspn(text, "{")] = '\0';
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (candidate_has_word(text, words[i].word))
                wf_source_region_skip(region, words[i].reason);
        free(text);
    }
    /* In C such a function has an external definition elsewhere, and must not have a static variable. */
    if (!parser->unit->cplusplus && wf_clang.Cursor_isFunctionInlined(cursor) &&
        wf_clang.Cursor_getStorageClass(cursor) != CX_SC_Static)
        wf_source_region_skip(region, "inline without static");
}

/* Functions that run while a process starts, or while a probe looks for weft's library. */
static void candidate_judge_name(struct wf_source_region *region)
{
    static const char *const names[] = {"malloc",
                                        "calloc",
                                        "realloc",
                                        "free",
                                        "memalign",
                                        "posix_memalign",
                                        "aligned_alloc",
                                        "valloc",
                                        "pvalloc",
                                        "cfree",
                                        "dlsym",
                                        "dlopen",
                                        "operator new",
                                        "operator new[]",
                                        "operator delete",
                                        "operator delete[]",
                                        "pthread_getspecific",
                                        "pthread_setspecific",
                                        "_start",
                                        "__tls_get_addr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(region->name, names[i]))
            wf_source_region_skip(region, "weft itself needs it");
}

static void candidate_judge_coroutine(const struct wf_source *source, struct wf_source_region *region)
{
    size_t i = wf_token_find(source->tokens, source->token_count, region->begin);
    for (; i < source->token_count && source->tokens[i].at < region->end; i++) {
        const struct wf_token *token = &source->tokens[i];
        if (token->kind == WF_TOKEN_WORD &&
            (wf_token_is(source->text, token, "co_await") || wf_token_is(source->text, token, "co_yield") ||
             wf_token_is(source->text, token, "co_return")))
            wf_source_region_skip(region, "coroutine");
    }
}

/* Judges by the words before the lambda's body. */
static void candidate_judge_lambda(const struct wf_source *source, size_t begin, struct wf_source_region *region)
{
    size_t i = wf_token_find(source->tokens, source->token_count, begin);
    for (; i < source->token_count && source->tokens[i].at < region->begin; i++)
        if (wf_token_is(source->text, &source->tokens[i], "constexpr") ||
            wf_token_is(source->text, &source->tokens[i], "consteval"))
            wf_source_region_skip(region, "constexpr");
}

void wf_candidate_judge_procedure(struct wf_parser *parser, CXCursor cursor, struct wf_source_region *region)
{
    const struct wf_source *source = &parser->unit->sources[region->source];
    struct wf_source_place begin = wf_source_place_begin(parser, cursor);
    if (!strchr("{<", source->text[region->begin]) || begin.source != (int)region->source)
        wf_source_region_skip(region, "made by a macro");
    candidate_judge_name(region);
    candidate_judge_coroutine(source, region);
    if (wf_clang.getCursorKind(cursor) == CXCursor_LambdaExpr)
        candidate_judge_lambda(source, begin.at, region);
    else
        candidate_judge_declaration(parser, cursor, region);
}

/* ---- loops ---- */

/* The places of the two semicolons in for (a; b; c). */
static bool candidate_find_semicolons(const struct wf_source *source, size_t at, size_t found[2])
{
    size_t i = wf_token_find(source->tokens, source->token_count, at) + 1, count = 0;
    int depth = 0;
    for (; i < source->token_count && count < 2; i++) {
        char c = source->tokens[i].kind == WF_TOKEN_SIGN ? source->text[source->tokens[i].at] : 0;
        depth += (c == '(' || c == '{' || c == '[') - (c == ')' || c == '}' || c == ']');
        if (depth <= 0)
            return false;
        if (c == ';' && depth == 1)
            found[count++] = source->tokens[i].at;
    }
    return count == 2;
}

/* The number that a part of the loop's head sets or compares with. */
static bool candidate_loop_bound(CXCursor part, long long *value)
{
    enum CXCursorKind kind = wf_clang.getCursorKind(part);
    struct wf_children children = wf_cursor_children(part);
    if (kind == CXCursor_DeclStmt && children.count == 1)
        return wf_cursor_evaluate(children.items[0], value);
    return kind == CXCursor_BinaryOperator && children.count == 2 &&
           (wf_cursor_evaluate(children.items[1], value) || wf_cursor_evaluate(children.items[0], value));
}

enum { TINY_ROUNDS = 16 };

/* for (k = 0; k < 3; k++): a loop that the compiler is likely to unroll. */
static bool candidate_is_tiny(struct wf_parser *parser, CXCursor loop, const struct wf_source_region *region)
{
    const struct wf_source *source = &parser->unit->sources[region->source];
    size_t semicolons[2];
    long long from, to;
    bool has_from = false, has_to = false;
    if (wf_clang.getCursorKind(loop) != CXCursor_ForStmt || strncmp(source->text + region->begin, "for", 3) != 0 ||
        !candidate_find_semicolons(source, region->begin, semicolons))
        return false;
    struct wf_children children = wf_cursor_children(loop);
    for (size_t i = 0; i < children.count && i < sizeof children.items / sizeof *children.items; i++) {
        size_t at = wf_source_place_begin(parser, children.items[i]).at;
        if (at < semicolons[0])
            has_from = candidate_loop_bound(children.items[i], &from);
        else if (at < semicolons[1])
            has_to = candidate_loop_bound(children.items[i], &to);
    }
    return has_from && has_to && llabs(to - from) <= TINY_ROUNDS;
}

void wf_candidate_judge_loop(struct wf_parser *parser, CXCursor cursor, struct wf_source_region *region)
{
    size_t length = strlen(region->name);
    const char *text = parser->unit->sources[region->source].text + region->begin;
    if (strncmp(text, region->name, length) != 0 || isalnum((unsigned char)text[length]) || text[length] == '_' ||
        wf_source_place_end(parser, cursor).source != (int)region->source)
        wf_source_region_skip(region, "made by a macro");
    region->tiny = candidate_is_tiny(parser, cursor, region);
}

/* ---- calls ---- */

const char *wf_candidate_disturbed_by(const char *callee)
{
    static const char *const twice[] = {"setjmp",  "_setjmp", "__setjmp",   "sigsetjmp",       "__sigsetjmp",
                                        "savectx", "vfork",   "getcontext", "__builtin_setjmp"};
    static const char *const frame[] = {"__builtin_return_address",  "__builtin_frame_address", "__builtin_va_arg_pack",
                                        "__builtin_va_arg_pack_len", "__builtin_apply_args",    "__builtin_apply",
                                        "__builtin_return",          "__builtin_unwind_init",   "__builtin_eh_return",
                                        "__builtin_dwarf_cfa"};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (!strcmp(callee, twice[i]))
            return "calls a function that returns twice";
    for (size_t i = 0; i < sizeof frame / sizeof *frame; i++)
        if (!strcmp(callee, frame[i]))
            return "looks at its own frame";
    return NULL;
}
