/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "cli/command.h"
#include "instrument/driver.h"

struct options {
    const char *only, *skip, *filter;
    bool all, verbose;
};

static const struct wf_option options[] = {
    {"only", 0, WF_OPTION_TEXT, "PATTERN,...", "WEFT_CC_ONLY",
     "Give probes only to procedures and files that match; a procedure that is named gets one even if it is a leaf.", offsetof(struct options, only)},
    {"skip", 0, WF_OPTION_TEXT, "PATTERN,...", "WEFT_CC_SKIP", "Give no probes to procedures and files that match.", offsetof(struct options, skip)},
    {"filter", 0, WF_OPTION_TEXT, "FILE", "WEFT_CC_FILTER", "Read more patterns from a file with lines 'only PATTERN' and 'skip PATTERN'.",
     offsetof(struct options, filter)},
    {"all", 0, WF_OPTION_FLAG, NULL, "WEFT_CC_ALL", "Give probes to leaves too: short procedures, and loops that call nothing of the program.",
     offsetof(struct options, all)},
    {"verbose", 'v', WF_OPTION_FLAG, NULL, "WEFT_CC_VERBOSE", "Say what got no probe and why.", offsetof(struct options, verbose)},
    {0},
};

static int run(int argc, char **argv);

const struct wf_command wf_command_cc = {
    .name = "cc",
    .usage = "[options] COMPILER [arguments of the compiler]",
    .summary = "compile with procedures, loops, calls and MPI statements instrumented",
    .description =
        "Runs the compiler on instrumented copies of the C and C++ sources that its arguments name. Messages, debug information and dependency "
        "files name the original files and lines, and the exit status is the compiler's. Everything else (linking, assembling, preprocessing) is "
        "passed to the compiler as it is. A program built so runs with and without weft run.\n\n"
        "Debug information (-g or -g1) is added unless the arguments say something about it; it changes no code. Fortran and other languages of "
        "gcc are compiled with -finstrument-functions: procedures only.\n\n"
        "A file that cannot be parsed is compiled without probes, with one warning. By default leaves get no probe either: procedures "
        "without loops and calls that could last, and loops that call nothing of the program; weft instrument -v lists them.\n\n"
        "Patterns are those of the shell (* ? [a-z]) and are compared with the names of procedures (in C++ qualified or not) and of files "
        "(with or without directory). Build systems that take no options of weft pass them as variables.",
    .examples = "weft cc mpicc -O2 -c foo.c                            # one file\n"
                "CC=\"weft cc mpicc\" make                               # any makefile or configure\n"
                "cmake -DCMAKE_C_COMPILER_LAUNCHER=\"weft;cc\" ..        # CMake; for C++ CMAKE_CXX_COMPILER_LAUNCHER\n"
                "WEFT_CC_SKIP='*_test.c,debug_*' make CC=\"weft cc mpicc\"  # leave some out",
    .options = options,
    .run = run,
    .environment = "TMPDIR         # where the instrumented copies are for a moment; else /tmp\n"
                   "WEFT_LIBCLANG  # the libclang to parse with, if not the usual one",
    .exit_status = "the compiler's   # when it ran\n"
                   "2                # wrong usage of weft cc itself\n"
                   "127              # the compiler was not found",
};

static int run(int argc, char **argv)
{
    struct options values = {0};
    struct wf_filter filter = {0};
    struct wf_error error;
    int status, first = wf_command_parse(&wf_command_cc, argc, argv, true, &values, &status);
    if (first < 0)
        return status;
    if (first >= argc)
        return wf_command_misused(&wf_command_cc, "which compiler? For instance: weft cc mpicc -c foo.c");
    filter.all = values.all;
    wf_filter_add(&filter.only, values.only);
    wf_filter_add(&filter.skip, values.skip);
    if (values.filter && wf_filter_read(&filter, values.filter, &error)) {
        wf_filter_fini(&filter);
        return wf_command_failed(&wf_command_cc, "%s", error.text);
    }
    struct wf_driver driver = {.filter = &filter, .verbose = values.verbose};
    status = wf_driver_run(&driver, argv + first);
    wf_filter_fini(&filter);
    return status;
}
