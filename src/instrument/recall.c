/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/recall.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { GOOD_SECONDS = 3600 }; /* a wrapper's configuration may change in a file that weft does not know */

/* ---- the key of an answer ---- */

static bool recall_matters(const char *variable)
{
    static const char *const starts[] = {"PATH=",
                                         "CPATH=",
                                         "C_INCLUDE_PATH=",
                                         "CPLUS_INCLUDE_PATH=",
                                         "COMPILER_PATH=",
                                         "GCC_",
                                         "CCC_",
                                         "SDKROOT=",
                                         "OMPI_",
                                         "OPAL_",
                                         "MPICH_",
                                         "I_MPI_",
                                         "MPI",
                                         "CCACHE_",
                                         "SOURCE_DATE_EPOCH="};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (wf_text_starts(variable, starts[i]))
            return true;
    return false;
}

static void recall_add_words(struct wf_buffer *key, const struct wf_words *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        wf_buffer_add(key, words->items[i], strlen(words->items[i]) + 1);
    wf_buffer_add(key, "", 1);
}

static void recall_make_key(struct wf_buffer *key, const struct wf_command_line *line, const struct wf_input *input)
{
    char directory[4096];
    const char *dot = strrchr(wf_path_base(input->path), '.');
    recall_add_words(key, &line->words, line->compiler_words);
    recall_add_words(key, &line->asked_words, line->asked_words.count);
    recall_add_words(key, &line->defined, line->defined.count);
    wf_buffer_addf(key, "%s %s\n%s\n", dot ? dot : "", input->forced ? input->forced : "",
                   getcwd(directory, sizeof directory) ? directory : "");
    for (char **variable = environ; *variable; variable++)
        if (recall_matters(*variable))
            wf_buffer_addf(key, "%s\n", *variable);
}

/* A file's time, size and inode; "-" if there is no file. */
static void recall_stamp(const char *path, char *text, size_t bytes)
{
    struct stat status;
    if (stat(path, &status))
        snprintf(text, bytes, "-");
    else if (S_ISDIR(status.st_mode))
        snprintf(text, bytes, "directory");
    else
        snprintf(text, bytes, "%lld.%09ld,%lld,%llu", (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                 (long long)status.st_size, (unsigned long long)status.st_ino);
}

/* ---- the file ---- */

static char *recall_path_of(const struct wf_buffer *key, bool make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if ((!cache || *cache != '/') && (!home || *home != '/'))
        return NULL;
    char *top = cache && *cache == '/' ? wf_text_copy(cache) : wf_text_format("%s/.cache", home);
    char *folder = wf_text_format("%s/weft", top);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < key->length; i++)
        hash = (hash ^ (unsigned char)key->data[i]) * 0x100000001b3u;
    if (make) {
        mkdir(top, 0700);
        mkdir(folder, 0700);
    }
    char *path = wf_text_format("%s/compiler-%016llx", folder, (unsigned long long)hash);
    free(top);
    free(folder);
    return path;
}

/* Reads the file if it is the user's and not too old. */
static bool recall_read_kept(const char *path, struct wf_buffer *text)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           time(NULL) - status.st_mtime < GOOD_SECONDS && time(NULL) >= status.st_mtime &&
           wf_buffer_read(text, path) == 0;
}

/* ---- its content: the key, then lines of a letter and a value ---- */

static void recall_add_line(struct wf_buffer *text, char letter, const char *value)
{
    if (value)
        wf_buffer_addf(text, "%c%s\n", letter, value);
}

static void recall_add_lines(struct wf_buffer *text, char letter, const struct wf_words *values)
{
    for (size_t i = 0; i < values->count; i++)
        recall_add_line(text, letter, values->items[i]);
}

static void recall_write_answer(struct wf_buffer *text, const struct wf_compiler *compiler, const struct wf_buffer *key)
{
    char now[128];
    wf_buffer_addf(text, "weft 1 %zu\n", key->length);
    wf_buffer_add(text, key->data, key->length);
    wf_buffer_addf(text, "\nv%d %d %d\n", compiler->clang, compiler->cplusplus, compiler->major);
    recall_add_line(text, 't', compiler->target);
    recall_add_line(text, 's', compiler->standard);
    recall_add_line(text, 'o', compiler->openmp);
    recall_add_lines(text, 'q', &compiler->quoted);
    recall_add_lines(text, 'b', &compiler->bracketed);
    recall_add_lines(text, 'd', &compiler->defines);
    for (size_t i = 0; i < compiler->files.count; i++) {
        recall_stamp(compiler->files.items[i], now, sizeof now);
        wf_buffer_addf(text, "f%s %s\n", now, compiler->files.items[i]);
    }
    wf_buffer_add_text(text, ".\n"); /* the end: without it, the file is incomplete */
}

static bool recall_same_file(const char *value)
{
    char now[128];
    size_t length = strcspn(value, " ");
    if (!value[length])
        return false;
    recall_stamp(value + length + 1, now, sizeof now);
    return strlen(now) == length && !strncmp(now, value, length);
}

static bool recall_read_line(struct wf_compiler *compiler, char letter, const char *value)
{
    int clang, cplusplus;
    switch (letter) {
    case 'v':
        if (sscanf(value, "%d %d %d", &clang, &cplusplus, &compiler->major) != 3)
            return false;
        compiler->clang = clang;
        compiler->cplusplus = cplusplus;
        return true;
    case 't':
        compiler->target = wf_text_copy(value);
        return true;
    case 's':
        compiler->standard = wf_text_copy(value);
        return true;
    case 'o':
        compiler->openmp = wf_text_copy(value);
        return true;
    case 'q':
        wf_words_add(&compiler->quoted, value);
        return true;
    case 'b':
        wf_words_add(&compiler->bracketed, value);
        return true;
    case 'd':
        wf_words_add(&compiler->defines, value);
        return true;
    case 'f':
        return recall_same_file(value);
    default:
        return false;
    }
}

static bool recall_read_answer(struct wf_compiler *compiler, struct wf_buffer *text, const struct wf_buffer *key)
{
    char title[64];
    int length = snprintf(title, sizeof title, "weft 1 %zu\n", key->length);
    if (text->length < (size_t)length + key->length + 1 || memcmp(text->data, title, (size_t)length) != 0 ||
        memcmp(text->data + length, key->data, key->length) != 0)
        return false;
    char *at = text->data + length + key->length + 1, *end;
    for (; *at && *at != '.' && (end = strchr(at, '\n')); at = end + 1) {
        *end = '\0';
        if (!recall_read_line(compiler, *at, at + 1))
            return false;
    }
    return *at == '.';
}

/* ---- */

bool wf_recall(struct wf_compiler *compiler, const struct wf_command_line *line, const struct wf_input *input)
{
    struct wf_buffer key = {0}, text = {0};
    recall_make_key(&key, line, input);
    char *path = recall_path_of(&key, false);
    *compiler = (struct wf_compiler){0};
    bool found = path && recall_read_kept(path, &text) && recall_read_answer(compiler, &text, &key);
    if (!found)
        wf_compiler_fini(compiler);
    free(path);
    wf_buffer_fini(&key);
    wf_buffer_fini(&text);
    return found;
}

void wf_recall_keep(const struct wf_compiler *compiler, const struct wf_command_line *line,
                    const struct wf_input *input)
{
    struct wf_buffer key = {0}, text = {0};
    recall_make_key(&key, line, input);
    char *path = recall_path_of(&key, true), *fresh = path ? wf_text_format("%s.%ld", path, (long)getpid()) : NULL;
    int fd = fresh ? open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) {
        recall_write_answer(&text, compiler, &key);
        bool written = write(fd, text.data, text.length) == (ssize_t)text.length;
        if (close(fd) || !written || rename(fresh, path))
            unlink(fresh);
    }
    free(path);
    free(fresh);
    wf_buffer_fini(&key);
    wf_buffer_fini(&text);
}
