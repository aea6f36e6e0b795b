/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays grow as far as they are asked to, keep what they hold, and are untouched where there is no memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "base/array.h"

struct list {
    int *items;
    size_t count, capacity;
};

static void an_empty_array_gets_room_even_for_nothing(void **state)
{
    (void)state;
    struct list list = {0};
    assert_int_equal(WF_ARRAY_RESERVE(list.items, list.capacity, 0), 0);
    assert_non_null(list.items);
    free(list.items);
}

static void items_survive_growing(void **state)
{
    (void)state;
    struct list list = {0};
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(WF_ARRAY_RESERVE(list.items, list.capacity, list.count + 1), 0);
        list.items[list.count++] = i;
    }
    assert_true(list.capacity >= list.count && list.capacity < 2 * list.count + 16);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list.items[i], i);
    free(list.items);
}

static void room_that_is_there_moves_nothing(void **state)
{
    (void)state;
    struct list list = {0};
    assert_int_equal(WF_ARRAY_RESERVE(list.items, list.capacity, 100), 0);
    int *before = list.items;
    size_t capacity = list.capacity;
    assert_int_equal(WF_ARRAY_RESERVE(list.items, list.capacity, capacity), 0);
    assert_ptr_equal(list.items, before);
    assert_int_equal(list.capacity, capacity);
    free(list.items);
}

static void what_cannot_be_had_changes_nothing(void **state)
{
    (void)state;
    struct list list = {0};
    assert_int_equal(WF_ARRAY_RESERVE(list.items, list.capacity, 1), 0);
    list.items[0] = 7;
    size_t capacity = list.capacity;
    assert_int_equal(WF_ARRAY_RESERVE(list.items, list.capacity, SIZE_MAX / sizeof(int) + 1), -1);
    assert_int_equal(WF_ARRAY_RESERVE(list.items, list.capacity, SIZE_MAX), -1);
    assert_int_equal(list.capacity, capacity);
    assert_int_equal(list.items[0], 7);
    free(list.items);
}

static void an_array_without_a_capacity_grows_by_its_count(void **state)
{
    (void)state;
    int *items = NULL;
    for (size_t count = 0; count < 1000; count++) {
        items = wf_array_grow(items, count, sizeof *items);
        assert_non_null(items);
        items[count] = (int)count;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(items[i], i);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_array_gets_room_even_for_nothing),
        cmocka_unit_test(items_survive_growing),
        cmocka_unit_test(room_that_is_there_moves_nothing),
        cmocka_unit_test(what_cannot_be_had_changes_nothing),
        cmocka_unit_test(an_array_without_a_capacity_grows_by_its_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
