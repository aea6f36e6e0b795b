/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/older.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define OLDER_MOST 100000 /* as many of one name are kept */

/* Neither call replaces anything. With a link the older one exists under one name or both at any moment, but not all
 * file systems have links. */
static int older_give_name(const char *output, const char *name)
{
    if (link(output, name) == 0)
        return 0;
    return errno == EEXIST || errno == ENOENT ? -1 : renameat2(AT_FDCWD, output, AT_FDCWD, name, RENAME_NOREPLACE);
}

int wf_older_keep(const char *output, const char *suffix, char *kept, size_t bytes)
{
    size_t length = strlen(output), ending = strlen(suffix), stem = length;
    if (length > ending && strcmp(output + length - ending, suffix) == 0)
        stem -= ending;
    for (int number = 1; number < OLDER_MOST; number++) {
        if (snprintf(kept, bytes, "%.*s.%d%s", (int)stem, output, number, output + stem) >= (int)bytes)
            break;
        if (older_give_name(output, kept) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    *kept = '\0';
    return errno == ENOENT ? 0 : -1; /* there was none */
}
