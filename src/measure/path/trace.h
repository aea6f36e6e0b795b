/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For tests only (WEFT_TEST_TRACE=DIR): one line of text for everything that the critical path is told, and in the end
 * what it was, so that a program can compute the same off line. tests/path/offline.c describes the lines.
 */
#ifndef WF_TRACE_H
#define WF_TRACE_H

#include <stdint.h>

struct wf_trace;

/* NULL: not wanted. */
struct wf_trace *wf_trace_open(uint32_t rank, uint32_t thread);
void wf_trace_line(struct wf_trace *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void wf_trace_flush(struct wf_trace *t);

#endif
