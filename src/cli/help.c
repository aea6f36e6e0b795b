/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "present/page.h"

enum { HELP_COLUMN = 26 }; /* column of the text about an option */

/* ---- the texts of the tables ---- */

const char *wf_help_next_line(const char *lines, struct wf_help_line *line)
{
    if (!lines || !*lines)
        return NULL;
    int length = (int)strcspn(lines, "\n");
    const char *mark = memmem(lines, (size_t)length, " # ", 3);
    *line = (struct wf_help_line){.left = mark ? (int)(mark - lines) : length, .right = -1};
    if (mark) {
        line->right_text = mark + 3;
        line->right = length - line->left - 3;
    }
    while (line->left > 0 && lines[line->left - 1] == ' ')
        line->left--;
    return lines + length + (lines[length] == '\n');
}

const char *wf_help_next_paragraph(const char *text, int *bytes)
{
    text += strspn(text, "\n");
    if (!*text)
        return NULL;
    const char *end = strstr(text, "\n\n");
    *bytes = end ? (int)(end - text) : (int)strlen(text);
    return text;
}

const char *wf_help_exit_status(const struct wf_command *command)
{
    static const char usual[] = "0   # success\n"
                                "1   # failure; one sentence on standard error gives the reason\n"
                                "2   # the command line is wrong";
    return command->exit_status ? command->exit_status : usual;
}

/* ---- --help ---- */

static void help_print_paragraphs(struct wf_page *page, const char *text)
{
    int bytes;
    while (text && (text = wf_help_next_paragraph(text, &bytes))) {
        if (*text == ' ') /* preformatted */
            fprintf(page->out, "\n%.*s\n", bytes, text);
        else {
            fputc('\n', page->out);
            wf_page_wrap(page, WF_PLAIN, "", "%.*s", bytes, text);
        }
        text += bytes;
    }
}

/* Prints `left` with `right` beside it, or below it if `left` is too long. */
static void help_print_entry(struct wf_page *page, const char *left, const char *right)
{
    char first[128];
    if ((int)strlen(left) + 4 > HELP_COLUMN) {
        fprintf(page->out, "  %s\n", left);
        left = "";
    }
    snprintf(first, sizeof first, "  %-*s", HELP_COLUMN - 2, left);
    wf_page_wrap(page, WF_PLAIN, first, "%s", right);
}

static void help_print_option(struct wf_page *page, const struct wf_option *option)
{
    char left[96], right[1024], letter[8] = "    ";
    bool valued = option->kind != WF_OPTION_FLAG;
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, valued ? " " : "", valued ? option->argument : "");
    snprintf(right, sizeof right, "%s%s%s%s", option->help, option->variable ? " (variable " : "",
             option->variable ? option->variable : "", option->variable ? ")" : "");
    help_print_entry(page, left, right);
}

static void help_print_options(struct wf_page *page, const struct wf_command *command)
{
    static const struct wf_option help = {"help", 'h', WF_OPTION_FLAG, NULL, NULL, "Print this help and exit.", 0};
    wf_page_heading(page, "Options");
    for (const struct wf_option *o = command->options; o && o->name; o++)
        help_print_option(page, o);
    help_print_option(page, &help);
}

static void help_print_commands(struct wf_page *page)
{
    wf_page_heading(page, "Commands");
    for (const struct wf_command *const *c = wf_commands; *c; c++)
        help_print_entry(page, (*c)->name, (*c)->summary);
    fputc('\n', page->out);
    wf_page_wrap(page, WF_PLAIN, "", "weft COMMAND --help describes a command.");
}

static void help_print_lines(struct wf_page *page, const char *heading, const char *lines)
{
    struct wf_help_line line;
    if (!lines)
        return;
    wf_page_heading(page, "%s", heading);
    for (const char *next; (next = wf_help_next_line(lines, &line)); lines = next) {
        char left[256], right[512];
        snprintf(left, sizeof left, "%.*s", line.left, lines);
        snprintf(right, sizeof right, "%.*s", line.right > 0 ? line.right : 0, line.right > 0 ? line.right_text : "");
        help_print_entry(page, left, right);
    }
}

void wf_help_print(FILE *out, const struct wf_command *command)
{
    struct wf_page page;
    wf_page_init(&page, out, 0);
    if (page.width > 100)
        page.width = 100; /* longer lines are hard to read */
    fprintf(out, "Usage: %s %s\n", wf_command_title(command, " ").text, command->usage);
    help_print_paragraphs(&page, command->description);
    if (command == &wf_command_weft)
        help_print_commands(&page);
    help_print_options(&page, command);
    help_print_lines(&page, "Environment", command->environment);
    help_print_lines(&page, "Examples", command->examples);
    help_print_lines(&page, "Exit status", wf_help_exit_status(command));
}
