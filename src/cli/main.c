/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/alias.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/suggest.h"

struct weft_options {
    bool version;
};

static const struct wf_option options[] = {
    {"version", 'V', WF_OPTION_FLAG, NULL, NULL, "Print weft's version and exit.",
     offsetof(struct weft_options, version)},
    {0},
};

const struct wf_command wf_command_weft = {
    .name = "weft",
    .usage = "COMMAND [options]",
    .summary = "measure MPI programs while they run, and show what their communication costs",
    .description =
        "weft watches an unmodified MPI program while it runs. Afterwards it shows the cost of each "
        "communication statement, by rank and partner. Programs need not be recompiled; with -g, statements "
        "are shown by source line.\n\n"
        "weft run leaves a profile, APP.weft, in the current directory. It is an SQLite database, which weft "
        "report and any other tool can read.",
    .examples = "weft run mpirun -n 4 ./app   # watch a run; leaves app.weft and prints a summary\n"
                "mpirun -n 4 weft run ./app   # the same in the other order\n"
                "weft report                  # show the newest profile in this directory\n"
                "weft report --site heat.c:214  # one statement, by partner\n"
                "weft doctor                  # check what works on this machine, and what is missing",
    .options = options,
};

static int main_run(int argc, char **argv)
{
    struct weft_options values = {false};
    int status, first = wf_command_parse(&wf_command_weft, argc, argv, true, &values, &status);
    if (first < 0)
        return status;
    if (values.version) {
        puts("weft " WEFT_VERSION);
        return WF_EXIT_OK;
    }
    if (first == argc) {
        wf_help_print(stderr, &wf_command_weft);
        return WF_EXIT_USAGE;
    }
    const struct wf_command *command = wf_command_find(argv[first]);
    return command ? command->run(argc - first, argv + first) : wf_suggest(argv + first);
}

/* If a standard descriptor is closed, the next file that is opened would get its number, and messages would be
 * written into that file. The descriptors are opened with O_CLOEXEC, so that the program finds them closed, as
 * without weft. */
static void main_reserve_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

int main(int argc, char **argv)
{
    main_reserve_standard_descriptors();
    setlocale(LC_CTYPE, "");
    const char *compiler = wf_alias_compiler(argv[0]);
    int status = compiler ? wf_alias_run(compiler, argc, argv) : main_run(argc, argv);
    /* An incomplete report on a full disk is a failure. */
    if ((fflush(stdout) || ferror(stdout)) && status == WF_EXIT_OK)
        status = wf_command_failed(&wf_command_weft, "cannot write the output: %s", strerror(errno));
    return status;
}
