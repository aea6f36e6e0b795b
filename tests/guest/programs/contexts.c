/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Coroutines (swapcontext) that switch in the middle of procedures: four of them, each in the same procedures as the
 * others, ten steps each, in turns.
 */
#include <ucontext.h>

enum { COROUTINES = 4, STEPS = 10 };

static ucontext_t home, coroutines[COROUTINES];
static char stacks[COROUTINES][128 * 1024] __attribute__((aligned(64)));
static int turn, ended[COROUTINES];

PROCEDURE static void yield(void)
{
    REGION("yield")
    {
        swapcontext(&coroutines[turn], &home);
    }
}

PROCEDURE static void step(int n)
{
    REGION("step")
    {
        guest_sink += n;
        yield();
        guest_sink -= n;
    }
}

PROCEDURE static void body(void)
{
    REGION("body")
    {
        for (int i = 0; i < STEPS; i++)
            step(i);
    }
    ended[turn] = 1;
}

PROCEDURE static void resume(int n)
{
    REGION("resume")
    {
        turn = n;
        swapcontext(&home, &coroutines[n]);
    }
}

PROCEDURE static void after(void)
{
    REGION("after")
    {
        guest_sink++;
    }
}

int main(void)
{
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = stacks[i];
        coroutines[i].uc_stack.ss_size = sizeof stacks[i];
        coroutines[i].uc_link = &home;
        makecontext(&coroutines[i], body, 0);
    }
    for (int round = 0; round <= STEPS; round++)
        for (int i = 0; i < COROUTINES; i++)
            resume(i);
    for (int i = 0; i < COROUTINES; i++)
        MUST(ended[i]);
    for (int i = 0; i < 10; i++)
        after();
    printf("done, %ld\n", guest_sink);
    return 0;
}
