/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analyse/profile.h"
#include "cli/launch.h"
#include "collect/collect.h"
#include "format/segment.h"
#include "present/summary.h"

#define LINGER_MS 10000 /* how long ranks may outlive their launcher before the profile is made without their end */
#define LATE_MS 500     /* how long a host waits for ranks that have not registered when all others have ended */
#define STEP_MS 10

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static int visit_count(const char *name, void *context)
{
    *(int *)context += wf_rundir_local_pid(name) > 0;
    return 0;
}

static void leave_terminal(void)
{
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        close(null);
    }
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
}

static void say_nothing_seen(const struct wf_guardian *guardian, const struct wf_collect_result *result)
{
    if (result->segments > 0) {
        fprintf(stderr, "weft: no rank could be watched, so there is no profile; is there room on the disk?\n");
        return;
    }
    for (char **word = guardian->argv; word && *word; word++)
        if (wf_launch_is_static(*word)) {
            fprintf(stderr, "weft: '%s' is statically linked and cannot be watched, so there is no profile; link it dynamically.\n", *word);
            return;
        }
    fprintf(stderr, "weft: no process called MPI_Init, so there is no profile; weft watches programs that use MPI.\n");
}

static void say_profile(const struct wf_guardian *guardian, const char *output)
{
    struct wf_error error;
    struct wf_profile *profile;
    if (guardian->quiet)
        return;
    if (wf_profile_open(output, &profile, &error) != 0) {
        fprintf(stderr, "weft: %s\n", error.text);
        return;
    }
    wf_summary_print(stderr, profile);
    wf_profile_close(profile);
}

/* A name below the current directory is said without it. */
static const char *short_name(const char *path)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

int wf_guardian_collect(const struct wf_guardian *guardian)
{
    char named[PATH_MAX] = "unnamed.weft", command[4096];
    struct wf_error error;
    struct wf_collect_result result = {0};
    wf_rundir_read(&guardian->rundir, "command", command, sizeof command);
    const char *output = guardian->output;
    if (!output) {
        wf_rundir_output(&guardian->rundir, guardian->folder, named, sizeof named);
        output = named;
    }
    struct wf_collect_options options = {.directory = guardian->rundir.path,
                                         .output = output,
                                         .command = *command ? command : NULL,
                                         .progress = !guardian->quiet};
    if (wf_collect(&options, &result, &error) != 0) {
        fprintf(stderr, "weft: %s\n", error.text);
        fprintf(stderr, "weft: when that is mended, make the profile with: weft collect %s\n", short_name(guardian->rundir.path));
        return -1;
    }
    if (result.ranks == 0)
        say_nothing_seen(guardian, &result);
    else
        say_profile(guardian, short_name(output));
    if (!guardian->keep)
        wf_rundir_remove(&guardian->rundir);
    return result.ranks == 0 ? -1 : 0;
}

static void guard_outer(const struct wf_guardian *guardian, int pipe)
{
    char byte;
    leave_terminal();
    while (read(pipe, &byte, 1) < 0 && errno == EINTR)
        ;
    for (int waited = 0; waited < LINGER_MS && wf_rundir_alive(&guardian->rundir, "", WF_SEGMENT_SUFFIX);
         waited += STEP_MS)
        pause_ms(STEP_MS);
    wf_guardian_collect(guardian);
}

pid_t wf_guardian_start_outer(const struct wf_guardian *guardian, int *pipe)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        guard_outer(guardian, ends[0]);
        _exit(0);
    }
    close(ends[0]);
    if (pid < 0)
        close(ends[1]);
    *pipe = ends[1];
    return pid;
}

/* A lock on a file of the run directory, or -1. It lasts as long as a process has the descriptor open. */
static int lock_entry(const struct wf_rundir *rundir, const char *name, int how)
{
    char path[PATH_MAX + 300];
    snprintf(path, sizeof path, "%s/%s", rundir->path, name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && flock(fd, how) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void wait_for_pid(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0) {
        pause_ms(STEP_MS); /* gone meanwhile, or a kernel before 5.3 */
        return;
    }
    struct pollfd event = {.fd = fd, .events = POLLIN};
    poll(&event, 1, -1);
    close(fd);
}

static void wait_for_host(const struct wf_guardian *guardian)
{
    for (int late = 0;;) {
        pid_t pid = wf_rundir_alive(&guardian->rundir, "pid-", "");
        if (pid > 0) {
            wait_for_pid(pid);
            continue;
        }
        int registered = 0;
        wf_rundir_each(&guardian->rundir, "pid-", "", visit_count, &registered);
        if (registered >= guardian->local_size || late >= LATE_MS)
            return;
        pause_ms(STEP_MS);
        late += STEP_MS;
    }
}

static int visit_guarded(const char *name, void *context)
{
    int fd = lock_entry(context, name, LOCK_EX | LOCK_NB);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static void guard_inner(const struct wf_guardian *guardian, int own)
{
    leave_terminal();
    wait_for_host(guardian);
    int merge = lock_entry(&guardian->rundir, "merge", LOCK_EX);
    close(own);
    if (!wf_rundir_each(&guardian->rundir, "guardian-", "", visit_guarded, (void *)&guardian->rundir))
        wf_guardian_collect(guardian);
    if (merge >= 0)
        close(merge);
}

void wf_guardian_start_inner(const struct wf_guardian *guardian)
{
    char host[64] = "", name[300];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "pid-%s-%d", host, (int)getpid());
    wf_rundir_note(&guardian->rundir, name, "");
    snprintf(name, sizeof name, "guardian-%s", host);
    int own = lock_entry(&guardian->rundir, name, LOCK_EX | LOCK_NB);
    if (own < 0)
        return;
    /* Forked twice: what becomes the application must not have a child that it does not know. */
    pid_t pid = fork();
    if (pid == 0) {
        if (fork() == 0)
            guard_inner(guardian, own);
        _exit(0);
    }
    if (pid > 0)
        waitpid(pid, NULL, 0);
    close(own);
}
