/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The search tells how many items come before what is sought, whatever their number and wherever that is.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/bisection.h"

static size_t count_before(const int *items, size_t count, int sought)
{
    struct wf_bisection b = {.high = count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, items[b.middle] < sought);
    return b.low;
}

static void nothing_is_before_anything(void **state)
{
    (void)state;
    assert_int_equal(count_before(NULL, 0, 1), 0);
}

static void each_place_is_found_in_arrays_of_each_size(void **state)
{
    (void)state;
    int items[20];
    for (int i = 0; i < 20; i++)
        items[i] = 2 * i;
    for (size_t count = 1; count <= 20; count++)
        for (int sought = -1; sought <= 41; sought++) {
            size_t expected = 0;
            while (expected < count && items[expected] < sought)
                expected++;
            assert_int_equal(count_before(items, count, sought), expected);
        }
}

static void of_equal_items_the_first_is_found(void **state)
{
    (void)state;
    static const int items[] = {1, 3, 3, 3, 3, 5};
    assert_int_equal(count_before(items, 6, 3), 1);
    assert_int_equal(count_before(items, 6, 4), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_before_anything),
        cmocka_unit_test(each_place_is_found_in_arrays_of_each_size),
        cmocka_unit_test(of_equal_items_the_first_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
