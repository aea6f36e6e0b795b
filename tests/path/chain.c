/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A chain of broadcasts: each rank in turn produces what all others need, while they do something shorter.
 */
#include "known.h"

#define RANKS 4

static double produce_part, use_ms;

/* 30, 40, 50 and 60 ms. */
static void produce(void)
{
    REGION("produce")
    {
        pass_ms(produce_part * (30 + 10 * rank));
    }
}

static void use(void)
{
    REGION("use")
    {
        pass_ms(use_ms);
    }
}

int main(int argc, char **argv)
{
    int value = 0;
    known_start(&argc, &argv, 4);
    produce_part = known_ms("produce", 100) / 100;
    use_ms = known_ms("use", 10);
    MPI_Barrier(WORLD); /* @start */
    known_begin();
    for (int root = 0; root < RANKS; root++)
        if (rank == root) {
            produce();
            MPI_Bcast(&value, 1, MPI_INT, root, WORLD); /* @root */
        } else {
            use();
            MPI_Bcast(&value, 1, MPI_INT, root, WORLD); /* @member */
        }
    MPI_Barrier(WORLD);
    known_finish();
    return 0;
}
