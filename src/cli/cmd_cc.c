/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>

#include "cli/alias.h"
#include "cli/command.h"
#include "instrument/driver.h"

struct cc_options {
    const char *only, *skip, *filter;
    bool all, verbose;
};

static const struct wf_option options[] = {
    {"only", 0, WF_OPTION_TEXT, "PATTERN,...", "WEFT_CC_ONLY",
     "Give probes only to procedures and files that match; a procedure that is named gets one even if it is a leaf.",
     offsetof(struct cc_options, only)},
    {"skip", 0, WF_OPTION_TEXT, "PATTERN,...", "WEFT_CC_SKIP", "Give no probes to procedures and files that match.",
     offsetof(struct cc_options, skip)},
    {"filter", 0, WF_OPTION_TEXT, "FILE", "WEFT_CC_FILTER",
     "Read more patterns from a file with lines 'only PATTERN' and 'skip PATTERN'.",
     offsetof(struct cc_options, filter)},
    {"all", 0, WF_OPTION_FLAG, NULL, "WEFT_CC_ALL",
     "Give probes to leaves, too: short procedures, and loops with only short calls.",
     offsetof(struct cc_options, all)},
    {"verbose", 'v', WF_OPTION_FLAG, NULL, "WEFT_CC_VERBOSE", "List what got no probe, and why.",
     offsetof(struct cc_options, verbose)},
    {0},
};

#define ALIAS_LINE(name, compiler) "    " name "  =  weft cc " compiler "\n"
#define ALIAS_LINES WF_ALIASES(ALIAS_LINE)

static int cmd_cc_run(int argc, char **argv);

const struct wf_command wf_command_cc = {
    .name = "cc",
    .usage = "[options] COMPILER [arguments of the compiler]",
    .summary = "compile with procedures, loops, calls and MPI statements instrumented",
    .description =
        "Runs the compiler on instrumented copies of the C and C++ sources among its arguments. Messages, debug "
        "information and dependency files name the original files and lines, and the exit status is the "
        "compiler's. Other steps (linking, assembling, preprocessing) are passed to the compiler unchanged. A "
        "program built this way runs with and without weft run.\n\n"
        "weft cc adds -g or -g1 unless the arguments have an option for debug information; this changes no "
        "code. gcc's other languages, such as Fortran, are compiled with -finstrument-functions: procedures "
        "have probes, loops do not.\n\n"
        "A file that cannot be parsed is compiled without probes, with one warning. By default leaves get no "
        "probe either: procedures without loops whose calls are all known to be short, and loops with only "
        "such calls. weft instrument -v lists them.\n\n"
        "Calls of a library are known to be short if they only compute a value or move memory: string, "
        "math and character functions, malloc, clocks, accesses to C++ containers. All other library calls "
        "may last (fftw_execute, printf, qsort, std::sort), and give their procedure and loop a probe.\n\n"
        "Where CC has to be one word, a link to weft stands for weft cc and a compiler. All its arguments "
        "are the compiler's; options of weft cc are passed as variables.\n\n" ALIAS_LINES "\n"
        "Patterns are those of the shell (* ? [a-z]). They are compared with the names of procedures (in C++ "
        "qualified or not) and of files (with or without directory).",
    .examples = "weft cc mpicc -O2 -c foo.c                            # one file\n"
                "CC=\"weft cc mpicc\" make                               # any makefile or configure\n"
                "make CC=weft-mpicc                                    # where CC has to be one word\n"
                "cmake -DCMAKE_C_COMPILER_LAUNCHER=\"weft;cc\" ..        # CMake; for C++ CMAKE_CXX_COMPILER_LAUNCHER\n"
                "WEFT_CC_SKIP='*_test.c,debug_*' make CC=\"weft cc mpicc\"  # leave some out",
    .options = options,
    .operand = "program",
    .run = cmd_cc_run,
    .environment = "TMPDIR         # the directory for the instrumented copies, by default /tmp\n"
                   "WEFT_LIBCLANG  # the libclang library to parse with",
    .exit_status = "the compiler's   # if it ran\n"
                   "2                # the command line of weft cc itself is wrong\n"
                   "127              # the compiler was not found",
};

static int cmd_cc_run(int argc, char **argv)
{
    struct cc_options values = {0};
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
