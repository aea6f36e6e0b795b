/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As limits.c and forbidden.c, in an MPI program, right after MPI_Init: partners and communicators are met afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <mpi.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#define FAIL(call) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

static void forbid(void)
{
    struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                   FAIL(SYS_open),
                                   FAIL(SYS_openat),
                                   FAIL(SYS_fallocate),
                                   FAIL(SYS_ftruncate),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {COUNT(filter), filter};
    MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

static void lower(int what, rlim_t value)
{
    struct rlimit low = {value, value};
    MUST(setrlimit((__rlimit_resource_t)what, &low) == 0);
}

PROCEDURE static void exchange(int rank, MPI_Comm comm)
{
    REGION("exchange")
    {
        int in = -1, sum = 0;
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, comm, MPI_STATUS_IGNORE);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        MUST(in == 1 - rank && sum == 1);
    }
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int rank;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    int lowest = open("/dev/null", O_RDONLY);
    close(lowest);
    if (strcmp(how, "filter") == 0)
        forbid();
    if (strcmp(how, "fsize") == 0)
        lower(RLIMIT_FSIZE, 4096);
    if (strcmp(how, "nofile") == 0)
        lower(RLIMIT_NOFILE, (rlim_t)lowest);
    if (strcmp(how, "memlock") == 0)
        lower(RLIMIT_MEMLOCK, 0);
    for (int i = 0; i < 20; i++)
        exchange(rank, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 20; i++)
        exchange(rank, comm);
    MPI_Comm_free(&comm);
    printf("rank %d done\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
