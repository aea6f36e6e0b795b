/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules for calls whose waits MPI's own rules do not tell, by hand: whom a call waited for, for how long, and what
 * it did besides.
 */
#include "../collect/testing.h"

#include <stdlib.h>

#include "paths.h"
#include "ruled.h"

enum { LATENCY = 100, TAKE = 7, OWN = 3, GROUP_LATENCY = 20, GROUP = 50, EARLY = 1000, LATE = 5000 };

static const struct sim_network network = {.latency_ns = LATENCY,
                                           .take_ns = TAKE,
                                           .own_ns = OWN,
                                           .collective_latency_ns = GROUP_LATENCY,
                                           .collective_ns = GROUP};
static const struct sim_rules arrivals = {.after_ns = 1000};
static const uint32_t members[] = {0, 1, 2, 3};

static void expect_call(const struct sim_program *program, const struct sim_ruling *x, uint32_t process, uint32_t index,
                        int32_t who, uint64_t sync)
{
    const struct sim_ruled *call = &x->actions[sim_place(program, process, index)];
    assert_int_equal(call->time.sync, sync);
    if (sync)
        assert_int_equal(call->who, who);
}

static struct sim_ruling ruled(const struct sim_program *program)
{
    uint64_t finish[8];
    struct sim_ruling x = sim_ruled_run(program, &network, &arrivals, NULL, finish);
    assert_true(x.finished);
    assert_int_equal(x.overfull, 0);
    return x;
}

static void end(struct sim_program *program, struct sim_ruling x)
{
    free(x.actions);
    free(x.roots);
    sim_program_free(program);
}

static struct sim_program *collective(enum sim_class class, uint32_t root, uint32_t late)
{
    struct sim_program *program = sim_program_new(4);
    for (uint32_t p = 0; p < 4; p++)
        sim_program_compute(program, p, p == late ? LATE : EARLY);
    sim_program_collective(program, SIM_COLLECTIVE, class, 8, root, members, 4);
    return program;
}

static void a_broadcast_waits_for_the_one_above(void **state)
{
    (void)state;
    struct sim_program *program = collective(SIM_DOWN_TREE, 0, 2);
    struct sim_ruling x = ruled(program);
    expect_call(program, &x, 0, 1, -1, 0);
    expect_call(program, &x, 1, 1, -1, 0);
    expect_call(program, &x, 2, 1, -1, 0);
    expect_call(program, &x, 3, 1, 2, LATE - EARLY);
    end(program, x);
}

static void a_reduction_waits_for_those_below(void **state)
{
    (void)state;
    struct sim_program *program = collective(SIM_UP_TREE, 0, 3);
    struct sim_ruling x = ruled(program);
    expect_call(program, &x, 0, 1, 3, LATE - EARLY);
    expect_call(program, &x, 1, 1, -1, 0);
    expect_call(program, &x, 2, 1, 3, LATE - EARLY);
    expect_call(program, &x, 3, 1, -1, 0);
    end(program, x);
}

static void a_fence_waits_for_the_last(void **state)
{
    (void)state;
    struct sim_program *program = collective(SIM_FENCE, 0, 1);
    struct sim_ruling x = ruled(program);
    for (uint32_t p = 0; p < 4; p++)
        expect_call(program, &x, p, 1, 1, p == 1 ? 0 : LATE - EARLY);
    end(program, x);
}

/* 0 had the broadcast from 1 at 3000, and it took until 3070. 2, on which it did not depend, came meanwhile. */
static void of_two_that_came_within_the_latency_the_last_is_named(void **state)
{
    (void)state;
    static const uint64_t work[] = {0, 3000, 3010, 0};
    struct sim_program *program = sim_program_new(4);
    for (uint32_t p = 0; p < 4; p++)
        sim_program_compute(program, p, 1 + work[p]);
    sim_program_collective(program, SIM_COLLECTIVE, SIM_DOWN_TREE, 8, 1, members, 4);
    struct sim_ruling x = ruled(program);
    expect_call(program, &x, 0, 1, 2, 3010); /* it depended on 3 and 1: 10 ns too long, less than the call's own time */
    end(program, x);
}

static void a_window_waits_for_post_and_complete(void **state)
{
    (void)state;
    struct sim_program *program = sim_program_new(3);
    uint32_t unit = sim_program_epoch(program, members, 3);
    for (uint32_t p = 0; p < 3; p++)
        sim_program_compute(program, p, p == 0 ? EARLY : 1);
    sim_program_access(program, SIM_POST, unit, 0);
    for (uint32_t p = 1; p < 3; p++) {
        sim_program_access(program, SIM_ACCESS, unit, p);
        sim_program_compute(program, p, p == 2 ? LATE : EARLY);
        sim_program_access(program, SIM_COMPLETE, unit, p);
    }
    sim_program_access(program, SIM_CLOSE, unit, 0);
    struct sim_ruling x = ruled(program);
    for (uint32_t p = 1; p < 3; p++) {
        expect_call(program, &x, p, 1, 0, EARLY - 1);
        expect_call(program, &x, p, 3, -1, 0);
    }
    expect_call(program, &x, 0, 2, 2, LATENCY + OWN + LATE - OWN);
    end(program, x);
}

static void a_lock_waits_for_its_holder(void **state)
{
    (void)state;
    struct sim_program *program = sim_program_new(3);
    uint32_t held = SIM_NO_UNIT;
    for (uint32_t p = 0; p < 3; p++) {
        held = sim_program_lock(program, p, 0, held);
        sim_program_compute(program, p, LATE);
        sim_program_unlock(program, p, held);
    }
    struct sim_ruling x = ruled(program);
    expect_call(program, &x, 0, 0, -1, 0);
    expect_call(program, &x, 1, 0, 0, OWN + LATE);
    expect_call(program, &x, 2, 0, 1, 2 * (OWN + LATE) + LATENCY); /* and not for 0 */
    end(program, x);
}

static struct sim_probe dear(const void *context, uint32_t process, const struct sim_action *action)
{
    (void)context;
    return process == 1 && action->kind == SIM_POLL ? (struct sim_probe){30, 10, 10, 30} : (struct sim_probe){0};
}

/* Asked at 0, 60, ... without probes, at 0, 140, ... with them. The message is there at EARLY + LATENCY. */
static void a_chain_of_polls_waits_from_its_begin(void **state)
{
    (void)state;
    for (int watched = 0; watched < 2; watched++) {
        struct sim_program *program = sim_program_new(2);
        struct sim_rules rules = arrivals;
        uint64_t finish[2], period = watched ? 140 : 60, there = EARLY + LATENCY, begin = OWN + (watched ? 40 : 0);
        uint64_t asked = begin + (there - begin + period - 1) / period * period, refused = asked - period + 10;
        uint32_t message = sim_program_message(program, 0, 1, 8);
        sim_program_compute(program, 0, EARLY);
        sim_program_post(program, SIM_SEND, message);
        sim_program_post(program, SIM_IRECV, message);
        sim_program_poll(program, 1, message, 10, 50);
        if (watched)
            rules.probes.cost = dear;
        struct sim_ruling x = sim_ruled_run(program, &network, &rules, NULL, finish);
        const struct sim_ruled *call = &x.actions[sim_place(program, 1, 1)];
        expect_call(program, &x, 1, 1, 0, EARLY - OWN); /* whatever the probes cost */
        assert_int_equal(call->begin - SIM_START, OWN);
        assert_int_equal(call->time.idle.polling, asked - wf_max(there, refused));
        assert_int_equal(call->ideal - SIM_START, EARLY + call->time.idle.polling);
        assert_int_equal(call->end - SIM_START, asked + OWN + TAKE); /* not the true one: less than a period away */
        end(program, x);
    }
}

static struct sim_program *late_message(struct sim_idle idle)
{
    struct sim_program *program = sim_program_new(2);
    uint32_t message = sim_program_message(program, 0, 1, 8);
    sim_program_compute(program, 0, LATE);
    sim_program_post(program, SIM_SEND, message);
    sim_program_compute(program, 1, EARLY);
    sim_program_post(program, SIM_RECV, message);
    program->lists[1].actions[1].idle = idle;
    return program;
}

static void expect_idle(struct sim_idle idle, uint64_t no_core, uint64_t unexplained, uint64_t transfer)
{
    struct sim_program *program = late_message(idle);
    struct sim_ruling x = ruled(program);
    const struct sim_ruled *call = &x.actions[sim_place(program, 1, 1)];
    expect_call(program, &x, 1, 1, 0, LATE - EARLY);
    assert_int_equal(call->time.idle.no_core, no_core);
    assert_int_equal(call->time.idle.unexplained, unexplained);
    assert_int_equal(call->end - call->begin, call->time.sync + no_core + unexplained + transfer);
    assert_int_equal(call->ideal - SIM_START, LATE + no_core + unexplained);
    end(program, x);
}

static void what_is_neither_waiting_nor_transfer_has_its_name(void **state)
{
    (void)state;
    expect_idle((struct sim_idle){0}, 0, 0, LATENCY + TAKE);
    expect_idle((struct sim_idle){.stolen_ns = 600}, 600, 0, LATENCY + TAKE);
    expect_idle((struct sim_idle){.hidden_ns = 900}, 0, 900, LATENCY + TAKE);
    expect_idle((struct sim_idle){.stolen_ns = 600, .hidden_ns = 900}, 600, 900, LATENCY + TAKE);
}

/* It is told to have had no core for 60, but not that it waited then: up to as much of the transfer is missing. */
static void what_was_waited_for_anyway_is_no_core_up_to_the_transfer(void **state)
{
    (void)state;
    expect_idle((struct sim_idle){.early_ns = 60}, 60, 0, LATENCY + TAKE - 60);
    expect_idle((struct sim_idle){.early_ns = 2000}, LATENCY + TAKE, 0, 0);
}

/* 3 computes, and 2 waits for it along the tree; 1 waits for 2 in a lock, and 0 for 1 at a post. */
static void a_wait_for_one_that_waits_has_the_last_as_its_root(void **state)
{
    (void)state;
    static const uint32_t last_two[] = {2, 3}, first_two[] = {1, 0};
    struct sim_program *program = sim_program_new(4);
    uint32_t held = sim_program_lock(program, 2, 0, SIM_NO_UNIT), unit;
    sim_program_compute(program, 3, LATE);
    sim_program_collective(program, SIM_COLLECTIVE, SIM_UP_TREE, 8, 0, last_two, 2);
    sim_program_unlock(program, 2, held);
    sim_program_lock(program, 1, 0, held);
    unit = sim_program_epoch(program, first_two, 2);
    sim_program_access(program, SIM_POST, unit, 0);
    sim_program_access(program, SIM_ACCESS, unit, 1);
    struct sim_ruling x = ruled(program);
    uint64_t reduced = LATE + GROUP_LATENCY + GROUP + 2 * TAKE, locked = reduced + LATENCY + OWN;
    expect_call(program, &x, 2, 1, 3, LATE - OWN);
    expect_call(program, &x, 1, 0, 2, reduced);
    expect_call(program, &x, 0, 0, 1, locked);
    assert_int_equal(x.roots[2 * 4 + 3], LATE - OWN);
    assert_int_equal(x.roots[1 * 4 + 3], LATE - OWN);
    assert_int_equal(x.roots[1 * 4 + 2], reduced - (LATE - OWN));
    assert_int_equal(x.roots[0 * 4 + 3], LATE - OWN);
    assert_int_equal(x.roots[0 * 4 + 2], reduced - (LATE - OWN));
    assert_int_equal(x.roots[0 * 4 + 1], locked - reduced);
    end(program, x);
}

static void idle_time_is_not_on_the_path(void **state)
{
    (void)state;
    static const struct sim_follow follow = {.regions = 1, .statements = 1, .places = 2, .rules = &arrivals};
    static const struct sim_cut whole;
    struct sim_program *program = late_message((struct sim_idle){.stolen_ns = 600, .hidden_ns = 900});
    struct sim_answer answer;
    assert_true(sim_paths_run(program, &network, &(struct sim_probes){0}, &follow, &whole, &answer).finished);
    assert_int_equal(answer.length, LATE + LATENCY + TAKE);
    sim_program_free(program);
}

static void the_path_goes_through_the_one_that_came_last(void **state)
{
    (void)state;
    static const struct sim_follow follow = {.regions = 1, .statements = 1, .places = 4, .rules = &arrivals};
    static const struct sim_cut whole;
    struct sim_program *program = collective(SIM_UP_TREE, 0, 3);
    struct sim_answer answer;
    assert_true(sim_paths_run(program, &network, &(struct sim_probes){0}, &follow, &whole, &answer).finished);
    assert_int_equal(answer.place[3][0], LATE);
    assert_int_equal(answer.place[0][0], 2 * GROUP_LATENCY + GROUP + 4 * TAKE);
    assert_int_equal(answer.place[2][0], 0); /* 2 waited itself: it is not known to have passed on what came from 3 */
    sim_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_broadcast_waits_for_the_one_above),
        cmocka_unit_test(a_reduction_waits_for_those_below),
        cmocka_unit_test(a_fence_waits_for_the_last),
        cmocka_unit_test(of_two_that_came_within_the_latency_the_last_is_named),
        cmocka_unit_test(a_window_waits_for_post_and_complete),
        cmocka_unit_test(a_lock_waits_for_its_holder),
        cmocka_unit_test(a_chain_of_polls_waits_from_its_begin),
        cmocka_unit_test(what_is_neither_waiting_nor_transfer_has_its_name),
        cmocka_unit_test(what_was_waited_for_anyway_is_no_core_up_to_the_transfer),
        cmocka_unit_test(a_wait_for_one_that_waits_has_the_last_as_its_root),
        cmocka_unit_test(idle_time_is_not_on_the_path),
        cmocka_unit_test(the_path_goes_through_the_one_that_came_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
