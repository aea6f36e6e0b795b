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

/* Words and file names in it may hold anything, but must not steer the terminal. */
static void print_sentence(const struct wf_command *command, const char *format, va_list arguments)
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
    print_sentence(command, format, arguments);
    va_end(arguments);
    /* A question ends its sentence already. */
    size_t length = strlen(format);
    bool question = length && format[length - 1] == '?';
    fprintf(stderr, "%s %s --help\n", question ? " See" : "; see", wf_command_title(command, " ").text);
    return WF_EXIT_USAGE;
}

int wf_command_failed(const struct wf_command *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_sentence(command, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return WF_EXIT_FAILED;
}

/* ---- values ---- */

/* A part of the sentence about a wrong value: where it came from, "option '--top'" or "variable WEFT_TOP", or what is wanted. */
struct origin {
    char text[160];
};

static struct origin option_origin(const struct wf_option *option)
{
    struct origin origin;
    snprintf(origin.text, sizeof origin.text, "option '--%s'", option->name);
    return origin;
}

static struct origin variable_origin(const struct wf_option *option)
{
    struct origin origin;
    snprintf(origin.text, sizeof origin.text, "variable %s", option->variable);
    return origin;
}

/* What a kind accepts, and how it reads a value into its place. NULL stands for a flag without a value. */
struct kind {
    bool (*read)(const struct wf_option *option, const char *text, void *place);
    const char *wants;
};

static bool read_flag(const struct wf_option *option, const char *text, void *place)
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

static bool read_text(const struct wf_option *option, const char *text, void *place)
{
    (void)option;
    *(const char **)place = text;
    return true;
}

static bool read_scaled(const char *text, void *place, const char *units)
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

/* The limits in "72..1000" or "1.."; without them, all numbers from 0 on. */
struct range {
    long long least, most;
};

static struct range range_of(const struct wf_option *option, const char *units)
{
    struct range range = {0, LLONG_MAX};
    char least[32] = "";
    const char *dots = strstr(option->argument, "..");
    if (!dots || dots - option->argument >= (long)sizeof least)
        return range;
    memcpy(least, option->argument, (size_t)(dots - option->argument));
    read_scaled(least, &range.least, units);
    read_scaled(dots + 2, &range.most, units);
    return range;
}

static bool read_in_range(const struct wf_option *option, const char *text, void *place, const char *units)
{
    struct range range = range_of(option, units);
    long long value;
    if (!read_scaled(text, &value, units) || value < range.least || value > range.most)
        return false;
    *(long long *)place = value;
    return true;
}

static bool read_number(const struct wf_option *option, const char *text, void *place)
{
    return read_in_range(option, text, place, "");
}

static bool read_size(const struct wf_option *option, const char *text, void *place)
{
    return read_in_range(option, text, place, "KkMmGg");
}

static bool read_choice(const struct wf_option *option, const char *text, void *place)
{
    size_t length = strlen(text);
    for (const char *word = option->argument; length; word += strcspn(word, "|") + 1) {
        size_t bytes = strcspn(word, "|");
        if (bytes == length && !strncmp(word, text, length))
            return read_text(option, text, place);
        if (!word[bytes])
            break;
    }
    return false;
}

static const struct kind kinds[] = {
    [WF_OPTION_FLAG] = {read_flag, "1 or 0"},
    [WF_OPTION_TEXT] = {read_text, "a text"},
    [WF_OPTION_NUMBER] = {read_number, "a whole number"},
    [WF_OPTION_SIZE] = {read_size, "a number of bytes such as 4096, 64K, 16M or 1G"},
    [WF_OPTION_CHOICE] = {read_choice, "one of "},
};

/* ---- the command line ---- */

struct parser {
    const struct wf_command *command;
    int argc;
    char **argv;
    void *values;
    uint64_t given; /* a bit for each option that the command line gives */
    int at;
    int *status;
};

static const struct wf_option *option_at(const struct parser *parser, size_t index)
{
    const struct wf_option *options = parser->command->options;
    return options && options[index].name ? &options[index] : NULL;
}

/* What an option accepts beyond its kind: " from 72 to 1000", or the words of a choice. */
static struct origin wanted_of(const struct wf_option *option)
{
    struct origin wanted = {""};
    const char *dots = option->argument ? strstr(option->argument, "..") : NULL;
    if (option->kind == WF_OPTION_CHOICE)
        snprintf(wanted.text, sizeof wanted.text, "%s", option->argument);
    else if (dots && option->kind != WF_OPTION_TEXT)
        snprintf(wanted.text, sizeof wanted.text, " from %.*s%s%s", (int)(dots - option->argument), option->argument, dots[2] ? " to " : " on", dots + 2);
    return wanted;
}

/* 0, or -1 after a sentence. */
static int set(struct parser *parser, const struct wf_option *option, const char *text, struct origin origin)
{
    void *place = (char *)parser->values + option->place;
    if (kinds[option->kind].read(option, text, place))
        return 0;
    *parser->status = wf_command_misused(parser->command, "%s needs %s%s, not '%s'", origin.text, kinds[option->kind].wants, wanted_of(option).text, text);
    return -1;
}

/* Sets an option that stands on the command line. `value`: what was glued to it, or NULL. */
static int give(struct parser *parser, const struct wf_option *option, const char *value)
{
    parser->given |= UINT64_C(1) << (option - parser->command->options);
    if (option->kind == WF_OPTION_FLAG) {
        if (!value)
            return set(parser, option, NULL, option_origin(option));
        *parser->status = wf_command_misused(parser->command, "option '--%s' takes no value", option->name);
        return -1;
    }
    if (!value) {
        if (parser->at + 1 >= parser->argc) {
            *parser->status = wf_command_misused(parser->command, "option '--%s' needs a value (%s)",
                                                 option->name, option->argument);
            return -1;
        }
        value = parser->argv[++parser->at];
    }
    return set(parser, option, value, option_origin(option));
}

static int print_help(struct parser *parser)
{
    wf_help_print(stdout, parser->command);
    *parser->status = WF_EXIT_OK;
    return -1;
}

static int unknown_option(struct parser *parser, const char *word, size_t bytes)
{
    const struct wf_option *nearest = NULL;
    int least = 0;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)bytes, word);
    for (size_t i = 0; option_at(parser, i); i++) {
        int distance = wf_nearest_distance(name, option_at(parser, i)->name);
        if (!nearest || distance < least) {
            nearest = option_at(parser, i);
            least = distance;
        }
    }
    bool close = nearest && wf_nearest_close(name, least);
    *parser->status = close
                          ? wf_command_misused(parser->command, "unknown option '--%s', did you mean '--%s'?",
                                               name, nearest->name)
                          : wf_command_misused(parser->command, "unknown option '--%s'", name);
    return -1;
}

static int parse_long(struct parser *parser, const char *word)
{
    size_t length = strcspn(word, "=");
    if (!strcmp(word, "help"))
        return print_help(parser);
    for (size_t i = 0; option_at(parser, i); i++) {
        const struct wf_option *option = option_at(parser, i);
        if (strlen(option->name) == length && !strncmp(option->name, word, length))
            return give(parser, option, word[length] ? word + length + 1 : NULL);
    }
    return unknown_option(parser, word, length);
}

static const struct wf_option *find_letter(const struct parser *parser, char letter)
{
    for (size_t i = 0; option_at(parser, i); i++)
        if (option_at(parser, i)->letter == letter)
            return option_at(parser, i);
    return NULL;
}

/* One or more letters behind a dash: flags may be glued together, and a value to its letter. */
static int parse_letters(struct parser *parser, const char *letters)
{
    for (; *letters; letters++) {
        const struct wf_option *option = find_letter(parser, *letters);
        if (!option && *letters == 'h')
            return print_help(parser);
        if (!option) {
            *parser->status = wf_command_misused(parser->command, "unknown option '-%c'", *letters);
            return -1;
        }
        if (option->kind != WF_OPTION_FLAG)
            return give(parser, option, letters[1] ? letters + 1 : NULL);
        if (give(parser, option, NULL))
            return -1;
    }
    return 0;
}

static int parse_variables(struct parser *parser)
{
    for (size_t i = 0; option_at(parser, i); i++) {
        const struct wf_option *option = option_at(parser, i);
        const char *text = option->variable ? getenv(option->variable) : NULL;
        bool given = parser->given >> i & 1;
        if (text && *text && !given && set(parser, option, text, variable_origin(option)))
            return -1;
    }
    return 0;
}

/* Moves the words behind the options, both in their order; returns where they begin. */
static int order(struct parser *parser, char **words, int word_count, char **others, int other_count)
{
    memcpy(parser->argv + 1, others, (size_t)other_count * sizeof *others);
    memcpy(parser->argv + 1 + other_count, words, (size_t)word_count * sizeof *words);
    return 1 + other_count;
}

static int parse_line(struct parser *parser, bool stop_at_word, char **words, char **others)
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
        else if (word[1] == '-' ? parse_long(parser, word + 2) : parse_letters(parser, word + 1))
            return -1;
        for (; from <= parser->at; from++)
            others[other_count++] = parser->argv[from];
    }
    return order(parser, words, word_count, others, other_count);
}

int wf_command_parse(const struct wf_command *command, int argc, char **argv, bool stop_at_word, void *values,
                     int *status)
{
    struct parser parser = {
        .command = command, .argc = argc, .argv = argv, .values = values, .status = status};
    char **words = wf_memory_array((size_t)argc, sizeof *words),
         **others = wf_memory_array((size_t)argc, sizeof *others);
    int first = parse_line(&parser, stop_at_word, words, others);
    free(words);
    free(others);
    if (first >= 0 && parse_variables(&parser))
        return -1;
    return first;
}
