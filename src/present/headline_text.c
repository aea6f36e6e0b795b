/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The headline as one sentence: the largest loss, where it is, what would help, and how much.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/headline.h"
#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/place.h"
#include "present/report_text.h"
#include "present/quantity.h"

/* No time in a sentence is below a millisecond, so none has a symbol that pages differ in. */
static const struct wf_glyphs glyphs = {.micro = "u"};
static const struct wf_page any_page = {.glyphs = &glyphs};

static const double one_at_a_time = 1.1; /* so many ranks compute at most, in the mean */

enum { LAST_STEP = WF_CRITICAL_STEPS - 1 };

/* "MPI_Recv at heat.c:12" */
static void headline_text_write_statement(FILE *to, const struct wf_statement *s)
{
    char *place = wf_place_text(s);
    fprintf(to, "%s at %s", s->name, place);
    free(place);
}

/* ", most in MPI_Recv at heat.c:12 (30.0 % of the run)" */
static void headline_text_write_most(FILE *to, const struct wf_headline *h)
{
    if (!h->statement)
        return;
    fputs(", most in ", to);
    headline_text_write_statement(to, h->statement);
    if (h->statement_share < 0.95 * h->share)
        fprintf(to, " (%s of the run)", wf_quantity_percent(h->statement_share).text);
}

/* "after MPI_Recv at heat.c:12", "in relax at heat.c:80" */
static void headline_text_write_region(FILE *to, const struct wf_critical_region *region)
{
    char *name = wf_name_short(region->name), *place = wf_critical_region_place(region);
    fprintf(to, "%s%s%s%s", strcmp(region->kind, "stretch") != 0 ? "in " : "", name, *place ? " at " : "", place);
    free(name);
    free(place);
}

static void headline_text_write_saving(FILE *to, const struct wf_headline *h)
{
    fprintf(to, " would make the run %s shorter", wf_quantity_percent(h->saved).text);
}

static size_t headline_text_count(const struct wf_overview *o, const char *ending)
{
    size_t count = 0;
    for (size_t i = 0; i < o->ranks.count; i++)
        count += !strcmp(o->ranks.items[i].ending, ending);
    return count;
}

/* ---- a sentence for each cause ---- */

typedef void write_cause(FILE *to, const struct wf_overview *o, const struct wf_headline *h);

static void headline_text_write_ending(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    char *ending = wf_ending_text(o, h->rank);
    fprintf(to, "rank %" PRId64 " %s", h->rank->rank, ending);
    if (h->earlier_ns)
        fprintf(to, ", %s before the others", wf_quantity_time(&any_page, h->earlier_ns).text);
    free(ending);
}

static void headline_text_write_short(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    (void)h;
    int64_t ns = wf_program_integer(&o->program, "wall_ns");
    bool tiny = ns < 1000000;
    fprintf(to, "the run took %s: too short for advice",
            tiny ? "less than 1 ms" : wf_quantity_time(&any_page, ns).text);
}

static void headline_text_write_no_core(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    int64_t cores = wf_program_integer(&o->program, "cores"), ranks = (int64_t)o->ranks.count;
    const char *where = o->ranks.hosts > 1 ? "these hosts" : "this host";
    char *text = wf_cores_text(o), *share = wf_no_core_text(o);
    (void)h;
    fprintf(to, *text ? "%s (%s): " : "%s%s: ", share, text);
    free(share);
    free(text);
    if (cores > 0 && ranks > cores)
        fprintf(to, "use at most %s rank%s on %s, or more cores", wf_quantity_count(cores).text, cores == 1 ? "" : "s",
                where);
    else if (cores > 0)
        fputs("other processes, further threads or a limit took them; look for those", to);
    else
        fprintf(to, "use fewer ranks on %s, or more cores", where);
}

/* "work one after the other and " */
static const char *headline_text_turns(const struct wf_overview *o, const struct wf_headline *h)
{
    const struct wf_factor *parallel = wf_efficiency_find(&o->efficiency, "parallel_efficiency");
    if (!h->in_turn)
        return "";
    bool alone = parallel && parallel->value * (double)o->ranks.first_world <= one_at_a_time;
    return alone ? "work one after the other and " : "work at different times and ";
}

/* "ranks wait for 25.9 % of the run" */
static void headline_text_write_loss(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    if (h->cause == WF_CAUSE_WAITING)
        fprintf(to, "ranks %swait for %s of the run", headline_text_turns(o, h), wf_quantity_percent(h->share).text);
    else
        fprintf(to, "%s begin later or end earlier, for %s of the run in the mean",
                h->longest ? "others" : "some ranks", wf_quantity_percent(h->share).text);
}

static void headline_text_write_longest(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    const struct wf_factor *balance = wf_efficiency_find(&o->efficiency, "load_balance");
    fprintf(to, "rank %" PRId64 " computes longest, ", h->rank->rank);
    if (h->alone) {
        headline_text_write_region(to, h->region);
        fputs(": half of this computing on all ranks", to);
        headline_text_write_saving(to, h);
    } else {
        fprintf(to, "%.2f times the mean: with its work shared evenly, the run would be up to %s shorter",
                balance ? 1 / balance->value : 1, wf_quantity_percent(h->balanced).text);
    }
    fputs("; ", to);
    headline_text_write_loss(to, o, h);
}

static void headline_text_write_uneven(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    if (h->longest) {
        headline_text_write_longest(to, o, h);
        return;
    }
    headline_text_write_loss(to, o, h);
    if (h->statement && !h->region)
        headline_text_write_most(to, h);
    if (h->rank)
        fprintf(to, ", most for the work of rank %" PRId64, h->rank->rank);
    if (h->region) {
        fputs(": half of the computing ", to);
        headline_text_write_region(to, h->region);
        /* Else the sentence reads as if it were that rank's alone. */
        fputs(h->rank ? " on all ranks" : "", to);
        headline_text_write_saving(to, h);
    } else if (h->rank) {
        fputs(": let it come earlier", to);
    }
}

static void headline_text_write_mpi(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    (void)o;
    fprintf(to, "ranks wait or transfer for %s of the run", wf_quantity_percent(h->share).text);
    headline_text_write_most(to, h);
}

static void headline_text_write_transfer(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    const struct wf_critical_path *path = &o->path;
    fprintf(to, "transfers take %s of the run", wf_quantity_percent(h->share).text);
    headline_text_write_most(to, h);
    if (path->transfer.all_known && path->whole_ns > 0 && path->transfer.all_saved_ns[LAST_STEP] > 0)
        fprintf(to, ": without them the run would be %s shorter",
                wf_quantity_percent((double)path->transfer.all_saved_ns[LAST_STEP] / (double)path->whole_ns).text);
    else
        fputs(": fewer or smaller messages would help", to);
}

static void headline_text_write_polling(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    (void)o;
    fprintf(to, "ranks poll in vain for %s of the run", wf_quantity_percent(h->share).text);
    headline_text_write_most(to, h);
    fputs(": work could be done meanwhile", to);
}

static void headline_text_write_unexplained(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    (void)o;
    fprintf(to, "%s of the run is unexplained", wf_quantity_percent(h->share).text);
    headline_text_write_most(to, h);
    fputs(": these calls took longer than usual, and weft does not know why", to);
}

static void headline_text_write_unfinished_calls(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    fprintf(to, "%s of the run is in calls that had not returned when the ranks %s", wf_quantity_percent(h->share).text,
            headline_text_count(o, "running") ? "were last seen" : "ended");
    headline_text_write_most(to, h);
    fputs("; weft report --ranks says where each rank was", to);
}

static void headline_text_write_threads(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    fprintf(to, "the thread shown for each rank, usually its main one, computes for %s of the run",
            wf_quantity_percent(o->useful_share).text);
    fprintf(to, h->statement ? "; other threads waited, polled or hung for %s" : "; other threads waited %s",
            wf_quantity_time(&any_page, h->threads_ns).text);
    if (h->statement) {
        fputs(", most in ", to);
        headline_text_write_statement(to, h->statement);
        if (h->statement->calls == 0)
            fputs(", which never returned", to);
    }
    if (h->waiter)
        fprintf(to, ", most on rank %" PRId64, h->waiter->rank);
    if (h->rank)
        fprintf(to, ", most for the work of rank %" PRId64, h->rank->rank);
}

static void headline_text_write_nothing(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    const struct wf_factor *balance = wf_efficiency_find(&o->efficiency, "load_balance");
    fprintf(to, "nothing stands out: %s of the run is computing%s", wf_quantity_percent(o->useful_share).text,
            o->ranks.first_world > 1 && balance && balance->value >= 0.95 ? ", evenly shared" : "");
    if (!h->region)
        return;
    fputs("; half of the computing ", to);
    headline_text_write_region(to, h->region);
    headline_text_write_saving(to, h);
}

/* "2 of 4 ranks did not finish: " */
static void headline_text_write_unfinished(FILE *to, const struct wf_overview *o, const struct wf_headline *h)
{
    size_t count = o->ranks.count, unwell = count - headline_text_count(o, "finalized"),
           running = headline_text_count(o, "running");
    if (unwell)
        fprintf(to, "%s of %s rank%s %s%s ", wf_quantity_count((int64_t)unwell).text,
                wf_quantity_count((int64_t)count).text, count == 1 ? "" : "s",
                running ? "had not finished" : "did not finish", h->cause == WF_CAUSE_ENDING ? ":" : ";");
}

static write_cause *const writers[WF_CAUSES] = {
    [WF_CAUSE_ENDING] = headline_text_write_ending,
    [WF_CAUSE_SHORT] = headline_text_write_short,
    [WF_CAUSE_NO_CORE] = headline_text_write_no_core,
    [WF_CAUSE_WAITING] = headline_text_write_uneven,
    [WF_CAUSE_APART] = headline_text_write_uneven,
    [WF_CAUSE_MPI] = headline_text_write_mpi,
    [WF_CAUSE_TRANSFER] = headline_text_write_transfer,
    [WF_CAUSE_POLLING] = headline_text_write_polling,
    [WF_CAUSE_UNEXPLAINED] = headline_text_write_unexplained,
    [WF_CAUSE_UNFINISHED] = headline_text_write_unfinished_calls,
    [WF_CAUSE_THREADS] = headline_text_write_threads,
    [WF_CAUSE_NOTHING] = headline_text_write_nothing,
};

char *wf_headline_text(const struct wf_overview *o, const struct wf_headline *headline)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return wf_memory_text("");
    headline_text_write_unfinished(to, o, headline);
    writers[headline->cause](to, o, headline);
    fclose(to);
    return text ? text : wf_memory_text("");
}
