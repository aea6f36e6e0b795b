/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_reason.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/launch.h"

/* ---- segments that got no space ---- */

static bool reason_is_disk_full(const struct wf_guardian *guardian)
{
    struct statvfs disk;
    return fstatvfs(guardian->rundir.fd, &disk) == 0 &&
           (disk.f_bavail * disk.f_frsize < (1u << 20) || (disk.f_files && disk.f_favail == 0));
}

/* The guardian has raised its soft limit, but cannot raise the hard limit. */
static bool reason_is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_max != RLIM_INFINITY;
}

static void reason_say_no_space(const struct wf_guardian *guardian)
{
    const char *why =
        reason_is_disk_full(guardian)     ? "the disk is full; make room, or name a file elsewhere with -o"
        : reason_is_limited(RLIMIT_FSIZE) ? "the limit on file size is too low (ulimit -f)"
        : reason_is_limited(RLIMIT_AS)
            ? "the limit on memory is too low (ulimit -v); a smaller --segment-size needs less"
            : "the processes got no disk space or no memory for their records; the line above says which, "
              "and a smaller --segment-size needs less";
    fprintf(stderr, "weft: no rank could be watched, so there is no profile: %s.\n", why);
}

/* ---- the command ---- */

/* Whether a script sets or clears LD_PRELOAD. */
static bool reason_replaces_preload(const char *path)
{
    char line[4096];
    bool found = false, script = true;
    FILE *file = fopen(path, "re");
    for (int n = 0; file && script && !found && n < 10000 && fgets(line, sizeof line, file); n++) {
        script = n > 0 || strncmp(line, "#!", 2) == 0;
        found = script && (strstr(line, "LD_PRELOAD") || strstr(line, "env -i"));
    }
    if (file)
        fclose(file);
    return found;
}

/* The loader ignores LD_PRELOAD for a program with more rights than the user. */
static bool reason_has_more_rights(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    return ((status.st_mode & S_ISUID) && status.st_uid != getuid()) ||
           ((status.st_mode & S_ISGID) && status.st_gid != getgid());
}

/* A word without a slash may be a program or an argument that looks like one, so only rare properties are reported
 * for it. */
static const char *reason_of_word(const char *word, bool first)
{
    char path[PATH_MAX];
    if (strncmp(word, "LD_PRELOAD", strlen("LD_PRELOAD")) == 0)
        return "replaces LD_PRELOAD, through which weft's library is loaded; put weft run behind it, before the "
               "program";
    if (!wf_launch_find_program(word, path, sizeof path))
        return NULL;
    if (wf_launch_is_static(word))
        return "is statically linked and cannot be watched; link it dynamically";
    if (!first && !strchr(word, '/'))
        return NULL;
    if (reason_has_more_rights(path))
        return "is setuid or setgid, and the loader preloads no library into such a program; watch a copy without "
               "these rights";
    if (reason_replaces_preload(path))
        return "sets or clears LD_PRELOAD, through which weft's library is loaded; let it keep the old value, or put "
               "weft run behind it";
    return NULL;
}

static int reason_count_entry(const char *name, void *context)
{
    (void)name;
    ++*(int *)context;
    return 0;
}

void wf_reason_say(const struct wf_guardian *guardian, int segments)
{
    int boxes = 0;
    if (segments > 0) {
        reason_say_no_space(guardian);
        return;
    }
    for (char **word = guardian->argv; word && *word; word++) {
        const char *wrong = reason_of_word(*word, word == guardian->argv);
        if (wrong) {
            fprintf(stderr, "weft: there is no profile: '%s' %s.\n", *word, wrong);
            return;
        }
    }
    /* A box is made on entry to MPI_Init. */
    wf_rundir_each(&guardian->rundir, "box-", "", reason_count_entry, &boxes);
    if (boxes > 0)
        fprintf(stderr, "weft: there is no profile: MPI_Init was called in %d process%s and did not succeed.\n", boxes,
                boxes == 1 ? "" : "es");
    else
        fprintf(stderr, "weft: there is no profile: no process called MPI_Init with weft's library loaded. weft "
                        "watches programs that use MPI. If this program does, it ended before MPI_Init, or LD_PRELOAD "
                        "was replaced on the way to it.\n");
}
