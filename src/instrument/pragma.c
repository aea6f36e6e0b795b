/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/pragma.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/buffer.h"

enum kind {
    OPEN_IF,      /* #if, #ifdef, #ifndef */
    MIDDLE,       /* #else, #elif */
    CLOSE_IF,     /* #endif */
    BOUND,        /* a pragma for the next loop */
    BLOCK,        /* a pragma for the next statement, whatever it is */
    SECTION,      /* the same, and it has to stand directly in its own block */
    CODE,         /* an #include with code in it */
    CODE_BOUND,   /* the same, and a pragma at its end */
    UNBOUND,      /* any other directive */
};

/* One directive or _Pragma between the token in front of the loop and the loop. */
struct item {
    enum kind kind;
    size_t at;
    const char *text; /* the pragma's own words */
    size_t length;
};

/* ---- what a pragma says ---- */

static size_t word_length(const char *text, size_t length)
{
    size_t n = 0;
    while (n < length && (isalnum((unsigned char)text[n]) || text[n] == '_'))
        n++;
    return n;
}

/* The next word at *at, with *at moved behind it; its length is 0 if something else comes first. */
static const char *next_word(const char *text, size_t length, size_t *at, size_t *bytes)
{
    while (*at < length && (isspace((unsigned char)text[*at]) || text[*at] == '\\'))
        ++*at;
    const char *word = text + *at;
    *bytes = word_length(word, length - *at);
    *at += *bytes;
    return word;
}

static bool in_list(const char *list, const char *word, size_t bytes)
{
    for (const char *at = list; *at; at += strcspn(at, " ") + (at[strcspn(at, " ")] == ' '))
        if (strcspn(at, " ") == bytes && !strncmp(at, word, bytes))
            return true;
    return false;
}

/* OpenMP and OpenACC: the words in front of the clauses. */
static enum kind parallel_pragma(const char *text, size_t length, size_t at)
{
    enum kind kind = UNBOUND;
    for (;;) {
        size_t bytes;
        const char *word = next_word(text, length, &at, &bytes);
        if (bytes == 0 || (at < length && text[at] == '('))
            return kind;
        if (in_list("for simd do distribute taskloop loop tile unroll", word, bytes))
            return BOUND;
        if (in_list("section", word, bytes))
            kind = SECTION;
        else if (in_list("parallel single master masked critical task ordered teams taskgroup scope target kernels serial", word, bytes))
            kind = BLOCK;
    }
}

static enum kind pragma_kind(const char *text, size_t length)
{
    size_t at = 0, bytes;
    const char *word = next_word(text, length, &at, &bytes);
    if (in_list("omp acc", word, bytes))
        return parallel_pragma(text, length, at);
    if (in_list("message pack once weak STDC region endregion mark redefine_extname push_macro pop_macro warning error", word, bytes))
        return UNBOUND;
    if (in_list("GCC clang", word, bytes)) {
        word = next_word(text, length, &at, &bytes);
        return in_list("ivdep unroll novector loop", word, bytes) ? BOUND : UNBOUND;
    }
    return BOUND; /* ivdep, unroll, vector and what other compilers know */
}

static enum kind directive_kind(const char *text, size_t length)
{
    size_t at = 1, bytes;
    const char *word = next_word(text, length, &at, &bytes);
    if (in_list("if ifdef ifndef", word, bytes))
        return OPEN_IF;
    if (in_list("else elif elifdef elifndef", word, bytes))
        return MIDDLE;
    if (in_list("endif", word, bytes))
        return CLOSE_IF;
    return in_list("pragma", word, bytes) ? pragma_kind(text + at, length - at) : UNBOUND;
}

/* ---- what stands in front of the loop ---- */

struct front {
    const struct wf_unit *unit;
    const struct wf_source *source;
    struct item *items; /* from the loop upwards */
    size_t count;
    size_t token; /* index of the token in front of them all, plus one; 0 if there is none */
};

static void add_item(struct front *front, struct item item)
{
    front->items = wf_buffer_grow(front->items, front->count, sizeof *front->items);
    front->items[front->count++] = item;
}

static bool is_sign(const struct wf_source *source, size_t token, char sign)
{
    return source->tokens[token].kind == WF_TOKEN_SIGN && source->text[source->tokens[token].at] == sign;
}

/* _Pragma ( "..." ) that ends with token i. */
static bool is_pragma_operator(const struct wf_source *source, size_t i)
{
    return i >= 3 && is_sign(source, i, ')') && source->tokens[i - 1].kind == WF_TOKEN_STRING && is_sign(source, i - 2, '(') &&
           wf_token_is(source->text, &source->tokens[i - 3], "_Pragma");
}

/* The user's file that the directive includes, or NULL. */
static const struct wf_source *included(const struct wf_unit *unit, const char *text, size_t length)
{
    size_t at = 1, bytes;
    const char *word = next_word(text, length, &at, &bytes);
    if (!in_list("include", word, bytes))
        return NULL;
    const char *name = memchr(text + at, '"', length - at);
    const char *end = name ? memchr(name + 1, '"', (size_t)(text + length - name - 1)) : NULL;
    for (size_t i = 1; end && i < unit->source_count; i++) {
        const char *path = unit->sources[i].name;
        size_t path_bytes = strlen(path), name_bytes = (size_t)(end - name - 1);
        if (path_bytes >= name_bytes && !strncmp(path + path_bytes - name_bytes, name + 1, name_bytes) &&
            (path_bytes == name_bytes || path[path_bytes - name_bytes - 1] == '/'))
            return &unit->sources[i];
    }
    return NULL;
}

/* Some programs keep their pragmas in files of their own. */
static struct item included_item(const struct wf_source *file, size_t at)
{
    struct item item = {UNBOUND, at, file->text, file->length};
    for (size_t i = 0; i < file->token_count; i++) {
        const struct wf_token *token = &file->tokens[i];
        enum kind kind = token->kind == WF_TOKEN_DIRECTIVE ? directive_kind(file->text + token->at, token->length) : CODE;
        if (kind == CODE)
            item.kind = CODE;
        else if (kind == BOUND || kind == BLOCK)
            item.kind = item.kind == CODE || item.kind == CODE_BOUND ? CODE_BOUND : BOUND;
    }
    return item;
}

static struct item directive_item(const struct front *front, const struct wf_token *token)
{
    const char *text = front->source->text + token->at;
    const struct wf_source *file = included(front->unit, text, token->length);
    return file ? included_item(file, token->at) : (struct item){directive_kind(text, token->length), token->at, text, token->length};
}

static void look_up(struct front *front, size_t loop_token)
{
    const struct wf_source *source = front->source;
    size_t i = loop_token;
    while (i > 0) {
        const struct wf_token *token = &source->tokens[i - 1];
        if (token->kind == WF_TOKEN_DIRECTIVE) {
            add_item(front, directive_item(front, token));
            i--;
        } else if (is_pragma_operator(source, i - 1)) {
            const struct wf_token *string = &source->tokens[i - 2];
            size_t begin = source->tokens[i - 4].at;
            size_t quote = string->at + strcspn(source->text + string->at, "\"") + 1;
            size_t length = string->at + string->length - quote;
            add_item(front, (struct item){pragma_kind(source->text + quote, length), begin, source->text + quote, length});
            i -= 4;
        } else {
            break;
        }
    }
    front->token = i;
}

/* ---- macros that may hide a pragma ---- */

enum { MAX_MACROS_DEEP = 8 };

static bool names_pragma(const struct wf_unit *unit, const char *name, size_t bytes, int depth);

/* Whether the rest of a #define has _Pragma in it, or a macro that has. */
static bool body_has_pragma(const struct wf_unit *unit, const char *text, size_t length, int depth)
{
    for (size_t at = 0; at < length;) {
        size_t bytes = word_length(text + at, length - at);
        if (bytes && (in_list("_Pragma __pragma", text + at, bytes) || names_pragma(unit, text + at, bytes, depth + 1)))
            return true;
        at += bytes ? bytes : 1;
    }
    return false;
}

static bool defines_pragma(const struct wf_unit *unit, const char *directive, size_t length, const char *name, size_t bytes, int depth)
{
    size_t at = 1, found;
    const char *word = next_word(directive, length, &at, &found);
    if (!in_list("define", word, found))
        return false;
    word = next_word(directive, length, &at, &found);
    return found == bytes && !strncmp(word, name, bytes) && body_has_pragma(unit, directive + at, length - at, depth);
}

/* Whether a macro of this name, defined in one of the user's files, expands to a pragma. */
static bool names_pragma(const struct wf_unit *unit, const char *name, size_t bytes, int depth)
{
    if (depth > MAX_MACROS_DEEP)
        return false;
    for (size_t s = 0; s < unit->source_count; s++) {
        const struct wf_source *source = &unit->sources[s];
        for (size_t i = 0; i < source->token_count; i++)
            if (source->tokens[i].kind == WF_TOKEN_DIRECTIVE &&
                defines_pragma(unit, source->text + source->tokens[i].at, source->tokens[i].length, name, bytes, depth))
                return true;
    }
    return false;
}

/* The word that is, or whose parentheses end with, the token in front. */
static const struct wf_token *macro_in_front(const struct wf_source *source, size_t token)
{
    size_t i = token;
    int depth = 0;
    if (source->tokens[i].kind == WF_TOKEN_WORD)
        return &source->tokens[i];
    if (!is_sign(source, i, ')'))
        return NULL;
    for (;; i--) {
        depth += is_sign(source, i, ')') - is_sign(source, i, '(');
        if (depth == 0 || i == 0)
            break;
    }
    return i > 0 && source->tokens[i - 1].kind == WF_TOKEN_WORD ? &source->tokens[i - 1] : NULL;
}

static bool is_known_word(const char *text, const struct wf_token *token)
{
    return in_list("else do if while for switch", text + token->at, token->length);
}

/* ---- where to open ---- */

/* How many items from `from` upwards make a whole #if ... #endif; 0 if code stands between. */
static size_t group_length(const struct front *front, size_t from)
{
    int depth = 0;
    for (size_t i = from; i < front->count; i++) {
        depth += (front->items[i].kind == CLOSE_IF) - (front->items[i].kind == OPEN_IF);
        if (depth == 0)
            return i - from + 1;
    }
    return 0;
}

static bool has_kind(const struct front *front, size_t from, size_t count, enum kind kind)
{
    for (size_t i = from; i < from + count && i < front->count; i++)
        if (front->items[i].kind == kind)
            return true;
    return false;
}

/* The loop is in a branch of an #if: whether a pragma stands above that #if, for whichever branch is compiled. */
static bool pragma_above_condition(const struct front *front, size_t directive_at)
{
    const struct wf_source *source = front->source;
    size_t i = wf_token_find(source->tokens, source->token_count, directive_at);
    int depth = 0;
    for (;; i--) { /* up to the #if of this branch */
        const struct wf_token *token = &source->tokens[i];
        enum kind kind = token->kind == WF_TOKEN_DIRECTIVE ? directive_kind(source->text + token->at, token->length) : UNBOUND;
        depth += token->kind == WF_TOKEN_DIRECTIVE && token->at != directive_at ? kind == CLOSE_IF : 0;
        if (token->kind == WF_TOKEN_DIRECTIVE && kind == OPEN_IF && depth-- == 0)
            break;
        if (i == 0)
            return false;
    }
    struct front above = {.unit = front->unit, .source = source};
    look_up(&above, i);
    bool found = has_kind(&above, 0, above.count, BOUND) || has_kind(&above, 0, above.count, SECTION) || has_kind(&above, 0, above.count, BLOCK);
    free(above.items);
    return found;
}

/* Walks upwards from the loop as long as what it finds belongs to the loop. */
static struct wf_opening walk_up(const struct front *front, size_t loop)
{
    struct wf_opening opening = {.at = loop};
    for (size_t i = 0; i < front->count;) {
        const struct item *item = &front->items[i];
        size_t group;
        switch (item->kind) {
        case BOUND:
            opening.at = item->at;
            i++;
            break;
        case BLOCK:
        case SECTION:
        case CODE:
            return opening;
        case CODE_BOUND:
            opening.why = "a pragma stands in a file that is included above it";
            return opening;
        case UNBOUND:
            if (!has_kind(front, i, front->count, BOUND))
                return opening;
            i++;
            break;
        case OPEN_IF:
        case MIDDLE:
            if (pragma_above_condition(front, item->at))
                opening.why = "a pragma stands above the #if that it is in";
            return opening;
        case CLOSE_IF:
            group = group_length(front, i);
            if (!group) {
                if (has_kind(front, i, front->count, BOUND) || has_kind(front, i, front->count, BLOCK))
                    opening.why = "a pragma stands in an #if above it";
                return opening;
            }
            if (has_kind(front, i, group, SECTION))
                opening.why = "a pragma stands in an #if above it";
            else if (has_kind(front, i, group, BOUND))
                opening.at = front->items[i + group - 1].at;
            else if (has_kind(front, i, group, BLOCK))
                return opening;
            if (opening.why)
                return opening;
            i += group;
            break;
        }
    }
    return opening;
}

/* ---- loops that belong to the pragma of the loop around them ---- */

/* The number in name(number), or `otherwise` if it is none; 0 without that clause. */
static unsigned clause_number(const char *text, size_t length, const char *name, unsigned otherwise)
{
    for (size_t at = 0; at < length;) {
        size_t bytes = word_length(text + at, length - at);
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

static unsigned inner_loops(const char *text, size_t length)
{
    size_t at = 0, bytes;
    bool all = false;
    while (at < length) {
        const char *word = next_word(text, length, &at, &bytes);
        all |= in_list("simd target acc tile", word, bytes);
        at += !bytes;
    }
    if (all)
        return UINT_MAX;
    unsigned collapse = clause_number(text, length, "collapse", UINT_MAX), ordered = clause_number(text, length, "ordered", UINT_MAX);
    unsigned most = collapse > ordered ? collapse : ordered;
    return most == UINT_MAX ? most : most > 1 ? most - 1 : 0;
}

struct wf_opening wf_pragma_opening(const struct wf_unit *unit, const struct wf_source *source, size_t loop)
{
    struct front front = {.unit = unit, .source = source};
    look_up(&front, wf_token_find(source->tokens, source->token_count, loop));
    struct wf_opening opening = walk_up(&front, loop);
    for (size_t i = 0; i < front.count; i++) {
        unsigned inner = front.items[i].kind == BOUND ? inner_loops(front.items[i].text, front.items[i].length) : 0;
        opening.inner = inner > opening.inner ? inner : opening.inner;
    }
    if (front.token > 0 && front.count == 0) {
        size_t last = front.token - 1;
        const struct wf_token *macro = macro_in_front(source, last);
        if (is_sign(source, last, ']'))
            opening.why = "statement with attributes";
        else if (macro && !is_known_word(source->text, macro) && names_pragma(unit, source->text + macro->at, macro->length, 0))
            opening.why = "a macro with a pragma stands in front of it";
    }
    free(front.items);
    return opening;
}

/* ---- offloading ---- */

static bool offloads(const char *text, size_t length)
{
    size_t at = 1, bytes;
    const char *word = next_word(text, length, &at, &bytes);
    if (!in_list("pragma", word, bytes))
        return false;
    word = next_word(text, length, &at, &bytes);
    if (in_list("acc", word, bytes))
        return true;
    word = in_list("omp", word, bytes) ? next_word(text, length, &at, &bytes) : "";
    return bytes && in_list("target", word, bytes);
}

bool wf_pragma_is_offloaded(const struct wf_source *source, size_t begin, size_t at)
{
    for (size_t i = wf_token_find(source->tokens, source->token_count, begin); i < source->token_count && source->tokens[i].at < at; i++) {
        const struct wf_token *token = &source->tokens[i];
        if (token->kind != WF_TOKEN_DIRECTIVE || !offloads(source->text + token->at, token->length) || i + 1 >= source->token_count ||
            !is_sign(source, i + 1, '{'))
            continue;
        int depth = 0;
        size_t j = i + 1;
        for (; j < source->token_count; j++) {
            depth += is_sign(source, j, '{') - is_sign(source, j, '}');
            if (depth == 0)
                break;
        }
        if (j < source->token_count && at < source->tokens[j].at)
            return true;
    }
    return false;
}
