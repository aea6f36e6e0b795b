/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A temporary directory with instrumented copies, laid out like the originals. Each root stands for one directory: the
 * source's own, or one of -I. A copy's name in the compiler's messages becomes the original's by replacing the root's
 * path. The driver owns it; one thread in each of its processes.
 */
#ifndef WF_MIRROR_H
#define WF_MIRROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "instrument/buffer.h"

struct wf_mirror_root {
    char *original; /* the directory as a prefix: "", "src/", "/home/me/include/" */
    char *shown;    /* the same in messages; clang says "./" for "" */
    char *copy;     /* absolute, ends with a slash */
    bool used;
};

struct wf_mirror {
    char *top;
    struct wf_mirror_root *roots;
    size_t root_count;
};

/* Makes the temporary directory. */
int wf_mirror_open(struct wf_mirror *mirror, struct wf_error *error);

/* Removes it and its content. */
void wf_mirror_close(struct wf_mirror *mirror);

/* Adds the root for a directory ("": the current one); returns its index. */
size_t wf_mirror_add(struct wf_mirror *mirror, const char *directory);

/* The rest of the file's name below this root, or NULL if the file is not there or too many levels above it. */
const char *wf_mirror_rest(const struct wf_mirror_root *root, const char *name);

/* Makes the file with this text, or for NULL a link to the original. 0, or -1 and errno. */
int wf_mirror_put(struct wf_mirror_root *root, const char *name, const struct wf_buffer *text);

/* Replaces the copies' paths by the originals' in the compiler's output. */
void wf_mirror_translate(const struct wf_mirror *mirror, const char *text, size_t length, struct wf_buffer *translated);

#endif
