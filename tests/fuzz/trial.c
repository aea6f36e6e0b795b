/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "cli/command.h"

enum { MOST_WORDS = 16 };

static char line[4096]; /* the command, for complaints */

void trial_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    dprintf(STDERR_FILENO, "  %s\n  ", line);
    vdprintf(STDERR_FILENO, format, arguments);
    dprintf(STDERR_FILENO, "\n");
    va_end(arguments);
    _exit(98);
}

/* ---- what is printed where ---- */

__attribute__((weak)) void __sanitizer_set_report_fd(void *fd); /* the reports of sanitizers go to the test's own output
                                                                 */

struct stream {
    int number, kept, memory;
};

static struct stream redirect(int number)
{
    struct stream stream = {number, dup(number), memfd_create("weft-fuzz", MFD_CLOEXEC)};
    if (stream.kept < 0 || stream.memory < 0 || dup2(stream.memory, number) < 0)
        abort();
    if (number == STDERR_FILENO && __sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)stream.kept);
    return stream;
}

/* What was printed; to be freed. */
static char *restore(struct stream *stream)
{
    off_t bytes = lseek(stream->memory, 0, SEEK_END);
    char *text = malloc((size_t)bytes + 1);
    if (!text || pread(stream->memory, text, (size_t)bytes, 0) != bytes)
        abort();
    text[bytes] = '\0';
    dup2(stream->kept, stream->number);
    if (stream->number == STDERR_FILENO && __sanitizer_set_report_fd)
        __sanitizer_set_report_fd((void *)(intptr_t)STDERR_FILENO);
    close(stream->kept);
    close(stream->memory);
    if (strlen(text) != (size_t)bytes)
        trial_fail("a 0 was printed");
    return text;
}

/* ---- the judgement ---- */

static bool steers(wchar_t c)
{
    static const struct {
        wchar_t from, to;
    } ranges[] = {{0x00, 0x09},     {0x0b, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
                  {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i].from && c <= ranges[i].to)
            return true;
    return false;
}

static const char *unprintable(const char *text)
{
    mbstate_t state = {0};
    while (*text) {
        wchar_t wide;
        size_t bytes = mbrtowc(&wide, text, 8, &state);
        if (bytes == (size_t)-1 || bytes == (size_t)-2 || steers(wide))
            return text;
        text += bytes;
    }
    return NULL;
}

bool trial_is_printable(const char *text)
{
    return !unprintable(text);
}

static void check_printable(const char *text, const char *where)
{
    const char *bad = unprintable(text);
    if (bad)
        trial_fail("%s would steer a terminal: byte %td, 0x%02x 0x%02x, behind '%.*s'", where, bad - text,
                   (unsigned char)bad[0], (unsigned char)bad[1], bad - text > 60 ? 60 : (int)(bad - text),
                   bad - (bad - text > 60 ? 60 : bad - text));
}

/* "1e+02" is a figure for machines. */
static void check_figures(const char *text)
{
    for (const char *at = strstr(text, "e+"); at; at = strstr(at + 1, "e+"))
        if (at > text && isdigit((unsigned char)at[-1]) && isdigit((unsigned char)at[2]) &&
            strspn(at + 2, "0123456789 %") > strspn(at + 2, "0123456789 "))
            trial_fail("a figure has an exponent: %.30s", at - 1);
}

static void check_json(const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_DECODE_ANY, &error);
    if (!value)
        trial_fail("this is no JSON: %s, line %d", error.text, error.line);
    json_decref(value);
    for (const char *at = text; *at; at++)
        if ((*at & 0x80) || ((unsigned char)*at < ' ' && *at != '\n'))
            trial_fail("the JSON has a raw 0x%02x", (unsigned char)*at);
}

static void check_output(enum trial_output kind, int status, const char *text)
{
    if (kind == TRIAL_JSON && status == WF_EXIT_OK)
        check_json(text);
    if (kind != TRIAL_JSON)
        check_printable(text, "the output");
    if (kind == TRIAL_TEXT)
        check_figures(text);
}

static void check_sentences(int status, const char *text, int most)
{
    int lines = 0;
    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    if (status == WF_EXIT_OK && lines && most >= 0)
        trial_fail("it succeeded, and said: %s", text);
    if (status != WF_EXIT_OK && (lines < 1 || (most >= 0 && lines > most) || text[strlen(text) - 1] != '\n'))
        trial_fail("it failed (%d) with %d lines: %s", status, lines, text);
    if (strstr(text, "out of memory"))
        trial_fail("so small an input took all memory: %s", text);
    check_printable(text, "the sentence");
}

int trial_run(enum trial_output output, int sentences, char *const *words)
{
    char *argv[MOST_WORDS + 1];
    int argc = 0;
    line[0] = '\0';
    for (; words[argc] && argc < MOST_WORDS; argc++) {
        argv[argc] = words[argc];
        snprintf(line + strlen(line), sizeof line - strlen(line), "%s%s", argc ? " " : "weft ", words[argc]);
    }
    argv[argc] = NULL;
    struct stream out = redirect(STDOUT_FILENO), err = redirect(STDERR_FILENO);
    int status = wf_command_find(words[0])->run(argc, argv);
    fflush(stdout);
    fflush(stderr);
    char *printed = restore(&out), *said = restore(&err);
    check_sentences(status, said, sentences);
    check_output(output, status, printed);
    free(printed);
    free(said);
    return status;
}
