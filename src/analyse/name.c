/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/name.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"

/* The text after the closing bracket; the end of the text if the bracket is not closed. */
static const char *name_behind_bracket(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '<' || *text == '(') - (*text == '>' || *text == ')');
        if (depth <= 0)
            return text + 1;
    }
    return text;
}

char *wf_name_short(const char *name)
{
    static const char anonymous[] = "(anonymous namespace)", operator_word[] = "operator";
    const size_t operator_bytes = sizeof operator_word - 1;
    char *copy = wf_memory_array(strlen(name) + 1, 1), *to = copy;
    while (*name) {
        bool is_operator =
            (size_t)(to - copy) >= operator_bytes && !strncmp(to - operator_bytes, operator_word, operator_bytes);
        if (!strncmp(name, anonymous, sizeof anonymous - 1)) {
            to = mempcpy(to, name, sizeof anonymous - 1);
            name += sizeof anonymous - 1;
        } else if (is_operator && strchr("<>(", *name)) {
            size_t bytes = *name == '(' ? 2 : strspn(name, "<>=");
            to = mempcpy(to, name, strnlen(name, bytes));
            name += strnlen(name, bytes);
        } else if (*name == '<') {
            name = name_behind_bracket(name);
        } else if (*name == '(') {
            break; /* the parameters, and the rest */
        } else {
            *to++ = *name++;
        }
    }
    *to = 0;
    return copy;
}

/* Whether a short name is `word`, or ends with it behind a "::". */
static bool name_short_ends(const char *name, const char *word)
{
    size_t have = strlen(name), want = strlen(word);
    if (want == 0 || want > have || strcmp(name + have - want, word) != 0)
        return false;
    return want == have || (have - want >= 2 && !strncmp(name + have - want - 2, "::", 2));
}

bool wf_name_means(const char *word, const char *name)
{
    if (!strcmp(word, name))
        return true;
    char *brief = wf_name_short(name);
    bool means = name_short_ends(brief, word);
    free(brief);
    return means;
}
