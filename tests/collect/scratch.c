/* SPDX-License-Identifier: BSD-3-Clause */
#include "scratch.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *what)
{
    perror(what);
    abort();
}

void scratch_init(struct scratch *scratch)
{
    strcpy(scratch->directory, "/tmp/weft-collect-XXXXXX");
    if (!mkdtemp(scratch->directory))
        fail("mkdtemp");
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *position)
{
    (void)status, (void)kind, (void)position;
    return remove(path);
}

void scratch_fini(struct scratch *scratch)
{
    if (nftw(scratch->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        fail(scratch->directory);
}

const char *scratch_path(const struct scratch *scratch, const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch->directory, name);
    return path;
}

void scratch_write(const char *path, const void *bytes, size_t length)
{
    unlink(path); /* a file that is truncated and written again goes to the disk at once, which would make tests slow */
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        fail(path);
}

int scratch_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

int scratch_count(const char *directory)
{
    struct dirent **files;
    int count = scandir(directory, &files, NULL, alphasort);
    if (count < 0)
        fail(directory);
    for (int i = 0; i < count; i++)
        free(files[i]);
    free(files);
    return count - 2; /* . and .. */
}
