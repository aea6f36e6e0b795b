/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/resolve.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/array.h"

#define DEEPEST_SCOPE 128 /* no compiler nests like this; a damaged file might */

struct range {
    Dwarf_Addr low, high;
    Dwarf_Off unit;
};

struct wf_resolver {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf *dwarf;    /* NULL: no debug information, or nobody asked for it yet */
    Dwarf_Addr bias; /* address in the module - address in the DWARF */
    bool dwarf_sought;
    struct range *ranges; /* of all units; only made where .debug_aranges leaves something out */
    size_t range_count, range_capacity;
    bool ranges_made;
    char *name; /* the last procedure's, put together */
    size_t name_capacity;
    char *demangled;
    char *full_file, *procedure_full_file; /* the last ones, where they had to be put together */
};

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
static int open_regular(const char *path)
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
static Dwfl_Module *report(Dwfl *dwfl, const char *path, int fd)
{
    dwfl_report_begin(dwfl);
    Dwfl_Module *module = dwfl_report_elf(dwfl, path, path, fd, 0, true);
    dwfl_report_end(dwfl, NULL, NULL);
    return module;
}

static bool has_build_id(Dwfl_Module *module, const unsigned char *build_id, size_t bytes)
{
    const unsigned char *bits;
    GElf_Addr address;
    int length = dwfl_module_build_id(module, &bits, &address);
    return length > 0 && (size_t)length == bytes && memcmp(bits, build_id, bytes) == 0;
}

enum wf_resolver_status wf_resolver_open(const char *path, const unsigned char *build_id,
                                         size_t build_id_bytes, struct wf_resolver **resolver)
{
    int fd = open_regular(path);
    if (fd < 0)
        return WF_RESOLVER_MISSING;
    struct wf_resolver *opened = calloc(1, sizeof *opened);
    if (opened)
        opened->dwfl = dwfl_begin(&callbacks);
    if (opened && opened->dwfl)
        opened->module = report(opened->dwfl, path, fd);
    if (!opened || !opened->module) {
        close(fd);
        wf_resolver_close(opened);
        return WF_RESOLVER_NO_ELF;
    }
    if (build_id_bytes && !has_build_id(opened->module, build_id, build_id_bytes)) {
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
    if (resolver->dwfl)
        dwfl_end(resolver->dwfl);
    free(resolver->ranges);
    free(resolver->name);
    free(resolver->demangled);
    free(resolver->full_file);
    free(resolver->procedure_full_file);
    free(resolver);
}

/* ---- address -> unit ---- */

static void add_ranges(struct wf_resolver *resolver, Dwarf_Die *unit)
{
    Dwarf_Addr base, low, high;
    for (ptrdiff_t next = 0; (next = dwarf_ranges(unit, next, &base, &low, &high)) > 0;) {
        if (low >= high)
            continue;
        void *ranges = wf_array_reserve(resolver->ranges, &resolver->range_capacity,
                                        resolver->range_count + 1, sizeof *resolver->ranges);
        if (!ranges)
            return;
        resolver->ranges = ranges;
        resolver->ranges[resolver->range_count++] = (struct range){low, high, dwarf_dieoffset(unit)};
    }
}

static int compare_ranges(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    return (x->low > y->low) - (x->low < y->low);
}

static void make_ranges(struct wf_resolver *resolver)
{
    resolver->ranges_made = true;
    Dwarf_CU *next = NULL;
    Dwarf_Die unit;
    uint8_t type;
    while (dwarf_get_units(resolver->dwarf, next, &next, NULL, &type, &unit, NULL) == 0)
        if (type == DW_UT_compile || type == DW_UT_skeleton)
            add_ranges(resolver, &unit);
    if (resolver->range_count)
        qsort(resolver->ranges, resolver->range_count, sizeof *resolver->ranges, compare_ranges);
}

/* clang writes no .debug_aranges, and libdw looks nowhere else. */
static bool find_unit_by_ranges(struct wf_resolver *resolver, Dwarf_Addr address, Dwarf_Die *unit)
{
    if (!resolver->ranges_made)
        make_ranges(resolver);
    size_t low = 0, high = resolver->range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (resolver->ranges[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= resolver->ranges[low - 1].high)
        return false;
    return dwarf_offdie(resolver->dwarf, resolver->ranges[low - 1].unit, unit) != NULL;
}

/* Finding debug information, in a file of its own perhaps, takes longer than anything else here. */
static bool has_dwarf(struct wf_resolver *resolver)
{
    if (!resolver->dwarf_sought)
        resolver->dwarf = dwfl_module_getdwarf(resolver->module, &resolver->bias);
    resolver->dwarf_sought = true;
    return resolver->dwarf;
}

static bool find_unit(struct wf_resolver *resolver, Dwarf_Addr address, Dwarf_Die *unit)
{
    if (dwarf_addrdie(resolver->dwarf, address, unit))
        return true;
    return find_unit_by_ranges(resolver, address, unit);
}

/* ---- file names ---- */

static const char *text_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(die, name, &attribute));
}

/* What follows "directory/" in the path, or NULL. */
static const char *behind_directory(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    while (length > 0 && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* Whether the unit's line table has the file's directory as an absolute path. Entry 0 is where the compiler
 * ran. */
static bool directory_is_absolute(Dwarf_Die *unit, const char *path)
{
    Dwarf_Files *files;
    const char *const *directories;
    size_t file_count, count, length = (size_t)(strrchr(path, '/') - path);
    if (dwarf_getsrcfiles(unit, &files, &file_count) != 0 ||
        dwarf_getsrcdirs(files, &directories, &count) != 0)
        return false;
    for (size_t i = 1; i < count; i++)
        if (directories[i] && strlen(directories[i]) == length && memcmp(directories[i], path, length) == 0)
            return true;
    return false;
}

/* libdw puts the directory the compiler ran in before most files: here that is taken off again, unless the
 * compiler was told so. */
static const char *as_given(Dwarf_Die *unit, const char *path)
{
    const char *directory = text_attribute(unit, DW_AT_comp_dir), *primary = text_attribute(unit, DW_AT_name);
    const char *rest = directory ? behind_directory(path, directory) : NULL;
    if (!rest)
        return path;
    if (primary && primary[0] != '/' && strcmp(rest, primary) == 0)
        return primary;
    if (primary && strcmp(path, primary) == 0)
        return primary;
    /* The assembler writes a directory equal to the compiler's own as entry 0, absolute or not: the primary
     * file tells. */
    if (!strchr(rest, '/') && primary && primary[0] == '/')
        return path;
    return directory_is_absolute(unit, path) ? path : rest;
}

/* With its directory, in *buffer where libdw left it out. */
static const char *in_full(Dwarf_Die *unit, const char *path, char **buffer)
{
    const char *directory = text_attribute(unit, DW_AT_comp_dir);
    if (path[0] == '/' || !directory)
        return path;
    free(*buffer);
    if (asprintf(buffer, "%s/%s", directory, path) < 0)
        *buffer = NULL;
    return *buffer ? *buffer : path;
}

/* ---- unit -> procedure ---- */

static bool holds_code(Dwarf_Die *die)
{
    return dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges);
}

static bool may_contain_procedures(Dwarf_Die *die)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
    case DW_TAG_entry_point:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    default:
        return false;
    }
}

static bool is_procedure(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

/* The procedures around an address, the outermost first. */
struct chain {
    Dwarf_Die procedures[DEEPEST_SCOPE + 1];
    int count;
};

/* (dwarf_getscopes does not look into namespaces and Fortran's modules.) With `everywhere` also inside of
 * what does not hold the address: a procedure in a procedure, and one that is made of an OpenMP construct,
 * has code of its own. */
static bool find_chain(Dwarf_Die *scope, Dwarf_Addr address, bool everywhere, int depth, struct chain *chain)
{
    Dwarf_Die child;
    if (depth > DEEPEST_SCOPE || dwarf_child(scope, &child) != 0)
        return false;
    do {
        if (!may_contain_procedures(&child))
            continue;
        bool here = holds_code(&child) && dwarf_haspc(&child, address) == 1;
        if (!here && holds_code(&child) && (!everywhere || dwarf_tag(&child) == DW_TAG_inlined_subroutine))
            continue;
        bool found = here && is_procedure(&child);
        if (found)
            chain->procedures[chain->count++] = child;
        if (find_chain(&child, address, everywhere, depth + 1, chain) || found)
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool follow(Dwarf_Die *die, unsigned attribute_name)
{
    Dwarf_Attribute attribute;
    return dwarf_formref_die(dwarf_attr(die, attribute_name, &attribute), die) != NULL;
}

/* From an inlined or outlined copy to where the procedure stands in the text, inside its classes and
 * namespaces. */
static Dwarf_Die origin_of(const Dwarf_Die *procedure)
{
    Dwarf_Die die = *procedure;
    for (int i = 0; i < 16 && (follow(&die, DW_AT_abstract_origin) || follow(&die, DW_AT_specification)); i++)
        ;
    return die;
}

static bool is_class(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* What a scope adds to the names in it. A procedure adds to those of its local classes, which lambdas are
 * too; not to those of procedures in it, as Fortran has them. */
static const char *scope_name(Dwarf_Die *scope, bool holds_class)
{
    const char *name = dwarf_diename(scope);
    if (dwarf_tag(scope) == DW_TAG_namespace)
        return name ? name : "(anonymous namespace)";
    if (is_class(scope))
        return name ? name : "(lambda)";
    return holds_class && dwarf_tag(scope) == DW_TAG_subprogram ? name : NULL;
}

static bool append(struct wf_resolver *resolver, const char *text)
{
    size_t length = resolver->name ? strlen(resolver->name) : 0;
    bool fresh = !resolver->name;
    char *name = wf_array_reserve(resolver->name, &resolver->name_capacity, length + strlen(text) + 1, 1);
    if (!name)
        return false;
    if (fresh)
        name[0] = '\0';
    resolver->name = name;
    strcat(name, text);
    return true;
}

/* `scopes` are the procedure's, the innermost and so itself first. */
static const char *qualified_name(struct wf_resolver *resolver, Dwarf_Die *procedure, Dwarf_Die *scopes,
                                  int count)
{
    const char *own = dwarf_diename(procedure);
    if (!own)
        return NULL;
    if (resolver->name)
        resolver->name[0] = '\0';
    int outermost_class = count - 1;
    while (outermost_class > 0 && !is_class(&scopes[outermost_class]))
        outermost_class--;
    for (int i = count - 1; i > 0; i--) {
        const char *outer = scope_name(&scopes[i], outermost_class > 0 && outermost_class < i);
        if (outer && !(append(resolver, outer) && append(resolver, "::")))
            return own;
    }
    return append(resolver, own) ? resolver->name : own;
}

/* The file that DW_AT_decl_file or DW_AT_call_file names. (dwarf_decl_file does not know that file 0 is a
 * file since DWARF 5.) The unit is the one that numbers the files: with link-time optimisation not the one
 * where the code is. */
static const char *named_file(Dwarf_Attribute *attribute, Dwarf_Die *unit)
{
    Dwarf_Word index;
    Dwarf_Half version;
    Dwarf_Files *files;
    size_t count;
    if (!attribute || dwarf_formudata(attribute, &index) != 0 ||
        dwarf_cu_info(attribute->cu, &version, NULL, unit, NULL, NULL, NULL, NULL) != 0 ||
        dwarf_getsrcfiles(unit, &files, &count) != 0)
        return NULL;
    return index < count && (index > 0 || version >= 5) ? dwarf_filesrc(files, index, NULL, NULL) : NULL;
}

static void locate_declaration(struct wf_resolver *resolver, Dwarf_Die *procedure,
                               struct wf_location *location)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    int line;
    const char *path = named_file(dwarf_attr_integrate(procedure, DW_AT_decl_file, &attribute), &unit);
    if (!path || dwarf_decl_line(procedure, &line) != 0)
        return;
    location->procedure_file = as_given(&unit, path);
    location->procedure_full_file = in_full(&unit, path, &resolver->procedure_full_file);
    location->procedure_line = line;
}

/* ---- the look-up ---- */

static void locate_line(struct wf_resolver *resolver, Dwarf_Die *unit, Dwarf_Addr address,
                        struct wf_location *location)
{
    int line;
    Dwarf_Line *entry = dwarf_getsrc_die(unit, address);
    const char *path = entry ? dwarf_linesrc(entry, NULL, NULL) : NULL;
    if (!path || dwarf_lineno(entry, &line) != 0 || line <= 0) /* 0: code that belongs to no line */
        return;
    location->file = as_given(unit, path);
    location->full_file = in_full(unit, path, &resolver->full_file);
    location->line = line;
}

/* All procedures around the address, inlined ones inside of those they are inlined in. */
static void find_procedures(Dwarf_Die *unit, Dwarf_Addr address, struct chain *chain)
{
    Dwarf_Die body = *unit, split;
    uint8_t type;
    chain->count = 0;
    /* With -gsplit-dwarf the unit in the executable is a skeleton; its procedures stand in the .dwo file. */
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 && type == DW_UT_skeleton &&
        split.addr)
        body = split;
    if (!find_chain(&body, address, false, 0, chain))
        find_chain(&body, address, true, 0, chain);
}

static void locate_procedure(struct wf_resolver *resolver, Dwarf_Die *procedure, struct wf_location *location)
{
    Dwarf_Die origin = origin_of(procedure), *scopes = NULL;
    int count = dwarf_getscopes_die(&origin, &scopes);
    location->procedure = qualified_name(resolver, procedure, scopes, count);
    location->inlined = dwarf_tag(procedure) == DW_TAG_inlined_subroutine;
    locate_declaration(resolver, procedure, location);
    if (!location->procedure_file && count > 1 &&
        is_class(&scopes[1])) /* a lambda: its class stands where it does */
        locate_declaration(resolver, &scopes[1], location);
    if (count > 0)
        free(scopes);
}

/* The statement that called an inlined procedure. */
static void locate_call(struct wf_resolver *resolver, Dwarf_Die *inlined, struct wf_location *location)
{
    Dwarf_Die unit;
    Dwarf_Attribute attribute;
    Dwarf_Word line;
    const char *path = named_file(dwarf_attr(inlined, DW_AT_call_file, &attribute), &unit);
    if (!path || dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 || line == 0 ||
        line > INT_MAX)
        return;
    location->file = as_given(&unit, path);
    location->full_file = in_full(&unit, path, &resolver->full_file);
    location->line = (int)line;
}

typedef char *demangle_function(const char *name, char *buffer, size_t *length, int *status);

/* Taken from libstdc++ where there is one: a program in C++ brought it along, and weft itself need not depend
 * on it. */
static demangle_function *find_demangler(void)
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

static const char *readable_symbol(struct wf_resolver *resolver, const char *symbol)
{
    demangle_function *demangle = strncmp(symbol, "_Z", 2) == 0 ? find_demangler() : NULL;
    int status = -1;
    free(resolver->demangled);
    resolver->demangled = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
    return resolver->demangled ? resolver->demangled : symbol;
}

static void locate_symbol(struct wf_resolver *resolver, uint64_t address, struct wf_location *location)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(resolver->module, address, &offset, &symbol, NULL, NULL, NULL);
    if (name && name[0])
        location->procedure = readable_symbol(resolver, name);
}

static int walk_chain(struct wf_resolver *resolver, uint64_t address, struct chain *chain,
                      struct wf_location location, wf_resolver_visitor *visit, void *context)
{
    for (int i = chain->count - 1;; i--) {
        locate_procedure(resolver, &chain->procedures[i], &location);
        if (!location.procedure)
            locate_symbol(resolver, address, &location);
        int result = visit(context, &location);
        if (result != 0 || i == 0 || !location.inlined)
            return result;
        location = (struct wf_location){0};
        locate_call(resolver, &chain->procedures[i], &location);
    }
}

int wf_resolver_walk(struct wf_resolver *resolver, uint64_t offset, wf_resolver_visitor *visit, void *context)
{
    uint64_t address = offset - 1;
    Dwarf_Die unit;
    struct chain chain;
    struct wf_location location = {0};
    chain.count = 0;
    if (has_dwarf(resolver) && find_unit(resolver, address - resolver->bias, &unit)) {
        locate_line(resolver, &unit, address - resolver->bias, &location);
        find_procedures(&unit, address - resolver->bias, &chain);
    }
    if (chain.count > 0)
        return walk_chain(resolver, address, &chain, location, visit, context);
    locate_symbol(resolver, address, &location);
    return visit(context, &location);
}

static int take_first(void *context, const struct wf_location *location)
{
    *(struct wf_location *)context = *location;
    return 1;
}

void wf_resolver_locate(struct wf_resolver *resolver, uint64_t offset, struct wf_location *location)
{
    wf_resolver_walk(resolver, offset, take_first, location);
}

void wf_resolver_locate_procedure(struct wf_resolver *resolver, uint64_t offset, struct wf_location *location)
{
    Dwarf_Die unit;
    struct chain chain;
    *location = (struct wf_location){0};
    chain.count = 0;
    if (has_dwarf(resolver) && find_unit(resolver, offset - resolver->bias, &unit))
        find_procedures(&unit, offset - resolver->bias, &chain);
    /* Its first instruction may be that of a procedure inlined in it. */
    while (chain.count > 1 && dwarf_tag(&chain.procedures[chain.count - 1]) == DW_TAG_inlined_subroutine)
        chain.count--;
    if (chain.count > 0)
        locate_procedure(resolver, &chain.procedures[chain.count - 1], location);
    if (!location->procedure)
        locate_symbol(resolver, offset, location);
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
