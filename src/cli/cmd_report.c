/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/listing.h"
#include "analyse/outline.h"
#include "analyse/overview.h"
#include "analyse/place.h"
#include "analyse/region.h"
#include "cli/command.h"
#include "present/report_json.h"
#include "present/report_text.h"
#include "present/source_text.h"
#include "present/tree_text.h"

enum { TOP_STATEMENTS = 10, TOP_PAIRS = 24, TOP_WAITS = 5 };
static const double least_share = 0.01; /* of the program's time; smaller parts are left out */

struct report_options {
    const char *site, *sort, *focus, *source, *source_dir;
    long long top, width, depth, rank;
    bool ranks, all, json, tree, threads, raw, path;
};

static const struct wf_option options[] = {
    {"site", 's', WF_OPTION_TEXT, "FILE:LINE", NULL,
     "Show one statement by partner. FILE may be the end of a path; without LINE, all statements of the file are "
     "shown.",
     offsetof(struct report_options, site)},
    {"ranks", 'r', WF_OPTION_FLAG, NULL, NULL, "Show the ranks side by side.", offsetof(struct report_options, ranks)},
    {"path", 'p', WF_OPTION_FLAG, NULL, NULL,
     "Show the critical path: the share of each region, and what the run would save if that region were faster.",
     offsetof(struct report_options, path)},
    {"tree", 't', WF_OPTION_FLAG, NULL, NULL,
     "Show the program from the top: main, and below each procedure and loop the loops, calls and communication "
     "statements in it.",
     offsetof(struct report_options, tree)},
    {"focus", 'f', WF_OPTION_TEXT, "NAME|FILE:LINE", NULL,
     "Start the tree at this procedure, loop or statement, show everything below it, and name its callers.",
     offsetof(struct report_options, focus)},
    {"depth", 'd', WF_OPTION_NUMBER, "N", NULL, "Show N levels of the tree.", offsetof(struct report_options, depth)},
    {"threads", 0, WF_OPTION_FLAG, NULL, NULL,
     "Show each thread of a rank separately: below each procedure the loops, regions and communication statements in "
     "it.",
     offsetof(struct report_options, threads)},
    {"source", 0, WF_OPTION_TEXT, "SOURCE", NULL,
     "Print this source file with its times beside the lines. SOURCE may be the end of a path.",
     offsetof(struct report_options, source)},
    {"source-dir", 0, WF_OPTION_TEXT, "DIR", "WEFT_REPORT_SOURCE_DIR", "Also look for source files below DIR.",
     offsetof(struct report_options, source_dir)},
    {"rank", 0, WF_OPTION_NUMBER, "R", NULL,
     "Show only rank R in the tree or beside the source, instead of the mean over all ranks.",
     offsetof(struct report_options, rank)},
    {"top", 'n', WF_OPTION_NUMBER, "N", "WEFT_REPORT_TOP",
     "Show the first N statements (default 10), partners of one statement (default 24), or regions of the critical "
     "path (default all).",
     offsetof(struct report_options, top)},
    {"all", 'a', WF_OPTION_FLAG, NULL, NULL,
     "Show all statements, partners and ranks, the whole tree, the whole file, and regions that are not on the "
     "critical path.",
     offsetof(struct report_options, all)},
    {"raw", 0, WF_OPTION_FLAG, NULL, NULL,
     "Also show the measured times, and the overhead that was subtracted from them, for ranks, statements, procedures "
     "and loops.",
     offsetof(struct report_options, raw)},
    {"sort", 0, WF_OPTION_CHOICE, "time|waiting|idle|count|bytes|imbalance", "WEFT_REPORT_SORT",
     "Order the statements by this. idle is polling, no core and unexplained together; imbalance is the time that each "
     "rank would save with perfect balance.",
     offsetof(struct report_options, sort)},
    {"json", 0, WF_OPTION_FLAG, NULL, NULL,
     "Print the whole report as JSON, with raw times beside virtual times; with --site, only its statements.",
     offsetof(struct report_options, json)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", "WEFT_REPORT_WIDTH",
     "Print for this number of columns instead of the terminal's width.", offsetof(struct report_options, width)},
    {0},
};

static int cmd_report_run(int argc, char **argv);

const struct wf_command wf_command_report = {
    .name = "report",
    .usage = "[options] [profile]",
    .summary = "show what a run spent in MPI, statement by statement",
    .description =
        "Reads a profile that weft run left, and prints the wall time of the program, the share of it in MPI, the cost "
        "of watching, and the efficiency factors. Then it shows which ranks waited for which, the communication "
        "statements by cost, and the critical path in short. Without a profile it reads the newest *.weft in the "
        "current directory. The profile is never changed.\n\n"
        "The time of a statement is the sum over all ranks, and its share is that of all MPI time. Min, mean and max "
        "are taken over all ranks, including ranks that never executed it. worst is the rank with the maximum, and the "
        "small drawing shows all ranks in order. The calls that start and end MPI are outside the wall time and are "
        "listed separately.\n\n"
        "Times are virtual: they are the times of the unwatched program (see weft run --clock). --raw shows the "
        "measured times beside them.\n\n"
        "Time in MPI has five parts: waiting for another rank, transfer, polling (asking for what had not come, "
        "without a result), no core (another process had it), and unexplained (the call took longer than such calls "
        "take, and no rank is known to be the reason). Parts that matter have lines of their own. A share of the run "
        "is one of its wall time on all ranks, of which a rank that begins later or ends earlier is absent for a "
        "part. The first sentence of a report names the largest loss. Where ranks had no core for more than 10 % of "
        "the run while they did not wait, it says so, and figures that mean nothing then are left out.\n\n"
        "Each wait of a statement has one of these states: late sender (a receive before its message was sent), wrong "
        "order (the same, while another message had arrived that is received later), late receiver (a synchronous or "
        "large send before its receive), wait at barrier, wait at N-to-N, late broadcast (the root was late), early "
        "reduce (the root was early), wait at scan, wait at neighbour, wait at window, late post, late complete, wait "
        "for lock, and wait at file. \"through\" names the statement of the "
        "late rank: the one that sent or received the message, or, for a collective, the last communication statement "
        "that it left before.\n\n"
        "--tree and --source follow the text of the program. Times include everything inside and are means over the "
        "ranks; counts are sums. self is the time of a procedure or loop without the loops, calls and communication "
        "statements in it. Parts below 1 % of the program's time are left out. The content of a procedure is shown "
        "once, at its most expensive call, with the figures of all its calls. Programs compiled with weft cc show all "
        "of this; other programs show only procedures that communicate. The times of a rank's threads are added up; "
        "--threads shows each thread with its own times and counts, and shares of the rank's program time.\n\n"
        "The critical path is the longest chain of activity, from rank to rank: it determines how long the run takes. "
        "--path shows each tracked region's share of it, and what the run would save if the region took 25, 50, 75 or "
        "100 % less time while everything else stayed the same. A region may be hot and save nothing.\n\n"
        "The efficiency factors are those of the POP project; none exceeds 100 %. Parallel efficiency is load balance "
        "times communication "
        "efficiency. Communication efficiency is serialisation efficiency (waiting for the computation of other ranks) "
        "times transfer efficiency. A factor above 90 % is called good, above 80 % fair, above 60 % poor, and below "
        "that bad.",
    .examples = "weft report                     # the newest profile in this directory\n"
                "weft report --all heat.weft     # all statements\n"
                "weft report --site heat.c:214   # one statement, by partner\n"
                "weft report --ranks             # the ranks side by side\n"
                "weft report --path              # what is worth making faster\n"
                "weft report --tree              # the program from the top\n"
                "weft report --tree --focus relax --rank 3  # one procedure and everything below it, on one rank\n"
                "weft report --tree --threads    # the times of each thread\n"
                "weft report --source heat.c     # the source with its times beside the lines\n"
                "weft report --sort imbalance    # the statements where ranks differ most\n"
                "weft report --raw               # what watching cost, and what was subtracted\n"
                "weft report --json | jq '.statements[0]'  # for other programs",
    .operand = "profile",
    .options = options,
    .run = cmd_report_run,
    .environment = "COLUMNS   # the width if the output is not a terminal; 80 if it is not set\n"
                   "NO_COLOR  # no colour, even on a terminal\n"
                   "LC_ALL, LC_CTYPE, LANG  # bars and symbols are ASCII unless the locale is UTF-8",
};

/* ---- --site ---- */

static void cmd_report_print_ambiguity(struct wf_page *page, const struct wf_overview *o, const int *found,
                                       const char *word)
{
    bool differ = false;
    for (const int *i = found; *i >= 0; i++)
        differ |= strcmp(o->statements.items[*i].file, o->statements.items[found[0]].file) != 0;
    if (!differ)
        return;
    fputc('\n', page->out);
    wf_page_wrap(page, WF_WARN, "  ! ", "'%s' is in several files; give more of the path to see one of them:", word);
    for (const int *i = found; *i >= 0; i++) {
        bool again = false;
        for (const int *j = found; j < i; j++)
            again |= !strcmp(o->statements.items[*i].file, o->statements.items[*j].file);
        if (!again)
            wf_page_wrap(page, WF_PLAIN, "    ", "%s", o->statements.items[*i].file);
    }
}

static int cmd_report_print_site(struct wf_page *page, const struct wf_overview *o, const struct report_options *values,
                                 const int *found, struct wf_error *error)
{
    size_t top = values->all ? SIZE_MAX : values->top >= 0 ? (size_t)values->top : TOP_PAIRS;
    cmd_report_print_ambiguity(page, o, found, values->site);
    for (; *found >= 0; found++)
        if (wf_site_print(page, o, &o->statements.items[*found], top, values->raw, error))
            return -1;
    return 0;
}

/* ---- --tree and --source ---- */

static void cmd_report_print_tree(struct wf_page *page, const struct wf_graph *graph, int rank,
                                  const struct wf_outline_choice *choice)
{
    struct wf_outline outline;
    wf_outline_make(&outline, graph, choice);
    wf_tree_print(page, graph, &outline, rank, choice);
    wf_outline_free(&outline);
}

static int cmd_report_print_threads(struct wf_page *page, struct wf_graph *graph, int rank,
                                    const struct wf_outline_choice *choice, struct wf_error *error)
{
    struct wf_thread_list threads;
    if (wf_thread_list_read(&threads, graph, error))
        return -1;
    wf_tree_print_threads(page, graph, &threads, rank, choice);
    wf_thread_list_free(&threads);
    return 0;
}

static int cmd_report_show_graph(const struct wf_overview *o, struct wf_graph *graph,
                                 const struct report_options *values, struct wf_error *error)
{
    struct wf_listing listing = {0};
    int *roots = NULL, rank;
    if (wf_graph_find_rank(graph, values->rank, &rank, error))
        return -1;
    wf_graph_view(graph, rank);
    if (values->focus && !(roots = wf_graph_find(graph, values->focus, WF_ALL_KINDS, error)))
        return -1;
    struct wf_outline_choice choice = {roots, values->all || roots ? 0 : least_share, values->depth};
    int result = values->source ? wf_listing_read(&listing, graph, values->source, values->source_dir,
                                                  values->all ? 0 : least_share, error)
                                : 0;
    if (result == 0) {
        struct wf_page page;
        wf_page_init(&page, stdout, values->width);
        wf_program_print_head(&page, o);
        if (values->tree && !values->threads)
            cmd_report_print_tree(&page, graph, rank, &choice);
        if (values->source)
            wf_listing_print(&page, graph, &listing, rank);
        if (values->threads)
            result = cmd_report_print_threads(&page, graph, rank, &choice, error);
    }
    wf_listing_free(&listing);
    free(roots);
    return result;
}

static int cmd_report_print_graph(const struct wf_overview *o, const struct report_options *values,
                                  struct wf_error *error)
{
    struct wf_graph graph;
    if (wf_graph_read(&graph, o, error))
        return -1;
    int result = values->json ? wf_report_write_json(stdout, o, NULL, &graph, error)
                              : cmd_report_show_graph(o, &graph, values, error);
    wf_graph_free(&graph);
    return result;
}

/* ---- the report ---- */

static int cmd_report_print_regions(struct wf_page *page, const struct wf_overview *o, size_t top,
                                    struct wf_error *error)
{
    struct wf_region_list regions;
    if (wf_region_list_read(&regions, o->profile, error))
        return -1;
    wf_region_list_print(page, &regions, top);
    wf_region_list_free(&regions);
    return 0;
}

static int cmd_report_print_program(struct wf_page *page, const struct wf_overview *o,
                                    const struct report_options *values, struct wf_error *error)
{
    bool chosen = values->top >= 0;
    size_t top = values->all ? SIZE_MAX
                 : chosen    ? (size_t)values->top
                             : TOP_STATEMENTS,
           waits = values->all || chosen ? top : TOP_WAITS;
    wf_program_print(page, o);
    if (values->raw)
        wf_rank_list_print_raw(page, o, values->all);
    else
        wf_wait_list_print(page, o, waits);
    wf_statement_list_print(page, o, top, values->sort, values->raw);
    if (!values->raw)
        wf_order_list_print(page, o, waits);
    if (values->raw)
        return cmd_report_print_regions(page, o, top, error);
    if (o->path.length_ns) {
        wf_page_heading(page, "What is worth making faster (all regions: weft report --path)");
        if (!wf_savings_are_withheld(page, o, "  "))
            wf_critical_path_print_top(page, o, " ");
    }
    return 0;
}

static int cmd_report_print_text(const struct wf_overview *o, const struct report_options *values, const int *found,
                                 struct wf_error *error)
{
    struct wf_page page;
    wf_page_init(&page, stdout, values->width);
    wf_program_print_head(&page, o);
    if (found && cmd_report_print_site(&page, o, values, found, error))
        return -1;
    if (values->ranks && values->raw)
        wf_rank_list_print_raw(&page, o, values->all);
    else if (values->ranks)
        wf_rank_list_print(&page, o, values->all);
    if (values->path) {
        wf_savings_are_doubtful(&page, o);
        wf_critical_path_print(&page, o, values->top >= 0 ? (size_t)values->top : SIZE_MAX, values->all);
    }
    return found || values->ranks || values->path ? 0 : cmd_report_print_program(&page, o, values, error);
}

static int cmd_report_print(struct wf_profile *profile, const struct report_options *values, struct wf_error *error)
{
    struct wf_overview overview;
    int *found = NULL;
    if (wf_overview_read(&overview, profile, error))
        return -1;
    wf_statement_list_sort(&overview.statements, values->sort);
    int result = 0;
    if (values->site && !(found = wf_place_find(&overview.statements, values->site, error)))
        result = -1;
    else if (values->tree || values->source || (values->json && !found))
        result = cmd_report_print_graph(&overview, values, error);
    else if (values->json)
        result = wf_report_write_json(stdout, &overview, found, NULL, error);
    else
        result = cmd_report_print_text(&overview, values, found, error);
    free(found);
    wf_overview_free(&overview);
    return result;
}

static int cmd_report_print_named(const char *path, const struct report_options *values)
{
    struct wf_profile *profile = NULL;
    struct wf_error error;
    int result = wf_profile_open(path, &profile, &error);
    if (result == 0)
        result = cmd_report_print(profile, values, &error);
    wf_profile_close(profile);
    return result ? wf_command_failed(&wf_command_report, "%s", error.text) : WF_EXIT_OK;
}

static int cmd_report_print_newest(const struct report_options *values)
{
    char *path = wf_profile_newest(".");
    if (!path)
        return wf_command_failed(&wf_command_report,
                                 "no profile (*.weft) in this directory; make one with: weft run mpirun -n 4 ./app");
    int status = cmd_report_print_named(path, values);
    free(path);
    return status;
}

/* An option that would have no effect is an error. Returns 0 or the exit status. */
static int cmd_report_check_options(const struct report_options *values)
{
    bool graph = values->tree || values->source;
    if (!values->tree && (values->focus || values->depth >= 0 || values->threads))
        return wf_command_misused(&wf_command_report, "--%s works only with --tree",
                                  values->focus        ? "focus"
                                  : values->depth >= 0 ? "depth"
                                                       : "threads");
    if (!graph && values->rank >= 0)
        return wf_command_misused(&wf_command_report,
                                  "--rank works only with --tree or --source; --ranks shows all ranks");
    if (graph && (values->site || values->ranks))
        return wf_command_misused(&wf_command_report, "--%s and --%s cannot be combined",
                                  values->tree ? "tree" : "source", values->site ? "site" : "ranks");
    if (values->path && (graph || values->site || values->ranks || values->raw))
        return wf_command_misused(&wf_command_report, "--path and --%s cannot be combined",
                                  values->site    ? "site"
                                  : values->ranks ? "ranks"
                                  : values->raw   ? "raw"
                                  : values->tree  ? "tree"
                                                  : "source");
    if (values->raw && graph)
        return wf_command_misused(&wf_command_report, "--raw cannot be combined with --tree or --source");
    if (values->json && values->threads)
        return wf_command_misused(&wf_command_report,
                                  "--json does not print threads; weft query --sql reads them from weft_thread_event");
    if (values->json && (values->focus || values->depth >= 0 || values->rank >= 0 || values->source))
        return wf_command_misused(&wf_command_report, "--json prints the whole tree of all ranks; leave --%s out",
                                  values->focus        ? "focus"
                                  : values->source     ? "source"
                                  : values->depth >= 0 ? "depth"
                                                       : "rank");
    return 0;
}

static int cmd_report_run(int argc, char **argv)
{
    struct report_options values = {.sort = "time", .top = -1, .depth = -1, .rank = -1};
    int status, first = wf_command_parse(&wf_command_report, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if ((status = cmd_report_check_options(&values)))
        return status;
    if (argc - first > 1)
        return wf_command_misused(&wf_command_report, "give one profile, not both '%s' and '%s'", argv[first],
                                  argv[first + 1]);
    return first < argc ? cmd_report_print_named(argv[first], &values) : cmd_report_print_newest(&values);
}
