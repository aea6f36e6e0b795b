/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/path/trace.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "measure/guest/settings.h"

struct wf_trace {
    int fd;
    size_t used;
    char text[60000];
};

struct wf_trace *wf_trace_open(uint32_t rank, uint32_t thread)
{
    static char path[PATH_MAX];
    const char *directory = wf_settings.test_trace;
    struct wf_trace *t = *directory ? wf_memory_pages(sizeof *t) : NULL;
    if (!t)
        return NULL;
    snprintf(path, sizeof path, "%s/%u-%u.trace", directory, rank, thread);
    t->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return t->fd < 0 ? NULL : t;
}

void wf_trace_flush(struct wf_trace *t)
{
    for (size_t at = 0; at < t->used;) {
        ssize_t n = write(t->fd, t->text + at, t->used - at);
        if (n <= 0)
            break;
        at += (size_t)n;
    }
    t->used = 0;
}

void wf_trace_line(struct wf_trace *t, const char *format, ...)
{
    va_list list;
    if (t->used + 512 > sizeof t->text)
        wf_trace_flush(t);
    va_start(list, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
    int n = vsnprintf(t->text + t->used, 511, format, list);
    va_end(list);
    t->used += n > 0 && n < 511 ? (size_t)n : 0;
    t->text[t->used++] = '\n';
}
