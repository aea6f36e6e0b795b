/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/modules.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void wf_modules_fini(struct wf_modules *modules)
{
    for (size_t i = 0; i < modules->keys.count; i++)
        free(modules->items[i].path);
    free(modules->items);
    wf_intern_fini(&modules->keys);
    *modules = (struct wf_modules){0};
}

static size_t module_key(const struct wf_module_record *record, const void **bytes)
{
    *bytes = record->build_id_bytes ? (const void *)record->build_id : record->path;
    return record->build_id_bytes ? record->build_id_bytes : strlen(record->path);
}

uint32_t wf_modules_add(struct wf_modules *modules, const struct wf_module_record *record)
{
    const void *bytes;
    size_t length = module_key(record, &bytes), before = modules->keys.count;
    uint32_t known = wf_intern_find(&modules->keys, bytes, length);
    if (known != WF_INTERN_NONE)
        return known;
    if (WF_ARRAY_RESERVE(modules->items, modules->capacity, before + 1) != 0)
        return WF_NO_MODULE;
    char *path = strdup(record->path);
    uint32_t number = path ? wf_intern_add(&modules->keys, bytes, length) : WF_INTERN_NONE;
    if (number == WF_INTERN_NONE) {
        free(path);
        return WF_NO_MODULE;
    }
    struct wf_module *added = &modules->items[number];
    *added = (struct wf_module){.path = path, .build_id_bytes = record->build_id_bytes};
    memcpy(added->build_id, record->build_id, record->build_id_bytes);
    return number;
}

uint32_t wf_modules_find(const struct wf_modules *modules, const struct wf_module_record *record)
{
    const void *bytes;
    size_t length = module_key(record, &bytes);
    return wf_intern_find(&modules->keys, bytes, length);
}

size_t wf_modules_count(const struct wf_modules *modules)
{
    return modules->keys.count;
}

const char *wf_modules_path(const struct wf_modules *modules, uint32_t module)
{
    return module == WF_NO_MODULE ? "[unknown]" : modules->items[module].path;
}
