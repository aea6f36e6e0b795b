/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "analyse/memory.h"

/* Characters that are invisible or change how others are displayed: they reverse the direction of writing, join or
 * hide characters, break lines, or are not text. wcwidth returns -1 for controls and 0 for most of these. */
static const struct {
    uint32_t from, to;
} unseen[] = {
    {0x00ad, 0x00ad},   /* soft hyphen */
    {0x034f, 0x034f},   /* joiner of graphemes */
    {0x061c, 0x061c},   /* mark of direction */
    {0x115f, 0x1160},   /* fillers */
    {0x17b4, 0x17b5},   /* vowels without a sign */
    {0x180b, 0x180f},   /* separators of Mongolian */
    {0x200b, 0x200f},   /* without a width, and marks of direction */
    {0x2028, 0x202e},   /* separators of lines; embeddings and overrides of direction */
    {0x2060, 0x206f},   /* joiners, invisible operators, isolates */
    {0x3164, 0x3164},   /* filler */
    {0xfeff, 0xfeff},   /* mark of byte order */
    {0xffa0, 0xffa0},   /* filler */
    {0xfff0, 0xfffb},   /* annotations */
    {0x1d173, 0x1d17a}, /* of music */
    {0xe0000, 0xe0fff}, /* tags */
};

static bool text_is_seen(uint32_t c)
{
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen && c >= unseen[i].from; i++)
        if (c <= unseen[i].to)
            return false;
    return true;
}

/* The next character of a text: its bytes and columns. columns is -1 if it cannot be decoded or displayed. */
struct text_character {
    size_t bytes;
    int columns;
};

static struct text_character text_next(const char *text, mbstate_t *state)
{
    wchar_t wide;
    if (*text >= ' ' && *text <= '~') /* the common case; decoding in the locale is slow */
        return (struct text_character){1, 1};
    size_t bytes = mbrtowc(&wide, text, MB_CUR_MAX, state);
    if (bytes == (size_t)-1 || bytes == (size_t)-2) {
        memset(state, 0, sizeof *state);
        return (struct text_character){1, -1};
    }
    return (struct text_character){bytes ? bytes : 1, text_is_seen((uint32_t)wide) ? wcwidth(wide) : -1};
}

size_t wf_text_fit(const char *text, int columns)
{
    mbstate_t state = {0};
    size_t at = 0;
    while (text[at]) {
        struct text_character c = text_next(text + at, &state);
        columns -= c.columns < 0 ? 1 : c.columns;
        if (columns < 0)
            break;
        at += c.bytes;
    }
    return at;
}

int wf_text_columns(const char *text)
{
    mbstate_t state = {0};
    int columns = 0;
    while (*text) {
        struct text_character c = text_next(text, &state);
        columns += c.columns < 0 ? 1 : c.columns;
        text += c.bytes;
    }
    return columns;
}

char *wf_text_clean(char *text)
{
    mbstate_t state = {0};
    char *to = text;
    for (const char *from = text; *from;) {
        struct text_character c = text_next(from, &state);
        if (strchr("\n\t\r", *from))
            *to++ = ' ';
        else if (c.columns < 0)
            *to++ = '?';
        else
            to = (char *)memmove(to, from, c.bytes) + c.bytes;
        from += c.bytes;
    }
    *to = 0;
    return text;
}

static char *text_join(const char *front, size_t front_bytes, const char *end)
{
    char *text;
    return asprintf(&text, "%.*s%s", (int)front_bytes, front, end) < 0 ? wf_memory_text("") : text;
}

char *wf_text_cut(const char *text, int columns, const char *ellipsis)
{
    if (wf_text_columns(text) <= columns)
        return wf_memory_text(text);
    int room = columns - wf_text_columns(ellipsis);
    return room > 0 ? text_join(text, wf_text_fit(text, room), ellipsis) : wf_memory_text("");
}

/* Returns the first position in `text` that begins with `mark` (any position if `mark` is empty) and from which at
 * most `room` columns remain; NULL if there is none. `columns` is the width of the whole text. */
static const char *text_find_end(const char *text, const char *mark, int columns, int room)
{
    mbstate_t state = {0};
    size_t length = strlen(mark);
    while (*text) {
        if (columns <= room && !strncmp(text, mark, length))
            return text;
        struct text_character c = text_next(text, &state);
        columns -= c.columns < 0 ? 1 : c.columns;
        text += c.bytes;
    }
    return NULL;
}

char *wf_text_cut_name(const char *name, int columns, const char *ellipsis)
{
    int wants = wf_text_columns(name), room = columns - wf_text_columns(ellipsis);
    const char *end = wants > columns ? text_find_end(name, "::", wants, room) : NULL;
    return end ? text_join(ellipsis, strlen(ellipsis), end) : wf_text_cut(name, columns, ellipsis);
}

char *wf_text_cut_path(const char *path, int columns, const char *ellipsis)
{
    int wants = wf_text_columns(path), room = columns - wf_text_columns(ellipsis);
    if (wants <= columns)
        return wf_memory_text(path);
    /* Keeps whole components if one fits, else the end of the base name. */
    const char *end = text_find_end(path, "/", wants, room);
    if (end)
        return text_join(ellipsis, strlen(ellipsis), end);
    end = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    wants = wf_text_columns(end);
    if (wants <= columns)
        return wf_memory_text(end);
    end = text_find_end(end, "", wants, room);
    return text_join(ellipsis, strlen(ellipsis), end ? end : "");
}
