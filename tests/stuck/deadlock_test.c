/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The analysis alone: who can never go on, by hand-made states of processes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyse/deadlock.h"

enum { RANKS = 8, WORLD = 77, PART = 78 };

static struct wf_deadlock_process processes[RANKS];
static struct wf_needs_copy calls[RANKS][2];
static struct wf_deadlock_comm comms[RANKS][2];
static int32_t members[RANKS], cycle[RANKS], part[] = {3, 1, 2};
static struct wf_deadlock d;

/* All run. */
static void begin(size_t count)
{
    memset(processes, 0, sizeof processes);
    memset(calls, 0, sizeof calls);
    d = (struct wf_deadlock){.processes = processes, .count = count, .cycle = cycle};
    for (size_t i = 0; i < count; i++) {
        members[i] = (int32_t)i;
        comms[i][0] = (struct wf_deadlock_comm){.comm = WORLD, .count = count, .ranks = members};
        comms[i][1] = (struct wf_deadlock_comm){.comm = PART, .count = 3, .ranks = part};
        processes[i].comms = comms[i];
        processes[i].comm_count = 2;
        processes[i].threads = calls[i];
    }
}

static struct wf_needs_copy *blocks(int rank)
{
    processes[rank].state = WF_DEADLOCK_BLOCKED;
    return &calls[rank][processes[rank].thread_count++];
}

static void adds(struct wf_needs_copy *call, struct wf_need_copy need, enum wf_needs_mode several)
{
    call->need[call->count++] = need;
    call->mode = call->count == 1 ? WF_NEEDS_ONE : several;
}

static struct wf_need_copy message(int from, int tag)
{
    return (struct wf_need_copy){.comm = WORLD, .rank = from, .tag = tag, .kind = WF_NEED_MESSAGE};
}

static struct wf_need_copy receiver(int to, int tag)
{
    return (struct wf_need_copy){.comm = WORLD, .rank = to, .tag = tag, .kind = WF_NEED_RECEIVER};
}

static struct wf_need_copy enters(uint64_t comm, int number, enum wf_need_members of, int root)
{
    return (struct wf_need_copy){.comm = comm, .rank = root, .tag = number, .kind = WF_NEED_COLLECTIVE, .members = of};
}

static void receives(int rank, int from)
{
    adds(blocks(rank), message(from, 1), WF_NEEDS_ONE);
}

static void collects(int rank, uint64_t comm, int number, enum wf_need_members of, int root)
{
    adds(blocks(rank), enters(comm, number, of, root), WF_NEEDS_ONE);
    comms[rank][comm == PART].entered = (uint32_t)number + 1;
}

/* The ranks that are stuck, as digits: "013". */
static void stuck_are(const char *ranks)
{
    char found[RANKS + 1] = "";
    wf_deadlock_find(&d);
    for (size_t i = 0; i < d.count; i++)
        if (processes[i].stuck)
            found[strlen(found)] = (char)('0' + i);
    assert_string_equal(found, ranks);
    assert_int_equal(d.stuck, strlen(ranks));
}

static void cycle_is(const char *ranks)
{
    char found[RANKS + 1] = "";
    for (size_t i = 0; i < d.cycle_count; i++)
        found[i] = (char)('0' + d.cycle[i]);
    assert_string_equal(found, ranks);
}

static void running_ranks_are_not_stuck(void **state)
{
    (void)state;
    begin(3);
    stuck_are("");
    receives(0, 1);
    receives(1, 2);
    stuck_are("");
    cycle_is("");
}

static void two_receives_face_each_other(void **state)
{
    (void)state;
    begin(3);
    receives(0, 1);
    receives(1, 0);
    stuck_are("01");
    cycle_is("01");
}

static void a_cycle_and_one_behind_it(void **state)
{
    (void)state;
    begin(4);
    receives(0, 3);
    receives(1, 2);
    receives(2, 3);
    receives(3, 1);
    stuck_are("0123");
    cycle_is("123");
    assert_false(processes[0].in_cycle);
}

static void a_send_and_its_receive_go_on(void **state)
{
    (void)state;
    begin(2);
    adds(blocks(0), receiver(1, 1), WF_NEEDS_ONE);
    receives(1, 0);
    stuck_are("");
    calls[1][0].need[0].tag = 2;
    stuck_are("01");
    calls[1][0].need[0].tag = WF_NEED_ANY_TAG;
    stuck_are("");
    calls[1][0].need[0].rank = WF_NEED_ANY_RANK;
    stuck_are("");
    calls[1][0].need[0].rank = 0;
    calls[1][0].need[0].comm = PART;
    stuck_are("01");
    calls[1][0].need[0].comm = 0; /* not known */
    stuck_are("");
}

static void sends_in_a_ring(void **state)
{
    (void)state;
    begin(3);
    for (int i = 0; i < 3; i++)
        adds(blocks(i), receiver((i + 1) % 3, 1), WF_NEEDS_ONE);
    stuck_are("012");
    cycle_is("012");
}

static void any_source(void **state)
{
    (void)state;
    begin(3);
    adds(blocks(0), message(WF_NEED_ANY_RANK, 1), WF_NEEDS_ONE);
    receives(1, 0);
    stuck_are("");
    processes[2].state = WF_DEADLOCK_FINALIZING;
    stuck_are("01");
    cycle_is("01");
    calls[0][0].need[0].comm = 5; /* of members that are not known */
    stuck_are("");
}

static void several_needs(void **state)
{
    (void)state;
    begin(3);
    adds(blocks(0), message(1, 1), WF_NEEDS_ALL);
    adds(&calls[0][0], message(2, 1), WF_NEEDS_ALL);
    receives(1, 0);
    stuck_are(""); /* rank 1 may have sent what is needed of it */
    receives(2, 0);
    stuck_are("012");
    calls[0][0].mode = WF_NEEDS_ANY;
    stuck_are("012");
    processes[2].state = WF_DEADLOCK_RUNS;
    stuck_are("");
}

static void a_missing_member(void **state)
{
    (void)state;
    begin(3);
    collects(0, WORLD, 4, WF_NEED_EACH, -1);
    receives(1, 0);
    stuck_are("01"); /* though rank 2 runs: both are needed */
    collects(2, WORLD, 4, WF_NEED_EACH, -1);
    stuck_are("012");
    cycle_is("01");
    calls[0][0].need[0].members = calls[2][0].need[0].members = WF_NEED_SOME;
    stuck_are("012");
    comms[1][0].entered = 5; /* and has left it already */
    stuck_are("");
    comms[1][0].entered = 4;
    stuck_are("012");
    comms[1][0].entered = WF_NEEDS_LEFT;
    stuck_are("");
}

static void some_members_may_do(void **state)
{
    (void)state;
    begin(3);
    collects(0, WORLD, 4, WF_NEED_SOME, -1);
    receives(1, 0);
    stuck_are("");
    calls[0][0].need[0] = enters(WORLD, 4, WF_NEED_ROOT, 1);
    stuck_are("01");
    comms[1][0].entered = 5; /* the root has entered: it may wait for rank 2, which runs */
    stuck_are("");
    calls[0][0].need[0] = enters(WORLD, 4, WF_NEED_LOWER, -1);
    comms[1][0].entered = 0;
    stuck_are("");
    collects(2, WORLD, 4, WF_NEED_LOWER, -1);
    stuck_are("012");
}

static void collectives_in_no_order(void **state)
{
    (void)state;
    begin(3);
    collects(0, WORLD, (int)(WF_NEED_APART | 4), WF_NEED_EACH, -1);
    receives(1, 0);
    stuck_are(""); /* who has entered is not known: rank 2 may be the one that is missing */
    receives(2, 1);
    stuck_are("012");
}

static void a_part_of_the_world(void **state)
{
    (void)state;
    begin(5);
    collects(1, PART, 0, WF_NEED_EACH, -1);
    collects(2, PART, 0, WF_NEED_EACH, -1);
    stuck_are("");
    receives(3, 2);
    stuck_are("123");
    cycle_is("23");
}

static void ended_ranks(void **state)
{
    (void)state;
    begin(3);
    receives(0, 1);
    processes[1].state = WF_DEADLOCK_ENDED;
    stuck_are("0");
    cycle_is("");
    adds(blocks(2), (struct wf_need_copy){.kind = WF_NEED_FINALIZE, .rank = -1}, WF_NEEDS_ONE);
    processes[2].state = WF_DEADLOCK_FINALIZING;
    stuck_are("0");
    processes[0].state = WF_DEADLOCK_RUNS;
    stuck_are("");
}

static void to_oneself(void **state)
{
    (void)state;
    begin(2);
    receives(0, 0);
    stuck_are("0");
    cycle_is("0");
}

static void threads_of_one_process(void **state)
{
    (void)state;
    begin(3);
    receives(0, 1);
    adds(blocks(0), message(2, 1), WF_NEEDS_ONE);
    receives(1, 0);
    stuck_are(""); /* the other thread goes on */
    receives(2, 1);
    stuck_are("012");
}

static void what_is_not_known(void **state)
{
    (void)state;
    begin(2);
    blocks(0)->mode = WF_NEEDS_OTHER;
    receives(1, 0);
    stuck_are("");
    begin(2);
    receives(0, 9); /* outside of the world */
    receives(1, 0);
    stuck_are("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_ranks_are_not_stuck),
        cmocka_unit_test(two_receives_face_each_other),
        cmocka_unit_test(a_cycle_and_one_behind_it),
        cmocka_unit_test(a_send_and_its_receive_go_on),
        cmocka_unit_test(sends_in_a_ring),
        cmocka_unit_test(any_source),
        cmocka_unit_test(several_needs),
        cmocka_unit_test(a_missing_member),
        cmocka_unit_test(some_members_may_do),
        cmocka_unit_test(collectives_in_no_order),
        cmocka_unit_test(a_part_of_the_world),
        cmocka_unit_test(ended_ranks),
        cmocka_unit_test(to_oneself),
        cmocka_unit_test(threads_of_one_process),
        cmocka_unit_test(what_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
