/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/command.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyse/memory.h"
#include "analyse/nearest.h"
#include "cli/help.h"
#include "present/text.h"

/* ---- sentences ---- */

struct wf_command_title wf_command_title(const struct wf_command *command, const char *separator)
{
    struct wf_command_title title = {"weft"};
    if (command != &wf_command_weft)
        snprintf(title.text, sizeof title.text, "weft%s%s", separator, command->name);
    return title;
}

/* The sentence may contain words and file names from the user, which must not steer the terminal. */
static void command_print_sentence(const struct wf_command *command, const char *format, va_list arguments)
{
    char *sentence = NULL;
    if (vasprintf(&sentence, format, arguments) < 0)
        return;
    fprintf(stderr, "%s: %s", wf_command_title(command, " ").text, wf_text_clean(sentence));
    free(sentence);
}

int wf_command_misused(const struct wf_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    command_print_sentence(command, format, arguments);
    va_end(arguments);
    /* A question needs no semicolon. */
    size_t length = strlen(format);
    bool question = length && format[length - 1] == '?';
    fprintf(stderr, "%s %s --help\n", question ? " See" : "; see", wf_command_title(command, " ").text);
    return WF_EXIT_USAGE;
}

int wf_command_failed(const struct wf_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    command_print_sentence(command, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return WF_EXIT_FAILED;
}

/* ---- values ---- */

/* A part of the sentence about a wrong value: its origin ("option '--top'" or "variable WEFT_TOP"), or the accepted
 * values. */
struct command_phrase {
    char text[160];
};

static struct command_phrase command_option_origin(const struct wf_option *option)
{
    struct command_phrase origin;
    snprintf(origin.text, sizeof origin.text, "option '--%s'", option->name);
    return origin;
}

static struct command_phrase command_variable_origin(const struct wf_option *option)
{
    struct command_phrase origin;
    snprintf(origin.text, sizeof origin.text, "variable %s", option->variable);
    return origin;
}

/* How a kind of option reads a value into its place, and what it accepts. The text is NULL for a flag without a
 * value. */
struct command_value_kind {
    bool (*read)(const struct wf_option *option, const char *text, void *place);
    const char *wants;
};

static bool command_read_flag(const struct wf_option *option, const char *text, void *place)
{
    (void)option;
    static const char *const words[] = {"0", "no", "off", "false", "1", "yes", "on", "true"};
    enum { WORDS = sizeof words / sizeof *words };
    for (size_t i = 0; i < WORDS && text; i++) {
        if (!strcasecmp(text, words[i])) {
            *(bool *)place = i >= WORDS / 2;
            return true;
        }
    }
    *(bool *)place = true;
    return !text;
}

static bool command_read_text(const struct wf_option *option, const char *text, void *place)
{
    (void)option;
    *(const char **)place = text;
    return true;
}

static bool command_read_scaled(const char *text, void *place, const char *units)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10), factor = 1;
    if (end == text || errno || value < 0 || *text == '-' || *text == '+')
        return false;
    if (*end && *units) {
        /* "KkMmGg": each pair is 1024 times the one before */
        const char *unit = strchr(units, *end);
        if (!unit)
            return false;
        factor = 1ll << 10 * ((unit - units) / 2 + 1);
        end++;
    }
    if (*end || value > LLONG_MAX / factor)
        return false;
    *(long long *)place = value * factor;
    return true;
}

/* The limits in "72..1000" or "1.."; without limits, all numbers from 0. */
struct command_range {
    long long least, most;
};

static struct command_range command_limits(const struct wf_option *option, const char *units)
{
    struct command_range range = {0, LLONG_MAX};
    char least[32] = "";
    const char *dots = strstr(option->argument, "..");
    if (!dots || dots - option->argument >= (long)sizeof least)
        return range;
    memcpy(least, option->argument, (size_t)(dots - option->argument));
    command_read_scaled(least, &range.least, units);
    command_read_scaled(dots + 2, &range.most, units);
    return range;
}

static bool command_read_in_range(const struct wf_option *option, const char *text, void *place, const char *units)
{
    struct command_range range = command_limits(option, units);
    long long value;
    if (!command_read_scaled(text, &value, units) || value < range.least || value > range.most)
        return false;
    *(long long *)place = value;
    return true;
}

static bool command_read_number(const struct wf_option *option, const char *text, void *place)
{
    return command_read_in_range(option, text, place, "");
}

static bool command_read_size(const struct wf_option *option, const char *text, void *place)
{
    return command_read_in_range(option, text, place, "KkMmGg");
}

static bool command_read_choice(const struct wf_option *option, const char *text, void *place)
{
    size_t length = strlen(text);
    for (const char *word = option->argument; length; word += strcspn(word, "|") + 1) {
        size_t bytes = strcspn(word, "|");
        if (bytes == length && !strncmp(word, text, length))
            return command_read_text(option, text, place);
        if (!word[bytes])
            break;
    }
    return false;
}

static const struct command_value_kind kinds[] = {
    [WF_OPTION_FLAG] = {command_read_flag, "1 or 0"},
    [WF_OPTION_TEXT] = {command_read_text, "a text"},
    [WF_OPTION_NUMBER] = {command_read_number, "a whole number"},
    [WF_OPTION_SIZE] = {command_read_size, "a number of bytes such as 4096, 64K, 16M or 1G"},
    [WF_OPTION_CHOICE] = {command_read_choice, "one of "},
};

/* ---- the command line ---- */

struct command_parser {
    const struct wf_command *command;
    int argc;
    char **argv;
    void *values;
    uint64_t given; /* bit i is set if the command line gives option i */
    int at;
    int *status;
};

static const struct wf_option *command_option_at(const struct command_parser *parser, size_t index)
{
    const struct wf_option *options = parser->command->options;
    return options && options[index].name ? &options[index] : NULL;
}

/* What an option accepts in addition to its kind: " from 72 to 1000", or the words of a choice. */
static struct command_phrase command_wanted(const struct wf_option *option)
{
    struct command_phrase wanted = {""};
    const char *dots = option->argument ? strstr(option->argument, "..") : NULL;
    if (option->kind == WF_OPTION_CHOICE)
        snprintf(wanted.text, sizeof wanted.text, "%s", option->argument);
    else if (dots && option->kind != WF_OPTION_TEXT)
        snprintf(wanted.text, sizeof wanted.text, " from %.*s%s%s", (int)(dots - option->argument), option->argument,
                 dots[2] ? " to " : " on", dots + 2);
    return wanted;
}

/* Returns 0, or -1 after an error message. */
static int command_set(struct command_parser *parser, const struct wf_option *option, const char *text,
                       struct command_phrase origin)
{
    void *place = (char *)parser->values + option->place;
    if (kinds[option->kind].read(option, text, place))
        return 0;
    *parser->status = wf_command_misused(parser->command, "%s needs %s%s, not '%s'", origin.text,
                                         kinds[option->kind].wants, command_wanted(option).text, text);
    return -1;
}

/* Sets an option of the command line. `value` is the text after "=" or after the letter, or NULL. */
static int command_give(struct command_parser *parser, const struct wf_option *option, const char *value)
{
    parser->given |= UINT64_C(1) << (option - parser->command->options);
    if (option->kind == WF_OPTION_FLAG) {
        if (!value)
            return command_set(parser, option, NULL, command_option_origin(option));
        *parser->status = wf_command_misused(parser->command, "option '--%s' takes no value", option->name);
        return -1;
    }
    if (!value) {
        if (parser->at + 1 >= parser->argc) {
            *parser->status =
                wf_command_misused(parser->command, "option '--%s' needs a value (%s)", option->name, option->argument);
            return -1;
        }
        value = parser->argv[++parser->at];
    }
    return command_set(parser, option, value, command_option_origin(option));
}

static int command_print_help(struct command_parser *parser)
{
    wf_help_print(stdout, parser->command);
    *parser->status = WF_EXIT_OK;
    return -1;
}

static int command_unknown_option(struct command_parser *parser, const char *word, size_t bytes)
{
    const struct wf_option *nearest = NULL;
    int least = 0;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)bytes, word);
    for (size_t i = 0; command_option_at(parser, i); i++) {
        int distance = wf_nearest_distance(name, command_option_at(parser, i)->name);
        if (!nearest || distance < least) {
            nearest = command_option_at(parser, i);
            least = distance;
        }
    }
    bool close = nearest && wf_nearest_close(name, least);
    *parser->status =
        close ? wf_command_misused(parser->command, "unknown option '--%s', did you mean '--%s'?", name, nearest->name)
              : wf_command_misused(parser->command, "unknown option '--%s'", name);
    return -1;
}

static int command_parse_long(struct command_parser *parser, const char *word)
{
    size_t length = strcspn(word, "=");
    if (!strcmp(word, "help"))
        return command_print_help(parser);
    for (size_t i = 0; command_option_at(parser, i); i++) {
        const struct wf_option *option = command_option_at(parser, i);
        if (strlen(option->name) == length && !strncmp(option->name, word, length))
            return command_give(parser, option, word[length] ? word + length + 1 : NULL);
    }
    return command_unknown_option(parser, word, length);
}

static const struct wf_option *command_find_letter(const struct command_parser *parser, char letter)
{
    for (size_t i = 0; command_option_at(parser, i); i++)
        if (command_option_at(parser, i)->letter == letter)
            return command_option_at(parser, i);
    return NULL;
}

/* One or more letters after a dash: flags may be combined, and a value may follow its letter directly. */
static int command_parse_letters(struct command_parser *parser, const char *letters)
{
    for (; *letters; letters++) {
        const struct wf_option *option = command_find_letter(parser, *letters);
        if (!option && *letters == 'h')
            return command_print_help(parser);
        if (!option) {
            *parser->status = wf_command_misused(parser->command, "unknown option '-%c'", *letters);
            return -1;
        }
        if (option->kind != WF_OPTION_FLAG)
            return command_give(parser, option, letters[1] ? letters + 1 : NULL);
        if (command_give(parser, option, NULL))
            return -1;
    }
    return 0;
}

static int command_parse_variables(struct command_parser *parser)
{
    for (size_t i = 0; command_option_at(parser, i); i++) {
        const struct wf_option *option = command_option_at(parser, i);
        const char *text = option->variable ? getenv(option->variable) : NULL;
        bool given = parser->given >> i & 1;
        if (text && *text && !given && command_set(parser, option, text, command_variable_origin(option)))
            return -1;
    }
    return 0;
}

/* Moves the words behind the options and keeps the order of both. Returns the index of the first word. */
static int command_order_words(struct command_parser *parser, char **words, int word_count, char **others,
                               int other_count)
{
    memcpy(parser->argv + 1, others, (size_t)other_count * sizeof *others);
    memcpy(parser->argv + 1 + other_count, words, (size_t)word_count * sizeof *words);
    return 1 + other_count;
}

static int command_parse_line(struct command_parser *parser, bool stop_at_word, char **words, char **others)
{
    int word_count = 0, other_count = 0;
    bool options = true;
    for (parser->at = 1; parser->at < parser->argc; parser->at++) {
        char *word = parser->argv[parser->at];
        bool is_option = options && word[0] == '-' && word[1];
        int from = parser->at;
        if (!is_option) {
            options &= !stop_at_word;
            words[word_count++] = word;
            continue;
        }
        if (!strcmp(word, "--"))
            options = false;
        else if (word[1] == '-' ? command_parse_long(parser, word + 2) : command_parse_letters(parser, word + 1))
            return -1;
        for (; from <= parser->at; from++)
            others[other_count++] = parser->argv[from];
    }
    return command_order_words(parser, words, word_count, others, other_count);
}

int wf_command_parse(const struct wf_command *command, int argc, char **argv, bool stop_at_word, void *values,
                     int *status)
{
    struct command_parser parser = {.command = command, .argc = argc, .argv = argv, .values = values, .status = status};
    char **words = wf_memory_array((size_t)argc, sizeof *words),
         **others = wf_memory_array((size_t)argc, sizeof *others);
    int first = command_parse_line(&parser, stop_at_word, words, others);
    free(words);
    free(others);
    if (first >= 0 && command_parse_variables(&parser))
        return -1;
    return first;
}
