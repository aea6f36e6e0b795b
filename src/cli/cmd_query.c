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
#include "present/table.h"

struct options {
    const char *sql;
    long long rank, width;
    bool json, csv, ns;
};

static const struct wf_option options[] = {
    {"sql", 0, WF_OPTION_TEXT, "SELECT", NULL,
     "Run this SELECT instead of a question by name, and print its rows; docs/profile.md describes the "
     "views.",
     offsetof(struct options, sql)},
    {"rank", 0, WF_OPTION_NUMBER, "R", NULL, "Answer for rank R alone.", offsetof(struct options, rank)},
    {"json", 0, WF_OPTION_FLAG, NULL, NULL,
     "Answer in JSON: means, sums, maxima, and all ranks; of a SELECT its rows.",
     offsetof(struct options, json)},
    {"ns", 0, WF_OPTION_FLAG, NULL, NULL, "Print nothing but the time, in nanoseconds.",
     offsetof(struct options, ns)},
    {"csv", 0, WF_OPTION_FLAG, NULL, NULL, "Print the rows of a SELECT as CSV.",
     offsetof(struct options, csv)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", "WEFT_REPORT_WIDTH",
     "Print for so many columns instead of the terminal's width.", offsetof(struct options, width)},
    {0},
};

static int run(int argc, char **argv);

const struct wf_command wf_command_query = {
    .name = "query",
    .usage = "[options] [QUESTION [ARGUMENT] | --sql SELECT] [profile]",
    .summary = "answer one question about a run",
    .description = "Answers one question about the profile that weft run left; without a profile, about the "
                   "newest *.weft in the "
                   "current directory. weft query alone lists the questions. A procedure is meant by its "
                   "name or by FILE:LINE of its "
                   "first line; FILE may be the end of a path.\n\n"
                   "A time is the mean over all ranks, including ranks that never executed it; a count is the sum "
                   "over them. --rank asks "
                   "for one rank, and --json has means and sums of both, and every rank. Times have "
                   "everything inside in them: what a "
                   "loop or procedure calls, and what is communicated there. A recursive call has no time of "
                   "its own: its time is in "
                   "that of the call from outside, and procedures that call each other count as one.\n\n"
                   "Procedures, calls and loops are known of programs compiled with weft cc; of others, only "
                   "what they communicate.",
    .examples = "weft query                          # the questions\n"
                "weft query program-time             # time of the whole program\n"
                "weft query procedure relax          # time and count of a procedure, over all callers\n"
                "weft query --ns --rank 3 call heat.c:305  # one call statement on one rank, for a script\n"
                "weft query loop heat.c:301          # a loop and everything in it\n"
                "weft query --sql 'SELECT * FROM event ORDER BY time_ns DESC LIMIT 5' --csv  # anything else",
    .options = options,
    .run = run,
};

static int failed(const struct wf_error *error)
{
    return wf_command_failed(&wf_command_query, "%s", error->text);
}

/* ---- the list ---- */

static int list_questions(const struct options *values)
{
    static const struct wf_column columns[] = {{"", false, WF_CUT_NEVER}, {"", false, WF_CUT_NEVER}};
    struct wf_page page;
    struct wf_table table;
    wf_page_init(&page, stdout, values->width);
    wf_table_init(&table, &page, columns, 2, 2);
    for (const struct wf_question *q = wf_questions; q->name; q++) {
        wf_table_add(&table, WF_BOLD, "%s%s%s", q->name, q->argument ? " " : "",
                     q->argument ? q->argument : "");
        wf_table_add(&table, WF_PLAIN, "%s", q->help);
    }
    int help = table.indent + table.widths[0] + table.gap;
    for (size_t i = 0; i < wf_table_rows(&table); i++) {
        printf("%*s", table.indent, "");
        wf_page_print(&page, WF_BOLD, "%-*s", help - table.indent, table.cells[2 * i].text);
        wf_page_wrap_at(&page, WF_PLAIN, help, "%s", table.cells[2 * i + 1].text);
    }
    wf_table_free(&table);
    return WF_EXIT_OK;
}

/* ---- a question by name ---- */

struct request {
    const struct options *values;
    struct wf_asked asked; /* its rank is set when the profile is open */
    const char *path;
};

static void print_answer(const struct request *request, const struct wf_graph *graph,
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

static int answer_graph(struct request *request, struct wf_graph *graph, struct wf_error *error)
{
    struct wf_answer answer;
    if (wf_graph_find_rank(graph, request->values->rank, &request->asked.rank, error))
        return -1;
    wf_graph_view(graph, request->asked.rank);
    if (wf_question_ask(request->asked.question, graph, request->asked.argument, &answer, error))
        return -1;
    print_answer(request, graph, &answer);
    wf_answer_free(&answer);
    return 0;
}

static int answer_question(struct request *request, struct wf_profile *profile, struct wf_error *error)
{
    struct wf_overview overview;
    struct wf_graph graph;
    if (wf_overview_read(&overview, profile, error))
        return -1;
    int result = wf_graph_read(&graph, &overview, error);
    if (result == 0) {
        result = answer_graph(request, &graph, error);
        wf_graph_free(&graph);
    }
    wf_overview_free(&overview);
    return result;
}

/* ---- a SELECT ---- */

static int answer_select(struct request *request, struct wf_profile *profile, struct wf_error *error)
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

static int answer(struct request *request)
{
    struct wf_profile *profile = NULL;
    struct wf_error error;
    char *newest = request->path ? NULL : wf_profile_newest(".");
    if (!request->path && !newest)
        return wf_command_failed(
            &wf_command_query,
            "no profile (*.weft) in this directory; make one with: weft run mpirun -n 4 ./app");
    int result = wf_profile_open(newest ? newest : request->path, &profile, &error);
    if (result == 0)
        result = request->asked.question ? answer_question(request, profile, &error)
                                         : answer_select(request, profile, &error);
    wf_profile_close(profile);
    free(newest);
    return result ? failed(&error) : WF_EXIT_OK;
}

static bool is_profile(const char *word)
{
    size_t length = strlen(word), suffix = strlen(WF_PROFILE_SUFFIX);
    return length > suffix && !strcmp(word + length - suffix, WF_PROFILE_SUFFIX);
}

/* Takes the words of the command line. 0, or the exit status. */
static int take_words(struct request *request, char **words)
{
    struct wf_error error;
    if (!request->values->sql) {
        const struct wf_question *question = wf_question_find(*words++, &error);
        if (!question)
            return wf_command_misused(&wf_command_query, "%s", error.text);
        request->asked.question = question;
        if (question->argument && (!*words || (is_profile(*words) && !words[1])))
            return wf_command_misused(&wf_command_query, "%s needs one word more: %s", question->name,
                                      question->argument);
        if (question->argument)
            request->asked.argument = *words++;
    }
    if (*words)
        request->path = *words++;
    if (*words)
        return wf_command_misused(&wf_command_query, "'%s' is one word too many", *words);
    return 0;
}

static int check_options(const struct options *values)
{
    if (values->csv && !values->sql)
        return wf_command_misused(&wf_command_query, "--csv belongs to --sql");
    if (values->sql && (values->ns || values->rank >= 0))
        return wf_command_misused(&wf_command_query, "--%s belongs to a question by name",
                                  values->ns ? "ns" : "rank");
    if (values->json + values->csv + values->ns > 1)
        return wf_command_misused(&wf_command_query, "only one of --json, --csv and --ns at a time");
    return 0;
}

static int run(int argc, char **argv)
{
    struct options values = {.rank = -1};
    struct request request = {.values = &values, .asked = {.rank = WF_NO_NODE}};
    int status, first = wf_command_parse(&wf_command_query, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if ((status = check_options(&values)))
        return status;
    if (!values.sql && first == argc)
        return list_questions(&values);
    status = take_words(&request, argv + first); /* argv is ended by NULL */
    return status ? status : answer(&request);
}
