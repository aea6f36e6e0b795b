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
#include "cli/launch_deaths.h"
#include "cli/launch_order.h"
#include "cli/launch_reason.h"
#include "cli/launch_stuck.h"
#include "collect/collect.h"
#include "present/summary.h"
#include "present/text.h"

#define LINGER_MS 1000 /* how long ranks may outlive their command before weft run leaves them to the guardian */
#define LATE_MS 500    /* how long a host waits for ranks that have not registered when all others have ended */
#define STEP_MS 10
#define LOOKS 5 /* for processes that may still start ranks, where none has been watched yet */

/* The user's soft limits are for the program; the guardian raises them to the hard limits. */
static void guardian_lift_limits(void)
{
    static const int limits[] = {RLIMIT_FSIZE, RLIMIT_NOFILE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU};
    struct rlimit limit;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (getrlimit(limits[i], &limit) == 0) {
            limit.rlim_cur = limit.rlim_max;
            setrlimit(limits[i], &limit);
        }
}

static void guardian_leave_terminal(void)
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
    guardian_lift_limits();
}

/* ---- the profile ---- */

static void guardian_say_profile(const struct wf_guardian *guardian, const char *output)
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

/* Returns a path below the current directory without the directory. */
static const char *guardian_short_name(const char *path)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    return length > 1 && strncmp(path, here, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void guardian_say_how_to_collect(const struct wf_guardian *guardian, const char *when)
{
    fprintf(stderr, "weft: %s, make the profile with: weft collect %s\n", when,
            guardian_short_name(guardian->rundir.path));
}

/* Only the owner of a run directory removes it; collecting as another user leaves it as it is. */
static void guardian_clear_up(const struct wf_guardian *guardian)
{
    if (guardian->keep || !guardian->rundir.own)
        return;
    if (wf_alive_segment(&guardian->rundir, NULL) || wf_alive_rank(&guardian->rundir, NULL)) {
        fprintf(stderr, "weft: processes of the run are still alive, so its run directory %s is kept\n",
                guardian_short_name(guardian->rundir.path));
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
    wf_launch_order_finish(&guardian->rundir, guardian->force, guardian->quiet);
    if (wf_launch_order_is_alone(&guardian->rundir)) {
        guardian_clear_up(guardian);
        return 0;
    }
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
        guardian_say_how_to_collect(guardian, "once this is fixed");
        return -1;
    }
    if (result.kept[0])
        fprintf(stderr, "weft: the older profile of the same name is now %s\n",
                guardian_short_name(wf_text_clean(result.kept)));
    if (result.ranks == 0)
        wf_reason_say(guardian, result.segments);
    else
        guardian_say_profile(guardian, guardian_short_name(output));
    guardian_clear_up(guardian);
    return result.ranks == 0 ? -1 : 0;
}

/* ---- outer order ---- */

/* Returns a process that belongs to the run and is alive, or 0. If nothing has been watched yet, any process that
 * knows the run may still start ranks. */
static pid_t guardian_find_survivor(const struct wf_guardian *guardian, const struct wf_birth *child, pid_t child_pid)
{
    int segments = 0;
    if (wf_birth_judge((uint32_t)child_pid, child->start, child->namespace) == WF_BIRTH_ALIVE)
        return child_pid;
    pid_t pid = wf_alive_segment(&guardian->rundir, &segments);
    pid = pid ? pid : wf_alive_relative(&guardian->rundir, segments > 0);
    /* A process that is about to become another program cannot be asked for a moment. */
    for (int look = 0; pid == 0 && segments == 0 && look < LOOKS; look++) {
        wf_alive_pause(STEP_MS);
        pid = wf_alive_relative(&guardian->rundir, false);
    }
    return pid;
}

static void guardian_say_left_alone(const struct wf_guardian *guardian, int socket)
{
    if (!guardian->quiet)
        fprintf(stderr,
                "weft: processes of the run are still alive; the profile is made when the last one has ended\n");
    if (write(socket, "", 1) < 0)
        return; /* weft run has ended */
}

static struct wf_birth guardian_birth(pid_t pid)
{
    char folder[32];
    snprintf(folder, sizeof folder, "/proc/%d", (int)pid);
    return pid > 0 ? wf_birth_of(folder) : (struct wf_birth){.state = 0};
}

static void guardian_begin(const struct wf_guardian *guardian, int socket, struct wf_deaths *deaths,
                           struct wf_stuck_guard *stuck)
{
    guardian_leave_terminal();
    wf_deaths_init(deaths, &guardian->rundir);
    wf_stuck_guard_init(stuck, guardian, socket);
    deaths->also = wf_stuck_guard_look;
    deaths->also_ms = WF_STUCK_LOOK_MS;
    deaths->context = stuck;
}

/* All processes have ended. */
static void guardian_end(struct wf_deaths *deaths, struct wf_stuck_guard *stuck)
{
    wf_deaths_look_last(deaths);
    wf_deaths_fini(deaths);
    wf_stuck_guard_fini(stuck);
}

/* Reads the id of the command's process, until the other side closes the socket. Returns the id, or 0. */
static pid_t guardian_listen(int socket, struct wf_birth *child, struct wf_deaths *deaths, struct wf_stuck_guard *stuck)
{
    pid_t pid = 0, told;
    for (;;) {
        wf_deaths_look_until(deaths, socket);
        ssize_t n = read(socket, &told, sizeof told);
        if (n == sizeof told) {
            pid = told;
            *child = guardian_birth(pid);
            stuck->child = pid;
        } else if (n >= 0 || errno != EINTR)
            return pid;
    }
}

static void guardian_wait_for(pid_t pid, struct wf_deaths *deaths)
{
    int fd = wf_alive_open(pid);
    if (fd < 0)
        return;
    wf_deaths_look_until(deaths, fd);
    close(fd);
}

static void guardian_guard_outer(const struct wf_guardian *guardian, int socket)
{
    struct wf_birth child = {.state = 0};
    struct wf_deaths deaths;
    struct wf_stuck_guard stuck;
    guardian_begin(guardian, socket, &deaths, &stuck);
    pid_t child_pid = guardian_listen(socket, &child, &deaths, &stuck), survivor;
    stuck.child = 0; /* it has ended, or its parent has */
    bool said = false;
    for (int waited = 0; (survivor = guardian_find_survivor(guardian, &child, child_pid));) {
        wf_deaths_look(&deaths);
        if (waited < LINGER_MS) {
            wf_alive_pause(STEP_MS);
            waited += STEP_MS;
            continue;
        }
        if (!said)
            guardian_say_left_alone(guardian, socket);
        said = true;
        guardian_wait_for(survivor, &deaths);
    }
    guardian_end(&deaths, &stuck);
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
        guardian_guard_outer(guardian, ends[0]);
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
        return; /* the guardian was killed; wf_guardian_finish_outer notices */
}

/* Returns true if the guardian goes on alone. Otherwise it has ended with *status. *stuck becomes true if it has ended
 * the command. */
static bool guardian_wait_for_keeper(struct wf_keeper *keeper, int *status, bool *stuck)
{
    char byte;
    ssize_t n;
    shutdown(keeper->socket, SHUT_WR);
    while ((n = read(keeper->socket, &byte, 1)) == 1 ? byte == WF_STUCK_TOLD : n < 0 && errno == EINTR)
        *stuck = *stuck || n == 1;
    close(keeper->socket);
    if (n == 1)
        return true;
    while (waitpid(keeper->pid, status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

bool wf_guardian_finish_outer(const struct wf_guardian *guardian, struct wf_keeper *keeper)
{
    int status = 0;
    bool stuck = false;
    if (guardian_wait_for_keeper(keeper, &status, &stuck) || !WIFSIGNALED(status))
        return stuck;
    if (wf_guardian_start_outer(guardian, keeper) == 0 &&
        (guardian_wait_for_keeper(keeper, &status, &stuck) || !WIFSIGNALED(status)))
        return stuck;
    fprintf(stderr, "weft: the process that makes the profile was killed (%s), so there is no profile yet\n",
            strsignal(WTERMSIG(status)));
    guardian_say_how_to_collect(guardian, "when the program has ended");
    return stuck;
}

void wf_guardian_dismiss(struct wf_keeper *keeper)
{
    kill(keeper->pid, SIGKILL);
    close(keeper->socket);
    while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* ---- inner order ---- */

/* Locks a file of the run directory; returns its descriptor or -1. The lock lasts as long as a process has the
 * descriptor open. */
static int guardian_lock_entry(const struct wf_rundir *rundir, const char *name, int how)
{
    int fd = wf_rundir_file(rundir, name, O_RDWR | O_CREAT);
    if (fd >= 0 && flock(fd, how) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void guardian_wait_for_host(const struct wf_guardian *guardian, struct wf_deaths *deaths)
{
    for (int late = 0;;) {
        int registered = 0;
        pid_t pid = wf_alive_rank(&guardian->rundir, &registered);
        if (pid) {
            guardian_wait_for(pid, deaths);
            continue;
        }
        if (registered >= guardian->local_size || late >= LATE_MS)
            return;
        wf_alive_pause(STEP_MS);
        late += STEP_MS;
    }
}

static int guardian_visit_guarded(const char *name, void *context)
{
    int fd = guardian_lock_entry(context, name, LOCK_EX | LOCK_NB);
    if (fd >= 0)
        close(fd);
    return fd < 0;
}

static void guardian_guard_inner(const struct wf_guardian *guardian, int own)
{
    pid_t pid;
    struct wf_deaths deaths;
    struct wf_stuck_guard stuck;
    guardian_begin(guardian, -1, &deaths, &stuck);
    guardian_wait_for_host(guardian, &deaths);
    while ((pid = wf_alive_segment(&guardian->rundir, NULL)) > 0) /* a process that a rank has started, or has become by
                                                                     exec */
        guardian_wait_for(pid, &deaths);
    guardian_end(&deaths, &stuck);
    int merge = guardian_lock_entry(&guardian->rundir, "merge", LOCK_EX);
    close(own);
    if (!wf_rundir_each(&guardian->rundir, "guardian-", "", guardian_visit_guarded, (void *)&guardian->rundir))
        wf_guardian_collect(guardian);
    if (merge >= 0)
        close(merge);
}

/* When the first process of a PID namespace ends, the kernel kills all others in it. */
static void guardian_say_alone(const struct wf_guardian *guardian)
{
    fprintf(stderr,
            "weft: this rank is the first process of its PID namespace, and no other process there outlives it\n");
    guardian_say_how_to_collect(guardian, "when the program has ended");
}

int wf_guardian_start_inner(const struct wf_guardian *guardian)
{
    char host[64] = "", name[300];
    gethostname(host, sizeof host - 1);
    wf_alive_register(&guardian->rundir);
    snprintf(name, sizeof name, "guardian-%s-%" PRIu64, host, wf_birth_of("/proc/self").namespace);
    int own = guardian_lock_entry(&guardian->rundir, name, LOCK_EX | LOCK_NB), result = 0;
    if (own < 0)
        return 0;
    /* The double fork keeps the application from having a child that it does not know. */
    pid_t pid = fork();
    if (pid == 0) {
        pid_t grandchild = fork();
        if (grandchild == 0)
            guardian_guard_inner(guardian, own);
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
        guardian_say_alone(guardian);
    return result;
}
