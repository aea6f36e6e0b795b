/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of static tables, whole and broken, and the answers that the tables give.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/procedures.h"
#include "collect/tables.h"

struct fixture {
    struct wf_intern texts;
    struct wf_procedures procedures;
    struct wf_tables tables;
};

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    wf_tables_fini(&f->tables);
    wf_procedures_fini(&f->procedures);
    wf_intern_fini(&f->texts);
    free(f);
    return 0;
}

/* A copy of exactly these bytes, so that a sanitizer sees a step too far. */
static void read_bytes(struct fixture *f, const char *bytes, size_t length)
{
    char *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    assert_int_equal(wf_tables_read(&f->tables, &f->texts, &f->procedures, copy, length), 0);
    free(copy);
}

static void read_text(struct fixture *f, const char *text)
{
    read_bytes(f, text, strlen(text));
}

static void settle(struct fixture *f)
{
    assert_int_equal(wf_procedures_unify(&f->procedures, &f->texts), 0);
    assert_int_equal(wf_tables_settle(&f->tables, &f->texts, &f->procedures), 0);
}

static const char *text(const struct fixture *f, uint32_t number)
{
    return wf_intern_get(&f->texts, number);
}

static struct wf_table_place at(struct fixture *f, const char *file, uint32_t line)
{
    return (struct wf_table_place){wf_intern_add_text(&f->texts, file), line};
}

/* "outer>inner name callee", of the calls, in their order. */
static const char *calls(struct fixture *f)
{
    static char all[4096];
    all[0] = '\0';
    for (size_t i = 0; i < wf_tables_row_count(&f->tables); i++) {
        const struct wf_table_row *row = &f->tables.rows[i];
        if (row->kind != WF_TABLE_CALL)
            continue;
        const struct wf_procedure *callee =
            row->callee == WF_NO_PROCEDURE ? NULL : &f->procedures.items[row->callee];
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s:%u>%u %s", used ? ", " : "", text(f, row->outer.file),
                 row->outer.line, row->inner.line, text(f, row->name));
        used = strlen(all);
        if (callee)
            snprintf(all + used, sizeof all - used, "=%s:%u", text(f, callee->file), callee->line);
    }
    return all;
}

static void a_callee_is_one_of_the_unit_before_any_other(void **state)
{
    struct fixture *f = *state;
    read_text(
        f, "unit\t1\ta.c\np\t1\t10\thelp\t\tprobe\np\t2\t20\ta\t\tprobe\nc\t2\t21\thelp\t\nc\t2\t22\tfar\t\n"
           "c\t2\t23\tgone\t\n");
    read_text(f, "unit\t1\tb.c\np\t1\t30\thelp\t\tprobe\np\t2\t40\tfar\t\tprobe\nc\t2\t41\thelp\t\n");
    settle(f);
    assert_string_equal(calls(f),
                        "a.c:20>21 help=a.c:10, a.c:20>22 far=b.c:40, a.c:20>23 gone, b.c:40>41 help=b.c:30");
}

static void a_name_that_several_units_have_is_not_guessed(void **state)
{
    struct fixture *f = *state;
    read_text(f, "unit\t1\ta.c\np\t1\t10\thelp\t\tprobe\n");
    read_text(f, "unit\t1\tb.c\np\t1\t30\thelp\t\tprobe\n");
    read_text(f, "unit\t1\tc.c\np\t1\t1\tc\t\tprobe\nc\t1\t2\thelp\t\n");
    settle(f);
    assert_string_equal(calls(f), "c.c:1>2 help");
}

static void a_target_says_which_overload(void **state)
{
    struct fixture *f = *state;
    read_text(f, "unit\t1\ta.cc\np\t1\t10\tsize\t\tprobe\np\t2\t20\tsize\t\tprobe\nc\t2\t21\tsize\t\t1\n"
                 "c\t1\t11\tsize\t\nc\t1\t12\tsize\t\t77\n");
    settle(f);
    assert_string_equal(calls(f), "a.cc:10>11 size, a.cc:10>12 size, a.cc:20>21 size=a.cc:10");
}

static void a_header_in_two_units_is_there_once(void **state)
{
    struct fixture *f = *state;
    static const char header[] =
        "p\t7\t3\thelp\th.h\tleaf\nl\t8\t7\t4\tfor\th.h\tleaf\nm\t8\t5\tMPI_Send\th.h\n";
    char unit[512];
    for (int i = 0; i < 2; i++) {
        snprintf(unit, sizeof unit, "unit\t1\t%c.c\n%s", 'a' + i, header);
        read_text(f, unit);
    }
    settle(f);
    assert_int_equal(wf_tables_node_count(&f->tables), 2);
    assert_int_equal(wf_tables_row_count(&f->tables), 2);
    assert_int_equal(wf_procedures_count(&f->procedures), 1);
    assert_string_equal(text(f, f->tables.nodes[0].status), "leaf");
    assert_string_equal(text(f, f->tables.nodes[0].place.file), "h.h");
}

static void escaped_fields_are_what_they_were(void **state)
{
    struct fixture *f = *state;
    read_text(f, "unit\t1\ta\\tb\\\\c\\nd.c\np\t1\t1\tmain\t\tskipped:a \\\"strange\\\" one\n");
    settle(f);
    assert_string_equal(text(f, f->tables.nodes[0].place.file), "a\tb\\c\nd.c");
}

static void units_stand_behind_each_other_with_padding(void **state)
{
    struct fixture *f = *state;
    static const char section[] =
        "unit\t1\ta.c\np\t1\t1\ta\t\tprobe\n\0\0\0\0\0\0unit\t1\tb.c\np\t1\t1\tb\t\tprobe";
    read_bytes(f, section, sizeof section - 1); /* the last one without an end */
    settle(f);
    assert_int_equal(wf_tables_node_count(&f->tables), 2);
}

static void a_newer_version_is_left_out_and_counted(void **state)
{
    struct fixture *f = *state;
    read_text(f, "unit\t2\ta.c\np\t1\t1\ta\t\tprobe\n");
    read_text(f, "unit\t1\tb.c\np\t1\t1\tb\t\tprobe\n");
    settle(f);
    assert_int_equal(f->tables.newer, 1);
    assert_int_equal(wf_tables_node_count(&f->tables), 1);
}

static void what_makes_no_sense_is_passed_over(void **state)
{
    struct fixture *f = *state;
    read_text(f, "p\t1\t1\tbefore_any_unit\t\tprobe\n");
    read_text(
        f, "unit\nunit\tx\ty\nunit\t1\ta.c\n\n\t\t\t\nq\t1\t2\np\np\t1\np\tx\t1\tbad\t\tprobe\n"
           "p\t1\t-1\tbad\t\tprobe\np\t1\t99999999999\tbad\t\tprobe\np\t1\t5\tgood\np\t1\t6\tagain\t\tprobe\n"
           "l\t2\t99\t7\tfor\t\tprobe\nl\t3\t3\t8\tfor\t\tprobe\nl\t4\t5\t9\tfor\t\tprobe\nl\t5\t4\t9\tfor\t"
           "\tprobe\n"
           "l\t6\t1\nl\t7\t1\t12\tfor\nm\t2\t1\tMPI_Send\t\nm\t50\t1\tMPI_Send\t\nm\t1\nc\t1\t5\n"
           "c\t7\t13\tgood\t\t7\nc\t1\t14\t*\ta\tb\tc\td\te\tf\tg\th\ti\tj");
    settle(f);
    assert_int_equal(wf_tables_node_count(&f->tables), 2); /* good, and its loop in line 12 */
    assert_int_equal(wf_tables_row_count(&f->tables), 3);
    assert_string_equal(calls(f), "a.c:12>13 good=a.c:5, a.c:5>14 *");
}

static void a_chain_of_many_loops_is_walked_once(void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 50000 };
    char *unit = malloc(COUNT * 40 + 100), *end = unit;
    end += sprintf(end, "unit\t1\ta.c\n");
    for (int i = COUNT; i > 1; i--) /* the innermost first */
        end += sprintf(end, "l\t%d\t%d\t%d\tfor\t\tprobe\n", i, i - 1, i);
    sprintf(end, "p\t1\t1\tmain\t\tprobe\n");
    read_text(f, unit);
    settle(f);
    assert_int_equal(wf_tables_node_count(&f->tables), COUNT);
    assert_int_equal(wf_tables_row_count(&f->tables), COUNT - 1);
    free(unit);
}

static void questions_about_places(void **state)
{
    struct fixture *f = *state;
    read_text(f,
              "unit\t1\ta.c\np\t1\t10\tfirst\t\tprobe\nl\t2\t1\t12\tfor\t\tprobe\np\t3\t20\tsecond\t\tprobe\n"
              "c\t2\t13\tsecond\t\t3\n");
    settle(f);
    uint32_t first = f->tables.nodes[0].procedure, second = f->tables.nodes[2].procedure;
    uint32_t loop = wf_intern_add_text(&f->texts, "for"), other = wf_intern_add_text(&f->texts, "while");
    assert_int_equal(wf_tables_procedure_of_loop(&f->tables, at(f, "a.c", 12), loop), first);
    assert_int_equal(wf_tables_procedure_of_loop(&f->tables, at(f, "a.c", 12), other), WF_NO_PROCEDURE);
    assert_int_equal(wf_tables_procedure_of_loop(&f->tables, at(f, "a.c", 20), loop), WF_NO_PROCEDURE);
    assert_int_equal(wf_tables_procedure_of_call(&f->tables, &f->procedures, at(f, "a.c", 13), second),
                     first);
    assert_int_equal(wf_tables_procedure_of_call(&f->tables, &f->procedures, at(f, "a.c", 13), first),
                     WF_NO_PROCEDURE);
    assert_int_equal(wf_tables_procedure_around(&f->tables, at(f, "a.c", 9)), WF_NO_PROCEDURE);
    assert_int_equal(wf_tables_procedure_around(&f->tables, at(f, "a.c", 15)), first);
    assert_int_equal(wf_tables_procedure_around(&f->tables, at(f, "a.c", 1000)), second);
    assert_int_equal(wf_tables_procedure_around(&f->tables, at(f, "b.c", 15)), WF_NO_PROCEDURE);
}

static void without_tables_every_question_has_an_answer(void **state)
{
    struct fixture *f = *state;
    uint32_t name = wf_intern_add_text(&f->texts, "f"), callee;
    assert_int_equal(wf_procedures_add_instrumented(&f->procedures, name, name, 3, &callee), 0);
    settle(f);
    assert_int_equal(wf_tables_call_line(&f->tables, &f->procedures, at(f, "a.c", 5), callee, callee), 5);
    assert_int_equal(wf_tables_com_line(&f->tables, at(f, "a.c", 5), callee, name), 5);
    assert_int_equal(wf_tables_procedure_around(&f->tables, at(f, "a.c", 5)), WF_NO_PROCEDURE);
    assert_int_equal(wf_tables_procedure_of_loop(&f->tables, at(f, "a.c", 5), name), WF_NO_PROCEDURE);
    assert_int_equal(wf_tables_add_call(&f->tables, &f->procedures, at(f, "a.c", 5), callee, callee), 0);
    assert_int_equal(wf_tables_dynamic_count(&f->tables), 0);
}

static void anything_in_the_section_is_survived(void **state)
{
    static const char *const pieces[] = {"unit\t1\t", "p\t", "l\t", "m\t", "c\t", "\t",  "\n",   "1",
                                         "2",         "3",   "for", "*",   "\\",  "a.c", "\xff", "probe"};
    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        struct fixture f = {0};
        char section[2000];
        size_t length = 0, wanted = (size_t)rand() % sizeof section;
        while (length < wanted) {
            const char *piece = pieces[(size_t)rand() % (sizeof pieces / sizeof *pieces)];
            size_t bytes = strlen(piece);
            if (rand() % 50 == 0 || length + bytes > sizeof section)
                section[length++] = (char)(rand() % 3);
            else
                memcpy(section + length, piece, bytes), length += bytes;
        }
        read_bytes(&f, section, length);
        settle(&f);
        for (size_t i = 0; i < wf_procedures_count(&f.procedures); i++)
            assert_int_equal(wf_tables_add_call(&f.tables, &f.procedures, at(&f, "a.c", (uint32_t)rand() % 4),
                                                (uint32_t)i, (uint32_t)i),
                             0);
        wf_tables_fini(&f.tables);
        wf_procedures_fini(&f.procedures);
        wf_intern_fini(&f.texts);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_callee_is_one_of_the_unit_before_any_other),
        TEST(a_name_that_several_units_have_is_not_guessed),
        TEST(a_target_says_which_overload),
        TEST(a_header_in_two_units_is_there_once),
        TEST(escaped_fields_are_what_they_were),
        TEST(units_stand_behind_each_other_with_padding),
        TEST(a_newer_version_is_left_out_and_counted),
        TEST(what_makes_no_sense_is_passed_over),
        TEST(a_chain_of_many_loops_is_walked_once),
        TEST(questions_about_places),
        TEST(without_tables_every_question_has_an_answer),
        TEST(anything_in_the_section_is_survived),
    };
    return cmocka_run_group_tests_name("tables", tests, NULL, NULL);
}
