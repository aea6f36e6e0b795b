/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cli/command.h"
#include "cli/help.h"

struct help_options {
    const char *man, *completion;
};

static const struct wf_option options[] = {
    {"man", 0, WF_OPTION_TEXT, "COMMAND", NULL, "Print the man page of a command, or of weft itself, in roff.",
     offsetof(struct help_options, man)},
    {"completion", 0, WF_OPTION_CHOICE, "bash", NULL, "Print the completion script for this shell.",
     offsetof(struct help_options, completion)},
    {0},
};

static int cmd_help_run(int argc, char **argv);

const struct wf_command wf_command_help = {
    .name = "help",
    .usage = "[options] [COMMAND]",
    .summary = "describe a command",
    .description = "Prints the same as COMMAND --help: what the command does, and its options. Man pages and the "
                   "completion for bash are printed from the same tables.",
    .examples = "weft help report                # the same as weft report --help\n"
                "weft help --man report | man -l -  # the man page of weft report\n"
                "source <(weft help --completion bash)  # complete weft's command lines in this shell",
    .operand = "command",
    .options = options,
    .run = cmd_help_run,
};

static const struct wf_command *cmd_help_find(const char *name)
{
    return strcmp(name, "weft") != 0 ? wf_command_find(name) : &wf_command_weft;
}

static int cmd_help_print(const char *name, void (*printer)(FILE *, const struct wf_command *))
{
    const struct wf_command *command = cmd_help_find(name);
    if (!command)
        return wf_command_misused(&wf_command_help, "there is no command '%s'", name);
    printer(stdout, command);
    return WF_EXIT_OK;
}

static int cmd_help_run(int argc, char **argv)
{
    struct help_options values = {NULL, NULL};
    int status, first = wf_command_parse(&wf_command_help, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if (values.man)
        return cmd_help_print(values.man, wf_man_print);
    if (values.completion) {
        wf_completion_print(stdout);
        return WF_EXIT_OK;
    }
    if (argc - first > 1)
        return wf_command_misused(&wf_command_help, "give one command, not both '%s' and '%s'", argv[first],
                                  argv[first + 1]);
    return cmd_help_print(first < argc ? argv[first] : "weft", wf_help_print);
}
