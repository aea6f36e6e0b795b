/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs against the truth (check.h): random_programs [--programs N] [--seed N] [--seconds N]
 *
 * Program i of seed s is the same in every call. A wrong one is printed with both, and again when it is as small as
 * possible.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "generate.h"
#include "options.h"

struct totals {
    uint64_t programs, actions;
    struct sim_shown shown;
};

/* Half of the programs are mixes; most are small, because small ones find the same mistakes sooner. */
static struct sim_program *any_program(struct sim_random *r)
{
    static const uint64_t most[] = {3, 7, 15, 63};
    enum sim_style style = sim_random_one_in(r, 2) ? SIM_MIX : (enum sim_style)sim_random_below(r, SIM_MIX);
    uint32_t processes = 2 + (uint32_t)sim_random_below(r, most[sim_random_below(r, 4)]);
    return sim_generate(style, processes, sim_random_one_in(r, 16) ? 6 : 1, r);
}

static void report(struct sim_program *program, const struct sim_network *network, const struct sim_probes *probes,
                   bool estimated, struct sim_mistake m, uint64_t seed, uint64_t number)
{
    struct sim_shown shown = {0};
    fprintf(stderr,
            "seed %" PRIu64 ", program %" PRIu64 ", latencies %s: repeat with --seed %" PRIu64 " --first %" PRIu64
            " --programs 1\n",
            seed, number, estimated ? "estimated" : "known", seed, number);
    for (int small = 0; small < 2; small++) {
        if (small) {
            program = sim_shrink(program, network, probes, estimated);
            m = sim_check(program, network, probes, estimated, &shown);
        }
        fprintf(stderr,
                "%s: %s of action %" PRIu32 ".%" PRIu32 " is %" PRIu64 ", not %" PRIu64 " (may be off by %" PRIu64
                ")\n",
                small ? "made small" : "as found", m.what, m.process, m.index, m.got, m.expected, m.allowed);
    }
    sim_program_print(program, stderr);
    sim_program_free(program);
}

/* False: wrong, and reported. */
static bool check_one(uint64_t seed, uint64_t number, struct totals *totals)
{
    struct sim_random r = {sim_hash(seed) ^ sim_hash(number + 1)};
    struct sim_program *program = any_program(&r);
    static const uint32_t costs_ns[] = {0, 20, 500, 5000, 50000};
    struct sim_probe_costs costs = {sim_random_next(&r), costs_ns[sim_random_below(&r, 5)], sim_random_one_in(&r, 2)};
    struct sim_probes probes = sim_random_probes(&costs);
    for (int estimated = 0; estimated < 2; estimated++) {
        struct sim_network network = sim_random_network(&r, estimated && sim_random_one_in(&r, 2));
        struct sim_mistake m = sim_check(program, &network, &probes, estimated, &totals->shown);
        if (m.what) {
            report(program, &network, &probes, estimated, m, seed, number);
            return false;
        }
    }
    totals->programs++;
    totals->actions += sim_program_actions(program);
    sim_program_free(program);
    return true;
}

int main(int argc, char **argv)
{
    struct sim_options o = {.programs = 10000, .seed = 1};
    struct totals totals = {0};
    double began = sim_now();
    if (!sim_options_read(argc, argv, &o)) {
        fprintf(stderr, "usage: random_programs [--programs N] [--seed N] [--first N] [--seconds N]\n");
        return 2;
    }
    for (uint64_t i = 0; i < o.programs && (o.seconds <= 0 || sim_now() - began < o.seconds); i++)
        if (!check_one(o.seed, o.first + i, &totals))
            return 1;
    double took = sim_now() - began;
    printf("%" PRIu64 " programs, %" PRIu64 " actions: all right, %.1f s, %.0f programs/s\n", totals.programs,
           totals.actions, took, (double)totals.programs / took);
    printf("%" PRIu64 " actions waited only with or only without probes, %" PRIu64
           " were off by as much as an estimated latency allows\n",
           totals.shown.differ, totals.shown.reached);
    printf("%" PRIu64 " actions waited for a process that waited itself\n", totals.shown.chains);
    if (totals.programs >= 1000 && (totals.shown.differ < totals.programs || totals.shown.reached < totals.programs ||
                                    totals.shown.chains < totals.programs)) {
        fprintf(stderr, "That is too little to show anything.\n");
        return 1;
    }
    return 0;
}
