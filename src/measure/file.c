/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Disk space is asked for in these steps: a store into a page without any would be a SIGBUS in the application. */
#define STEP_BYTES (64u * 1024)

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
}

static int back(int fd, uint64_t from, uint64_t to)
{
    return posix_fallocate(fd, (off_t)from, (off_t)(to - from));
}

int wf_file_create(struct wf_file *file, const char *path, uint64_t limit_bytes)
{
    limit_bytes = round_up(limit_bytes);
    if (strlen(path) >= sizeof file->path)
        return ENAMETOOLONG;
    strcpy(file->path, path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return errno;
    int why = back(fd, 0, STEP_BYTES);
    void *map = MAP_FAILED;
    if (!why) {
        map = mmap(NULL, limit_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
        why = map == MAP_FAILED ? errno : 0;
    }
    if (why && ftruncate(fd, 0) < 0)
        unlink(path);
    close(fd); /* an application may close or reuse any descriptor: none is kept */
    if (why)
        return why;
    file->base = map;
    file->backed_bytes = STEP_BYTES;
    file->limit_bytes = limit_bytes;
    return 0;
}

int wf_file_grow(struct wf_file *file, uint64_t bytes)
{
    uint64_t wanted = round_up(bytes);
    if (wanted <= file->backed_bytes)
        return 0;
    if (wanted > file->limit_bytes)
        return ENOSPC;
    int fd = open(file->path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int why = back(fd, file->backed_bytes, wanted);
    close(fd);
    if (!why)
        file->backed_bytes = wanted;
    return why;
}
