/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures 1 and 2 of Li, Zhang: Scalable Monitoring (sections 5.1 and 5.3.3). P1 is ready to send (event Ea) at T1, P2
 * is ready to receive (Eb) at T2 = T1 - t. Every probe costs t, one stands before and one behind each event; there are
 * two events before Eb and none before Ea.
 */
#include "../collect/testing.h"

#include "scene.h"

enum { P1, P2, T = 100, T1 = 1000, T2 = T1 - T };

static struct scene figure(enum sim_kind send)
{
    struct scene s = scene_new(2);
    scene_compute(&s, P1, T1);
    for (int event = 0; event < 2; event++) {
        struct sim_probe *probe = &s.cost[s.program->serials];
        probe->outer_before = probe->outer_after = T;
        scene_compute(&s, P2, T2 / 2);
    }
    scene_message(&s, send, P1, P2, T, T);
    scene_run(&s);
    return s;
}

static uint64_t begins(const struct scene *s, const struct sim_records *records, uint32_t process)
{
    return scene_call(s, records, process, 0)->begin - SIM_START;
}

static uint64_t waits(const struct scene *s, const struct sim_records *records, uint32_t process)
{
    return scene_call(s, records, process, 0)->sync;
}

static void figure_1a_without_instrumentation(void **state)
{
    (void)state;
    struct scene s = figure(SIM_SSEND);
    assert_int_equal(begins(&s, &s.truth, P1), T1);
    assert_int_equal(begins(&s, &s.truth, P2), T2);
    assert_int_equal(waits(&s, &s.truth, P2), T);
    assert_int_equal(waits(&s, &s.truth, P1), 0);
    scene_free(&s);
}

static void figure_1b_with_instrumentation(void **state)
{
    (void)state;
    struct scene s = figure(SIM_SSEND);
    assert_int_equal(begins(&s, &s.real, P1), T1 + T);
    assert_int_equal(begins(&s, &s.real, P2), T2 + 5 * T);
    assert_int_equal(begins(&s, &s.real, P2) - begins(&s, &s.real, P1), 3 * T);
    assert_int_equal(waits(&s, &s.real, P2), 0);
    assert_int_equal(waits(&s, &s.real, P1), 3 * T); /* the order has been altered: now the sender waits */
    scene_free(&s);
}

static void virtual_times_are_those_of_figure_2(const struct scene *s)
{
    assert_int_equal(begins(s, &s->virtual, P1), T1);
    assert_int_equal(begins(s, &s->virtual, P2), T2);
    assert_int_equal(waits(s, &s->virtual, P2), T1 - T2);
    assert_int_equal(waits(s, &s->virtual, P1), 0);
    for (uint32_t p = P1; p <= P2; p++)
        assert_int_equal(s->virtual.finish[p], s->truth.finish[p]);
}

static void figure_2_time_characteristics_are_preserved(void **state)
{
    (void)state;
    struct scene s = figure(SIM_SSEND);
    virtual_times_are_those_of_figure_2(&s);
    scene_free(&s);
}

static void figure_2_with_a_send_that_does_not_wait(void **state)
{
    (void)state;
    struct scene s = figure(SIM_SEND);
    virtual_times_are_those_of_figure_2(&s);
    scene_free(&s);
}

/* With each process's own probes subtracted, the events are in their old places, but P2 has not waited and P1 has. */
static void figure_2_needs_more_than_local_time(void **state)
{
    (void)state;
    struct scene s = figure(SIM_SSEND);
    assert_int_equal(waits(&s, &s.local, P2), 0);
    assert_int_equal(waits(&s, &s.local, P1), 3 * T);
    assert_int_not_equal(s.local.finish[P1], s.truth.finish[P1]);
    scene_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_1a_without_instrumentation),
        cmocka_unit_test(figure_1b_with_instrumentation),
        cmocka_unit_test(figure_2_time_characteristics_are_preserved),
        cmocka_unit_test(figure_2_with_a_send_that_does_not_wait),
        cmocka_unit_test(figure_2_needs_more_than_local_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
