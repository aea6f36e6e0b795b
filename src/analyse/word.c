/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/word.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"

struct wf_word wf_word_parse(const char *text)
{
    struct wf_word word = {wf_memory_text(text), -1};
    char *colon = strrchr(word.file, ':'), *end;
    if (colon && colon[1]) {
        long line = strtol(colon + 1, &end, 10);
        if (!*end && line >= 0) {
            word.line = line;
            *colon = 0;
        }
    }
    return word;
}

void wf_word_free(struct wf_word *word)
{
    free(word->file);
    word->file = NULL;
}

bool wf_word_path_ends(const char *path, const char *end)
{
    if (!strncmp(end, "./", 2))
        end += 2;
    size_t have = strlen(path), want = strlen(end);
    if (want == 0 || want > have || strcmp(path + have - want, end) != 0)
        return false;
    return want == have || *end == '/' || path[have - want - 1] == '/';
}

const char *wf_word_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}
