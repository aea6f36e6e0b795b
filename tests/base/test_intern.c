/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Equal bytes have one number, whatever they are and however many there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

static void an_empty_one_knows_nothing(void **state)
{
    (void)state;
    struct wf_intern intern = {0};
    assert_int_equal(wf_intern_find(&intern, "a", 1), WF_INTERN_NONE);
    assert_int_equal(intern.count, 0);
    wf_intern_fini(&intern);
}

static void numbers_run_in_the_order_of_arrival(void **state)
{
    (void)state;
    struct wf_intern intern = {0};
    assert_int_equal(wf_intern_add_text(&intern, "b"), 0);
    assert_int_equal(wf_intern_add_text(&intern, "a"), 1);
    assert_int_equal(wf_intern_add_text(&intern, ""), 2);
    assert_int_equal(wf_intern_add_text(&intern, "b"), 0);
    assert_int_equal(intern.count, 3);
    assert_string_equal(wf_intern_get(&intern, 1), "a");
    assert_string_equal(wf_intern_get(&intern, 2), "");
    wf_intern_fini(&intern);
}

static void bytes_may_hold_zeros(void **state)
{
    (void)state;
    struct wf_intern intern = {0};
    assert_int_equal(wf_intern_add(&intern, "a\0b", 3), 0);
    assert_int_equal(wf_intern_add(&intern, "a\0c", 3), 1);
    assert_int_equal(wf_intern_add(&intern, "a", 1), 2);
    assert_int_equal(wf_intern_find(&intern, "a\0b", 3), 0);
    assert_memory_equal(wf_intern_get(&intern, 1), "a\0c", 4);
    wf_intern_fini(&intern);
}

static void many_are_all_found_again(void **state)
{
    (void)state;
    struct wf_intern intern = {0};
    for (uint32_t i = 0; i < 20000; i++)
        assert_int_equal(wf_intern_add(&intern, &i, sizeof i), i);
    for (uint32_t i = 0; i < 20000; i++) {
        assert_int_equal(wf_intern_find(&intern, &i, sizeof i), i);
        assert_memory_equal(wf_intern_get(&intern, i), &i, sizeof i);
    }
    uint32_t other = 20000;
    assert_int_equal(wf_intern_find(&intern, &other, sizeof other), WF_INTERN_NONE);
    wf_intern_fini(&intern);
}

static void a_new_number_gets_its_item_and_a_known_one_keeps_it(void **state)
{
    (void)state;
    struct wf_intern intern = {0};
    double *items = NULL;
    size_t capacity = 0;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < 100; i++) {
            double item = round * 1000 + i;
            assert_int_equal(WF_INTERN_ADD_ITEM(&intern, &i, items, capacity, &item), i);
        }
    assert_int_equal(intern.count, 100);
    for (uint32_t i = 0; i < 100; i++)
        assert_true(items[i] == i);
    free(items);
    wf_intern_fini(&intern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_knows_nothing),
        cmocka_unit_test(numbers_run_in_the_order_of_arrival),
        cmocka_unit_test(bytes_may_hold_zeros),
        cmocka_unit_test(many_are_all_found_again),
        cmocka_unit_test(a_new_number_gets_its_item_and_a_known_one_keeps_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
