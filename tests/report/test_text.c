/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/name.h"
#include "analyse/nearest.h"
#include "testing.h"

static void assert_text(char *got, const char *wanted)
{
    assert_string_equal(got, wanted);
    free(got);
}

static void columns_are_counted_not_bytes(void **state)
{
    (void)state;
    assert_int_equal(wf_text_columns(""), 0);
    assert_int_equal(wf_text_columns("heat.c"), 6);
    assert_int_equal(wf_text_columns("grüße"), 5);
    assert_int_equal(wf_text_columns("日本"), 4); /* wide characters */
    assert_int_equal((int)wf_text_fit("grüße", 3), 4);
    assert_int_equal((int)wf_text_fit("日本", 3), 3);
}

static void nothing_steers_the_terminal(void **state)
{
    (void)state;
    assert_text(wf_text_clean(strdup("a\033[31mb\a")), "a?[31mb?");
    assert_text(wf_text_clean(strdup("one\ntwo\tthree")), "one two three");
    assert_text(wf_text_clean(strdup("gr\xfc\xdf")), "gr??");
    assert_text(wf_text_clean(strdup("cut \xe2\x82")), "cut ??");
    assert_text(wf_text_clean(strdup("grüße")), "grüße");
}

static void texts_are_cut_at_their_end(void **state)
{
    (void)state;
    assert_text(wf_text_cut("exchange_halo", 13, "…"), "exchange_halo");
    assert_text(wf_text_cut("exchange_halo", 12, "…"), "exchange_ha…");
    assert_text(wf_text_cut("exchange_halo", 12, "..."), "exchange_...");
    assert_text(wf_text_cut("grüße", 4, "…"), "grü…");
    assert_text(wf_text_cut("exchange_halo", 1, "…"), "");
}

static void paths_are_cut_at_their_front(void **state)
{
    (void)state;
    assert_text(wf_text_cut_path("src/solver/heat.c:214", 21, "…"), "src/solver/heat.c:214");
    assert_text(wf_text_cut_path("src/solver/heat.c:214", 20, "…"), "…/solver/heat.c:214");
    assert_text(wf_text_cut_path("src/solver/heat.c:214", 13, "…"), "…/heat.c:214");
    assert_text(wf_text_cut_path("src/solver/heat.c:214", 10, "…"), "heat.c:214");
    assert_text(wf_text_cut_path("src/solver/heat.c:214", 8, "…"), "…t.c:214");
    assert_text(wf_text_cut_path("/a/b", 3, "…"), "…/b");
}

static void names_are_cut_before_colons(void **state)
{
    (void)state;
    assert_text(wf_text_cut_name("solver::Multigrid::exchange", 20, "…"), "…::exchange");
    assert_text(wf_text_cut_name("solver::Multigrid::exchange", 22, "…"), "…::Multigrid::exchange");
    assert_text(wf_text_cut_name("solver::Multigrid::exchange", 8, "…"), "solver:…");
    assert_text(wf_text_cut_name("exchange_halo", 8, "…"), "exchang…");
}

static void names_lose_their_parameters(void **state)
{
    static const char *const pairs[][2] = {
        {"exchange_halo", "exchange_halo"},
        {"", ""},
        {"exchange(int, double*)", "exchange"},
        {"Grid<double, 3>::exchange(std::vector<int> const&) const", "Grid::exchange"},
        {"(anonymous namespace)::helper(int)", "(anonymous namespace)::helper"},
        {"Functor::operator()(int) const", "Functor::operator()"},
        {"Stream::operator<<(Stream&)", "Stream::operator<<"},
        {"Point::operator<(Point const&)", "Point::operator<"},
        {"broken<", "broken"},
        {"operator(", "operator("},
    };
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_text(wf_name_short(pairs[i][0]), pairs[i][1]);
}

static void nearest_names_are_near(void **state)
{
    (void)state;
    assert_int_equal(wf_nearest_distance("report", "report"), 0);
    assert_int_equal(wf_nearest_distance("reprot", "report"), 1); /* swapped */
    assert_int_equal(wf_nearest_distance("repot", "report"), 1);
    assert_int_equal(wf_nearest_distance("", "run"), 3);
    assert_true(wf_nearest_close("reprot", 1));
    assert_false(wf_nearest_close("xyzzy", 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_counted_not_bytes), cmocka_unit_test(nothing_steers_the_terminal),
        cmocka_unit_test(texts_are_cut_at_their_end),    cmocka_unit_test(paths_are_cut_at_their_front),
        cmocka_unit_test(names_are_cut_before_colons),   cmocka_unit_test(names_lose_their_parameters),
        cmocka_unit_test(nearest_names_are_near),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
