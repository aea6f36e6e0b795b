/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A place for the mapped files of a test: a folder of its own in /tmp.
 */
#ifndef TESTS_BASE_PLACE_H
#define TESTS_BASE_PLACE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"

static char place_folder[] = "/tmp/weft-base-XXXXXX";

static const char *place_path(const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", place_folder, name);
    return path;
}

static int place_open(const char *name, int flags)
{
    return open(place_path(name), flags | O_CLOEXEC, 0600);
}

static void place_remove(const char *name)
{
    unlink(place_path(name));
}

static const struct wf_file_place place = {.open = place_open, .remove = place_remove};

static inline int place_begin(void **state)
{
    (void)state;
    return mkdtemp(place_folder) ? 0 : -1;
}

static inline int place_end(void **state)
{
    (void)state;
    return rmdir(place_folder); /* each test has removed its files */
}

#endif
