/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/regions.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "collect/region_calls.h"

/* The beginning of a region's key; its name and file follow. */
struct region_key_head {
    uint32_t kind, line, address;
};

struct region_entry_key {
    uint32_t kind, procedure, name, file, line;
};

static_assert(sizeof(struct region_key_head) == 12 && sizeof(struct region_entry_key) == 20,
              "keys are compared as bytes");

void wf_regions_fini(struct wf_regions *regions)
{
    free(regions->sources);
    free(regions->key);
    free(regions->numbers);
    free(regions->entries);
    free(regions->entry_of_key);
    free(regions->calls);
    free(regions->call_of_visit);
    wf_intern_fini(&regions->keys);
    wf_intern_fini(&regions->visit_keys);
    wf_intern_fini(&regions->entry_keys);
    wf_intern_fini(&regions->call_keys);
    *regions = (struct wf_regions){0};
}

size_t wf_regions_count(const struct wf_regions *regions)
{
    return regions->entry_keys.count;
}

/* ---- keys ---- */

static bool region_kind_is_known(const struct wf_region_record *record)
{
    return record->kind >= WF_REGION_PROCEDURE && record->kind <= WF_REGION_COUNTER;
}

/* Kind, line, address, name and file, in regions->key. Returns its length, or 0 without memory. */
static size_t regions_make_key(struct wf_regions *regions, const struct wf_region_record *record, uint32_t address)
{
    struct region_key_head head = {record->kind, record->line, address};
    const char *name = wf_segment_region_name(record), *file = wf_segment_region_file(record);
    size_t name_bytes = strlen(name) + 1, file_bytes = strlen(file) + 1, length = sizeof head + name_bytes + file_bytes;
    if (WF_ARRAY_RESERVE(regions->key, regions->key_capacity, length) != 0)
        return 0;
    char *key = regions->key;
    memcpy(key, &head, sizeof head);
    memcpy(key + sizeof head, name, name_bytes);
    memcpy(key + sizeof head + name_bytes, file, file_bytes);
    return length;
}

static uint32_t regions_add_source(struct wf_regions *regions, struct wf_collected_program *program,
                                   const struct wf_segment_reader *reader, const struct wf_region_record *record)
{
    uint32_t address = WF_NO_ADDRESS;
    if (record->address) {
        address = wf_collected_program_add_address(program, reader, wf_segment_reader_chunk(reader, record),
                                                   record->address, WF_ADDRESS_PROCEDURE);
        if (address == WF_NO_ADDRESS)
            return WF_NO_REGION;
    }
    size_t length = regions_make_key(regions, record, address), before = regions->keys.count;
    if (WF_ARRAY_RESERVE(regions->sources, regions->source_capacity, before + 1) != 0)
        return WF_NO_REGION;
    if (length == 0)
        return WF_NO_REGION;
    uint32_t number = wf_intern_add(&regions->keys, regions->key, length);
    if (number != before)
        return number;
    struct wf_region_source *source = &regions->sources[number];
    *source = (struct wf_region_source){.kind = record->kind,
                                        .name = wf_intern_add_text(&program->texts, wf_segment_region_name(record)),
                                        .file = wf_intern_add_text(&program->texts, wf_segment_region_file(record)),
                                        .line = record->line,
                                        .address = address,
                                        .procedure = WF_NO_PROCEDURE};
    return source->name == WF_INTERN_NONE || source->file == WF_INTERN_NONE ? WF_NO_REGION : number;
}

static int regions_add_modules(struct wf_collected_program *program, const struct wf_segment_reader *reader)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_MODULE);
    for (const struct wf_module_record *module; (module = wf_segment_records_next(&records));)
        if (wf_modules_add(&program->modules, module) == WF_NO_MODULE)
            return -1;
    return 0;
}

static int regions_add_sources(struct wf_regions *regions, struct wf_collected_program *program,
                               const struct wf_segment_reader *reader)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_REGION);
    size_t i = 0;
    for (const struct wf_region_record *region; (region = wf_segment_records_next(&records)); i++) {
        regions->numbers[i] = WF_NO_REGION;
        if (!region_kind_is_known(region)) /* written by a newer weft */
            continue;
        regions->numbers[i] = regions_add_source(regions, program, reader, region);
        if (regions->numbers[i] == WF_NO_REGION)
            return -1;
    }
    return 0;
}

int wf_regions_add_segment(struct wf_regions *regions, struct wf_collected_program *program,
                           const struct wf_segment_reader *reader)
{
    size_t count = reader->counts[WF_CHUNK_REGION];
    if (count == 0)
        return 0;
    if (WF_ARRAY_RESERVE(regions->numbers, regions->number_capacity, count) != 0)
        return -1;
    if (regions_add_modules(program, reader) != 0 || regions_add_sources(regions, program, reader) != 0)
        return -1;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_VISIT);
    for (const struct wf_visit_record *visit; (visit = wf_segment_records_next(&records));) {
        long region = wf_segment_reader_find(reader, WF_CHUNK_REGION, visit->region);
        if (region >= 0 && regions->numbers[region] != WF_NO_REGION &&
            wf_region_calls_add(regions, program, reader, regions->numbers[region], visit) != 0)
            return -1;
    }
    return 0;
}

uint32_t wf_regions_find(struct wf_regions *regions, const struct wf_collected_program *program,
                         const struct wf_segment_reader *reader, const struct wf_region_record *record,
                         uint32_t *number)
{
    uint32_t address = WF_NO_ADDRESS;
    *number = WF_NO_REGION;
    if (record->address)
        address = wf_collected_program_find_address(program, reader, wf_segment_reader_chunk(reader, record),
                                                    record->address, WF_ADDRESS_PROCEDURE);
    size_t length = regions_make_key(regions, record, address);
    if (length)
        *number = wf_intern_find(&regions->keys, regions->key, length);
    return *number == WF_NO_REGION ? WF_NO_REGION : regions->entry_of_key[*number];
}

/* ---- procedures ---- */

/* Makes a name of its address, where nothing else is known of a procedure. */
static int region_source_name_by_address(struct wf_collected_program *program, uint32_t address, uint32_t *procedure)
{
    char name[32];
    const struct wf_address *at = &program->addresses.items[address];
    snprintf(name, sizeof name, "0x%llx", (unsigned long long)at->offset);
    uint32_t text = wf_intern_add_text(&program->texts, name),
             file = wf_intern_add_text(&program->texts, wf_modules_path(&program->modules, at->module));
    return wf_procedures_add_instrumented(&program->procedures, text, file, 0, procedure);
}

static int region_source_declare(struct wf_collected_program *program, struct wf_region_source *source)
{
    if (source->kind != WF_REGION_PROCEDURE)
        return 0;
    if (source->address == WF_NO_ADDRESS)
        return wf_procedures_add_instrumented(&program->procedures, source->name, source->file, source->line,
                                              &source->procedure);
    size_t count;
    source->procedure = wf_addresses_frames(&program->addresses, source->address, &count)->procedure;
    return source->procedure == WF_NO_PROCEDURE
               ? region_source_name_by_address(program, source->address, &source->procedure)
               : 0;
}

int wf_regions_declare(struct wf_regions *regions, struct wf_collected_program *program)
{
    for (size_t i = 0; i < regions->keys.count; i++)
        if (region_source_declare(program, &regions->sources[i]) != 0)
            return -1;
    return 0;
}

/* ---- entries ---- */

/* The procedure that a loop or a marked region stands in, if the static tables know it. */
static uint32_t region_source_find_procedure(const struct wf_collected_program *program,
                                             const struct wf_region_source *source)
{
    struct wf_table_place place = {source->file, source->line};
    if (source->kind == WF_REGION_LOOP)
        return wf_tables_procedure_of_loop(&program->tables, place, source->name);
    return wf_tables_procedure_around(&program->tables, place);
}

static struct wf_region_entry region_entry_make(const struct wf_collected_program *program,
                                                const struct wf_region_source *source)
{
    if (source->kind != WF_REGION_PROCEDURE)
        return (struct wf_region_entry){.kind = source->kind,
                                        .name = source->name,
                                        .file = source->file,
                                        .line = source->line,
                                        .procedure = region_source_find_procedure(program, source),
                                        .address = WF_NO_ADDRESS};
    uint32_t number = wf_procedures_one(&program->procedures, source->procedure);
    const struct wf_procedure *procedure = &program->procedures.items[number];
    return (struct wf_region_entry){.kind = source->kind,
                                    .name = procedure->name,
                                    .file = procedure->file,
                                    .line = procedure->line,
                                    .procedure = number,
                                    .address = source->address};
}

static int regions_add_entry(struct wf_regions *regions, const struct wf_collected_program *program, uint32_t number)
{
    struct wf_region_entry entry = region_entry_make(program, &regions->sources[number]);
    struct region_entry_key key = {.kind = entry.kind, .procedure = WF_NO_PROCEDURE};
    if (entry.kind == WF_REGION_PROCEDURE) {
        key.procedure = entry.procedure;
    } else {
        key.name = entry.name;
        key.file = entry.file;
        key.line = entry.line;
    }
    uint32_t added = WF_INTERN_ADD_ITEM(&regions->entry_keys, &key, regions->entries, regions->entry_capacity, &entry);
    regions->entry_of_key[number] = added;
    return added == WF_INTERN_NONE ? -1 : 0;
}

struct region_order {
    const struct wf_regions *regions;
    const struct wf_collected_program *program;
};

static int region_order_texts(const struct wf_collected_program *program, uint32_t x, uint32_t y)
{
    return x == y ? 0 : strcmp(wf_collected_program_string(program, x), wf_collected_program_string(program, y));
}

static int region_entry_compare(const void *a, const void *b, void *context)
{
    const struct region_order *by = context;
    const struct wf_region_entry *x = &by->regions->entries[*(const uint32_t *)a],
                                 *y = &by->regions->entries[*(const uint32_t *)b];
    int order = region_order_texts(by->program, x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = (x->kind > y->kind) - (x->kind < y->kind);
    if (order == 0)
        order = region_order_texts(by->program, x->name, y->name);
    return order ? order
                 : (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* Sorts by place in the text, so that two runs of one program number its regions alike. */
static int regions_sort_entries(struct wf_regions *regions, const struct wf_collected_program *program)
{
    return wf_order_sort(&regions->entries, wf_regions_count(regions), sizeof *regions->entries, region_entry_compare,
                         &(struct region_order){regions, program}, regions->entry_of_key, regions->keys.count);
}

int wf_regions_settle(struct wf_regions *regions, struct wf_collected_program *program)
{
    size_t count = regions->keys.count;
    regions->entry_of_key = calloc(count + 1, sizeof *regions->entry_of_key);
    if (!regions->entry_of_key)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (regions_add_entry(regions, program, (uint32_t)i) != 0)
            return -1;
    if (regions_sort_entries(regions, program) != 0)
        return -1;
    return wf_region_calls_settle(regions, program);
}
