/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs with every kind of event, by the library's rules (ruled.h) against the truth:
 * parts_programs [--programs N] [--seed N] [--first N] [--seconds N]
 *
 * In each call waiting, transfer, polling, no core and what is unexplained add up to its time. Each is what it is by
 * definition, and so are the virtual and the ideal clock: to the nanosecond where the rules know all that a call
 * depends on, and within a bound where they guess. Root causes add up to the waiting, and are those of the definition.
 * The path on line, without what is idle, is the longest path off line.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "generate.h"
#include "options.h"
#include "paths.h"
#include "roots.h"
#include "ruled.h"
#include "twin.h"

enum knowledge {
    TOLD,     /* all that calls depend on, and nothing makes their end uncertain: exact */
    SLEEPING, /* the same, but some calls are polled, and some have no core while they wait */
    GUESSED,  /* by arrivals */
    SEEN,     /* the same without probes */
    KNOWLEDGE
};

static const char *const knowledge_names[] = {"all is told", "polls and early preemption", "by arrivals",
                                              "by arrivals, unwatched"};

struct trial {
    struct sim_program *program;
    struct sim_network network;
    struct sim_rules rules;
    enum knowledge knowledge;
    struct sim_follow follow;
    bool with_path; /* the twin is slow */
    uint64_t cuts;  /* where the path starts and stops, and where it is sampled: 0 in its lowest bits: it is that of the
                       whole run */
};

struct totals {
    uint64_t programs, actions, waits, roots, exact, by_arrival, other_culprits, off_ns, off_most_ns, length, run_ns,
        run_off_ns, real_off_ns;
    struct sim_idle_sum {
        uint64_t polling, no_core, unexplained;
    } parts;
};

static bool is_off(uint64_t expected, uint64_t got, uint64_t allowed)
{
    return (expected > got ? expected - got : got - expected) > allowed;
}

/* Of several that came last at once, an arrival may be another one than the definition says. */
static struct sim_mistake compare_action(const struct sim_ruled *truth, const struct sim_ruled *free,
                                         const struct sim_ruled *x, bool told)
{
    const struct {
        const char *what;
        uint64_t expected, got, allowed;
    } values[] = {
        {"virtual begin", truth->begin, x->begin, x->begin_off},
        {"virtual end", truth->end, x->end, x->end_off},
        {"waiting", truth->time.sync, x->time.sync, x->sync_off},
        {"polling", truth->time.idle.polling, x->time.idle.polling, x->idle_off},
        {"no core", truth->time.idle.no_core, x->time.idle.no_core, x->idle_off},
        {"unexplained", truth->time.idle.unexplained, x->time.idle.unexplained, x->idle_off},
        {"sum of root causes", x->time.sync, x->roots, 0},
        {"ideal end", free->ideal, x->ideal, x->ideal_off},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (is_off(values[i].expected, values[i].got, values[i].allowed))
            return (struct sim_mistake){values[i].what, 0, 0, values[i].expected, values[i].got, values[i].allowed};
    if (told && x->sync_off == 0 && truth->who != x->who)
        return (struct sim_mistake){"who came last", 0, 0, (uint64_t)truth->who, (uint64_t)x->who, 0};
    return (struct sim_mistake){0};
}

static void count_action(const struct sim_ruled *truth, const struct sim_ruled *x, struct totals *totals)
{
    uint64_t off = truth->end > x->end ? truth->end - x->end : x->end - truth->end;
    totals->waits += x->time.sync > 0;
    totals->exact += x->end_off == 0;
    totals->off_ns += off;
    totals->off_most_ns += x->end_off;
    totals->parts.polling += x->time.idle.polling > 0;
    totals->parts.no_core += x->time.idle.no_core > 0;
    totals->parts.unexplained += x->time.idle.unexplained > 0;
}

/* The wrong action that comes first in time. */
static struct sim_mistake compare(const struct trial *t, const struct sim_ruling *truth, const struct sim_ruling *free,
                                  const struct sim_ruling *x, struct totals *totals)
{
    struct sim_mistake first = {0};
    uint64_t when = UINT64_MAX;
    for (uint32_t p = 0, place = 0; p < t->program->processes; p++)
        for (uint32_t i = 0; i < t->program->lists[p].count; i++, place++) {
            struct sim_mistake m =
                compare_action(&truth->actions[place], &free->actions[place], &x->actions[place], t->rules.told);
            count_action(&truth->actions[place], &x->actions[place], totals);
            if (m.what && truth->actions[place].end < when) {
                first = (struct sim_mistake){m.what, p, i, m.expected, m.got, m.allowed};
                when = truth->actions[place].end;
            }
        }
    return first;
}

/* The roots that these waits have by definition. */
static uint64_t *roots_of(const struct trial *t, const struct sim_ruling *x)
{
    uint32_t actions = sim_program_actions(t->program);
    struct sim_record *records = calloc(actions + 1, sizeof *records);
    if (!records)
        abort();
    for (uint32_t i = 0; i < actions; i++)
        records[i] = (struct sim_record){
            .begin = x->actions[i].begin, .sync = x->actions[i].time.sync, .who = x->actions[i].who};
    uint64_t *roots = sim_true_roots(t->program, &(struct sim_records){.actions = records});
    free(records);
    return roots;
}

/* Where clocks are exact: the true waits, or those that were found by arrivals. */
static struct sim_mistake compare_roots(const struct trial *t, const struct sim_ruling *truth,
                                        const struct sim_ruling *x, struct totals *totals)
{
    struct sim_mistake found = {0};
    uint32_t n = t->program->processes;
    if (t->knowledge != TOLD && t->knowledge != SEEN)
        return found;
    uint64_t *roots = roots_of(t, t->knowledge == TOLD ? truth : x);
    for (uint32_t i = 0; i < n * n && !found.what; i++) {
        if (roots[i] != x->roots[i])
            found = (struct sim_mistake){"time because of the process", i / n, i % n, roots[i], x->roots[i], 0};
        totals->roots += roots[i] > 0;
    }
    free(roots);
    return found;
}

static void count_run(const struct trial *t, const struct sim_ruling *truth, const uint64_t *finish,
                      struct totals *totals)
{
    uint64_t real[64];
    sim_run(t->program, &t->network, &t->rules.probes, &(struct sim_observer){0}, real);
    for (uint32_t p = 0, place = 0; p < t->program->processes; p++) {
        place += t->program->lists[p].count;
        if (t->program->lists[p].count == 0)
            continue;
        uint64_t end = truth->actions[place - 1].end;
        totals->run_ns += end - SIM_START;
        totals->run_off_ns += finish[p] > end ? finish[p] - end : end - finish[p];
        totals->real_off_ns += real[p] - end;
    }
}

static struct sim_mistake check_times(const struct trial *t, struct totals *totals)
{
    struct sim_network free_network = t->network;
    free_network.free = true;
    uint64_t finish[64];
    struct sim_ruling truth = sim_true_times(t->program, &t->network),
                      ideal = sim_true_times(t->program, &free_network);
    struct sim_ruling x = sim_ruled_run(t->program, &t->network, &t->rules, NULL, finish);
    struct sim_mistake m = {0};
    if (!truth.finished || !ideal.finished || !x.finished)
        m.what = "a deadlock";
    else if (x.overfull)
        m = (struct sim_mistake){.what = "calls with parts that are more than the call", .got = x.overfull};
    else if (x.wrong)
        m = (struct sim_mistake){.what = "arrivals before the one that was waited for", .got = x.wrong};
    else
        m = compare(t, &truth, &ideal, &x, totals);
    if (!m.what)
        m = compare_roots(t, &truth, &x, totals);
    if (!m.what)
        count_run(t, &truth, finish, totals);
    totals->by_arrival += x.by_arrival;
    totals->other_culprits += x.other_culprits;
    free(truth.actions);
    free(ideal.actions);
    free(x.actions);
    free(x.roots);
    return m;
}

/* ---- the path ---- */

static struct sim_mistake compare_rows(const char *what, const int64_t *off, const int64_t *on, uint32_t rows,
                                       uint32_t columns)
{
    for (uint32_t i = 0; i < rows * columns; i++)
        if (off[i] != on[i])
            return (struct sim_mistake){what, i / columns, i % columns, (uint64_t)off[i], (uint64_t)on[i], 0};
    return (struct sim_mistake){0};
}

static struct sim_mistake compare_answers(const struct sim_answer *off, const struct sim_answer *on)
{
    struct sim_mistake m = compare_rows("length of the path", &off->length, &on->length, 1, 1);
    if (!m.what)
        m = compare_rows("share (slot and kind)", &off->share[0][0], &on->share[0][0], SIM_SLOTS, 2);
    if (!m.what)
        m = compare_rows("place", &off->place[0][0], &on->place[0][0], SIM_PLACES, 2);
    if (!m.what)
        m = compare_rows("saving (slot and step)", &off->saved[0][0], &on->saved[0][0], SIM_SLOTS, SIM_SAVED);
    return m;
}

/* About the middle of each process's list, give or take; sometimes never. */
static void random_places(const struct sim_program *program, struct sim_random *r, uint32_t eighths, uint32_t *places)
{
    for (uint32_t p = 0; p < program->processes; p++) {
        uint32_t count = program->lists[p].count;
        places[p] = count * eighths / 8 + (uint32_t)sim_random_below(r, count / 4 + 1);
        if (sim_random_one_in(r, 8))
            places[p] = UINT32_MAX;
    }
}

/* On line against off line: where all is told, off line is the true run without probes; else it has the calls as the
 * rules see them. */
static struct sim_mistake check_path(const struct trial *t, bool by_rules, struct totals *totals)
{
    uint32_t start[64], stop[64], sample[64];
    struct sim_random r = {t->cuts};
    random_places(t->program, &r, 1, start);
    random_places(t->program, &r, 5, stop);
    random_places(t->program, &r, 4, sample);
    struct sim_cut cut = {
        .start = t->cuts & 1 ? start : NULL, .stop = t->cuts & 2 ? stop : NULL, .sample = t->cuts & 4 ? sample : NULL};
    struct sim_follow follow = t->follow;
    struct sim_answer on, off;
    follow.rules = by_rules ? &t->rules : NULL;
    struct sim_twin *twin = sim_twin_new(t->program, &t->network, &follow);
    if (!twin)
        return (struct sim_mistake){.what = "a deadlock"};
    const struct sim_probes *probes = by_rules ? &(struct sim_probes){0} : &t->rules.probes;
    struct sim_paths run = sim_paths_run(t->program, &t->network, probes, &follow, &cut, &on);
    sim_twin_solve(twin, &cut, &off);
    sim_twin_free(twin);
    totals->length += (uint64_t)off.length;
    if (run.not_virtual)
        return (struct sim_mistake){.what = "a path longer than the run, so many times", .got = run.not_virtual};
    if (run.not_whole)
        return (struct sim_mistake){.what = "shares that do not add up, so many times", .got = run.not_whole};
    return compare_answers(&off, &on);
}

static struct sim_mistake check(const struct trial *t, struct totals *totals)
{
    struct sim_mistake m = check_times(t, totals);
    if (!m.what && t->with_path)
        m = check_path(t, true, totals);
    if (!m.what && t->with_path && t->knowledge == TOLD)
        m = check_path(t, false, totals);
    return m;
}

static struct sim_follow any_follow(struct sim_random *r)
{
    uint64_t how = sim_random_below(r, 3);
    return (struct sim_follow){.regions = (uint32_t)sim_random_below(r, 7),
                               .statements = (uint32_t)sim_random_below(r, 5),
                               .stretches = how == 1,
                               .counted = how == 2,
                               .cpu = sim_random_one_in(r, 4),
                               .places = 1 + (uint32_t)sim_random_below(r, SIM_PLACES)};
}

/* A smallest program that is still wrong. */
static void make_small(struct trial *t)
{
    struct totals ignored = {0};
    uint32_t before;
    do {
        before = sim_program_actions(t->program);
        for (uint32_t unit = t->program->unit_count; unit-- > 0;) {
            struct trial smaller = *t;
            smaller.program = sim_program_drop(t->program, unit);
            bool wrong = sim_program_actions(smaller.program) < sim_program_actions(t->program) &&
                         check(&smaller, &ignored).what;
            sim_program_free(wrong ? t->program : smaller.program);
            if (wrong)
                t->program = smaller.program;
        }
    } while (sim_program_actions(t->program) < before);
}

static void report(struct trial *t, struct sim_mistake m, uint64_t seed, uint64_t number)
{
    struct totals ignored = {0};
    fprintf(stderr,
            "seed %" PRIu64 ", program %" PRIu64 ", %s: repeat with --seed %" PRIu64 " --first %" PRIu64
            " --programs 1\n",
            seed, number, knowledge_names[t->knowledge], seed, number);
    for (int small = 0; small < 2; small++) {
        if (small) {
            make_small(t);
            m = check(t, &ignored);
        }
        fprintf(stderr,
                "%s: %s of action %" PRIu32 ".%" PRIu32 " is %" PRIu64 ", not %" PRIu64 " (may be off by %" PRIu64
                ")\n",
                small ? "made small" : "as found", m.what, m.process, m.index, m.got, m.expected, m.allowed);
    }
    sim_program_print(t->program, stderr);
}

static bool check_one(uint64_t seed, uint64_t number, struct totals totals[KNOWLEDGE])
{
    static const uint64_t most[] = {3, 7, 15, 63};
    static const uint32_t costs_ns[] = {0, 20, 500, 5000};
    static const uint64_t arrivals_ns[] = {0, 0, 200, 5000};
    struct sim_random r = {sim_hash(seed) ^ sim_hash(number + 1)};
    struct trial t = {.knowledge = (enum knowledge)(number % KNOWLEDGE)};
    struct sim_events events = {0};
    if (t.knowledge != TOLD) /* seldom in most programs: errors add up */
        events = sim_random_one_in(&r, 4) ? (struct sim_events){2, 10} : (struct sim_events){10, 200};
    uint32_t processes = 2 + (uint32_t)sim_random_below(&r, most[sim_random_below(&r, 4)]);
    t.program = sim_generate_events(processes, 1, events, &r);
    t.network = sim_random_network(&r, sim_random_one_in(&r, 2));
    struct sim_probe_costs costs = {sim_random_next(&r), costs_ns[sim_random_below(&r, 4)], sim_random_one_in(&r, 2)};
    t.rules = (struct sim_rules){.told = t.knowledge == TOLD || t.knowledge == SLEEPING,
                                 .arrival_ns = arrivals_ns[sim_random_below(&r, 4)],
                                 .after_ns = sim_random_one_in(&r, 2) ? UINT64_MAX : sim_random_below(&r, 20000)};
    if (t.knowledge != SEEN)
        t.rules.probes = sim_random_probes(&costs);
    t.follow = any_follow(&r);
    t.cuts = sim_random_one_in(&r, 2) ? 0 : sim_random_next(&r);
    t.with_path = processes <= 16;
    struct totals *sums = &totals[t.knowledge];
    struct sim_mistake m = check(&t, sums);
    if (m.what)
        report(&t, m, seed, number);
    sums->programs++;
    sums->actions += sim_program_actions(t.program);
    sim_program_free(t.program);
    return !m.what;
}

static void print(const struct totals *sums, const char *name)
{
    printf("%s: %" PRIu64 " programs, %" PRIu64 " actions, %" PRIu64 " certain\n", name, sums->programs, sums->actions,
           sums->exact);
    printf("  %" PRIu64 " waited, %" PRIu64 " of these by arrival, for another one %" PRIu64 "; %" PRIu64
           " polled, %" PRIu64 " had no core, %" PRIu64 " were unexplained\n",
           sums->waits, sums->by_arrival, sums->other_culprits, sums->parts.polling, sums->parts.no_core,
           sums->parts.unexplained);
    if (sums->real_off_ns)
        printf("  run times are off by %.2f %%, and by %.2f %% with the cost of probes\n",
               100. * (double)sums->run_off_ns / (double)sums->run_ns,
               100. * (double)sums->real_off_ns / (double)sums->run_ns);
    if (sums->off_most_ns)
        printf("  off by %.1f ns in the mean, of %.1f allowed\n", (double)sums->off_ns / (double)sums->actions,
               (double)sums->off_most_ns / (double)sums->actions);
}

/* There must be enough of each kind, so that equality is significant. */
static bool has_shown(const struct totals totals[KNOWLEDGE])
{
    bool shown = totals[TOLD].exact == totals[TOLD].actions;
    for (int k = 0; k < KNOWLEDGE; k++) {
        const struct totals *s = &totals[k];
        shown = shown && s->waits > s->programs && s->parts.no_core > s->programs && s->parts.unexplained > s->programs;
        shown =
            shown && (k == TOLD || s->parts.polling > s->programs / 4) && (k < GUESSED || s->by_arrival > s->programs);
    }
    return shown;
}

int main(int argc, char **argv)
{
    struct sim_options o = {.programs = 2000, .seed = 1};
    struct totals totals[KNOWLEDGE] = {0};
    double began = sim_now();
    uint64_t done = 0;
    if (!sim_options_read(argc, argv, &o)) {
        fprintf(stderr, "usage: parts_programs [--programs N] [--seed N] [--first N] [--seconds N]\n");
        return 2;
    }
    for (; done < o.programs && (o.seconds <= 0 || sim_now() - began < o.seconds); done++)
        if (!check_one(o.seed, o.first + done, totals))
            return 1;
    for (int k = 0; k < KNOWLEDGE; k++)
        print(&totals[k], knowledge_names[k]);
    printf("%" PRIu64 " programs: all right, %.1f s\n", done, sim_now() - began);
    if (done >= 1000 && !has_shown(totals)) {
        fprintf(stderr, "That is too little to show anything.\n");
        return 1;
    }
    return 0;
}
