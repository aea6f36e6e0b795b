/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is said about a line of the cache changes nothing in it, on any processor.
 */
#include "testing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/line.h"

static void a_line_keeps_its_content(void **state)
{
    (void)state;
    _Alignas(WF_LINE_BYTES) char line[WF_LINE_BYTES], before[WF_LINE_BYTES];
    for (unsigned i = 0; i < sizeof line; i++)
        line[i] = before[i] = (char)i;
    wf_line_expect_write(line);
    assert_memory_equal(line, before, sizeof line);
    wf_line_hand_over(line);
    wf_line_wait();
    assert_memory_equal(line, before, sizeof line);
}

static void a_line_that_cannot_be_written_is_no_fault(void **state)
{
    (void)state;
    static const char text[WF_LINE_BYTES] = "read-only";
    wf_line_expect_write(text);
    wf_line_hand_over(text);
    assert_string_equal(text, "read-only");
}

enum { ROUNDS = 2000 };

static struct {
    _Alignas(WF_LINE_BYTES) _Atomic uint32_t turn;
    uint32_t words[WF_LINE_BYTES / 4 - 1];
} ball;

/* Whose turn it is adds one to each word. */
static void play(uint32_t me)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        wf_line_expect_write(&ball);
        for (uint32_t tries = 0; atomic_load(&ball.turn) != 2 * round + me; tries++)
            tries % 64 ? wf_line_wait() : (void)sched_yield();
        for (uint32_t i = 0; i < sizeof ball.words / sizeof *ball.words; i++)
            ball.words[i]++;
        atomic_fetch_add(&ball.turn, 1);
        wf_line_hand_over(&ball);
    }
}

static void *play_second(void *context)
{
    (void)context;
    play(1);
    return NULL;
}

static void two_threads_hand_one_over_and_back(void **state)
{
    (void)state;
    pthread_t second;
    assert_int_equal(pthread_create(&second, NULL, play_second, NULL), 0);
    play(0);
    pthread_join(second, NULL);
    for (uint32_t i = 0; i < sizeof ball.words / sizeof *ball.words; i++)
        assert_int_equal(ball.words[i], 2 * ROUNDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_keeps_its_content),
        cmocka_unit_test(a_line_that_cannot_be_written_is_no_fault),
        cmocka_unit_test(two_threads_hand_one_over_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
