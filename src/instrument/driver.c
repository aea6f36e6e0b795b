/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/clang.h"
#include "instrument/job.h"
#include "instrument/recall.h"

#ifndef WEFT_INCLUDE_DIR
#define WEFT_INCLUDE_DIR "/usr/include"
#endif

/* ---- the compiler without probes ---- */

enum { WF_NO_COMPILER = 127, WF_NOT_RUNNABLE = 126 }; /* as in shells */

static int driver_cannot_run(const char *program, int error)
{
    fprintf(stderr, "weft cc: cannot run %s: %s\n", program, strerror(error));
    return error == ENOENT ? WF_NO_COMPILER : WF_NOT_RUNNABLE;
}

static int driver_run_as_it_is(const struct wf_words *words)
{
    if (!words->count)
        return WF_NO_COMPILER;
    execvp(words->items[0], words->items);
    return driver_cannot_run(words->items[0], errno);
}

/* Adds the command line with these options before its own. */
static void driver_with_options(const struct wf_command_line *line, const char *const *options, struct wf_words *words)
{
    for (size_t i = 0; i < line->words.count; i++) {
        if (i == line->compiler_words)
            for (const char *const *option = options; *option; option++)
                wf_words_add(words, *option);
        wf_words_add(words, line->words.items[i]);
    }
}

static void driver_plain_words(const struct wf_command_line *line, struct wf_words *words)
{
    const char *const options[] = {line->debug_given ? NULL : "-g", NULL};
    driver_with_options(line, options, words);
}

static void driver_warn(const struct wf_step *step)
{
    fprintf(stderr, "weft cc: warning: %s: %s, compiled without probes\n", step->input->path, step->why_not);
}

/* Runs the original command line. Messages go to stderr at once, or into the buffer if that is not NULL. */
static int driver_run_plain(const struct wf_job *job, struct wf_buffer *messages)
{
    struct wf_words words = {0};
    struct wf_child child;
    driver_plain_words(&job->line, &words);
    if (messages && wf_messages_want_colour(&job->line))
        wf_words_add(&words, "-fdiagnostics-color");
    int error = wf_job_start(&child, &words, messages ? WF_CHILD_CATCH_ERRORS : 0);
    int status = error ? driver_cannot_run(words.items[0], error) : wf_job_finish(&child, messages);
    wf_words_fini(&words);
    return status;
}

/* Warns of files without probes. If the compiler rejects the program, its own messages are enough. */
static int driver_warn_if_compiled(const struct wf_job *job, int status)
{
    for (size_t i = 0; status == 0 && i < job->step_count; i++)
        if (!job->steps[i].instrumented && job->steps[i].why_not)
            driver_warn(&job->steps[i]);
    return status;
}

/* ---- languages that gcc instruments itself ---- */

static int driver_compile_by_compiler(const struct wf_command_line *line)
{
    const char *const options[] = {"-finstrument-functions", line->debug_given ? NULL : "-g", NULL};
    struct wf_words words = {0};
    struct wf_child child;
    struct wf_buffer errors = {0};
    driver_with_options(line, options, &words);
    int error = wf_job_start(&child, &words, WF_CHILD_CATCH_ERRORS);
    int status = error ? 127 : wf_job_finish(&child, &errors);
    wf_words_fini(&words);
    if (status == 0)
        fwrite(wf_buffer_text(&errors), 1, errors.length, stderr);
    wf_buffer_fini(&errors);
    return status == 0 ? 0 : driver_run_as_it_is(&line->words);
}

/* ---- steps ---- */

/* Asks the compiler, if its answer is not known, and loads libclang at the same time. */
static int driver_prepare_step(struct wf_job *job, struct wf_step *step)
{
    struct wf_error error, missing;
    struct wf_child child;
    if (wf_recall(&step->compiler, &job->line, step->input)) {
        if (wf_clang_load(&missing) == 0)
            return 0;
        wf_step_set_why_not(step, missing.text);
        return -1;
    }
    if (wf_compiler_ask(&child, &job->line, step->input, job->mirror.top, &error)) {
        wf_step_set_why_not(step, error.text);
        return -1;
    }
    int loaded = wf_clang_load(&missing);
    int heard = wf_compiler_hear(&step->compiler, &child, &job->line, &error);
    if (!heard)
        wf_recall_keep(&step->compiler, &job->line, step->input);
    if (loaded || heard)
        wf_step_set_why_not(step, loaded ? missing.text : error.text);
    return loaded || heard ? -1 : 0;
}

/* ---- compiling ---- */

static bool driver_any_instrumented(const struct wf_job *job)
{
    for (size_t i = 0; i < job->step_count; i++)
        if (job->steps[i].instrumented)
            return true;
    return false;
}

/* Runs the compiler on the copies while the workers verify them. Returns the worst answer of the workers. */
static int driver_compile_once(struct wf_job *job, struct wf_buffer *messages, int *status)
{
    struct wf_words words = {0};
    struct wf_child child;
    int worst = WF_WORKER_RIGHT;
    wf_substitute_words(job, &words);
    int error = wf_job_start(&child, &words, WF_CHILD_CATCH_ERRORS);
    for (size_t i = 0; i < job->step_count; i++) {
        struct wf_step *step = &job->steps[i];
        int answer = step->worker > 0 ? wf_worker_end(step) : WF_WORKER_RIGHT;
        if (answer == WF_WORKER_WRONG)
            wf_step_set_why_not(step, "its instrumented text differs in more than probes");
        worst = answer > worst ? answer : worst;
    }
    *status = error ? 127 : wf_job_finish(&child, messages);
    wf_words_fini(&words);
    return worst;
}

static int driver_compile_copies(struct wf_job *job, struct wf_buffer *messages, int *status)
{
    int answer = driver_compile_once(job, messages, status);
    if (answer == WF_WORKER_CHANGED) {
        wf_buffer_fini(messages);
        answer = driver_compile_once(job, messages, status);
    }
    return answer == WF_WORKER_RIGHT && *status == 0 ? 0 : -1;
}

/* 0: compiled, and *status is the compiler's. -1: it must be compiled in another way. */
static int driver_try_with_probes(struct wf_job *job, bool headers, bool thorough, int *status)
{
    struct wf_buffer messages = {0};
    job->headers = headers;
    job->thorough = thorough;
    for (size_t i = 0; i < job->mirror.root_count; i++)
        job->mirror.roots[i].used = false;
    for (size_t i = 0; i < job->step_count; i++)
        wf_worker_run(job, &job->steps[i]);
    wf_job_die_if_caught(job);
    int result = -1;
    if (driver_any_instrumented(job) && driver_compile_copies(job, &messages, status) == 0) {
        wf_substitute_dependencies(job);
        wf_messages_show(job, &messages);
        result = 0;
    }
    if (result)
        wf_messages_blame(job, &messages);
    wf_buffer_fini(&messages);
    wf_job_die_if_caught(job);
    return result;
}

static void driver_name_messages(struct wf_job *job)
{
    for (size_t i = 0; i < job->step_count; i++) {
        struct wf_mirror_root *root = &job->mirror.roots[job->steps[i].root];
        if (job->steps[i].compiler.clang && !*root->original) {
            free(root->shown);
            root->shown = wf_text_copy("./");
        }
    }
}

enum { MOST_TRIES = 4 };

/* The compiler accepts the original, but not the copies. Tries again without the procedures that it complains of, then
 * also without headers. */
static bool driver_compile_carefully(struct wf_job *job, int *status)
{
    size_t before = 0;
    for (int i = 0; i < MOST_TRIES && (i == 0 || job->blamed.count > before); i++) {
        before = job->blamed.count;
        if (driver_try_with_probes(job, job->step_count == 1, true, status) == 0)
            return true;
    }
    if (driver_try_with_probes(job, false, true, status) == 0)
        return true;
    for (size_t i = 0; i < job->step_count; i++)
        if (job->steps[i].instrumented)
            wf_step_set_why_not(&job->steps[i], "the compiler does not accept the probes");
    return false;
}

static int driver_compile(struct wf_job *job)
{
    int status;
    struct wf_buffer messages = {0};
    for (size_t i = 0; i < job->step_count; i++)
        if (driver_prepare_step(job, &job->steps[i]))
            return driver_warn_if_compiled(job, driver_run_plain(job, NULL));
    driver_name_messages(job);
    /* Copies of headers serve one unit only. */
    if (driver_try_with_probes(job, job->step_count == 1, false, &status) == 0)
        return driver_warn_if_compiled(job, status);
    if (!driver_any_instrumented(job))
        return driver_warn_if_compiled(job, driver_run_plain(job, NULL));
    status = driver_run_plain(job, &messages);
    if (status == 0 && !driver_compile_carefully(job, &status)) {
        wf_buffer_fini(&messages);
        status = driver_run_plain(job, &messages);
    } else if (status == 0) {
        wf_buffer_fini(&messages);
    }
    fwrite(wf_buffer_text(&messages), 1, messages.length, stderr);
    wf_buffer_fini(&messages);
    return driver_warn_if_compiled(job, status);
}

/* ---- the command line ---- */

static void driver_add_steps(struct wf_job *job)
{
    for (size_t i = 0; i < job->line.input_count; i++) {
        const struct wf_input *input = &job->line.inputs[i];
        if (input->language != WF_LANGUAGE_C)
            continue;
        char *directory = wf_path_directory(input->path);
        job->steps = wf_buffer_grow(job->steps, job->step_count, sizeof *job->steps);
        job->steps[job->step_count++] =
            (struct wf_step){.input = input, .root = wf_mirror_add(&job->mirror, directory)};
        free(directory);
    }
    for (size_t i = 0; i < job->line.include_count; i++) {
        job->include_roots = wf_buffer_grow(job->include_roots, i, sizeof *job->include_roots);
        job->include_roots[i] = wf_mirror_add(&job->mirror, job->line.includes[i].path);
    }
}

static void driver_job_fini(struct wf_job *job)
{
    wf_mirror_close(&job->mirror);
    for (size_t i = 0; i < job->step_count; i++) {
        wf_compiler_fini(&job->steps[i].compiler);
        free(job->steps[i].why_not);
    }
    free(job->steps);
    free(job->include_roots);
    wf_words_fini(&job->blamed);
    free(job->probe_header);
    wf_command_line_fini(&job->line);
}

static int driver_run_in_mirror(struct wf_job *job)
{
    struct wf_error error;
    job->probe_header = wf_driver_probe_header();
    if (access(job->probe_header, R_OK) || wf_mirror_open(&job->mirror, &error)) {
        struct wf_words words = {0};
        fprintf(stderr, "weft cc: warning: %s, compiled without probes\n",
                access(job->probe_header, R_OK) ? "weft/probe.h is missing" : error.text);
        driver_plain_words(&job->line, &words);
        return driver_run_as_it_is(&words);
    }
    wf_job_catch_signals();
    driver_add_steps(job);
    int status = driver_compile(job);
    wf_job_die_if_caught(job);
    return status;
}

int wf_driver_run(const struct wf_driver *settings, char *const *argv)
{
    struct wf_job job = {.settings = settings};
    struct wf_command_line *line = &job.line;
    wf_command_line_read(line, argv);
    size_t sources = wf_command_line_count(line, WF_LANGUAGE_C),
           others = wf_command_line_count(line, WF_LANGUAGE_OTHER);
    int status;
    if (line->no_object || line->untouchable ||
        (!sources && !others && !wf_command_line_count(line, WF_LANGUAGE_HEADER))) {
        status = driver_run_as_it_is(&line->words);
    } else if (sources) {
        status = driver_run_in_mirror(&job);
    } else if (others) {
        status = driver_compile_by_compiler(line);
    } else { /* precompiled headers need the debug option of the files that use them */
        struct wf_words words = {0};
        driver_plain_words(line, &words);
        status = driver_run_as_it_is(&words);
    }
    driver_job_fini(&job);
    return status;
}

char *wf_driver_probe_header(void)
{
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    for (int i = 0; i < 2; i++) { /* bin/weft */
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    char *header = wf_text_format("%s/include/weft/probe.h", path);
    if (access(header, R_OK) == 0)
        return header;
    free(header);
    return wf_text_copy(WEFT_INCLUDE_DIR "/weft/probe.h");
}
