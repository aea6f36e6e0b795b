/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A master deals out work in rounds and takes the results in the order in which they come; one worker has the hard
 * part.
 */
#include "known.h"

#define ROUNDS 4

static double deal_ms, judge_ms, hard_ms, easy_ms;
static int task;

static void deal(void)
{
    REGION("deal")
    {
        pass_ms(deal_ms);
    }
}

static void judge(void)
{
    REGION("judge")
    {
        pass_ms(judge_ms);
    }
}

static void hard(void)
{
    REGION("hard")
    {
        pass_ms(hard_ms);
    }
}

static void easy(void)
{
    REGION("easy")
    {
        pass_ms(easy_ms);
    }
}

static void master(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        deal();
        for (int worker = 1; worker < 4; worker++)
            MPI_Send(&task, 1, MPI_INT, worker, 0, WORLD);
        for (int worker = 1; worker < 4; worker++)
            MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, MPI_STATUS_IGNORE); /* @judge */
        judge();
    }
}

static void hard_worker(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Recv(&task, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* @hard */
        hard();
        MPI_Send(&task, 1, MPI_INT, 0, 0, WORLD);
    }
}

static void easy_worker(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Recv(&task, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* @easy */
        easy();
        MPI_Send(&task, 1, MPI_INT, 0, 0, WORLD);
    }
}

int main(int argc, char **argv)
{
    static void (*const parts[])(void) = {master, easy_worker, hard_worker, easy_worker};
    known_start(&argc, &argv, 4);
    deal_ms = known_ms("deal", 5);
    judge_ms = known_ms("judge", 10);
    hard_ms = known_ms("hard", 40);
    easy_ms = known_ms("easy", 24);
    MPI_Barrier(WORLD); /* @start */
    known_begin();
    parts[rank]();
    MPI_Barrier(WORLD);
    known_finish();
    return 0;
}
