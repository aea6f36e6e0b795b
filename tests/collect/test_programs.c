/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instrumented programs, compiled by real compilers, from their text to their profile. Time passes in them only where
 * they say so.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile_query.h"
#include "run_builder.h"

/* Runs a program as this rank (-1: without MPI), which leaves its segment in the run. */
static void run_program(struct run *run, const char *name, int rank)
{
    char command[4096], program[1024];
    snprintf(program, sizeof program, FIXTURES "/%s", name);
    if (access(program, X_OK) != 0) {
        print_message("%s was not built: its compiler is not installed\n", name);
        skip();
    }
    snprintf(command, sizeof command, "OMP_NUM_THREADS=1 FAKE_RANK=%d FAKE_SEGMENT=%s/%s-%d.seg %s", rank,
             run->scratch.directory, name, run->next_file++, program);
    assert_int_equal(system(command), 0);
}

static void collect_program(struct run *run, const char *name)
{
    run_program(run, name, -1);
    run_collect(run);
    assert_string_equal(run_text(run, "SELECT PRAGMA_INTEGRITY_CHECK.* FROM PRAGMA_INTEGRITY_CHECK"), "ok");
}

/* "callee line:calls ...", by callee and line. */
static void expect_calls(struct run *run, const char *callee, const char *expected)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT activate_line || ':' || sum(proc_num) FROM proc JOIN event ON id = event WHERE name = "
             "'%s' GROUP BY "
             "activate_file, activate_line ORDER BY activate_line",
             callee);
    run_expect_rows(run, sql, expected);
}

/* ---- [LZ] Figures 12 and 13 ---- */

#define PLACE(column) "replace(" #column ", 'figure12.c:', 'L')"

static void expect_figure_13(struct run *run)
{
    run_expect_rows(run, "SELECT " PLACE(l_p) " || '/' || " PLACE(l_l) " FROM t_pl ORDER BY 1", "L8/L11");
    run_expect_rows(run, "SELECT " PLACE(l_p) " || '/' || " PLACE(l_c) " FROM t_pcom ORDER BY 1", "L8/L9");
    run_expect_rows(
        run, "SELECT " PLACE(l_p) " || '/' || " PLACE(l_pc) " || '/' || " PLACE(l_pi) " FROM t_pc ORDER BY 1",
        "L1/L2/L4 L1/L3/L6 L4/L5/L8 L6/L7/L8 L8/L10/L15");
    run_expect_rows(run, "SELECT " PLACE(l_l) " || '/' || " PLACE(l_il) " FROM t_ll ORDER BY 1", "L11/L13");
    run_expect_rows(run, "SELECT " PLACE(l_l) " || '/' || " PLACE(l_c) " FROM t_lcom ORDER BY 1", "L11/L12");
    run_expect_rows(
        run, "SELECT " PLACE(l_l) " || '/' || " PLACE(l_pc) " || '/' || " PLACE(l_pi) " FROM t_lc ORDER BY 1",
        "L13/L14/L15");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_static WHERE dynamic"), 0);
}

static void figure_12_gives_the_tables_of_figure_13(void **state)
{
    struct run *run = *state;
    collect_program(run, "figure12");
    expect_figure_13(run);
    run_expect_rows(
        run,
        "SELECT type || ' ' || name || ' ' || line || ' ' || status FROM weft_place ORDER BY line LIMIT 3",
        "procedure main 1 probe procedure P1 4 probe procedure P2 6 probe");
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM weft_place JOIN procedure p ON p.id = weft_place.procedure "
                        "WHERE type = 'loop' AND p.name = 'P3'"),
        2);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 0);
}

static void figure_12_answers_the_questions_of_6_4_1(void **state)
{
    struct run *run = *state;
    collect_program(run, "figure12");
    assert_int_equal(run_number(run, "SELECT proc_time FROM proc JOIN event ON id = event WHERE line = 1 AND "
                                     "event_type = 'procedure' AND activate_line = 0 AND activate_file = ''"),
                     1492);
    assert_int_equal(run_number(run, "SELECT sum(trans_time) FROM com JOIN event ON id = event"), 52);
    assert_int_equal(run_number(run, "SELECT sum(sync_delay) FROM com JOIN event ON id = event"), 0);
    assert_int_equal(
        run_number(
            run, "SELECT sum(proc_time) FROM t_pc JOIN proc ON l_pc = activate_file || ':' || activate_line "
                 "JOIN event ON id = event AND l_pi = file || ':' || line WHERE l_p = 'figure12.c:1'"),
        492);
    assert_int_equal(run_number(run, "SELECT proc_time FROM proc WHERE activate_line = 5"), 96);
    assert_int_equal(
        run_number(run, "SELECT sum(proc_time) FROM proc JOIN event ON id = event WHERE line = 8"), 192);
    assert_int_equal(
        run_number(run, "SELECT sum(proc_num) FROM proc JOIN event ON id = event WHERE line = 8"), 2);
    assert_int_equal(
        run_number(run,
                   "SELECT sum(trans_time + sync_delay) FROM com JOIN event ON id = event WHERE line = 12"),
        42);
    assert_int_equal(run_number(run, "SELECT loop_time FROM loop JOIN event ON id = event WHERE line = 11"),
                     162);
    assert_int_equal(run_number(run, "SELECT loop_num FROM loop JOIN event ON id = event WHERE line = 11"),
                     2);
    assert_int_equal(run_number(run, "SELECT loop_time FROM loop JOIN event ON id = event WHERE line = 13"),
                     120);
    assert_int_equal(run_number(run, "SELECT loop_num FROM loop JOIN event ON id = event WHERE line = 13"),
                     6);
}

static void own_time_is_without_what_is_called(void **state)
{
    struct run *run = *state;
    collect_program(run, "figure12");
    run_expect_rows(run,
                    "SELECT name || ' ' || self_ns FROM event WHERE event_type = 'procedure' ORDER BY line",
                    "main 1000 P1 100 P2 200 P3 0 P4 140");
    assert_int_equal(run_number(run, "SELECT sum(self_ns) FROM event WHERE event_type <> 'loop'"), 1492);
    assert_int_equal(run_number(run, "SELECT self_time FROM loop JOIN event ON id = event WHERE line = 11"),
                     0);
    expect_calls(run, "P4", "10:2 14:12");
    assert_int_equal(run_number(run, "SELECT proc_time FROM proc WHERE activate_line = 14"), 120);
    assert_int_equal(run_number(run, "SELECT self_time FROM proc WHERE activate_line = 14"), 120);
}

static void everything_knows_its_procedure(void **state)
{
    struct run *run = *state;
    collect_program(run, "figure12");
    run_expect_rows(run, "SELECT line || ' ' || procedure FROM event ORDER BY line",
                    "1 main 4 P1 6 P2 8 P3 9 P3 11 P3 12 P3 13 P3 15 P4");
    run_expect_rows(run,
                    "SELECT activate_line || ' ' || coalesce(c.name, '-') FROM proc LEFT JOIN procedure c ON "
                    "c.id = caller "
                    "ORDER BY activate_line",
                    "0 - 2 main 3 main 5 P1 7 P2 10 P3 14 P3");
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure"), 5);
}

static void all_ranks_are_one_program(void **state)
{
    struct run *run = *state;
    run_program(run, "figure12", 0);
    run_program(run, "figure12", 1);
    run_collect(run);
    expect_figure_13(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 9);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event"), 18);
    assert_int_equal(run_number(run, "SELECT count(*) FROM proc"), 14);
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure"), 5);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'visits'"),
                     2 * (1 + 1 + 1 + 2 + 14 + 2 + 6));
}

static void without_debug_information_callers_are_their_program(void **state)
{
    struct run *run = *state;
    collect_program(run, "figure12_no_debug");
    expect_figure_13(run);
    run_expect_rows(run,
                    "SELECT name || ' ' || activate_file || ' ' || activate_line || ' ' || proc_num FROM "
                    "proc JOIN event ON "
                    "id = event WHERE name IN ('P3', 'main') ORDER BY name",
                    "P3 " FIXTURES "/figure12_no_debug 0 2 main  0 1");
    run_expect_note(run, "No line information in " FIXTURES "/figure12_no_debug");
}

/* ---- [LZ] Figure 11 ---- */

static void a_recursive_call_has_no_record(void **state)
{
    struct run *run = *state;
    collect_program(run, "recursion");
    expect_calls(run, "self", "13:1 14:1");
    assert_int_equal(run_number(run, "SELECT proc_time FROM proc WHERE activate_line = 13"), 4);
    assert_int_equal(run_number(run, "SELECT self_time FROM proc WHERE activate_line = 13"), 4);
    assert_int_equal(run_number(run, "SELECT proc_time FROM proc WHERE activate_line = 14"), 1);
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure WHERE name = 'self' AND cycle IS NULL"),
                     1);
}

static void mutually_recursive_procedures_are_one_to_everyone_outside(void **state)
{
    struct run *run = *state;
    collect_program(run, "recursion");
    expect_calls(run, "X", "15:1 16:1");
    expect_calls(run, "Y", "17:1");
    expect_calls(run, "leaf", "10:3");
    run_expect_rows(run,
                    "SELECT proc_time FROM proc WHERE activate_line BETWEEN 15 AND 17 ORDER BY activate_line",
                    "10 20220 10110");
    assert_int_equal(run_number(run, "SELECT count(DISTINCT cycle) FROM procedure WHERE name IN ('X', 'Y')"),
                     1);
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure WHERE cycle IS NOT NULL"), 2);
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM procedure WHERE id = cycle AND name IN ('X', 'Y')"), 1);
}

static void what_is_recursive_is_whole_in_its_event(void **state)
{
    struct run *run = *state;
    collect_program(run, "recursion");
    run_expect_rows(
        run,
        "SELECT name || ' ' || calls || ' ' || time_ns || ' ' || self_ns FROM event WHERE name IN ('X', 'Y') "
        "ORDER BY name",
        "X 3 20240 30 Y 2 30320 310");
    assert_int_equal(run_number(run, "SELECT sum(self_ns) FROM event"),
                     run_number(run, "SELECT proc_time FROM proc WHERE activate_line = 0"));
}

/* ---- what compilers do to calls ---- */

static void expect_inlined(struct run *run, const char *program)
{
    collect_program(run, program);
    expect_calls(run, "add", "16:2 20:1");
    expect_calls(run, "never", "24:1 25:1");
    expect_calls(run, "out", "22:3 23:1");
    expect_calls(run, "twice", "9:3 10:3 13:4 26:1");
    expect_calls(run, "main", "0:1");
    run_expect_rows(run, "SELECT DISTINCT activate_file FROM proc ORDER BY 1", " inlined.c");
    run_expect_rows(
        run, "SELECT name || ' ' || ltrim(file, './') || ' ' || line FROM procedure ORDER BY name",
        "add inlined.c 8 main inlined.c 18 never inlined.c 15 out inlined.c 12 twice inlined.h 4");
    run_expect_rows(run,
                    "SELECT activate_line || ' ' || c.name FROM proc JOIN procedure c ON c.id = caller JOIN "
                    "event e ON e.id = "
                    "event WHERE e.name = 'twice' ORDER BY activate_line",
                    "9 add 10 add 13 out 26 main");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_static"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 0);
}

#define INLINED(test, program)           \
    static void test(void **state)       \
    {                                    \
        expect_inlined(*state, program); \
    }

INLINED(calls_of_procedures_that_are_not_inlined, "inlined_O0")
INLINED(calls_of_inlined_procedures, "inlined_O2")
INLINED(calls_of_inlined_procedures_at_a_fixed_address, "inlined_O3")
INLINED(calls_of_inlined_procedures_in_dwarf_4, "inlined_dwarf4")
INLINED(calls_of_inlined_procedures_with_link_time_optimisation, "inlined_lto")
INLINED(calls_of_inlined_procedures_by_clang, "inlined_clang")

static void expect_parallel(struct run *run, const char *program)
{
    collect_program(run, program);
    expect_calls(run, "work", "6:8");
    run_expect_rows(run, "SELECT c.name FROM proc JOIN procedure c ON c.id = caller", "main");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_static WHERE dynamic"), 0);
}

static void what_users_mark_stands_in_a_procedure(void **state)
{
    struct run *run = *state;
    collect_program(run, "parallel_O2");
    run_expect_rows(
        run,
        "SELECT event_type || ' ' || procedure || ' ' || region_time FROM region JOIN event ON id = event",
        "region main 5");
}

static void a_call_in_an_openmp_construct(void **state)
{
    expect_parallel(*state, "parallel_O2");
}

static void a_call_in_an_openmp_construct_without_optimisation(void **state)
{
    expect_parallel(*state, "parallel_O0");
}

static void a_call_in_an_argument_has_the_line_of_the_text(void **state)
{
    struct run *run = *state;
    bool gcc = FIXTURES_BY_GCC;
    collect_program(run, "arguments");
    expect_calls(run, "sum", "5:1 9:1 12:1");
    expect_calls(run, "second", "8:1 16:1");
    expect_calls(run, "first",
                 gcc ? "6:1 10:1 12:2" : "6:1 10:1 13:1 14:1"); /* two of one name: the compiler's line */
    assert_int_equal(run_number(run, "SELECT line FROM event WHERE name = 'MPI_Send'"), 11);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_static WHERE dynamic"), gcc ? 1 : 0);
}

static void a_call_in_an_argument_without_optimisation(void **state)
{
    struct run *run = *state;
    collect_program(run, "arguments_plain");
    expect_calls(run, "second", "8:1 16:1");
    assert_int_equal(run_number(run, "SELECT line FROM event WHERE name = 'MPI_Send'"), 11);
}

static void a_call_in_an_argument_by_clang(void **state)
{
    struct run *run = *state;
    collect_program(run, "arguments_clang");
    expect_calls(run, "first", "6:1 10:1 13:1 14:1");
    expect_calls(run, "second", "8:1 16:1");
}

/* ---- what the text does not tell ---- */

static void calls_by_pointers_are_recorded_where_they_happened(void **state)
{
    struct run *run = *state;
    collect_program(run, "pointers");
    run_expect_rows(
        run,
        "SELECT kind || ' ' || outer || ' ' || inner || ' ' || callee || ' ' || name FROM weft_static WHERE "
        "dynamic "
        "ORDER BY kind DESC, inner, callee",
        "pc pointers.c:4 pointers.c:10 pointers.c:2 two pc pointers.c:4 pointers.c:11 pointers.c:2 two "
        "pc pointers.c:4 pointers.c:7 pointers.c:1 one "
        "lc pointers.c:8 pointers.c:9 pointers.c:1 one lc pointers.c:8 pointers.c:9 pointers.c:2 two");
    run_expect_rows(run, "SELECT l_pc || ' ' || l_pi FROM t_pc WHERE l_pc = 'pointers.c:10' ORDER BY 1",
                    "pointers.c:10 pointers.c:1 pointers.c:10 pointers.c:2");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_static WHERE callee = '*'"), 0);
    expect_calls(run, "one", "7:1 9:2 10:1");
    expect_calls(run, "two", "9:2 10:1 11:1");
}

static void a_call_from_a_foreign_library_is_no_edge_of_the_text(void **state)
{
    struct run *run = *state;
    collect_program(run, "pointers");
    assert_int_equal(
        run_number(run, "SELECT sum(proc_num) FROM proc JOIN event ON id = event WHERE name = 'compare'"), 1);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_static WHERE callee = 'pointers.c:3'"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 0);
}

static void a_library_has_tables_of_its_own(void **state)
{
    struct run *run = *state;
    collect_program(run, "user");
    run_expect_rows(run, "SELECT l_p || ' ' || l_pc || ' ' || l_pi FROM t_pc",
                    "user.c:2 user.c:3 library.c:1");
    run_expect_rows(run, "SELECT l_l || ' ' || l_pc || ' ' || l_pi FROM t_lc",
                    "library.c:3 library.c:4 user.c:1");
    run_expect_rows(run, "SELECT l_p || ' ' || l_l FROM t_pl", "library.c:1 library.c:3");
    expect_calls(run, "step", "4:5");
    expect_calls(run, "library_solve", "3:1");
}

/* ---- other languages ---- */

static void expect_classes(struct run *run, const char *program)
{
    collect_program(run, program);
    expect_calls(run, "physics::Grid::sum", "17:1");
    expect_calls(run, "physics::Square::area", "19:1");
    expect_calls(run, "physics::apply", "23:1");
    expect_calls(run, "physics::apply::<lambda>", "18:1");
    expect_calls(run, "physics::size", "13:1 20:1");
    run_expect_rows(
        run,
        "SELECT activate_line || ' ' || c.name || ' ' || c.line FROM proc JOIN procedure c ON c.id = caller "
        "ORDER "
        "BY activate_line",
        "13 physics::size 12 17 physics::apply::<lambda> 16 18 physics::apply 14 19 physics::apply 14 "
        "20 physics::apply 14 23 main 22");
    run_expect_rows(run, "SELECT inner || ' ' || callee FROM weft_static WHERE dynamic ORDER BY inner",
                    "classes.cc:18 classes.cc:16 classes.cc:19 classes.cc:9");
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure WHERE cycle IS NOT NULL"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM t_pc WHERE l_pc = 'classes.cc:19'"), 2);
}

static void methods_overloads_lambdas_and_virtual_calls(void **state)
{
    expect_classes(*state, "classes");
}

static void methods_overloads_lambdas_and_virtual_calls_without_optimisation(void **state)
{
    expect_classes(*state, "classes_O0");
}

static void expect_tides(struct run *run, const char *program)
{
    collect_program(run, program);
    expect_calls(run, "step", "21:3 27:3");
    expect_calls(run, "inner", "7:6 8:6");
    expect_calls(run, "mine", "22:3");
    expect_calls(run, "main", "0:1");
    assert_int_equal(
        run_number(run,
                   "SELECT count(*) FROM proc JOIN event ON id = event WHERE name = 'moon' AND proc_num = 1"),
        1);
    run_expect_rows(
        run, "SELECT name || ' ' || file || ' ' || line FROM procedure WHERE name <> 'main' ORDER BY line",
        "step tides.f90 5 inner tides.f90 10 moon tides.f90 16 mine tides.f90 25");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_static"), 0);
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM weft_site WHERE module = '" FIXTURES "/%s' AND offset > 0", program);
    assert_int_equal(run_number(run, sql), 5);
}

static void procedures_of_fortran_known_by_their_address(void **state)
{
    expect_tides(*state, "tides");
}

static void procedures_in_procedures_of_fortran(void **state)
{
    expect_tides(*state, "tides_O0");
}

/* ---- damage ---- */

static long read_file(const char *path, unsigned char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    long length = (long)fread(bytes, 1, room, file);
    fclose(file);
    return length;
}

/* Whatever a segment says about a real program, the result is a valid profile. */
static void a_damaged_segment_never_makes_a_damaged_profile(void **state)
{
    struct run *run = *state;
    static unsigned char good[1 << 16], bad[1 << 16];
    run_program(run, "recursion", -1);
    const char *path = scratch_path(&run->scratch, "recursion-0.seg");
    long length = read_file(path, good, sizeof good);
    srand(2);
    for (int round = 0; round < 150; round++) {
        memcpy(bad, good, (size_t)length);
        for (int i = 0; i < 1 + round % 20; i++) {
            long at = 4096 + rand() % (length - 4096);
            bad[at] = (unsigned char)(rand() % 3 ? bad[at] ^ (1 << rand() % 8) : rand());
        }
        scratch_write(scratch_path(&run->scratch, "recursion-0.seg"), bad, (size_t)length);
        run_collect(run);
        assert_int_equal(run->result.ranks, 1);
        assert_string_equal(run_text(run, "SELECT PRAGMA_INTEGRITY_CHECK.* FROM PRAGMA_INTEGRITY_CHECK"),
                            "ok");
        assert_int_equal(
            run_number(run, "SELECT count(*) FROM weft_event e LEFT JOIN weft_site s ON s.id = e.site WHERE "
                            "s.id IS NULL"),
            0);
        assert_int_equal(
            run_number(run,
                       "SELECT count(*) FROM proc LEFT JOIN procedure p ON p.id = caller WHERE caller IS "
                       "NOT NULL AND p.id IS NULL"),
            0);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(figure_12_gives_the_tables_of_figure_13),
        TEST(figure_12_answers_the_questions_of_6_4_1),
        TEST(own_time_is_without_what_is_called),
        TEST(everything_knows_its_procedure),
        TEST(all_ranks_are_one_program),
        TEST(without_debug_information_callers_are_their_program),
        TEST(a_recursive_call_has_no_record),
        TEST(mutually_recursive_procedures_are_one_to_everyone_outside),
        TEST(what_is_recursive_is_whole_in_its_event),
        TEST(calls_of_procedures_that_are_not_inlined),
        TEST(calls_of_inlined_procedures),
        TEST(calls_of_inlined_procedures_at_a_fixed_address),
        TEST(calls_of_inlined_procedures_in_dwarf_4),
        TEST(calls_of_inlined_procedures_with_link_time_optimisation),
        TEST(calls_of_inlined_procedures_by_clang),
        TEST(what_users_mark_stands_in_a_procedure),
        TEST(a_call_in_an_openmp_construct),
        TEST(a_call_in_an_openmp_construct_without_optimisation),
        TEST(a_call_in_an_argument_has_the_line_of_the_text),
        TEST(a_call_in_an_argument_without_optimisation),
        TEST(a_call_in_an_argument_by_clang),
        TEST(calls_by_pointers_are_recorded_where_they_happened),
        TEST(a_call_from_a_foreign_library_is_no_edge_of_the_text),
        TEST(a_library_has_tables_of_its_own),
        TEST(methods_overloads_lambdas_and_virtual_calls),
        TEST(methods_overloads_lambdas_and_virtual_calls_without_optimisation),
        TEST(procedures_of_fortran_known_by_their_address),
        TEST(procedures_in_procedures_of_fortran),
        TEST(a_damaged_segment_never_makes_a_damaged_profile),
    };
    return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
