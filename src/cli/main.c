/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyse/nearest.h"
#include "cli/command.h"
#include "cli/help.h"

struct options {
    bool version;
};

static const struct wf_option options[] = {
    {"version", 'V', WF_OPTION_FLAG, NULL, NULL, "Print weft's version and exit.",
     offsetof(struct options, version)},
    {0},
};

const struct wf_command wf_command_weft = {
    .name = "weft",
    .usage = "COMMAND [options]",
    .summary = "watch MPI programs and tell what their communication costs",
    .description = "weft watches an unmodified MPI program while it runs and tells afterwards which "
                   "communication statements cost how much, "
                   "between whom and on which ranks. It needs no recompilation; programs compiled with -g "
                   "are shown by source line.\n\n"
                   "weft run leaves a profile, APP.weft, in the current directory: an SQLite database that "
                   "weft report reads, and any other "
                   "tool can.",
    .examples = "weft run mpirun -n 4 ./app   # watch a run; leaves app.weft and prints a summary\n"
                "mpirun -n 4 weft run ./app   # the other order: the same\n"
                "weft report                  # what the newest profile here says\n"
                "weft report --site heat.c:214  # one statement, by partner\n"
                "weft doctor                  # what works on this machine, and what is missing",
    .options = options,
};

static int unknown_command(const char *name)
{
    const struct wf_command *nearest = NULL;
    int least = 0;
    for (const struct wf_command *const *c = wf_commands; *c; c++) {
        int distance = wf_nearest_distance(name, (*c)->name);
        if (!nearest || distance < least) {
            nearest = *c;
            least = distance;
        }
    }
    if (nearest && wf_nearest_close(name, least))
        return wf_command_misused(&wf_command_weft, "unknown command '%s', did you mean '%s'?", name,
                                  nearest->name);
    return wf_command_misused(&wf_command_weft, "unknown command '%s'", name);
}

static int run(int argc, char **argv)
{
    struct options values = {false};
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
    return command ? command->run(argc - first, argv + first) : unknown_command(argv[first]);
}

/* Where one of the standard descriptors is closed, the next file that is opened would become it, and what is said would be written into that file. What weft
 * starts finds it closed, as it would without weft. */
static void reserve_standard_descriptors(void)
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
    reserve_standard_descriptors();
    setlocale(LC_CTYPE, "");
    int status = run(argc, argv);
    /* A report that did not reach a full disk is a failure. */
    if ((fflush(stdout) || ferror(stdout)) && status == WF_EXIT_OK)
        status = wf_command_failed(&wf_command_weft, "cannot write the output: %s", strerror(errno));
    return status;
}
