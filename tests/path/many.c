/* SPDX-License-Identifier: BSD-3-Clause
 *
 * many [seconds=S]: sixty-four regions, all of which every rank enters in every round. Three have nearly all of the
 * path: region_17 half of it, region_40 three tenths and region_58 the rest, each in another rank.
 */
#include "known.h"

#define ROUND(n) \
    REGION("region_" #n) \
    { \
        work(n); \
    }
#define TEN(t) \
    ROUND(t##0) ROUND(t##1) ROUND(t##2) ROUND(t##3) ROUND(t##4) \
    ROUND(t##5) ROUND(t##6) ROUND(t##7) ROUND(t##8) ROUND(t##9)

static void work(int region)
{
    if (region == 17 && rank == 0)
        pass_ms(10);
    else if (region == 40 && rank == 1)
        pass_ms(6);
    else if (region == 58 && rank == 2)
        pass_ms(4);
}

/* Those that are on the path follow each other, because all ranks wait for them. */
static void work_together(void)
{
    TEN(1)
    MPI_Barrier(WORLD);
    TEN(2) TEN(3) TEN(4)
    MPI_Barrier(WORLD);
    TEN(5) TEN(6)
    ROUND(70) ROUND(71) ROUND(72) ROUND(73)
    MPI_Barrier(WORLD);
}

int main(int argc, char **argv)
{
    known_start(&argc, &argv, 3);
    int rounds = (int)(known_ms("seconds", 1) * 1000 / 20);
    MPI_Barrier(WORLD);
    known_begin();
    for (int round = 0; round < rounds; round++)
        work_together();
    known_finish();
    return 0;
}
