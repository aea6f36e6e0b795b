/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The executables and shared libraries of a run. A file is one module for all processes that mapped it; it is known by
 * its build-id, else by its path. The collected program owns them.
 */
#ifndef WF_COLLECT_MODULES_H
#define WF_COLLECT_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "format/segment.h"

#define WF_NO_MODULE UINT32_MAX

struct wf_module {
    char *path;
    unsigned char build_id[sizeof(((struct wf_module_record *)0)->build_id)];
    uint32_t build_id_bytes;
};

struct wf_modules {
    struct wf_intern keys; /* numbers as in items */
    struct wf_module *items;
    size_t capacity;
};

/* A zeroed struct is an empty one. */
void wf_modules_fini(struct wf_modules *modules);

/* Both return its number; WF_NO_MODULE: out of memory, or not there. */
uint32_t wf_modules_add(struct wf_modules *modules, const struct wf_module_record *record);
uint32_t wf_modules_find(const struct wf_modules *modules, const struct wf_module_record *record);

size_t wf_modules_count(const struct wf_modules *modules);
const char *wf_modules_path(const struct wf_modules *modules, uint32_t module); /* also of WF_NO_MODULE */

#endif
