/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The begin of a box, the file in the run's directory that a process shares with others of its host: whose it is, and
 * what its threads are blocked in. Behind that is what only processes of the application read
 * (measure/exchange/box.h).
 */
#ifndef WF_FORMAT_BOX_H
#define WF_FORMAT_BOX_H

#include <stdio.h>

#include "format/needs.h"

#define WF_BOX_MAGIC "weftbox"
#define WF_BOX_VERSION 4u
#define WF_BOX_PREFIX "box-"
#define WF_BOX_UNIT 64u /* offsets in a box are in these */

struct wf_box_owner { /* which process it is (base/birth.h) */
    uint64_t start_time, pid_namespace;
    uint32_t pid; /* written last; 0: not yet */
    uint32_t reserved;
};

struct wf_box_head {
    char magic[8];
    uint32_t rank, size;        /* the size is there as soon as there is a directory */
    _Atomic uint32_t directory; /* offset; 0: not yet */
    _Atomic uint32_t version;   /* written behind magic and rank, before MPI is initialised */
    struct wf_box_owner owner;
    uint32_t reserved[4];
    struct wf_needs_area needs;
};

/* One directory may hold several worlds, and a world several hosts. */
static inline void wf_box_name(char *path, size_t bytes, const char *world, int rank, const char *host)
{
    snprintf(path, bytes, WF_BOX_PREFIX "%s-%d-%s", world, rank, host);
}

#endif
