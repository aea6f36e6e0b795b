/* Starts and ends MPI around main. */
#include <mpi.h>
#include <stddef.h>

__attribute__((constructor)) static void begin(void)
{
    MPI_Init(NULL, NULL);
}

__attribute__((destructor)) static void end(void)
{
    MPI_Finalize();
}
