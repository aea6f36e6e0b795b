/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/json.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"

/* Bytes of the UTF-8 sequence that this byte begins; 0 if none can begin with it. */
static int utf8_announced_bytes(unsigned char first)
{
    static const struct {
        unsigned char from, to;
        int bytes;
    } kinds[] = {{0x00, 0x7f, 1}, {0xc2, 0xdf, 2}, {0xe0, 0xef, 3}, {0xf0, 0xf4, 4}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (first >= kinds[i].from && first <= kinds[i].to)
            return kinds[i].bytes;
    return 0;
}

/* jansson decides whether a sequence is valid. */
static int utf8_valid_bytes(const char *text)
{
    int bytes = utf8_announced_bytes((unsigned char)*text);
    if (bytes == 0 || strnlen(text, (size_t)bytes) < (size_t)bytes)
        return 0;
    json_t *probe = json_stringn(text, (size_t)bytes);
    json_decref(probe);
    return probe ? bytes : 0;
}

json_t *wf_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string)
        return string;
    char *clean = wf_memory_array(3 * strlen(text) + 1, 1), *to = clean;
    while (*text) {
        int bytes = utf8_valid_bytes(text);
        to = bytes ? mempcpy(to, text, (size_t)bytes) : stpcpy(to, "\xef\xbf\xbd");
        text += bytes ? bytes : 1;
    }
    string = json_string(clean);
    free(clean);
    return string;
}

void wf_json_set(json_t *object, const char *key, int64_t value)
{
    json_object_set_new(object, key, json_integer(value));
}

void wf_json_set_text(json_t *object, const char *key, const char *text)
{
    json_object_set_new(object, key, wf_json_text(text));
}
