/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <sys/wait.h>

#include "instrument/job.h"

static volatile sig_atomic_t caught;
static volatile pid_t running; /* the compiler, or 0 */

static void job_catch(int signal)
{
    caught = signal;
    if (running > 0)
        kill(running, signal);
}

void wf_job_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = job_catch};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction old;
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

bool wf_job_was_caught(void)
{
    return caught != 0;
}

void wf_job_die_if_caught(struct wf_job *job)
{
    if (!caught)
        return;
    for (size_t i = 0; i < job->step_count; i++) {
        if (job->steps[i].worker > 0) {
            kill(job->steps[i].worker, SIGKILL);
            waitpid(job->steps[i].worker, NULL, 0);
        }
    }
    wf_mirror_close(&job->mirror);
    signal(caught, SIG_DFL);
    raise(caught);
}

int wf_job_start(struct wf_child *child, const struct wf_words *words, int flags)
{
    int error = wf_child_start(child, words, flags);
    running = error ? 0 : child->pid;
    return error;
}

int wf_job_finish(struct wf_child *child, struct wf_buffer *messages)
{
    int status = wf_child_wait(child, NULL, messages);
    running = 0;
    return status;
}
