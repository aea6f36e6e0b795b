/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/resolve.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/resolve_inside.h"

/* ---- opening ---- */

static char *saved_urls;

void wf_resolver_stay_offline(void)
{
    const char *urls = getenv("DEBUGINFOD_URLS");
    saved_urls = urls ? strdup(urls) : NULL;
    unsetenv("DEBUGINFOD_URLS");
}

void wf_resolver_go_online(void)
{
    if (saved_urls)
        setenv("DEBUGINFOD_URLS", saved_urls, 1);
    free(saved_urls);
    saved_urls = NULL;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* Only a regular file: a path out of a segment might name a device or a pipe. */
static int resolver_open_regular(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        errno = EINVAL;
        return -1;
    }
    return fd;
}

/* At base 0 the module's addresses are those of the file. */
static Dwfl_Module *resolver_report_module(Dwfl *dwfl, const char *path, int fd)
{
    dwfl_report_begin(dwfl);
    Dwfl_Module *module = dwfl_report_elf(dwfl, path, path, fd, 0, true);
    dwfl_report_end(dwfl, NULL, NULL);
    return module;
}

static bool resolver_has_build_id(Dwfl_Module *module, const unsigned char *build_id, size_t bytes)
{
    const unsigned char *bits;
    GElf_Addr address;
    int length = dwfl_module_build_id(module, &bits, &address);
    return length > 0 && (size_t)length == bytes && memcmp(bits, build_id, bytes) == 0;
}

enum wf_resolver_status wf_resolver_open(const char *path, const unsigned char *build_id, size_t build_id_bytes,
                                         struct wf_resolver **resolver)
{
    int fd = resolver_open_regular(path);
    if (fd < 0)
        return WF_RESOLVER_MISSING;
    struct wf_resolver *opened = calloc(1, sizeof *opened);
    if (opened)
        opened->dwfl = dwfl_begin(&callbacks);
    if (opened && opened->dwfl)
        opened->module = resolver_report_module(opened->dwfl, path, fd);
    if (!opened || !opened->module) {
        close(fd);
        wf_resolver_close(opened);
        return WF_RESOLVER_NO_ELF;
    }
    if (build_id_bytes && !resolver_has_build_id(opened->module, build_id, build_id_bytes)) {
        wf_resolver_close(opened);
        return WF_RESOLVER_CHANGED;
    }
    *resolver = opened;
    return WF_RESOLVER_OK;
}

void wf_resolver_close(struct wf_resolver *resolver)
{
    if (!resolver)
        return;
    wf_resolver_free_units(resolver);
    if (resolver->dwfl)
        dwfl_end(resolver->dwfl);
    free(resolver->ranges);
    free(resolver->name);
    free(resolver->demangled);
    free(resolver->full_file);
    free(resolver->procedure_full_file);
    free(resolver);
}

/* ---- the look-up ---- */

static void resolver_locate_line(struct wf_resolver *resolver, Dwarf_Die *unit, Dwarf_Addr address,
                                 struct wf_location *location)
{
    int line;
    Dwarf_Line *entry = dwarf_getsrc_die(unit, address);
    const char *path = entry ? dwarf_linesrc(entry, NULL, NULL) : NULL;
    if (!path || dwarf_lineno(entry, &line) != 0 || line <= 0) /* 0: code that belongs to no line */
        return;
    location->file = wf_source_file_as_given(unit, path);
    location->full_file = wf_source_file_in_full(unit, path, &resolver->full_file);
    location->line = line;
}

/* The statement that called an inlined procedure. */
static void resolver_locate_call(struct wf_resolver *resolver, Dwarf_Die *inlined, struct wf_location *location)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    Dwarf_Word line;
    const char *path = wf_source_file_named(dwarf_attr(inlined, DW_AT_call_file, &attribute), &unit);
    if (!path || dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 || line == 0 ||
        line > INT_MAX)
        return;
    location->file = wf_source_file_as_given(&unit, path);
    location->full_file = wf_source_file_in_full(&unit, path, &resolver->full_file);
    location->line = (int)line;
}

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* Taken from libstdc++ where that is installed, as it is where programs in C++ run; weft itself does not depend on
 * it. */
static demangle_function *resolver_find_demangler(void)
{
    static bool tried;
    static demangle_function *demangle;
    if (!tried) {
        tried = true;
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        if (library)
            demangle = (demangle_function *)dlsym(library, "__cxa_demangle");
    }
    return demangle;
}

static const char *resolver_readable_symbol(struct wf_resolver *resolver, const char *symbol)
{
    demangle_function *demangle = strncmp(symbol, "_Z", 2) == 0 ? resolver_find_demangler() : NULL;
    int status = -1;
    free(resolver->demangled);
    resolver->demangled = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
    return resolver->demangled ? resolver->demangled : symbol;
}

static void resolver_locate_symbol(struct wf_resolver *resolver, uint64_t address, struct wf_location *location)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(resolver->module, address, &offset, &symbol, NULL, NULL, NULL);
    if (name && name[0])
        location->procedure = resolver_readable_symbol(resolver, name);
}

static int resolver_walk_chain(struct wf_resolver *resolver, uint64_t address, struct wf_procedure_chain *chain,
                               struct wf_location location, wf_resolver_visitor *visit, void *context)
{
    for (int i = chain->count - 1;; i--) {
        wf_resolver_describe(resolver, &chain->procedures[i], &location);
        if (!location.procedure)
            resolver_locate_symbol(resolver, address, &location);
        int result = visit(context, &location);
        if (result != 0 || i == 0 || !location.inlined)
            return result;
        location = (struct wf_location){0};
        resolver_locate_call(resolver, &chain->procedures[i], &location);
    }
}

int wf_resolver_walk(struct wf_resolver *resolver, uint64_t offset, wf_resolver_visitor *visit, void *context)
{
    uint64_t address = offset - 1;
    Dwarf_Die unit;
    struct wf_procedure_chain chain;
    struct wf_location location = {0};
    chain.count = 0;
    if (wf_resolver_has_dwarf(resolver) && wf_resolver_find_unit(resolver, address - resolver->bias, &unit)) {
        resolver_locate_line(resolver, &unit, address - resolver->bias, &location);
        wf_procedure_chain_find(resolver, &unit, address - resolver->bias, &chain);
    }
    if (chain.count > 0)
        return resolver_walk_chain(resolver, address, &chain, location, visit, context);
    resolver_locate_symbol(resolver, address, &location);
    return visit(context, &location);
}

static int resolver_take_first(void *context, const struct wf_location *location)
{
    *(struct wf_location *)context = *location;
    return 1;
}

void wf_resolver_locate(struct wf_resolver *resolver, uint64_t offset, struct wf_location *location)
{
    wf_resolver_walk(resolver, offset, resolver_take_first, location);
}

void wf_resolver_locate_procedure(struct wf_resolver *resolver, uint64_t offset, struct wf_location *location)
{
    Dwarf_Die unit;
    struct wf_procedure_chain chain;
    *location = (struct wf_location){0};
    chain.count = 0;
    if (wf_resolver_has_dwarf(resolver) && wf_resolver_find_unit(resolver, offset - resolver->bias, &unit))
        wf_procedure_chain_find(resolver, &unit, offset - resolver->bias, &chain);
    /* Its first instruction may be that of a procedure inlined in it. */
    while (chain.count > 1 && dwarf_tag(&chain.procedures[chain.count - 1]) == DW_TAG_inlined_subroutine)
        chain.count--;
    if (chain.count > 0)
        wf_resolver_describe(resolver, &chain.procedures[chain.count - 1], location);
    if (!location->procedure)
        resolver_locate_symbol(resolver, offset, location);
}

const char *wf_resolver_section(struct wf_resolver *resolver, const char *name, size_t *bytes)
{
    GElf_Addr bias;
    size_t names;
    Elf *elf = dwfl_module_getelf(resolver->module, &bias);
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *found = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!found || strcmp(found, name) != 0 || header.sh_type == SHT_NOBITS)
            continue;
        Elf_Data *data = elf_rawdata(section, NULL);
        *bytes = data && data->d_buf ? data->d_size : 0;
        return *bytes ? data->d_buf : NULL;
    }
    return NULL;
}
