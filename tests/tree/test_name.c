/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/name.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/word.h"
#include "../report/testing.h"

static void names_are_meant_by_their_ends(void **state)
{
    (void)state;
    assert_true(wf_name_means("main", "main"));
    assert_true(wf_name_means("exchange", "Grid<double, 3>::exchange(int)"));
    assert_true(wf_name_means("Grid::exchange", "Grid<double, 3>::exchange(int)"));
    assert_true(wf_name_means("Grid<double, 3>::exchange(int)", "Grid<double, 3>::exchange(int)"));
    assert_true(wf_name_means("exchange", "ocean::(anonymous namespace)::exchange"));
    assert_false(wf_name_means("change", "Grid::exchange"));
    assert_false(wf_name_means("", "main"));
    assert_false(wf_name_means("mai", "main"));
    assert_false(wf_name_means("main", "mai"));
}

static void words_are_files_and_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *file;
        int64_t line;
    } words[] = {
        {"heat.c:12", "heat.c", 12},  {"heat.c", "heat.c", -1},
        {"a:b:7", "a:b", 7},          {"heat.c:", "heat.c:", -1},
        {"heat.c:x", "heat.c:x", -1}, {"c:-3", "c:-3", -1},
        {"heat.c:0", "heat.c", 0},    {"", "", -1},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct wf_word word = wf_word_parse(words[i].text);
        assert_string_equal(word.file, words[i].file);
        assert_int_equal(word.line, words[i].line);
        wf_word_free(&word);
    }
}

static void paths_end_at_components(void **state)
{
    (void)state;
    assert_true(wf_word_path_ends("src/io/heat.c", "heat.c"));
    assert_true(wf_word_path_ends("src/io/heat.c", "io/heat.c"));
    assert_true(wf_word_path_ends("src/io/heat.c", "./heat.c"));
    assert_true(wf_word_path_ends("/a/heat.c", "/heat.c"));
    assert_true(wf_word_path_ends("heat.c", "heat.c"));
    assert_false(wf_word_path_ends("src/io/heat.c", "eat.c"));
    assert_false(wf_word_path_ends("heat.c", "io/heat.c"));
    assert_false(wf_word_path_ends("heat.c", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_meant_by_their_ends),
        cmocka_unit_test(words_are_files_and_lines),
        cmocka_unit_test(paths_end_at_components),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
