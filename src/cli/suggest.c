/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/suggest.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/nearest.h"
#include "cli/command.h"
#include "cli/launch.h"

/* ---- a program ---- */

static bool suggest_is_executable(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Whether weft run can start the word. *folder becomes "./" if the word is a file in the current directory. */
static bool suggest_is_program(const char *word, const char **folder)
{
    char path[PATH_MAX];
    *folder = "";
    if (wf_launch_is_launcher(word))
        return true;
    if (wf_launch_find_program(word, path, sizeof path) && suggest_is_executable(path))
        return true;
    *folder = "./";
    snprintf(path, sizeof path, "./%.*s", PATH_MAX - 3, word);
    return *word && !strchr(word, '/') && suggest_is_executable(path);
}

/* Prints the word quoted for a shell. */
static void suggest_print_quoted(FILE *to, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./:,=+@%^-";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\'", to);
        fputc(*word, to);
    }
    fputc('\'', to);
}

static int suggest_run(char **argv, const char *folder)
{
    char *command = NULL;
    size_t bytes;
    FILE *to = open_memstream(&command, &bytes);
    for (char **word = argv; to && *word; word++) {
        fputs(word == argv ? folder : " ", to);
        suggest_print_quoted(to, *word);
    }
    if (to)
        fclose(to);
    int status = wf_command_misused(&wf_command_weft, "unknown command '%s', did you mean \"weft run %s\"?", *argv,
                                    command ? command : *argv);
    free(command);
    return status;
}

/* ---- a command ---- */

static int suggest_command(const char *name)
{
    const struct wf_command *nearest = NULL;
    int least = 0;
    for (const struct wf_command *const *c = wf_commands; *c; c++) {
        int distance = wf_nearest_distance(name, (*c)->name);
        if (!nearest || distance < least) {
            nearest = *c;
            least = distance;
        }
    }
    if (nearest && wf_nearest_close(name, least))
        return wf_command_misused(&wf_command_weft, "unknown command '%s', did you mean '%s'?", name, nearest->name);
    return wf_command_misused(&wf_command_weft, "unknown command '%s'", name);
}

int wf_suggest(char **argv)
{
    const char *folder;
    return suggest_is_program(*argv, &folder) ? suggest_run(argv, folder) : suggest_command(*argv);
}
