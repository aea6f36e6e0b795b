/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pipeline of four stages. The path goes through the first with the first item, stays in the slowest, the second, and
 * leaves with the last item.
 */
#include "known.h"

#define ITEMS 8

static double fill_ms, filter_ms, transform_ms, drain_ms;
static int item;

static void fill(void)
{
    REGION("fill")
    {
        pass_ms(fill_ms);
    }
}

static void filter(void)
{
    REGION("filter")
    {
        pass_ms(filter_ms);
    }
}

static void transform(void)
{
    REGION("transform")
    {
        pass_ms(transform_ms);
    }
}

static void drain(void)
{
    REGION("drain")
    {
        pass_ms(drain_ms);
    }
}

static void first(void)
{
    fill();
    MPI_Send(&item, 1, MPI_INT, 1, 0, WORLD); /* @filled */
}

static void second(void)
{
    MPI_Recv(&item, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* @filter */
    filter();
    MPI_Send(&item, 1, MPI_INT, 2, 0, WORLD);
}

static void third(void)
{
    MPI_Recv(&item, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* @transform */
    transform();
    MPI_Send(&item, 1, MPI_INT, 3, 0, WORLD);
}

static void fourth(void)
{
    MPI_Recv(&item, 1, MPI_INT, 2, 0, WORLD, MPI_STATUS_IGNORE); /* @drain */
    drain();
}

int main(int argc, char **argv)
{
    static void (*const stages[])(void) = {first, second, third, fourth};
    known_start(&argc, &argv, 4);
    fill_ms = known_ms("fill", 10);
    filter_ms = known_ms("filter", 25);
    transform_ms = known_ms("transform", 15);
    drain_ms = known_ms("drain", 5);
    MPI_Barrier(WORLD); /* @start */
    known_begin();
    for (int i = 0; i < ITEMS; i++)
        stages[rank]();
    MPI_Barrier(WORLD);
    known_finish();
    return 0;
}
