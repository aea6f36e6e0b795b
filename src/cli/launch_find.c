/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_find.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/launch_alive.h"

const char *wf_run_name(const struct wf_rundir *run)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length > 1 && strncmp(run->path, here, length) == 0 && run->path[length] == '/' ? run->path + length + 1
                                                                                           : run->path;
}

static bool find_is_running(const struct wf_rundir *run)
{
    return wf_alive_segment(run, NULL) || wf_alive_rank(run, NULL) || wf_alive_elsewhere(run);
}

/* Opens the run directory with this path, or with this name after the prefix. */
static int find_open_named(struct wf_rundir *run, const char *word, const char *instead, struct wf_error *error)
{
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%.*s", PATH_MAX - 1, word);
    if (lstat(path, &status) != 0)
        snprintf(path, sizeof path, "./" WF_RUNDIR_PREFIX "%.*s", PATH_MAX - 64, word);
    if (lstat(path, &status) != 0)
        return wf_error_set(
            error, "there is no run '%s'; name the run directory (" WF_RUNDIR_PREFIX "*) that weft run made", word);
    if (wf_rundir_open(run, path, error) != 0)
        return -1;
    if (!find_is_running(run))
        return wf_error_set(error, "no process of the run '%s' is alive; %s of a run that has ended", word, instead);
    return 0;
}

static bool find_is_newer(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

struct find_newest {
    struct wf_rundir *run;
    struct stat status;
    bool found;
};

static int find_visit(struct wf_rundir *rundir, void *context)
{
    struct find_newest *newest = context;
    struct stat status;
    if (fstat(rundir->fd, &status) != 0 || !find_is_running(rundir) ||
        (newest->found && !find_is_newer(&status, &newest->status))) {
        wf_rundir_close(rundir);
        return 0;
    }
    if (newest->found)
        wf_rundir_close(newest->run);
    *newest->run = *rundir;
    newest->status = status;
    newest->found = true;
    return 0;
}

/* Opens the newest run of this directory that has live processes. */
static int find_newest(struct wf_rundir *run, struct wf_error *error)
{
    struct find_newest newest = {.run = run};
    wf_rundir_each_here(find_visit, &newest);
    return newest.found ? 0
                        : wf_error_set(error, "no run (" WF_RUNDIR_PREFIX
                                              "*) in this directory has live processes; name its run directory");
}

int wf_run_find(struct wf_rundir *run, const char *word, const char *instead, struct wf_error *error)
{
    return word ? find_open_named(run, word, instead, error) : find_newest(run, error);
}
