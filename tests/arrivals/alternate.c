/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     alternate fence|write|inter [varied]
 *
 * Two ranks work in turn, asleep, and wait for each other in between: at the fence of a window, in a collective write
 * of blocks that lie in each other, or in a collective of an intercommunicator. So half of the run is serialisation,
 * and nothing is transfer. More ranks only take part: with two, Open MPI's collective writes do not wait.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <weft/weft.h>

enum { STEPS = 20, INTS = 64 };

static int rank;
static int in[INTS], out[INTS];
static MPI_Win window;
static MPI_File file;
static MPI_Comm between;

static void work(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* ---- work that varies ---- */

static int varied_ms(int step, int who)
{
    return 4 + 8 * ((7 * who + 5 * step) % 6);
}

static bool varied_is_part(int step, int who)
{
    return (step + who) % 3 == 0;
}

static void varied_work(int step)
{
    if (varied_is_part(step, rank))
        WEFT_REGION("part")
        {
            work(varied_ms(step, rank));
        }
    else
        work(varied_ms(step, rank));
}

static void varied_print(int ranks)
{
    int whole = 0, half = 0;
    for (int step = 0; step < STEPS; step++) {
        int longest = 0, otherwise = 0;
        for (int who = 0; who < ranks; who++) {
            int ms = varied_ms(step, who), less = varied_is_part(step, who) ? ms / 2 : ms;
            longest = ms > longest ? ms : longest;
            otherwise = less > otherwise ? less : otherwise;
        }
        whole += longest;
        half += otherwise;
    }
    printf("%d %d\n", whole - half, whole);
}

/* ---- what they wait in ---- */

static void open_window(void)
{
    MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
}

static void fence(void)
{
    MPI_Put(in, 1, MPI_INT, rank ^ 1, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
}

static void close_window(void)
{
    MPI_Win_free(&window);
}

static void open_file(void)
{
    MPI_Datatype every;
    MPI_Type_vector(INTS, 1, 4, MPI_INT, &every);
    MPI_Type_commit(&every);
    MPI_File_open(MPI_COMM_WORLD, "alternate.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, (MPI_Offset)sizeof(int) * rank, MPI_INT, every, "native", MPI_INFO_NULL);
    MPI_Type_free(&every);
}

static void write_all(void)
{
    MPI_File_write_at_all(file, 0, in, INTS, MPI_INT, MPI_STATUS_IGNORE);
}

static void close_file(void)
{
    MPI_File_close(&file);
}

static void open_between(void)
{
    MPI_Comm side;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, (rank + 1) % 2, 3, &between);
    MPI_Comm_free(&side);
}

static void allreduce(void)
{
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, between);
}

static void close_between(void)
{
    MPI_Comm_free(&between);
}

static const struct {
    const char *name;
    void (*open)(void), (*wait)(void), (*close)(void);
} kinds[] = {{"fence", open_window, fence, close_window},
             {"write", open_file, write_all, close_file},
             {"inter", open_between, allreduce, close_between}};

int main(int argc, char **argv)
{
    size_t kind = 0;
    bool varied = argc == 3;
    int ranks;
    while (argc > 1 && kind < 2 && strcmp(kinds[kind].name, argv[1]) != 0)
        kind++;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    kinds[kind].open();
    kinds[kind].wait();
    for (int step = 0; step < STEPS; step++) {
        if (varied)
            varied_work(step);
        else if (step % 2 == rank)
            work(30);
        kinds[kind].wait();
    }
    kinds[kind].close();
    if (varied && rank == 0)
        varied_print(ranks);
    MPI_Finalize();
}
