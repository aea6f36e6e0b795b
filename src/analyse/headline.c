/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/headline.h"

#include <string.h>

#include "analyse/sum.h"

static const double stands_out = 0.05;    /* a loss, as a part of the run */
static const double worth_saving = 0.01;  /* a part of the run */
static const double uneven = 0.95;        /* load balance, and serialisation efficiency */
static const double most = 0.5;           /* what "most" of a time is */
static const double has_path = 0.75;      /* so much of the critical path is in a rank that has it */
static const int64_t worth_ns = 1000000;  /* that threads waited */
static const int64_t short_ns = 10000000; /* in such a run, most is how ranks begin and end */
/* By more than both of these, a rank died earlier than others. Open MPI ends the others about 1 s later, which is a
 * small part of a long run: so the part of the run is only the error with which the times of a rank are known. */
static const int64_t earlier_ns = 10000000;
static const double earlier = 1e-5; /* of the run */

enum { ANY_RANK = -1 };
enum { HALF = 1 }; /* among the steps of the critical path */

/* ---- losses, each as a part of the run ---- */

static double headline_share_of(const struct wf_overview *o, enum wf_part part, bool known)
{
    return o->parts_known == known ? o->part_share[part] : 0;
}

static double headline_no_core(const struct wf_overview *o)
{
    return o->part_share[WF_PART_NO_CORE] + o->outside_share;
}

static double headline_waiting(const struct wf_overview *o)
{
    return headline_share_of(o, WF_PART_WAITING, true);
}

static double headline_apart(const struct wf_overview *o)
{
    return o->absent_share;
}

static double headline_mpi(const struct wf_overview *o)
{
    return headline_share_of(o, WF_PART_TRANSFER, false);
}

static double headline_transfer(const struct wf_overview *o)
{
    return headline_share_of(o, WF_PART_TRANSFER, true);
}

static double headline_polling(const struct wf_overview *o)
{
    return o->part_share[WF_PART_POLLING];
}

static double headline_unexplained(const struct wf_overview *o)
{
    return o->part_share[WF_PART_UNEXPLAINED];
}

static const struct {
    const char *name;
    double (*share)(const struct wf_overview *o);
    enum wf_part part; /* of time in MPI; WF_PARTS: none */
} causes[WF_CAUSES] = {
    [WF_CAUSE_ENDING] = {"ending", NULL, WF_PARTS},
    [WF_CAUSE_SHORT] = {"short", NULL, WF_PARTS},
    [WF_CAUSE_NO_CORE] = {"no core", headline_no_core, WF_PART_NO_CORE},
    [WF_CAUSE_WAITING] = {"waiting", headline_waiting, WF_PART_WAITING},
    [WF_CAUSE_APART] = {"apart", headline_apart, WF_PARTS},
    [WF_CAUSE_MPI] = {"in MPI", headline_mpi, WF_PART_TRANSFER},
    [WF_CAUSE_TRANSFER] = {"transfer", headline_transfer, WF_PART_TRANSFER},
    [WF_CAUSE_POLLING] = {"polling", headline_polling, WF_PART_POLLING},
    [WF_CAUSE_UNEXPLAINED] = {"unexplained", headline_unexplained, WF_PART_UNEXPLAINED},
    [WF_CAUSE_UNFINISHED] = {"unfinished", NULL, WF_PARTS},
    [WF_CAUSE_THREADS] = {"threads", NULL, WF_PARTS},
    [WF_CAUSE_NOTHING] = {"nothing", NULL, WF_PARTS},
};

const char *wf_loss_name(enum wf_loss cause)
{
    return causes[cause].name;
}

/* ---- how it ended ---- */

/* One host has one clock, and the guardian has seen each death: else a rank's end is its last sign of life. */
static bool headline_ends_are_known(const struct wf_overview *o)
{
    int64_t died = 0;
    for (size_t i = 0; i < o->ranks.count; i++) {
        const struct wf_rank *rank = &o->ranks.items[i];
        if (!strcmp(rank->ending, "running") || rank->wall_raw_ns <= 0)
            return false;
        died += !strcmp(rank->ending, "died");
    }
    return died > 0 && died == wf_program_integer(&o->program, "deaths_seen") &&
           wf_program_integer(&o->program, "hosts") == 1 && o->ranks.count == o->ranks.first_world;
}

/* How long after the first of the ranks that did not finish the next one ended. */
static int64_t headline_find_first(const struct wf_overview *o, const struct wf_rank **first)
{
    int64_t first_ns = INT64_MAX, next_ns = INT64_MAX, earlier_by_ns = 0;
    *first = NULL;
    for (size_t i = 0; i < o->ranks.count; i++) {
        int64_t end_ns = wf_rank_end_ns(&o->ranks.items[i]);
        if (wf_rank_ended_well(&o->ranks.items[i]))
            continue;
        if (!*first || end_ns < first_ns) {
            next_ns = first_ns;
            first_ns = end_ns;
            *first = &o->ranks.items[i];
        } else if (end_ns < next_ns) {
            next_ns = end_ns;
        }
    }
    return next_ns == INT64_MAX || __builtin_sub_overflow(next_ns, first_ns, &earlier_by_ns) ? 0 : earlier_by_ns;
}

/* A rank that died clearly before all others: those were probably killed because of it. */
static bool headline_find_first_death(struct wf_headline *h, const struct wf_overview *o)
{
    const struct wf_rank *first;
    int64_t ns = headline_ends_are_known(o) ? headline_find_first(o, &first) : 0;
    if (ns <= earlier_ns || (double)ns <= earlier * (double)wf_program_integer(&o->program, "wall_ns") ||
        strcmp(first->ending, "died") != 0)
        return false;
    h->rank = first;
    h->earlier_ns = ns;
    return true;
}

/* A rank that ended otherwise than another one. Where all died, they were probably killed together. */
static const struct wf_rank *headline_odd_ending(const struct wf_overview *o)
{
    const struct wf_rank *odd = NULL;
    bool differ = false;
    for (size_t i = 0; i < o->ranks.count; i++) {
        const struct wf_rank *rank = &o->ranks.items[i];
        if (!strcmp(rank->ending, "running"))
            return NULL;
        differ |= strcmp(rank->ending, "died") != 0;
        if (!wf_rank_ended_well(rank) && (!odd || (!strcmp(odd->ending, "died") && strcmp(rank->ending, "died") != 0)))
            odd = rank;
    }
    return differ ? odd : NULL;
}

static bool headline_find_ending(struct wf_headline *h, const struct wf_overview *o)
{
    if (!headline_find_first_death(h, o))
        h->rank = headline_odd_ending(o);
    h->cause = WF_CAUSE_ENDING;
    return h->rank != NULL;
}

/* ---- calls that did not return ---- */

static int64_t headline_unfinished_ns(const struct wf_overview *o, const struct wf_statement *s)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < o->ranks.first_world; i++)
        if (o->ranks.items[i].last_site && (!s || s->id == o->ranks.items[i].last_site))
            wf_sum_add(&sum_ns, o->ranks.items[i].last_site_ns);
    return sum_ns;
}

/* Their time is a part of what is unexplained. Other losses are told first only if they are much larger. */
static bool headline_find_unfinished(struct wf_headline *h, const struct wf_overview *o)
{
    int64_t most_ns = 0;
    double share = wf_overview_share(o, headline_unfinished_ns(o, NULL));
    if (share <= stands_out || share < most * h->share)
        return false;
    for (size_t i = 0; i < o->statements.count; i++) {
        int64_t ns = headline_unfinished_ns(o, &o->statements.items[i]);
        if (ns <= most_ns)
            continue;
        most_ns = ns;
        h->statement = &o->statements.items[i];
    }
    h->cause = WF_CAUSE_UNFINISHED;
    h->share = share;
    h->statement_share = wf_overview_share(o, most_ns);
    return true;
}

/* ---- threads besides the one whose times are its rank's ---- */

static int64_t headline_threads_of(const struct wf_overview *o, size_t rank, enum wf_part part)
{
    int64_t all_ns = wf_statement_list_part_ns(&o->statements, rank, part), ns;
    if (o->ranks.items[rank].threads < 2 ||
        __builtin_sub_overflow(all_ns, wf_rank_parts(&o->ranks.items[rank]).ns[part], &ns))
        return 0;
    return ns > 0 ? ns : 0;
}

static void headline_find_waiter(struct wf_headline *h, const struct wf_overview *o)
{
    int64_t longest_ns = 0;
    for (size_t i = 0; i < o->ranks.first_world; i++) {
        int64_t ns = headline_threads_of(o, i, WF_PART_POLLING);
        wf_sum_add(&ns, headline_threads_of(o, i, WF_PART_UNEXPLAINED));
        wf_sum_add(&h->threads_idle_ns, ns);
        wf_sum_add(&ns, headline_threads_of(o, i, WF_PART_WAITING));
        wf_sum_add(&h->threads_ns, ns);
        if (ns > longest_ns) {
            longest_ns = ns;
            h->waiter = &o->ranks.items[i];
        }
    }
    if ((double)longest_ns < most * (double)h->threads_ns)
        h->waiter = NULL;
}

/* First causes are those of all threads. What was not for the shown ones was for the others. */
static void headline_find_cause_of_threads(struct wf_headline *h, const struct wf_overview *o)
{
    struct wf_cause_sum worst = wf_cause_list_worst(&o->causes, &o->ranks);
    int index = worst.time_ns ? wf_rank_list_find(&o->ranks, worst.rank) : -1;
    double shown_ns = (double)wf_rank_list_sum(&o->ranks, offsetof(struct wf_rank, sync_ns));
    if (index >= 0 && (double)worst.time_ns - shown_ns >= most * (double)h->threads_ns)
        h->rank = &o->ranks.items[index];
}

/* Where most of it is not waiting for a rank, the call is all that is known. The ranks' own parts are small: else they
 * were the loss. */
static void headline_find_idle_statement(struct wf_headline *h, const struct wf_overview *o)
{
    if ((double)h->threads_idle_ns < most * (double)h->threads_ns)
        return;
    const struct wf_statement *polls = wf_statement_list_most(&o->statements, WF_PART_POLLING, NULL),
                              *rests = wf_statement_list_most(&o->statements, WF_PART_UNEXPLAINED, NULL);
    h->statement = rests && (!polls || rests->idle.unexplained_ns >= polls->idle.polling_ns) ? rests : polls;
}

static bool headline_did_all_finish(const struct wf_overview *o)
{
    for (size_t i = 0; i < o->ranks.count; i++)
        if (!wf_rank_ended_well(&o->ranks.items[i]))
            return false;
    return true;
}

/* Where the ranks' own threads lose time in MPI, that is told: it is a sum over one thread of each. But other threads
 * may be why a run did not finish. */
static bool headline_find_threads(struct wf_headline *h, const struct wf_overview *o)
{
    if (h->cause != WF_CAUSE_NOTHING && h->cause != WF_CAUSE_APART && headline_did_all_finish(o))
        return false;
    headline_find_waiter(h, o);
    double share = wf_overview_share(o, h->threads_ns);
    if (h->threads_ns < worth_ns || share <= stands_out || share <= h->share)
        return false;
    headline_find_cause_of_threads(h, o);
    headline_find_idle_statement(h, o);
    h->cause = WF_CAUSE_THREADS;
    h->share = share;
    return true;
}

/* ---- who, where, how much ---- */

static bool headline_has_path(int64_t rank, const struct wf_critical_path *path)
{
    const struct wf_critical_place *place = path->place_count ? &path->places[0] : NULL;
    return place && place->first_rank == place->last_rank && (rank < 0 || place->first_rank == rank) &&
           (double)place->share_ns >= has_path * (double)path->length_ns;
}

/* The rank for whose own work others waited most of their time. If the path is in another rank, less work there would
 * only make others wait for that one. */
static const struct wf_rank *headline_culprit(const struct wf_overview *o)
{
    struct wf_cause_sum worst = wf_cause_list_worst(&o->causes, &o->ranks);
    int index = worst.time_ns ? wf_rank_list_find(&o->ranks, worst.rank) : -1;
    if (index < 0 || (size_t)index >= o->ranks.first_world || (double)worst.time_ns < most * (double)o->causes.time_ns)
        return NULL;
    if (headline_has_path(ANY_RANK, &o->path) && !headline_has_path(worst.rank, &o->path))
        return NULL;
    return &o->ranks.items[index];
}

static bool headline_is_computing(const struct wf_critical_region *region)
{
    static const char *const kinds[] = {"procedure", "loop", "region", "stretch"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(region->kind, kinds[i]) && region->regions < 2)
            return true;
    return false;
}

static void headline_find_region(struct wf_headline *h, const struct wf_overview *o)
{
    const struct wf_critical_path *path = &o->path;
    for (size_t i = 0; i < path->count; i++) {
        const struct wf_critical_region *region = &path->regions[i];
        double saved = path->whole_ns > 0 ? (double)region->saved_ns[HALF] / (double)path->whole_ns : 0;
        if (!headline_is_computing(region) || saved < worth_saving || saved <= h->saved)
            continue;
        h->region = region;
        h->saved = saved;
    }
}

/* What a region saves is what it saves if all ranks take less for it. The rank alone brings that only if it has the
 * path, and if it is still the longest afterwards: else another rank is. */
static bool headline_saves_alone(const struct wf_headline *h, const struct wf_overview *o)
{
    int64_t next_ns = 0;
    if (!h->region || !h->rank || !headline_has_path(h->rank->rank, &o->path))
        return false;
    for (size_t i = 0; i < o->ranks.first_world; i++)
        if (&o->ranks.items[i] != h->rank && o->ranks.items[i].useful_ns > next_ns)
            next_ns = o->ranks.items[i].useful_ns;
    return (double)h->rank->useful_ns - (double)h->region->saved_ns[HALF] >=
           (double)next_ns - worth_saving * (double)o->path.whole_ns;
}

/* The run is not shorter than the mean of the work. */
static double headline_balanced(const struct wf_overview *o)
{
    const struct wf_factor *longest = wf_efficiency_find(&o->efficiency, "communication_efficiency");
    const struct wf_factor *mean = wf_efficiency_find(&o->efficiency, "parallel_efficiency");
    return longest && mean ? longest->value - mean->value : 0;
}

/* Of ranks that work one after the other, none ends sooner if others do a part of its work. */
static bool headline_is_uneven(const struct wf_overview *o)
{
    const struct wf_factor *balance = wf_efficiency_find(&o->efficiency, "load_balance");
    const struct wf_factor *serial = wf_efficiency_find(&o->efficiency, "serialisation_efficiency");
    return balance && serial && balance->value < uneven && balance->value < serial->value;
}

/* Idle time lowers serialisation efficiency, too: that is not what ranks wait for. */
static bool headline_is_in_turn(const struct wf_overview *o)
{
    const struct wf_factor *balance = wf_efficiency_find(&o->efficiency, "load_balance");
    const struct wf_factor *serial = wf_efficiency_find(&o->efficiency, "serialisation_efficiency");
    double idle = headline_polling(o) + headline_unexplained(o) + o->part_share[WF_PART_NO_CORE];
    return balance && serial && serial->value + idle < uneven && serial->value + idle < balance->value;
}

static void headline_find_rank(struct wf_headline *h, const struct wf_overview *o)
{
    const struct wf_rank *longest =
        headline_is_uneven(o) ? wf_rank_list_largest(&o->ranks, offsetof(struct wf_rank, useful_ns)) : NULL;
    h->in_turn = h->cause == WF_CAUSE_WAITING && headline_is_in_turn(o);
    h->rank = h->cause == WF_CAUSE_WAITING ? headline_culprit(o) : NULL;
    if (!h->rank)
        h->rank = longest;
    h->longest = h->rank && h->rank == longest;
}

static void headline_find_statement(struct wf_headline *h, const struct wf_overview *o)
{
    enum wf_part part = causes[h->cause].part;
    if (part == WF_PARTS)
        return;
    h->statement = wf_statement_list_most(&o->statements, part, NULL);
    if (h->statement)
        h->statement_share = wf_overview_share(o, wf_statement_parts(h->statement).ns[part]);
}

static enum wf_loss headline_largest(const struct wf_overview *o)
{
    enum wf_loss largest = WF_CAUSE_NOTHING;
    double largest_share = stands_out;
    for (int cause = 0; cause < WF_CAUSES; cause++) {
        double share = causes[cause].share ? causes[cause].share(o) : 0;
        if (share <= largest_share)
            continue;
        largest = (enum wf_loss)cause;
        largest_share = share;
    }
    /* Nothing else means much where ranks wait for cores. */
    return o->cores_short ? WF_CAUSE_NO_CORE : largest;
}

struct wf_headline wf_headline_find(const struct wf_overview *o)
{
    struct wf_headline h = {0};
    if (headline_find_ending(&h, o))
        return h;
    if (wf_program_integer(&o->program, "wall_ns") < short_ns) {
        h.cause = WF_CAUSE_SHORT;
        return h;
    }
    h.cause = headline_largest(o);
    h.share = causes[h.cause].share ? causes[h.cause].share(o) : 0;
    if (headline_find_unfinished(&h, o) || headline_find_threads(&h, o))
        return h;
    headline_find_statement(&h, o);
    headline_find_rank(&h, o);
    headline_find_region(&h, o);
    h.alone = headline_saves_alone(&h, o);
    h.balanced = h.longest ? headline_balanced(o) : 0;
    return h;
}
