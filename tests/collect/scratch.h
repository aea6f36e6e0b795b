/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A directory for one test. All functions end the test program on failure.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stddef.h>

struct scratch {
    char directory[64];
};

void scratch_init(struct scratch *scratch);
void scratch_fini(struct scratch *scratch); /* removes it with all it holds */

/* A path in it; valid until the 8th call after this one. */
const char *scratch_path(const struct scratch *scratch, const char *name);

void scratch_write(const char *path, const void *bytes, size_t length);
int scratch_exists(const char *path);
int scratch_count(const char *directory); /* files in it, hidden ones too */

#endif
