/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One time base from questions and answers: offset and drift are found within the bound that is stated.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "measure/exchange/host_clock.h"

#define SECOND 1000000000ll

/* Own time of a moment of common time. */
static int64_t own_of(int64_t common, int64_t offset, int64_t drift_ppb)
{
    return common + wf_ppb(drift_ppb, common) - offset;
}

static struct wf_reading asked(int64_t common, int64_t there, int64_t back, int64_t offset, int64_t drift)
{
    return wf_reading_of(own_of(common - there, offset, drift), own_of(common + back, offset, drift), common);
}

static int64_t wrong(const struct wf_common_time *c, int64_t common, int64_t offset, int64_t drift)
{
    return wf_common_time_of(c, own_of(common, offset, drift)) - common;
}

static void a_reading_is_as_good_as_its_round_trip(void **state)
{
    (void)state;
    struct wf_reading r = asked(100 * SECOND, 1000, 1000, 7 * SECOND, 0);
    assert_int_equal(r.offset, 7 * SECOND);
    assert_in_range(r.error, 1000, 1001);
    r = asked(100 * SECOND, 0, 2000, 7 * SECOND, 0); /* all of it on one way: the worst */
    assert_in_range(llabs(r.offset - 7 * SECOND), 0, r.error);
}

static void drift_is_found(void **state)
{
    (void)state;
    for (int64_t drift = -100000; drift <= 100000; drift += 50000) {
        struct wf_common_time c = {.known = false};
        for (int64_t t = SECOND; t < 100 * SECOND; t += SECOND) {
            wf_common_time_learn(&c, asked(t, 5000, 5000 + t % 3 * 1000, -3 * SECOND, drift));
            assert_in_range(llabs(wrong(&c, t + SECOND / 2, -3 * SECOND, drift)), 0,
                            wf_common_time_error(&c, own_of(t + SECOND / 2, -3 * SECOND, drift)));
        }
        assert_in_range(llabs(c.drift_ppb + drift), 0, 200);
        /* There and back again. */
        int64_t own = own_of(200 * SECOND, -3 * SECOND, drift);
        assert_in_range(llabs(wf_common_time_own(&c, wf_common_time_of(&c, own)) - own), 0, 2);
    }
}

static void a_bad_answer_is_not_believed(void **state)
{
    (void)state;
    struct wf_common_time c = {.known = false};
    wf_common_time_learn(&c, asked(SECOND, 5000, 5000, SECOND, 0));
    wf_common_time_learn(&c, asked(2 * SECOND, 5000, 5000, SECOND, 0));
    wf_common_time_learn(&c, asked(3 * SECOND, 5000, SECOND / 2, SECOND, 0)); /* no rank looked for half a second */
    assert_in_range(llabs(wrong(&c, 3 * SECOND, SECOND, 0)), 0, 10);
}

static void without_news_the_bound_grows(void **state)
{
    (void)state;
    struct wf_common_time c = {.known = false};
    wf_common_time_learn(&c, asked(SECOND, 5000, 5000, 0, 0));
    int64_t soon = wf_common_time_error(&c, 2 * SECOND), late = wf_common_time_error(&c, 10 * SECOND);
    assert_true(late > soon && soon >= 5000 + WF_DRIFT_LIMIT_PPB);
    wf_common_time_learn(&c, asked(10 * SECOND, 50000, 50000, 0, 0)); /* worse than the first, better than guessing */
    assert_true(wf_common_time_error(&c, 10 * SECOND) < late);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reading_is_as_good_as_its_round_trip),
        cmocka_unit_test(drift_is_found),
        cmocka_unit_test(a_bad_answer_is_not_believed),
        cmocka_unit_test(without_news_the_bound_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
