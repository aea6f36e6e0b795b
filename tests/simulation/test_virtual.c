/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules of the virtual clock one by one, with the corner cases that no simulated run reaches: stamps out of order,
 * wrong latencies, and cases that the rules cannot decide.
 */
#include "../collect/testing.h"

#include "measure/clock/virtual.h"

static struct wf_stamp at(uint64_t real, uint64_t intrusion)
{
    return (struct wf_stamp){.real = real, .virt = real - intrusion, .ideal = real - intrusion};
}

static struct wf_merge one(struct wf_stamp stamp, uint64_t latency)
{
    struct wf_merge m = {0};
    wf_merge_add(&m, &stamp, latency, 1, 0);
    return m;
}

/* ---- one event ---- */

static void a_call_that_depends_on_nobody_keeps_its_time(void **state)
{
    (void)state;
    struct wf_virtual before = {.intrusion = 100, .lag = 40};
    struct wf_settled s = wf_settle(WF_MODEL_VIRTUAL, &before, 1000, 1250, 50, &(struct wf_merge){0});
    assert_int_equal(s.ticks, 200);
    assert_int_equal(s.after.intrusion, 150);
    assert_int_equal(s.after.lag, 240); /* it is not computing: the ideal clock stands still */
    assert_int_equal(s.sync, 0);
}

static void who_came_last_in_virtual_time_is_told(void **state)
{
    (void)state;
    struct wf_merge m = {0};
    struct wf_stamp late_by_probes = at(3000, 2500), late = at(2000, 100);
    wf_merge_add(&m, &late_by_probes, 0, 4, 0x40);
    wf_merge_add(&m, &late, 0, 7, 0x70);
    assert_int_equal(m.who, 7);
    assert_int_equal(m.address, 0x70);
    struct wf_settled s = wf_settle(WF_MODEL_VIRTUAL, &(struct wf_virtual){0}, 1000, 3010, 0, &m);
    assert_int_equal(s.sync, 900);
    assert_int_equal(s.sync_raw, 2000);
    assert_int_equal(s.ticks, 910);
}

/* The clock is read at 900, weft spends 100, the call begins at 1000, its message comes at 2000, is taken at 2010, weft
 * spends 30. To a waiting receiver it makes no difference whether the 100 count as intrusion before the call or not at
 * all. As `inner` they would be subtracted from the 10. */
static void what_is_spent_before_a_wait_is_no_inner_cost(void **state)
{
    (void)state;
    struct wf_merge m = one(at(2000, 0), 0);
    struct wf_virtual before = {.intrusion = 100};
    struct wf_settled right = wf_settle(WF_MODEL_VIRTUAL, &before, 1000, 2040, 30, &m);
    assert_int_equal(2040 - right.after.intrusion, 2010);
    assert_int_equal(right.ticks, 1110);
    struct wf_settled wrong = wf_settle(WF_MODEL_VIRTUAL, &(struct wf_virtual){0}, 900, 2040, 130, &m);
    assert_int_not_equal(2040 - wrong.after.intrusion, 2010);
}

static void nothing_is_sooner_because_it_is_watched(void **state)
{
    (void)state;
    struct wf_merge m = one(at(900, 0), 5000); /* a latency that is far too long: the message had arrived before */
    struct wf_settled s = wf_settle(WF_MODEL_VIRTUAL, &(struct wf_virtual){.intrusion = 100}, 1000, 1010, 0, &m);
    assert_int_equal(s.after.intrusion, 0);
    assert_int_equal(s.ticks, 110);
}

/* By another core's clock it was sent after it was received; the sender was delayed by probes, or was not. */
static void a_stamp_from_the_future_does_no_harm(void **state)
{
    (void)state;
    for (int model = WF_MODEL_VIRTUAL; model <= WF_MODEL_REAL; model++)
        for (uint64_t intrusion = 0; intrusion <= 500; intrusion += 500) {
            struct wf_merge m = one(at(1015, intrusion), 0);
            struct wf_settled s = wf_settle((enum wf_clock_model)model, &(struct wf_virtual){0}, 1000, 1010, 0, &m);
            struct wf_stamp end = wf_virtual_at(s.after, 1010);
            assert_true(end.virt >= 1000 && end.virt <= 1010);
            assert_true(end.ideal >= 1000 && end.ideal <= end.virt);
            assert_true(s.ticks <= 10);
            assert_true(s.sync <= s.ticks);
            assert_true(s.sync_raw <= 10);
        }
}

static void inner_costs_are_never_longer_than_the_call(void **state)
{
    (void)state;
    struct wf_merge m = one(at(1004, 20), 0);
    struct wf_settled s = wf_settle(WF_MODEL_VIRTUAL, &(struct wf_virtual){.intrusion = 7}, 1000, 1010, 25, &m);
    assert_int_equal(s.ticks, 0);
    assert_int_equal(s.sync_raw, 0);
    assert_int_equal(1010 - s.after.intrusion, 1000 - 7); /* time stands still and does not run backwards */
}

/* [MS] 4.3.3: the smallest delay of the group, the caller's own among them. */
static void the_delay_model_takes_the_groups_smallest_delay(void **state)
{
    (void)state;
    struct wf_merge m = {0};
    struct wf_stamp own = at(1000, 300), other = at(1500, 700), least = at(1200, 200);
    wf_merge_add(&m, &own, 0, 0, 0);
    wf_merge_add(&m, &other, 0, 1, 0);
    assert_int_equal(
        wf_settle(WF_MODEL_DELAY, &(struct wf_virtual){.intrusion = 300}, 1000, 1500, 0, &m).after.intrusion, 300);
    wf_merge_add(&m, &least, 0, 2, 0);
    assert_int_equal(
        wf_settle(WF_MODEL_DELAY, &(struct wf_virtual){.intrusion = 300}, 1000, 1500, 0, &m).after.intrusion, 200);
    /* The virtual clock: entries at 700, 800 and 1000. */
    assert_int_equal(
        wf_settle(WF_MODEL_VIRTUAL, &(struct wf_virtual){.intrusion = 300}, 1000, 1500, 0, &m).after.intrusion, 500);
}

/* [MS] case 1 with a message whose taking lasts 10: the wait vanishes, the taking stays. */
static void the_delay_model_leaves_taking_alone(void **state)
{
    (void)state;
    struct wf_merge m = one(at(1500, 1400), 0);
    struct wf_settled s = wf_settle(WF_MODEL_DELAY, &(struct wf_virtual){.intrusion = 300}, 1000, 1510, 0, &m);
    assert_int_equal(s.after.intrusion, 300 + 500);
    assert_int_equal(s.ticks, 10);
    assert_int_equal(s.sync, 0);
}

static void waiting_is_the_same_thing_in_every_model(void **state)
{
    (void)state;
    struct wf_merge m = one(at(3000, 0), 400); /* waited 2000 for the sender, and 400 for the message */
    for (int model = WF_MODEL_VIRTUAL; model <= WF_MODEL_REAL; model++)
        assert_int_equal(wf_settle((enum wf_clock_model)model, &(struct wf_virtual){0}, 1000, 3410, 0, &m).sync, 2000);
}

/* ---- latencies ---- */

enum { L = 100, C = 7 };

static void learn(struct wf_latency *l, uint64_t sent, uint64_t begin)
{
    wf_latency_learn(l, sent, begin, wf_max(sent + L, begin) + C);
}

static void a_latency_is_learnt_from_one_wait_and_one_message_that_lay_there(void **state)
{
    (void)state;
    struct wf_latency l = {0};
    assert_int_equal(wf_latency_estimate(&l), 0);
    learn(&l, 1000, 900);
    assert_int_equal(wf_latency_estimate(&l), L + C); /* including the taking, as long as that is not known */
    learn(&l, 2000, 2500);
    assert_int_equal(wf_latency_estimate(&l), L);
}

static void a_message_that_may_have_been_waited_for_teaches_nothing(void **state)
{
    (void)state;
    struct wf_latency l = {0};
    learn(&l, 1000, 1001); /* nothing is known yet, not even whether this was a wait, which it was */
    learn(&l, 2000, 1900);
    assert_int_equal(wf_latency_estimate(&l), L + C);
    learn(&l, 3000, 3050);
    assert_int_equal(wf_latency_estimate(&l), L + C);
    learn(&l, 4000, 4200);
    assert_int_equal(wf_latency_estimate(&l), L);
}

static void the_least_that_was_seen_counts(void **state)
{
    (void)state;
    struct wf_latency l = {0};
    wf_latency_learn(&l, 1000, 900, 1000 + 5 * L + C);
    learn(&l, 2000, 1900);
    wf_latency_learn(&l, 3000, 2900, 3000 + 3 * L + C);
    wf_latency_learn(&l, 4000, 9000, 9000 + 9 * C);
    learn(&l, 5000, 9000);
    assert_int_equal(wf_latency_estimate(&l), L);
}

/* ---- what an estimate costs ---- */

/* A receive of a message from `sent`: virtual end, if the clock believes in this latency. */
static uint64_t received(uint64_t sent, uint64_t sender_intrusion, uint64_t begin, uint64_t intrusion,
                         uint64_t believed)
{
    struct wf_merge m = one(at(sent, sender_intrusion), believed);
    uint64_t end = wf_max(sent + L, begin) + C;
    return end -
           wf_settle(WF_MODEL_VIRTUAL, &(struct wf_virtual){.intrusion = intrusion}, begin, end, 0, &m).after.intrusion;
}

static void a_receive_that_waits_in_both_runs_needs_no_latency(void **state)
{
    (void)state;
    for (uint64_t believed = 0; believed <= L + C; believed += 10)
        assert_int_equal(received(5000, 700, 1000, 300, believed), 4300 + L + C);
}

static void a_receive_that_waits_in_neither_run_needs_no_latency(void **state)
{
    (void)state;
    for (uint64_t believed = 0; believed <= 2 * L; believed += 10)
        assert_int_equal(received(1000, 300, 5000, 700, believed), 4300 + C);
}

static void a_wait_in_one_run_only_is_off_by_the_latencys_error(void **state)
{
    (void)state;
    assert_int_equal(received(4000, 100, 5000, 3000, L), 3900 + L + C); /* waits without probes only */
    assert_int_equal(received(4000, 100, 5000, 3000, L - 30), 3900 + L + C - 30);
    assert_int_equal(received(4000, 100, 5000, 3000, L + 30), 3900 + L + C + 30);
    assert_int_equal(received(5000, 3000, 4000, 100, L), 3900 + C); /* waits with probes only */
    assert_int_equal(received(5000, 3000, 4000, 100, L - 30), 3900 + C + 30);
    assert_int_equal(received(5000, 3000, 4000, 100, L + 5), 3900 + C - 5);
}

/* Ping-pong: A's probes cost so much before each of its receives that the answer is there; without them it waits. B
 * always waits. The error of the latency is added once each round and never corrected. */
static uint64_t error_after(uint32_t rounds, uint64_t believed)
{
    enum { PROBE = 1000 };
    struct wf_virtual a = {0}, b = {0};
    uint64_t now_a = 100000, now_b = 100000, truth = 100000;
    for (uint32_t i = 0; i < rounds; i++) {
        struct wf_merge ping = {0}, pong = {0};
        struct wf_stamp sent = wf_virtual_at(a, now_a);
        wf_merge_add(&ping, &sent, believed, 0, 0);
        uint64_t end = now_a + L + C;
        b = wf_settle(WF_MODEL_VIRTUAL, &b, now_b, end, 0, &ping).after;
        now_b = end;
        sent = wf_virtual_at(b, now_b);
        wf_merge_add(&pong, &sent, believed, 1, 0);
        a.intrusion += PROBE;
        now_a += PROBE;
        a = wf_settle(WF_MODEL_VIRTUAL, &a, now_a, now_a + C, 0, &pong).after;
        now_a += C;
        truth += 2 * (L + C);
    }
    return wf_max(truth, wf_virtual_at(a, now_a).virt) -
           (truth < wf_virtual_at(a, now_a).virt ? truth : wf_virtual_at(a, now_a).virt);
}

static void errors_add_up_along_a_chain_of_messages(void **state)
{
    (void)state;
    assert_int_equal(error_after(50, L), 0);
    assert_int_equal(error_after(1, L - 3), 3);
    assert_int_equal(error_after(50, L - 3), 50 * 3);
    assert_int_equal(error_after(50, L + 3), 50 * 3);
}

/* Two messages in one wait: a small one, taken in 10, and a large one, taken in 500, one after the other as they come.
 * With probes the large one comes last, at 3000, without them the small one, at 2000. A wait has one take, the 500 that
 * was measured: the clock is off by 490, less than the time of taking both. */
static void what_each_message_of_a_wait_takes_is_not_known(void **state)
{
    (void)state;
    const uint64_t truth = 2000 + 10, small = 10, large = 500;
    struct wf_merge m = {0};
    struct wf_stamp first = at(2500, 500), last = at(3000, 1500);
    wf_merge_add(&m, &first, 0, 1, 0);
    wf_merge_add(&m, &last, 0, 2, 0);
    uint64_t end = 3000 + large,
             virt = end - wf_settle(WF_MODEL_VIRTUAL, &(struct wf_virtual){0}, 1000, end, 0, &m).after.intrusion;
    assert_int_equal(virt - truth, large - small);
    assert_true(virt - truth < large + small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_depends_on_nobody_keeps_its_time),
        cmocka_unit_test(who_came_last_in_virtual_time_is_told),
        cmocka_unit_test(what_is_spent_before_a_wait_is_no_inner_cost),
        cmocka_unit_test(nothing_is_sooner_because_it_is_watched),
        cmocka_unit_test(a_stamp_from_the_future_does_no_harm),
        cmocka_unit_test(inner_costs_are_never_longer_than_the_call),
        cmocka_unit_test(the_delay_model_takes_the_groups_smallest_delay),
        cmocka_unit_test(the_delay_model_leaves_taking_alone),
        cmocka_unit_test(waiting_is_the_same_thing_in_every_model),
        cmocka_unit_test(a_latency_is_learnt_from_one_wait_and_one_message_that_lay_there),
        cmocka_unit_test(a_message_that_may_have_been_waited_for_teaches_nothing),
        cmocka_unit_test(the_least_that_was_seen_counts),
        cmocka_unit_test(a_receive_that_waits_in_both_runs_needs_no_latency),
        cmocka_unit_test(a_receive_that_waits_in_neither_run_needs_no_latency),
        cmocka_unit_test(a_wait_in_one_run_only_is_off_by_the_latencys_error),
        cmocka_unit_test(errors_add_up_along_a_chain_of_messages),
        cmocka_unit_test(what_each_message_of_a_wait_takes_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
