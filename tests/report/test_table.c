/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/text_table.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "testing.h"

static const struct wf_column columns[] = {{"n", true, WF_CUT_NEVER},
                                           {"place", false, WF_CUT_PATH},
                                           {"procedure", false, WF_CUT_NAME},
                                           {"", false, WF_CUT_NEVER}};

/* What a table of these rows looks like on a page of that width. */
static char *draw(int width, const char *const (*rows)[4], size_t count)
{
    struct wf_page page;
    struct wf_text_table table;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    wf_page_init(&page, out, width);
    page.colour = false;
    wf_text_table_init(&table, &page, columns, 4, 2);
    for (size_t i = 0; i < count; i++)
        for (int j = 0; j < 4; j++)
            wf_text_table_add(&table, WF_PLAIN, "%s", rows[i][j]);
    wf_text_table_print(&table);
    wf_text_table_free(&table);
    fclose(out);
    return text;
}

static void columns_are_aligned(void **state)
{
    static const char *const rows[][4] = {{"1", "a.c:1", "main", "x"}, {"1,000", "b.c:22", "", ""}};
    char *text = draw(80, rows, 2);
    (void)state;
    assert_string_equal(text, "      n  place   procedure\n"
                              "      1  a.c:1   main       x\n"
                              "  1,000  b.c:22\n");
    free(text);
}

static void long_cells_are_cut(void **state)
{
    static const char *const rows[][4] = {{"1", "/home/somebody/projects/simulation/source/solver/heat.c:1",
                                           "a::very::long::name::of::a::procedure::indeed", "x"}};
    char *text = draw(72, rows, 1);
    (void)state;
    assert_string_equal(text, "  n  place                                procedure\n"
                              "  1  …/simulation/source/solver/heat.c:1  …::of::a::procedure::indeed  x\n");
    free(text);
}

static void lines_are_broken_between_words(void **state)
{
    struct wf_page page;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    (void)state;
    wf_page_init(&page, out, 1);
    assert_int_equal(page.width, WF_PAGE_NARROWEST);
    page.width = 12;
    wf_page_wrap(&page, WF_PLAIN, "! ", "one two  three averyveryverylongword");
    fclose(out);
    assert_string_equal(text, "! one two\n  three\n  averyveryv\n  erylongwor\n  d\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_aligned),
                                       cmocka_unit_test(long_cells_are_cut),
                                       cmocka_unit_test(lines_are_broken_between_words)};
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
