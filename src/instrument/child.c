/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The environment with LC_ALL=C; only the array is new. */
static char **child_english_environment(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **copy = calloc(count + 2, sizeof *copy);
    if (!copy)
        return environ;
    size_t kept = 0;
    copy[kept++] = "LC_ALL=C";
    for (size_t i = 0; i < count; i++)
        if (!wf_text_starts(environ[i], "LC_ALL="))
            copy[kept++] = environ[i];
    return copy;
}

/* Makes a pipe for the child's `fd`; *end is the reading end. */
static int child_redirect(posix_spawn_file_actions_t *actions, int fd, int *end, int *other)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return errno;
    *end = ends[0];
    *other = ends[1];
    return posix_spawn_file_actions_adddup2(actions, ends[1], fd);
}

int wf_child_start(struct wf_child *child, const struct wf_words *words, int flags)
{
    posix_spawn_file_actions_t actions;
    int others[2] = {-1, -1}, result = 0;
    *child = (struct wf_child){.output = -1, .errors = -1};
    posix_spawn_file_actions_init(&actions);
    if (flags & WF_CHILD_CATCH_OUTPUT)
        result = child_redirect(&actions, STDOUT_FILENO, &child->output, &others[0]);
    if (!result && flags & WF_CHILD_CATCH_ERRORS)
        result = child_redirect(&actions, STDERR_FILENO, &child->errors, &others[1]);
    char **environment = flags & WF_CHILD_IN_ENGLISH ? child_english_environment() : environ;
    if (!result)
        result = posix_spawnp(&child->pid, words->items[0], &actions, NULL, words->items, environment);
    if (environment != environ)
        free(environment);
    posix_spawn_file_actions_destroy(&actions);
    for (int i = 0; i < 2; i++)
        if (others[i] >= 0)
            close(others[i]);
    if (result) {
        if (child->output >= 0)
            close(child->output);
        if (child->errors >= 0)
            close(child->errors);
    }
    return result;
}

/* Reads once; closes the descriptor at the end of the stream. */
static void child_drain(int *fd, struct wf_buffer *buffer)
{
    char chunk[65536];
    ssize_t n = read(*fd, chunk, sizeof chunk);
    if (n > 0 && buffer)
        wf_buffer_add(buffer, chunk, (size_t)n);
    if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) {
        close(*fd);
        *fd = -1;
    }
}

int wf_child_status(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int wf_child_wait(struct wf_child *child, struct wf_buffer *output, struct wf_buffer *errors)
{
    while (child->output >= 0 || child->errors >= 0) {
        struct pollfd ends[2] = {{child->output, POLLIN, 0}, {child->errors, POLLIN, 0}};
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            break;
        if (child->output >= 0 && ends[0].revents)
            child_drain(&child->output, output);
        if (child->errors >= 0 && ends[1].revents)
            child_drain(&child->errors, errors);
    }
    int status;
    while (waitpid(child->pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127;
    return wf_child_status(status);
}
