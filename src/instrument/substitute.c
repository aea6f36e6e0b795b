/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "instrument/depfile.h"
#include "instrument/job.h"

/* Debug information changes no code, but takes time to make. Call statements need no variables and types. But names of
 * C++ procedures need their classes, and clang's -g1 lacks the places of procedures. */
static void substitute_add_debug(const struct wf_command_line *line, const struct wf_compiler *compiler,
                                 struct wf_words *words)
{
    if (line->debug_given)
        return;
    wf_words_add(words, compiler->clang || compiler->cplusplus ? "-g" : "-g1");
    if (!compiler->clang && compiler->cplusplus)
        wf_words_add(words, "-fno-var-tracking");
}

char *wf_path_directory(const char *path)
{
    return wf_text_copy_bytes(path, (size_t)(wf_path_base(path) - path));
}

/* For headers that libclang did not see: the directory of the sources, if they have one in common. */
static void substitute_add_quoted_directory(const struct wf_job *job, struct wf_words *words)
{
    char *directory = wf_path_directory(job->steps[0].input->path);
    bool same = true;
    for (size_t i = 1; i < job->step_count; i++) {
        char *other = wf_path_directory(job->steps[i].input->path);
        same &= !strcmp(directory, other);
        free(other);
    }
    if (same) {
        wf_words_add(words, "-iquote");
        wf_words_add(words, *directory ? directory : ".");
    }
    free(directory);
}

static void substitute_add_maps(const struct wf_job *job, struct wf_words *words)
{
    const struct wf_compiler *compiler = &job->steps[0].compiler;
    const char *option = compiler->major >= (compiler->clang ? 10 : 8) ? "-ffile-prefix-map" : "-fdebug-prefix-map";
    for (size_t i = 0; i < job->mirror.root_count; i++) {
        const struct wf_mirror_root *root = &job->mirror.roots[i];
        if (root->used)
            wf_words_addf(words, "%s=%s=%s", option, root->copy, root->shown);
    }
    /* clang says "./x.h", but "x.c" */
    for (size_t i = 0; i < job->step_count; i++) {
        const struct wf_mirror_root *root = &job->mirror.roots[job->steps[i].root];
        const char *path = job->steps[i].input->path;
        if (job->steps[i].instrumented && strcmp(root->original, root->shown) != 0)
            wf_words_addf(words, "%s=%s%s=%s", option, root->copy, wf_path_base(path), path);
    }
}

static const struct wf_step *substitute_step_at(const struct wf_job *job, size_t word)
{
    for (size_t i = 0; i < job->step_count; i++)
        if (job->steps[i].input->word == word && job->steps[i].instrumented)
            return &job->steps[i];
    return NULL;
}

static void substitute_add_mirrored_include(const struct wf_job *job, size_t word, struct wf_words *words)
{
    for (size_t i = 0; i < job->line.include_count; i++) {
        const struct wf_mirror_root *root = &job->mirror.roots[job->include_roots[i]];
        if (job->line.includes[i].word != word || !root->used)
            continue;
        wf_words_add(words, job->line.includes[i].option);
        wf_words_add(words, root->copy);
        words->items[words->count - 1][strlen(root->copy) - 1] = '\0'; /* the compiler adds the slash */
    }
}

void wf_substitute_words(const struct wf_job *job, struct wf_words *words)
{
    const struct wf_command_line *line = &job->line;
    for (size_t i = 0; i < line->words.count; i++) {
        if (i == line->compiler_words) {
            substitute_add_debug(line, &job->steps[0].compiler, words);
            substitute_add_quoted_directory(job, words);
            substitute_add_maps(job, words);
        }
        const struct wf_step *step = substitute_step_at(job, i);
        substitute_add_mirrored_include(job, i, words);
        if (step)
            wf_words_addf(words, "%s%s", job->mirror.roots[step->root].copy, wf_path_base(step->input->path));
        else
            wf_words_add(words, line->words.items[i]);
    }
    if (wf_messages_want_colour(line))
        wf_words_add(words, "-fdiagnostics-color"); /* the compiler sees a pipe */
}

void wf_substitute_dependencies(const struct wf_job *job)
{
    const struct wf_command_line *line = &job->line;
    if (!line->dependencies)
        return;
    for (size_t i = 0; i < job->step_count; i++) {
        const struct wf_step *step = &job->steps[i];
        const char *base = wf_path_base(step->input->path), *output = line->output ? line->output : base;
        int stem = (int)(strrchr(base, '.') ? strrchr(base, '.') - base : (long)strlen(base));
        const char *dot = strrchr(wf_path_base(output), '.');
        int output_stem = (int)(dot ? dot - output : (long)strlen(output));
        /* gcc's name for it depends on version and mode. Only a file that names a copy is changed. */
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
            if (*names[n] && strcmp(names[n], "-") != 0)
                wf_depfile_fix(names[n], &job->mirror, job->probe_header,
                               step->compiler.clang ? WF_DEPFILE_CLANG : WF_DEPFILE_GCC);
            free(names[n]);
        }
    }
}
