/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which program a file is: a number made of its GNU build id or, without one, of all its bytes. For weft's own
 * processes and the application's: no memory is allocated, errno stays as it is. Any thread.
 */
#ifndef WF_BASE_EXECUTABLE_H
#define WF_BASE_EXECUTABLE_H

#include <stdint.h>

/* 0: it is no ELF file that can be read. */
uint64_t wf_executable_identity(const char *path);

#endif
