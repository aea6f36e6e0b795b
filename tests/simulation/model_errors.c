/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How wrong is each clock? Prints the tables of docs/virtual-time.md: model_errors [PROGRAMS-PER-ROW [SEED]]
 */
#include <inttypes.h>
#include <stdlib.h>

#include "check.h"
#include "generate.h"

struct clock {
    const char *name;
    enum wf_clock_model model;
    bool estimated;
};

static const struct clock clocks[] = {
    {"virtual, latencies known", WF_MODEL_VIRTUAL, false},
    {"virtual, latencies estimated", WF_MODEL_VIRTUAL, true},
    {"delay", WF_MODEL_DELAY, true}, /* its latency only moves the end of its wait */
    {"local", WF_MODEL_LOCAL, true},
    {"real", WF_MODEL_REAL, true},
};
enum { CLOCKS = sizeof clocks / sizeof *clocks };

static const uint32_t costs_ns[] = {100, 1000, 10000};
enum { LEVELS = sizeof costs_ns / sizeof *costs_ns, LENGTH = 5 /* long enough to learn latencies */ };

/* Errors of processes, as parts of their true run time. */
struct errors {
    double run, run_most, wait, wait_most;
    uint64_t processes;
};

/* A cluster's network: a microsecond, 10 GB/s, and some noise. */
static const struct sim_network network = {.latency_ns = 1000,
                                           .latency_kib_ns = 100,
                                           .jitter_ns = 300,
                                           .take_ns = 100,
                                           .take_kib_ns = 30,
                                           .take_jitter_ns = 50,
                                           .own_ns = 100,
                                           .collective_latency_ns = 1000,
                                           .collective_ns = 2000,
                                           .seed = 1};

static double relative(uint64_t truth, uint64_t got, uint64_t whole)
{
    return (truth > got ? (double)(truth - got) : (double)(got - truth)) / (double)whole;
}

static void add_errors(struct errors *e, const struct sim_program *program, const struct sim_records *truth,
                       const struct sim_records *clock)
{
    for (uint32_t p = 0; p < program->processes; p++) {
        uint64_t whole = truth->finish[p] - SIM_START;
        double run = relative(truth->finish[p], clock->finish[p], whole),
               wait = relative(truth->waited[p], clock->waited[p], whole);
        e->run += run;
        e->wait += wait;
        e->run_most = run > e->run_most ? run : e->run_most;
        e->wait_most = wait > e->wait_most ? wait : e->wait_most;
        e->processes++;
    }
}

static void measure(enum sim_style style, uint32_t cost_ns, uint64_t programs, uint64_t seed, struct errors *to)
{
    for (uint64_t i = 0; i < programs; i++) {
        struct sim_random r = {sim_hash(seed) ^ sim_hash(i + 1)};
        struct sim_program *program = sim_generate(style, 2 + (uint32_t)sim_random_below(&r, 63), LENGTH, &r);
        struct sim_probe_costs costs = {sim_random_next(&r), cost_ns, false};
        struct sim_probes probes = sim_random_probes(&costs);
        struct sim_records truth = sim_truth(program, &network);
        for (uint32_t c = 0; c < CLOCKS; c++) {
            struct sim_records clock = sim_watched(program, &network, &probes, clocks[c].model, clocks[c].estimated);
            add_errors(&to[c], program, &truth, &clock);
            sim_records_free(&clock);
        }
        sim_records_free(&truth);
        sim_program_free(program);
    }
}

static void print_cell(double sum, double most, uint64_t count)
{
    if (most == 0)
        printf(" 0 |");
    else
        printf(" %.2f (%.1f) |", 100 * sum / (double)count, 100 * most);
}

static void print_table(struct errors e[SIM_STYLES][LEVELS][CLOCKS], bool waiting)
{
    printf("| program | probes cost up to |");
    for (uint32_t c = 0; c < CLOCKS; c++)
        printf(" %s |", clocks[c].name);
    printf("\n|---|---:|");
    for (uint32_t c = 0; c < CLOCKS; c++)
        printf("---:|");
    for (int style = 0; style < SIM_STYLES; style++)
        for (uint32_t level = 0; level < LEVELS; level++) {
            printf("\n| %s | %g µs |", sim_style_name((enum sim_style)style), costs_ns[level] * 1e-3);
            for (uint32_t c = 0; c < CLOCKS; c++) {
                const struct errors *x = &e[style][level][c];
                print_cell(waiting ? x->wait : x->run, waiting ? x->wait_most : x->run_most, x->processes);
            }
        }
    printf("\n");
}

int main(int argc, char **argv)
{
    uint64_t programs = argc > 1 ? strtoull(argv[1], NULL, 10) : 200, seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static struct errors e[SIM_STYLES][LEVELS][CLOCKS];
    for (int style = 0; style < SIM_STYLES; style++)
        for (uint32_t level = 0; level < LEVELS; level++)
            measure((enum sim_style)style, costs_ns[level], programs, seed, e[style][level]);
    printf("Run time of a process, error in %% of its true run time: mean (largest)\n\n");
    print_table(e, false);
    printf("\nWaiting time of a process, error in %% of its true run time: mean (largest)\n\n");
    print_table(e, true);
    return 0;
}
