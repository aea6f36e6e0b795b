/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The completion for bash: the words of the tables as two functions, followed by completion.bash, which calls them.
 */
#include <string.h>

#include "analyse/question.h"
#include "analyse/wait.h"
#include "cli/help.h"
#include "completion_script.h" /* made of completion.bash */

/* The kind of words that completion.bash offers for an argument with this name in the help. */
static const struct {
    const char *argument, *kind;
} completion_kinds[] = {
    {"COMMAND", "command"},
    {"FILE:LINE", "communication"},
    {"NAME|FILE:LINE", "region"},
    {"PATTERN,...", "patterns"},
    {"PATTERNS", "patterns"},
    {"R", "rank"},
    {"RANK", "rank"},
    {"SOURCE", "source"},
    {"NAME", "procedure"},
    {"PROCEDURE", "procedure"},
    {"STATE", "word"},
};

static const char *completion_kind(const char *argument)
{
    for (size_t i = 0; i < sizeof completion_kinds / sizeof *completion_kinds; i++)
        if (strcmp(completion_kinds[i].argument, argument) == 0)
            return completion_kinds[i].kind;
    return "";
}

/* Prints a word of a list separated by blanks. Blanks within a word become hyphens, which weft also accepts. */
static void completion_print_word(FILE *out, const char *word, bool first)
{
    fputs(first ? "" : " ", out);
    for (; *word; word++)
        fputc(*word == ' ' ? '-' : *word, out);
}

/* ---- commands and options ---- */

static void completion_print_options(FILE *out, const struct wf_command *command)
{
    fputs("        options='", out);
    for (const struct wf_option *o = command->options; o && o->name; o++)
        fprintf(out, "--%s ", o->name);
    fputs("--help' valued='", out);
    for (const struct wf_option *o = command->options; o && o->name; o++)
        if (o->kind != WF_OPTION_FLAG && o->letter)
            fprintf(out, "--%s -%c ", o->name, o->letter);
        else if (o->kind != WF_OPTION_FLAG)
            fprintf(out, "--%s ", o->name);
    fprintf(out, "' operand='%s' actions='%s'\n", command->operand ? command->operand : "",
            command->words ? command->words : "");
}

static void completion_print_value(FILE *out, const struct wf_option *option)
{
    fprintf(out, "        --%s", option->name);
    if (option->letter)
        fprintf(out, " | -%c", option->letter);
    if (option->kind == WF_OPTION_CHOICE) {
        fputs(") kind=word list='", out);
        for (const char *c = option->argument; *c; c++)
            fputc(*c == '|' ? ' ' : *c, out);
        fputs("' ;;\n", out);
        return;
    }
    bool text = option->kind == WF_OPTION_TEXT || *completion_kind(option->argument);
    fprintf(out, ") kind='%s' ;;\n", text ? completion_kind(option->argument) : "number");
}

static void completion_print_command(FILE *out, const struct wf_command *command, const char *name)
{
    fprintf(out, "    %s)\n", name);
    completion_print_options(out, command);
    fputs("        case $2 in\n", out);
    for (const struct wf_option *o = command->options; o && o->name; o++)
        if (o->kind != WF_OPTION_FLAG)
            completion_print_value(out, o);
    fputs("        esac ;;\n", out);
}

static void completion_print_commands(FILE *out)
{
    fputs("_weft_table() { # COMMAND OPTION\n    commands='", out);
    for (const struct wf_command *const *c = wf_commands; *c; c++)
        completion_print_word(out, (*c)->name, c == wf_commands);
    fputs("'\n    case $1 in\n", out);
    completion_print_command(out, &wf_command_weft, "''");
    for (const struct wf_command *const *c = wf_commands; *c; c++)
        completion_print_command(out, *c, (*c)->name);
    fputs("    esac\n}\n\n", out);
}

/* ---- questions ---- */

static void completion_print_question(FILE *out, const struct wf_question *question)
{
    bool place = strcmp(question->argument, "FILE:LINE") == 0; /* the question's name says a place of what */
    fprintf(out, "    %s) kind=%s", question->name, place ? question->name : completion_kind(question->argument));
    if (strcmp(question->argument, "STATE") == 0) {
        fputs(" list='all", out);
        for (int i = 0; i < WF_WAIT_STATES; i++)
            completion_print_word(out, wf_wait_states[i].name, false);
        fputc('\'', out);
    }
    fputs(" ;;\n", out);
}

static void completion_print_questions(FILE *out)
{
    fputs("_weft_question() { # NAME\n    list='", out);
    for (const struct wf_question *q = wf_questions; q->name; q++)
        completion_print_word(out, q->name, q == wf_questions);
    fputs("'\n    case $1 in\n", out);
    for (const struct wf_question *q = wf_questions; q->name; q++)
        if (q->argument)
            completion_print_question(out, q);
    fputs("    esac\n}\n\n", out);
}

void wf_completion_print(FILE *out)
{
    fputs("# SPDX-License-Identifier: BSD-3-Clause\n"
          "# Printed by weft help --completion bash: do not edit.\n"
          "# shellcheck disable=SC2034\n",
          out);
    completion_print_commands(out);
    completion_print_questions(out);
    fputs(completion_script, out);
}
