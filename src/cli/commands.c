/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The only list of commands. A new command is a new file cmd_NAME.c and two lines here.
 */
#include "cli/command.h"

#include <string.h>

extern const struct wf_command wf_command_run, wf_command_cc, wf_command_instrument, wf_command_collect,
    wf_command_report, wf_command_path, wf_command_stuck, wf_command_query, wf_command_doctor, wf_command_help;

/* in the order of "weft --help" */
const struct wf_command *const wf_commands[] = {
    &wf_command_run,
    &wf_command_report,
    &wf_command_path,
    &wf_command_stuck,
    &wf_command_query,
    &wf_command_cc,
    &wf_command_instrument,
    &wf_command_collect,
    &wf_command_doctor,
    &wf_command_help,
    NULL,
};

const struct wf_command *wf_command_find(const char *name)
{
    for (const struct wf_command *const *command = wf_commands; *command; command++)
        if (!strcmp((*command)->name, name))
            return *command;
    return NULL;
}
