/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned messages: a receive waits for the last partition, or asks for one; a send waits for
 * the start of its receive.
 */
#include <unistd.h>

#include "waits.h"

#define PARTS 4

#if MPI_VERSION >= 4

static MPI_Request request;

static void ready(int part)
{
    MPI_Pready(part, request);
}

/* Rank 0 sends to rank 1, the second time with the same requests. */
static void late_partition(void)
{
    begin("late_partition");
    if (rank == 0)
        MPI_Psend_init(buffer, PARTS, SMALL, MPI_INT, 1, 7, WORLD, MPI_INFO_NULL, &request);
    else if (rank == 1)
        MPI_Precv_init(other, PARTS, SMALL, MPI_INT, 0, 7, WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < 2 && rank < 2; round++) {
        MPI_Start(&request);
        if (rank == 0) {
            for (int part = 1; part < PARTS; part++)
                ready(part);
            if (round == 1)
                late();
            AT("ready", MPI_Pready(0, request));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            AT("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
    }
    WAITS("late sender", 1, "wait", 0, "ready");
    if (rank < 2)
        MPI_Request_free(&request);
}

/* Large enough that the send has to wait. */
static void late_start(void)
{
    begin("late_start");
    if (rank == 2)
        MPI_Psend_init(buffer, PARTS, LARGE, MPI_INT, 3, 8, WORLD, MPI_INFO_NULL, &request);
    else if (rank == 3)
        MPI_Precv_init(other, PARTS, LARGE, MPI_INT, 2, 8, WORLD, MPI_INFO_NULL, &request);
    if (rank == 2) {
        MPI_Start(&request);
        for (int part = 0; part < PARTS; part++)
            ready(part);
        AT("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else if (rank == 3) {
        late();
        AT("start", MPI_Start(&request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    WAITS("late receiver", 2, "wait", 3, "start");
    if (rank > 1)
        MPI_Request_free(&request);
}

/* Rank 3 asks for one partition, and computes what it can before the others come. */
static void asked_partition(void)
{
    begin("asked_partition");
    if (rank == 2)
        MPI_Psend_init(buffer, PARTS, SMALL, MPI_INT, 3, 9, WORLD, MPI_INFO_NULL, &request);
    else if (rank == 3)
        MPI_Precv_init(other, PARTS, SMALL, MPI_INT, 2, 9, WORLD, MPI_INFO_NULL, &request);
    if (rank > 1)
        MPI_Start(&request);
    if (rank == 2) {
        for (int part = 1; part < PARTS; part++)
            ready(part);
        late();
        AT("ready", MPI_Pready(0, request));
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 3) {
        int flag = 0;
        AT("arrived", for (; !flag; usleep(flag ? 0 : 200)) MPI_Parrived(request, 0, &flag));
        MPI_Send(buffer, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
        AT("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    WAITS("late sender", 3, "arrived", 2, "ready");
    if (rank > 1)
        MPI_Request_free(&request);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    late_partition();
    asked_partition();
    late_start();
    finish();
}

#else

/* run.sh takes that as skipped. */
int main(void)
{
    return 77;
}

#endif
