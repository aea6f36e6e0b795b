/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An older result of the same name is kept beside the new one: app.weft becomes app.1.weft, or the next free number.
 */
#ifndef WF_COLLECT_OLDER_H
#define WF_COLLECT_OLDER_H

#include <stddef.h>

/* Gives the file at `output` a name of its own, which it keeps from then on, and stores that in `kept`; empty: there
 * was none. A number goes in front of `suffix` if the name ends so. Returns 0, or -1 with errno set. */
int wf_older_keep(const char *output, const char *suffix, char *kept, size_t bytes);

#endif
