/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "analyse/memory.h"

/* Characters that cannot be seen, or that change how others are seen: they turn the direction of writing, join or hide, break lines, or are
 * no text at all. wcwidth says -1 of controls, and 0 of most of these. */
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

static bool is_seen(uint32_t c)
{
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen && c >= unseen[i].from; i++)
        if (c <= unseen[i].to)
            return false;
    return true;
}

/* The next character of a text: its bytes and columns. One that cannot be decoded or shown has -1 columns. */
struct character {
    size_t bytes;
    int columns;
};

static struct character next(const char *text, mbstate_t *state)
{
    wchar_t wide;
    if (*text >= ' ' && *text <= '~') /* most are, and a locale takes its time */
        return (struct character){1, 1};
    size_t bytes = mbrtowc(&wide, text, MB_CUR_MAX, state);
    if (bytes == (size_t)-1 || bytes == (size_t)-2) {
        memset(state, 0, sizeof *state);
        return (struct character){1, -1};
    }
    return (struct character){bytes ? bytes : 1, is_seen((uint32_t)wide) ? wcwidth(wide) : -1};
}

size_t wf_text_fit(const char *text, int columns)
{
    mbstate_t state = {0};
    size_t at = 0;
    while (text[at]) {
        struct character c = next(text + at, &state);
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
        struct character c = next(text, &state);
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
        struct character c = next(from, &state);
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

static char *joined(const char *front, size_t front_bytes, const char *end)
{
    char *text;
    return asprintf(&text, "%.*s%s", (int)front_bytes, front, end) < 0 ? wf_memory_text("") : text;
}

char *wf_text_cut(const char *text, int columns, const char *ellipsis)
{
    if (wf_text_columns(text) <= columns)
        return wf_memory_text(text);
    int room = columns - wf_text_columns(ellipsis);
    return room > 0 ? joined(text, wf_text_fit(text, room), ellipsis) : wf_memory_text("");
}

/* The first place from `text` on that begins with `mark`, or any place if that is empty, from which on no more than `room` columns are left; NULL: none
 * before the end. `columns` are those of the whole text. */
static const char *find_end(const char *text, const char *mark, int columns, int room)
{
    mbstate_t state = {0};
    size_t length = strlen(mark);
    while (*text) {
        if (columns <= room && !strncmp(text, mark, length))
            return text;
        struct character c = next(text, &state);
        columns -= c.columns < 0 ? 1 : c.columns;
        text += c.bytes;
    }
    return NULL;
}

char *wf_text_cut_name(const char *name, int columns, const char *ellipsis)
{
    int wants = wf_text_columns(name), room = columns - wf_text_columns(ellipsis);
    const char *end = wants > columns ? find_end(name, "::", wants, room) : NULL;
    return end ? joined(ellipsis, strlen(ellipsis), end) : wf_text_cut(name, columns, ellipsis);
}

char *wf_text_cut_path(const char *path, int columns, const char *ellipsis)
{
    int wants = wf_text_columns(path), room = columns - wf_text_columns(ellipsis);
    if (wants <= columns)
        return wf_memory_text(path);
    /* Whole components if one fits, else the base name with its own front cut away. */
    const char *end = find_end(path, "/", wants, room);
    if (end)
        return joined(ellipsis, strlen(ellipsis), end);
    end = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    wants = wf_text_columns(end);
    if (wants <= columns)
        return wf_memory_text(end);
    end = find_end(end, "", wants, room);
    return joined(ellipsis, strlen(ellipsis), end ? end : "");
}
