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
static const double least_share = 0.01; /* of the program's time: what is below is cut */

struct options {
    const char *site, *sort, *focus, *source, *source_dir;
    long long top, width, depth, rank;
    bool ranks, all, json, tree, threads, raw, path;
};

static const struct wf_option options[] = {
    {"site", 's', WF_OPTION_TEXT, "FILE:LINE", NULL,
     "Show one statement by partner. FILE may be the end of a path; without LINE, all statements of the "
     "file.",
     offsetof(struct options, site)},
    {"ranks", 'r', WF_OPTION_FLAG, NULL, NULL, "Show the ranks side by side.",
     offsetof(struct options, ranks)},
    {"path", 'p', WF_OPTION_FLAG, NULL, NULL,
     "Show the critical path: what each region has of it, and what making the region faster would save.",
     offsetof(struct options, path)},
    {"tree", 't', WF_OPTION_FLAG, NULL, NULL,
     "Show the program from the top: main, below each procedure its loops, calls and communication "
     "statements, "
     "below each loop the same.",
     offsetof(struct options, tree)},
    {"focus", 'f', WF_OPTION_TEXT, "NAME|FILE:LINE", NULL,
     "Open the tree at this procedure, loop or statement, with everything below it, and tell from where it "
     "is "
     "called.",
     offsetof(struct options, focus)},
    {"depth", 'd', WF_OPTION_NUMBER, "N", NULL, "Show N levels of the tree.",
     offsetof(struct options, depth)},
    {"threads", 0, WF_OPTION_FLAG, NULL, NULL,
     "Show the threads of each rank apart: below each procedure the loops, regions and communication statements in it.",
     offsetof(struct options, threads)},
    {"source", 0, WF_OPTION_TEXT, "FILE", NULL,
     "Print this source file with its times beside the lines. FILE may be the end of a path.",
     offsetof(struct options, source)},
    {"source-dir", 0, WF_OPTION_TEXT, "DIR", "WEFT_REPORT_SOURCE_DIR",
     "Look for source files below DIR, too.", offsetof(struct options, source_dir)},
    {"rank", 0, WF_OPTION_NUMBER, "R", NULL,
     "Show rank R alone in the tree or beside the source, instead of the means over all ranks.",
     offsetof(struct options, rank)},
    {"top", 'n', WF_OPTION_NUMBER, "N", "WEFT_REPORT_TOP",
     "Show the first N statements (10), pairs of one statement (24), or regions of the path (all).",
     offsetof(struct options, top)},
    {"all", 'a', WF_OPTION_FLAG, NULL, NULL,
     "Show all statements, pairs or ranks; the whole tree, the whole file; also regions that are not on the "
     "path.",
     offsetof(struct options, all)},
    {"raw", 0, WF_OPTION_FLAG, NULL, NULL,
     "Show times as measured, too, and what was taken out of them: of ranks, statements, procedures and "
     "loops.",
     offsetof(struct options, raw)},
    {"sort", 0, WF_OPTION_CHOICE, "time|waiting|count|bytes|imbalance", "WEFT_REPORT_SORT",
     "Order the statements by this; imbalance is what a perfect balance would save each rank.",
     offsetof(struct options, sort)},
    {"json", 0, WF_OPTION_FLAG, NULL, NULL,
     "Print all of it as JSON, raw times beside virtual ones with or without --raw; with --site, only its statements.",
     offsetof(struct options, json)},
    {"width", 0, WF_OPTION_NUMBER, "72..1000", "WEFT_REPORT_WIDTH",
     "Print for so many columns instead of the terminal's width.", offsetof(struct options, width)},
    {0},
};

static int run(int argc, char **argv);

const struct wf_command wf_command_report = {
    .name = "report",
    .usage = "[options] [profile]",
    .summary = "tell what a run spent in MPI, statement by statement",
    .description =
        "Reads a profile that weft run left and prints, for the program as a whole, its wall "
        "time, how much of it was spent in MPI, what watching cost, and "
        "the efficiency factors; then who waited for whom, the communication statements by cost, and the "
        "critical path in short. Without a profile it "
        "takes the newest *.weft in the current "
        "directory. The profile is never changed.\n\n"
        "The time of a statement is the sum over all ranks, its share that of all MPI time. Min, "
        "mean and max are taken over all ranks, "
        "including ranks that never executed it; worst is the rank with the maximum, and the small "
        "drawing shows all ranks in order. The calls "
        "that start and end MPI lie outside of the wall time and are named apart.\n\n"
        "Times are virtual: as they would be if nobody watched (see weft run --clock). --raw shows the "
        "measured ones beside them.\n\n"
        "A statement that waits, waits for somebody who is late, and wait states are named as the field "
        "names them: "
        "late sender (a receive before its message was sent), wrong order (the same, while another message "
        "lay "
        "ready that is received later), late receiver (a synchronous or large send before its receive), wait "
        "at "
        "barrier, wait at N-to-N, late broadcast (the root came late), early reduce (the root came "
        "early), wait at scan, wait "
        "at neighbour. Through tells what the late rank was at: the statement it sent or received with; for "
        "a collective, "
        "the communication statement that it left last before.\n\n"
        "--tree and --source show the program as its text is: times with everything inside, as "
        "means over the ranks, and counts as "
        "sums; self is what a procedure or loop takes without the loops, calls and communication "
        "statements in it. Parts below 1 % of the "
        "program's time are left out. What a procedure does is told once, at its most expensive "
        "call, with the figures of all its calls. "
        "Programs compiled with weft cc show all of this; others, only procedures that communicate. Threads of a rank "
        "are added up; --threads tells them apart, each with its own times and counts, and the rank's program time as the whole.\n\n"
        "The critical path is the longest chain of activity, from rank to rank: only what is on it makes the "
        "run as "
        "long as it is. --path shows what each tracked region has of it, and what the run would save if the "
        "region took 25, "
        "50, 75 or 100 % less time, with all other chains as they are: a region may be hot and save "
        "nothing.\n\n"
        "Efficiency factors are those of the POP project: parallel efficiency is load balance "
        "times communication efficiency, and that is serialisation efficiency (waiting for others' "
        "computing) times "
        "transfer efficiency. Above 90 % "
        "is called good, above 80 % fair, above 60 % poor, below bad.",
    .examples = "weft report                     # the newest profile here\n"
                "weft report --all heat.weft     # all statements\n"
                "weft report --site heat.c:214   # one statement, by partner\n"
                "weft report --ranks             # the ranks side by side\n"
                "weft report --path              # what is worth making faster\n"
                "weft report --tree              # the program from the top\n"
                "weft report --tree --focus relax --rank 3  # one procedure and all below it, on one rank\n"
                "weft report --tree --threads    # each thread's own times\n"
                "weft report --source heat.c     # the source with its times beside the lines\n"
                "weft report --sort imbalance    # where ranks differ most\n"
                "weft report --raw               # what watching cost, and what was taken out\n"
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
        if (wf_site_print(page, o, &o->statements.items[*found], top, values->raw, error))
            return -1;
    return 0;
}

/* ---- --tree and --source ---- */

static void print_tree(struct wf_page *page, const struct wf_graph *graph, int rank,
                       const struct wf_outline_choice *choice)
{
    struct wf_outline outline;
    wf_outline_make(&outline, graph, choice);
    wf_tree_print(page, graph, &outline, rank, choice);
    wf_outline_free(&outline);
}

static int print_threads(struct wf_page *page, struct wf_graph *graph, int rank,
                         const struct wf_outline_choice *choice, struct wf_error *error)
{
    struct wf_thread_list threads;
    if (wf_thread_list_read(&threads, graph, error))
        return -1;
    wf_tree_print_threads(page, graph, &threads, rank, choice);
    wf_thread_list_free(&threads);
    return 0;
}

static int show_graph(const struct wf_overview *o, struct wf_graph *graph, const struct options *values,
                      struct wf_error *error)
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
            print_tree(&page, graph, rank, &choice);
        if (values->source)
            wf_listing_print(&page, graph, &listing, rank);
        if (values->threads)
            result = print_threads(&page, graph, rank, &choice, error);
    }
    wf_listing_free(&listing);
    free(roots);
    return result;
}

static int print_graph(const struct wf_overview *o, const struct options *values, struct wf_error *error)
{
    struct wf_graph graph;
    if (wf_graph_read(&graph, o, error))
        return -1;
    int result = values->json ? wf_report_write_json(stdout, o, NULL, &graph, error)
                              : show_graph(o, &graph, values, error);
    wf_graph_free(&graph);
    return result;
}

/* ---- the report ---- */

static int print_regions(struct wf_page *page, const struct wf_overview *o, size_t top,
                         struct wf_error *error)
{
    struct wf_region_list regions;
    if (wf_region_list_read(&regions, o->profile, error))
        return -1;
    wf_region_list_print(page, &regions, top);
    wf_region_list_free(&regions);
    return 0;
}

static int print_program(struct wf_page *page, const struct wf_overview *o, const struct options *values,
                         struct wf_error *error)
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
    if (values->raw)
        return print_regions(page, o, top, error);
    if (o->path.length_ns) {
        wf_page_heading(page, "What is worth making faster (all of it: weft report --path)");
        wf_critical_path_print_top(page, o, " ");
    }
    return 0;
}

static int print_text(const struct wf_overview *o, const struct options *values, const int *found,
                      struct wf_error *error)
{
    struct wf_page page;
    wf_page_init(&page, stdout, values->width);
    wf_program_print_head(&page, o);
    if (found && print_site(&page, o, values, found, error))
        return -1;
    if (values->ranks && values->raw)
        wf_rank_list_print_raw(&page, o, values->all);
    else if (values->ranks)
        wf_rank_list_print(&page, o, values->all);
    if (values->path)
        wf_critical_path_print(&page, o, values->top >= 0 ? (size_t)values->top : SIZE_MAX, values->all);
    return found || values->ranks || values->path ? 0 : print_program(&page, o, values, error);
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
    else if (values->tree || values->source || (values->json && !found))
        result = print_graph(&overview, values, error);
    else if (values->json)
        result = wf_report_write_json(stdout, &overview, found, NULL, error);
    else
        result = print_text(&overview, values, found, error);
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

/* Options that would have no effect are a mistake. 0, or the exit status. */
static int check_options(const struct options *values)
{
    bool graph = values->tree || values->source;
    if (!values->tree && (values->focus || values->depth >= 0 || values->threads))
        return wf_command_misused(&wf_command_report, "--%s opens a tree: give --tree, too",
                                  values->focus        ? "focus"
                                  : values->depth >= 0 ? "depth"
                                                       : "threads");
    if (!graph && values->rank >= 0)
        return wf_command_misused(&wf_command_report,
                                  "--rank belongs to --tree or --source; --ranks shows all of them");
    if (graph && (values->site || values->ranks))
        return wf_command_misused(&wf_command_report, "--%s and --%s do not go together",
                                  values->tree ? "tree" : "source", values->site ? "site" : "ranks");
    if (values->path && (graph || values->site || values->ranks || values->raw))
        return wf_command_misused(&wf_command_report, "--path and --%s do not go together",
                                  values->site    ? "site"
                                  : values->ranks ? "ranks"
                                  : values->raw   ? "raw"
                                  : values->tree  ? "tree"
                                                  : "source");
    if (values->raw && graph)
        return wf_command_misused(&wf_command_report, "--raw does not go with --tree or --source");
    if (values->json && values->threads)
        return wf_command_misused(&wf_command_report,
                                  "--json has no threads; weft query --sql reads them from weft_thread_event");
    if (values->json && (values->focus || values->depth >= 0 || values->rank >= 0 || values->source))
        return wf_command_misused(&wf_command_report,
                                  "--json has the whole tree of all ranks; it goes without --%s",
                                  values->focus        ? "focus"
                                  : values->source     ? "source"
                                  : values->depth >= 0 ? "depth"
                                                       : "rank");
    return 0;
}

static int run(int argc, char **argv)
{
    struct options values = {.sort = "time", .top = -1, .depth = -1, .rank = -1};
    int status, first = wf_command_parse(&wf_command_report, argc, argv, false, &values, &status);
    if (first < 0)
        return status;
    if ((status = check_options(&values)))
        return status;
    if (argc - first > 1)
        return wf_command_misused(&wf_command_report, "one profile at a time, not '%s' and '%s'", argv[first],
                                  argv[first + 1]);
    return first < argc ? report_path(argv[first], &values) : report_newest(&values);
}
