/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/quiet.h"

/* Disk space is asked for in these steps: a store into a page without any would be a SIGBUS in the application. */
#define FILE_STEP_BYTES (64u * 1024)

static uint64_t file_round_up(uint64_t bytes)
{
    return (bytes + FILE_STEP_BYTES - 1) / FILE_STEP_BYTES * FILE_STEP_BYTES;
}

/* A file beyond RLIMIT_FSIZE is refused with a signal that ends the application. It stays blocked here and is taken
 * back. */
static int file_back(int fd, uint64_t from, uint64_t to)
{
    struct rlimit limit;
    sigset_t pending, too_large;
    sigemptyset(&pending);
    sigemptyset(&too_large);
    sigaddset(&too_large, SIGXFSZ);
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && to > limit.rlim_cur)
        return EFBIG;
    sigpending(&pending);
    int why = posix_fallocate(fd, (off_t)from, (off_t)(to - from));
    if (why == EFBIG && !sigismember(&pending, SIGXFSZ))
        sigtimedwait(&too_large, NULL, &(struct timespec){0});
    return why;
}

static int file_make(struct wf_file *file, uint64_t limit_bytes)
{
    struct stat status;
    int fd = file->place->open(file->name, O_RDWR | O_CREAT | O_EXCL);
    if (fd < 0)
        return errno;
    int why = fstat(fd, &status) == 0 ? file_back(fd, 0, FILE_STEP_BYTES) : errno;
    void *map = MAP_FAILED;
    if (!why) {
        map = mmap(NULL, limit_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        why = map == MAP_FAILED ? errno : 0;
    }
    if (why && ftruncate(fd, 0) < 0)
        file->place->remove(file->name);
    close(fd); /* an application may close or reuse any descriptor: none is kept */
    if (why)
        return why;
    file->base = map;
    file->backed_bytes = FILE_STEP_BYTES;
    file->limit_bytes = limit_bytes;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return 0;
}

int wf_file_create(struct wf_file *file, const struct wf_file_place *place, const char *name, uint64_t limit_bytes)
{
    struct wf_quiet quiet;
    if (strlen(name) >= sizeof file->name)
        return ENAMETOOLONG;
    strcpy(file->name, name);
    file->place = place;
    wf_quiet_begin(&quiet);
    int why = file_make(file, file_round_up(limit_bytes));
    wf_quiet_end(&quiet);
    return why;
}

static bool file_is_same(const struct wf_file *file, int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == file->device && status.st_ino == file->inode;
}

static int file_extend(struct wf_file *file, uint64_t wanted)
{
    int fd = file->place->open(file->name, O_RDWR);
    if (fd < 0)
        return errno;
    int why = file_is_same(file, fd) ? file_back(fd, file->backed_bytes, wanted) : ESTALE;
    close(fd);
    if (!why)
        file->backed_bytes = wanted;
    return why;
}

int wf_file_grow(struct wf_file *file, uint64_t bytes)
{
    struct wf_quiet quiet;
    uint64_t wanted = file_round_up(bytes);
    if (wanted <= file->backed_bytes)
        return 0;
    if (wanted > file->limit_bytes)
        return ENOSPC;
    wf_quiet_begin(&quiet);
    int why = file_extend(file, wanted);
    wf_quiet_end(&quiet);
    return why;
}

void wf_file_remove(struct wf_file *file)
{
    int saved = errno;
    munmap(file->base, file->limit_bytes);
    file->place->remove(file->name);
    file->base = NULL;
    errno = saved;
}
