/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/buffer.h"

struct lexer {
    const char *text;
    size_t length, at;
    bool line_begins; /* only white space since the last newline */
    struct wf_token *tokens;
    size_t count;
};

static bool lexer_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Bytes of a line continuation at this place, or 0. */
static size_t lexer_splice(const char *text, size_t at)
{
    if (text[at] != '\\')
        return 0;
    size_t end = at + 1;
    while (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')
        end++;
    return text[end] == '\n' ? end + 1 - at : 0;
}

/* The end of the comment that begins here, or `at` if none does. */
static size_t lexer_skip_comment(const char *text, size_t length, size_t at)
{
    if (text[at] != '/')
        return at;
    if (text[at + 1] == '*') {
        const char *end = at + 2 <= length ? strstr(text + at + 2, "*/") : NULL;
        return end ? (size_t)(end - text) + 2 : length;
    }
    if (text[at + 1] != '/')
        return at;
    while (at < length && text[at] != '\n')
        at += lexer_splice(text, at) ? lexer_splice(text, at) : 1;
    return at;
}

size_t wf_lexer_skip_space(const char *text, size_t length, size_t at)
{
    while (at < length) {
        size_t next = lexer_skip_comment(text, length, at);
        if (next == at)
            next += lexer_splice(text, at);
        if (next == at && isspace((unsigned char)text[at]))
            next++;
        if (next == at)
            break;
        at = next;
    }
    return at;
}

bool wf_lexer_rest_is_empty(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] != '\n') {
        size_t next = lexer_skip_comment(text, length, at);
        if (next == at && !isspace((unsigned char)text[at]))
            return false;
        if (next > at && memchr(text + at, '\n', next - at))
            return false;
        at = next > at ? next : at + 1;
    }
    return true;
}

static void lexer_add(struct lexer *lexer, enum wf_token_kind kind, size_t begin)
{
    lexer->tokens = wf_buffer_grow(lexer->tokens, lexer->count, sizeof *lexer->tokens);
    lexer->tokens[lexer->count++] = (struct wf_token){kind, begin, lexer->at - begin};
}

/* The end of the literal that begins with this quote; an open literal ends with its line. */
static size_t lexer_skip_quoted(const char *text, size_t length, size_t at)
{
    char quote = text[at++];
    while (at < length && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && at + 1 < length ? (lexer_splice(text, at) ? lexer_splice(text, at) : 2) : 1;
    return at < length && text[at] == quote ? at + 1 : at;
}

/* R"delimiter( ... )delimiter" */
static size_t lexer_skip_raw(const char *text, size_t length, size_t at)
{
    size_t open = at + 1;
    while (open < length && text[open] != '(' && text[open] != '\n' && open - at <= 17)
        open++;
    if (open >= length || text[open] != '(')
        return lexer_skip_quoted(text, length, at);
    char close[24];
    size_t bytes = open - at - 1;
    close[0] = ')';
    memcpy(close + 1, text + at + 1, bytes);
    strcpy(close + 1 + bytes, "\"");
    const char *end = strstr(text + open, close);
    return end ? (size_t)(end - text) + strlen(close) : length;
}

static size_t lexer_skip_directive(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] != '\n') {
        size_t next = lexer_skip_comment(text, length, at);
        if (next == at && (text[at] == '"' || text[at] == '\''))
            next = lexer_skip_quoted(text, length, at);
        if (next == at)
            next += lexer_splice(text, at);
        at = next > at ? next : at + 1;
    }
    return at;
}

static bool lexer_is_raw_prefix(const char *word, size_t length)
{
    static const char *const prefixes[] = {"R", "LR", "uR", "UR", "u8R"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == length && !strncmp(word, prefixes[i], length))
            return true;
    return false;
}

static void lexer_scan_word(struct lexer *lexer)
{
    const char *text = lexer->text;
    size_t begin = lexer->at;
    bool number = isdigit((unsigned char)text[begin]);
    for (size_t at = begin; at < lexer->length; lexer->at = at) {
        bool separator = number && text[at] == '\'' && at + 1 < lexer->length && isalnum((unsigned char)text[at + 1]);
        if (!lexer_is_word(text[at]) && !separator && !(number && text[at] == '.'))
            break;
        at++;
    }
    if (text[lexer->at] == '"' && lexer_is_raw_prefix(text + begin, lexer->at - begin)) {
        lexer->at = lexer_skip_raw(text, lexer->length, lexer->at);
        lexer_add(lexer, WF_TOKEN_STRING, begin);
        return;
    }
    lexer_add(lexer, WF_TOKEN_WORD, begin);
}

static void lexer_scan_one(struct lexer *lexer)
{
    size_t begin = lexer->at;
    char c = lexer->text[begin];
    if (c == '#' && lexer->line_begins) {
        lexer->at = lexer_skip_directive(lexer->text, lexer->length, begin);
        lexer_add(lexer, WF_TOKEN_DIRECTIVE, begin);
    } else if (c == '"' || c == '\'') {
        lexer->at = lexer_skip_quoted(lexer->text, lexer->length, begin);
        lexer_add(lexer, WF_TOKEN_STRING, begin);
    } else if (lexer_is_word(c)) {
        lexer_scan_word(lexer);
    } else {
        lexer->at++;
        lexer_add(lexer, WF_TOKEN_SIGN, begin);
    }
}

size_t wf_lexer_scan(const char *text, size_t length, struct wf_token **tokens)
{
    struct lexer lexer = {.text = text, .length = length, .line_begins = true};
    for (;;) {
        size_t begin = lexer.at;
        lexer.at = wf_lexer_skip_space(text, length, begin);
        for (size_t i = begin; i < lexer.at; i++)
            lexer.line_begins |= text[i] == '\n' && !(i > 0 && text[i - 1] == '\\');
        if (lexer.at >= length)
            break;
        lexer_scan_one(&lexer);
        lexer.line_begins = false;
    }
    *tokens = lexer.tokens;
    return lexer.count;
}

bool wf_token_is(const char *text, const struct wf_token *token, const char *spelling)
{
    return strlen(spelling) == token->length && !strncmp(text + token->at, spelling, token->length);
}

size_t wf_token_find(const struct wf_token *tokens, size_t count, size_t at)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tokens[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
