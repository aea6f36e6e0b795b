/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists of patterns, separated by commas; each is one of fnmatch. No memory is taken, so that they can be used in other
 * people's processes. Any thread.
 */
#ifndef WF_PATTERN_H
#define WF_PATTERN_H

#include <stdbool.h>

/* A longer pattern matches nothing. */
#define WF_PATTERN_BYTES 256u

/* Does one of the patterns match the text, or the part of it behind the last separator? NULL is an empty list, which
 * matches nothing. */
bool wf_pattern_matches(const char *patterns, const char *text, const char *separator);

#endif
