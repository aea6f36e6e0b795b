/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/regions.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/array.h"
#include "collect/region_calls.h"

/* What is in front of a region's name and file in its key. */
struct key_head {
    uint32_t kind, line, address;
};

struct entry_key {
    uint32_t kind, procedure, name, file, line;
};

static_assert(sizeof(struct key_head) == 12 && sizeof(struct entry_key) == 20, "keys are compared as bytes");

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

static bool is_known_kind(const struct wf_region_record *record)
{
    return record->kind >= WF_REGION_PROCEDURE && record->kind <= WF_REGION_COUNTER;
}

/* Kind, line, address, name and file, in regions->key. Returns its length, or 0 without memory. */
static size_t make_key(struct wf_regions *regions, const struct wf_region_record *record, uint32_t address)
{
    struct key_head head = {record->kind, record->line, address};
    const char *name = wf_segment_region_name(record), *file = wf_segment_region_file(record);
    size_t name_bytes = strlen(name) + 1, file_bytes = strlen(file) + 1,
           length = sizeof head + name_bytes + file_bytes;
    char *key = wf_array_reserve(regions->key, &regions->key_capacity, length, 1);
    if (!key)
        return 0;
    regions->key = key;
    memcpy(key, &head, sizeof head);
    memcpy(key + sizeof head, name, name_bytes);
    memcpy(key + sizeof head + name_bytes, file, file_bytes);
    return length;
}

static uint32_t add_region(struct wf_regions *regions, struct wf_program *program,
                           const struct wf_segment_reader *reader, const struct wf_region_record *record)
{
    uint32_t address = WF_NO_ADDRESS;
    if (record->address) {
        address = wf_program_add_address(program, reader, wf_segment_reader_chunk(reader, record), record->address,
                                         WF_ADDRESS_PROCEDURE);
        if (address == WF_NO_ADDRESS)
            return WF_NO_REGION;
    }
    size_t length = make_key(regions, record, address), before = regions->keys.count;
    void *sources =
        wf_array_reserve(regions->sources, &regions->source_capacity, before + 1, sizeof *regions->sources);
    if (!sources)
        return WF_NO_REGION;
    regions->sources = sources;
    if (length == 0)
        return WF_NO_REGION;
    uint32_t number = wf_intern_add(&regions->keys, regions->key, length);
    if (number != before)
        return number;
    struct wf_region_source *source = &regions->sources[number];
    *source =
        (struct wf_region_source){.kind = record->kind,
                                  .name = wf_intern_add_text(&program->texts, wf_segment_region_name(record)),
                                  .file = wf_intern_add_text(&program->texts, wf_segment_region_file(record)),
                                  .line = record->line,
                                  .address = address,
                                  .procedure = WF_NO_PROCEDURE};
    return source->name == WF_INTERN_NONE || source->file == WF_INTERN_NONE ? WF_NO_REGION : number;
}

static int add_modules(struct wf_program *program, const struct wf_segment_reader *reader)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_MODULE);
    for (const struct wf_module_record *module; (module = wf_segment_records_next(&records));)
        if (wf_modules_add(&program->modules, module) == WF_NO_MODULE)
            return -1;
    return 0;
}

static int add_regions(struct wf_regions *regions, struct wf_program *program,
                       const struct wf_segment_reader *reader)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_REGION);
    size_t i = 0;
    for (const struct wf_region_record *region; (region = wf_segment_records_next(&records)); i++) {
        regions->numbers[i] = WF_NO_REGION;
        if (!is_known_kind(region)) /* a newer weft's */
            continue;
        regions->numbers[i] = add_region(regions, program, reader, region);
        if (regions->numbers[i] == WF_NO_REGION)
            return -1;
    }
    return 0;
}

int wf_regions_add_segment(struct wf_regions *regions, struct wf_program *program,
                           const struct wf_segment_reader *reader)
{
    size_t count = reader->counts[WF_CHUNK_REGION];
    if (count == 0)
        return 0;
    void *numbers =
        wf_array_reserve(regions->numbers, &regions->number_capacity, count, sizeof *regions->numbers);
    if (!numbers)
        return -1;
    regions->numbers = numbers;
    if (add_modules(program, reader) != 0 || add_regions(regions, program, reader) != 0)
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

uint32_t wf_regions_find(struct wf_regions *regions, const struct wf_program *program,
                         const struct wf_segment_reader *reader, const struct wf_region_record *record,
                         uint32_t *number)
{
    uint32_t address = WF_NO_ADDRESS;
    *number = WF_NO_REGION;
    if (record->address)
        address = wf_program_find_address(program, reader, wf_segment_reader_chunk(reader, record), record->address,
                                          WF_ADDRESS_PROCEDURE);
    size_t length = make_key(regions, record, address);
    if (length)
        *number = wf_intern_find(&regions->keys, regions->key, length);
    return *number == WF_NO_REGION ? WF_NO_REGION : regions->entry_of_key[*number];
}

/* ---- procedures ---- */

/* One of which nothing is known but its address. */
static int name_by_address(struct wf_program *program, uint32_t address, uint32_t *procedure)
{
    char name[32];
    const struct wf_address *at = &program->addresses.items[address];
    snprintf(name, sizeof name, "0x%llx", (unsigned long long)at->offset);
    uint32_t text = wf_intern_add_text(&program->texts, name),
             file = wf_intern_add_text(&program->texts, wf_modules_path(&program->modules, at->module));
    return wf_procedures_add_instrumented(&program->procedures, text, file, 0, procedure);
}

static int declare(struct wf_program *program, struct wf_region_source *source)
{
    if (source->kind != WF_REGION_PROCEDURE)
        return 0;
    if (source->address == WF_NO_ADDRESS)
        return wf_procedures_add_instrumented(&program->procedures, source->name, source->file, source->line,
                                              &source->procedure);
    size_t count;
    source->procedure = wf_addresses_frames(&program->addresses, source->address, &count)->procedure;
    return source->procedure == WF_NO_PROCEDURE
               ? name_by_address(program, source->address, &source->procedure)
               : 0;
}

int wf_regions_declare(struct wf_regions *regions, struct wf_program *program)
{
    for (size_t i = 0; i < regions->keys.count; i++)
        if (declare(program, &regions->sources[i]) != 0)
            return -1;
    return 0;
}

/* ---- entries ---- */

/* The procedure that something other than a procedure stands in, if the static tables know it. */
static uint32_t find_procedure(const struct wf_program *program, const struct wf_region_source *source)
{
    struct wf_table_place place = {source->file, source->line};
    if (source->kind == WF_REGION_LOOP)
        return wf_tables_procedure_of_loop(&program->tables, place, source->name);
    return wf_tables_procedure_around(&program->tables, place);
}

static struct wf_region_entry make_entry(const struct wf_program *program,
                                         const struct wf_region_source *source)
{
    if (source->kind != WF_REGION_PROCEDURE)
        return (struct wf_region_entry){.kind = source->kind,
                                        .name = source->name,
                                        .file = source->file,
                                        .line = source->line,
                                        .procedure = find_procedure(program, source),
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

static int add_entry(struct wf_regions *regions, const struct wf_program *program, uint32_t number)
{
    struct wf_region_entry entry = make_entry(program, &regions->sources[number]);
    struct entry_key key = {.kind = entry.kind, .procedure = WF_NO_PROCEDURE};
    if (entry.kind == WF_REGION_PROCEDURE) {
        key.procedure = entry.procedure;
    } else {
        key.name = entry.name;
        key.file = entry.file;
        key.line = entry.line;
    }
    size_t before = regions->entry_keys.count;
    void *entries =
        wf_array_reserve(regions->entries, &regions->entry_capacity, before + 1, sizeof *regions->entries);
    if (!entries)
        return -1;
    regions->entries = entries;
    uint32_t added = wf_intern_add(&regions->entry_keys, &key, sizeof key);
    if (added == before)
        regions->entries[added] = entry;
    regions->entry_of_key[number] = added;
    return added == WF_INTERN_NONE ? -1 : 0;
}

struct order {
    const struct wf_regions *regions;
    const struct wf_program *program;
};

static int compare_texts(const struct wf_program *program, uint32_t x, uint32_t y)
{
    return x == y ? 0 : strcmp(wf_program_string(program, x), wf_program_string(program, y));
}

static int compare_entries(const void *a, const void *b, void *context)
{
    const struct order *by = context;
    const struct wf_region_entry *x = &by->regions->entries[*(const uint32_t *)a],
                                 *y = &by->regions->entries[*(const uint32_t *)b];
    int order = compare_texts(by->program, x->file, y->file);
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = (x->kind > y->kind) - (x->kind < y->kind);
    if (order == 0)
        order = compare_texts(by->program, x->name, y->name);
    return order ? order
                 : (*(const uint32_t *)a > *(const uint32_t *)b) -
                       (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* By place in the text, so that two runs of one program number its regions alike. */
static int sort_entries(struct wf_regions *regions, const struct wf_program *program)
{
    size_t count = regions->entry_keys.count;
    uint32_t *order = malloc((count + 1) * sizeof *order), *place = malloc((count + 1) * sizeof *place);
    struct wf_region_entry *sorted = malloc((count + 1) * sizeof *sorted);
    int result = order && place && sorted ? 0 : -1;
    for (size_t i = 0; result == 0 && i < count; i++)
        order[i] = (uint32_t)i;
    if (result == 0) {
        qsort_r(order, count, sizeof *order, compare_entries, &(struct order){regions, program});
        for (size_t i = 0; i < count; i++) {
            sorted[i] = regions->entries[order[i]];
            place[order[i]] = (uint32_t)i;
        }
        for (size_t i = 0; i < regions->keys.count; i++)
            regions->entry_of_key[i] = place[regions->entry_of_key[i]];
        free(regions->entries);
        regions->entries = sorted;
        sorted = NULL;
    }
    free(order);
    free(place);
    free(sorted);
    return result;
}

int wf_regions_settle(struct wf_regions *regions, struct wf_program *program)
{
    size_t count = regions->keys.count;
    regions->entry_of_key = calloc(count + 1, sizeof *regions->entry_of_key);
    if (!regions->entry_of_key)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (add_entry(regions, program, (uint32_t)i) != 0)
            return -1;
    if (sort_entries(regions, program) != 0)
        return -1;
    return wf_region_calls_settle(regions, program);
}
