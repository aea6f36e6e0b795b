/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/guest/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/guest/settings.h"

static bool directory_is_ours(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_uid == geteuid() && !(status.st_mode & (S_IWGRP | S_IWOTH));
}

int wf_directory_open(void)
{
    if (!*wf_settings.directory) {
        errno = ENOENT;
        return -1;
    }
    int fd = open(wf_settings.directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || directory_is_ours(fd))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

int wf_directory_file(const char *name, int flags)
{
    int directory = wf_directory_open();
    if (directory < 0)
        return -1;
    int fd = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    int why = errno;
    if (fd >= 0 && flags & O_CREAT)
        fchmod(fd, S_IRUSR | S_IWUSR); /* a umask may take the user's own rights, too, and it will be opened again */
    close(directory);
    errno = why;
    return fd;
}

void wf_directory_remove(const char *name)
{
    int directory = wf_directory_open();
    if (directory < 0)
        return;
    unlinkat(directory, name, 0);
    close(directory);
}

const struct wf_file_place wf_directory_place = {.open = wf_directory_file, .remove = wf_directory_remove};
