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
    /* A zombie has ended: it only waits for its parent, in some containers for ever. */
    bool over = birth.state == 0 || birth.state == 'Z' || birth.state == 'X';
    return over || (start && birth.start != start) ? WF_BIRTH_GONE : WF_BIRTH_ALIVE;
}

bool wf_birth_writes(int fd)
{
    /* The system gives no lease on a file that is open or mapped for writing: with a lease it is certain that no
     * process has it so. */
    if (fcntl(fd, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN;
    fcntl(fd, F_SETLEASE, F_UNLCK);
    return false;
}
