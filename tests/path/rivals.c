/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two nearly equal paths, each through two ranks: making the longer one faster brings no more than the difference, and
 * the other one nothing.
 */
#include "known.h"

static double left_ms, right_ms;
static int token;

static void left(void)
{
    REGION("left")
    {
        pass_ms(left_ms);
    }
}

static void right(void)
{
    REGION("right")
    {
        pass_ms(right_ms);
    }
}

int main(int argc, char **argv)
{
    known_start(&argc, &argv, 4);
    left_ms = known_ms("left", 70);
    right_ms = known_ms("right", 60);
    MPI_Barrier(WORLD);
    known_begin();
    switch (rank) {
    case 0:
        MPI_Barrier(WORLD); /* @left */
        left();
        MPI_Send(&token, 1, MPI_INT, 2, 0, WORLD);
        break;
    case 1:
        MPI_Barrier(WORLD); /* @right */
        right();
        MPI_Send(&token, 1, MPI_INT, 3, 0, WORLD);
        break;
    case 2:
        MPI_Barrier(WORLD);
        MPI_Recv(&token, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE); /* @left2 */
        left();
        break;
    case 3:
        MPI_Barrier(WORLD);
        MPI_Recv(&token, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE); /* @right2 */
        right();
        break;
    }
    MPI_Barrier(WORLD);
    known_finish();
    return 0;
}
