/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which process a number means. The system uses process ids again, and each PID namespace has its own: only together with the moment of its start and
 * with its namespace is one of them certain. No memory is taken, so that it can be used in other people's processes.
 */
#ifndef WF_BIRTH_H
#define WF_BIRTH_H

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct wf_birth {
    uint64_t start;     /* in the system's clock ticks since it was booted (field 22 of /proc/PID/stat); 0: not known */
    uint64_t namespace; /* inode of /proc/PID/ns/pid; 0: not known */
    char state;         /* as /proc/PID/stat has it: Z is a process that is over; 0: there is no such process */
};

/* The text is that of /proc/PID/stat: the name in it may hold blanks and brackets. */
static inline void wf_birth_parse(struct wf_birth *birth, const char *text)
{
    const char *at = strrchr(text, ')');
    if (!at || at[1] != ' ')
        return;
    birth->state = at[2];
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    birth->start = at ? strtoull(at + 1, NULL, 10) : 0;
}

/* Of the process whose folder in /proc is given: "/proc/self". */
static inline struct wf_birth wf_birth_of(const char *folder)
{
    struct wf_birth birth = {.state = 0};
    struct stat namespace;
    char path[64] = "", text[512];
    strncat(path, folder, 40);
    size_t length = strlen(path);
    strcpy(path + length, "/stat");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    wf_birth_parse(&birth, text);
    strcpy(path + length, "/ns/pid");
    birth.namespace = stat(path, &namespace) == 0 ? namespace.st_ino : 0;
    return birth;
}

enum wf_birth_answer {
    WF_BIRTH_GONE,
    WF_BIRTH_ALIVE,
    WF_BIRTH_FOREIGN, /* of another PID namespace: its number means nothing here */
};

/* Is this process there? start and namespace may be 0: not known. */
enum wf_birth_answer wf_birth_judge(uint32_t pid, uint64_t start, uint64_t namespace);

/* Does any process of this machine, of whatever namespace, have the file open or mapped for writing? `fd` is open for reading, and the file is the
 * user's own; SIGIO is ignored, should somebody open it at this moment. */
bool wf_birth_writes(int fd);

#endif
