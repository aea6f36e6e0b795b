/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ticks become nanoseconds.
 */
#include "testing.h"

#include "collect/timebase.h"

/* 2.5 ticks are a nanosecond. */
static struct wf_segment_header tsc_header(void)
{
    return (struct wf_segment_header){.clock = WF_CLOCK_TSC,
                                      .tick0 = 5000000000,
                                      .ns0 = 77,
                                      .tick1 = 5000000000 + 2500000000,
                                      .ns1 = 77 + 1000000000};
}

static void monotonic_ticks_are_nanoseconds(void **state)
{
    (void)state;
    struct wf_segment_header header = {.clock = WF_CLOCK_MONOTONIC, .tick0 = 500, .ns0 = 500};
    struct wf_timebase timebase = wf_timebase_read(&header);
    assert_true(wf_timebase_known(&timebase));
    assert_int_equal(wf_timebase_duration_ns(&timebase, 12345), 12345);
    assert_int_equal(wf_timebase_moment_ns(&timebase, 12345), 12345);
}

static void tsc_ticks_are_scaled_and_rounded(void **state)
{
    (void)state;
    struct wf_segment_header header = tsc_header();
    struct wf_timebase timebase = wf_timebase_read(&header);
    assert_int_equal(wf_timebase_duration_ns(&timebase, 2500000000), 1000000000);
    assert_int_equal(wf_timebase_duration_ns(&timebase, 3), 1);
    assert_int_equal(wf_timebase_duration_ns(&timebase, 4), 2);
    assert_int_equal(wf_timebase_moment_ns(&timebase, 5000000000), 77);
    assert_int_equal(wf_timebase_moment_ns(&timebase, 5000000000 - 250), 77 - 100);
}

static void a_year_of_ticks_keeps_every_nanosecond(void **state)
{
    (void)state;
    struct wf_segment_header header = tsc_header();
    struct wf_timebase timebase = wf_timebase_read(&header);
    uint64_t year_ns = UINT64_C(365) * 86400 * 1000000000;
    assert_int_equal(wf_timebase_duration_ns(&timebase, year_ns / 2 * 5), year_ns);
}

static void a_sum_below_zero_stays_below_zero(void **state)
{
    (void)state;
    struct wf_segment_header header = tsc_header();
    struct wf_timebase timebase = wf_timebase_read(&header);
    assert_int_equal(wf_timebase_duration_ns(&timebase, (uint64_t)-250), -100);
}

static void without_a_second_pair_a_tsc_has_no_rate_until_one_is_borrowed(void **state)
{
    (void)state;
    struct wf_segment_header header = tsc_header(), early = header;
    early.tick1 = early.tick0;
    early.ns1 = early.ns0;
    struct wf_timebase timebase = wf_timebase_read(&header), lost = wf_timebase_read(&early);
    assert_false(wf_timebase_known(&lost));
    assert_int_equal(wf_timebase_duration_ns(&lost, 1000), 0);
    wf_timebase_borrow(&lost, &timebase);
    assert_int_equal(wf_timebase_duration_ns(&lost, 1000), 400);
}

static void absurd_values_are_cut_not_overflowed(void **state)
{
    (void)state;
    struct wf_segment_header header = tsc_header();
    header.tick1 = header.tick0 + 1;
    header.ns1 = header.ns0 + (uint64_t)WF_TIME_LIMIT_NS;
    struct wf_timebase timebase = wf_timebase_read(&header);
    assert_int_equal(wf_timebase_duration_ns(&timebase, INT64_MAX), WF_TIME_LIMIT_NS);
    assert_int_equal(wf_timebase_duration_ns(&timebase, (uint64_t)INT64_MIN), -WF_TIME_LIMIT_NS);
    assert_int_equal(wf_timebase_moment_ns(&timebase, UINT64_MAX / 2), WF_TIME_LIMIT_NS);
    header.ns1 = UINT64_MAX;
    timebase = wf_timebase_read(&header);
    assert_false(wf_timebase_known(&timebase));
}

static void a_host_is_set_by_its_comparison_else_by_the_time_of_day(void **state)
{
    (void)state;
    struct wf_segment_header first = tsc_header(), other = first;
    first.epoch_ns0 = first.ns0 + 5000;
    struct wf_host_clock root = wf_host_clock_of_day(&first);
    assert_int_equal(wf_host_clock_shared_ns(&root, 100), 5100);
    assert_false(wf_host_clock_compared(&other));
    other.host_offset_ns = -300;
    other.host_drift_ppb = 2000;
    assert_true(wf_host_clock_compared(&other));
    struct wf_host_clock clock = wf_host_clock_against(&other, &root);
    int64_t start = (int64_t)other.ns0;
    assert_int_equal(wf_host_clock_shared_ns(&clock, start), start - 300 + 5000);
    assert_int_equal(wf_host_clock_shared_ns(&clock, start + 1000000000),
                     start + 1000000000 - 300 + 5000 + 2000);
    other.host_offset_ns = INT64_MIN;
    other.host_drift_ppb = INT64_MIN;
    clock = wf_host_clock_against(&other, &root);
    assert_int_equal(wf_host_clock_shared_ns(&clock, WF_TIME_LIMIT_NS), -WF_TIME_LIMIT_NS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(monotonic_ticks_are_nanoseconds),
        cmocka_unit_test(tsc_ticks_are_scaled_and_rounded),
        cmocka_unit_test(a_year_of_ticks_keeps_every_nanosecond),
        cmocka_unit_test(a_sum_below_zero_stays_below_zero),
        cmocka_unit_test(without_a_second_pair_a_tsc_has_no_rate_until_one_is_borrowed),
        cmocka_unit_test(absurd_values_are_cut_not_overflowed),
        cmocka_unit_test(a_host_is_set_by_its_comparison_else_by_the_time_of_day),
    };
    return cmocka_run_group_tests_name("timebase", tests, NULL, NULL);
}
