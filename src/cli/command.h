/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A subcommand is one file with one constant wf_command; commands.c lists all of them once. Usage lines, --help, man
 * pages and shell completion are printed from these tables, and options are parsed with them. weft itself has one
 * thread, so nothing in cli/ and present/ is locked.
 */
#ifndef WF_COMMAND_H
#define WF_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum wf_option_kind {
    WF_OPTION_FLAG,   /* bool: present or not */
    WF_OPTION_TEXT,   /* const char *: any text */
    WF_OPTION_NUMBER, /* long long: a whole number >= 0, in the range in `argument` if there is one */
    WF_OPTION_SIZE,   /* long long: the same in bytes, with an optional K, M or G */
    WF_OPTION_CHOICE, /* const char *: one of the words in `argument`, "this|that" */
};

struct wf_option {
    const char *name; /* without the leading dashes */
    char letter;      /* a one-letter name, or 0 */
    enum wf_option_kind kind;
    const char *argument; /* its name in the help, or the numbers that are allowed: "72..1000", "1..", "64K..4G"; NULL
                             for a flag */
    const char *variable; /* the environment variable that also sets it, or NULL */
    const char *help;     /* one sentence */
    size_t place;         /* offsetof the value in the command's options */
};

struct wf_command {
    const char *name;
    const char *usage;       /* what follows "weft NAME" */
    const char *summary;     /* one line, for "weft --help" */
    const char *description; /* paragraphs for --help and the man page, separated by empty lines */
    const char *examples;    /* lines "command   # what it does" for the man page, or NULL */
    const char *words;       /* its first word is one of these, separated by blanks; or NULL */
    const char *operand; /* what its words are, after `words`, for completion.bash: "profile", "run", "program", ...; or
                            NULL */
    const struct wf_option *options;   /* ended by an entry without a name, or NULL */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
    const char *environment;           /* lines "VARIABLE # what it does" for variables that no option names, or NULL */
    const char *exit_status;           /* lines "STATUS   # when", or NULL for the usual ones */
};

extern const struct wf_command *const wf_commands[]; /* ended by NULL; in commands.c */
extern const struct wf_command wf_command_weft;      /* weft itself, described like a command; its name is "weft" */

enum { WF_EXIT_OK = 0, WF_EXIT_FAILED = 1, WF_EXIT_USAGE = 2, WF_EXIT_STUCK = 113 };

/* Parses argv into *values, which the caller has zeroed or filled with defaults. Environment variables set options
 * that the command line does not give. With `stop_at_word`, parsing stops at "--" or at the first word that is not
 * an option; otherwise words and options may mix, and the words are moved to the end of argv. Returns the index of
 * the first word. Returns -1 after it has printed the help (*status is 0) or an error message (*status is
 * WF_EXIT_USAGE). Texts in *values point into argv or the environment. */
int wf_command_parse(const struct wf_command *command, int argc, char **argv, bool stop_at_word, void *values,
                     int *status);

const struct wf_command *wf_command_find(const char *name);

/* Prints "weft NAME: SENTENCE; see weft NAME --help" and returns WF_EXIT_USAGE. */
int wf_command_misused(const struct wf_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "weft NAME: SENTENCE" and returns WF_EXIT_FAILED. */
int wf_command_failed(const struct wf_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "weft run", or "weft" for weft itself; `separator` stands between the words. */
struct wf_command_title {
    char text[64];
};
struct wf_command_title wf_command_title(const struct wf_command *command, const char *separator);

#endif
