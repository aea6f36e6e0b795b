/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bytes, arrays and lists of words that grow. They belong to the struct that holds them, and to its thread. Running out
 * of memory ends the process with one sentence, so they are never used in the application's process.
 */
#ifndef WF_BUFFER_H
#define WF_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct wf_buffer {
    char *data; /* ends with a 0 after the first addition; NULL before */
    size_t length, room;
};

void wf_buffer_add(struct wf_buffer *buffer, const void *bytes, size_t count);
void wf_buffer_add_text(struct wf_buffer *buffer, const char *text);
void wf_buffer_addf(struct wf_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wf_buffer_fini(struct wf_buffer *buffer);

/* The text, never NULL; the buffer keeps it. */
const char *wf_buffer_text(const struct wf_buffer *buffer);

/* Appends a file's bytes; -1 and errno if it cannot be read. */
int wf_buffer_read(struct wf_buffer *buffer, const char *path);

/* Appends the text as a C string literal with its quotes, valid in any C and C++. */
void wf_buffer_add_literal(struct wf_buffer *buffer, const char *text);

/* Room for one more item behind `count` items of an array that grew only through this function. */
void *wf_buffer_grow(void *array, size_t count, size_t size);

/* Words of a command line, ended by NULL. */
struct wf_words {
    char **items;
    size_t count;
};

void wf_words_add(struct wf_words *words, const char *word);
void wf_words_addf(struct wf_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wf_words_add_all(struct wf_words *words, const struct wf_words *more);
bool wf_words_have(const struct wf_words *words, const char *word);
void wf_words_fini(struct wf_words *words);

/* Never NULL; free() it. */
char *wf_text_copy(const char *text);
char *wf_text_copy_bytes(const char *text, size_t bytes);
char *wf_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool wf_text_starts(const char *text, const char *start);

/* The part behind the last slash. */
const char *wf_path_base(const char *path);

#endif
