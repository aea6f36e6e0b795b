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
    {"output", 'o', WF_OPTION_TEXT, "FILE", NULL, "The profile to write; otherwise the name that the run would have used.",
     offsetof(struct collect_options, output)},
    {"quiet", 'q', WF_OPTION_FLAG, NULL, NULL, "Print no summary.", offsetof(struct collect_options, quiet)},
    {"force", 'f', WF_OPTION_FLAG, NULL, NULL, "Replace an older profile of that name, instead of keeping it beside the new one.",
     offsetof(struct collect_options, force)},
    {"keep", 0, WF_OPTION_FLAG, NULL, NULL, "Keep the run directory.", offsetof(struct collect_options, keep)},
    {0},
};

struct found {
    struct wf_rundir *rundir; /* the first */
    char names[2][PATH_MAX];
    int count;
};

static int visit_run(struct wf_rundir *rundir, void *context)
{
    struct found *found = context;
    if (found->count < 2)
        snprintf(found->names[found->count], sizeof found->names[0], "%s", rundir->path);
    if (found->count++ == 0)
        *found->rundir = *rundir;
    else
        wf_rundir_close(rundir);
    return 0;
}

/* The one run directory of this folder; none or several are for the user to say. */
static int find_directory(struct wf_rundir *rundir, struct wf_error *error)
{
    static struct found found;
    found = (struct found){.rundir = rundir};
    wf_rundir_each_here(visit_run, &found);
    if (found.count > 1)
        return wf_error_set(error, "%d run directories are here, %s and %s among them; name one", found.count, found.names[0], found.names[1]);
    return found.count == 1 ? 0 : wf_error_set(error, "there is no run directory of yours (" WF_RUNDIR_PREFIX "*) here; name one");
}

/* Where the run would have put the profile; from a directory of somebody else, here. */
static int choose_folder(struct wf_guardian *guardian, struct wf_error *error)
{
    if (!guardian->output && guardian->rundir.own)
        wf_rundir_read(&guardian->rundir, "folder", guardian->folder, sizeof guardian->folder);
    return *guardian->folder ? 0 : wf_rundir_folder(guardian->output, guardian->folder, sizeof guardian->folder, error);
}

static int collect(const char *directory, const struct collect_options *o, struct wf_error *error)
{
    static struct wf_guardian guardian;
    guardian.output = o->output;
    guardian.quiet = o->quiet;
    guardian.keep = o->keep;
    guardian.force = o->force;
    if ((directory ? wf_rundir_open(&guardian.rundir, directory, error) : find_directory(&guardian.rundir, error)) != 0 ||
        choose_folder(&guardian, error) != 0)
        return -1;
    error->text[0] = '\0';
    return wf_guardian_collect(&guardian);
}

static int run(int argc, char **argv)
{
    struct collect_options o = {0};
    struct wf_error error = {""};
    int status = 0;
    int first = wf_command_parse(&wf_command_collect, argc, argv, false, &o, &status);
    if (first < 0)
        return status;
    int result = collect(argv[first], &o, &error);
    if (result != 0 && error.text[0])
        fprintf(stderr, "weft collect: %s\n", error.text);
    return result == 0 ? WF_EXIT_OK : WF_EXIT_FAILED;
}

const struct wf_command wf_command_collect = {
    .name = "collect",
    .usage = "[options] [DIRECTORY]",
    .summary = "make the profile of a run that could not make it itself",
    .description =
        "Merges the segments in a run directory (.weft-*) into a profile. weft run does this by itself when the program has ended; a directory is "
        "left behind only where that was not possible: the disk was full, or everything was killed at once. It can also be used while the program "
        "runs, with --keep, to see how far it is.\n\n"
        "Without DIRECTORY, the one run directory of yours in the current directory is taken. One that belongs to somebody else has to be named; it is only read, "
        "and the profile is written here.\n\n"
        "An older profile of that name is kept beside the new one, as NAME.1.weft or the next number that is free.",
    .examples = "weft collect   # the run that was left behind here\n"
                "weft collect --keep -o now.weft .weft-Xa81Qz   # a look at a running program",
    .options = options,
    .run = run,
};
