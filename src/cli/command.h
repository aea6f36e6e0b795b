/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A subcommand is one file with one constant wf_command; commands.c lists them all, once. Usage lines, --help, man pages
 * and shell completion are printed from these tables, and options are parsed by them.
 */
#ifndef WF_COMMAND_H
#define WF_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum wf_option_kind {
    WF_OPTION_FLAG,   /* bool: present or not */
    WF_OPTION_TEXT,   /* const char *: any text */
    WF_OPTION_NUMBER, /* long long: a whole number >= 0 */
    WF_OPTION_SIZE,   /* long long: bytes, with an optional K, M or G */
};

struct wf_option {
    const char *name;     /* without the two dashes */
    char letter;          /* a one-letter name, or 0 */
    enum wf_option_kind kind;
    const char *argument; /* its name in the help; NULL for a flag */
    const char *variable; /* the environment variable that sets it too, or NULL */
    const char *help;     /* one sentence */
    size_t place;         /* offsetof the value in the command's options */
};

struct wf_command {
    const char *name;
    const char *usage;       /* what follows "weft NAME" */
    const char *summary;     /* one line, for "weft --help" */
    const char *description; /* paragraphs for --help and the man page, separated by empty lines */
    const char *examples;    /* lines "command   # what it does" for the man page, or NULL */
    const struct wf_option *options; /* ended by an entry without a name, or NULL */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
};

extern const struct wf_command *const wf_commands[]; /* ended by NULL; in commands.c */

enum { WF_EXIT_OK = 0, WF_EXIT_FAILED = 1, WF_EXIT_USAGE = 2 };

/* Parses argv by the command's table into *values (zeroed or defaulted by the caller): environment first, then the
 * command line. Stops at "--" or at the first word that is no option if `stop_at_word`; otherwise words and options mix,
 * and the words are moved to the end of argv. Returns the index of the first word; or -1 after it printed the help
 * (exit status 0) or one sentence about what is wrong (WF_EXIT_USAGE) and set *status. */
int wf_command_parse(const struct wf_command *command, int argc, char **argv, bool stop_at_word, void *values, int *status);

const struct wf_command *wf_command_find(const char *name);

#endif
