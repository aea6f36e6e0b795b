/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs and libraries of others are tried in a child process with a time limit.
 */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/doctor.h"

enum { PATIENCE_MS = 10000 };

static long doctor_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Reads until the text is full, the other end is closed, or the time limit is over. */
static size_t doctor_read_all(int file, char *text, size_t bytes)
{
    size_t have = 0;
    long deadline = doctor_now_ms() + PATIENCE_MS;
    while (have + 1 < bytes) {
        struct pollfd wait = {.fd = file, .events = POLLIN};
        long left = deadline - doctor_now_ms();
        if (left <= 0 || poll(&wait, 1, (int)left) <= 0)
            break;
        ssize_t got = read(file, text + have, bytes - 1 - have);
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    text[have] = 0;
    return have;
}

/* Kills the child if it still runs: its output is complete. Returns whether it ended by itself with status 0. */
static bool doctor_finish(pid_t child)
{
    int status = 0;
    for (int i = 0; i < 100; i++) {
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return false;
}

static void doctor_silence(int from, int flags)
{
    int null = open("/dev/null", flags);
    if (null >= 0)
        dup2(null, from);
}

static void doctor_become(const char *const *argv, int output)
{
    doctor_silence(STDIN_FILENO, O_RDONLY);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    setenv("LC_ALL", "C", 1);
    execvp(argv[0], (char *const *)argv);
    _exit(127);
}

bool wf_doctor_run(const char *const *argv, char *text, size_t bytes)
{
    int ends[2];
    char path[PATH_MAX];
    *text = 0;
    if (!wf_doctor_which(argv[0], path, sizeof path) || pipe2(ends, O_CLOEXEC))
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        doctor_become(argv, ends[1]);
    close(ends[1]);
    size_t have = child > 0 ? doctor_read_all(ends[0], text, bytes) : 0;
    close(ends[0]);
    if (child > 0)
        doctor_finish(child);
    return have > 0;
}

bool wf_doctor_try(bool (*function)(const void *, char *, size_t), const void *argument, char *text, size_t bytes)
{
    int ends[2];
    *text = 0;
    if (pipe2(ends, O_CLOEXEC))
        return false;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        doctor_silence(STDOUT_FILENO, O_WRONLY);
        doctor_silence(STDERR_FILENO, O_WRONLY);
        bool well = function(argument, text, bytes);
        well &= write(ends[1], text, strlen(text)) >= 0;
        _exit(well ? 0 : 1);
    }
    close(ends[1]);
    if (child > 0)
        doctor_read_all(ends[0], text, bytes);
    close(ends[0]);
    return child > 0 && doctor_finish(child);
}

bool wf_doctor_which(const char *program, char *path, size_t bytes)
{
    const char *folders = getenv("PATH");
    if (strchr(program, '/'))
        return snprintf(path, bytes, "%s", program) > 0 && access(path, X_OK) == 0;
    for (const char *at = folders ? folders : ""; *at;) {
        size_t length = strcspn(at, ":");
        snprintf(path, bytes, "%.*s/%s", (int)length, at, program);
        if (length && access(path, X_OK) == 0)
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

bool wf_doctor_read(const char *path, char *line, size_t bytes)
{
    FILE *file = fopen(path, "re");
    bool well = file && fgets(line, (int)bytes, file);
    if (file)
        fclose(file);
    if (well)
        wf_doctor_first_line(line);
    return well;
}

char *wf_doctor_first_line(char *text)
{
    text[strcspn(text, "\n")] = 0;
    return text;
}
