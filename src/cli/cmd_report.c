/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/overview.h"
#include "analyse/place.h"
#include "cli/command.h"
#include "present/report_json.h"
#include "present/report_text.h"

enum { TOP_STATEMENTS = 10, TOP_PAIRS = 24 };

struct options {
    const char *site, *sort;
    long long top, width;
    bool ranks, all, json;
};

static const struct wf_option options[] = {
    {"site", 's', WF_OPTION_TEXT, "FILE:LINE", NULL,
     "Show one statement by partner. FILE may be the end of a path; without LINE, all statements of the "
     "file.",
     offsetof(struct options, site)},
    {"ranks", 'r', WF_OPTION_FLAG, NULL, NULL, "Show the ranks side by side.",
     offsetof(struct options, ranks)},
    {"top", 'n', WF_OPTION_NUMBER, "N", "WEFT_REPORT_TOP",
     "Show the first N statements (10), or pairs of one statement (24).", offsetof(struct options, top)},
    {"all", 'a', WF_OPTION_FLAG, NULL, NULL, "Show all statements, pairs or ranks.",
     offsetof(struct options, all)},
    {"sort", 0, WF_OPTION_CHOICE, "time|count|bytes|imbalance", "WEFT_REPORT_SORT",
     "Order the statements by this; imbalance is what a perfect balance would save each rank.",
     offsetof(struct options, sort)},
    {"json", 0, WF_OPTION_FLAG, NULL, NULL, "Print all of it as JSON; with --site, only its statements.",
     offsetof(struct options, json)},
    {"width", 0, WF_OPTION_NUMBER, "N", "WEFT_REPORT_WIDTH",
     "Print for N columns instead of the terminal's width.", offsetof(struct options, width)},
    {0},
};

static int run(int argc, char **argv);

const struct wf_command wf_command_report = {
    .name = "report",
    .usage = "[options] [profile]",
    .summary = "tell what a run spent in MPI, statement by statement",
    .description = "Reads a profile that weft run left and prints, for the program as a whole, its wall "
                   "time, how much of it was spent in MPI, and "
                   "the efficiency factors; then the communication statements by cost. Without a profile it "
                   "takes the newest *.weft in the current "
                   "directory. The profile is never changed.\n\n"
                   "The time of a statement is the sum over all ranks, its share that of all MPI time. Min, "
                   "mean and max are taken over all ranks, "
                   "those that never came by included; worst is the rank with the maximum, and the small "
                   "drawing shows all ranks in order. The calls "
                   "that start and end MPI lie outside of the wall time and are named apart.\n\n"
                   "Efficiency factors are those of the POP project: parallel efficiency is load balance "
                   "times communication efficiency. Above 90 % "
                   "is called good, above 80 % fair, above 60 % poor, below bad.",
    .examples = "weft report                     # the newest profile here\n"
                "weft report --all heat.weft     # all statements\n"
                "weft report --site heat.c:214   # one statement, by partner\n"
                "weft report --ranks             # the ranks side by side\n"
                "weft report --sort imbalance    # where ranks differ most\n"
                "weft report --json | jq '.statements[0]'  # for machines",
    .options = options,
    .run = run,
    .environment = "COLUMNS   # the width if the output is no terminal; else 80\n"
                   "NO_COLOR  # no colour, even on a terminal\n"
                   "LC_ALL, LC_CTYPE, LANG  # bars and signs are ASCII unless the locale is UTF-8",
};

/* ---- --site ---- */

static void print_ambiguity(struct wf_page *page, const struct wf_overview *o, const int *found,
                            const char *word)
{
    bool differ = false;
    for (const int *i = found; *i >= 0; i++)
        differ |= strcmp(o->statements.items[*i].file, o->statements.items[found[0]].file) != 0;
    if (!differ)
        return;
    fputc('\n', page->out);
    wf_page_wrap(page, WF_WARN, "  ! ",
                 "'%s' is in several files; give more of the path to see one of them:", word);
    for (const int *i = found; *i >= 0; i++) {
        bool again = false;
        for (const int *j = found; j < i; j++)
            again |= !strcmp(o->statements.items[*i].file, o->statements.items[*j].file);
        if (!again)
            wf_page_wrap(page, WF_PLAIN, "    ", "%s", o->statements.items[*i].file);
    }
}

static int print_site(struct wf_page *page, const struct wf_overview *o, const struct options *values,
                      const int *found, struct wf_error *error)
{
    size_t top = values->all ? SIZE_MAX : values->top >= 0 ? (size_t)values->top : TOP_PAIRS;
    print_ambiguity(page, o, found, values->site);
    for (; *found >= 0; found++)
        if (wf_site_print(page, o, &o->statements.items[*found], top, error))
            return -1;
    return 0;
}

/* ---- the report ---- */

static int print_text(const struct wf_overview *o, const struct options *values, const int *found,
                      struct wf_error *error)
{
    struct wf_page page;
    size_t top = values->all ? SIZE_MAX : values->top >= 0 ? (size_t)values->top : TOP_STATEMENTS;
    wf_page_init(&page, stdout, values->width);
    wf_program_print_head(&page, o);
    if (found && print_site(&page, o, values, found, error))
        return -1;
    if (values->ranks)
        wf_rank_list_print(&page, o, values->all);
    if (!found && !values->ranks) {
        wf_program_print(&page, o);
        wf_statement_list_print(&page, o, top, values->sort);
    }
    return 0;
}

static int report(struct wf_profile *profile, const struct options *values, struct wf_error *error)
{
    struct wf_overview overview;
    int *found = NULL;
    if (wf_overview_read(&overview, profile, error))
        return -1;
    wf_statement_list_sort(&overview.statements, values->sort);
    int result = 0;
    if (values->site && !(found = wf_place_find(&overview.statements, values->site, error)))
        result = -1;
    else
        result = values->json ? wf_report_write_json(stdout, &overview, found, error)
                              : print_text(&overview, values, found, error);
    free(found);
    wf_overview_free(&overview);
    return result;
}

static int report_path(const char *path, const struct options *values)
{
    struct wf_profile *profile = NULL;
    struct wf_error error;
    int result = wf_profile_open(path, &profile, &error);
    if (result == 0)
        result = report(profile, values, &error);
    wf_profile_close(profile);
    return result ? wf_command_failed(&wf_command_report, "%s", error.text) : WF_EXIT_OK;
}

static int report_newest(const struct options *values)
{
    char *path = wf_profile_newest(".");
    if (!path)
        return wf_command_failed(
            &wf_command_report,
            "no profile (*.weft) in this directory; make one with: weft run mpirun -n 4 ./app");
    int status = report_path(path, values);
    free(path);
    return status;
}

static int run(int argc, char **argv)
{
    struct options values = {.sort = "time", .top = -1};
    int status, first = wf_command_parse(&wf_command_report, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if (argc - first > 1)
        return wf_command_misused(&wf_command_report, "one profile at a time, not '%s' and '%s'", argv[first],
                                  argv[first + 1]);
    return first < argc ? report_path(argv[first], &values) : report_newest(&values);
}
