/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pool gives each cell to one taker at a time, where it was before, and not more than its limit.
 */
#include "testing.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/pool.h"

struct cell {
    uint64_t key;
    uint64_t kept;
    char odd[3];
};

static void release_cells(struct wf_pool *pool)
{
    wf_memory_release(pool->cells, (size_t)pool->limit * pool->cell_bytes);
}

static void new_cells_are_zero_and_do_not_overlap(void **state)
{
    (void)state;
    struct wf_pool pool = WF_POOL(struct cell, 1000);
    struct cell *cells[1000];
    for (uint64_t i = 0; i < 1000; i++) {
        cells[i] = wf_pool_take(&pool);
        assert_non_null(cells[i]);
        assert_int_equal((uintptr_t)cells[i] % 8, 0);
        assert_int_equal(cells[i]->key + cells[i]->kept, 0);
        *cells[i] = (struct cell){.key = i, .kept = i, .odd = "ab"};
    }
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(cells[i]->key == i && cells[i]->kept == i && cells[i]->odd[1] == 'b');
    release_cells(&pool);
}

static void no_more_than_the_limit(void **state)
{
    (void)state;
    struct wf_pool pool = WF_POOL(struct cell, 2);
    void *first = wf_pool_take(&pool), *second = wf_pool_take(&pool);
    assert_non_null(second);
    assert_null(wf_pool_take(&pool));
    wf_pool_give(&pool, first);
    assert_ptr_equal(wf_pool_take(&pool), first);
    assert_null(wf_pool_take(&pool));
    release_cells(&pool);
}

static void the_last_one_given_is_taken_first_as_it_was(void **state)
{
    (void)state;
    struct wf_pool pool = WF_POOL(struct cell, 10);
    struct cell *first = wf_pool_take(&pool), *second = wf_pool_take(&pool);
    first->kept = 1;
    second->kept = 2;
    wf_pool_give(&pool, first);
    wf_pool_give(&pool, second);
    assert_ptr_equal(wf_pool_take(&pool), second);
    assert_ptr_equal(wf_pool_take(&pool), first);
    assert_int_equal(first->kept, 1);
    assert_int_equal(second->kept, 2);
    assert_int_equal(pool.used, 2);
    release_cells(&pool);
}

/* Each cell holds its place in `taken`, so that one given to two takers is found. */
static void any_order_of_taking_and_giving(void **state)
{
    (void)state;
    enum { LIMIT = 100 };
    struct wf_pool pool = WF_POOL(struct cell, LIMIT);
    struct cell *taken[LIMIT];
    uint64_t count = 0;
    srand(1);
    for (int step = 0; step < 100000; step++) {
        if (rand() % 2) {
            struct cell *cell = wf_pool_take(&pool);
            assert_true((cell == NULL) == (count == LIMIT));
            if (cell) {
                cell->key = cell->kept = count;
                taken[count++] = cell;
            }
        } else if (count) {
            count--;
            assert_true(taken[count]->key == count && taken[count]->kept == count);
            wf_pool_give(&pool, taken[count]);
        }
    }
    release_cells(&pool);
}

static void without_memory_there_is_no_cell(void **state)
{
    (void)state;
    struct wf_pool pool = WF_POOL(struct cell, 1000);
    errno = EXDEV;
    struct rlimit limit = take_all_memory();
    void *none = wf_pool_take(&pool);
    give_memory_back(limit);
    assert_null(none);
    assert_int_equal(errno, EXDEV);
    assert_non_null(wf_pool_take(&pool));
    release_cells(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_cells_are_zero_and_do_not_overlap),
        cmocka_unit_test(no_more_than_the_limit),
        cmocka_unit_test(the_last_one_given_is_taken_first_as_it_was),
        cmocka_unit_test(any_order_of_taking_and_giving),
        cmocka_unit_test(without_memory_there_is_no_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
