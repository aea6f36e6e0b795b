/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program of 200 communication statements in which rank 0 has every other rank as its partner at each of
 * them: 65 ranks for 64 partners. Before MPI_Finalize every rank looks at its own memory; rank 0 prints its
 * own as JSON.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* One statement in the source, one call in the machine code: its tag makes each different from all others, so
 * that the compiler cannot merge them. */
#define STATEMENT(to_root)                                                               \
    {                                                                                    \
        enum { TAG = __COUNTER__ };                                                      \
        if (to_root == (rank != 0))                                                      \
            for (int p = first; p < last; p++)                                           \
                MPI_Send(&value, 1, MPI_INT, p, TAG, MPI_COMM_WORLD);                    \
        else                                                                             \
            for (int p = first; p < last; p++)                                           \
                MPI_Recv(&value, 1, MPI_INT, p, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); \
    }
#define STATEMENTS_2 STATEMENT(0) STATEMENT(1)
#define STATEMENTS_10 STATEMENTS_2 STATEMENTS_2 STATEMENTS_2 STATEMENTS_2 STATEMENTS_2
#define STATEMENTS_50 STATEMENTS_10 STATEMENTS_10 STATEMENTS_10 STATEMENTS_10 STATEMENTS_10

static void communicate(void)
{
    int value = rank;
    int first = rank == 0 ? 1 : 0;
    int last = rank == 0 ? size : 1;
    STATEMENTS_50 STATEMENTS_50 STATEMENTS_50 STATEMENTS_50
}

struct memory {
    long private_kib; /* written by this process: no other process can share it */
    long segment_kib; /* pages of weft's segment */
    long library_kib; /* unwritten pages of weft's libraries: shared by all processes of the host */
};

static void add_mapping(struct memory *m, const char *path, long rss, long dirty)
{
    size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".seg") == 0)
        m->segment_kib += rss;
    else {
        m->private_kib += dirty;
        if (strstr(path, "/libweft"))
            m->library_kib += rss - dirty;
    }
}

static int read_memory(struct memory *m)
{
    char line[4352], path[4352] = "";
    long rss = 0, dirty = 0, value;
    unsigned long long start, end;
    FILE *file = fopen("/proc/self/smaps", "r");
    if (!file)
        return -1;
    *m = (struct memory){0};
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%llx-%llx", &start, &end) == 2) {
            add_mapping(m, path, rss, dirty);
            path[0] = '\0';
            rss = dirty = 0;
            sscanf(line, "%*s %*s %*s %*s %*s %4351[^\n]", path);
        } else if (sscanf(line, "Rss: %ld", &value) == 1) {
            rss = value;
        } else if (sscanf(line, "Private_Dirty: %ld", &value) == 1) {
            dirty = value;
        }
    }
    add_mapping(m, path, rss, dirty);
    fclose(file);
    return 0;
}

int main(int argc, char **argv)
{
    struct memory memory;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    communicate();
    if (read_memory(&memory) != 0) {
        perror("memory: /proc/self/smaps");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0)
        printf("{\"private_kib\":%ld,\"segment_kib\":%ld,\"library_kib\":%ld}\n", memory.private_kib,
               memory.segment_kib, memory.library_kib);
    MPI_Finalize();
    return 0;
}
