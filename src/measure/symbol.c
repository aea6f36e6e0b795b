/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "guest/memory.h"
#include "measure/lane.h"

#define MAX_SYMBOLS (1u << 28)

/* The functions of a module, by address. */
struct module {
    struct module *next;
    uint32_t offset; /* of its record */
    uint32_t mask;   /* of slots; 0: no function is known */
    ElfW(Sym) *symbols;
    char *names;
    uint32_t slots[]; /* numbers of symbols, + 1 */
};

struct table {
    ElfW(Sym) *symbols;
    char *names;
    uint64_t count, name_bytes;
};

static struct module *modules;

/* A copy, because who maps a file dies if somebody shortens it. NULL: the file has no such part. */
static void *load(int fd, uint64_t at, uint64_t bytes)
{
    char *memory = bytes ? wf_memory_pages(bytes) : NULL;
    uint64_t done = 0;
    for (ssize_t n; memory && done < bytes; done += (uint64_t)n)
        if ((n = pread(fd, memory + done, bytes - done, (off_t)(at + done))) <= 0)
            break;
    if (memory && done == bytes)
        return memory;
    wf_memory_release(memory, bytes);
    return NULL;
}

/* The table of all symbols, or where that was stripped, of those that the dynamic linker needs. */
static const ElfW(Shdr) *find_table(const ElfW(Shdr) *sections, unsigned count)
{
    const ElfW(Shdr) *found = NULL;
    for (unsigned i = 0; i < count; i++)
        if (sections[i].sh_link < count && sections[i].sh_size / sizeof(ElfW(Sym)) < MAX_SYMBOLS &&
            (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !found)))
            found = &sections[i];
    return found;
}

static void read_table(int fd, struct table *table)
{
    ElfW(Ehdr) elf;
    if (pread(fd, &elf, sizeof elf, 0) != (ssize_t)sizeof elf || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || elf.e_shentsize != sizeof(ElfW(Shdr)))
        return;
    ElfW(Shdr) *sections = load(fd, elf.e_shoff, elf.e_shnum * sizeof *sections);
    const ElfW(Shdr) *found = sections ? find_table(sections, elf.e_shnum) : NULL;
    if (found) {
        table->symbols = load(fd, found->sh_offset, found->sh_size);
        table->count = table->symbols ? found->sh_size / sizeof *table->symbols : 0;
        table->names = load(fd, sections[found->sh_link].sh_offset, sections[found->sh_link].sh_size);
        table->name_bytes = table->names ? sections[found->sh_link].sh_size : 0;
        if (table->names)
            table->names[table->name_bytes - 1] = '\0';
    }
    wf_memory_release(sections, elf.e_shnum * sizeof *sections);
}

static bool is_function(const struct table *table, uint64_t number)
{
    const ElfW(Sym) *symbol = &table->symbols[number];
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF && symbol->st_name < table->name_bytes;
}

static void fill(struct module *module, const struct table *table)
{
    module->symbols = table->symbols;
    module->names = table->names;
    for (uint32_t n = 0; n < table->count; n++) {
        if (!is_function(table, n))
            continue;
        uint32_t i = wf_lane_hash(table->symbols[n].st_value);
        while (module->slots[i & module->mask])
            i++;
        module->slots[i & module->mask] = n + 1;
    }
}

static struct module *read_module(const char *path)
{
    struct table table = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        read_table(fd, &table);
        close(fd);
    }
    uint64_t functions = 0, slots = 2;
    for (uint64_t n = 0; n < table.count; n++)
        functions += is_function(&table, n);
    while (slots < 2 * functions)
        slots *= 2;
    struct module *module = wf_memory_pages(sizeof *module + slots * sizeof *module->slots);
    if (module && functions) {
        module->mask = (uint32_t)slots - 1;
        fill(module, &table);
    } else {
        wf_memory_release(table.symbols, table.count * sizeof *table.symbols);
        wf_memory_release(table.names, table.name_bytes);
    }
    return module;
}

static struct module *find_module(const struct wf_module_record *record, uint32_t offset)
{
    struct module *module = modules;
    while (module && module->offset != offset)
        module = module->next;
    if (!module && (module = read_module(record->path))) {
        module->offset = offset;
        module->next = modules;
        modules = module;
    }
    return module;
}

const char *wf_symbol_find(const struct wf_segment *segment, uint32_t offset, uintptr_t address)
{
    const struct wf_module_record *record = wf_segment_at(segment, offset);
    const struct module *module = find_module(record, offset);
    uintptr_t value = address - record->bias;
    for (uint32_t i = wf_lane_hash(value); module && module->mask && module->slots[i & module->mask]; i++) {
        const ElfW(Sym) *symbol = &module->symbols[module->slots[i & module->mask] - 1];
        if (symbol->st_value == value)
            return module->names + symbol->st_name;
    }
    return "";
}

void wf_symbol_plain(const char *symbol, char *plain, size_t bytes)
{
    const char *module = strncmp(symbol, "__", 2) == 0 ? strstr(symbol, "_MOD_") : NULL;
    if (module)
        symbol = module + strlen("_MOD_");
    size_t length = strcspn(symbol, ".");
    if (!module && length > 1 && symbol[length - 1] == '_')
        length--;
    length = length < bytes ? length : bytes - 1;
    memcpy(plain, symbol, length);
    plain[length] = '\0';
}
