/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything around MPI: input, arguments, environment, limits, signals, files. Written by rank 0 to its standard
 * output.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"

extern char **environ;

static int compare(const void *x, const void *y)
{
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* What the launcher makes new for each job: only its name. And what weft needs to get in. */
static void say_environment(void)
{
    static const char *const changing[] = {"OMPI_", "PMIX_",  "PMI_",   "HYDI_",     "MPI_", "ORTE_",
                                           "HFI_",  "IPATH_", "HYDRA_", "GFORTRAN_", NULL};
    static const char *const own[] = {"LD_PRELOAD=", "WEFT_", "OMPI_MCA_orte_launch_agent=", "ASAN_OPTIONS=", NULL};
    int n = 0;
    while (environ[n])
        n++;
    char **sorted = malloc((size_t)n * sizeof *sorted);
    memcpy(sorted, environ, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (int i = 0; i < n; i++) {
        int length = (int)strlen(sorted[i]), skip = 0;
        for (int k = 0; own[k]; k++)
            skip |= strncmp(sorted[i], own[k], strlen(own[k])) == 0;
        for (int k = 0; changing[k]; k++)
            if (strncmp(sorted[i], changing[k], strlen(changing[k])) == 0)
                length = (int)strcspn(sorted[i], "=");
        if (!skip)
            say("%.*s", length, sorted[i]);
    }
    free(sorted);
}

static void say_process(const char *when)
{
    struct stat facts;
    int fd = open("/dev/null", O_RDONLY);
    say("%s: the next file is %d", when, fd);
    close(fd);
    for (fd = 0; fd < 3; fd++)
        say("%s: file %d is of kind %o", when, fd, fstat(fd, &facts) == 0 ? facts.st_mode & S_IFMT : 0);
    for (int i = 1; i < 32; i++) {
        struct sigaction action;
        sigaction(i, NULL, &action);
        say("%s: signal %d is %s", when, i,
            action.sa_handler == SIG_DFL   ? "default"
            : action.sa_handler == SIG_IGN ? "ignored"
                                           : "handled");
    }
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int i = 1; i < 32; i++)
        if (sigismember(&blocked, i))
            say("%s: signal %d is blocked", when, i);
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        struct rlimit limit;
        getrlimit((__rlimit_resource_t)i, &limit);
        say("%s: limit %d is %llu of %llu", when, i, (unsigned long long)limit.rlim_cur,
            (unsigned long long)limit.rlim_max);
    }
    mode_t mask = umask(0);
    umask(mask);
    say("%s: mask %o, priority %d, user %d", when, mask, getpriority(PRIO_PROCESS, 0), (int)getuid());
}

/* Children that end in different ways are not the process that MPI and weft know. */
static void say_children(const char *when)
{
    for (int way = 0; way < 4; way++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0 && way == 0)
            _exit(3);
        if (child == 0 && way == 1)
            exit(4);
        if (child == 0 && way == 2)
            kill(getpid(), SIGKILL);
        if (child == 0) {
            execlp("sh", "sh", "-c", "exit 5", (char *)NULL);
            _exit(127);
        }
        waitpid(child, &status, 0);
        say("%s: child %d ended with %x", when, way, status & ~0x80);
    }
    say("%s: system %d", when, system("exit 6"));
}

int main(int argc, char **argv)
{
    char line[1000];
    const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
    say_open("said", number ? atoi(number) : 0);
    say_process("before");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    for (int i = 1; i < argc; i++)
        say("argument %d: %s", i, argv[i]);
    say_environment();
    say_process("during");
    say_children("during");
    if (rank == 0)
        while (fgets(line, sizeof line, stdin))
            printf("read %s", line);
    fflush(stdout);
    MPI_Barrier(WORLD);
    MPI_Finalize();
    say_process("after");
    say_children("after");
    return 0;
}
