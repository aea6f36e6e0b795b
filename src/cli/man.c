/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Man pages, in the man macros of roff.
 */
#include <ctype.h>
#include <string.h>

#include "cli/help.h"

/* Text of the tables: nothing in it may be read as roff. A new line never begins with a control character. */
static void print_text(FILE *out, const char *text, int bytes)
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

static void print_string(FILE *out, const char *text)
{
    print_text(out, text, (int)strlen(text));
}

static void print_upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

static void print_head(FILE *out, const struct wf_command *command)
{
    struct wf_command_title name = wf_command_title(command, "-");
    fputs(
        ".\\\" SPDX-License-Identifier: BSD-3-Clause\n.\\\" Printed by weft help --man: do not edit.\n.TH \"",
        out);
    print_upper(out, name.text);
    fputs("\" 1 \"\" \"weft " WEFT_VERSION "\" \"weft manual\"\n.SH NAME\n", out);
    print_string(out, name.text);
    fputs(" \\- ", out);
    print_string(out, command->summary);
    fputs("\n.SH SYNOPSIS\n.B ", out);
    print_string(out, wf_command_title(command, " ").text);
    fputc('\n', out);
    print_string(out, command->usage);
    fputc('\n', out);
}

static void print_paragraphs(FILE *out, const char *text)
{
    int bytes;
    const char *before = ".SH DESCRIPTION\n";
    while (text && (text = wf_help_next_paragraph(text, &bytes))) {
        bool as_it_stands = *text == ' ';
        fputs(before, out);
        fputs(as_it_stands ? ".nf\n" : "", out);
        print_text(out, text, bytes);
        fputs(as_it_stands ? "\n.fi\n" : "\n", out);
        text += bytes;
        before = ".PP\n";
    }
}

static void print_option(FILE *out, const struct wf_option *option)
{
    fputs(".TP\n", out);
    if (option->letter)
        fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", out);
    print_string(out, option->name);
    fputs("\\fR", out);
    if (option->kind != WF_OPTION_FLAG) {
        fputs(" \\fI", out);
        print_string(out, option->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    print_string(out, option->help);
    fputc('\n', out);
}

static void print_options(FILE *out, const struct wf_command *command)
{
    static const struct wf_option help = {
        "help", 'h', WF_OPTION_FLAG, NULL, NULL, "Print a summary of this page and exit.", 0};
    fputs(".SH OPTIONS\n", out);
    for (const struct wf_option *o = command->options; o && o->name; o++)
        print_option(out, o);
    print_option(out, &help);
}

static void print_commands(FILE *out)
{
    fputs(".SH COMMANDS\n", out);
    for (const struct wf_command *const *c = wf_commands; *c; c++) {
        fputs(".TP\n.BR ", out);
        print_string(out, wf_command_title(*c, "-").text);
        fputs(" (1)\n", out);
        print_string(out, (*c)->summary);
        fputc('\n', out);
    }
}

/* "left # right" lines as entries. */
static void print_entries(FILE *out, const char *lines)
{
    struct wf_help_line line;
    for (const char *next; (next = wf_help_next_line(lines, &line)); lines = next) {
        fputs(".TP\n\\fB", out);
        print_text(out, lines, line.left);
        fputs("\\fR\n", out);
        print_text(out, line.right_text, line.right > 0 ? line.right : 0);
        fputc('\n', out);
    }
}

static void print_environment(FILE *out, const struct wf_command *command)
{
    const char *heading = ".SH ENVIRONMENT\n";
    for (const struct wf_option *o = command->options; o && o->name; o++) {
        if (!o->variable)
            continue;
        fprintf(out, "%s.TP\n\\fB", heading);
        print_string(out, o->variable);
        fputs("\\fR\nSets \\fB\\-\\-", out);
        print_string(out, o->name);
        fputs("\\fR where the command line does not.\n", out);
        heading = "";
    }
    if (command->environment)
        fputs(heading, out);
    print_entries(out, command->environment);
}

static void print_examples(FILE *out, const char *lines)
{
    if (!lines)
        return;
    fputs(".SH EXAMPLES\n", out);
    print_entries(out, lines);
}

static void print_see_also(FILE *out, const struct wf_command *command)
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
        print_string(out, wf_command_title(*c, "-").text);
        fputs(" (1)", out);
        separator = ",\n";
    }
    fputc('\n', out);
}

void wf_man_print(FILE *out, const struct wf_command *command)
{
    print_head(out, command);
    print_paragraphs(out, command->description);
    if (command == &wf_command_weft)
        print_commands(out);
    print_options(out, command);
    print_environment(out, command);
    print_examples(out, command->examples);
    fputs(".SH EXIT STATUS\n", out);
    print_entries(out, wf_help_exit_status(command));
    print_see_also(out, command);
}
