/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One thread at a time has a lock, also where there are more threads than cores.
 */
#include "testing.h"

#include <pthread.h>

#include "base/lock.h"

static void a_lock_is_free_until_it_is_taken(void **state)
{
    (void)state;
    struct wf_lock lock = {0};
    assert_true(wf_lock_try(&lock));
    assert_false(wf_lock_try(&lock));
    wf_lock_give(&lock);
    wf_lock_take(&lock);
    assert_false(wf_lock_try(&lock));
    wf_lock_give(&lock);
    assert_true(wf_lock_try(&lock));
}

enum { THREADS = 6, ROUNDS = 20000 };

static struct shared {
    struct wf_lock lock;
    uint64_t count, again; /* neither is atomic */
    uint64_t differences;
} shared;

static void *count_up(void *context)
{
    (void)context;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2 || !wf_lock_try(&shared.lock))
            wf_lock_take(&shared.lock);
        shared.differences += shared.count != shared.again;
        shared.count++;
        shared.again++;
        wf_lock_give(&shared.lock);
    }
    return NULL;
}

static void only_one_thread_has_it(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, count_up, NULL), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    assert_int_equal(shared.count, THREADS * ROUNDS);
    assert_int_equal(shared.differences, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_free_until_it_is_taken),
        cmocka_unit_test(only_one_thread_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
