/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A library comes and goes in each round of a loop, in which all the time passes: on the critical path it is the
 * loop's, not main's.
 *
 * library: part.so part.c
 */
#include <dlfcn.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 50; i++) {
        int (*part)(int);
        void *library = dlopen("./part.so", RTLD_NOW | RTLD_LOCAL);
        MUST(library);
        *(void **)&part = dlsym(library, "part");
        MUST(part && part(i) == i + 1);
        guest_sleep(4);
        MUST(dlclose(library) == 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
