/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/birth.h"

#include <stdio.h>

enum wf_birth_answer wf_birth_judge(uint32_t pid, uint64_t start, uint64_t namespace)
{
    char folder[32];
    if (pid == 0 || pid > INT32_MAX)
        return WF_BIRTH_GONE;
    if (namespace && namespace != wf_birth_of("/proc/self").namespace)
        return WF_BIRTH_FOREIGN;
    snprintf(folder, sizeof folder, "/proc/%u", pid);
    struct wf_birth birth = wf_birth_of(folder);
    /* A zombie is over: it only waits for its parent, in some containers for ever. */
    bool over = birth.state == 0 || birth.state == 'Z' || birth.state == 'X';
    return over || (start && birth.start != start) ? WF_BIRTH_GONE : WF_BIRTH_ALIVE;
}

bool wf_birth_writes(int fd)
{
    /* The system gives a lease to nobody while a file is open for writing, or mapped so: whoever gets one knows that nobody has it. */
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}
