/* SPDX-License-Identifier: BSD-3-Clause
 *
 * In a quiet stretch no handler runs and no thread is cancelled; afterwards all is as it was, and what was held back
 * happens.
 */
#include "testing.h"

#include <stdbool.h>
#include <unistd.h>

#include "base/quiet.h"

static volatile sig_atomic_t handled;

static void count_signal(int number)
{
    (void)number;
    handled++;
}

static void signals_wait_until_the_end(void **state)
{
    (void)state;
    struct wf_quiet quiet;
    signal(SIGUSR1, count_signal);
    wf_quiet_begin(&quiet);
    raise(SIGUSR1);
    assert_int_equal(handled, 0);
    wf_quiet_end(&quiet);
    assert_int_equal(handled, 1);
}

static void what_the_application_has_blocked_stays_blocked(void **state)
{
    (void)state;
    struct wf_quiet quiet;
    sigset_t two, now;
    sigemptyset(&two);
    sigaddset(&two, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &two, NULL);
    wf_quiet_begin(&quiet);
    wf_quiet_end(&quiet);
    pthread_sigmask(SIG_UNBLOCK, &two, &now);
    assert_true(sigismember(&now, SIGUSR2));
    assert_false(sigismember(&now, SIGUSR1));
}

static void errno_is_what_it_was(void **state)
{
    (void)state;
    struct wf_quiet quiet;
    errno = EXDEV;
    wf_quiet_begin(&quiet);
    errno = EIO;
    wf_quiet_end(&quiet);
    assert_int_equal(errno, EXDEV);
}

static struct cancelled {
    int type;                  /* how the thread may be cancelled */
    _Atomic bool inside, sent; /* it is in the quiet stretch; its cancelling has been asked for */
    bool quiet, ended, later;  /* it was cancelled nowhere before the first, the second; the third */
} cancelled;

static void *be_cancelled(void *context)
{
    struct wf_quiet quiet;
    int type;
    (void)context;
    pthread_setcanceltype(cancelled.type, NULL);
    wf_quiet_begin(&quiet);
    cancelled.inside = true;
    while (!cancelled.sent)
        usleep(100); /* could be cancelled here */
    pthread_testcancel();
    cancelled.quiet = true;
    wf_quiet_end(&quiet);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    cancelled.ended = type == cancelled.type;
    pthread_testcancel();
    cancelled.later = true;
    return NULL;
}

static void cancel_in_a_quiet_stretch(int type)
{
    pthread_t thread;
    void *result;
    cancelled = (struct cancelled){.type = type};
    assert_int_equal(pthread_create(&thread, NULL, be_cancelled, NULL), 0);
    while (!cancelled.inside)
        usleep(100);
    assert_int_equal(pthread_cancel(thread), 0);
    cancelled.sent = true;
    pthread_join(thread, &result);
    assert_ptr_equal(result, PTHREAD_CANCELED);
    assert_true(cancelled.quiet);
    assert_false(cancelled.later);
}

static void a_thread_is_cancelled_afterwards(void **state)
{
    (void)state;
    cancel_in_a_quiet_stretch(PTHREAD_CANCEL_DEFERRED);
    assert_true(cancelled.ended); /* it went on to where it could be cancelled */
}

static void a_thread_that_may_be_cancelled_anywhere_is_so_at_the_end(void **state)
{
    (void)state;
    cancel_in_a_quiet_stretch(PTHREAD_CANCEL_ASYNCHRONOUS);
    assert_false(cancelled.ended);
}

static void a_lock_is_held_in_quiet_only(void **state)
{
    (void)state;
    struct wf_quiet quiet;
    struct wf_lock lock = {0};
    handled = 0;
    wf_quiet_lock(&quiet, &lock);
    raise(SIGUSR1);
    assert_false(wf_lock_try(&lock));
    assert_int_equal(handled, 0);
    wf_quiet_unlock(&quiet, &lock);
    assert_int_equal(handled, 1);
    assert_true(wf_lock_try(&lock));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_wait_until_the_end),
        cmocka_unit_test(what_the_application_has_blocked_stays_blocked),
        cmocka_unit_test(errno_is_what_it_was),
        cmocka_unit_test(a_thread_is_cancelled_afterwards),
        cmocka_unit_test(a_thread_that_may_be_cancelled_anywhere_is_so_at_the_end),
        cmocka_unit_test(a_lock_is_held_in_quiet_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
