/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/command.h"
#include "cli/launch_guardian.h"

extern const struct wf_command wf_command_collect;

struct collect_options {
    const char *output;
    bool quiet, keep;
};

static const struct wf_option options[] = {
    {"output", 'o', WF_OPTION_TEXT, "FILE", NULL, "The profile to write; otherwise the name that the run would have used.",
     offsetof(struct collect_options, output)},
    {"quiet", 'q', WF_OPTION_FLAG, NULL, NULL, "Print no summary.", offsetof(struct collect_options, quiet)},
    {"keep", 0, WF_OPTION_FLAG, NULL, NULL, "Keep the run directory.", offsetof(struct collect_options, keep)},
    {0},
};

static int is_run_directory(const struct dirent *entry)
{
    return strncmp(entry->d_name, WF_RUNDIR_PREFIX, strlen(WF_RUNDIR_PREFIX)) == 0;
}

/* The one run directory here; none or several are for the user to say. */
static char *find_directory(struct wf_error *error)
{
    struct dirent **entries;
    int n = scandir(".", &entries, is_run_directory, alphasort);
    char *found = n == 1 ? strdup(entries[0]->d_name) : NULL;
    if (n > 1)
        wf_error_set(error, "%d run directories are here, %s and %s among them; name one", n, entries[0]->d_name, entries[1]->d_name);
    else if (!found)
        wf_error_set(error, "there is no run directory (" WF_RUNDIR_PREFIX "*) here; name one");
    for (int i = 0; i < n; i++)
        free(entries[i]);
    if (n >= 0)
        free(entries);
    return found;
}

static int collect(const char *directory, const struct collect_options *o, struct wf_error *error)
{
    static struct wf_guardian guardian;
    struct stat status;
    if (stat(directory, &status) != 0)
        return wf_error_set(error, "%s: %s", directory, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return wf_error_set(error, "%s is not a run directory; give the one that a run left behind", directory);
    if (wf_rundir_folder(o->output, guardian.folder, sizeof guardian.folder, error) != 0)
        return -1;
    char *real = realpath(directory, NULL);
    snprintf(guardian.rundir.path, sizeof guardian.rundir.path, "%s", real ? real : directory);
    free(real);
    guardian.output = o->output;
    guardian.quiet = o->quiet;
    guardian.keep = o->keep;
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
    char *directory = argv[first] ? strdup(argv[first]) : find_directory(&error);
    int result = directory ? collect(directory, &o, &error) : -1;
    free(directory);
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
        "Without DIRECTORY, the one run directory in the current directory is taken.",
    .examples = "weft collect   # the run that was left behind here\n"
                "weft collect --keep -o now.weft .weft-Xa81Qz   # a look at a running program",
    .options = options,
    .run = run,
};
