/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A serial part in an otherwise parallel program, in the proportions of the NAS IS benchmark in Hollingsworth's Figure
 * 9: create_seq is 12 % of the time of all processes and 42 % of the path, because all others wait for it.
 */
#include "known.h"

static double create_ms, bench_ms, rank_ms;

static void create_seq(void)
{
    REGION("create_seq")
    {
        pass_ms(create_ms);
    }
}

static void is_bench(void)
{
    REGION("is_bench")
    {
        pass_ms(rank == 2 ? bench_ms : bench_ms - 4);
    }
}

static void do_rank(void)
{
    REGION("do_rank")
    {
        pass_ms(rank_ms);
    }
}

static void sort(void)
{
    REGION("sort")
    {
        is_bench();
        do_rank();
    }
}

int main(int argc, char **argv)
{
    int seed = 1;
    known_start(&argc, &argv, 5);
    create_ms = known_ms("create_seq", 92);
    bench_ms = known_ms("is_bench", 124);
    rank_ms = known_ms("do_rank", 4);
    MPI_Barrier(WORLD); /* @start */
    known_begin();
    if (rank == 0)
        create_seq();
    MPI_Bcast(&seed, 1, MPI_INT, 0, WORLD); /* @seed */
    sort();
    MPI_Barrier(WORLD);
    known_finish();
    return 0;
}
