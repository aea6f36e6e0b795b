/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost_of FILE COMMAND...: runs the command and writes its wall time, its processor time and the largest resident size
 * that any one of its processes had to FILE, as JSON. Ends with the command's exit status.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: cost_of FILE COMMAND...\n");
        return 2;
    }
    double start = now_s();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        perror("cost_of");
        return 1;
    }
    double seconds = now_s() - start;
    double cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    FILE *file = fopen(argv[1], "w");
    if (!file ||
        fprintf(file, "{\"seconds\":%.4f,\"cpu_seconds\":%.4f,\"peak_rss_kib\":%ld}\n", seconds, cpu_seconds,
                usage.ru_maxrss) < 0 ||
        fclose(file) != 0) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
