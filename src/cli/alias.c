/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/alias.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/memory.h"
#include "cli/command.h"

static const char *alias_find(const char *path)
{
    static const struct {
        const char *name, *compiler;
    } aliases[] = {
#define ALIAS(name, compiler) {name, compiler},
        WF_ALIASES(ALIAS)
#undef ALIAS
    };
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i].name, name))
            return aliases[i].compiler;
    return NULL;
}

/* Puts the place of `target` into `path`, which is the link that leads there. */
static bool alias_follow(char path[PATH_MAX], const char *target)
{
    char *slash = strrchr(path, '/');
    size_t folder = *target == '/' || !slash ? 0 : (size_t)(slash + 1 - path);
    return snprintf(path + folder, PATH_MAX - folder, "%s", target) < (int)(PATH_MAX - folder);
}

enum { MOST_LINKS = 40 }; /* the kernel's own limit */

const char *wf_alias_compiler(const char *argv0)
{
    const char *executed = (const char *)getauxval(AT_EXECFN), *compiler = argv0 ? alias_find(argv0) : NULL;
    char path[PATH_MAX], target[PATH_MAX];
    if (compiler || !executed || snprintf(path, sizeof path, "%s", executed) >= (int)sizeof path)
        return compiler;
    compiler = alias_find(path);
    for (int links = 0; !compiler && links < MOST_LINKS; links++) {
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length <= 0)
            return NULL;
        target[length] = '\0';
        if (!alias_follow(path, target))
            return NULL;
        compiler = alias_find(path);
    }
    return compiler;
}

static bool alias_is_weft(const char *path)
{
    struct stat weft, other;
    return stat("/proc/self/exe", &weft) == 0 && stat(path, &other) == 0 && weft.st_dev == other.st_dev &&
           weft.st_ino == other.st_ino;
}

/* The compiler's name, or its path if links to weft stand before it in PATH; NULL if PATH has only such links. */
static char *alias_command(const char *compiler)
{
    const char *at = getenv("PATH");
    bool hidden = false;
    while (at && *at) {
        char *path = NULL;
        int length = (int)strcspn(at, ":");
        if (asprintf(&path, "%.*s/%s", length ? length : 1, length ? at : ".", compiler) < 0)
            return wf_memory_text(compiler);
        bool found = access(path, X_OK) == 0, weft = found && alias_is_weft(path);
        if (found && !weft && hidden)
            return path;
        free(path);
        if (found && !weft)
            return wf_memory_text(compiler);
        hidden |= weft;
        at += length + (at[length] == ':');
    }
    return hidden ? NULL : wf_memory_text(compiler);
}

enum { NO_COMPILER = 127 }; /* as in shells */

int wf_alias_run(const char *compiler, int argc, char **argv)
{
    const struct wf_command *cc = wf_command_find("cc");
    char *command = alias_command(compiler), name[] = "cc";
    if (!command) {
        wf_command_failed(cc, "cannot run %s: PATH has only links to weft under this name", compiler);
        return NO_COMPILER;
    }
    char **words = wf_memory_array((size_t)argc + 3, sizeof *words);
    int count = 0;
    words[count++] = name;
    words[count++] = command;
    for (int i = 1; i < argc; i++)
        words[count++] = argv[i];
    int status = cc->run(count, words);
    free(words);
    free(command);
    return status;
}
