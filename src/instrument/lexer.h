/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tokens of a C or C++ file, before preprocessing: no macro is expanded, no line is left out. A directive is one
 * token. No state.
 */
#ifndef WF_LEXER_H
#define WF_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum wf_token_kind {
    WF_TOKEN_WORD,      /* identifier, keyword or number */
    WF_TOKEN_STRING,    /* string or character literal */
    WF_TOKEN_SIGN,      /* one character of punctuation */
    WF_TOKEN_DIRECTIVE, /* from its # to the end of its line, continuation lines included */
};

struct wf_token {
    enum wf_token_kind kind;
    size_t at, length;
};

/* The text must have a 0 at text[length]. Returns the number of tokens; the caller frees *tokens. */
size_t wf_lexer_scan(const char *text, size_t length, struct wf_token **tokens);

/* Whether the token is this word, sign or literal. */
bool wf_token_is(const char *text, const struct wf_token *token, const char *spelling);

/* The index of the first token at or after this place; `count` if there is none. */
size_t wf_token_find(const struct wf_token *tokens, size_t count, size_t at);

/* The first byte at or after `at` that is neither white space nor comment; at most `length`. */
size_t wf_lexer_skip_space(const char *text, size_t length, size_t at);

/* Whether only white space and comments follow on the line of `at`. A comment that continues on the next line does not
 * count as such. */
bool wf_lexer_rest_is_empty(const char *text, size_t length, size_t at);

#endif
