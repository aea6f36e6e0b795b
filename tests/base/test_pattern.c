/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of patterns matches whole texts and their last parts, and nothing else.
 */
#include "testing.h"

#include <string.h>

#include "base/pattern.h"

static void whole_texts_match(void **state)
{
    (void)state;
    assert_true(wf_pattern_matches("solve", "solve", "::"));
    assert_true(wf_pattern_matches("sol*", "solve", "::"));
    assert_true(wf_pattern_matches("s?lv[ae]", "solve", "::"));
    assert_false(wf_pattern_matches("sol", "solve", "::"));
    assert_false(wf_pattern_matches("olve", "solve", "::"));
    assert_true(wf_pattern_matches("src/*/heat.c", "src/io/heat.c", "/"));
}

static void last_parts_match(void **state)
{
    (void)state;
    assert_true(wf_pattern_matches("solve", "space::grid::solve", "::"));
    assert_true(wf_pattern_matches("space::*", "space::grid::solve", "::"));
    assert_false(wf_pattern_matches("grid", "space::grid::solve", "::"));
    assert_false(wf_pattern_matches("grid::solve", "space::grid::solve", "::"));
    assert_true(wf_pattern_matches("heat.c", "/home/src/heat.c", "/"));
    assert_false(wf_pattern_matches("src", "/home/src/heat.c", "/"));
    assert_false(wf_pattern_matches("heat.c", "src::heat.c", "/"));
}

static void one_of_a_list_is_enough(void **state)
{
    (void)state;
    assert_true(wf_pattern_matches("a,b,c", "a", "/"));
    assert_true(wf_pattern_matches("a,b,c", "b", "/"));
    assert_true(wf_pattern_matches("a,b,c", "c", "/"));
    assert_true(wf_pattern_matches(",,a,,", "a", "/"));
    assert_false(wf_pattern_matches("a,b,c", "a,b", "/"));
    assert_false(wf_pattern_matches("a,b,c", "d", "/"));
}

static void nothing_matches_an_empty_list(void **state)
{
    (void)state;
    assert_false(wf_pattern_matches(NULL, "a", "/"));
    assert_false(wf_pattern_matches("", "a", "/"));
    assert_false(wf_pattern_matches("", "", "/"));
    assert_false(wf_pattern_matches(",,", "", "/"));
}

static void long_patterns_match_nothing(void **state)
{
    (void)state;
    char patterns[WF_PATTERN_BYTES + 8];
    memset(patterns, 'a', sizeof patterns);
    memcpy(patterns + WF_PATTERN_BYTES - 1, "", 1);
    assert_true(wf_pattern_matches(patterns, patterns, "/"));
    memcpy(patterns + WF_PATTERN_BYTES - 1, "a", 2);
    assert_false(wf_pattern_matches(patterns, patterns, "/"));
    memcpy(patterns + WF_PATTERN_BYTES, ",b", 3);
    assert_true(wf_pattern_matches(patterns, "b", "/"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_texts_match),           cmocka_unit_test(last_parts_match),
        cmocka_unit_test(one_of_a_list_is_enough),     cmocka_unit_test(nothing_matches_an_empty_list),
        cmocka_unit_test(long_patterns_match_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
