/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An instrumented library has gone when watching pauses.
 *
 * library: part.so part.c
 */
#include <dlfcn.h>
#include <mpi.h>

PROCEDURE static void use_part(int times)
{
    REGION("use_part")
    {
        void *library = dlopen("./part.so", RTLD_NOW | RTLD_LOCAL);
        MUST(library);
        int (*part)(int);
        *(void **)&part = dlsym(library, "part");
        MUST(part);
        for (int i = 0; i < times; i++)
            MUST(part(i) == i + 1);
        MUST(dlclose(library) == 0);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    use_part(10);
    MPI_Pcontrol(0);
    use_part(10);
    MPI_Pcontrol(1);
    use_part(10);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("done\n");
    MPI_Finalize();
    return 0;
}
