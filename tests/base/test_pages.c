/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A growing array keeps what is in it, is zero behind that, and stays as it is when there is no memory.
 */
#include "testing.h"

#include <stdbool.h>

#include "base/memory.h"
#include "base/pages.h"

static void an_empty_array_has_no_memory(void **state)
{
    (void)state;
    struct wf_pages pages = {0};
    assert_true(wf_pages_reserve(&pages, 0));
    assert_null(pages.memory);
}

static void content_is_kept_and_the_rest_is_zero(void **state)
{
    (void)state;
    struct wf_pages pages = {0};
    uint32_t count = 300000;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(wf_pages_reserve(&pages, (i + 1) * sizeof i));
        uint32_t *numbers = pages.memory;
        assert_int_equal(numbers[i], 0);
        numbers[i] = i + 1;
    }
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(((uint32_t *)pages.memory)[i], i + 1);
    wf_memory_release(pages.memory, pages.bytes);
}

static void it_grows_by_doubling(void **state)
{
    (void)state;
    struct wf_pages pages = {0};
    size_t growths = 0, before = 0;
    for (size_t bytes = 1; bytes <= 1 << 20; bytes += 100) {
        assert_true(wf_pages_reserve(&pages, bytes));
        assert_true(pages.bytes >= bytes);
        growths += pages.bytes != before;
        before = pages.bytes;
    }
    assert_int_equal(growths, 9); /* from 4 KiB to 1 MiB */
    wf_memory_release(pages.memory, pages.bytes);
}

static void without_memory_it_stays_as_it_is(void **state)
{
    (void)state;
    struct wf_pages pages = {0};
    assert_true(wf_pages_reserve(&pages, 4096));
    ((char *)pages.memory)[4095] = 'z';
    struct wf_pages before = pages;
    errno = EXDEV;
    struct rlimit limit = take_all_memory();
    bool grown = wf_pages_reserve(&pages, 1 << 24);
    give_memory_back(limit);
    assert_false(grown);
    assert_false(wf_pages_reserve(&pages, SIZE_MAX));
    assert_int_equal(errno, EXDEV);
    assert_ptr_equal(pages.memory, before.memory);
    assert_int_equal(pages.bytes, before.bytes);
    assert_int_equal(((char *)pages.memory)[4095], 'z');
    wf_memory_release(pages.memory, pages.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_array_has_no_memory),
        cmocka_unit_test(content_is_kept_and_the_rest_is_zero),
        cmocka_unit_test(it_grows_by_doubling),
        cmocka_unit_test(without_memory_it_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
