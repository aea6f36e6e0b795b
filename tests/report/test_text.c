/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/text.h"

#include <locale.h>
#include <stdio.h>
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

/* What cannot be seen, or turns what can be: U+202E makes "exe.png" of "gnp.exe". */
static void nothing_is_hidden_or_turned(void **state)
{
    static const char *const bad[] = {"\u061c", "\u200b", "\u200d",     "\u200e",   "\u200f", "\u2028",
                                      "\u2029", "\u202a", "\u202b",     "\u202c",   "\u202d", "\u202e",
                                      "\u2060", "\u2066", "\u2067",     "\u2068",   "\u2069", "\ufeff",
                                      "\u00ad", "\u3164", "\U000e0041", "\xc2\x9b", "\x7f",   "\x9b"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[32];
        snprintf(text, sizeof text, "a%sb", bad[i]);
        assert_string_equal(wf_text_clean(text), "a?b");
    }
    assert_text(wf_text_clean(strdup("e\u0301 \U0001f600 \u05d0")), "e\u0301 \U0001f600 \u05d0"); /* accents, pictures
                                                                                                     and other scripts
                                                                                                     stay */
}

/* A name of a megabyte is cut at once: work that grows with its square would take minutes. */
static void long_names_take_no_longer_than_others(void **state)
{
    enum { BYTES = 1 << 20 };
    static const char *const parts[] = {"x", "/", "/a", "a::", "\u00e9", "\u0301", "\xff"};
    char *text = malloc(BYTES + 8);
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *to = text;
        while (to < text + BYTES)
            to = stpcpy(to, parts[i]);
        char *cuts[] = {wf_text_cut(text, 40, "…"), wf_text_cut_path(text, 40, "…"), wf_text_cut_name(text, 40, "…")};
        for (size_t k = 0; k < 3; k++) {
            assert_true(wf_text_columns(cuts[k]) <= 40);
            free(cuts[k]);
        }
    }
    free(text);
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
        cmocka_unit_test(nearest_names_are_near),        cmocka_unit_test(nothing_is_hidden_or_turned),
        cmocka_unit_test(long_names_take_no_longer_than_others),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
