/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "cli/command.h"
#include "cli/launch_guardian.h"

extern const struct wf_command wf_command_collect;

struct collect_options {
    const char *output;
    bool quiet, keep, force;
};

static const struct wf_option options[] = {
    {"output", 'o', WF_OPTION_TEXT, "FILE", NULL,
     "The profile to write. The default is the name that the run would have used.",
     offsetof(struct collect_options, output)},
    {"quiet", 'q', WF_OPTION_FLAG, NULL, NULL, "Print no summary.", offsetof(struct collect_options, quiet)},
    {"force", 'f', WF_OPTION_FLAG, NULL, NULL,
     "Replace an older profile of the same name instead of keeping it beside the new one.",
     offsetof(struct collect_options, force)},
    {"keep", 0, WF_OPTION_FLAG, NULL, NULL, "Keep the run directory.", offsetof(struct collect_options, keep)},
    {0},
};

struct collect_found {
    struct wf_rundir *rundir; /* the first */
    char names[2][PATH_MAX];
    int count;
};

static int cmd_collect_visit(struct wf_rundir *rundir, void *context)
{
    struct collect_found *found = context;
    if (found->count < 2)
        snprintf(found->names[found->count], sizeof found->names[0], "%s", rundir->path);
    if (found->count++ == 0)
        *found->rundir = *rundir;
    else
        wf_rundir_close(rundir);
    return 0;
}

/* Opens the only run directory of the current directory. If there are none or several, the user must name one. */
static int cmd_collect_find_directory(struct wf_rundir *rundir, struct wf_error *error)
{
    static struct collect_found found;
    found = (struct collect_found){.rundir = rundir};
    wf_rundir_each_here(cmd_collect_visit, &found);
    if (found.count > 1)
        return wf_error_set(error, "there are %d run directories here, among them %s and %s; name one", found.count,
                            found.names[0], found.names[1]);
    return found.count == 1
               ? 0
               : wf_error_set(error, "there is no run directory of yours (" WF_RUNDIR_PREFIX "*) here; name one");
}

/* The profile goes where the run would have put it; for a run of another user, to the current directory. */
static int cmd_collect_choose_folder(struct wf_guardian *guardian, struct wf_error *error)
{
    if (!guardian->output && guardian->rundir.own)
        wf_rundir_read(&guardian->rundir, "folder", guardian->folder, sizeof guardian->folder);
    return *guardian->folder ? 0 : wf_rundir_folder(guardian->output, guardian->folder, sizeof guardian->folder, error);
}

static int cmd_collect_from(const char *directory, const struct collect_options *o, struct wf_error *error)
{
    static struct wf_guardian guardian;
    guardian.output = o->output;
    guardian.quiet = o->quiet;
    guardian.keep = o->keep;
    guardian.force = o->force;
    if ((directory ? wf_rundir_open(&guardian.rundir, directory, error)
                   : cmd_collect_find_directory(&guardian.rundir, error)) != 0 ||
        cmd_collect_choose_folder(&guardian, error) != 0)
        return -1;
    error->text[0] = '\0';
    return wf_guardian_collect(&guardian);
}

static int cmd_collect_run(int argc, char **argv)
{
    struct collect_options o = {0};
    struct wf_error error = {""};
    int status = 0;
    int first = wf_command_parse(&wf_command_collect, argc, argv, false, &o, &status);
    if (first < 0)
        return status;
    int result = cmd_collect_from(argv[first], &o, &error);
    if (result != 0 && error.text[0])
        fprintf(stderr, "weft collect: %s\n", error.text);
    return result == 0 ? WF_EXIT_OK : WF_EXIT_FAILED;
}

const struct wf_command wf_command_collect = {
    .name = "collect",
    .usage = "[options] [DIRECTORY]",
    .summary = "make the profile of a run that could not make it itself",
    .description =
        "Merges the segments in a run directory (.weft-*) into a profile. weft run does this when the program has "
        "ended. A run directory is left only if that failed: the disk was full, or all processes were killed at once. "
        "With --keep, weft collect also makes a profile of a program that still runs.\n\n"
        "Without DIRECTORY, your only run directory in the current directory is used. A run directory of another user "
        "must be named; weft only reads it, and writes the profile to the current directory.\n\n"
        "An older profile of the same name is kept as NAME.1.weft, or with the next free number.",
    .examples = "weft collect   # the run directory in the current directory\n"
                "weft collect --keep -o now.weft .weft-Xa81Qz   # a look at a running program",
    .operand = "run",
    .options = options,
    .run = cmd_collect_run,
};
