/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "instrument/instrument.h"
#include "instrument/job.h"

/* A worker is a process of its own, so that a crash in libclang does not end the build. */

static bool worker_may_change(const void *context, const char *header)
{
    const struct wf_job *job = context;
    for (size_t i = 0; i < job->mirror.root_count; i++)
        if (wf_mirror_rest(&job->mirror.roots[i], header))
            return true;
    return false;
}

static const struct wf_buffer *worker_text_of(const struct wf_instrument *instrument, const char *name)
{
    for (size_t i = 0; i < instrument->rewritten_count; i++)
        if (!strcmp(instrument->rewritten[i].name, name))
            return &instrument->rewritten[i].text;
    return NULL;
}

/* Puts all files of the root's directory into it: copies, and links that are found before other files of that name. */
static int worker_write_root(struct wf_mirror_root *root, const struct wf_instrument *instrument)
{
    const struct wf_source_unit *unit = &instrument->unit;
    for (size_t i = 0; i < unit->source_count; i++) {
        const char *name = unit->sources[i].name;
        if (wf_mirror_rest(root, name) && wf_mirror_put(root, name, worker_text_of(instrument, name)) &&
            worker_text_of(instrument, name))
            return -1;
    }
    return 0;
}

static bool worker_has_copy(const struct wf_mirror_root *root, const struct wf_instrument *instrument)
{
    for (size_t i = 1; i < instrument->rewritten_count; i++)
        if (wf_mirror_rest(root, instrument->rewritten[i].name))
            return true;
    return false;
}

/* Writes the copies, and adds a byte '1' or '0' for each root: whether it is used. */
static int worker_write_copies(struct wf_job *job, const struct wf_step *step, const struct wf_instrument *instrument,
                               struct wf_buffer *answer)
{
    for (size_t i = 0; i < job->mirror.root_count; i++) {
        struct wf_mirror_root *root = &job->mirror.roots[i];
        bool foreign = false; /* it has another source */
        for (size_t s = 0; s < job->step_count; s++)
            foreign |= job->steps[s].root == i && &job->steps[s] != step;
        bool used = i == step->root || (!foreign && worker_has_copy(root, instrument));
        wf_buffer_add(answer, used ? "1" : "0", 1);
        if (used && worker_write_root(root, instrument))
            return -1;
    }
    return 0;
}

static void worker_send_answer(int fd, const struct wf_buffer *answer)
{
    size_t done = 0;
    while (done < answer->length) {
        ssize_t n = write(fd, answer->data + done, answer->length - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    close(fd);
}

/* The answer: "+", or "?" for a doubtful unit, and the roots; "-" and the reason; or "" if there is nothing to do. */
static int worker_work(struct wf_job *job, struct wf_step *step, int fd, FILE *messages)
{
    struct wf_error error;
    struct wf_buffer answer = {0}, ignored = {0};
    struct wf_instrument instrument = {
        .path = step->input->path,
        .line = &job->line,
        .compiler = &step->compiler,
        .filter = job->settings->filter,
        .probe_header = job->probe_header,
        .may_change = job->headers ? worker_may_change : NULL,
        .context = job,
        .blamed = &job->blamed,
    };
    int result = wf_instrument_prepare(&instrument, &error);
    if (result < 0) {
        wf_buffer_addf(&answer, "-cannot be parsed (%s)", error.text);
    } else if (result == 0) {
        wf_buffer_add_text(&answer, instrument.unit.doubtful ? "?" : "+");
        if (worker_write_copies(job, step, &instrument, &answer)) {
            wf_buffer_fini(&answer);
            wf_buffer_addf(&answer, "-cannot be copied to %s (%s)", job->mirror.top, strerror(errno));
            result = -1;
        }
    }
    worker_send_answer(fd, &answer);
    if (result)
        return result > 0 ? WF_WORKER_RIGHT : WF_WORKER_WRONG;
    result = wf_instrument_verify(&instrument, job->thorough, &error);
    if (result > 0 && worker_write_copies(job, step, &instrument, &ignored))
        result = -1;
    if (messages)
        wf_instrument_list(&instrument, true, messages);
    return result < 0 ? WF_WORKER_WRONG : result > 0 ? WF_WORKER_CHANGED : WF_WORKER_RIGHT;
}

static int worker_start(struct wf_job *job, struct wf_step *step, int *answer)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    fflush(NULL);
    step->worker = fork();
    if (step->worker == 0) {
        FILE *messages = job->settings->verbose ? fdopen(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), "w") : NULL;
        int null = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        close(ends[0]);
        int status = worker_work(job, step, ends[1], messages);
        if (messages)
            fclose(messages);
        _exit(status);
    }
    close(ends[1]);
    if (step->worker < 0) {
        close(ends[0]);
        return -1;
    }
    *answer = ends[0];
    return 0;
}

static void worker_read_answer(struct wf_job *job, struct wf_step *step, int fd)
{
    struct wf_buffer answer = {0};
    char chunk[4096];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR && !wf_job_was_caught()))
        if (n > 0)
            wf_buffer_add(&answer, chunk, (size_t)n);
    close(fd);
    const char *text = wf_buffer_text(&answer);
    step->doubtful = *text == '?';
    step->instrumented = *text == '+' || *text == '?';
    if (*text == '-')
        step->why_not = wf_text_copy(text + 1);
    for (size_t i = 0; step->instrumented && i < job->mirror.root_count && i + 1 < answer.length; i++)
        job->mirror.roots[i].used |= text[i + 1] == '1';
    wf_buffer_fini(&answer);
}

enum wf_worker_answer wf_worker_end(struct wf_step *step)
{
    int status;
    if (step->worker <= 0)
        return WF_WORKER_WRONG;
    while (waitpid(step->worker, &status, 0) < 0)
        if (errno != EINTR)
            return WF_WORKER_WRONG;
    step->worker = 0;
    return WIFEXITED(status) && WEXITSTATUS(status) <= WF_WORKER_WRONG ? (enum wf_worker_answer)WEXITSTATUS(status)
                                                                       : WF_WORKER_WRONG;
}

void wf_step_set_why_not(struct wf_step *step, const char *reason)
{
    free(step->why_not);
    step->why_not = wf_text_copy(reason);
    step->instrumented = false;
}

void wf_worker_run(struct wf_job *job, struct wf_step *step)
{
    int answer;
    if (worker_start(job, step, &answer)) {
        wf_step_set_why_not(step, strerror(errno));
        return;
    }
    worker_read_answer(job, step, answer);
    if (!step->instrumented && wf_worker_end(step) != WF_WORKER_RIGHT && !step->why_not)
        wf_step_set_why_not(step, "libclang crashed");
}
