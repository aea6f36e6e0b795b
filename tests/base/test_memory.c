/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory from the kernel is zero, keeps what is in it when it grows, and leaves errno alone.
 */
#include "testing.h"

#include <string.h>

#include "base/memory.h"

static void memory_is_zero(void **state)
{
    (void)state;
    char *memory = wf_memory_pages(100000);
    assert_non_null(memory);
    for (int i = 0; i < 100000; i++)
        assert_int_equal(memory[i], 0);
    wf_memory_release(memory, 100000);
}

static void releasing_nothing_does_nothing(void **state)
{
    (void)state;
    wf_memory_release(NULL, 4096);
}

static void resized_memory_keeps_its_content(void **state)
{
    (void)state;
    char *memory = wf_memory_resize(NULL, 0, 8192);
    memset(memory, 'a', 8192);
    memory = wf_memory_resize(memory, 8192, 1 << 20);
    assert_non_null(memory);
    for (int i = 0; i < 1 << 20; i++)
        assert_int_equal(memory[i], i < 8192 ? 'a' : 0);
    wf_memory_release(memory, 1 << 20);
}

static void too_much_is_none(void **state)
{
    (void)state;
    char *memory = wf_memory_pages(4096);
    errno = EXDEV;
    assert_null(wf_memory_pages(SIZE_MAX / 2));
    assert_null(wf_memory_resize(memory, 4096, (SIZE_MAX / 2) & ~(size_t)4095));
    assert_int_equal(errno, EXDEV);
    memory[4095] = 1;
    wf_memory_release(memory, 4096);
    assert_int_equal(errno, EXDEV);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zero),
        cmocka_unit_test(releasing_nothing_does_nothing),
        cmocka_unit_test(resized_memory_keeps_its_content),
        cmocka_unit_test(too_much_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
