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

static bool disk_is_full(const struct wf_guardian *guardian)
{
    struct statvfs disk;
    return fstatvfs(guardian->rundir.fd, &disk) == 0 && (disk.f_bavail * disk.f_frsize < (1u << 20) || (disk.f_files && disk.f_favail == 0));
}

/* The guardian has lifted the soft limit for itself, not the hard one. */
static bool is_limited(int resource)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 && limit.rlim_max != RLIM_INFINITY;
}

static void say_no_space(const struct wf_guardian *guardian)
{
    const char *why = disk_is_full(guardian)     ? "the disk is full; make room, or name a file elsewhere with -o"
                      : is_limited(RLIMIT_FSIZE) ? "files may not become large enough here (ulimit -f)"
                      : is_limited(RLIMIT_AS)    ? "memory is limited here (ulimit -v); --segment-size makes the need smaller"
                                                 : "the processes got no disk space or no memory for their records; the line above tells which, "
                                                   "and --segment-size makes the need smaller";
    fprintf(stderr, "weft: no rank could be watched, so there is no profile: %s.\n", why);
}

/* ---- the command ---- */

/* Does a script set or clear the variable that weft's library comes with? */
static bool takes_preload_away(const char *path)
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

/* The loader takes no libraries from a user for a program with rights that the user does not have. */
static bool has_more_rights(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    return ((status.st_mode & S_ISUID) && status.st_uid != getuid()) || ((status.st_mode & S_ISGID) && status.st_gid != getgid());
}

/* A word without a slash may name a program, or be an argument that has the name of one: only what is rare there is said of it. */
static const char *what_is_wrong_with(const char *word, bool first)
{
    char path[PATH_MAX];
    if (strncmp(word, "LD_PRELOAD", strlen("LD_PRELOAD")) == 0)
        return "replaces LD_PRELOAD, with which weft's library comes; put weft run behind it, in front of the program";
    if (!wf_launch_find_program(word, path, sizeof path))
        return NULL;
    if (wf_launch_is_static(word))
        return "is statically linked and cannot be watched; link it dynamically";
    if (!first && !strchr(word, '/'))
        return NULL;
    if (has_more_rights(path))
        return "is setuid or setgid, and the loader gives such a program no library of yours; watch a copy without these rights";
    if (takes_preload_away(path))
        return "sets or clears LD_PRELOAD, with which weft's library comes; let it keep what is in there, or put weft run behind it";
    return NULL;
}

static int count_entry(const char *name, void *context)
{
    (void)name;
    ++*(int *)context;
    return 0;
}

void wf_reason_say(const struct wf_guardian *guardian, int segments)
{
    int boxes = 0;
    if (segments > 0) {
        say_no_space(guardian);
        return;
    }
    for (char **word = guardian->argv; word && *word; word++) {
        const char *wrong = what_is_wrong_with(*word, word == guardian->argv);
        if (wrong) {
            fprintf(stderr, "weft: there is no profile: '%s' %s.\n", *word, wrong);
            return;
        }
    }
    /* Made when MPI_Init is entered. */
    wf_rundir_each(&guardian->rundir, "box-", "", count_entry, &boxes);
    if (boxes > 0)
        fprintf(stderr, "weft: there is no profile: MPI_Init was called in %d process%s, and did not succeed in any.\n", boxes, boxes == 1 ? "" : "es");
    else
        fprintf(stderr, "weft: there is no profile: no process called MPI_Init with weft's library loaded. weft watches programs that use MPI; if this one "
                        "does, it ended before, or something between weft and it replaces LD_PRELOAD.\n");
}
