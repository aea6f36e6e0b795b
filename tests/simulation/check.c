/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <stddef.h>
#include <stdlib.h>

#include "roots.h"

static bool is_off(uint64_t expected, uint64_t got, uint64_t allowed)
{
    return (expected > got ? expected - got : got - expected) > allowed;
}

static struct sim_mistake mistake(const char *what, uint32_t process, uint32_t index, uint64_t expected, uint64_t got,
                                  uint64_t allowed)
{
    return (struct sim_mistake){what, process, index, expected, got, allowed};
}

static struct sim_mistake compare_action(const struct sim_record *truth, const struct sim_record *clock, uint32_t p,
                                         uint32_t i)
{
    if (is_off(truth->begin, clock->begin, clock->begin_off))
        return mistake("virtual begin", p, i, truth->begin, clock->begin, clock->begin_off);
    if (is_off(truth->end, clock->end, clock->end_off))
        return mistake("virtual end", p, i, truth->end, clock->end, clock->end_off);
    if (is_off(truth->sync, clock->sync, clock->begin_off + clock->end_off))
        return mistake("waiting time", p, i, truth->sync, clock->sync, clock->begin_off + clock->end_off);
    if (clock->roots != clock->sync)
        return mistake("the sum of root causes", p, i, clock->sync, clock->roots, 0);
    if (clock->end_off == 0 && truth->who != clock->who)
        return mistake("who came last", p, i, (uint64_t)truth->who, (uint64_t)clock->who, 0);
    return (struct sim_mistake){0};
}

/* The wrong action that comes first in real time: later errors may be its consequence. */
static struct sim_mistake compare_actions(const struct sim_program *program, const struct sim_records *truth,
                                          const struct sim_records *clock, struct sim_shown *shown)
{
    struct sim_mistake first = {0};
    uint64_t when = UINT64_MAX;
    for (uint32_t p = 0, place = 0; p < program->processes; p++)
        for (uint32_t i = 0; i < program->lists[p].count; i++, place++) {
            const struct sim_record *x = &clock->actions[place];
            struct sim_mistake m = compare_action(&truth->actions[place], x, p, i);
            shown->reached += x->end_off > 0 && is_off(truth->actions[place].end, x->end, x->end_off - 1);
            if (m.what && truth->actions[place].end < when) {
                first = m;
                when = truth->actions[place].end;
            }
        }
    return first;
}

/* Errors of latencies move the ideal clock only where it would be ahead of the virtual one, and only back. */
static struct sim_mistake compare_ends(const struct sim_program *program, const struct sim_records *truth,
                                       const struct sim_records *ideal, const struct sim_records *clock)
{
    for (uint32_t p = 0; p < program->processes; p++) {
        uint64_t off = clock->finish_off[p];
        if (is_off(truth->finish[p], clock->finish[p], off))
            return mistake("end of the process", p, program->lists[p].count, truth->finish[p], clock->finish[p], off);
        if (is_off(ideal->finish[p], clock->finish_ideal[p], off) || clock->finish_ideal[p] > ideal->finish[p])
            return mistake("ideal end of the process", p, program->lists[p].count, ideal->finish[p],
                           clock->finish_ideal[p], off);
    }
    return (struct sim_mistake){0};
}

/* On the ideal clock, too, every action ends where it ends in the ideal run. */
static struct sim_mistake compare_ideal(const struct sim_program *program, const struct sim_records *ideal,
                                        const struct sim_records *clock)
{
    for (uint32_t p = 0, place = 0; p < program->processes; p++)
        for (uint32_t i = 0; i < program->lists[p].count; i++, place++)
            if (ideal->actions[place].end != clock->actions[place].ideal)
                return mistake("ideal end", p, i, ideal->actions[place].end, clock->actions[place].ideal, 0);
    return (struct sim_mistake){0};
}

/* Each process has waited as long for the work of each other one. */
static struct sim_mistake compare_roots(const struct sim_program *program, const struct sim_records *truth,
                                        const struct sim_records *clock, struct sim_shown *shown)
{
    struct sim_mistake found = {0};
    uint64_t *roots = sim_true_roots(program, truth);
    uint32_t n = program->processes;
    for (uint32_t i = 0; i < n * n && !found.what; i++)
        if (roots[i] != clock->roots[i])
            found = mistake("time because of the process", i / n, i % n, roots[i], clock->roots[i], 0);
    free(roots);
    for (uint32_t i = 0; i < sim_program_actions(program); i++)
        shown->chains += clock->actions[i].sync && clock->actions[i].passed;
    return found;
}

struct sim_mistake sim_check(const struct sim_program *program, const struct sim_network *network,
                             const struct sim_probes *probes, bool estimated, struct sim_shown *shown)
{
    struct sim_network free_network = *network;
    free_network.free = true;
    struct sim_records truth = sim_truth(program, network), ideal = sim_truth(program, &free_network);
    struct sim_records clock = sim_watched(program, network, probes, WF_MODEL_VIRTUAL, estimated);
    struct sim_mistake found = {0};
    if (!truth.finished || !ideal.finished || !clock.finished)
        found = mistake("a deadlock", 0, 0, 0, 0, 0);
    if (!found.what)
        found = compare_actions(program, &truth, &clock, shown);
    if (!found.what)
        found = compare_ends(program, &truth, &ideal, &clock);
    if (!found.what && clock.raw)
        found = mistake("real waiting time of so many actions", 0, 0, 0, clock.raw, 0);
    if (!found.what && !estimated)
        found = compare_ideal(program, &ideal, &clock);
    if (!found.what && !estimated)
        found = compare_roots(program, &truth, &clock, shown);
    shown->differ += clock.differ;
    sim_records_free(&truth);
    sim_records_free(&ideal);
    sim_records_free(&clock);
    return found;
}

struct sim_program *sim_shrink(struct sim_program *program, const struct sim_network *network,
                               const struct sim_probes *probes, bool estimated)
{
    struct sim_shown shown = {0};
    uint32_t before;
    do {
        before = sim_program_actions(program);
        for (uint32_t unit = program->unit_count; unit-- > 0;) {
            struct sim_program *smaller = sim_program_drop(program, unit);
            bool wrong = sim_program_actions(smaller) < sim_program_actions(program) &&
                         sim_check(smaller, network, probes, estimated, &shown).what;
            sim_program_free(wrong ? program : smaller);
            if (wrong)
                program = smaller;
        }
    } while (sim_program_actions(program) < before);
    return program;
}

static struct sim_probe random_cost(const void *context, uint32_t process, const struct sim_action *action)
{
    const struct sim_probe_costs *costs = context;
    struct sim_random r = {costs->seed ^ ((uint64_t)action->serial << 20)};
    uint64_t density = sim_hash(costs->seed + process), share = costs->some_unwatched ? density % 5 : 1 + density % 4;
    if (share == 0 || costs->max_ns == 0 || sim_random_one_in(&r, 6))
        return (struct sim_probe){0};
    uint64_t most = costs->max_ns * share / 2;
    return (struct sim_probe){.outer_before = (uint32_t)sim_random_below(&r, most),
                              .inner_before = (uint32_t)sim_random_below(&r, most / 4 + 1),
                              .inner_after = (uint32_t)sim_random_below(&r, most / 4 + 1),
                              .outer_after = (uint32_t)sim_random_below(&r, most)};
}

struct sim_probes sim_random_probes(const struct sim_probe_costs *costs)
{
    return (struct sim_probes){random_cost, costs};
}

struct sim_network sim_random_network(struct sim_random *random, bool jitter)
{
    static const uint64_t scales[] = {0, 10, 1000, 20000};
    uint64_t scale = scales[sim_random_below(random, 4)];
    return (struct sim_network){.latency_ns = sim_random_below(random, scale + 1),
                                .latency_kib_ns = sim_random_below(random, scale / 16 + 1),
                                .hop_ns = sim_random_below(random, scale / 16 + 1),
                                .jitter_ns = jitter ? sim_random_below(random, scale + 1) : 0,
                                .take_ns = sim_random_below(random, scale / 4 + 1),
                                .take_kib_ns = sim_random_below(random, scale / 16 + 1),
                                .take_jitter_ns = sim_random_below(random, scale / 4 + 1),
                                .own_ns = sim_random_below(random, scale / 4 + 1),
                                .collective_latency_ns = sim_random_below(random, scale + 1),
                                .collective_ns = sim_random_below(random, scale + 1),
                                .seed = sim_random_next(random)};
}
