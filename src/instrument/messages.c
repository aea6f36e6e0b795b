/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "instrument/job.h"

bool wf_messages_want_colour(const struct wf_command_line *line)
{
    const char *terminal = getenv("TERM");
    for (size_t i = 0; i < line->words.count; i++)
        if (strstr(line->words.items[i], "diagnostics-color") || strstr(line->words.items[i], "color-diagnostics"))
            return false;
    return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

/* Warnings of the optimiser, which probes may change. */
static bool messages_have_late_warning(const char *text)
{
    static const char *const names[] = {"-Wmaybe-uninitialized",
                                        "-Wuninitialized",
                                        "-Wstringop-",
                                        "-Warray-bounds",
                                        "-Wnull-dereference",
                                        "-Wformat-overflow",
                                        "-Wformat-truncation",
                                        "-Wfree-nonheap",
                                        "-Wuse-after-free",
                                        "-Wdangling-pointer",
                                        "-Wclobbered",
                                        "-Wrestrict",
                                        "-Waggressive-loop",
                                        "-Wstrict-overflow",
                                        "-Walloc",
                                        "-Winline",
                                        "-Wstack-",
                                        "-Wframe-",
                                        "-Wsuggest-",
                                        "-Wvla-larger",
                                        "-Wdisabled-opt",
                                        "-Wunsafe-loop",
                                        "-Wanalyzer-",
                                        "-Winfinite-recursion",
                                        "-Wreturn-local-addr",
                                        "-Wpass-failed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i]))
            return true;
    return false;
}

static bool messages_want_indentation(const struct wf_command_line *line)
{
    return wf_words_have(&line->words, "-Wall") || wf_words_have(&line->words, "-Wmisleading-indentation");
}

/* Compiles the original for its messages; only for the simplest kind of command line. */
static int messages_of_original(const struct wf_job *job, struct wf_buffer *messages)
{
    const struct wf_command_line *line = &job->line;
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
    int error = wf_job_start(&child, &words, WF_CHILD_CATCH_ERRORS);
    int status = error ? -1 : wf_job_finish(&child, messages);
    wf_words_fini(&words);
    return status;
}

void wf_messages_show(const struct wf_job *job, const struct wf_buffer *messages)
{
    struct wf_buffer translated = {0}, original = {0};
    wf_mirror_translate(&job->mirror, wf_buffer_text(messages), messages->length, &translated);
    bool doubtful = messages_have_late_warning(wf_buffer_text(&translated)) ||
                    (job->steps[0].doubtful && messages_want_indentation(&job->line));
    const struct wf_buffer *shown = doubtful && messages_of_original(job, &original) == 0 ? &original : &translated;
    fwrite(wf_buffer_text(shown), 1, shown->length, stderr);
    wf_buffer_fini(&translated);
    wf_buffer_fini(&original);
}

/* "foo.c:12:3: error: ..." -> "foo.c:12" */
void wf_messages_blame(struct wf_job *job, const struct wf_buffer *messages)
{
    struct wf_buffer translated = {0};
    wf_mirror_translate(&job->mirror, wf_buffer_text(messages), messages->length, &translated);
    char *rest = translated.data, *line;
    while (rest && (line = strsep(&rest, "\n"))) {
        char *error = strstr(line, ": error: "), *column = error ? memrchr(line, ':', (size_t)(error - line)) : NULL;
        if (!column)
            continue;
        *column = '\0';
        if (!wf_words_have(&job->blamed, line))
            wf_words_add(&job->blamed, line);
    }
    wf_buffer_fini(&translated);
}
