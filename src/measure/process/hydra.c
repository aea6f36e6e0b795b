/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/process/hydra.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "measure/guest/settings.h"
#include "measure/clock/clock.h"

#define PROXY "hydra_pmi_proxy"
#define QUESTION "cmd=get_my_kvsname\n"
#define ANSWER "cmd=my_kvsname kvsname="
#define LOOK_MS 100
#define PATIENCE_NS 10000000000u /* with a proxy that has read the question */

/* The descriptor that leads to the proxy; -1: there is none. Other launchers have the same variable, and in a process
 * that closes descriptors the number may mean something else by now: what counts is who is at the other end. */
static int hydra_descriptor(void)
{
    const char *text = wf_settings.launch_fd;
    struct ucred peer = {.pid = 0};
    socklen_t bytes = sizeof peer;
    char path[64], program[sizeof PROXY] = "";
    int fd = *text ? atoi(text) : -1;
    if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || peer.pid <= 0)
        return -1;
    snprintf(path, sizeof path, "/proc/%d/comm", (int)peer.pid);
    int comm = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = comm < 0 ? 0 : read(comm, program, sizeof program - 1);
    if (comm >= 0)
        close(comm);
    return n > 0 && strcmp(program, PROXY) == 0 ? fd : -1;
}

static bool hydra_is_unread(int fd)
{
    int bytes = 0;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

/* Waits for something to read. As long as the proxy has not even read the question, MPI_Init would wait as well; and if
 * we went on without the answer, MPI_Init would take it for the one to its own first question. */
static bool hydra_await(int fd)
{
    struct pollfd come = {.fd = fd, .events = POLLIN};
    uint64_t since = wf_clock_read_ns(CLOCK_MONOTONIC);
    while (poll(&come, 1, LOOK_MS) <= 0) {
        uint64_t now = wf_clock_read_ns(CLOCK_MONOTONIC);
        if (hydra_is_unread(fd))
            since = now;
        else if (now - since > PATIENCE_NS)
            return false;
    }
    return come.revents & POLLIN;
}

/* One line and not a byte more: what comes behind it is MPI's. false: it has no end, or is longer than that. */
static bool hydra_read_line(int fd, char *line, size_t bytes)
{
    size_t n = 0;
    for (char c; hydra_await(fd) && read(fd, &c, 1) == 1; n++) {
        if (c == '\n') {
            line[n < bytes ? n : 0] = '\0';
            return n < bytes;
        }
        if (n < bytes)
            line[n] = c;
    }
    return false;
}

bool wf_hydra_world(char *name, size_t bytes)
{
    char line[512];
    int saved = errno, fd = hydra_descriptor();
    size_t before = strlen(ANSWER), length = 0;
    if (fd >= 0 && send(fd, QUESTION, strlen(QUESTION), MSG_NOSIGNAL) == (ssize_t)strlen(QUESTION) &&
        hydra_read_line(fd, line, sizeof line) && strncmp(line, ANSWER, before) == 0)
        length = strcspn(line + before, " ");
    errno = saved;
    if (length == 0 || length >= bytes)
        return false;
    memcpy(name, line + before, length);
    name[length] = '\0';
    return true;
}
