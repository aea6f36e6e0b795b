/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/probe/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/table.h"

#define MAX_SYMBOLS (1u << 28)

/* The symbols of a file. */
struct symbol_table {
    ElfW(Sym) * symbols;
    char *names;
    uint64_t count, name_bytes;
};

/* The functions of a module, by their value, which is the address without the module's bias. */
struct symbol_module {
    struct symbol_module *next;
    uint32_t offset; /* of its record */
    const char *names;
    struct wf_table functions; /* ElfW(Sym) */
};

/* Those in which an address has been looked for. They stay: the names of their symbols may be asked for again. */
static struct symbol_module *symbol_modules;

/* A copy, because a process that maps a file dies if another one shortens it. NULL: the file has no such part. */
static void *symbol_load(int fd, uint64_t at, uint64_t bytes)
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
static const ElfW(Shdr) * symbol_find_section(const ElfW(Shdr) * sections, unsigned count)
{
    const ElfW(Shdr) *found = NULL;
    for (unsigned i = 0; i < count; i++)
        if (sections[i].sh_link < count && sections[i].sh_size / sizeof(ElfW(Sym)) < MAX_SYMBOLS &&
            (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !found)))
            found = &sections[i];
    return found;
}

static void symbol_read_table(int fd, struct symbol_table *table)
{
    ElfW(Ehdr) elf;
    if (pread(fd, &elf, sizeof elf, 0) != (ssize_t)sizeof elf || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
        elf.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
        elf.e_shentsize != sizeof(ElfW(Shdr)))
        return;
    ElfW(Shdr) *sections = symbol_load(fd, elf.e_shoff, elf.e_shnum * sizeof *sections);
    const ElfW(Shdr) *found = sections ? symbol_find_section(sections, elf.e_shnum) : NULL;
    if (found) {
        table->symbols = symbol_load(fd, found->sh_offset, found->sh_size);
        table->count = table->symbols ? found->sh_size / sizeof *table->symbols : 0;
        table->names = symbol_load(fd, sections[found->sh_link].sh_offset, sections[found->sh_link].sh_size);
        table->name_bytes = table->names ? sections[found->sh_link].sh_size : 0;
        if (table->names)
            table->names[table->name_bytes - 1] = '\0';
    }
    wf_memory_release(sections, elf.e_shnum * sizeof *sections);
}

static bool symbol_is_function(const struct symbol_table *table, const ElfW(Sym) * symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_name < table->name_bytes;
}

static uint32_t symbol_hash(const void *symbol)
{
    return wf_hash(((const ElfW(Sym) *)symbol)->st_value);
}

/* The function's first symbol, or NULL. */
static const ElfW(Sym) * symbol_at(const struct wf_table *functions, uintptr_t value)
{
    for (uint32_t i = wf_hash(value);; i++) {
        const ElfW(Sym) *symbol = wf_table_at(functions, i);
        if (!symbol || symbol->st_value == value)
            return symbol;
    }
}

/* The symbols' memory and that of their names is the module's from now on, unless there is no function. */
static void symbol_fill(struct symbol_module *module, const struct symbol_table *table)
{
    module->functions = (struct wf_table)WF_TABLE(table->symbols);
    module->names = table->names;
    for (uint64_t n = 0; n < table->count; n++) {
        const ElfW(Sym) *symbol = &table->symbols[n];
        if (symbol_is_function(table, symbol) && !symbol_at(&module->functions, symbol->st_value) &&
            !wf_table_add(&module->functions, symbol, symbol_hash))
            break;
    }
    if (module->functions.used == 0) {
        wf_memory_release(table->symbols, table->count * sizeof *table->symbols);
        wf_memory_release(table->names, table->name_bytes);
    }
}

static struct symbol_module *symbol_read_module(const char *path)
{
    struct symbol_table table = {0};
    struct symbol_module *module = wf_memory_pages(sizeof *module);
    if (!module)
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        symbol_read_table(fd, &table);
        close(fd);
    }
    symbol_fill(module, &table);
    return module;
}

static struct symbol_module *symbol_find_module(const struct wf_module_record *record, uint32_t offset)
{
    struct symbol_module *module = symbol_modules;
    while (module && module->offset != offset)
        module = module->next;
    if (!module && (module = symbol_read_module(record->path))) {
        module->offset = offset;
        module->next = symbol_modules;
        symbol_modules = module;
    }
    return module;
}

const char *wf_symbol_find(const struct wf_segment *segment, uint32_t offset, uintptr_t address)
{
    const struct wf_module_record *record = wf_segment_at(segment, offset);
    const struct symbol_module *module = symbol_find_module(record, offset);
    const ElfW(Sym) *symbol = module ? symbol_at(&module->functions, address - record->bias) : NULL;
    return symbol ? module->names + symbol->st_name : "";
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
