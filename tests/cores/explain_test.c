/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread was without a core behind a call, while weft was at work, is no part of the call, and no cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/clock/clock.h"
#include "measure/clock/limits.h"
#include "measure/event/explain.h"
#include "measure/process/core.h"

#define LOST_NS 20000000u

struct wf_process wf_process;

static struct wf_lane_record record;
static struct wf_lane lane = {.record = &record};

static uint64_t ns_without_core(void)
{
    unsigned long long ran = 0, delayed = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file || fscanf(file, "%llu %llu", &ran, &delayed) != 2)
        skip();
    fclose(file);
    return delayed;
}

/* Another process on the same core. */
static pid_t start_other(void)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    pid_t other = fork();
    while (other == 0)
        ;
    return other;
}

static void lose_core(void)
{
    for (uint64_t since = ns_without_core(); ns_without_core() - since < LOST_NS;)
        ;
}

static struct wf_idle_ticks explain(uint64_t end)
{
    struct wf_site site = {.record = &(struct wf_site_record){.calls = 1}};
    uint64_t took = wf_limits_ticks(10 * (uint64_t)LOST_NS);
    struct wf_explain x = {.site = &site, .end = end, .took = took, .rest = took, .own = true};
    return wf_event_explain(&lane, &x);
}

static uint64_t without_behind(uint64_t end)
{
    uint64_t now = wf_clock_ticks();
    return wf_event_without_core(&lane, now - end, now);
}

static void a_core_that_is_lost_behind_a_call_is_not_lost_in_it(void **state)
{
    (void)state;
    wf_core_look(&lane, wf_clock_ticks());
    uint64_t end = wf_clock_ticks(), lost = wf_limits_ticks(LOST_NS);
    lose_core();
    assert_in_range(explain(end).no_core, 0, lost / 4);
    assert_in_range(without_behind(end), lost, UINT64_MAX);
}

static void a_core_that_is_lost_in_a_call_is_not_lost_behind_it(void **state)
{
    (void)state;
    wf_core_look(&lane, wf_clock_ticks());
    uint64_t lost = wf_limits_ticks(LOST_NS);
    lose_core();
    uint64_t end = wf_clock_ticks(), in = explain(end).no_core, behind = without_behind(end);
    assert_in_range(in + behind, lost, UINT64_MAX);
    assert_in_range(behind, 0, wf_clock_ticks() - end); /* this very test may lose its core anywhere */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_core_that_is_lost_behind_a_call_is_not_lost_in_it),
                                       cmocka_unit_test(a_core_that_is_lost_in_a_call_is_not_lost_behind_it)};
    pid_t other = start_other();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    return failed;
}
