/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Items are sorted, and what names them by their numbers follows them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/order.h"

static int compare_letters(const void *a, const void *b, void *context)
{
    const char *const *letters = context;
    return (*letters)[*(const uint32_t *)a] - (*letters)[*(const uint32_t *)b];
}

static void numbers_are_sorted_by_what_they_stand_for(void **state)
{
    (void)state;
    const char *letters = "cadb";
    uint32_t *order = wf_order_new(4, compare_letters, &letters);
    static const uint32_t expected[] = {1, 3, 0, 2};
    assert_memory_equal(order, expected, sizeof expected);
    free(order);
}

static void nothing_can_be_sorted(void **state)
{
    (void)state;
    const char *letters = NULL;
    uint32_t *order = wf_order_new(0, compare_letters, &letters);
    assert_non_null(order);
    free(order);
    char *items = NULL;
    assert_int_equal(wf_order_sort(&items, 0, 1, compare_letters, &items, NULL, 0), 0);
    free(items);
}

static void references_follow_their_items(void **state)
{
    (void)state;
    char *items = malloc(4);
    items[0] = 'c', items[1] = 'a', items[2] = 'd', items[3] = 'b';
    uint32_t references[] = {0, 1, 2, 3, 2, 0};
    assert_int_equal(wf_order_sort(&items, 4, 1, compare_letters, &items, references, 6), 0);
    assert_memory_equal(items, "abcd", 4);
    static const char expected[] = "cadbdc";
    for (int i = 0; i < 6; i++)
        assert_int_equal(items[references[i]], expected[i]);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_sorted_by_what_they_stand_for),
        cmocka_unit_test(nothing_can_be_sorted),
        cmocka_unit_test(references_follow_their_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
