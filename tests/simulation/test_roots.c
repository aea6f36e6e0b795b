/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How one wait is divided among its root causes, by hand, for the usual shapes of programs. Then the corner cases that
 * no simulated run reaches: more parts than there is room for, a ring that has forgotten, clocks that differ.
 */
#include "../collect/testing.h"

#include <stdio.h>
#include <string.h>

#define WF_ROOT_PIECES 8u
#include "measure/exchange/root_ring.h"

enum { WAITER = 9, CULPRIT = 1, THROUGH = 0x10 };

/* The culprit has waited from begin to end, for the work of `root`. */
static void waited(struct wf_root_ring *ring, int32_t root, uint64_t begin, uint64_t end)
{
    struct wf_roots roots;
    wf_roots_start(&roots, root, 0x100u * (unsigned)root);
    wf_roots_add(&roots, &roots.culprit, end - begin);
    wf_root_ring_publish(ring, &roots, begin, 1);
}

/* The waiter was released last at `released`. */
static struct wf_roots divide_since(const struct wf_root_ring *ring, uint64_t released, uint64_t begin, uint64_t end)
{
    struct wf_root_wait wait = {begin, end, released, WAITER};
    struct wf_roots roots;
    uint64_t sum = 0, passed = 0;
    wf_roots_start(&roots, CULPRIT, THROUGH);
    wf_root_ring_divide(ring, &roots, &wait);
    for (uint32_t i = 0; i < roots.count; i++) {
        sum += roots.parts[i].ticks;
        passed += wf_root_is(&roots.parts[i].root, &roots.culprit) ? 0 : roots.parts[i].ticks;
    }
    assert_int_equal(sum, end - begin);
    assert_int_equal(passed, roots.passed);
    return roots;
}

/* The waiter was released when it began to wait. */
static struct wf_roots divide(const struct wf_root_ring *ring, uint64_t begin, uint64_t end)
{
    return divide_since(ring, begin, begin, end);
}

/* "1:40 0:60", in the order of time. */
static void expect(const struct wf_roots *roots, const char *expected)
{
    char text[512] = "";
    for (uint32_t i = 0; i < roots->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d:%d", i ? " " : "", roots->parts[i].root.rank,
                 (int)roots->parts[i].ticks);
    assert_string_equal(text, expected);
}

static void a_culprit_that_did_not_wait_is_the_root(void **state)
{
    (void)state;
    static struct wf_root_ring none;
    struct wf_roots roots = divide(&none, 1000, 1100), unknown = divide(NULL, 1000, 1100);
    expect(&roots, "1:100");
    expect(&unknown, "1:100");
    assert_int_equal(roots.passed, 0);
    assert_int_equal(roots.parts[0].root.address, THROUGH);
}

static void what_the_culprit_waited_for_is_passed_on(void **state)
{
    (void)state;
    static struct wf_root_ring ring;
    waited(&ring, 5, 900, 960);
    waited(&ring, 0, 990, 1060);
    waited(&ring, 7, 1080, 1090);
    waited(&ring, 8, 1200, 1300); /* later than all this */
    struct wf_roots roots = divide(&ring, 1000, 1100);
    expect(&roots, "0:60 1:20 7:10 1:10");
    assert_int_equal(roots.passed, 70);
    assert_int_equal(roots.parts[0].root.address, 0);
    assert_int_equal(roots.parts[2].root.address, 0x700);
    roots = divide(&ring, 960, 990); /* it had been released as early */
    expect(&roots, "1:30");
    roots = divide(&ring, 1010, 1020); /* inside one: of a wait that is not over */
    expect(&roots, "0:10");
}

/* The culprit was released at 1060, and worked until 1100. */
static void only_what_it_was_released_later_is_passed_on(void **state)
{
    (void)state;
    static struct wf_root_ring ring;
    waited(&ring, 5, 900, 960);
    waited(&ring, 0, 990, 1060);
    struct wf_roots roots = divide_since(&ring, 1030, 1050, 1100);
    expect(&roots, "0:30 1:20"); /* it worked 20 more, too */
    roots = divide_since(&ring, 1030, 1090, 1100);
    expect(&roots, "0:10"); /* it worked less: that made up for the rest */
    roots = divide_since(&ring, 1060, 1090, 1100);
    expect(&roots, "1:10");
    roots = divide_since(&ring, 1080, 1090, 1100);
    expect(&roots, "1:10");
    roots = divide_since(&ring, 900, 1000, 1100);
    expect(&roots, "1:30 0:70"); /* what the culprit worked between two waits is its own */
    roots = divide_since(&ring, 0, 960, 1100);
    expect(&roots, "5:40 1:30 0:70");
    assert_int_equal(roots.passed, 110);
}

static void it_ends_where_the_waiter_was_waited_for(void **state)
{
    (void)state;
    static struct wf_root_ring as_root, as_culprit;
    waited(&as_root, WAITER, 1000, 1050);
    waited(&as_root, 0, 1060, 1080);
    struct wf_roots roots = divide_since(&as_root, 900, 1020, 1100), passing;
    expect(&roots, "1:10 0:20 1:50");
    wf_roots_start(&passing, WAITER, 0); /* it has only passed on the lateness of 0 */
    wf_roots_add(&passing, &(struct wf_root){.rank = 0}, 50);
    wf_root_ring_publish(&as_culprit, &passing, 1000, 1);
    roots = divide_since(&as_culprit, 900, 1080, 1100);
    expect(&roots, "1:20");
}

/* ---- programs by hand ---- */

struct process {
    struct wf_root_ring ring;
    uint64_t released;
};

enum { BEGIN = 1000 }; /* of the run */

/* Process p waits for q. */
static void expect_wait(struct process *all, int32_t p, int32_t q, uint64_t begin, uint64_t end, const char *expected)
{
    struct wf_roots roots;
    struct wf_root_wait wait = {begin, end, wf_max(all[p].released, BEGIN), p};
    wf_roots_start(&roots, q, THROUGH);
    wf_root_ring_divide(&all[q].ring, &roots, &wait);
    wf_root_ring_publish(&all[p].ring, &roots, begin, 1);
    all[p].released = end;
    expect(&roots, expected);
}

/* Each receives from the one before it what that had one step ago. 0 works 50 in a step, the others 20. */
static void ranks_a_step_apart_wait_for_the_slow_one(void **state)
{
    (void)state;
    static struct process all[5];
    for (uint64_t step = 1; step < 12; step++)
        for (uint64_t p = 1; p < 5 && p <= step; p++) {
            uint64_t end = 1000 + 50 * step - 30 * (p - 1);
            expect_wait(all, (int32_t)p, (int32_t)p - 1, end - 30, end, "0:30");
        }
}

/* 3 works 50 in a step, 2 works 40, and the others 20: 2 is not slow in vain. */
static void each_has_what_it_works_more(void **state)
{
    (void)state;
    static struct process all[4];
    for (uint64_t step = 1; step < 12; step++) {
        uint64_t end = 1000 + 50 * step;
        expect_wait(all, 2, 3, end - 10, end, "3:10");
        expect_wait(all, 1, 2, end - 40, end - 10, step > 1 ? "3:10 2:20" : "2:30");
    }
}

/* 0 works 50, 1 works 20, in turns. */
static void a_ping_pong_waits_for_the_work_of_the_other(void **state)
{
    (void)state;
    static struct process all[2];
    for (uint64_t at = 1000; at < 1700; at += 70) {
        expect_wait(all, 1, 0, at, at + 50, "0:50");
        expect_wait(all, 0, 1, at + 50, at + 70, "1:20");
    }
}

/* 0 works 50 and calls 1, that works 20 and calls 2, that works 20 and calls 0. */
static void a_circle_waits_for_the_work_of_all_others(void **state)
{
    (void)state;
    static struct process all[3];
    expect_wait(all, 1, 0, 1000, 1050, "0:50");
    expect_wait(all, 2, 1, 1000, 1070, "0:50 1:20");
    for (uint64_t at = 1000; at < 1900; at += 90) {
        expect_wait(all, 0, 2, at + 50, at + 90, "1:20 2:20");
        expect_wait(all, 1, 0, at + 70, at + 140, "2:20 0:50");
        expect_wait(all, 2, 1, at + 90, at + 160, "0:50 1:20");
    }
}

/* In each step another one is last, without having waited. */
static void a_barrier_waits_for_the_last(void **state)
{
    (void)state;
    static struct process all[3];
    for (uint64_t step = 1, at = 1000; step < 20; step++, at += 50)
        for (int32_t p = 0, last = (int32_t)(step % 3); p < 3; p++)
            if (p != last)
                expect_wait(all, p, last, at + 20, at + 50, last == 0 ? "0:30" : last == 1 ? "1:30" : "2:30");
}

/* 1 receives from 0 before it works and enters; 2 has worked all the time. In the next step 1 waits for 2, although
 * nothing has released 2 in the barrier. */
static void a_barrier_behind_a_receive_makes_all_even(void **state)
{
    (void)state;
    static struct process all[3];
    expect_wait(all, 1, 0, 1000, 1060, "0:60");
    expect_wait(all, 2, 1, 1050, 1100, "0:50");
    expect_wait(all, 0, 1, 1060, 1100, "1:40");
    expect_wait(all, 0, 2, 1110, 1130, "2:20");
    expect_wait(all, 1, 2, 1120, 1130, "2:10");
    expect_wait(all, 2, 1, 1140, 1150, "1:10");
}

static void roots_are_passed_on_through_five(void **state)
{
    (void)state;
    static struct process all[6];
    expect_wait(all, 1, 0, 1000, 1060, "0:60");
    expect_wait(all, 2, 1, 1000, 1070, "0:60 1:10");
    expect_wait(all, 3, 2, 1000, 1080, "0:60 1:10 2:10");
    expect_wait(all, 4, 3, 1000, 1090, "0:60 1:10 2:10 3:10");
    expect_wait(all, 5, 4, 1075, 1100, "1:5 2:10 3:10"); /* 4 has worked 10, and 5 more */
}

/* First 0 works 50 instead of 20, then 3 does. */
static void the_slow_one_may_change(void **state)
{
    (void)state;
    static struct process all[4];
    expect_wait(all, 1, 0, 1020, 1050, "0:30");
    expect_wait(all, 2, 1, 1040, 1070, "0:30");
    expect_wait(all, 3, 2, 1060, 1090, "0:30");
    expect_wait(all, 2, 3, 1090, 1140, "3:50");
    expect_wait(all, 1, 2, 1110, 1160, "3:50");
}

/* 3 hands out work, in 10 a time. 1 works 50, 2 works 70. */
static void workers_wait_for_the_master(void **state)
{
    (void)state;
    static struct process all[4];
    expect_wait(all, 1, 3, 1000, 1010, "3:10");
    expect_wait(all, 2, 3, 1000, 1020, "3:20");
    expect_wait(all, 3, 1, 1020, 1060, "1:40");
    expect_wait(all, 1, 3, 1060, 1070, "3:10");
    expect_wait(all, 3, 2, 1070, 1090, "2:20");
    expect_wait(all, 2, 3, 1090, 1100, "3:10");
    expect_wait(all, 3, 1, 1100, 1120, "1:20");
}

/* 2 asks while 3 works for 1. Then 3 works for 2, which the rule takes for work beside that of 2: a limit. */
static void who_waits_for_its_turn_seems_to_work_meanwhile(void **state)
{
    (void)state;
    static struct process all[4];
    expect_wait(all, 3, 1, 1000, 1060, "1:60");
    expect_wait(all, 1, 3, 1060, 1070, "3:10");
    expect_wait(all, 2, 3, 1065, 1080, "1:15");
}

/* ---- limits ---- */

/* But the last one is: it tells when the process was released. */
static void short_parts_are_not_published(void **state)
{
    (void)state;
    static struct wf_root_ring of1, of2;
    waited(&of1, 0, 1000, 1090);
    waited(&of1, 5, 1090, 1094);
    struct wf_roots roots = divide(&of1, 1000, 1097);
    expect(&roots, "0:90 5:4 1:3");
    wf_root_ring_publish(&of2, &roots, 1000, 8);
    assert_int_equal(of2.written, 2);
    roots = divide(&of2, 1000, 1100);
    expect(&roots, "0:90 1:10"); /* the part that is not known is the culprit's own */
}

static void what_the_ring_has_forgotten_is_the_culprits(void **state)
{
    (void)state;
    static struct wf_root_ring ring;
    for (uint64_t i = 0; i < 20; i++)
        waited(&ring, 0, 1000 + 10 * i, 1005 + 10 * i);
    struct wf_roots roots = divide(&ring, 1000, 1200);
    assert_int_equal(roots.passed, 5 * 8);
    assert_int_equal(ring.written, 20);
    /* 17 parts where there is room for 15 and the culprit's */
    expect(&roots, "1:120 0:5 1:5 0:5 1:5 0:5 1:5 0:5 1:5 0:5 1:5 0:5 1:5 0:10 1:10");
}

static void parts_without_room_go_to_their_root_or_to_the_culprit(void **state)
{
    (void)state;
    struct wf_roots roots;
    wf_roots_start(&roots, CULPRIT, THROUGH);
    for (int32_t i = 0; i < 40; i++)
        wf_roots_add(&roots, &(struct wf_root){.rank = 10 + i % 20}, 5);
    assert_int_equal(roots.count, WF_ROOT_PARTS);
    for (uint32_t i = 0; i + 1 < roots.count; i++)
        assert_int_equal(roots.parts[i].ticks, 10);
    assert_int_equal(roots.parts[WF_ROOT_PARTS - 1].root.rank, CULPRIT);
    assert_int_equal(roots.parts[WF_ROOT_PARTS - 1].ticks, 40 * 5 - (WF_ROOT_PARTS - 1) * 10);
    assert_int_equal(roots.passed, (WF_ROOT_PARTS - 1) * 10);
}

static void clocks_that_differ_cost_no_sense(void **state)
{
    (void)state;
    static struct wf_root_ring ring;
    waited(&ring, WAITER, 1000, 1050); /* no rank is the root of its own wait */
    waited(&ring, 0, 1040, 1080);      /* it cannot begin before the last one has ended */
    waited(&ring, 0, 1020, 1070);      /* nor lie before it */
    assert_int_equal(ring.written, 2);
    struct wf_roots roots = divide(&ring, 1000, 1100);
    expect(&roots, "0:30 1:70");
    roots = divide(&ring, 1100, 1100);
    expect(&roots, "");
}

/* The writer is a lap ahead whenever the ring is read: nothing is known. */
static void a_ring_that_is_written_over_meanwhile_tells_nothing(void **state)
{
    (void)state;
    static struct wf_root_ring ring;
    for (uint64_t i = 0; i < 8; i++)
        waited(&ring, 0, 1000 + 10 * i, 1010 + 10 * i);
    struct wf_roots roots = divide(&ring, 1000, 1080);
    expect(&roots, "0:80");
    ring.begun = 9; /* piece 8 is being written over piece 0 */
    roots = divide(&ring, 1000, 1080);
    expect(&roots, "1:80");
    roots = divide(&ring, 1010, 1080); /* which is not needed */
    expect(&roots, "0:70");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_culprit_that_did_not_wait_is_the_root),
        cmocka_unit_test(what_the_culprit_waited_for_is_passed_on),
        cmocka_unit_test(only_what_it_was_released_later_is_passed_on),
        cmocka_unit_test(it_ends_where_the_waiter_was_waited_for),
        cmocka_unit_test(ranks_a_step_apart_wait_for_the_slow_one),
        cmocka_unit_test(each_has_what_it_works_more),
        cmocka_unit_test(a_ping_pong_waits_for_the_work_of_the_other),
        cmocka_unit_test(a_circle_waits_for_the_work_of_all_others),
        cmocka_unit_test(a_barrier_waits_for_the_last),
        cmocka_unit_test(a_barrier_behind_a_receive_makes_all_even),
        cmocka_unit_test(roots_are_passed_on_through_five),
        cmocka_unit_test(the_slow_one_may_change),
        cmocka_unit_test(workers_wait_for_the_master),
        cmocka_unit_test(who_waits_for_its_turn_seems_to_work_meanwhile),
        cmocka_unit_test(short_parts_are_not_published),
        cmocka_unit_test(what_the_ring_has_forgotten_is_the_culprits),
        cmocka_unit_test(parts_without_room_go_to_their_root_or_to_the_culprit),
        cmocka_unit_test(clocks_that_differ_cost_no_sense),
        cmocka_unit_test(a_ring_that_is_written_over_meanwhile_tells_nothing),
    };
    return cmocka_run_group_tests_name("roots", tests, NULL, NULL);
}
