/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyse/profile.h"
#include "base/birth.h"
#include "cli/launch_alive.h"
#include "cli/launch_reason.h"
#include "collect/collect.h"
#include "present/summary.h"
#include "present/text.h"

#define LINGER_MS 1000 /* how long ranks may outlive their command before weft run leaves them to the guardian */
#define LATE_MS 500    /* how long a host waits for ranks that have not registered when all others have ended */
#define STEP_MS 10

/* What limits the program is not to limit the profile, as far as the user may say so. */
static void lift_limits(void)
{
    static const int limits[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU};
    struct rlimit limit;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i], &limit) == 0) {
            limit.rlim_cur = limit.rlim_max;
            setrlimit(limits[i], &limit);
        }
}

static void leave_terminal(void)
{
    setsid();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup2(null, STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        if (null > STDERR_FILENO)
            close(null);
    }
    const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGXFSZ, SIGIO};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    lift_limits();
}

/* ---- the profile ---- */

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

static void say_how_to_collect(const struct wf_guardian *guardian, const char *when)
{
    fprintf(stderr, "weft: %s, make the profile with: weft collect %s\n", when, short_name(guardian->rundir.path));
}

/* The user who made a directory does the clearing up; whoever else collects from it leaves it as it is. */
static void clear_up(const struct wf_guardian *guardian)
{
    if (guardian->keep || !guardian->rundir.own)
        return;
    if (wf_alive_segment(&guardian->rundir, NULL) || wf_alive_rank(&guardian->rundir, NULL)) {
        fprintf(stderr, "weft: processes of the run go on, so its directory %s is kept\n", short_name(guardian->rundir.path));
        return;
    }
    wf_rundir_remove(&guardian->rundir);
}

int wf_guardian_collect(const struct wf_guardian *guardian)
{
    char named[PATH_MAX] = "unnamed.weft", command[4096], directory[WF_RUNDIR_NAME_BYTES];
    struct wf_error error;
    struct wf_collect_result result = {0};
    const char *output = guardian->output;
    if (!output) {
        wf_rundir_output(&guardian->rundir, guardian->folder, named, sizeof named);
        output = named;
    }
    wf_rundir_read(&guardian->rundir, "command", command, sizeof command);
    struct wf_collect_options options = {.directory = wf_rundir_by_descriptor(&guardian->rundir, directory),
                                         .directory_name = guardian->rundir.path,
                                         .output = output,
                                         .keep_older = !guardian->force,
                                         .command = *command ? command : NULL,
                                         .outer = *command != '\0',
                                         .progress = !guardian->quiet};
    if (wf_collect(&options, &result, &error) != 0) {
        fprintf(stderr, "weft: %s\n", error.text);
        say_how_to_collect(guardian, "once this is fixed");
        return -1;
    }
    if (result.kept[0])
        fprintf(stderr, "weft: the older profile of that name is now %s\n", short_name(wf_text_clean(result.kept)));
    if (result.ranks == 0)
        wf_reason_say(guardian, result.segments);
    else
        say_profile(guardian, short_name(output));
    clear_up(guardian);
    return result.ranks == 0 ? -1 : 0;
}

/* ---- outer order ---- */

/* One that the run is not over without; 0: none. Where nothing has been watched yet, whoever knows of the run may be about to start ranks. */
static pid_t find_survivor(const struct wf_guardian *guardian, const struct wf_birth *child, pid_t child_pid)
{
    int segments = 0;
    if (wf_birth_judge((uint32_t)child_pid, child->start, child->namespace) == WF_BIRTH_ALIVE)
        return child_pid;
    pid_t pid = wf_alive_segment(&guardian->rundir, &segments);
    return pid ? pid : wf_alive_relative(&guardian->rundir, segments > 0);
}

static void say_left_alone(const struct wf_guardian *guardian, int socket)
{
    if (!guardian->quiet)
        fprintf(stderr, "weft: processes of the run live on; the profile is made when the last of them has ended\n");
    if (write(socket, "", 1) < 0)
        return; /* weft run is not there any more */
}

static struct wf_birth birth_of(pid_t pid)
{
    char folder[32];
    snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
    return pid > 0 ? wf_birth_of(folder) : (struct wf_birth){.state = 0};
}

/* Until the other side closes the socket; what comes before is the command's process. */
static pid_t listen_to(int socket, struct wf_birth *child)
{
    pid_t pid = 0, told;
    for (;;) {
        ssize_t n = read(socket, &told, sizeof told);
        if (n == sizeof told) {
            pid = told;
            *child = birth_of(pid);
        } else if (n >= 0 || errno != EINTR)
            return pid;
    }
}

static void guard_outer(const struct wf_guardian *guardian, int socket)
{
    struct wf_birth child = {.state = 0};
    leave_terminal();
    pid_t child_pid = listen_to(socket, &child), survivor;
    bool said = false;
    for (int waited = 0; (survivor = find_survivor(guardian, &child, child_pid));) {
        if (waited < LINGER_MS) {
            wf_alive_pause(STEP_MS);
            waited += STEP_MS;
            continue;
        }
        if (!said)
            say_left_alone(guardian, socket);
        said = true;
        wf_alive_wait(survivor);
    }
    wf_guardian_collect(guardian);
}

int wf_guardian_start_outer(const struct wf_guardian *guardian, struct wf_keeper *keeper)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -1;
    keeper->pid = fork();
    if (keeper->pid == 0) {
        close(ends[1]);
        guard_outer(guardian, ends[0]);
        _exit(0);
    }
    int why = errno;
    close(ends[0]);
    keeper->socket = ends[1];
    if (keeper->pid < 0)
        close(ends[1]);
    errno = why;
    return keeper->pid < 0 ? -1 : 0;
}

void wf_guardian_tell_child(const struct wf_keeper *keeper, pid_t child)
{
    if (send(keeper->socket, &child, sizeof child, MSG_NOSIGNAL) < 0)
        return; /* it was killed: wf_guardian_finish_outer finds that out */
}

/* True: it stays. Else it has ended, as *status tells. */
static bool wait_for_keeper(struct wf_keeper *keeper, int *status)
{
    char byte;
    ssize_t n;
    shutdown(keeper->socket, SHUT_WR);
    while ((n = read(keeper->socket, &byte, 1)) < 0 && errno == EINTR)
        ;
    close(keeper->socket);
    if (n == 1)
        return true;
    while (waitpid(keeper->pid, status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

void wf_guardian_finish_outer(const struct wf_guardian *guardian, struct wf_keeper *keeper)
{
    int status = 0;
    if (wait_for_keeper(keeper, &status) || !WIFSIGNALED(status))
        return;
    if (wf_guardian_start_outer(guardian, keeper) == 0 && (wait_for_keeper(keeper, &status) || !WIFSIGNALED(status)))
        return;
    fprintf(stderr, "weft: the process that makes the profile was killed (%s), so there is none yet\n", strsignal(WTERMSIG(status)));
    say_how_to_collect(guardian, "when the program has ended");
}

void wf_guardian_dismiss(struct wf_keeper *keeper)
{
    kill(keeper->pid, SIGKILL);
    close(keeper->socket);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* ---- inner order ---- */

/* A lock on a file of the run directory, or -1. It lasts as long as a process has the descriptor open. */
static int lock_entry(const struct wf_rundir *rundir, const char *name, int how)
{
    int fd = wf_rundir_file(rundir, name, O_RDWR | O_CREAT);
    if (fd >= 0 && flock(fd, how) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void wait_for_host(const struct wf_guardian *guardian)
{
    for (int late = 0;;) {
        int registered = 0;
        pid_t pid = wf_alive_rank(&guardian->rundir, &registered);
        if (pid) {
            wf_alive_wait(pid);
            continue;
        }
        if (registered >= guardian->local_size || late >= LATE_MS)
            return;
        wf_alive_pause(STEP_MS);
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
    pid_t pid;
    leave_terminal();
    wait_for_host(guardian);
    while ((pid = wf_alive_segment(&guardian->rundir, NULL)) > 0) /* what a rank has started, or has become */
        wf_alive_wait(pid);
    int merge = lock_entry(&guardian->rundir, "merge", LOCK_EX);
    close(own);
    if (!wf_rundir_each(&guardian->rundir, "guardian-", "", visit_guarded, (void *)&guardian->rundir))
        wf_guardian_collect(guardian);
    if (merge >= 0)
        close(merge);
}

/* The first process of a PID namespace takes all others of it with it when it ends. */
static void say_alone(const struct wf_guardian *guardian)
{
    fprintf(stderr, "weft: this rank is the first process of its PID namespace, and nobody there outlives it\n");
    say_how_to_collect(guardian, "when the program has ended");
}

int wf_guardian_start_inner(const struct wf_guardian *guardian)
{
    char host[64] = "", name[300];
    gethostname(host, sizeof host - 1);
    wf_alive_register(&guardian->rundir);
    snprintf(name, sizeof name, "guardian-%s-%" PRIu64, host, wf_birth_of("/proc/self").namespace);
    int own = lock_entry(&guardian->rundir, name, LOCK_EX | LOCK_NB), result = 0;
    if (own < 0)
        return 0;
    /* Forked twice: what becomes the application must not have a child that it does not know. */
    pid_t pid = fork();
    if (pid == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            guard_inner(guardian, own);
        _exit(grandchild < 0 ? errno : 0);
    }
    int status = 0;
    if (pid < 0)
        result = -1;
    else if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status)) {
        errno = WEXITSTATUS(status);
        result = -1;
    }
    close(own);
    if (result == 0 && getpid() == 1)
        say_alone(guardian);
    return result;
}
