/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files: collective accesses, and what sets a file up. Whether they wait for each other is the library's choice, so
 * that all access one block together, in which they must.
 */
#include "waits.h"

#define IGNORE MPI_STATUS_IGNORE
#define STRIDE 64

static MPI_File file;

static void begin_late(const char *name, int who)
{
    begin(name);
    if (rank == who)
        DAWDLE;
}

static void all_wait(const char *at, int who)
{
    for (int r = 0; r < RANKS; r++)
        if (r != who)
            WAITS_ALL("wait at file", r, at, who, at, "dawdle");
}

static void written(void)
{
    begin_late("written", 2);
    AT("write", MPI_File_write_all(file, buffer, RANKS * STRIDE, MPI_INT, IGNORE));
    all_wait("write", 2);
}

static void sized(void)
{
    begin_late("sized", 1);
    AT("size", MPI_File_set_size(file, 1 << 20));
    all_wait("size", 1);
}

int main(int argc, char **argv)
{
    MPI_Datatype every;
    start(&argc, &argv);
    MPI_Type_vector(STRIDE, 1, RANKS, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_open(WORLD, "written", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, (MPI_Offset)sizeof(int) * rank, MPI_INT, every, "native", MPI_INFO_NULL);
    written();
    sized();
    MPI_Type_free(&every);
    begin("closed");
    MPI_File_close(&file);
    finish();
}
