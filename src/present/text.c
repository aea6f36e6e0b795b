/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "analyse/memory.h"

/* The next character of a text: its bytes and columns. One that cannot be decoded or shown has -1 columns. */
struct character {
    size_t bytes;
    int columns;
};

static struct character next(const char *text, mbstate_t *state)
{
    wchar_t wide;
    size_t bytes = mbrtowc(&wide, text, MB_CUR_MAX, state);
    if (bytes == (size_t)-1 || bytes == (size_t)-2) {
        memset(state, 0, sizeof *state);
        return (struct character){1, -1};
    }
    return (struct character){bytes ? bytes : 1, wcwidth(wide)};
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

char *wf_text_cut_name(const char *name, int columns, const char *ellipsis)
{
    int room = columns - wf_text_columns(ellipsis);
    if (wf_text_columns(name) > columns)
        for (const char *colons = strstr(name, "::"); colons; colons = strstr(colons + 2, "::"))
            if (wf_text_columns(colons) <= room)
                return joined(ellipsis, strlen(ellipsis), colons);
    return wf_text_cut(name, columns, ellipsis);
}

char *wf_text_cut_path(const char *path, int columns, const char *ellipsis)
{
    if (wf_text_columns(path) <= columns)
        return wf_memory_text(path);
    int room = columns - wf_text_columns(ellipsis);
    /* Whole components if one fits, else the base name with its own front cut away. */
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/'))
        if (wf_text_columns(slash) <= room)
            return joined(ellipsis, strlen(ellipsis), slash);
    const char *end = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (wf_text_columns(end) <= columns)
        return wf_memory_text(end);
    while (*end && wf_text_columns(end) > room)
        end += wf_text_fit(end, 1) ? wf_text_fit(end, 1) : wf_text_fit(end, 2);
    return joined(ellipsis, strlen(ellipsis), end);
}
