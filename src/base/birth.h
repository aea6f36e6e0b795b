/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which process a number means. The system uses process ids again, and each PID namespace has its own ids: only
 * together with the moment of its start and its namespace is an id certain. All of it is values on the stack, so that
 * any thread may use it, also in the application's processes.
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
    char state;         /* as in /proc/PID/stat: Z is a zombie; 0: there is no such process */
};

/* Reads the text of /proc/PID/stat. The name in it may hold blanks and brackets. */
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

/* The birth of the process whose folder in /proc is given: "/proc/self". */
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
    WF_BIRTH_FOREIGN, /* it has another PID namespace: its number means nothing here */
};

/* Whether this process is alive. start and namespace may be 0: not known. */
enum wf_birth_answer wf_birth_judge(uint32_t pid, uint64_t start, uint64_t namespace);

/* Whether any process of this machine, in any namespace, has the file open or mapped for writing. `fd` is open for
 * reading, and the file is the user's own. The caller ignores SIGIO, which comes if another process opens the file at
 * this moment. */
bool wf_birth_writes(int fd);

#endif
