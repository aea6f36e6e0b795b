/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simulator itself, by hand: each kind of call ends where the machine of engine.h says, with and without probes.
 * The tests of the clocks rely on it.
 */
#include "../collect/testing.h"

#include <string.h>

#include "check.h"
#include "generate.h"

enum { LATENCY = 100, TAKE = 7, OWN = 3, GROUP_LATENCY = 20, GROUP = 50, EARLY = 1000, LATE = 5000 };

static const struct sim_network network = {.latency_ns = LATENCY,
                                           .take_ns = TAKE,
                                           .own_ns = OWN,
                                           .collective_latency_ns = GROUP_LATENCY,
                                           .collective_ns = GROUP};

/* The time at the end of a process's last action, from its start. */
static uint64_t ends(const struct sim_program *program, const struct sim_records *truth, uint32_t process)
{
    return truth->actions[sim_place(program, process, program->lists[process].count - 1)].end - SIM_START;
}

static struct sim_program *two(uint64_t first, uint64_t second)
{
    struct sim_program *program = sim_program_new(2);
    sim_program_compute(program, 0, first);
    sim_program_compute(program, 1, second);
    return program;
}

static void expect_ends(struct sim_program *program, uint64_t first, uint64_t second)
{
    struct sim_records truth = sim_truth(program, &network);
    assert_true(truth.finished);
    assert_int_equal(ends(program, &truth, 0), first);
    assert_int_equal(ends(program, &truth, 1), second);
    sim_records_free(&truth);
    sim_program_free(program);
}

static void blocking(uint64_t first, uint64_t second, enum sim_kind send, uint64_t sent, uint64_t received)
{
    struct sim_program *program = two(first, second);
    uint32_t message = sim_program_message(program, 0, 1, 8);
    sim_program_post(program, send, message);
    sim_program_post(program, SIM_RECV, message);
    expect_ends(program, sent, received);
}

static void a_receive_waits_for_its_message(void **state)
{
    (void)state;
    blocking(LATE, EARLY, SIM_SEND, LATE + OWN, LATE + LATENCY + TAKE);
}

static void a_send_does_not_wait(void **state)
{
    (void)state;
    blocking(EARLY, LATE, SIM_SEND, EARLY + OWN, LATE + TAKE);
}

static void a_message_on_its_way_is_waited_for(void **state)
{
    (void)state;
    blocking(EARLY, EARLY + 40, SIM_SEND, EARLY + OWN, EARLY + LATENCY + TAKE);
}

static void a_synchronous_send_waits_for_the_receive(void **state)
{
    (void)state;
    blocking(EARLY, LATE, SIM_SSEND, LATE + LATENCY, LATE + LATENCY + TAKE);
    blocking(LATE, EARLY, SIM_SSEND, LATE + LATENCY, LATE + LATENCY + TAKE);
}

/* Both sides posted without waiting, then computing, then a wait on both. */
static void nonblocking(uint64_t first, uint64_t second, enum sim_kind send, uint64_t overlap, uint64_t sent,
                        uint64_t received)
{
    struct sim_program *program = two(first, second);
    uint32_t message = sim_program_message(program, 0, 1, 8);
    sim_program_post(program, send, message);
    sim_program_post(program, SIM_IRECV, message);
    for (uint32_t p = 0; p < 2; p++) {
        sim_program_compute(program, p, overlap);
        sim_program_wait(program, p, &message, 1);
    }
    expect_ends(program, sent, received);
}

static void a_wait_ends_when_the_message_is_there(void **state)
{
    (void)state;
    nonblocking(LATE, EARLY, SIM_ISEND, 0, LATE + 2 * OWN, LATE + LATENCY + OWN + TAKE);
    nonblocking(LATE, EARLY, SIM_ISEND, 9000, LATE + OWN + 9000 + OWN, EARLY + OWN + 9000 + OWN + TAKE);
}

static void a_synchronous_transfer_runs_beside_computing(void **state)
{
    (void)state;
    nonblocking(EARLY, LATE, SIM_ISSEND, 0, LATE + LATENCY + OWN, LATE + LATENCY + OWN + TAKE);
    nonblocking(EARLY, LATE, SIM_ISSEND, 60, LATE + LATENCY + OWN, LATE + LATENCY + OWN + TAKE);
    nonblocking(EARLY, LATE, SIM_ISSEND, 500, LATE + LATENCY + OWN, LATE + OWN + 500 + OWN + TAKE);
}

static void a_wait_for_several_ends_with_the_last(void **state)
{
    (void)state;
    struct sim_program *program = sim_program_new(3);
    uint32_t messages[] = {sim_program_message(program, 1, 0, 8), sim_program_message(program, 2, 0, 8)};
    for (uint32_t i = 0; i < 2; i++)
        sim_program_post(program, SIM_IRECV, messages[i]);
    sim_program_wait(program, 0, messages, 2);
    sim_program_compute(program, 1, LATE);
    sim_program_post(program, SIM_SEND, messages[0]);
    sim_program_compute(program, 2, EARLY);
    sim_program_post(program, SIM_SEND, messages[1]);
    expect_ends(program, LATE + LATENCY + OWN + 2 * TAKE, LATE + OWN);
}

static void messages_overtake_each_other(void **state)
{
    (void)state;
    struct sim_program *program = two(EARLY, LATE);
    uint32_t first = sim_program_message(program, 0, 1, 8), second = sim_program_message(program, 0, 1, 8);
    sim_program_post(program, SIM_SEND, first);
    sim_program_compute(program, 0, 9000);
    sim_program_post(program, SIM_SEND, second);
    sim_program_post(program, SIM_RECV, second);
    sim_program_post(program, SIM_RECV, first);
    expect_ends(program, EARLY + OWN + 9000 + OWN, EARLY + OWN + 9000 + LATENCY + 2 * TAKE);
}

/* Member i of four enters at 1000 * entry[i]; when does each leave? expected: the entry that decides, in thousands, and
 * whether it travels. */
struct expected {
    uint64_t after;
    bool travels;
};

static void collective(enum sim_class class, uint32_t root, const uint64_t entry[4], const struct expected expected[4])
{
    static const uint32_t members[] = {0, 1, 2, 3};
    struct sim_program *program = sim_program_new(4);
    for (uint32_t p = 0; p < 4; p++)
        sim_program_compute(program, p, 1000 * entry[p]);
    sim_program_collective(program, SIM_COLLECTIVE, class, 8, root, members, 4);
    struct sim_records truth = sim_truth(program, &network);
    assert_true(truth.finished);
    for (uint32_t p = 0; p < 4; p++)
        assert_int_equal(ends(program, &truth, p),
                         1000 * expected[p].after + (expected[p].travels ? GROUP_LATENCY : 0) + GROUP + 4 * TAKE);
    sim_records_free(&truth);
    sim_program_free(program);
}

static const uint64_t entries[4] = {3, 9, 1, 5};

static void an_allreduce_waits_for_everybody(void **state)
{
    (void)state;
    collective(SIM_ALL, 0, entries, (const struct expected[]){{9, false}, {9, false}, {9, false}, {9, false}});
}

static void a_bcast_waits_for_the_root(void **state)
{
    (void)state;
    collective(SIM_FROM_ROOT, 3, entries, (const struct expected[]){{5, true}, {9, false}, {5, true}, {5, false}});
}

static void only_the_root_of_a_reduce_waits(void **state)
{
    (void)state;
    collective(SIM_TO_ROOT, 0, entries, (const struct expected[]){{9, true}, {9, false}, {1, false}, {5, false}});
}

static void a_scan_waits_for_those_below(void **state)
{
    (void)state;
    collective(SIM_PREFIX, 0, entries, (const struct expected[]){{3, false}, {9, false}, {9, true}, {9, true}});
}

static void a_neighbourhood_waits_for_the_neighbours(void **state)
{
    (void)state;
    collective(SIM_NEIGHBOUR, 0, (const uint64_t[]){1, 2, 9, 3},
               (const struct expected[]){{3, true}, {9, true}, {9, false}, {9, true}});
}

static void a_nonblocking_collective_counts_from_its_posts(void **state)
{
    (void)state;
    static const uint32_t members[] = {0, 1};
    struct sim_program *program = two(EARLY, LATE);
    uint32_t unit = sim_program_collective(program, SIM_ICOLLECTIVE, SIM_ALL, 8, 0, members, 2);
    for (uint32_t p = 0; p < 2; p++)
        sim_program_wait(program, p, &unit, 1);
    uint64_t both = LATE + GROUP_LATENCY + OWN + GROUP + 2 * TAKE;
    expect_ends(program, both, both);
}

/* Eight members, root 1: the distance of 7 from it is 6, so it is below 5, whose distance is 4. */
static void a_tree_passes_on_what_comes_from_above(void **state)
{
    (void)state;
    static const uint32_t members[] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint64_t taken = GROUP + 8 * TAKE;
    struct sim_program *program = sim_program_new(8);
    sim_program_compute(program, 5, LATE);
    sim_program_collective(program, SIM_COLLECTIVE, SIM_DOWN_TREE, 8, 1, members, 8);
    struct sim_records truth = sim_truth(program, &network);
    assert_int_equal(ends(program, &truth, 1), taken);
    assert_int_equal(ends(program, &truth, 2), GROUP_LATENCY + taken);
    assert_int_equal(ends(program, &truth, 4), 2 * GROUP_LATENCY + taken); /* by 3 */
    assert_int_equal(ends(program, &truth, 5), LATE + taken);
    assert_int_equal(ends(program, &truth, 7), LATE + GROUP_LATENCY + taken); /* 6 from the root: by 5 */
    assert_int_equal(ends(program, &truth, 0), LATE + 2 * GROUP_LATENCY + taken); /* 7 from the root */
    assert_int_equal(truth.actions[sim_place(program, 0, 0)].who, 5);
    sim_records_free(&truth);
    sim_program_free(program);
}

static void a_tree_gathers_what_comes_from_below(void **state)
{
    (void)state;
    static const uint32_t members[] = {0, 1, 2, 3};
    uint64_t taken = GROUP + 4 * TAKE;
    struct sim_program *program = sim_program_new(4);
    sim_program_compute(program, 3, LATE);
    sim_program_collective(program, SIM_COLLECTIVE, SIM_UP_TREE, 8, 0, members, 4);
    struct sim_records truth = sim_truth(program, &network);
    assert_int_equal(ends(program, &truth, 0), LATE + 2 * GROUP_LATENCY + taken);
    assert_int_equal(ends(program, &truth, 1), taken);
    assert_int_equal(ends(program, &truth, 2), LATE + GROUP_LATENCY + taken);
    assert_int_equal(ends(program, &truth, 3), LATE + taken);
    sim_records_free(&truth);
    sim_program_free(program);
}

static void accesses_wait_for_the_post_and_the_exposure_for_them(void **state)
{
    (void)state;
    static const uint32_t members[] = {0, 1};
    struct sim_program *program = two(EARLY, 0);
    uint32_t unit = sim_program_epoch(program, members, 2);
    sim_program_access(program, SIM_POST, unit, 0);
    sim_program_access(program, SIM_ACCESS, unit, 1);
    sim_program_compute(program, 1, LATE);
    sim_program_access(program, SIM_COMPLETE, unit, 1);
    sim_program_access(program, SIM_CLOSE, unit, 0);
    uint64_t complete = EARLY + LATENCY + OWN + LATE;
    expect_ends(program, complete + LATENCY + OWN, complete + OWN);
}

static void a_lock_waits_for_the_unlock_before(void **state)
{
    (void)state;
    struct sim_program *program = two(0, EARLY);
    uint32_t first = sim_program_lock(program, 0, 2, SIM_NO_UNIT);
    sim_program_compute(program, 0, LATE);
    sim_program_unlock(program, 0, first);
    sim_program_lock(program, 1, 2, first);
    expect_ends(program, OWN + LATE + OWN, OWN + LATE + LATENCY + OWN);
}

/* At 0, 60, 120, ... behind its begin. */
static void a_poll_succeeds_when_it_is_asked_again(void **state)
{
    (void)state;
    struct sim_program *program = two(EARLY, 0);
    uint32_t message = sim_program_message(program, 0, 1, 8);
    sim_program_post(program, SIM_SEND, message);
    sim_program_post(program, SIM_IRECV, message);
    sim_program_poll(program, 1, message, 10, 50);
    uint64_t first = OWN, polls = (EARLY + LATENCY - first + 59) / 60;
    expect_ends(program, EARLY + OWN, first + polls * 60 + OWN + TAKE);
}

static void without_a_core_a_call_goes_on_later(void **state)
{
    (void)state;
    static const struct sim_idle some[] = {
        {.stolen_ns = 700}, {.hidden_ns = 700}, {.early_ns = 700}, {.early_ns = 9000}};
    static const uint64_t later[] = {700, 700, 0, 9000 - (LATE + LATENCY)};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        struct sim_program *program = two(LATE, 0);
        uint32_t message = sim_program_message(program, 0, 1, 8);
        sim_program_post(program, SIM_SEND, message);
        sim_program_post(program, SIM_RECV, message);
        program->lists[1].actions[1].idle = some[i];
        expect_ends(program, LATE + OWN, LATE + LATENCY + TAKE + later[i]);
    }
}

static struct sim_probe costly(const void *context, uint32_t process, const struct sim_action *action)
{
    (void)context;
    return process == 0 && action->kind == SIM_SEND ? (struct sim_probe){1000, 200, 30, 4} : (struct sim_probe){0};
}

static void probes_stand_where_they_should(void **state)
{
    (void)state;
    struct sim_program *program = two(LATE, EARLY);
    uint32_t message = sim_program_message(program, 0, 1, 8);
    sim_program_post(program, SIM_SEND, message);
    sim_program_post(program, SIM_RECV, message);
    struct sim_records real = sim_watched(program, &network, &(struct sim_probes){costly, NULL}, WF_MODEL_REAL, false);
    assert_int_equal(real.finish[0] - SIM_START, LATE + 1000 + 200 + OWN + 30 + 4);
    assert_int_equal(real.finish[1] - SIM_START, LATE + 1000 + 200 + LATENCY + TAKE);
    sim_records_free(&real);
    sim_program_free(program);
}

static void on_a_free_network_only_computing_counts(void **state)
{
    (void)state;
    struct sim_network nothing = network;
    nothing.free = true;
    struct sim_program *program = two(EARLY, LATE);
    uint32_t message = sim_program_message(program, 0, 1, 65536);
    sim_program_post(program, SIM_ISSEND, message);
    sim_program_post(program, SIM_RECV, message);
    sim_program_wait(program, 0, &message, 1);
    struct sim_records truth = sim_truth(program, &nothing);
    assert_int_equal(ends(program, &truth, 0), LATE);
    assert_int_equal(ends(program, &truth, 1), LATE);
    sim_records_free(&truth);
    sim_program_free(program);
}

static void a_deadlock_is_told(void **state)
{
    (void)state;
    struct sim_program *program = two(0, 0);
    uint32_t there = sim_program_message(program, 0, 1, 8), back = sim_program_message(program, 1, 0, 8);
    sim_program_post(program, SIM_SSEND, there);
    sim_program_post(program, SIM_SSEND, back);
    sim_program_post(program, SIM_RECV, there);
    sim_program_post(program, SIM_RECV, back);
    struct sim_records truth = sim_truth(program, &network);
    assert_false(truth.finished);
    sim_records_free(&truth);
    sim_program_free(program);
}

/* ---- observers ---- */

struct diary {
    uint64_t last;
    uint32_t began, ended, wrong_order, wrong_header;
};

struct note {
    uint32_t process, index;
};

static void diary_begin(void *context, const struct sim_event *event, void *header)
{
    struct diary *diary = context;
    diary->began++;
    diary->wrong_order += event->begin < diary->last;
    diary->last = event->begin;
    *(struct note *)header = (struct note){event->process, event->index};
}

static void diary_end(void *context, const struct sim_event *event)
{
    struct diary *diary = context;
    diary->ended++;
    diary->wrong_order += event->end < diary->last;
    diary->last = event->end;
    for (uint32_t i = 0; i < event->part_count; i++) {
        const struct note *note = event->parts[i].header;
        diary->wrong_header += note->process != event->parts[i].process || note->index != event->parts[i].index;
        diary->wrong_header += event->parts[i].entered > event->end;
    }
}

static void observers_see_everything_in_the_order_of_time(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 50; seed++) {
        struct sim_random r = {seed};
        struct sim_events events = {.polls = 2, .early = 10};
        struct sim_program *program =
            seed % 2 ? sim_generate(SIM_MIX, 2 + seed, 1, &r) : sim_generate_events(2 + seed, 1, events, &r);
        struct sim_network random = sim_random_network(&r, true);
        struct sim_probe_costs costs = {seed, 1000, true};
        struct sim_probes probes = sim_random_probes(&costs);
        struct diary diary = {0};
        uint64_t finish[64];
        assert_true(sim_run(program, &random, &probes,
                            &(struct sim_observer){&diary, sizeof(struct note), diary_begin, diary_end}, finish));
        assert_int_equal(diary.began, sim_program_actions(program));
        assert_int_equal(diary.ended, sim_program_actions(program));
        assert_int_equal(diary.wrong_order, 0);
        assert_int_equal(diary.wrong_header, 0);
        sim_program_free(program);
    }
}

/* ---- programs ---- */

static void random_programs_have_everything(void **state)
{
    (void)state;
    uint32_t kinds[SIM_KINDS] = {0}, classes[SIM_ALL_CLASSES] = {0}, several = 0, nested = 0, early = 0, stolen = 0,
             hidden = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        struct sim_random r = {seed};
        struct sim_program *program = sim_generate_events(16, 1, (struct sim_events){.polls = 2, .early = 10}, &r);
        for (uint32_t p = 0; p < 16; p++)
            for (uint32_t i = 0, depth = 0; i < program->lists[p].count; i++) {
                const struct sim_action *action = &program->lists[p].actions[i];
                kinds[action->kind]++;
                several += action->kind == SIM_WAIT && action->requests > 1;
                depth += (action->kind == SIM_ENTER) - (action->kind == SIM_LEAVE);
                nested += depth > 1;
                early += action->idle.early_ns > 0;
                stolen += action->idle.stolen_ns > 0;
                hidden += action->idle.hidden_ns > 0;
                if (action->kind == SIM_COLLECTIVE || action->kind == SIM_ICOLLECTIVE)
                    classes[program->units[action->unit].class]++;
            }
        sim_program_free(program);
    }
    for (uint32_t k = 0; k < SIM_KINDS; k++)
        assert_true(kinds[k] > 20);
    for (uint32_t c = 0; c < SIM_ALL_CLASSES; c++)
        assert_true(classes[c] > 20);
    assert_true(several > 20 && nested > 20 && early > 20 && stolen > 20 && hidden > 20);
}

static void a_program_without_one_of_its_units_still_ends(void **state)
{
    (void)state;
    struct sim_random r = {3};
    struct sim_program *program = sim_generate_events(6, 1, (struct sim_events){.polls = 2, .early = 10}, &r);
    for (uint32_t unit = 0; unit < program->unit_count; unit++) {
        struct sim_program *smaller = sim_program_drop(program, unit);
        struct sim_records truth = sim_truth(smaller, &network);
        assert_true(truth.finished);
        assert_true(sim_program_actions(smaller) < sim_program_actions(program));
        sim_records_free(&truth);
        sim_program_free(smaller);
    }
    sim_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receive_waits_for_its_message),
        cmocka_unit_test(a_send_does_not_wait),
        cmocka_unit_test(a_message_on_its_way_is_waited_for),
        cmocka_unit_test(a_synchronous_send_waits_for_the_receive),
        cmocka_unit_test(a_wait_ends_when_the_message_is_there),
        cmocka_unit_test(a_synchronous_transfer_runs_beside_computing),
        cmocka_unit_test(a_wait_for_several_ends_with_the_last),
        cmocka_unit_test(messages_overtake_each_other),
        cmocka_unit_test(an_allreduce_waits_for_everybody),
        cmocka_unit_test(a_bcast_waits_for_the_root),
        cmocka_unit_test(only_the_root_of_a_reduce_waits),
        cmocka_unit_test(a_scan_waits_for_those_below),
        cmocka_unit_test(a_neighbourhood_waits_for_the_neighbours),
        cmocka_unit_test(a_nonblocking_collective_counts_from_its_posts),
        cmocka_unit_test(a_tree_passes_on_what_comes_from_above),
        cmocka_unit_test(a_tree_gathers_what_comes_from_below),
        cmocka_unit_test(accesses_wait_for_the_post_and_the_exposure_for_them),
        cmocka_unit_test(a_lock_waits_for_the_unlock_before),
        cmocka_unit_test(a_poll_succeeds_when_it_is_asked_again),
        cmocka_unit_test(without_a_core_a_call_goes_on_later),
        cmocka_unit_test(probes_stand_where_they_should),
        cmocka_unit_test(on_a_free_network_only_computing_counts),
        cmocka_unit_test(a_deadlock_is_told),
        cmocka_unit_test(observers_see_everything_in_the_order_of_time),
        cmocka_unit_test(random_programs_have_everything),
        cmocka_unit_test(a_program_without_one_of_its_units_still_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
