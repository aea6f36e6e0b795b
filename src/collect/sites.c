/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/array.h"
#include "collect/resolve.h"
#include "format/mpi_calls.h"

#define NO_MODULE UINT32_MAX
#define UNKNOWN_CALL 0x10000u /* added to a call of another table than ours */

/* A statement before it is looked up. No padding: its bytes are the key. */
struct key {
    uint64_t offset;
    uint32_t module;
    uint32_t call;
};

/* What makes two addresses one statement. */
struct entry_key {
    uint64_t place; /* line, or the offset where there is no line */
    uint32_t module, call, procedure, file;
};

struct procedure_key {
    uint32_t module, name, file;
    int32_t line;
};

static_assert(sizeof(struct key) == 16 && sizeof(struct entry_key) == 24 &&
                  sizeof(struct procedure_key) == 16,
              "keys are compared as bytes");

void wf_sites_fini(struct wf_sites *sites)
{
    for (size_t i = 0; i < sites->module_keys.count; i++)
        free(sites->modules[i].path);
    free(sites->modules);
    free(sites->procedures);
    free(sites->entries);
    free(sites->entry_of_key);
    wf_intern_fini(&sites->keys);
    wf_intern_fini(&sites->module_keys);
    wf_intern_fini(&sites->texts);
    wf_intern_fini(&sites->procedure_keys);
    wf_intern_fini(&sites->entry_keys);
}

/* ---- keys ---- */

static size_t module_key(const struct wf_module_record *module, const void **bytes)
{
    *bytes = module->build_id_bytes ? (const void *)module->build_id : module->path;
    return module->build_id_bytes ? module->build_id_bytes : strlen(module->path);
}

static uint32_t add_module(struct wf_sites *sites, const struct wf_module_record *module)
{
    const void *bytes;
    size_t length = module_key(module, &bytes), before = sites->module_keys.count;
    void *modules =
        wf_array_reserve(sites->modules, &sites->module_capacity, before + 1, sizeof *sites->modules);
    if (!modules)
        return NO_MODULE;
    sites->modules = modules;
    char *path = strdup(module->path);
    uint32_t number = path ? wf_intern_add(&sites->module_keys, bytes, length) : WF_INTERN_NONE;
    if (number != before) {
        free(path);
        return number;
    }
    struct wf_site_module *added = &sites->modules[number];
    *added = (struct wf_site_module){.path = path, .build_id_bytes = module->build_id_bytes};
    memcpy(added->build_id, module->build_id, module->build_id_bytes);
    return number;
}

static uint32_t find_module(const struct wf_sites *sites, const struct wf_module_record *module)
{
    const void *bytes;
    size_t length = module_key(module, &bytes);
    return wf_intern_find(&sites->module_keys, bytes, length);
}

/* A function's number means nothing in a segment whose writer had another table. */
static uint32_t known_call(const struct wf_segment_reader *reader, const struct wf_site_record *record)
{
    bool same_table = wf_segment_reader_header(reader)->mpi_calls == wf_mpi_call_count;
    return record->call + (same_table && record->call < wf_mpi_call_count ? 0 : UNKNOWN_CALL);
}

static struct key make_key(const struct wf_segment_reader *reader, const struct wf_site_record *record,
                           const struct wf_module_record *module, uint32_t module_number)
{
    return (struct key){.offset = record->address - (module ? module->bias : 0),
                        .module = module_number,
                        .call = known_call(reader, record)};
}

uint32_t wf_sites_add(struct wf_sites *sites, const struct wf_segment_reader *reader,
                      const struct wf_site_record *record)
{
    const struct wf_module_record *module = wf_segment_reader_module(reader, record->module);
    uint32_t number = module ? add_module(sites, module) : NO_MODULE;
    if (module && number == NO_MODULE)
        return WF_NO_SITE;
    struct key key = make_key(reader, record, module, number);
    return wf_intern_add(&sites->keys, &key, sizeof key);
}

uint32_t wf_sites_find(const struct wf_sites *sites, const struct wf_segment_reader *reader,
                       const struct wf_site_record *record)
{
    const struct wf_module_record *module = wf_segment_reader_module(reader, record->module);
    struct key key = make_key(reader, record, module, module ? find_module(sites, module) : NO_MODULE);
    return wf_intern_find(&sites->keys, &key, sizeof key);
}

static struct key get_key(const struct wf_sites *sites, uint32_t number)
{
    struct key key;
    memcpy(&key, wf_intern_get(&sites->keys, number), sizeof key);
    return key;
}

/* ---- entries ---- */

static uint32_t call_name(struct wf_sites *sites, uint32_t call)
{
    if (call < UNKNOWN_CALL)
        return wf_intern_add_text(&sites->texts, wf_mpi_call_names[call]);
    char text[32];
    snprintf(text, sizeof text, "MPI function %u", call - UNKNOWN_CALL);
    return wf_intern_add_text(&sites->texts, text);
}

const char *wf_sites_module(const struct wf_sites *sites, uint32_t module)
{
    return module == NO_MODULE ? "[unknown]" : sites->modules[module].path;
}

/* Returns -1 without memory; *procedure is WF_NO_PROCEDURE where nothing is known. */
static int add_procedure(struct wf_sites *sites, uint32_t module, const struct wf_location *location,
                         uint32_t *procedure)
{
    *procedure = WF_NO_PROCEDURE;
    if (!location->procedure)
        return 0;
    bool declared = location->procedure_file;
    uint32_t name = wf_intern_add_text(&sites->texts, location->procedure);
    uint32_t file = wf_intern_add_text(&sites->texts,
                                       declared ? location->procedure_file : wf_sites_module(sites, module));
    uint32_t full = wf_intern_add_text(&sites->texts, declared ? location->procedure_full_file : "");
    struct procedure_key key = {module, name, full, location->procedure_line};
    size_t before = sites->procedure_keys.count;
    void *procedures = wf_array_reserve(sites->procedures, &sites->procedure_capacity, before + 1,
                                        sizeof *sites->procedures);
    if (!procedures || name == WF_INTERN_NONE || file == WF_INTERN_NONE || full == WF_INTERN_NONE)
        return -1;
    sites->procedures = procedures;
    *procedure = wf_intern_add(&sites->procedure_keys, &key, sizeof key);
    if (*procedure == before)
        sites->procedures[before] = (struct wf_procedure){name, file, location->procedure_line};
    return *procedure == WF_INTERN_NONE ? -1 : 0;
}

/* The entry of this statement, new or of another address in the same line; WF_NO_SITE without memory. */
static uint32_t add_entry(struct wf_sites *sites, const struct key *key, const struct wf_location *location)
{
    uint32_t procedure;
    if (add_procedure(sites, key->module, location, &procedure) != 0)
        return WF_NO_SITE;
    const char *file = location->file ? location->file : wf_sites_module(sites, key->module);
    uint32_t name = call_name(sites, key->call), given = wf_intern_add_text(&sites->texts, file);
    uint32_t full = wf_intern_add_text(&sites->texts, location->file ? location->full_file : "");
    struct entry_key entry_key = {.place = location->file ? (uint64_t)location->line : key->offset,
                                  .module = key->module,
                                  .call = key->call,
                                  .procedure = procedure,
                                  .file = full};
    size_t before = sites->entry_keys.count;
    void *entries =
        wf_array_reserve(sites->entries, &sites->entry_capacity, before + 1, sizeof *sites->entries);
    if (!entries || name == WF_INTERN_NONE || given == WF_INTERN_NONE || full == WF_INTERN_NONE)
        return WF_NO_SITE;
    sites->entries = entries;
    uint32_t entry = wf_intern_add(&sites->entry_keys, &entry_key, sizeof entry_key);
    if (entry == before)
        sites->entries[entry] = (struct wf_site_entry){.name = name,
                                                       .file = given,
                                                       .line = location->line,
                                                       .procedure = procedure,
                                                       .module = key->module,
                                                       .offset = key->offset};
    return entry;
}

/* ---- looking up ---- */

static int compare_keys(const void *a, const void *b, void *context)
{
    const struct wf_sites *sites = context;
    struct key x = get_key(sites, *(const uint32_t *)a), y = get_key(sites, *(const uint32_t *)b);
    if (x.module != y.module)
        return x.module < y.module ? -1 : 1;
    if (x.offset != y.offset)
        return x.offset < y.offset ? -1 : 1;
    return (x.call > y.call) - (x.call < y.call);
}

static void note_module(struct wf_notes *notes, const char *path, enum wf_resolver_status status, int why)
{
    static const char *const shown = "its statements are shown by address only";
    if (status == WF_RESOLVER_MISSING)
        wf_notes_add(notes, "%s cannot be read (%s): %s; collect where the program ran.", path, strerror(why),
                     shown);
    else if (status == WF_RESOLVER_CHANGED)
        wf_notes_add(notes,
                     "%s has changed since the run (its build-id is another): %s; run again to see lines.",
                     path, shown);
    else
        wf_notes_add(notes, "%s is not an executable or library that can be read: %s.", path, shown);
}

static void note_lines(struct wf_notes *notes, const char *path, size_t without, size_t all)
{
    if (without == 0)
        return;
    if (without == all)
        wf_notes_add(
            notes,
            "No line information in %s: statements are shown by function and offset; compile it with -g.",
            path);
    else
        wf_notes_add(notes,
                     "No line information for %zu of %zu statements in %s: they are shown by function and "
                     "offset; compile "
                     "all of it with -g.",
                     without, all, path);
}

/* Keys of one module, by offset. */
static int resolve_keys(struct wf_sites *sites, struct wf_resolver *resolver, const uint32_t *numbers,
                        size_t count, size_t *without_line)
{
    struct wf_location location = {0};
    uint64_t last = 0;
    *without_line = 0;
    for (size_t i = 0; i < count; i++) {
        struct key key = get_key(sites, numbers[i]);
        if (resolver && (i == 0 || key.offset != last))
            wf_resolver_locate(resolver, key.offset, &location);
        last = key.offset;
        *without_line += !location.file;
        uint32_t entry = add_entry(sites, &key, &location);
        if (entry == WF_NO_SITE)
            return -1;
        sites->entry_of_key[numbers[i]] = entry;
    }
    return 0;
}

static int resolve_module(struct wf_sites *sites, uint32_t module, const uint32_t *numbers, size_t count,
                          struct wf_notes *notes)
{
    struct wf_resolver *resolver = NULL;
    size_t without_line;
    if (module == NO_MODULE)
        return resolve_keys(sites, NULL, numbers, count, &without_line);
    const struct wf_site_module *file = &sites->modules[module];
    errno = 0;
    enum wf_resolver_status status =
        wf_resolver_open(file->path, file->build_id, file->build_id_bytes, &resolver);
    if (status != WF_RESOLVER_OK)
        note_module(notes, file->path, status, errno);
    int result = resolve_keys(sites, resolver, numbers, count, &without_line);
    if (status == WF_RESOLVER_OK)
        note_lines(notes, file->path, without_line, count);
    wf_resolver_close(resolver);
    return result;
}

static int resolve_modules(struct wf_sites *sites, const uint32_t *numbers, struct wf_notes *notes)
{
    int result = 0;
    wf_resolver_stay_offline();
    for (size_t first = 0, end; first < sites->keys.count && result == 0; first = end) {
        uint32_t module = get_key(sites, numbers[first]).module;
        for (end = first + 1; end < sites->keys.count && get_key(sites, numbers[end]).module == module;)
            end++;
        result = resolve_module(sites, module, numbers + first, end - first, notes);
    }
    wf_resolver_go_online();
    return result;
}

static int compare_entries(const void *a, const void *b, void *context)
{
    const struct wf_sites *sites = context;
    const struct wf_site_entry *x = &sites->entries[*(const uint32_t *)a],
                               *y = &sites->entries[*(const uint32_t *)b];
    int order = x->file == y->file ? 0 : strcmp(wf_sites_text(sites, x->file), wf_sites_text(sites, y->file));
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = (x->offset > y->offset) - (x->offset < y->offset);
    return order ? order
                 : (*(const uint32_t *)a > *(const uint32_t *)b) -
                       (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* By place in the text, so that two runs of one program number its statements alike. */
static int sort_entries(struct wf_sites *sites)
{
    size_t count = sites->entry_keys.count;
    uint32_t *order = malloc((count + 1) * sizeof *order), *place = malloc((count + 1) * sizeof *place);
    struct wf_site_entry *sorted = malloc((count + 1) * sizeof *sorted);
    int result = order && place && sorted ? 0 : -1;
    for (size_t i = 0; result == 0 && i < count; i++)
        order[i] = (uint32_t)i;
    if (result == 0) {
        qsort_r(order, count, sizeof *order, compare_entries, sites);
        for (size_t i = 0; i < count; i++) {
            sorted[i] = sites->entries[order[i]];
            place[order[i]] = (uint32_t)i;
        }
        for (size_t i = 0; i < sites->keys.count; i++)
            sites->entry_of_key[i] = place[sites->entry_of_key[i]];
        free(sites->entries);
        sites->entries = sorted;
        sorted = NULL;
    }
    free(order);
    free(place);
    free(sorted);
    return result;
}

int wf_sites_resolve(struct wf_sites *sites, struct wf_notes *notes)
{
    size_t count = sites->keys.count;
    uint32_t *numbers = malloc((count + 1) * sizeof *numbers);
    sites->entry_of_key = calloc(count + 1, sizeof *sites->entry_of_key);
    if (!numbers || !sites->entry_of_key) {
        free(numbers);
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        numbers[i] = (uint32_t)i;
    qsort_r(numbers, count, sizeof *numbers, compare_keys, sites);
    int result = resolve_modules(sites, numbers, notes);
    free(numbers);
    return result == 0 ? sort_entries(sites) : -1;
}

size_t wf_sites_count(const struct wf_sites *sites)
{
    return sites->entry_keys.count;
}

uint32_t wf_sites_entry(const struct wf_sites *sites, uint32_t number)
{
    return sites->entry_of_key[number];
}

const char *wf_sites_text(const struct wf_sites *sites, uint32_t text)
{
    return wf_intern_get(&sites->texts, text);
}
