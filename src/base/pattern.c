/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pattern.h"

#include <fnmatch.h>
#include <string.h>

static const char *pattern_last_part(const char *text, const char *separator)
{
    for (const char *at = strstr(text, separator); at; at = strstr(text, separator))
        text = at + strlen(separator);
    return text;
}

bool wf_pattern_matches(const char *patterns, const char *text, const char *separator)
{
    char pattern[WF_PATTERN_BYTES];
    const char *last = pattern_last_part(text, separator);
    while (patterns && *patterns) {
        size_t length = strcspn(patterns, ",");
        if (length > 0 && length < sizeof pattern) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, text, 0) == 0 || fnmatch(pattern, last, 0) == 0)
                return true;
        }
        patterns += length + (patterns[length] == ',');
    }
    return false;
}
