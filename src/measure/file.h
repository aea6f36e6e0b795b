/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file of the run's directory that is mapped once at its largest size and gets its disk space as it grows. Not thread-safe: its owner locks.
 */
#ifndef WF_FILE_H
#define WF_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "guest/shared.h"

#define WF_FILE_NAME_BYTES 256

struct wf_file {
    char *base;            /* limit_bytes of address space; NULL: not open */
    uint64_t backed_bytes; /* of it have disk space behind them */
    uint64_t limit_bytes;
    dev_t device; /* which file it is: by its name alone another one might be found later */
    ino_t inode;
    char name[WF_FILE_NAME_BYTES];
};

/* Creates the file and maps it. Returns 0, or the errno that says why not; an empty file that could not get its first bytes is left
 * behind, because it tells others so. */
int wf_file_create(struct wf_file *file, const char *name, uint64_t limit_bytes) WF_SHARED(file_create);

/* Disk space for the first `bytes`. Returns 0, or an errno. */
int wf_file_grow(struct wf_file *file, uint64_t bytes) WF_SHARED(file_grow);

#endif
