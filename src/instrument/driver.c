/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/driver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrument/child.h"
#include "instrument/clang.h"
#include "instrument/command_line.h"
#include "instrument/compiler.h"
#include "instrument/depfile.h"
#include "instrument/instrument.h"
#include "instrument/mirror.h"

#ifndef WEFT_INCLUDE_DIR
#define WEFT_INCLUDE_DIR "/usr/include"
#endif

/* One source of the command line. */
struct step {
    const struct wf_input *input;
    struct wf_compiler compiler;
    bool instrumented;
    bool doubtful;   /* messages are to come from the original */
    char *why_not;   /* what to warn of; NULL: there is nothing in it to instrument */
    size_t root;     /* of the source's directory, in the mirror */
    pid_t worker;    /* parses, writes the copies, then verifies them */
};

struct driver {
    const struct wf_driver *settings;
    struct wf_command_line line;
    struct wf_mirror mirror;
    char *probe_header;
    size_t *include_roots; /* one an include directory, in the mirror */
    struct step *steps;
    size_t step_count;
    bool headers;  /* may be instrumented too */
    bool thorough; /* every text is parsed again, whatever it costs */
};

/* ---- signals: the temporary directory must go ---- */

static volatile sig_atomic_t caught;
static volatile pid_t running; /* the compiler, while it runs */

static void catch(int signal)
{
    caught = signal;
    if (running > 0)
        kill(running, signal);
}

static void catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = catch};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

static void die_if_caught(struct driver *driver)
{
    if (!caught)
        return;
    for (size_t i = 0; i < driver->step_count; i++) {
        if (driver->steps[i].worker > 0) {
            kill(driver->steps[i].worker, SIGKILL);
            waitpid(driver->steps[i].worker, NULL, 0);
        }
    }
    wf_mirror_close(&driver->mirror);
    signal(caught, SIG_DFL);
    raise(caught);
}

/* ---- running the compiler ---- */

static int start(struct wf_child *child, const struct wf_words *words, int flags)
{
    int error = wf_child_start(child, words, flags);
    running = error ? 0 : child->pid;
    return error;
}

static int finish(struct wf_child *child, struct wf_buffer *messages)
{
    int status = wf_child_wait(child, NULL, messages);
    running = 0;
    return status;
}

/* ---- the compiler without probes ---- */

static int cannot_run(const char *program, int error)
{
    fprintf(stderr, "weft cc: cannot run %s: %s\n", program, strerror(error));
    return error == ENOENT ? 127 : 126;
}

static int run_as_it_is(const struct wf_words *words)
{
    execvp(words->items[0], words->items);
    return cannot_run(words->items[0], errno);
}

/* The command line with more options in front of its own. */
static void with_options(const struct wf_command_line *line, const char *const *options, struct wf_words *words)
{
    for (size_t i = 0; i < line->words.count; i++) {
        if (i == line->compiler_words)
            for (const char *const *option = options; *option; option++)
                wf_words_add(words, *option);
        wf_words_add(words, line->words.items[i]);
    }
}

static void plain_words(const struct wf_command_line *line, struct wf_words *words)
{
    const char *const options[] = {line->debug_given ? NULL : "-g", NULL};
    with_options(line, options, words);
}

/* Debug information changes no code, but to follow variables costs gcc up to as much time again; call statements need no variables. */
static void add_debug(const struct wf_command_line *line, const struct wf_compiler *compiler, struct wf_words *words)
{
    if (line->debug_given)
        return;
    wf_words_add(words, "-g");
    if (!compiler->clang)
        wf_words_add(words, "-fno-var-tracking");
}

/* Messages that are caught have to be asked for colour. */
static bool wants_colour(const struct wf_command_line *line)
{
    const char *terminal = getenv("TERM");
    for (size_t i = 0; i < line->words.count; i++)
        if (strstr(line->words.items[i], "diagnostics-color") || strstr(line->words.items[i], "color-diagnostics"))
            return false;
    return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb");
}

static void warn(const struct step *step)
{
    fprintf(stderr, "weft cc: warning: %s: %s, compiled without probes\n", step->input->path, step->why_not);
}

/* Its messages go to stderr at once, or into a buffer if that is not NULL. */
static int run_plain(const struct driver *driver, struct wf_buffer *messages)
{
    struct wf_words words = {0};
    struct wf_child child;
    plain_words(&driver->line, &words);
    if (messages && wants_colour(&driver->line))
        wf_words_add(&words, "-fdiagnostics-color");
    int error = start(&child, &words, messages ? WF_CHILD_CATCH_ERRORS : 0);
    int status = error ? cannot_run(words.items[0], error) : finish(&child, messages);
    wf_words_fini(&words);
    return status;
}

/* A program that is wrong is the compiler's business alone: no warnings then. */
static int warn_if_compiled(const struct driver *driver, int status)
{
    for (size_t i = 0; status == 0 && i < driver->step_count; i++)
        if (!driver->steps[i].instrumented && driver->steps[i].why_not)
            warn(&driver->steps[i]);
    return status;
}

/* ---- languages that gcc instruments itself ---- */

static int compile_by_compiler(const struct wf_command_line *line)
{
    const char *const options[] = {"-finstrument-functions", line->debug_given ? NULL : "-g", NULL};
    struct wf_words words = {0};
    struct wf_child child;
    struct wf_buffer errors = {0};
    with_options(line, options, &words);
    int error = start(&child, &words, WF_CHILD_CATCH_ERRORS);
    int status = error ? 127 : finish(&child, &errors);
    wf_words_fini(&words);
    if (status == 0)
        fwrite(wf_buffer_text(&errors), 1, errors.length, stderr);
    wf_buffer_fini(&errors);
    return status == 0 ? 0 : run_as_it_is(&line->words);
}

/* ---- the worker: a process of its own, so that nothing that happens in libclang can hurt the build ---- */

enum { RIGHT = 0, CHANGED = 1, WRONG = 2 };

static bool may_change(const void *context, const char *header)
{
    const struct driver *driver = context;
    for (size_t i = 0; i < driver->mirror.root_count; i++)
        if (wf_mirror_rest(&driver->mirror.roots[i], header))
            return true;
    return false;
}

static const struct wf_buffer *text_of(const struct wf_instrument *instrument, const char *name)
{
    for (size_t i = 0; i < instrument->rewritten_count; i++)
        if (!strcmp(instrument->rewritten[i].name, name))
            return &instrument->rewritten[i].text;
    return NULL;
}

/* In every used root, all files that lie there: a copy, or a link that is found before any other file of that name. */
static int write_root(struct wf_mirror_root *root, const struct wf_instrument *instrument)
{
    const struct wf_unit *unit = &instrument->unit;
    for (size_t i = 0; i < unit->source_count; i++) {
        const char *name = unit->sources[i].name;
        if (wf_mirror_rest(root, name) && wf_mirror_put(root, name, text_of(instrument, name)) && text_of(instrument, name))
            return -1;
    }
    return 0;
}

static bool has_copy(const struct wf_mirror_root *root, const struct wf_instrument *instrument)
{
    for (size_t i = 1; i < instrument->rewritten_count; i++)
        if (wf_mirror_rest(root, instrument->rewritten[i].name))
            return true;
    return false;
}

/* Writes copies; tells which roots are used as bytes '0' and '1'. */
static int write_copies(struct driver *driver, const struct step *step, const struct wf_instrument *instrument, struct wf_buffer *answer)
{
    for (size_t i = 0; i < driver->mirror.root_count; i++) {
        struct wf_mirror_root *root = &driver->mirror.roots[i];
        bool foreign = false; /* another source's */
        for (size_t s = 0; s < driver->step_count; s++)
            foreign |= driver->steps[s].root == i && &driver->steps[s] != step;
        bool used = i == step->root || (!foreign && has_copy(root, instrument));
        wf_buffer_add(answer, used ? "1" : "0", 1);
        if (used && write_root(root, instrument))
            return -1;
    }
    return 0;
}

static void send_answer(int fd, const struct wf_buffer *answer)
{
    size_t done = 0;
    while (done < answer->length) {
        ssize_t n = write(fd, answer->data + done, answer->length - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    close(fd);
}

/* The answer: "+", or "?" for a doubtful unit, and the roots; "-" and why not; or "" if there is nothing to do. */
static int work(struct driver *driver, struct step *step, int fd, FILE *messages)
{
    struct wf_error error;
    struct wf_buffer answer = {0}, ignored = {0};
    struct wf_instrument instrument = {
        .path = step->input->path,
        .line = &driver->line,
        .compiler = &step->compiler,
        .filter = driver->settings->filter,
        .probe_header = driver->probe_header,
        .may_change = driver->headers ? may_change : NULL,
        .context = driver,
    };
    int result = wf_instrument_prepare(&instrument, &error);
    if (result < 0) {
        wf_buffer_addf(&answer, "-cannot be parsed (%s)", error.text);
    } else if (result == 0) {
        wf_buffer_add_text(&answer, instrument.unit.doubtful ? "?" : "+");
        if (write_copies(driver, step, &instrument, &answer)) {
            wf_buffer_fini(&answer);
            wf_buffer_addf(&answer, "-cannot be copied to %s (%s)", driver->mirror.top, strerror(errno));
            result = -1;
        }
    }
    send_answer(fd, &answer);
    if (result)
        return result > 0 ? RIGHT : WRONG;
    result = wf_instrument_verify(&instrument, driver->thorough, &error);
    if (result > 0 && write_copies(driver, step, &instrument, &ignored))
        result = -1;
    if (messages)
        wf_instrument_list(&instrument, true, messages);
    return result < 0 ? WRONG : result > 0 ? CHANGED : RIGHT;
}

static int start_worker(struct driver *driver, struct step *step, int *answer)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    fflush(NULL);
    step->worker = fork();
    if (step->worker == 0) {
        FILE *messages = driver->settings->verbose ? fdopen(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), "w") : NULL;
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(ends[0]);
        int status = work(driver, step, ends[1], messages);
        if (messages)
            fclose(messages);
        _exit(status);
    }
    close(ends[1]);
    if (step->worker < 0) {
        close(ends[0]);
        return -1;
    }
    *answer = ends[0];
    return 0;
}

static void read_answer(struct driver *driver, struct step *step, int fd)
{
    struct wf_buffer answer = {0};
    char chunk[4096];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR && !caught))
        if (n > 0)
            wf_buffer_add(&answer, chunk, (size_t)n);
    close(fd);
    const char *text = wf_buffer_text(&answer);
    step->doubtful = *text == '?';
    step->instrumented = *text == '+' || *text == '?';
    if (*text == '-')
        step->why_not = wf_text_copy(text + 1);
    for (size_t i = 0; step->instrumented && i < driver->mirror.root_count && i + 1 < answer.length; i++)
        driver->mirror.roots[i].used |= text[i + 1] == '1';
    wf_buffer_fini(&answer);
}

/* How the worker ended: RIGHT, CHANGED or WRONG. */
static int end_worker(struct step *step)
{
    int status;
    if (step->worker <= 0)
        return WRONG;
    while (waitpid(step->worker, &status, 0) < 0)
        if (errno != EINTR)
            return WRONG;
    step->worker = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) <= WRONG ? WEXITSTATUS(status) : WRONG;
}

/* ---- steps ---- */

static void set_why_not(struct step *step, const char *reason)
{
    free(step->why_not);
    step->why_not = wf_text_copy(reason);
    step->instrumented = false;
}

/* Asks the compiler and loads libclang, both at once. */
static int prepare_step(struct driver *driver, struct step *step)
{
    struct wf_error error, missing;
    struct wf_child child;
    if (wf_compiler_ask(&child, &driver->line, step->input, driver->mirror.top, &error)) {
        set_why_not(step, error.text);
        return -1;
    }
    int loaded = wf_clang_load(&missing);
    int heard = wf_compiler_hear(&step->compiler, &child, &driver->line, &error);
    if (loaded || heard)
        set_why_not(step, loaded ? missing.text : error.text);
    return loaded || heard ? -1 : 0;
}

static void instrument_step(struct driver *driver, struct step *step)
{
    int answer;
    if (start_worker(driver, step, &answer)) {
        set_why_not(step, strerror(errno));
        return;
    }
    read_answer(driver, step, answer);
    if (!step->instrumented && end_worker(step) != RIGHT && !step->why_not)
        set_why_not(step, "libclang fails with it");
}

/* ---- the compiler's command line with the copies ---- */

static char *directory_of(const char *path)
{
    return wf_text_copy_bytes(path, (size_t)(wf_path_base(path) - path));
}

/* For a header that libclang did not see: the sources' own directory, if there is only one. */
static void add_quoted_directory(const struct driver *driver, struct wf_words *words)
{
    char *directory = directory_of(driver->steps[0].input->path);
    bool same = true;
    for (size_t i = 1; i < driver->step_count; i++) {
        char *other = directory_of(driver->steps[i].input->path);
        same &= !strcmp(directory, other);
        free(other);
    }
    if (same) {
        wf_words_add(words, "-iquote");
        wf_words_add(words, *directory ? directory : ".");
    }
    free(directory);
}

static void add_maps(const struct driver *driver, struct wf_words *words)
{
    const struct wf_compiler *compiler = &driver->steps[0].compiler;
    const char *option = compiler->major >= (compiler->clang ? 10 : 8) ? "-ffile-prefix-map" : "-fdebug-prefix-map";
    for (size_t i = 0; i < driver->mirror.root_count; i++) {
        const struct wf_mirror_root *root = &driver->mirror.roots[i];
        if (root->used)
            wf_words_addf(words, "%s=%s=%s", option, root->copy, root->shown);
    }
    /* clang: "./x.h", but "x.c" */
    for (size_t i = 0; i < driver->step_count; i++) {
        const struct wf_mirror_root *root = &driver->mirror.roots[driver->steps[i].root];
        const char *path = driver->steps[i].input->path;
        if (driver->steps[i].instrumented && strcmp(root->original, root->shown))
            wf_words_addf(words, "%s=%s%s=%s", option, root->copy, wf_path_base(path), path);
    }
}

static const struct step *step_at(const struct driver *driver, size_t word)
{
    for (size_t i = 0; i < driver->step_count; i++)
        if (driver->steps[i].input->word == word && driver->steps[i].instrumented)
            return &driver->steps[i];
    return NULL;
}

static void add_mirrored_include(const struct driver *driver, size_t word, struct wf_words *words)
{
    for (size_t i = 0; i < driver->line.include_count; i++) {
        const struct wf_mirror_root *root = &driver->mirror.roots[driver->include_roots[i]];
        if (driver->line.includes[i].word != word || !root->used)
            continue;
        wf_words_add(words, driver->line.includes[i].option);
        wf_words_add(words, root->copy);
        words->items[words->count - 1][strlen(root->copy) - 1] = '\0'; /* the compiler adds the slash */
    }
}

static void build_words(const struct driver *driver, struct wf_words *words)
{
    const struct wf_command_line *line = &driver->line;
    for (size_t i = 0; i < line->words.count; i++) {
        if (i == line->compiler_words) {
            add_debug(line, &driver->steps[0].compiler, words);
            add_quoted_directory(driver, words);
            add_maps(driver, words);
        }
        const struct step *step = step_at(driver, i);
        add_mirrored_include(driver, i, words);
        if (step)
            wf_words_addf(words, "%s%s", driver->mirror.roots[step->root].copy, wf_path_base(step->input->path));
        else
            wf_words_add(words, line->words.items[i]);
    }
    if (wants_colour(line))
        wf_words_add(words, "-fdiagnostics-color"); /* it would see a pipe */
}

/* ---- afterwards ---- */

static void fix_dependencies(const struct driver *driver)
{
    const struct wf_command_line *line = &driver->line;
    if (!line->dependencies)
        return;
    for (size_t i = 0; i < driver->step_count; i++) {
        const struct step *step = &driver->steps[i];
        const char *base = wf_path_base(step->input->path), *output = line->output ? line->output : base;
        int stem = (int)(strrchr(base, '.') ? strrchr(base, '.') - base : (long)strlen(base));
        const char *dot = strrchr(wf_path_base(output), '.');
        int output_stem = (int)(dot ? dot - output : (long)strlen(output));
        /* What gcc calls it, by version and mode; only a file that names a copy is touched. */
        char *const names[] = {
            wf_text_copy(line->dependency_file ? line->dependency_file : ""),
            wf_text_format("%.*s.d", stem, base),
            wf_text_format("%.*s.d", output_stem, output),
            wf_text_format("%s.d", output),
            wf_text_format("%s-%.*s.d", output, stem, base),
            wf_text_format("%.*s-%.*s.d", output_stem, output, stem, base),
            wf_text_format("a-%.*s.d", stem, base),
        };
        for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
            if (*names[n] && strcmp(names[n], "-"))
                wf_depfile_fix(names[n], &driver->mirror, driver->probe_header, step->compiler.clang ? WF_DEPFILE_CLANG : WF_DEPFILE_GCC);
            free(names[n]);
        }
    }
}

/* Warnings that come from optimising, which probes may change. */
static bool has_late_warning(const char *text)
{
    static const char *const names[] = {
        "-Wmaybe-uninitialized", "-Wuninitialized", "-Wstringop-", "-Warray-bounds", "-Wnull-dereference", "-Wformat-overflow",
        "-Wformat-truncation", "-Wfree-nonheap", "-Wuse-after-free", "-Wdangling-pointer", "-Wclobbered", "-Wrestrict",
        "-Waggressive-loop", "-Wstrict-overflow", "-Walloc", "-Winline", "-Wstack-", "-Wframe-", "-Wsuggest-", "-Wvla-larger",
        "-Wdisabled-opt", "-Wunsafe-loop", "-Wanalyzer-", "-Winfinite-recursion", "-Wreturn-local-addr", "-Wpass-failed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

static bool wants_indentation(const struct wf_command_line *line)
{
    return wf_words_have(&line->words, "-Wall") || wf_words_have(&line->words, "-Wmisleading-indentation");
}

/* The messages of the original instead; only for the simplest kind of command line. */
static int original_messages(const struct driver *driver, struct wf_buffer *messages)
{
    const struct wf_command_line *line = &driver->line;
    if (!line->compiles_only || line->input_count != 1)
        return -1;
    struct wf_words words = {0};
    struct wf_child child;
    for (size_t i = 0; i < line->words.count; i++) {
        const char *word = line->words.items[i];
        if (wf_text_starts(word, "-M") || wf_text_starts(word, "-Wp,-M") || wf_text_starts(word, "-save-temps"))
            i += strlen(word) == 3 && strchr("FTQJ", word[2]);
        else if (wf_text_starts(word, "-o"))
            i += !word[2];
        else
            wf_words_add(&words, word);
    }
    wf_words_add(&words, "-o");
    wf_words_add(&words, "/dev/null");
    int error = start(&child, &words, WF_CHILD_CATCH_ERRORS);
    int status = error ? -1 : finish(&child, messages);
    wf_words_fini(&words);
    return status;
}

static void show_messages(const struct driver *driver, const struct wf_buffer *messages)
{
    struct wf_buffer translated = {0}, original = {0};
    wf_mirror_translate(&driver->mirror, wf_buffer_text(messages), messages->length, &translated);
    bool doubtful = has_late_warning(wf_buffer_text(&translated)) || (driver->steps[0].doubtful && wants_indentation(&driver->line));
    const struct wf_buffer *shown = doubtful && original_messages(driver, &original) == 0 ? &original : &translated;
    fwrite(wf_buffer_text(shown), 1, shown->length, stderr);
    wf_buffer_fini(&translated);
    wf_buffer_fini(&original);
}

/* ---- compiling ---- */

static bool any_instrumented(const struct driver *driver)
{
    for (size_t i = 0; i < driver->step_count; i++)
        if (driver->steps[i].instrumented)
            return true;
    return false;
}

/* Runs the compiler on the copies while the workers verify them. Returns the worst of the workers' answers. */
static int compile_once(struct driver *driver, struct wf_buffer *messages, int *status)
{
    struct wf_words words = {0};
    struct wf_child child;
    int worst = RIGHT;
    build_words(driver, &words);
    int error = start(&child, &words, WF_CHILD_CATCH_ERRORS);
    for (size_t i = 0; i < driver->step_count; i++) {
        struct step *step = &driver->steps[i];
        int answer = step->worker > 0 ? end_worker(step) : RIGHT;
        if (answer == WRONG)
            set_why_not(step, "weft could not keep it the same program");
        worst = answer > worst ? answer : worst;
    }
    *status = error ? 127 : finish(&child, messages);
    wf_words_fini(&words);
    return worst;
}

static int compile_copies(struct driver *driver, struct wf_buffer *messages, int *status)
{
    int answer = compile_once(driver, messages, status);
    if (answer == CHANGED) {
        wf_buffer_fini(messages);
        answer = compile_once(driver, messages, status);
    }
    return answer == RIGHT && *status == 0 ? 0 : -1;
}

/* 0: done, and *status is the compiler's. -1: it has to be done without probes. */
static int try_with_probes(struct driver *driver, bool headers, bool thorough, int *status)
{
    struct wf_buffer messages = {0};
    driver->headers = headers;
    driver->thorough = thorough;
    for (size_t i = 0; i < driver->mirror.root_count; i++)
        driver->mirror.roots[i].used = false;
    for (size_t i = 0; i < driver->step_count; i++)
        instrument_step(driver, &driver->steps[i]);
    die_if_caught(driver);
    int result = -1;
    if (any_instrumented(driver) && compile_copies(driver, &messages, status) == 0) {
        fix_dependencies(driver);
        show_messages(driver, &messages);
        result = 0;
    }
    wf_buffer_fini(&messages);
    die_if_caught(driver);
    return result;
}

static void name_messages(struct driver *driver)
{
    for (size_t i = 0; i < driver->step_count; i++) {
        struct wf_mirror_root *root = &driver->mirror.roots[driver->steps[i].root];
        if (driver->steps[i].compiler.clang && !*root->original) {
            free(root->shown);
            root->shown = wf_text_copy("./");
        }
    }
}

/* The compiler accepts the original but not the copies: once more with every procedure checked, then also without headers. */
static bool compile_carefully(struct driver *driver, int *status)
{
    if (try_with_probes(driver, driver->step_count == 1, true, status) == 0 || try_with_probes(driver, false, true, status) == 0)
        return true;
    for (size_t i = 0; i < driver->step_count; i++)
        if (driver->steps[i].instrumented)
            set_why_not(&driver->steps[i], "the compiler does not accept the probes");
    return false;
}

static int compile(struct driver *driver)
{
    int status;
    struct wf_buffer messages = {0};
    for (size_t i = 0; i < driver->step_count; i++)
        if (prepare_step(driver, &driver->steps[i]))
            return warn_if_compiled(driver, run_plain(driver, NULL));
    name_messages(driver);
    /* Copies of headers belong to one unit. */
    if (try_with_probes(driver, driver->step_count == 1, false, &status) == 0)
        return warn_if_compiled(driver, status);
    if (!any_instrumented(driver))
        return warn_if_compiled(driver, run_plain(driver, NULL));
    status = run_plain(driver, &messages);
    if (status == 0 && !compile_carefully(driver, &status)) {
        wf_buffer_fini(&messages);
        status = run_plain(driver, &messages);
    } else if (status == 0) {
        wf_buffer_fini(&messages);
    }
    fwrite(wf_buffer_text(&messages), 1, messages.length, stderr);
    wf_buffer_fini(&messages);
    return warn_if_compiled(driver, status);
}

/* ---- the whole ---- */

static void add_steps(struct driver *driver)
{
    for (size_t i = 0; i < driver->line.input_count; i++) {
        const struct wf_input *input = &driver->line.inputs[i];
        if (input->language != WF_LANGUAGE_C)
            continue;
        char *directory = directory_of(input->path);
        driver->steps = wf_buffer_grow(driver->steps, driver->step_count, sizeof *driver->steps);
        driver->steps[driver->step_count++] = (struct step){.input = input, .root = wf_mirror_add(&driver->mirror, directory)};
        free(directory);
    }
    for (size_t i = 0; i < driver->line.include_count; i++) {
        driver->include_roots = wf_buffer_grow(driver->include_roots, i, sizeof *driver->include_roots);
        driver->include_roots[i] = wf_mirror_add(&driver->mirror, driver->line.includes[i].path);
    }
}

static void driver_fini(struct driver *driver)
{
    wf_mirror_close(&driver->mirror);
    for (size_t i = 0; i < driver->step_count; i++) {
        wf_compiler_fini(&driver->steps[i].compiler);
        free(driver->steps[i].why_not);
    }
    free(driver->steps);
    free(driver->include_roots);
    free(driver->probe_header);
    wf_command_line_fini(&driver->line);
}

static int run_in_mirror(struct driver *driver)
{
    struct wf_error error;
    driver->probe_header = wf_driver_probe_header();
    if (access(driver->probe_header, R_OK) || wf_mirror_open(&driver->mirror, &error)) {
        struct wf_words words = {0};
        fprintf(stderr, "weft cc: warning: %s, compiled without probes\n", access(driver->probe_header, R_OK) ? "weft/probe.h is missing" : error.text);
        plain_words(&driver->line, &words);
        return run_as_it_is(&words);
    }
    catch_signals();
    add_steps(driver);
    int status = compile(driver);
    die_if_caught(driver);
    return status;
}

int wf_driver_run(const struct wf_driver *settings, char *const *argv)
{
    struct driver driver = {.settings = settings};
    struct wf_command_line *line = &driver.line;
    wf_command_line_read(line, argv);
    size_t sources = wf_command_line_count(line, WF_LANGUAGE_C), others = wf_command_line_count(line, WF_LANGUAGE_OTHER);
    int status;
    if (line->no_object || line->untouchable || (!sources && !others && !wf_command_line_count(line, WF_LANGUAGE_HEADER))) {
        status = run_as_it_is(&line->words);
    } else if (sources) {
        status = run_in_mirror(&driver);
    } else if (others) {
        status = compile_by_compiler(line);
    } else { /* a precompiled header fits only compilations with the same kind of debug information */
        struct wf_words words = {0};
        plain_words(line, &words);
        status = run_as_it_is(&words);
    }
    driver_fini(&driver);
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
