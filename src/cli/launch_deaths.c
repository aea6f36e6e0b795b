/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_deaths.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/birth.h"
#include "cli/launch_alive.h"
#include "format/segment.h"

#define FIRST_WAIT_MS 50 /* new processes are looked for so soon at first, and twice as late each time, */
#define LAST_WAIT_MS 800 /* up to this */
#define NAME_BYTES 256

struct wf_deaths_process {
    char *segment;
    int fd; /* of the process; -1: it is gone, or not ours to watch */
};

void wf_deaths_init(struct wf_deaths *deaths, const struct wf_rundir *rundir)
{
    *deaths = (struct wf_deaths){.rundir = rundir, .wait_ms = FIRST_WAIT_MS};
}

void wf_deaths_fini(struct wf_deaths *deaths)
{
    for (size_t i = 0; i < deaths->count; i++) {
        free(deaths->items[i].segment);
        if (deaths->items[i].fd >= 0)
            close(deaths->items[i].fd);
    }
    free(deaths->items);
    free(deaths->events);
    *deaths = (struct wf_deaths){0};
}

/* False: it is not whole (yet). */
static bool deaths_read_header(const struct wf_rundir *rundir, const char *name, struct wf_segment_header *header)
{
    int fd = wf_rundir_file(rundir, name, O_RDONLY);
    bool whole = fd >= 0 && read(fd, header, sizeof *header) == sizeof *header &&
                 memcmp(header->magic, WF_SEGMENT_MAGIC, sizeof header->magic) == 0;
    if (fd >= 0)
        close(fd);
    return whole;
}

/* Whether the process has a later segment: it has become another program, and this one ended when it did. */
static bool deaths_has_later(const struct wf_rundir *rundir, const char *segment,
                             const struct wf_segment_header *header)
{
    char name[NAME_BYTES];
    size_t stem =
        (size_t)snprintf(name, sizeof name, "p-%.*s-%u", (int)sizeof header->host - 1, header->host, header->pid);
    if (stem >= sizeof name || strncmp(segment, name, stem) != 0)
        return false;
    int number = segment[stem] == '-' ? atoi(segment + stem + 1) : 0;
    snprintf(name + stem, sizeof name - stem, "-%d" WF_SEGMENT_SUFFIX, number + 1);
    int fd = wf_rundir_file(rundir, name, O_RDONLY);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

/* Only of one that has not said itself when it ended. */
static void deaths_note(const struct wf_deaths *deaths, const char *segment)
{
    struct wf_segment_header header;
    struct timespec now;
    char name[NAME_BYTES + sizeof WF_SEGMENT_GONE], text[32];
    if (!deaths_read_header(deaths->rundir, segment, &header) || header.state != WF_STATE_RUNNING ||
        deaths_has_later(deaths->rundir, segment, &header))
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int stem = (int)(strlen(segment) - strlen(WF_SEGMENT_SUFFIX));
    snprintf(name, sizeof name, WF_SEGMENT_GONE "%.*s", stem, segment);
    snprintf(text, sizeof text, "%" PRId64, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
    wf_rundir_note(deaths->rundir, name, text);
}

static bool deaths_know(const struct wf_deaths *deaths, const char *segment)
{
    for (size_t i = 0; i < deaths->count; i++)
        if (strcmp(deaths->items[i].segment, segment) == 0)
            return true;
    return false;
}

/* It is judged with its descriptor open: then the number still means it afterwards. */
static int deaths_visit(const char *name, void *context)
{
    struct wf_deaths *deaths = context;
    struct wf_segment_header header;
    if (deaths_know(deaths, name) || strlen(name) >= NAME_BYTES || !deaths_read_header(deaths->rundir, name, &header) ||
        !wf_alive_is_here(&header) || WF_ARRAY_RESERVE(deaths->items, deaths->capacity, deaths->count + 1) != 0)
        return 0;
    struct wf_deaths_process found = {.segment = strdup(name), .fd = (int)syscall(SYS_pidfd_open, header.pid, 0)};
    if (!found.segment)
        return 1;
    enum wf_birth_answer answer = wf_birth_judge(header.pid, header.start_time, header.pid_namespace);
    if (answer != WF_BIRTH_ALIVE && found.fd >= 0) {
        close(found.fd);
        found.fd = -1;
    }
    if (answer == WF_BIRTH_GONE)
        deaths_note(deaths, name);
    deaths->items[deaths->count++] = found;
    deaths->wait_ms = FIRST_WAIT_MS;
    return 0;
}

/* Waits, and notes who is gone; true: the descriptor has something to say. */
static bool deaths_wait(struct wf_deaths *deaths, int fd, int wait_ms)
{
    if (WF_ARRAY_RESERVE(deaths->events, deaths->event_capacity, deaths->count + 1) != 0) {
        wf_alive_pause(wait_ms);
        return true;
    }
    deaths->events[0] = (struct pollfd){.fd = fd, .events = POLLIN};
    for (size_t i = 0; i < deaths->count; i++)
        deaths->events[i + 1] = (struct pollfd){.fd = deaths->items[i].fd, .events = POLLIN};
    if (poll(deaths->events, deaths->count + 1, wait_ms) <= 0)
        return false;
    for (size_t i = 0; i < deaths->count; i++)
        if (deaths->events[i + 1].revents) {
            deaths_note(deaths, deaths->items[i].segment);
            close(deaths->items[i].fd);
            deaths->items[i].fd = -1;
        }
    return deaths->events[0].revents != 0;
}

void wf_deaths_look(struct wf_deaths *deaths)
{
    deaths_wait(deaths, -1, 0);
    wf_rundir_each(deaths->rundir, "", WF_SEGMENT_SUFFIX, deaths_visit, deaths);
}

/* A process counts as gone when its first thread has ended; its descriptor tells when the last one has. */
void wf_deaths_look_last(struct wf_deaths *deaths)
{
    struct wf_segment_header header;
    wf_deaths_look(deaths);
    for (size_t i = 0; i < deaths->count; i++) {
        struct wf_deaths_process *process = &deaths->items[i];
        if (process->fd < 0 || !deaths_read_header(deaths->rundir, process->segment, &header) ||
            wf_birth_judge(header.pid, header.start_time, header.pid_namespace) != WF_BIRTH_GONE)
            continue;
        deaths_note(deaths, process->segment);
        close(process->fd);
        process->fd = -1;
    }
}

void wf_deaths_look_until(struct wf_deaths *deaths, int fd)
{
    int waited = deaths->wait_ms, step;
    do {
        if (waited >= deaths->wait_ms) {
            wf_rundir_each(deaths->rundir, "", WF_SEGMENT_SUFFIX, deaths_visit, deaths);
            deaths->wait_ms = deaths->wait_ms < LAST_WAIT_MS ? 2 * deaths->wait_ms : LAST_WAIT_MS;
            waited = 0;
        }
        if (deaths->also)
            deaths->also(deaths->context);
        step = deaths->also && deaths->also_ms < deaths->wait_ms ? deaths->also_ms : deaths->wait_ms;
        waited += step;
    } while (!deaths_wait(deaths, fd, step));
}
