/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_alive.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/birth.h"
#include "cli/launch.h"
#include "format/segment.h"

#define STEP_MS 20

void wf_alive_pause(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

int wf_alive_open(pid_t pid)
{
    int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (fd < 0)
        wf_alive_pause(STEP_MS); /* it has ended, is in another namespace, or the kernel is older than 5.3 */
    return fd;
}

/* ---- processes with a segment ---- */

struct alive_search {
    const struct wf_rundir *rundir;
    char host[64], boot_id[64];
    int count;
    bool elsewhere; /* counts only processes of other hosts */
};

static struct alive_search alive_search_begin(const struct wf_rundir *rundir)
{
    struct alive_search search = {.rundir = rundir};
    gethostname(search.host, sizeof search.host - 1);
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (file && fgets(search.boot_id, sizeof search.boot_id, file))
        search.boot_id[strcspn(search.boot_id, "\n")] = '\0';
    if (file)
        fclose(file);
    return search;
}

static bool alive_is_of_this_host(const struct alive_search *search, const struct wf_segment_header *header)
{
    return strncmp(search->host, header->host, sizeof header->host - 1) == 0 &&
           strncmp(search->boot_id, header->boot_id, sizeof header->boot_id - 1) == 0;
}

bool wf_alive_is_here(const struct wf_segment_header *header)
{
    struct alive_search search = alive_search_begin(NULL);
    return alive_is_of_this_host(&search, header);
}

static int alive_judge_segment(struct alive_search *search, const struct wf_segment_header *header, int fd)
{
    search->count++;
    if (!alive_is_of_this_host(search, header))
        return search->elsewhere && header->state == WF_STATE_RUNNING;
    if (search->elsewhere)
        return 0;
    switch (wf_birth_judge(header->pid, header->start_time, header->pid_namespace)) {
    case WF_BIRTH_ALIVE:
        return (int)header->pid;
    case WF_BIRTH_FOREIGN:
        return wf_birth_writes(fd) ? WF_ALIVE_UNNUMBERED : 0;
    default:
        return 0;
    }
}

static int alive_visit_segment(const char *name, void *context)
{
    struct alive_search *search = context;
    struct wf_segment_header header;
    int fd = wf_rundir_file(search->rundir, name, O_RDONLY), found = 0;
    if (fd < 0)
        return 0;
    if (read(fd, &header, sizeof header) == sizeof header &&
        memcmp(header.magic, WF_SEGMENT_MAGIC, sizeof header.magic) == 0)
        found = alive_judge_segment(search, &header, fd);
    close(fd);
    return found;
}

pid_t wf_alive_segment(const struct wf_rundir *rundir, int *segments)
{
    struct alive_search search = alive_search_begin(rundir);
    pid_t found = (pid_t)wf_rundir_each(rundir, "", WF_SEGMENT_SUFFIX, alive_visit_segment, &search);
    if (segments)
        *segments = search.count;
    return found;
}

bool wf_alive_elsewhere(const struct wf_rundir *rundir)
{
    struct alive_search search = alive_search_begin(rundir);
    search.elsewhere = true;
    return wf_rundir_each(rundir, "", WF_SEGMENT_SUFFIX, alive_visit_segment, &search) != 0;
}

/* ---- ranks that have registered ---- */

#define PID_PREFIX "pid-"

void wf_alive_register(const struct wf_rundir *rundir)
{
    struct wf_birth birth = wf_birth_of("/proc/self");
    char host[64] = "", name[200];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, PID_PREFIX "%s-%d-%" PRIu64 "-%" PRIu64, host, (int)getpid(), birth.start,
             birth.namespace);
    wf_rundir_note(rundir, name, "");
}

/* The name is HOST-PID-START-SPACE, and the host's name may contain hyphens. */
static int alive_visit_rank(const char *name, void *context)
{
    struct alive_search *search = context;
    size_t length = strlen(search->host);
    unsigned pid;
    uint64_t start, namespace;
    name += strlen(PID_PREFIX);
    if (strncmp(name, search->host, length) != 0 ||
        sscanf(name + length, "-%u-%" SCNu64 "-%" SCNu64, &pid, &start, &namespace) != 3)
        return 0;
    enum wf_birth_answer answer = wf_birth_judge(pid, start, namespace);
    search->count += answer != WF_BIRTH_FOREIGN;
    return answer == WF_BIRTH_ALIVE ? (int)pid : 0;
}

pid_t wf_alive_rank(const struct wf_rundir *rundir, int *registered)
{
    struct alive_search search = alive_search_begin(rundir);
    pid_t found = (pid_t)wf_rundir_each(rundir, PID_PREFIX, "", alive_visit_rank, &search);
    if (registered)
        *registered = search.count;
    return found;
}

/* ---- relatives ---- */

/* Reads a small file of /proc. The caller frees the text; NULL: the file cannot be read. */
static char *alive_read_all(const char *path, size_t *bytes)
{
    enum { STEP = 65536 };
    char *text = NULL;
    ssize_t n = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *bytes = 0;
    while (fd >= 0 && n > 0) {
        char *more = realloc(text, *bytes + STEP);
        if (!more)
            break;
        text = more;
        n = read(fd, text + *bytes, STEP - 1);
        *bytes += n > 0 ? (size_t)n : 0;
        text[*bytes] = '\0';
    }
    if (fd >= 0)
        close(fd);
    return text;
}

static bool alive_has_variable(const char *folder, const char *variable)
{
    char path[64];
    size_t bytes;
    bool found = false;
    snprintf(path, sizeof path, "%s/environ", folder);
    char *text = alive_read_all(path, &bytes);
    if (!text)
        return false;
    for (size_t at = 0; at < bytes && !found; at += strlen(text + at) + 1)
        found = strcmp(text + at, variable) == 0;
    free(text);
    return found;
}

/* A process of another user may set the variable only to be waited for. */
static bool alive_is_own(const char *folder)
{
    struct stat status;
    return stat(folder, &status) == 0 && status.st_uid == geteuid();
}

static bool alive_is_launching(const char *folder)
{
    char path[64];
    size_t bytes;
    snprintf(path, sizeof path, "%s/comm", folder);
    char *name = alive_read_all(path, &bytes);
    if (name)
        name[strcspn(name, "\n")] = '\0';
    bool is = name && wf_launch_is_launcher(name);
    free(name);
    return is;
}

pid_t wf_alive_relative(const struct wf_rundir *rundir, bool launchers_only)
{
    char variable[PATH_MAX + 16], folder[32];
    pid_t found = 0;
    DIR *processes = opendir("/proc");
    snprintf(variable, sizeof variable, "WEFT_DIR=%s", rundir->path);
    for (struct dirent *entry; processes && !found && (entry = readdir(processes));) {
        int pid = atoi(entry->d_name);
        if (pid <= 0 || pid == getpid())
            continue;
        snprintf(folder, sizeof folder, "/proc/%d", pid);
        if (alive_is_own(folder) && (!launchers_only || alive_is_launching(folder)) &&
            alive_has_variable(folder, variable))
            found = pid;
    }
    if (processes)
        closedir(processes);
    return found;
}
