/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_NS INT64_C(1000000000)
#define EVERY_NS INT64_C(100000000)

static int64_t progress_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

void wf_progress_init(struct wf_progress *progress, bool wanted, size_t total)
{
    *progress = (struct wf_progress){.enabled = wanted && isatty(STDERR_FILENO), .total = total};
    progress->next_ns = progress_now_ns() + FIRST_NS;
}

void wf_progress_show(struct wf_progress *progress, size_t done)
{
    if (!progress->enabled || progress_now_ns() < progress->next_ns)
        return;
    fprintf(stderr, "\rcollecting %zu/%zu segments", done, progress->total);
    fflush(stderr);
    progress->shown = true;
    progress->next_ns = progress_now_ns() + EVERY_NS;
}

void wf_progress_fini(struct wf_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
