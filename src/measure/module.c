/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place {
    uintptr_t start, end, bias;
    const char *name; /* "" for the executable */
};

/* _dl_find_object takes no lock: a call from inside dlopen in another thread, or from a constructor, is safe. */
static bool find_place(uintptr_t address, struct place *place)
{
    struct dl_find_object found;
    if (_dl_find_object((void *)address, &found) != 0)
        return false;
    *place = (struct place){.start = (uintptr_t)found.dlfo_map_start,
                            .end = (uintptr_t)found.dlfo_map_end,
                            .bias = found.dlfo_link_map->l_addr,
                            .name = found.dlfo_link_map->l_name};
    return true;
}

static uint32_t known(const struct wf_segment *segment, uintptr_t address)
{
    const char *base = (const char *)segment->header;
    uint64_t used = atomic_load_explicit(&segment->header->used_bytes, memory_order_acquire);
    for (uint64_t at = sizeof *segment->header; at < used;) {
        const struct wf_chunk *chunk = (const struct wf_chunk *)(base + at);
        const struct wf_module_record *module = (const struct wf_module_record *)(chunk + 1);
        if (chunk->kind == WF_CHUNK_MODULE && atomic_load_explicit(&chunk->count, memory_order_acquire) == 1 &&
            module->start <= address && address < module->end)
            return wf_segment_offset(segment, module);
        at += chunk->bytes;
    }
    return 0;
}

static void copy_build_id(struct wf_module_record *module, const char *note, size_t bytes)
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
static void read_build_id(struct wf_module_record *module)
{
    const ElfW(Ehdr) *elf = (const void *)module->start;
    if (memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0)
        return;
    const ElfW(Phdr) *part = (const void *)(module->start + elf->e_phoff);
    for (unsigned i = 0; i < elf->e_phnum && module->build_id_bytes == 0; i++)
        if (part[i].p_type == PT_NOTE && part[i].p_memsz > 0)
            copy_build_id(module, (const char *)(module->bias + part[i].p_vaddr), part[i].p_memsz);
}

static size_t path_of(const struct place *place, char *path, size_t bytes)
{
    if (place->name[0] == '\0') {
        ssize_t n = readlink("/proc/self/exe", path, bytes - 1);
        path[n < 0 ? 0 : n] = '\0';
    } else if (!realpath(place->name, path)) {
        path[0] = '\0';
        strncat(path, place->name, bytes - 1);
    }
    return strlen(path);
}

static uint32_t add(struct wf_segment *segment, const struct place *place)
{
    char path[4096];
    size_t length = path_of(place, path, sizeof path);
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
    memcpy(module->path, path, length + 1);
    read_build_id(module);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    return wf_segment_offset(segment, module);
}

uint32_t wf_module_find(struct wf_segment *segment, uintptr_t address)
{
    uint32_t offset = known(segment, address);
    struct place place;
    if (offset == 0 && find_place(address, &place))
        offset = add(segment, &place);
    return offset;
}
