/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs, on line against off line: path_programs [--programs N] [--seed N] [--first N] [--seconds N]
 *
 * On line is a watched run on the virtual clock; off line is the same program unwatched (twin.h). Length, every share
 * and every what-if must be equal to the tick: for the whole run, for a part from one cut to another, and up to a
 * sample.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "generate.h"
#include "options.h"
#include "paths.h"
#include "twin.h"

enum cut_kind { WHOLE, STARTED, STOPPED, SAMPLED, ALL_CUTS, CUTS };

static const char *const cut_names[] = {"the whole run", "from a start", "until a stop", "up to a sample",
                                        "all of these"};

struct totals {
    uint64_t programs, nodes, cuts[CUTS], empty;
    uint64_t limited; /* what-ifs that save less than the share: another path is then the longest */
    uint64_t moves;   /* of paths between processes */
};

/* Everything that is the same for all cuts of one program. */
struct trial {
    struct sim_program *program;
    struct sim_network network;
    struct sim_probes probes;
    struct sim_follow follow;
    struct sim_twin *twin;
};

struct mistake {
    const char *what; /* NULL: none */
    uint32_t slot, column;
    int64_t expected, got;
};

static struct mistake compare_rows(const char *what, const int64_t *expected, const int64_t *got, uint32_t rows,
                                   uint32_t columns)
{
    for (uint32_t i = 0; i < rows * columns; i++)
        if (expected[i] != got[i])
            return (struct mistake){what, i / columns, i % columns, expected[i], got[i]};
    return (struct mistake){0};
}

static struct mistake compare(const struct sim_answer *off, const struct sim_answer *on)
{
    struct mistake m = compare_rows("length", &off->length, &on->length, 1, 1);
    if (!m.what)
        m = compare_rows("share", &off->share[0][0], &on->share[0][0], SIM_SLOTS, 2);
    if (!m.what)
        m = compare_rows("place", &off->place[0][0], &on->place[0][0], SIM_PLACES, 2);
    if (!m.what)
        m = compare_rows("saved", &off->saved[0][0], &on->saved[0][0], SIM_SLOTS, SIM_SAVED);
    return m;
}

static void count_shown(const struct sim_answer *off, enum cut_kind kind, struct totals *totals)
{
    totals->cuts[kind]++;
    totals->empty += off->length == 0;
    for (uint32_t slot = 0; slot < SIM_SLOTS; slot++)
        totals->limited += off->saved[slot][3] < 4 * off->share[slot][WF_PATH_OWN];
    for (uint32_t place = 0; place < SIM_PLACES; place++)
        totals->moves += (uint64_t)off->place[place][1];
}

static struct mistake check_cut(const struct trial *t, const struct sim_cut *cut, enum cut_kind kind,
                                struct totals *totals)
{
    struct sim_answer on, off;
    struct sim_paths run = sim_paths_run(t->program, &t->network, &t->probes, &t->follow, cut, &on);
    sim_twin_solve(t->twin, cut, &off);
    if (!run.finished)
        return (struct mistake){.what = "deadlock"};
    if (run.not_virtual)
        return (struct mistake){.what = "virtual time is not the path's length, so many times", .got = run.not_virtual};
    if (run.not_whole)
        return (struct mistake){.what = "shares that do not add up, so many times", .got = run.not_whole};
    struct mistake m = compare(&off, &on);
    if (!m.what)
        count_shown(&off, kind, totals);
    return m;
}

/* The place of each process after about so many quarters of its list; sometimes far from the others, or never. */
static void random_places(const struct sim_program *program, struct sim_random *r, uint32_t quarters, uint32_t *places)
{
    for (uint32_t p = 0; p < program->processes; p++) {
        uint32_t count = program->lists[p].count, middle = count * quarters / 4;
        places[p] = sim_random_one_in(r, 4) ? (uint32_t)sim_random_below(r, count + 1)
                                            : middle + (uint32_t)sim_random_below(r, count / 8 + 1);
        if (sim_random_one_in(r, 8))
            places[p] = UINT32_MAX;
    }
}

static struct mistake check_kind(const struct trial *t, struct sim_random *r, enum cut_kind kind, struct totals *totals)
{
    uint32_t start[64], stop[64], sample[64];
    random_places(t->program, r, 1, start);
    random_places(t->program, r, 2, stop);
    random_places(t->program, r, 2 + (uint32_t)sim_random_below(r, 2), sample);
    struct sim_cut cut = {.start = kind == STARTED || kind == ALL_CUTS ? start : NULL,
                          .stop = kind == STOPPED || kind == ALL_CUTS ? stop : NULL,
                          .sample = kind == SAMPLED || kind == ALL_CUTS ? sample : NULL};
    return check_cut(t, &cut, kind, totals);
}

/* With wrong latencies, only what must hold in any case. */
static struct mistake check_wrong(struct trial t)
{
    static const struct sim_cut whole;
    struct sim_answer on;
    t.follow.latency_error = 1 + t.network.latency_ns + t.network.collective_latency_ns;
    struct sim_paths run = sim_paths_run(t.program, &t.network, &t.probes, &t.follow, &whole, &on);
    const char *wrong = run.not_virtual ? "virtual time is not the path's length, latencies wrong"
                                        : "shares that do not add up, latencies wrong";
    return (struct mistake){.what = run.not_virtual + run.not_whole ? wrong : NULL,
                            .got = run.not_virtual + run.not_whole};
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

/* Most are small: small ones find the same mistakes sooner, and the twin is slow. */
static struct sim_program *any_program(struct sim_random *r)
{
    static const uint64_t most[] = {3, 3, 7, 15};
    enum sim_style style = sim_random_one_in(r, 2) ? SIM_MIX : (enum sim_style)sim_random_below(r, SIM_MIX);
    uint32_t processes =
        2 + (uint32_t)sim_random_below(r, sim_random_one_in(r, 64) ? 63 : most[sim_random_below(r, 4)]);
    return sim_generate(style, processes, sim_random_one_in(r, 32) ? 4 : 1, r);
}

static void report(const struct trial *t, struct mistake m, enum cut_kind kind, uint64_t seed, uint64_t number)
{
    fprintf(stderr,
            "seed %" PRIu64 ", program %" PRIu64 ", %s: repeat with --seed %" PRIu64 " --first %" PRIu64
            " --programs 1\n",
            seed, number, cut_names[kind], seed, number);
    fprintf(stderr, "%s, slot %" PRIu32 ", column %" PRIu32 ": %" PRId64 ", not %" PRId64 "\n", m.what, m.slot,
            m.column, m.got, m.expected);
    if (sim_program_actions(t->program) < 100)
        sim_program_print(t->program, stderr);
}

static bool check_one(uint64_t seed, uint64_t number, struct totals *totals)
{
    static const uint32_t costs_ns[] = {0, 20, 500, 5000};
    struct sim_random r = {sim_hash(seed) ^ sim_hash(number + 1)};
    struct trial t = {.program = any_program(&r)};
    struct sim_probe_costs costs = {sim_random_next(&r), costs_ns[sim_random_below(&r, 4)], sim_random_one_in(&r, 2)};
    struct mistake m = {0};
    t.network = sim_random_network(&r, sim_random_one_in(&r, 2));
    t.probes = sim_random_probes(&costs);
    t.follow = any_follow(&r);
    t.twin = sim_twin_new(t.program, &t.network, &t.follow);
    int other = STARTED + (int)(number % (CUTS - 1)); /* each program whole, and with one of the cuts */
    if (t.twin) {
        m = check_kind(&t, &r, WHOLE, totals);
        if (m.what)
            report(&t, m, WHOLE, seed, number);
        else if ((m = check_kind(&t, &r, (enum cut_kind)other, totals)).what)
            report(&t, m, (enum cut_kind)other, seed, number);
        else if ((m = check_wrong(t)).what)
            report(&t, m, WHOLE, seed, number);
        totals->nodes += sim_twin_nodes(t.twin);
        sim_twin_free(t.twin);
    }
    totals->programs++;
    sim_program_free(t.program);
    return !m.what;
}

/* There must be enough of each kind, so that equality is significant. */
static bool has_shown(const struct totals *totals)
{
    bool shown =
        totals->limited > totals->programs && totals->moves > totals->programs && totals->empty < totals->programs / 4;
    for (int kind = 0; kind < CUTS; kind++)
        shown = shown && totals->cuts[kind] >= totals->programs / CUTS;
    return shown;
}

int main(int argc, char **argv)
{
    struct sim_options o = {.programs = 10000, .seed = 1};
    struct totals totals = {0};
    double began = sim_now();
    if (!sim_options_read(argc, argv, &o)) {
        fprintf(stderr, "usage: path_programs [--programs N] [--seed N] [--first N] [--seconds N]\n");
        return 2;
    }
    for (uint64_t i = 0; i < o.programs && (o.seconds <= 0 || sim_now() - began < o.seconds); i++)
        if (!check_one(o.seed, o.first + i, &totals))
            return 1;
    double took = sim_now() - began;
    printf("%" PRIu64 " programs, %" PRIu64 " nodes: on line equals off line, %.1f s\n", totals.programs, totals.nodes,
           took);
    for (int kind = 0; kind < CUTS; kind++)
        printf("%8" PRIu64 " %s\n", totals.cuts[kind], cut_names[kind]);
    printf("%8" PRIu64 " what-ifs that save less than the region has of the path, %" PRIu64
           " moves between processes, %" PRIu64 " empty paths\n",
           totals.limited, totals.moves, totals.empty);
    if (totals.programs >= 400 && !has_shown(&totals)) {
        fprintf(stderr, "That is too little to show anything.\n");
        return 1;
    }
    return 0;
}
