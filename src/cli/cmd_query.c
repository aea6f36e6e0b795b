/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/overview.h"
#include "analyse/question.h"
#include "cli/command.h"
#include "format/profile.h"
#include "present/answer_text.h"
#include "present/select_text.h"
#include "present/text_table.h"

struct query_options {
    const char *sql;
    long long rank, width;
    bool json, csv, ns;
};

static const struct wf_option options[] = {
    {"sql", 0, WF_OPTION_TEXT, "SELECT", NULL,
     "Run this SELECT statement instead of a named question, and print its rows. docs/profile.md describes the views.",
     offsetof(struct query_options, sql)},
    {"rank", 0, WF_OPTION_NUMBER, "R", NULL, "Answer for rank R only.", offsetof(struct query_options, rank)},
    {"json", 0, WF_OPTION_FLAG, NULL, NULL,
     "Print the answer as JSON: means, sums, maxima and all ranks, or the rows of a SELECT.",
     offsetof(struct query_options, json)},
    {"ns", 0, WF_OPTION_FLAG, NULL, NULL, "Print only the time, in nanoseconds.", offsetof(struct query_options, ns)},
    {"csv", 0, WF_OPTION_FLAG, NULL, NULL, "Print the rows of a SELECT as CSV.", offsetof(struct query_options, csv)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", "WEFT_REPORT_WIDTH",
     "Print for this number of columns instead of the terminal's width.", offsetof(struct query_options, width)},
    {0},
};

static int cmd_query_run(int argc, char **argv);

const struct wf_command wf_command_query = {
    .name = "query",
    .usage = "[options] [QUESTION [ARGUMENT] | --sql SELECT] [profile]",
    .summary = "answer one question about a run",
    .description = "Answers one question about a profile that weft run left. Without a profile it reads the newest "
                   "*.weft in the current directory. weft query alone lists the questions. A procedure is given by its "
                   "name or by FILE:LINE of its first line; FILE may be the end of a path.\n\n"
                   "A time is the mean over all ranks, including ranks that never executed the statement; a count is "
                   "the sum over all ranks. --rank asks for one rank, and --json prints means and sums of times and "
                   "counts, and the values of every rank. The time of a loop or procedure includes everything inside "
                   "it: calls and communication. A recursive call has no time of its own: its time belongs to the call "
                   "from outside, and procedures that call each other count as one.\n\n"
                   "Procedures, calls and loops are known only in programs compiled with weft cc. In other programs, "
                   "only communication statements are known.",
    .examples = "weft query                          # list the questions\n"
                "weft query program-time             # the time of the whole program\n"
                "weft query procedure relax          # the time and count of a procedure, over all callers\n"
                "weft query --ns --rank 3 call heat.c:305  # one call statement on one rank, for a script\n"
                "weft query loop heat.c:301          # a loop and everything in it\n"
                "weft query --sql 'SELECT * FROM event ORDER BY time_ns DESC LIMIT 5' --csv  # any other question",
    .operand = "question",
    .options = options,
    .run = cmd_query_run,
};

static int cmd_query_failed(const struct wf_error *error)
{
    return wf_command_failed(&wf_command_query, "%s", error->text);
}

/* ---- the list ---- */

static int cmd_query_list_questions(const struct query_options *values)
{
    static const struct wf_column columns[] = {{"", false, WF_CUT_NEVER}, {"", false, WF_CUT_NEVER}};
    struct wf_page page;
    struct wf_text_table table;
    wf_page_init(&page, stdout, values->width);
    wf_text_table_init(&table, &page, columns, 2, 2);
    for (const struct wf_question *q = wf_questions; q->name; q++) {
        wf_text_table_add(&table, WF_BOLD, "%s%s%s", q->name, q->argument ? " " : "", q->argument ? q->argument : "");
        wf_text_table_add(&table, WF_PLAIN, "%s", q->help);
    }
    int help = table.indent + table.widths[0] + table.gap;
    for (size_t i = 0; i < wf_text_table_rows(&table); i++) {
        printf("%*s", table.indent, "");
        wf_page_print(&page, WF_BOLD, "%-*s", help - table.indent, table.cells[2 * i].text);
        wf_page_wrap_at(&page, WF_PLAIN, help, "%s", table.cells[2 * i + 1].text);
    }
    wf_text_table_free(&table);
    return WF_EXIT_OK;
}

/* ---- a question by name ---- */

struct query_request {
    const struct query_options *values;
    struct wf_asked asked; /* its rank is set when the profile is open */
    const char *path;
};

static void cmd_query_print_answer(const struct query_request *request, const struct wf_graph *graph,
                                   const struct wf_answer *answer)
{
    struct wf_page page;
    if (request->values->json) {
        wf_answer_write_json(stdout, graph, &request->asked, answer);
    } else if (request->values->ns) {
        wf_answer_write_ns(stdout, graph, &request->asked, answer);
    } else {
        wf_page_init(&page, stdout, request->values->width);
        wf_answer_print(&page, graph, &request->asked, answer);
    }
}

static int cmd_query_answer_graph(struct query_request *request, struct wf_graph *graph, struct wf_error *error)
{
    struct wf_answer answer;
    if (wf_graph_find_rank(graph, request->values->rank, &request->asked.rank, error))
        return -1;
    wf_graph_view(graph, request->asked.rank);
    if (wf_question_ask(request->asked.question, graph, request->asked.argument, &answer, error))
        return -1;
    cmd_query_print_answer(request, graph, &answer);
    wf_answer_free(&answer);
    return 0;
}

static int cmd_query_answer_question(struct query_request *request, struct wf_profile *profile, struct wf_error *error)
{
    struct wf_overview overview;
    struct wf_graph graph;
    if (wf_overview_read(&overview, profile, error))
        return -1;
    int result = wf_graph_read(&graph, &overview, error);
    if (result == 0) {
        result = cmd_query_answer_graph(request, &graph, error);
        wf_graph_free(&graph);
    }
    wf_overview_free(&overview);
    return result;
}

/* ---- a SELECT ---- */

static int cmd_query_answer_select(struct query_request *request, struct wf_profile *profile, struct wf_error *error)
{
    struct wf_select select;
    if (wf_select_open(&select, profile, request->values->sql, error))
        return -1;
    int result = request->values->json  ? wf_select_write_json(stdout, &select, error)
                 : request->values->csv ? wf_select_write_csv(stdout, &select, error)
                                        : wf_select_print(stdout, &select, error);
    wf_select_close(&select);
    return result;
}

/* ---- both ---- */

static int cmd_query_answer(struct query_request *request)
{
    struct wf_profile *profile = NULL;
    struct wf_error error;
    char *newest = request->path ? NULL : wf_profile_newest(".");
    if (!request->path && !newest)
        return wf_command_failed(&wf_command_query,
                                 "no profile (*.weft) in this directory; make one with: weft run mpirun -n 4 ./app");
    int result = wf_profile_open(newest ? newest : request->path, &profile, &error);
    if (result == 0)
        result = request->asked.question ? cmd_query_answer_question(request, profile, &error)
                                         : cmd_query_answer_select(request, profile, &error);
    wf_profile_close(profile);
    free(newest);
    return result ? cmd_query_failed(&error) : WF_EXIT_OK;
}

static bool cmd_query_is_profile(const char *word)
{
    size_t length = strlen(word), suffix = strlen(WF_PROFILE_SUFFIX);
    return length > suffix && !strcmp(word + length - suffix, WF_PROFILE_SUFFIX);
}

/* Reads the words of the command line. Returns 0 or the exit status. */
static int cmd_query_take_words(struct query_request *request, char **words)
{
    struct wf_error error;
    if (!request->values->sql) {
        const struct wf_question *question = wf_question_find(*words++, &error);
        if (!question)
            return wf_command_misused(&wf_command_query, "%s", error.text);
        request->asked.question = question;
        if (question->argument && (!*words || (cmd_query_is_profile(*words) && !words[1])))
            return wf_command_misused(&wf_command_query, "%s needs an argument: %s", question->name,
                                      question->argument);
        if (question->argument)
            request->asked.argument = *words++;
    }
    if (*words)
        request->path = *words++;
    if (*words)
        return wf_command_misused(&wf_command_query, "the argument '%s' is one too many", *words);
    return 0;
}

static int cmd_query_check_options(const struct query_options *values)
{
    if (values->csv && !values->sql)
        return wf_command_misused(&wf_command_query, "--csv works only with --sql");
    if (values->sql && (values->ns || values->rank >= 0))
        return wf_command_misused(&wf_command_query, "--%s works only with a named question",
                                  values->ns ? "ns" : "rank");
    if (values->json + values->csv + values->ns > 1)
        return wf_command_misused(&wf_command_query, "give only one of --json, --csv and --ns");
    return 0;
}

static int cmd_query_run(int argc, char **argv)
{
    struct query_options values = {.rank = -1};
    struct query_request request = {.values = &values, .asked = {.rank = WF_NO_NODE}};
    int status, first = wf_command_parse(&wf_command_query, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if ((status = cmd_query_check_options(&values)))
        return status;
    if (!values.sql && first == argc)
        return cmd_query_list_questions(&values);
    status = cmd_query_take_words(&request, argv + first); /* argv is ended by NULL */
    return status ? status : cmd_query_answer(&request);
}
