/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/opening.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/buffer.h"
#include "instrument/directive.h"

/* One directive or _Pragma between the loop and the token before it. */
struct opening_item {
    enum wf_directive_kind kind;
    size_t at;
    const char *text; /* the pragma's own words */
    size_t length;
};

/* ---- directives above the loop ---- */

struct opening_front {
    const struct wf_source_unit *unit;
    const struct wf_source *source;
    struct opening_item *items; /* from the loop upwards */
    size_t count;
    size_t token; /* index of the token before them all, plus one; 0 if there is none */
};

static void opening_add_item(struct opening_front *front, struct opening_item item)
{
    front->items = wf_buffer_grow(front->items, front->count, sizeof *front->items);
    front->items[front->count++] = item;
}

static bool opening_is_sign(const struct wf_source *source, size_t token, char sign)
{
    return source->tokens[token].kind == WF_TOKEN_SIGN && source->text[source->tokens[token].at] == sign;
}

/* _Pragma ( "..." ) that ends with token i. */
static bool opening_is_pragma_operator(const struct wf_source *source, size_t i)
{
    return i >= 3 && opening_is_sign(source, i, ')') && source->tokens[i - 1].kind == WF_TOKEN_STRING &&
           opening_is_sign(source, i - 2, '(') && wf_token_is(source->text, &source->tokens[i - 3], "_Pragma");
}

/* The user's file that the directive includes, or NULL. */
static const struct wf_source *opening_find_included(const struct wf_source_unit *unit, const char *text, size_t length)
{
    size_t bytes;
    const char *name = wf_directive_included(text, length, &bytes);
    for (size_t i = 1; name && i < unit->source_count; i++) {
        const char *path = unit->sources[i].name;
        size_t path_bytes = strlen(path);
        if (path_bytes >= bytes && !strncmp(path + path_bytes - bytes, name, bytes) &&
            (path_bytes == bytes || path[path_bytes - bytes - 1] == '/'))
            return &unit->sources[i];
    }
    return NULL;
}

/* Some programs have their pragmas in included files. */
static struct opening_item opening_included_item(const struct wf_source *file, size_t at)
{
    struct opening_item item = {WF_DIRECTIVE_UNBOUND, at, file->text, file->length};
    for (size_t i = 0; i < file->token_count; i++) {
        const struct wf_token *token = &file->tokens[i];
        enum wf_directive_kind kind = token->kind == WF_TOKEN_DIRECTIVE
                                          ? wf_directive_kind(file->text + token->at, token->length)
                                          : WF_DIRECTIVE_CODE;
        if (kind == WF_DIRECTIVE_CODE)
            item.kind = WF_DIRECTIVE_CODE;
        else if (kind == WF_DIRECTIVE_BOUND || kind == WF_DIRECTIVE_BLOCK)
            item.kind = item.kind == WF_DIRECTIVE_CODE || item.kind == WF_DIRECTIVE_CODE_BOUND ? WF_DIRECTIVE_CODE_BOUND
                                                                                               : WF_DIRECTIVE_BOUND;
    }
    return item;
}

static struct opening_item opening_directive_item(const struct opening_front *front, const struct wf_token *token)
{
    const char *text = front->source->text + token->at;
    const struct wf_source *file = opening_find_included(front->unit, text, token->length);
    return file ? opening_included_item(file, token->at)
                : (struct opening_item){wf_directive_kind(text, token->length), token->at, text, token->length};
}

static void opening_look_up(struct opening_front *front, size_t loop_token)
{
    const struct wf_source *source = front->source;
    size_t i = loop_token;
    while (i > 0) {
        const struct wf_token *token = &source->tokens[i - 1];
        if (token->kind == WF_TOKEN_DIRECTIVE) {
            opening_add_item(front, opening_directive_item(front, token));
            i--;
        } else if (opening_is_pragma_operator(source, i - 1)) {
            const struct wf_token *string = &source->tokens[i - 2];
            size_t begin = source->tokens[i - 4].at;
            size_t quote = string->at + strcspn(source->text + string->at, "\"") + 1;
            size_t length = string->at + string->length - quote;
            opening_add_item(front, (struct opening_item){wf_directive_pragma_kind(source->text + quote, length), begin,
                                                          source->text + quote, length});
            i -= 4;
        } else {
            break;
        }
    }
    front->token = i;
}

/* ---- macros before the loop ---- */

/* The macro's name, if the token before the loop is a word or ends the parentheses behind one. */
static const struct wf_token *opening_macro_in_front(const struct wf_source *source, size_t token)
{
    size_t i = token;
    int depth = 0;
    if (source->tokens[i].kind == WF_TOKEN_WORD)
        return &source->tokens[i];
    if (!opening_is_sign(source, i, ')'))
        return NULL;
    for (;; i--) {
        depth += opening_is_sign(source, i, ')') - opening_is_sign(source, i, '(');
        if (depth == 0 || i == 0)
            break;
    }
    return i > 0 && source->tokens[i - 1].kind == WF_TOKEN_WORD ? &source->tokens[i - 1] : NULL;
}

static bool opening_is_known_word(const char *text, const struct wf_token *token)
{
    return wf_directive_in_list("else do if while for switch", text + token->at, token->length);
}

/* ---- where to open ---- */

/* How many items from `from` upwards make a whole #if ... #endif; 0 if there is code between. */
static size_t opening_group_length(const struct opening_front *front, size_t from)
{
    int depth = 0;
    for (size_t i = from; i < front->count; i++) {
        depth += (front->items[i].kind == WF_DIRECTIVE_CLOSE_IF) - (front->items[i].kind == WF_DIRECTIVE_OPEN_IF);
        if (depth == 0)
            return i - from + 1;
    }
    return 0;
}

static bool opening_has_kind(const struct opening_front *front, size_t from, size_t count, enum wf_directive_kind kind)
{
    for (size_t i = from; i < from + count && i < front->count; i++)
        if (front->items[i].kind == kind)
            return true;
    return false;
}

/* The loop is in a branch of an #if: whether there is a pragma above that #if, for all branches. */
static bool opening_pragma_above_condition(const struct opening_front *front, size_t directive_at)
{
    const struct wf_source *source = front->source;
    size_t i = wf_token_find(source->tokens, source->token_count, directive_at);
    int depth = 0;
    for (;; i--) { /* up to the #if of this branch */
        const struct wf_token *token = &source->tokens[i];
        enum wf_directive_kind kind = token->kind == WF_TOKEN_DIRECTIVE
                                          ? wf_directive_kind(source->text + token->at, token->length)
                                          : WF_DIRECTIVE_UNBOUND;
        depth += token->kind == WF_TOKEN_DIRECTIVE && token->at != directive_at ? kind == WF_DIRECTIVE_CLOSE_IF : 0;
        if (token->kind == WF_TOKEN_DIRECTIVE && kind == WF_DIRECTIVE_OPEN_IF && depth-- == 0)
            break;
        if (i == 0)
            return false;
    }
    struct opening_front above = {.unit = front->unit, .source = source};
    opening_look_up(&above, i);
    bool found = opening_has_kind(&above, 0, above.count, WF_DIRECTIVE_BOUND) ||
                 opening_has_kind(&above, 0, above.count, WF_DIRECTIVE_SECTION) ||
                 opening_has_kind(&above, 0, above.count, WF_DIRECTIVE_BLOCK);
    free(above.items);
    return found;
}

/* Item `from` is the #endif of an #if above the loop. Returns how many items to pass; 0: the opening is known. */
static size_t opening_pass_condition(const struct opening_front *front, size_t from, struct wf_opening *opening)
{
    size_t group = opening_group_length(front, from), count = group ? group : front->count;
    bool bound = opening_has_kind(front, from, count, WF_DIRECTIVE_BOUND),
         block = opening_has_kind(front, from, count, WF_DIRECTIVE_BLOCK);
    if (group ? opening_has_kind(front, from, group, WF_DIRECTIVE_SECTION) : bound || block)
        opening->why = "a pragma stands in an #if above it";
    else if (group && bound)
        opening->at = front->items[from + group - 1].at;
    return opening->why || (block && !bound) ? 0 : group;
}

/* Walks upwards from the loop, over all items that belong to the loop. */
static struct wf_opening opening_walk_up(const struct opening_front *front, size_t loop)
{
    struct wf_opening opening = {.at = loop};
    for (size_t i = 0, passed = 1; passed && i < front->count; i += passed) {
        const struct opening_item *item = &front->items[i];
        switch (item->kind) {
        case WF_DIRECTIVE_BOUND:
            opening.at = item->at;
            break;
        case WF_DIRECTIVE_BLOCK:
        case WF_DIRECTIVE_SECTION:
        case WF_DIRECTIVE_CODE:
            return opening;
        case WF_DIRECTIVE_CODE_BOUND:
            opening.why = "a pragma stands in a file that is included above it";
            return opening;
        case WF_DIRECTIVE_UNBOUND:
            if (!opening_has_kind(front, i, front->count, WF_DIRECTIVE_BOUND))
                return opening;
            break;
        case WF_DIRECTIVE_OPEN_IF:
        case WF_DIRECTIVE_MIDDLE:
            if (opening_pragma_above_condition(front, item->at))
                opening.why = "a pragma stands above the #if that it is in";
            return opening;
        case WF_DIRECTIVE_CLOSE_IF:
            passed = opening_pass_condition(front, i, &opening);
            break;
        }
    }
    return opening;
}

struct wf_opening wf_opening_find(const struct wf_source_unit *unit, const struct wf_source *source, size_t loop)
{
    struct opening_front front = {.unit = unit, .source = source};
    opening_look_up(&front, wf_token_find(source->tokens, source->token_count, loop));
    struct wf_opening opening = opening_walk_up(&front, loop);
    for (size_t i = 0; i < front.count; i++) {
        unsigned inner = front.items[i].kind == WF_DIRECTIVE_BOUND
                             ? wf_directive_inner_loops(front.items[i].text, front.items[i].length)
                             : 0;
        opening.inner = inner > opening.inner ? inner : opening.inner;
    }
    if (front.token > 0 && front.count == 0) {
        size_t last = front.token - 1;
        const struct wf_token *macro = opening_macro_in_front(source, last);
        if (opening_is_sign(source, last, ']'))
            opening.why = "statement with attributes";
        else if (macro && !opening_is_known_word(source->text, macro) &&
                 wf_directive_macro_is_pragma(unit, source->text + macro->at, macro->length))
            opening.why = "a macro with a pragma stands in front of it";
    }
    free(front.items);
    return opening;
}

/* ---- offloading ---- */

bool wf_opening_is_offloaded(const struct wf_source *source, size_t begin, size_t at)
{
    for (size_t i = wf_token_find(source->tokens, source->token_count, begin);
         i < source->token_count && source->tokens[i].at < at; i++) {
        const struct wf_token *token = &source->tokens[i];
        if (token->kind != WF_TOKEN_DIRECTIVE || !wf_directive_offloads(source->text + token->at, token->length) ||
            i + 1 >= source->token_count || !opening_is_sign(source, i + 1, '{'))
            continue;
        int depth = 0;
        size_t j = i + 1;
        for (; j < source->token_count; j++) {
            depth += opening_is_sign(source, j, '{') - opening_is_sign(source, j, '}');
            if (depth == 0)
                break;
        }
        if (j < source->token_count && at < source->tokens[j].at)
            return true;
    }
    return false;
}
