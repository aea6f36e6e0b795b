/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A temporary directory with instrumented copies, laid out like the places that they stand for. Each root stands for one directory: the
 * source's own, or one of -I. Everything the compiler then says of a copy's name becomes the original's by exchanging the root's path.
 */
#ifndef WF_MIRROR_H
#define WF_MIRROR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "instrument/buffer.h"

struct wf_mirror_root {
    char *original; /* what stands in front of a name there: "", "src/", "/home/me/include/" */
    char *shown;    /* the same in messages; clang says "./" for "" */
    char *copy;     /* absolute, with a slash at its end */
    bool used;
};

struct wf_mirror {
    char *top;
    struct wf_mirror_root *roots;
    size_t root_count;
};

/* Makes the temporary directory. */
int wf_mirror_open(struct wf_mirror *mirror, struct wf_error *error);

/* Removes it with all that is in it. */
void wf_mirror_close(struct wf_mirror *mirror);

/* Adds the root for a directory ("" for none); returns its index. */
size_t wf_mirror_add(struct wf_mirror *mirror, const char *directory);

/* Where the name of a file goes on behind this root, or NULL if it is not there or too far above. */
const char *wf_mirror_rest(const struct wf_mirror_root *root, const char *name);

/* Puts a file there: this text, or with NULL a link to the original. 0, or -1 and errno. */
int wf_mirror_put(struct wf_mirror_root *root, const char *name, const struct wf_buffer *text);

/* Exchanges copies' paths for originals' in what the compiler printed. */
void wf_mirror_translate(const struct wf_mirror *mirror, const char *text, size_t length, struct wf_buffer *translated);

#endif
