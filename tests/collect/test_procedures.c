/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One procedure, seen by a compiler and by `weft cc`, is one.
 */
#include "testing.h"

#include <string.h>

#include "collect/procedures.h"

static void a_bare_name_is_what_is_left(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"main", "main"},
        {"physics::Solver::run", "run"},
        {"physics::Grid<std::vector<int> >::sum<double>", "sum"},
        {"run(int, char const*)", "run"},
        {"(anonymous namespace)::helper", "helper"},
        {"ns::Grid<int>::~Grid", "~Grid"},
        {"ns::Grid::operator()", "operator()"},
        {"ns::operator<< <int>", "operator<< <int>"},
        {"operator_of_nothing", "operator_of_nothing"},
        {"main._omp_fn.0", "main"},
        {"work.part.0", "work"},
        {".omp_outlined._debug__", ".omp_outlined"},
        {"apply::<lambda>", "<lambda>"},
        {"broken<", "broken"},
        {"::", ""},
        {"", ""},
    };
    struct wf_intern texts = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(wf_intern_get(&texts, wf_procedures_bare_name(&texts, names[i][0])), names[i][1]);
    wf_intern_fini(&texts);
}

struct fixture {
    struct wf_intern texts;
    struct wf_modules modules;
    struct wf_procedures procedures;
};

static uint32_t instrumented(struct fixture *f, const char *name, const char *file, uint32_t line)
{
    uint32_t number = WF_NO_PROCEDURE;
    assert_int_equal(wf_procedures_add_instrumented(&f->procedures, wf_intern_add_text(&f->texts, name),
                                                    wf_intern_add_text(&f->texts, file), line, &number),
                     0);
    return number;
}

static uint32_t located(struct fixture *f, const char *name, const char *file, int line)
{
    uint32_t number = WF_NO_PROCEDURE;
    struct wf_location location = {
        .procedure = name, .procedure_file = file, .procedure_full_file = file, .procedure_line = line};
    assert_int_equal(
        wf_procedures_add_located(&f->procedures, &f->texts, &f->modules, WF_NO_MODULE, &location, &number),
        0);
    return number;
}

static void fini(struct fixture *f)
{
    wf_intern_fini(&f->texts);
    wf_modules_fini(&f->modules);
    wf_procedures_fini(&f->procedures);
}

static void the_same_place_and_name_is_the_same_procedure(void **state)
{
    (void)state;
    struct fixture f = {0};
    uint32_t overloads[2] = {instrumented(&f, "ns::size", "a.cc", 10),
                             instrumented(&f, "ns::size", "a.cc", 20)};
    uint32_t elsewhere = instrumented(&f, "ns::size", "b.cc", 10),
             lambda = instrumented(&f, "f::<lambda>", "a.cc", 30);
    struct {
        uint32_t number, same;
    } cases[] = {
        {located(&f, "ns::size", "a.cc", 20), overloads[1]},
        {located(&f, "size<int>", "a.cc", 10), overloads[0]},
        {located(&f, "size", "b.cc", 11), elsewhere}, /* the only one there */
        {located(&f, "f::(lambda)::operator()", "a.cc", 30), lambda},
        {0, 0},
    };
    uint32_t unclear = located(&f, "size", "a.cc", 15), other = located(&f, "other", "c.cc", 1),
             symbol = located(&f, "size", NULL, 0);
    assert_int_equal(wf_procedures_unify(&f.procedures, &f.texts), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(wf_procedures_one(&f.procedures, cases[i].number), cases[i].same);
    assert_int_equal(wf_procedures_one(&f.procedures, unclear), unclear);
    assert_int_equal(wf_procedures_one(&f.procedures, other), other);
    assert_int_equal(wf_procedures_one(&f.procedures, symbol), symbol); /* one of three */
    assert_int_equal(wf_procedures_one(&f.procedures, WF_NO_PROCEDURE), WF_NO_PROCEDURE);
    fini(&f);
}

static void a_symbol_is_enough_if_it_is_the_only_one(void **state)
{
    (void)state;
    struct fixture f = {0};
    uint32_t step = instrumented(&f, "step", "a.c", 3), symbol = located(&f, "step", NULL, 0);
    assert_int_equal(wf_procedures_unify(&f.procedures, &f.texts), 0);
    assert_int_equal(wf_procedures_one(&f.procedures, symbol), step);
    fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bare_name_is_what_is_left),
        cmocka_unit_test(the_same_place_and_name_is_the_same_procedure),
        cmocka_unit_test(a_symbol_is_enough_if_it_is_the_only_one),
    };
    return cmocka_run_group_tests_name("procedures", tests, NULL, NULL);
}
