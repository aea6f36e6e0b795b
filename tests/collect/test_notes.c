/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks, counts and times as they stand in a sentence.
 */
#include "testing.h"

#include <string.h>

#include "collect/notes.h"

static void ranks_are_grouped(void **state)
{
    (void)state;
    assert_string_equal(wf_phrase_ranks((int64_t[]){2}, 1).text, "rank 2");
    assert_string_equal(wf_phrase_ranks((int64_t[]){1, 3}, 2).text, "ranks 1 and 3");
    assert_string_equal(wf_phrase_ranks((int64_t[]){0, 1}, 2).text, "ranks 0 and 1");
    assert_string_equal(wf_phrase_ranks((int64_t[]){0, 1, 2, 3, 7}, 5).text, "ranks 0-3, 7");
    assert_string_equal(wf_phrase_ranks((int64_t[]){0, 4, 5, 9}, 4).text, "ranks 0, 4, 5, 9");
}

static void a_thousand_scattered_ranks_stay_one_phrase(void **state)
{
    (void)state;
    int64_t ranks[1000];
    for (int i = 0; i < 1000; i++)
        ranks[i] = 2 * i;
    assert_string_equal(wf_phrase_ranks(ranks, 1000).text,
                        "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22 and 988 more");
    for (int i = 0; i < 1000; i++)
        ranks[i] = i;
    assert_string_equal(wf_phrase_ranks(ranks, 1000).text, "ranks 0-999");
}

static void counts_have_commas(void **state)
{
    (void)state;
    assert_string_equal(wf_phrase_count(0).text, "0");
    assert_string_equal(wf_phrase_count(999).text, "999");
    assert_string_equal(wf_phrase_count(1234).text, "1,234");
    assert_string_equal(wf_phrase_count(1234567).text, "1,234,567");
    assert_string_equal(wf_phrase_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void times_are_readable(void **state)
{
    (void)state;
    assert_string_equal(wf_phrase_time(500000000).text, "500 ms");
    assert_string_equal(wf_phrase_time(12345678901).text, "12.3 s");
    assert_string_equal(wf_phrase_time(12345678901234).text, "12346 s");
    assert_string_equal(wf_phrase_time(1234).text, "1.23 us");
    assert_string_equal(wf_phrase_time(32400000).text, "32.4 ms");
    assert_string_equal(wf_phrase_time(1).text, "0.00 us");
    assert_string_equal(wf_phrase_time(INT64_MAX).text, "9223372037 s");
    assert_string_equal(wf_phrase_time(0).text, "0 us");
    assert_string_equal(wf_phrase_percent(1, 3).text, "33.3 %");
    assert_string_equal(wf_phrase_percent(100, 100).text, "100.0 %");
    assert_string_equal(wf_phrase_percent(1, 1e9).text, "less than 0.1 %");
    assert_string_equal(wf_phrase_percent(0, 0).text, "0.0 %");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_grouped),
        cmocka_unit_test(a_thousand_scattered_ranks_stay_one_phrase),
        cmocka_unit_test(counts_have_commas),
        cmocka_unit_test(times_are_readable),
    };
    return cmocka_run_group_tests_name("notes", tests, NULL, NULL);
}
