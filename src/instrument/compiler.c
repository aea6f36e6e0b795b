/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/compiler.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/clang.h"

/* ---- asking ---- */

/* Makes an empty file with the input's suffix, which decides on the language. */
static int compiler_make_empty(const char *folder, const char *path, char **made)
{
    const char *dot = strrchr(wf_path_base(path), '.');
    *made = wf_text_format("%s/empty%s", folder, dot ? dot : "");
    int fd = open(*made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

int wf_compiler_ask(struct wf_child *child, const struct wf_command_line *line, const struct wf_input *input,
                    const char *folder, struct wf_error *error)
{
    struct wf_words words = {0};
    char *empty = NULL;
    if (compiler_make_empty(folder, input->path, &empty)) {
        free(empty);
        return wf_error_set(error, "cannot write in %s: %s", folder, strerror(errno));
    }
    for (size_t i = 0; i < line->compiler_words; i++)
        wf_words_add(&words, line->words.items[i]);
    wf_words_add_all(&words, &line->asked_words);
    if (input->forced) {
        wf_words_add(&words, "-x");
        wf_words_add(&words, input->forced);
    }
    wf_words_add(&words, "-E");
    wf_words_add(&words, "-v");
    wf_words_add(&words, "-dM");
    wf_words_add(&words, empty);
    int result = wf_child_start(child, &words, WF_CHILD_CATCH_OUTPUT | WF_CHILD_CATCH_ERRORS | WF_CHILD_IN_ENGLISH);
    if (result)
        wf_error_set(error, "%s: %s", words.items[0], strerror(result));
    wf_words_fini(&words);
    free(empty);
    return result ? -1 : 0;
}

/* ---- the answer ---- */

/* The value of a macro in the output of -dM, or NULL; free() it. */
static char *compiler_macro_value(const char *macros, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(macros, "#define "); at; at = strstr(at, "\n#define ")) {
        at += strspn(at, "\n") + strlen("#define ");
        if (!strncmp(at, name, length) && (at[length] == ' ' || at[length] == '\n')) {
            const char *value = at + length + (at[length] == ' ');
            return wf_text_copy_bytes(value, strcspn(value, "\n"));
        }
    }
    return NULL;
}

static int compiler_macro_number(const char *macros, const char *name)
{
    char *value = compiler_macro_value(macros, name);
    int number = value ? atoi(value) : 0;
    free(value);
    return number;
}

/* The lines " /usr/include" from behind `title` to the next line without a space in front. */
static void compiler_read_directories(const char *answer, const char *title, struct wf_words *directories)
{
    const char *at = strstr(answer, title);
    if (!at)
        return;
    for (at += strcspn(at, "\n"); at[0] == '\n' && at[1] == ' '; at += 1 + strcspn(at + 1, "\n")) {
        char *path = wf_text_copy_bytes(at + 2, strcspn(at + 2, "\n"));
        wf_words_add(directories, path);
        free(path);
    }
}

/* -D words of the inner compiler's command line that the user did not give. A wrapper or -pthread added them. */
static void compiler_read_defines(struct wf_compiler *compiler, const char *answer, const char *macros,
                                  const struct wf_command_line *line)
{
    for (const char *at = strstr(answer, "-D"); at; at = strstr(at + 2, "-D")) {
        const char *name = at + 2 + strspn(at + 2, " \"");
        size_t bytes = 0;
        while (isalnum((unsigned char)name[bytes]) || name[bytes] == '_')
            bytes++;
        bool word = at > answer && (at[-1] == ' ' || at[-1] == '"');
        if (!word || !bytes || isdigit((unsigned char)*name))
            continue;
        char *copy = wf_text_copy_bytes(name, bytes), *value = compiler_macro_value(macros, copy);
        if (value && !wf_words_have(&line->defined, copy))
            wf_words_addf(&compiler->defines, "%s=%s", copy, value);
        free(copy);
        free(value);
    }
}

/* The program's path as a shell would find it, or NULL. */
static char *compiler_find_program(const char *name)
{
    if (strchr(name, '/'))
        return wf_text_copy(name);
    for (const char *at = getenv("PATH"); at && *at; at += strcspn(at, ":"), at += *at == ':') {
        char *path = wf_text_format("%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

static void compiler_add_program(struct wf_compiler *compiler, const char *name)
{
    char *path = compiler_find_program(name);
    if (path)
        wf_words_add(&compiler->files, path);
    free(path);
}

/* Reads lines of the answer: COLLECT_GCC=gcc, ` /usr/lib/.../cc1 -E ...` or ` "/usr/.../clang" -cc1 ...`, and the
 * directories that the compiler did not find. */
static void compiler_read_files(struct wf_compiler *compiler, const char *answer, const struct wf_command_line *line)
{
    static const char driver[] = "COLLECT_GCC=", missing[] = "ignoring nonexistent directory \"";
    for (size_t i = 0; i < line->compiler_words; i++)
        compiler_add_program(compiler, line->words.items[i]);
    for (const char *at = answer; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        bool quoted = at[0] == ' ' && at[1] == '"';
        const char *word = wf_text_starts(at, driver)    ? at + strlen(driver)
                           : wf_text_starts(at, missing) ? at + strlen(missing)
                                                         : at + 1 + quoted;
        if (word <= at + 2 && (at[0] != ' ' || *word != '/'))
            continue;
        char *name = wf_text_copy_bytes(word, strcspn(word, wf_text_starts(at, missing) || quoted ? "\"\n" : " \n"));
        if (wf_text_starts(at, missing))
            wf_words_add(&compiler->files, name);
        else
            compiler_add_program(compiler, name);
        free(name);
    }
}

static void compiler_read_target(struct wf_compiler *compiler, const char *answer)
{
    const char *at = strstr(answer, "Target: ");
    if (at)
        compiler->target = wf_text_copy_bytes(at + strlen("Target: "), strcspn(at + strlen("Target: "), " \n"));
}

int wf_compiler_hear(struct wf_compiler *compiler, struct wf_child *child, const struct wf_command_line *line,
                     struct wf_error *error)
{
    struct wf_buffer output = {0}, errors = {0};
    int status = wf_child_wait(child, &output, &errors);
    const char *macros = wf_buffer_text(&output), *answer = wf_buffer_text(&errors);
    *compiler = (struct wf_compiler){0};
    int gnu = compiler_macro_number(macros, "__GNUC__"), clang = compiler_macro_number(macros, "__clang_major__");
    compiler->clang = clang > 0;
    compiler->major = clang ? clang : gnu;
    compiler->standard = compiler_macro_value(macros, "__cplusplus");
    compiler->cplusplus = compiler->standard != NULL;
    if (!compiler->standard)
        compiler->standard = compiler_macro_value(macros, "__STDC_VERSION__");
    compiler->openmp = compiler_macro_value(macros, "_OPENMP");
    compiler_read_target(compiler, answer);
    compiler_read_directories(answer, "#include \"...\" search starts here:", &compiler->quoted);
    compiler_read_directories(answer, "#include <...> search starts here:", &compiler->bracketed);
    compiler_read_defines(compiler, answer, macros, line);
    compiler_read_files(compiler, answer, line);
    wf_buffer_fini(&output);
    wf_buffer_fini(&errors);
    if (status != 0 || !gnu)
        return wf_error_set(error, "%s does not answer like gcc or clang", line->words.items[line->compiler_words - 1]);
    return 0;
}

void wf_compiler_fini(struct wf_compiler *compiler)
{
    free(compiler->target);
    free(compiler->standard);
    free(compiler->openmp);
    wf_words_fini(&compiler->quoted);
    wf_words_fini(&compiler->bracketed);
    wf_words_fini(&compiler->defines);
    wf_words_fini(&compiler->files);
}

/* ---- the parser's words ---- */

static bool compiler_is_users(const struct wf_command_line *line, const char *directory)
{
    for (size_t i = 0; i < line->include_count; i++)
        if (!strcmp(line->includes[i].path, directory))
            return true;
    return false;
}

/* The compiler's private headers: libclang cannot read gcc's intrinsics, but finds omp.h there. They come last: clang's
 * <limits.h> asks for the next one, and must find the C library's. */
static bool compiler_is_private(const struct wf_compiler *compiler, const char *directory)
{
    size_t length = strlen(directory);
    bool include = (length > 8 && !strcmp(directory + length - 8, "/include")) || strstr(directory, "/include-fixed");
    return include && (strstr(directory, "/lib/gcc/") || (compiler->clang && strstr(directory, "/lib/clang/")));
}

static void compiler_add_directories(const struct wf_compiler *compiler, const struct wf_command_line *line,
                                     struct wf_words *words)
{
    for (size_t i = 0; i < compiler->quoted.count; i++) {
        wf_words_add(words, "-iquote");
        wf_words_add(words, compiler->quoted.items[i]);
    }
    struct wf_words last = {0};
    for (size_t i = 0; i < compiler->bracketed.count; i++) {
        const char *directory = compiler->bracketed.items[i];
        bool private = compiler_is_private(compiler, directory) && *wf_clang_headers();
        if (private && !last.count) {
            wf_words_add(words, "-isystem");
            wf_words_add(words, wf_clang_headers());
        }
        if (private) {
            wf_words_add(&last, "-isystem");
            wf_words_add(&last, directory);
            continue;
        }
        wf_words_add(words, compiler_is_users(line, directory) ? "-I" : "-isystem");
        wf_words_add(words, directory);
    }
    wf_words_add_all(words, &last);
    wf_words_fini(&last);
}

/* libclang knows the newest standards by other names, and older ones are its default. */
static void compiler_add_standard(const struct wf_compiler *compiler, const struct wf_command_line *line,
                                  struct wf_words *words)
{
    static const struct {
        long from;
        const char *name;
    } levels[] = {{202101, "gnu++2b"}, {202002, "gnu++20"}, {201703, "gnu++17"},
                  {201402, "gnu++14"}, {201103, "gnu++11"}, {0, "gnu++98"}};
    if (line->has_standard)
        return;
    long level = compiler->standard ? atol(compiler->standard) : 0;
    if (!compiler->cplusplus) {
        wf_words_add(words, level >= 202000   ? "-std=gnu2x"
                            : level >= 201112 ? "-std=gnu17"
                            : level >= 199901 ? "-std=gnu99"
                                              : "-std=gnu89");
        return;
    }
    size_t i = 0;
    while (level < levels[i].from)
        i++;
    wf_words_addf(words, "-std=%s", levels[i].name);
}

static void compiler_add_parser_word(struct wf_words *words, const char *word)
{
    static const char *const names[][2] = {{"c23", "c2x"},         {"gnu23", "gnu2x"},    {"c++23", "c++2b"},
                                           {"gnu++23", "gnu++2b"}, {"c++26", "c++2b"},    {"gnu++26", "gnu++2b"},
                                           {"c++2c", "c++2b"},     {"gnu++2c", "gnu++2b"}};
    const char *standard = wf_text_starts(word, "-std=") ? word + 5 : wf_text_starts(word, "--std=") ? word + 6 : NULL;
    for (size_t i = 0; standard && i < sizeof names / sizeof *names; i++)
        if (!strcmp(standard, names[i][0]))
            standard = names[i][1];
    if (standard)
        wf_words_addf(words, "-std=%s", standard);
    else
        wf_words_add(words, word);
}

void wf_compiler_parser_words(const struct wf_compiler *compiler, const struct wf_command_line *line,
                              struct wf_words *words)
{
    static const char *const always[] = {
        "-w",         "-fsyntax-only",      "-nostdinc",      "-nostdinc++", "-fno-spell-checking",
        "-Wno-error", "-Qunused-arguments", "-ferror-limit=0"};
    wf_words_add(words, "-x");
    wf_words_add(words, compiler->cplusplus ? "c++" : "c");
    for (size_t i = 0; i < line->parser_words.count; i++)
        compiler_add_parser_word(words, line->parser_words.items[i]);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        wf_words_add(words, always[i]);
    compiler_add_standard(compiler, line, words);
    if (compiler->target)
        wf_words_addf(words, "--target=%s", compiler->target);
    /* Without -fopenmp, because libclang does not visit loops below directives. <omp.h> and #ifdef see _OPENMP. */
    if (line->openmp && compiler->openmp)
        wf_words_addf(words, "-D_OPENMP=%s", compiler->openmp);
    for (size_t i = 0; i < compiler->defines.count; i++)
        wf_words_addf(words, "-D%s", compiler->defines.items[i]);
    compiler_add_directories(compiler, line, words);
}

bool wf_compiler_is_system(const struct wf_compiler *compiler, const struct wf_command_line *line, const char *path)
{
    if (wf_text_starts(path, "/usr/"))
        return true;
    for (size_t i = 0; i < compiler->bracketed.count; i++) {
        const char *directory = compiler->bracketed.items[i];
        if (!compiler_is_users(line, directory) && wf_text_starts(path, directory) && path[strlen(directory)] == '/')
            return true;
    }
    return false;
}
