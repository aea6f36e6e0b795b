/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program removes all variables but the launcher's, before MPI_Init or after it (the argument), or weft's own
 * directory is set to something else. Messages and collectives still have their headers, and it has no children that
 * need weft.
 */
#include <mpi.h>

extern char **environ;

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

static int is_launchers(const char *variable)
{
    static const char *const begins[] = {"PMI", "OMPI_", "HYDRA", "MPI", "HWLOC", "UCX", "OPAL", "ORTE", "PRTE"};
    for (int i = 0; i < COUNT(begins); i++)
        if (strncmp(variable, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

/* clearenv, but MPI_Init needs some of it. */
static void clear(void)
{
    static char *kept[1000];
    int count = 0;
    for (char **v = environ; *v && count < 999; v++)
        if (is_launchers(*v))
            kept[count++] = strdup(*v);
    clearenv();
    for (int i = 0; i < count; i++)
        putenv(kept[i]);
}

PROCEDURE static void exchange(int rank, int size)
{
    int in = -1, out = rank, sum = 0;
    REGION("exchange")
    {
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MUST(in == (rank + size - 1) % size && sum == size * (size - 1) / 2);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "before";
    int rank, size;
    if (strcmp(how, "before") == 0)
        clear();
    if (strcmp(how, "other") == 0 && getenv("WEFT_DIR"))
        setenv("WEFT_DIR", "/nonexistent", 1);
    MPI_Init(&argc, &argv);
    if (strcmp(how, "after") == 0)
        clearenv();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 50; i++) {
        work();
        exchange(rank, size);
    }
    printf("rank %d done\n", rank);
    MPI_Finalize();
    return 0;
}
