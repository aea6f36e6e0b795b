/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/process/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/clock/limits.h"

/* The second number of the file: nanoseconds in the queue of those that are ready. By system calls alone: the
 * application may have functions of its own with the names of the library's, and the thread is not cancelled in these.
 */
static bool core_read_delay(uint64_t *delay_ns)
{
    char text[64];
    long fd = syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    long length = syscall(SYS_read, fd, text, sizeof text - 1);
    syscall(SYS_close, fd);
    if (length <= 0)
        return false;
    text[length] = 0;
    char *second, *end;
    strtoull(text, &second, 10);
    *delay_ns = strtoull(second, &end, 10);
    return end != second;
}

static uint64_t core_see(struct wf_lane_core *core)
{
    struct rusage usage;
    uint64_t delay_ns = 0, before = core->delay_ns;
    if (syscall(SYS_getrusage, RUSAGE_THREAD, &usage) != 0)
        return 0;
    uint64_t switches = (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
    if (core->at && switches == core->switches)
        return 0;
    core->switches = switches;
    if (!core_read_delay(&delay_ns))
        return 0;
    core->delay_ns = delay_ns;
    return core->at && delay_ns > before ? wf_limits_ticks(delay_ns - before) : 0;
}

uint64_t wf_core_peek(struct wf_lane *lane, uint64_t now)
{
    int error = errno;
    uint64_t ticks = core_see(&lane->core);
    lane->core.at = now;
    lane->core.kept += ticks;
    lane->record->no_core_all_ticks += ticks;
    errno = error;
    return lane->core.kept;
}

uint64_t wf_core_look(struct wf_lane *lane, uint64_t now)
{
    uint64_t ticks = wf_core_peek(lane, now);
    lane->core.kept = 0;
    return ticks;
}
