/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "instrument/driver.h"
#include "instrument/instrument.h"
#include "instrument/mirror.h"
#include "instrument/tables.h"

struct instrument_options {
    const char *output, *tables, *compiler, *only, *skip, *filter;
    bool all, verbose;
};

static const struct wf_option options[] = {
    {"output", 'o', WF_OPTION_TEXT, "FILE", NULL,
     "Write the instrumented source to this file instead of printing it; it compiles like the original.",
     offsetof(struct instrument_options, output)},
    {"tables", 0, WF_OPTION_TEXT, "FILE", NULL, "Write the static tables to this file, as JSON; - prints them.",
     offsetof(struct instrument_options, tables)},
    {"compiler", 0, WF_OPTION_TEXT, "COMPILER", "WEFT_INSTRUMENT_COMPILER",
     "Read the source as this compiler does (mpicc or mpicxx, else cc or c++).",
     offsetof(struct instrument_options, compiler)},
    {"only", 0, WF_OPTION_TEXT, "PATTERN,...", "WEFT_CC_ONLY", "As for weft cc.",
     offsetof(struct instrument_options, only)},
    {"skip", 0, WF_OPTION_TEXT, "PATTERN,...", "WEFT_CC_SKIP", "As for weft cc.",
     offsetof(struct instrument_options, skip)},
    {"filter", 0, WF_OPTION_TEXT, "FILE", "WEFT_CC_FILTER", "As for weft cc.",
     offsetof(struct instrument_options, filter)},
    {"all", 0, WF_OPTION_FLAG, NULL, "WEFT_CC_ALL", "Give probes to leaves, too.",
     offsetof(struct instrument_options, all)},
    {"verbose", 'v', WF_OPTION_FLAG, NULL, NULL, "List on stderr what got no probe, and why.",
     offsetof(struct instrument_options, verbose)},
    {0},
};

static int cmd_instrument_run(int argc, char **argv);

const struct wf_command wf_command_instrument = {
    .name = "instrument",
    .usage = "[options] FILE [-- compiler flags]",
    .summary = "show a source file with its probes, and its static tables",
    .description =
        "Does what weft cc does with one C or C++ source, for you to look at: prints the source with its probes, "
        "or writes it to a file that compiles by itself. Headers are not changed. The static tables hold the "
        "loops, calls and communication statements of each procedure and of each loop, as places "
        "file:line.\n\n"
        "The flags after -- are those that the file is compiled with (-I, -D, -std, ...).",
    .examples = "weft instrument foo.c | less                          # the source with its probes\n"
                "weft instrument foo.c -o foo.weft.c --tables t.json    # both, to files\n"
                "weft instrument -v --all foo.cpp -o /dev/null -- -Iinc # what cannot be instrumented, and why",
    .options = options,
    .run = cmd_instrument_run,
};

/* ---- the compiler to ask ---- */

static bool instrument_in_path(const char *program)
{
    const char *path = getenv("PATH");
    char candidate[4096];
    while (path && *path) {
        size_t bytes = strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)bytes, path, program);
        if (access(candidate, X_OK) == 0)
            return true;
        path += bytes + (path[bytes] == ':');
    }
    return false;
}

static const char *instrument_usual_compiler(const char *file)
{
    const char *dot = strrchr(file, '.');
    bool c = !dot || !strcmp(dot, ".c");
    const char *wrapper = c ? "mpicc" : "mpicxx";
    return instrument_in_path(wrapper) ? wrapper : c ? "cc" : "c++";
}

/* ---- one file ---- */

static int instrument_write_output(const char *path, const struct wf_buffer *text, struct wf_error *error)
{
    FILE *file = path ? fopen(path, "we") : NULL, *out = file ? file : stdout;
    if (path && !file)
        return wf_error_set(error, "cannot write %s: %s", path, strerror(errno));
    bool failed = fwrite(text->data, 1, text->length, out) != text->length || fflush(out) != 0;
    if (file)
        failed |= fclose(file) != 0;
    return failed ? wf_error_set(error, "cannot write %s: %s", path ? path : "the source", strerror(errno)) : 0;
}

static int instrument_write_tables(const char *path, const struct wf_source_unit *unit, struct wf_error *error)
{
    FILE *out = strcmp(path, "-") ? fopen(path, "we") : stdout;
    if (!out)
        return wf_error_set(error, "cannot write %s: %s", path, strerror(errno));
    int result = wf_tables_write_json(unit, out);
    if (out != stdout)
        result |= fclose(out);
    return result ? wf_error_set(error, "cannot write the tables to %s: %s", path, strerror(errno)) : 0;
}

static int instrument_show(const struct instrument_options *values, const struct wf_instrument *instrument,
                           struct wf_error *error)
{
    if (values->verbose)
        wf_instrument_list(instrument, true, stderr);
    if (values->tables && instrument_write_tables(values->tables, &instrument->unit, error))
        return -1;
    bool to_stdout = !values->output || !strcmp(values->output, "-");
    if (to_stdout && values->tables)
        return 0; /* only the tables were asked for */
    return instrument_write_output(to_stdout ? NULL : values->output, &instrument->rewritten[0].text, error);
}

static int instrument_file(const struct instrument_options *values, struct wf_instrument *instrument,
                           struct wf_error *error)
{
    int result = wf_instrument_prepare(instrument, error);
    if (result > 0)
        return wf_error_set(error, "%s has no procedure: there is nothing to instrument", instrument->path);
    if (result == 0)
        result = wf_instrument_verify(instrument, true, error);
    return result < 0 ? -1 : instrument_show(values, instrument, error);
}

static int instrument_ask_compiler(struct wf_compiler *compiler, const struct wf_command_line *line,
                                   struct wf_error *error)
{
    struct wf_mirror mirror;
    struct wf_child child;
    if (wf_mirror_open(&mirror, error))
        return -1;
    int result = wf_compiler_ask(&child, line, &line->inputs[0], mirror.top, error);
    if (result == 0)
        result = wf_compiler_hear(compiler, &child, line, error);
    wf_mirror_close(&mirror);
    return result;
}

static int instrument_as_compiled(const struct instrument_options *values, const char *file, char **flags,
                                  const struct wf_filter *filter, struct wf_error *error)
{
    struct wf_words words = {0};
    struct wf_command_line line;
    struct wf_compiler compiler = {0};
    wf_words_add(&words, values->compiler ? values->compiler : instrument_usual_compiler(file));
    for (; *flags; flags++)
        wf_words_add(&words, *flags);
    wf_words_add(&words, file);
    wf_command_line_read(&line, words.items);
    char *header = wf_driver_probe_header();
    struct wf_instrument instrument = {
        .path = file, .line = &line, .compiler = &compiler, .filter = filter, .probe_header = header};
    int result = line.input_count == 1 && line.inputs[0].language == WF_LANGUAGE_C
                     ? instrument_ask_compiler(&compiler, &line, error)
                     : wf_error_set(error, "%s is not a C or C++ source", file);
    if (result == 0)
        result = instrument_file(values, &instrument, error);
    wf_instrument_fini(&instrument);
    wf_compiler_fini(&compiler);
    wf_command_line_fini(&line);
    wf_words_fini(&words);
    free(header);
    return result;
}

static int cmd_instrument_run(int argc, char **argv)
{
    struct instrument_options values = {0};
    struct wf_filter filter = {0};
    struct wf_error error;
    int own = 1; /* words before -- */
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    char **flags = argv + own + (own < argc);
    int status, first = wf_command_parse(&wf_command_instrument, own, argv, false, &values, &status);
    if (first < 0)
        return status;
    if (own - first != 1)
        return wf_command_misused(&wf_command_instrument,
                                  own == first ? "which file?" : "one file at a time, and compiler flags after --");
    filter.all = values.all;
    wf_filter_add(&filter.only, values.only);
    wf_filter_add(&filter.skip, values.skip);
    int result = values.filter ? wf_filter_read(&filter, values.filter, &error) : 0;
    if (result == 0)
        result = access(argv[first], R_OK) ? wf_error_set(&error, "cannot read %s: %s", argv[first], strerror(errno))
                                           : instrument_as_compiled(&values, argv[first], flags, &filter, &error);
    wf_filter_fini(&filter);
    return result ? wf_command_failed(&wf_command_instrument, "%s", error.text) : WF_EXIT_OK;
}
