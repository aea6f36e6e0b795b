/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/quiet.h"

#define MAX_MODULES 4096u

struct module_place {
    uintptr_t start, end, bias;
    const struct link_map *map;
};

/* Read without the lock: it is whole before the count, or `closed`, says that it is there. */
struct module_entry {
    struct module_place place;
    uint32_t offset; /* of its record */
    _Atomic bool closed;
};

/* The modules of a segment. */
static struct wf_module_table {
    struct wf_lock lock;
    const struct wf_segment *segment;
    _Atomic uint32_t count;
    struct module_entry entries[MAX_MODULES];
    char path[4096]; /* of the one that is being added: not on a stack, which may be small */
} modules;

/* _dl_find_object takes no lock: a call from inside dlopen in another thread, or from a constructor, is safe. */
static bool module_find_place(uintptr_t address, struct module_place *place)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    *place = (struct module_place){.start = (uintptr_t)found.dlfo_map_start,
                                   .end = (uintptr_t)found.dlfo_map_end,
                                   .bias = found.dlfo_link_map->l_addr,
                                   .map = found.dlfo_link_map};
    return true;
}

static struct module_entry *module_find_known(uintptr_t address)
{
    for (uint32_t i = atomic_load_explicit(&modules.count, memory_order_acquire); i-- > 0;) {
        struct module_entry *m = &modules.entries[i];
        if (!atomic_load_explicit(&m->closed, memory_order_acquire) && m->place.start <= address &&
            address < m->place.end)
            return m;
    }
    return NULL;
}

/* As far as can be told: is what is mapped there now what was when it was recorded? */
static bool module_is_still_there(const struct module_entry *m)
{
    struct module_place now;
    return module_find_place(m->place.start, &now) && now.map == m->place.map && now.start == m->place.start &&
           now.end == m->place.end;
}

static void module_copy_build_id(struct wf_module_record *module, const char *note, size_t bytes)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *header = (const void *)note;
        size_t name = (header->n_namesz + 3u) & ~3u;
        size_t size = sizeof *header + name + ((header->n_descsz + 3u) & ~3u);
        if (size > bytes)
            return;
        const char *text = note + sizeof *header;
        if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 && memcmp(text, "GNU", 4) == 0 &&
            header->n_descsz <= sizeof module->build_id) {
            module->build_id_bytes = header->n_descsz;
            memcpy(module->build_id, text + name, header->n_descsz);
            return;
        }
        note += size;
        bytes -= size;
    }
}

/* The build-id as it is in memory: the file may have been replaced since. */
static void module_read_build_id(struct wf_module_record *module)
{
    const ElfW(Ehdr) *elf = (const void *)module->start;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0)
        return;
    const ElfW(Phdr) *part = (const void *)(module->start + elf->e_phoff);
    for (unsigned i = 0; i < elf->e_phnum && module->build_id_bytes == 0; i++)
        if (part[i].p_type == PT_NOTE && part[i].p_memsz > 0)
            module_copy_build_id(module, (const char *)(module->bias + part[i].p_vaddr), part[i].p_memsz);
}

/* As the kernel knows it: a name may be a link, or relative to where the program was when it opened the library. */
static size_t module_read_path(const struct module_place *place, char *path, size_t bytes)
{
    char link[32] = "/proc/self/exe";
    int fd = -1;
    if (place->map->l_name[0]) {
        fd = open(place->map->l_name, O_PATH | O_CLOEXEC);
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    }
    ssize_t n = readlink(link, path, bytes - 1);
    path[n < 0 ? 0 : n] = '\0';
    if (n < 0)
        strncat(path, place->map->l_name, bytes - 1);
    if (fd >= 0)
        close(fd);
    return strlen(path);
}

static uint32_t module_add_record(struct wf_segment *segment, const struct module_place *place)
{
    size_t length = module_read_path(place, modules.path, sizeof modules.path);
    size_t bytes = sizeof(struct wf_module_record) + length + 1;
    bytes = (bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    struct wf_chunk *chunk = wf_segment_add(segment, WF_CHUNK_MODULE, 0, (uint32_t)bytes, bytes);
    if (!chunk)
        return 0;
    struct wf_module_record *module = (struct wf_module_record *)(chunk + 1);
    module->start = place->start;
    module->end = place->end;
    module->bias = place->bias;
    module->path_bytes = (uint32_t)length;
    memcpy(module->path, modules.path, length + 1);
    module_read_build_id(module);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    return wf_segment_offset(segment, module);
}

/* With the lock. */
static void module_close(struct module_entry *m)
{
    struct wf_module_record *record = wf_segment_at(modules.segment, m->offset);
    record->closed_bytes = atomic_load_explicit(&modules.segment->header->used_bytes, memory_order_acquire);
    atomic_store_explicit(&m->closed, true, memory_order_release);
}

/* With the lock: one that was never used, or else that of a module that is closed. */
static struct module_entry *module_free_entry(void)
{
    uint32_t count = atomic_load_explicit(&modules.count, memory_order_relaxed), i = 0;
    if (count < MAX_MODULES) {
        atomic_store_explicit(&modules.entries[count].closed, true, memory_order_relaxed);
        modules.entries[count].place = (struct module_place){.start = 0};
        atomic_store_explicit(&modules.count, count + 1, memory_order_release);
        return &modules.entries[count];
    }
    while (i < count && !atomic_load_explicit(&modules.entries[i].closed, memory_order_relaxed))
        i++;
    return i < count ? &modules.entries[i] : NULL;
}

/* With the lock. A module that was closed unseen, perhaps in a way that is not dlclose, is closed now. */
static uint32_t module_add(struct wf_segment *segment, uintptr_t address)
{
    struct module_place place;
    struct module_entry *m;
    while ((m = module_find_known(address)) && !module_is_still_there(m))
        module_close(m);
    if (m)
        return m->offset;
    m = module_find_place(address, &place) ? module_free_entry() : NULL;
    uint32_t offset = m ? module_add_record(segment, &place) : 0;
    if (offset) {
        m->place = place;
        m->offset = offset;
        atomic_store_explicit(&m->closed, false, memory_order_release);
    }
    return offset;
}

uint32_t wf_module_find(struct wf_segment *segment, uintptr_t address)
{
    struct wf_quiet quiet;
    const struct module_entry *known = modules.segment == segment ? module_find_known(address) : NULL;
    if (known && module_is_still_there(known))
        return known->offset;
    wf_quiet_lock(&quiet, &modules.lock);
    if (modules.segment != segment) {
        modules.segment = segment;
        atomic_store_explicit(&modules.count, 0, memory_order_relaxed);
    }
    uint32_t offset = module_add(segment, address);
    wf_quiet_unlock(&quiet, &modules.lock);
    return offset;
}

bool wf_module_is_past(const void *record, uintptr_t address)
{
    uint32_t count = atomic_load_explicit(&modules.count, memory_order_acquire);
    for (uint32_t i = 0; i < count; i++) {
        const struct module_entry *m = &modules.entries[i];
        const struct wf_module_record *module =
            m->place.start <= address && address < m->place.end ? wf_segment_at(modules.segment, m->offset) : NULL;
        if (module && atomic_load_explicit(&m->closed, memory_order_acquire) &&
            (uint64_t)((const char *)record - (const char *)modules.segment->header) < module->closed_bytes)
            return true;
    }
    return false;
}

uint32_t wf_module_look_for_closed(struct wf_module_span *spans, uint32_t room)
{
    struct wf_quiet quiet;
    uint32_t found = 0, count = atomic_load_explicit(&modules.count, memory_order_acquire);
    wf_quiet_lock(&quiet, &modules.lock);
    for (uint32_t i = 0; i < count && found < room; i++) {
        struct module_entry *m = &modules.entries[i];
        if (atomic_load_explicit(&m->closed, memory_order_relaxed) || module_is_still_there(m))
            continue;
        module_close(m);
        spans[found++] = (struct wf_module_span){.start = m->place.start, .end = m->place.end};
    }
    wf_quiet_unlock(&quiet, &modules.lock);
    return found;
}
