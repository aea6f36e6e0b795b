/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Preloaded: reserving disk space takes 2 ms, as on network file systems.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <time.h>

int posix_fallocate(int fd, off_t offset, off_t bytes)
{
    static int (*next)(int, off_t, off_t);
    if (!next)
        next = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return next(fd, offset, bytes);
}
