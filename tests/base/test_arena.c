/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Parts of an arena are zero, do not overlap whatever thread takes them, and end at the file's limit.
 */
#include "testing.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "place.h"

static char *at(const struct wf_arena *arena, uint32_t offset)
{
    return arena->file.base + (size_t)offset * WF_ARENA_UNIT;
}

static void the_first_part_is_the_callers(void **state)
{
    (void)state;
    struct wf_arena arena = {0};
    assert_int_equal(wf_arena_create(&arena, &place, "first", 1 << 20, 1000), 0);
    memset(arena.file.base, 'a', 1000);
    uint32_t offset = wf_arena_add(&arena, 1);
    assert_true((size_t)offset * WF_ARENA_UNIT >= 1000);
    assert_int_equal(*at(&arena, offset), 0);
    wf_arena_remove(&arena);
    assert_null(arena.file.base);
}

static void what_does_not_fit_is_not_given(void **state)
{
    (void)state;
    struct wf_arena arena = {0};
    assert_int_equal(wf_arena_create(&arena, &place, "small", 128 << 10, 64), 0);
    errno = EXDEV;
    assert_int_equal(wf_arena_add(&arena, 1 << 20), 0);
    assert_int_not_equal(wf_arena_add(&arena, 100 << 10), 0);
    assert_int_equal(wf_arena_add(&arena, 100 << 10), 0);
    assert_int_not_equal(wf_arena_add(&arena, 64), 0);
    assert_int_equal(errno, EXDEV);
    wf_arena_remove(&arena);
}

static void a_file_that_exists_makes_no_arena(void **state)
{
    (void)state;
    struct wf_arena arena = {0}, second = {0};
    assert_int_equal(wf_arena_create(&arena, &place, "exists", 1 << 20, 64), 0);
    assert_int_equal(wf_arena_create(&second, &place, "exists", 1 << 20, 64), EEXIST);
    wf_arena_remove(&arena);
}

enum { THREADS = 4, PARTS = 2000 };

struct taker {
    struct wf_arena *arena;
    char mark;
    const char *parts[PARTS];
    uint32_t dirty;
};

/* Of 1 to 3 units; each holds its taker's mark from its begin to its end. */
static void *take_parts(void *context)
{
    struct taker *taker = context;
    for (uint32_t i = 0; i < PARTS; i++) {
        size_t bytes = (1 + i % 3) * WF_ARENA_UNIT;
        char *part = at(taker->arena, wf_arena_add(taker->arena, bytes));
        for (size_t b = 0; b < bytes; b++)
            taker->dirty += part[b] != 0;
        memset(part, taker->mark, bytes);
        taker->parts[i] = part;
    }
    return NULL;
}

static void threads_get_parts_of_their_own(void **state)
{
    (void)state;
    struct wf_arena arena = {0};
    static struct taker takers[THREADS];
    pthread_t threads[THREADS];
    assert_int_equal(wf_arena_create(&arena, &place, "threads", 4 << 20, 64), 0);
    for (int t = 0; t < THREADS; t++) {
        takers[t] = (struct taker){.arena = &arena, .mark = (char)('a' + t)};
        assert_int_equal(pthread_create(&threads[t], NULL, take_parts, &takers[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(takers[t].dirty, 0);
        for (uint32_t i = 0; i < PARTS; i++) {
            const char *part = takers[t].parts[i];
            size_t bytes = (1 + i % 3) * WF_ARENA_UNIT;
            assert_true(part[0] == takers[t].mark && memcmp(part, part + 1, bytes - 1) == 0);
        }
    }
    wf_arena_remove(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_part_is_the_callers),
        cmocka_unit_test(what_does_not_fit_is_not_given),
        cmocka_unit_test(a_file_that_exists_makes_no_arena),
        cmocka_unit_test(threads_get_parts_of_their_own),
    };
    return cmocka_run_group_tests(tests, place_begin, place_end);
}
