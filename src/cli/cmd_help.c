/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"

struct options {
    const char *man, *completion;
};

static const struct wf_option options[] = {
    {"man", 0, WF_OPTION_TEXT, "COMMAND", NULL,
     "Print the man page of a command, or of weft itself, in roff.", offsetof(struct options, man)},
    {"completion", 0, WF_OPTION_CHOICE, "bash", NULL, "Print a completion for this shell.",
     offsetof(struct options, completion)},
    {0},
};

static int run(int argc, char **argv);

const struct wf_command wf_command_help = {
    .name = "help",
    .usage = "[options] [COMMAND]",
    .summary = "tell more about a command",
    .description = "Prints what COMMAND --help prints: what the command does, and its options. Man pages and "
                   "the completion for bash are "
                   "printed from the same tables.",
    .examples = "weft help report                # the same as weft report --help\n"
                "weft help --man report | man -l -  # its man page\n"
                "source <(weft help --completion bash)  # complete weft's words in this shell",
    .options = options,
    .run = run,
};

static const struct wf_command *find(const char *name)
{
    return strcmp(name, "weft") != 0 ? wf_command_find(name) : &wf_command_weft;
}

static int print(const char *name, void (*printer)(FILE *, const struct wf_command *))
{
    const struct wf_command *command = find(name);
    if (!command)
        return wf_command_misused(&wf_command_help, "there is no command '%s'", name);
    printer(stdout, command);
    return WF_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct options values = {NULL, NULL};
    int status, first = wf_command_parse(&wf_command_help, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if (values.man)
        return print(values.man, wf_man_print);
    if (values.completion) {
        wf_completion_print(stdout);
        return WF_EXIT_OK;
    }
    if (argc - first > 1)
        return wf_command_misused(&wf_command_help, "one command at a time, not '%s' and '%s'", argv[first],
                                  argv[first + 1]);
    return print(first < argc ? argv[first] : "weft", wf_help_print);
}
