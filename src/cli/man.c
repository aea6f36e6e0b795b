/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Man pages, in the man macros of roff.
 */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"

/* Escapes the text, so that roff reads no part of it as a request. */
static void man_print_text(FILE *out, const char *text, int bytes)
{
    bool line_starts = true;
    for (int i = 0; i < bytes; i++) {
        char c = text[i];
        if (line_starts && (c == '.' || c == '\''))
            fputs("\\&", out);
        line_starts = c == '\n';
        if (c == '\\')
            fputs("\\e", out);
        else if (c == '-')
            fputs("\\-", out);
        else if (c == '\'')
            fputs("\\(aq", out);
        else if (c == '^' || c == '~' || c == '`')
            fprintf(out, "\\(%s", c == '^' ? "ha" : c == '~' ? "ti" : "ga");
        else
            fputc(c, out);
    }
}

static void man_print_string(FILE *out, const char *text)
{
    man_print_text(out, text, (int)strlen(text));
}

static void man_print_upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

static void man_print_head(FILE *out, const struct wf_command *command)
{
    struct wf_command_title name = wf_command_title(command, "-");
    fputs(".\\\" SPDX-License-Identifier: BSD-3-Clause\n.\\\" Printed by weft help --man: do not edit.\n.TH \"", out);
    man_print_upper(out, name.text);
    fputs("\" 1 \"\" \"weft " WEFT_VERSION "\" \"weft manual\"\n.SH NAME\n", out);
    man_print_string(out, name.text);
    fputs(" \\- ", out);
    man_print_string(out, command->summary);
    fputs("\n.SH SYNOPSIS\n.B ", out);
    man_print_string(out, wf_command_title(command, " ").text);
    fputc('\n', out);
    man_print_string(out, command->usage);
    fputc('\n', out);
}

static void man_print_paragraphs(FILE *out, const char *text)
{
    int bytes;
    const char *before = ".SH DESCRIPTION\n";
    while (text && (text = wf_help_next_paragraph(text, &bytes))) {
        bool as_it_stands = *text == ' ';
        fputs(before, out);
        fputs(as_it_stands ? ".nf\n" : "", out);
        man_print_text(out, text, bytes);
        fputs(as_it_stands ? "\n.fi\n" : "\n", out);
        text += bytes;
        before = ".PP\n";
    }
}

static void man_print_option(FILE *out, const struct wf_option *option)
{
    fputs(".TP\n", out);
    if (option->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    man_print_string(out, option->name);
    fputs("\\fR", out);
    if (option->kind != WF_OPTION_FLAG) {
        fputs(" \\fI", out);
        man_print_string(out, option->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    man_print_string(out, option->help);
    fputc('\n', out);
}

static void man_print_options(FILE *out, const struct wf_command *command)
{
    static const struct wf_option help = {
        "help", 'h', WF_OPTION_FLAG, NULL, NULL, "Print a summary of this page and exit.", 0};
    fputs(".SH OPTIONS\n", out);
    for (const struct wf_option *o = command->options; o && o->name; o++)
        man_print_option(out, o);
    man_print_option(out, &help);
}

static void man_print_commands(FILE *out)
{
    fputs(".SH COMMANDS\n", out);
    for (const struct wf_command *const *c = wf_commands; *c; c++) {
        fputs(".TP\n.BR ", out);
        man_print_string(out, wf_command_title(*c, "-").text);
        fputs(" (1)\n", out);
        man_print_string(out, (*c)->summary);
        fputc('\n', out);
    }
}

/* Prints "left # right" lines as entries. */
static void man_print_entries(FILE *out, const char *lines)
{
    struct wf_help_line line;
    for (const char *next; (next = wf_help_next_line(lines, &line)); lines = next) {
        fputs(".TP\n\\fB", out);
        man_print_text(out, lines, line.left);
        fputs("\\fR\n", out);
        man_print_text(out, line.right_text, line.right > 0 ? line.right : 0);
        fputc('\n', out);
    }
}

static void man_print_environment(FILE *out, const struct wf_command *command)
{
    const char *heading = ".SH ENVIRONMENT\n";
    for (const struct wf_option *o = command->options; o && o->name; o++) {
        if (!o->variable)
            continue;
        fprintf(out, "%s.TP\n\\fB", heading);
        man_print_string(out, o->variable);
        fputs("\\fR\nSets \\fB\\-\\-", out);
        man_print_string(out, o->name);
        fputs("\\fR where the command line does not.\n", out);
        heading = "";
    }
    if (command->environment)
        fputs(heading, out);
    man_print_entries(out, command->environment);
}

static void man_print_examples(FILE *out, const char *lines)
{
    if (!lines)
        return;
    fputs(".SH EXAMPLES\n", out);
    man_print_entries(out, lines);
}

static void man_print_see_also(FILE *out, const struct wf_command *command)
{
    const char *separator = "";
    fputs(".SH SEE ALSO\n", out);
    if (command != &wf_command_weft) {
        fputs(".BR weft (1)", out);
        separator = ",\n";
    }
    for (const struct wf_command *const *c = wf_commands; *c; c++) {
        if (*c == command)
            continue;
        fprintf(out, "%s.BR ", separator);
        man_print_string(out, wf_command_title(*c, "-").text);
        fputs(" (1)", out);
        separator = ",\n";
    }
    fputc('\n', out);
}

void wf_man_print(FILE *out, const struct wf_command *command)
{
    man_print_head(out, command);
    man_print_paragraphs(out, command->description);
    if (command == &wf_command_weft)
        man_print_commands(out);
    man_print_options(out, command);
    man_print_environment(out, command);
    man_print_examples(out, command->examples);
    fputs(".SH EXIT STATUS\n", out);
    man_print_entries(out, wf_help_exit_status(command));
    man_print_see_also(out, command);
}
