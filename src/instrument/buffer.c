/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *buffer_check(void *memory)
{
    if (!memory) {
        fputs("weft: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* ---- bytes ---- */

static void buffer_reserve(struct wf_buffer *buffer, size_t more)
{
    size_t needed = buffer->length + more + 1;
    if (needed <= buffer->room)
        return;
    buffer->room = needed < 2 * buffer->room ? 2 * buffer->room : needed;
    buffer->data = buffer_check(realloc(buffer->data, buffer->room));
}

void wf_buffer_add(struct wf_buffer *buffer, const void *bytes, size_t count)
{
    buffer_reserve(buffer, count);
    if (count)
        memcpy(buffer->data + buffer->length, bytes, count);
    buffer->length += count;
    buffer->data[buffer->length] = '\0';
}

void wf_buffer_add_text(struct wf_buffer *buffer, const char *text)
{
    wf_buffer_add(buffer, text, strlen(text));
}

void wf_buffer_addf(struct wf_buffer *buffer, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int bytes = vasprintf(&text, format, arguments);
    va_end(arguments);
    buffer_check(bytes < 0 ? NULL : text);
    wf_buffer_add(buffer, text, (size_t)bytes);
    free(text);
}

void wf_buffer_fini(struct wf_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct wf_buffer){0};
}

const char *wf_buffer_text(const struct wf_buffer *buffer)
{
    return buffer->data ? buffer->data : "";
}

int wf_buffer_read(struct wf_buffer *buffer, const char *path)
{
    char chunk[65536];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            wf_buffer_add(buffer, chunk, (size_t)n);
    int saved = errno;
    close(fd);
    errno = saved;
    return n < 0 ? -1 : 0;
}

void wf_buffer_add_literal(struct wf_buffer *buffer, const char *text)
{
    wf_buffer_add(buffer, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '\t')
            wf_buffer_add(buffer, "\\t", 2);
        else if (*c == '\n')
            wf_buffer_add(buffer, "\\n", 2);
        else if (*c == '"' || *c == '\\')
            wf_buffer_addf(buffer, "\\%c", *c);
        else if (*c < ' ' || *c > '~' || *c == '?') /* a question mark could begin a trigraph */
            wf_buffer_addf(buffer, "\\%03o", *c);
        else
            wf_buffer_add(buffer, c, 1);
    }
    wf_buffer_add(buffer, "\"", 1);
}

/* ---- arrays ---- */

void *wf_buffer_grow(void *array, size_t count, size_t size)
{
    if (count & (count - 1)) /* room doubles at powers of two */
        return array;
    return buffer_check(reallocarray(array, count ? 2 * count : 1, size));
}

/* ---- words ---- */

static void words_take(struct wf_words *words, char *word)
{
    words->items = wf_buffer_grow(words->items, words->count + 1, sizeof *words->items); /* and one for the NULL */
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

void wf_words_add(struct wf_words *words, const char *word)
{
    words_take(words, wf_text_copy(word));
}

void wf_words_addf(struct wf_words *words, const char *format, ...)
{
    char *word = NULL;
    va_list arguments;
    va_start(arguments, format);
    int bytes = vasprintf(&word, format, arguments);
    va_end(arguments);
    words_take(words, buffer_check(bytes < 0 ? NULL : word));
}

void wf_words_add_all(struct wf_words *words, const struct wf_words *more)
{
    for (size_t i = 0; i < more->count; i++)
        wf_words_add(words, more->items[i]);
}

bool wf_words_have(const struct wf_words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->items[i], word))
            return true;
    return false;
}

void wf_words_fini(struct wf_words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct wf_words){0};
}

/* ---- texts ---- */

char *wf_text_copy(const char *text)
{
    return buffer_check(strdup(text));
}

char *wf_text_copy_bytes(const char *text, size_t bytes)
{
    return buffer_check(strndup(text, bytes));
}

char *wf_text_format(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int bytes = vasprintf(&text, format, arguments);
    va_end(arguments);
    return buffer_check(bytes < 0 ? NULL : text);
}

bool wf_text_starts(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

const char *wf_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
