/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A new file that is mapped once at its largest size and gets its disk space as it grows. Where it is kept, its owner
 * says (struct wf_file_place). For other people's processes: no descriptor of it is kept, a full disk or a limit is an
 * error and not a signal, and errno stays as it is. Not thread-safe: its owner locks. What is mapped may be read and
 * written by any thread and process. Not for signal handlers.
 */
#ifndef WF_FILE_H
#define WF_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/shared.h"

#define WF_FILE_NAME_BYTES 256

/* Where files are kept: how one is opened and removed by its name. */
struct wf_file_place {
    int (*open)(const char *name, int flags); /* a descriptor; -1 and errno */
    void (*remove)(const char *name);
};

struct wf_file {
    char *base;            /* limit_bytes of address space; NULL: not open */
    uint64_t backed_bytes; /* of it have disk space behind them */
    uint64_t limit_bytes;
    const struct wf_file_place *place;
    dev_t device; /* which file it is: by its name alone another one might be found later */
    ino_t inode;
    char name[WF_FILE_NAME_BYTES];
};

/* Creates the file and maps it. Returns 0, or the errno that says why not; an empty file that could not get its first
 * bytes is left behind, because it tells others so. */
int wf_file_create(struct wf_file *file, const struct wf_file_place *place, const char *name, uint64_t limit_bytes)
    WF_SHARED(file_create);

/* Disk space for the first `bytes`. Returns 0, or an errno. */
int wf_file_grow(struct wf_file *file, uint64_t bytes) WF_SHARED(file_grow);

/* Unmaps and removes it. */
void wf_file_remove(struct wf_file *file) WF_SHARED(file_remove);

#endif
