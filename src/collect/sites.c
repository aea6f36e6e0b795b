/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "format/mpi_calls.h"

#define UNKNOWN_CALL 0x10000u /* added to a call of another table than ours */

/* A statement before it is looked up. No padding: its bytes are the key. */
struct site_key {
    uint32_t address;
    uint32_t call;
};

/* What makes two addresses one statement. */
struct site_entry_key {
    uint64_t place; /* line, or the offset where there is no line */
    uint32_t module, call, procedure, file;
};

static_assert(sizeof(struct site_key) == 8 && sizeof(struct site_entry_key) == 24, "keys are compared as bytes");

void wf_sites_fini(struct wf_sites *sites)
{
    free(sites->entries);
    free(sites->entry_of_key);
    free(sites->entry_of_address);
    wf_intern_fini(&sites->keys);
    wf_intern_fini(&sites->entry_keys);
}

/* ---- keys ---- */

/* A function's number means nothing in a segment whose writer had another table. */
static uint32_t site_known_call(const struct wf_segment_reader *reader, const struct wf_site_record *record)
{
    bool same_table = wf_segment_reader_header(reader)->mpi_calls == wf_mpi_call_count;
    return record->call + (same_table && record->call < wf_mpi_call_count ? 0 : UNKNOWN_CALL);
}

uint32_t wf_sites_add(struct wf_sites *sites, struct wf_collected_program *program,
                      const struct wf_segment_reader *reader, const struct wf_site_record *record)
{
    const struct wf_module_record *module = wf_segment_reader_module(reader, record->module);
    uint32_t number = module ? wf_modules_add(&program->modules, module) : WF_NO_MODULE;
    if (module && number == WF_NO_MODULE)
        return WF_NO_SITE;
    struct site_key key = {wf_addresses_add(&program->addresses, number, record->address - (module ? module->bias : 0),
                                            WF_ADDRESS_STATEMENT),
                           site_known_call(reader, record)};
    return key.address == WF_NO_ADDRESS ? WF_NO_SITE : wf_intern_add(&sites->keys, &key, sizeof key);
}

uint32_t wf_sites_find(const struct wf_sites *sites, const struct wf_collected_program *program,
                       const struct wf_segment_reader *reader, const struct wf_site_record *record)
{
    const struct wf_module_record *module = wf_segment_reader_module(reader, record->module);
    uint32_t number = module ? wf_modules_find(&program->modules, module) : WF_NO_MODULE;
    struct site_key key = {wf_addresses_find(&program->addresses, number, record->address - (module ? module->bias : 0),
                                             WF_ADDRESS_STATEMENT),
                           site_known_call(reader, record)};
    return key.address == WF_NO_ADDRESS ? WF_NO_SITE : wf_intern_find(&sites->keys, &key, sizeof key);
}

int wf_sites_add_segment(struct wf_sites *sites, struct wf_collected_program *program,
                         const struct wf_segment_reader *reader)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_SITE);
    for (const struct wf_site_record *site; (site = wf_segment_records_next(&records));)
        if (wf_sites_add(sites, program, reader, site) == WF_NO_SITE)
            return -1;
    return 0;
}

static struct site_key site_key_get(const struct wf_sites *sites, uint32_t number)
{
    struct site_key key;
    memcpy(&key, wf_intern_get(&sites->keys, number), sizeof key);
    return key;
}

/* ---- entries ---- */

static uint32_t site_call_name(struct wf_collected_program *program, uint32_t call)
{
    if (call < UNKNOWN_CALL)
        return wf_intern_add_text(&program->texts, wf_mpi_call_names[call]);
    char text[32];
    snprintf(text, sizeof text, "MPI function %u", call - UNKNOWN_CALL);
    return wf_intern_add_text(&program->texts, text);
}

/* The entry of this statement, new or of another address in the same line; WF_NO_SITE without memory. */
static uint32_t sites_add_entry(struct wf_sites *sites, struct wf_collected_program *program,
                                const struct site_key *key)
{
    const struct wf_address *address = &program->addresses.items[key->address];
    size_t frame_count;
    struct wf_address_frame frame = *wf_addresses_frames(&program->addresses, key->address, &frame_count);
    bool located = frame.file != WF_INTERN_NONE;
    uint32_t name = site_call_name(program, key->call), file = frame.file,
             procedure = wf_procedures_one(&program->procedures, frame.procedure);
    if (!located)
        file = wf_intern_add_text(&program->texts, wf_modules_path(&program->modules, address->module));
    else
        frame.line =
            wf_tables_com_line(&program->tables, (struct wf_table_place){frame.file, frame.line}, procedure, name);
    struct site_entry_key entry_key = {.place = located ? frame.line : address->offset,
                                       .module = address->module,
                                       .call = key->call,
                                       .procedure = procedure,
                                       .file = frame.full_file};
    struct wf_site_entry entry = {.name = name,
                                  .file = file,
                                  .line = frame.line,
                                  .procedure = procedure,
                                  .module = address->module,
                                  .offset = address->offset};
    if (name == WF_INTERN_NONE || file == WF_INTERN_NONE)
        return WF_NO_SITE;
    return WF_INTERN_ADD_ITEM(&sites->entry_keys, &entry_key, sites->entries, sites->entry_capacity, &entry);
}

/* ---- their order ---- */

struct site_order {
    const struct wf_sites *sites;
    const struct wf_collected_program *program;
};

/* Compares by address, so that a statement with several addresses gets the lowest one. */
static int site_key_compare(const void *a, const void *b, void *context)
{
    const struct site_order *order = context;
    struct site_key x = site_key_get(order->sites, *(const uint32_t *)a),
                    y = site_key_get(order->sites, *(const uint32_t *)b);
    const struct wf_address *items = order->program->addresses.items, *at_x = &items[x.address],
                            *at_y = &items[y.address];
    if (at_x->module != at_y->module)
        return at_x->module < at_y->module ? -1 : 1;
    if (at_x->offset != at_y->offset)
        return at_x->offset < at_y->offset ? -1 : 1;
    return (x.call > y.call) - (x.call < y.call);
}

static int site_entry_compare(const void *a, const void *b, void *context)
{
    const struct site_order *by = context;
    const struct wf_site_entry *x = &by->sites->entries[*(const uint32_t *)a],
                               *y = &by->sites->entries[*(const uint32_t *)b];
    int order = x->file == y->file ? 0
                                   : strcmp(wf_collected_program_string(by->program, x->file),
                                            wf_collected_program_string(by->program, y->file));
    if (order == 0)
        order = (x->line > y->line) - (x->line < y->line);
    if (order == 0)
        order = (x->offset > y->offset) - (x->offset < y->offset);
    return order ? order
                 : (*(const uint32_t *)a > *(const uint32_t *)b) - (*(const uint32_t *)a < *(const uint32_t *)b);
}

/* Sorts by place in the text, so that two runs of one program number its statements alike. */
static int sites_sort_entries(struct wf_sites *sites, const struct wf_collected_program *program)
{
    return wf_order_sort(&sites->entries, wf_sites_count(sites), sizeof *sites->entries, site_entry_compare,
                         &(struct site_order){sites, program}, sites->entry_of_key, sites->keys.count);
}

static int sites_index_addresses(struct wf_sites *sites, const struct wf_collected_program *program)
{
    sites->address_count = wf_addresses_count(&program->addresses);
    sites->entry_of_address = malloc((sites->address_count + 1) * sizeof *sites->entry_of_address);
    if (!sites->entry_of_address)
        return -1;
    for (size_t i = 0; i < sites->address_count; i++)
        sites->entry_of_address[i] = WF_NO_SITE;
    for (size_t i = sites->keys.count; i-- > 0;)
        sites->entry_of_address[site_key_get(sites, (uint32_t)i).address] = sites->entry_of_key[i];
    return 0;
}

uint32_t wf_sites_at(const struct wf_sites *sites, uint32_t address)
{
    return address < sites->address_count ? sites->entry_of_address[address] : WF_NO_SITE;
}

int wf_sites_settle(struct wf_sites *sites, struct wf_collected_program *program)
{
    size_t count = sites->keys.count;
    uint32_t *numbers = wf_order_new(count, site_key_compare, &(struct site_order){sites, program});
    sites->entry_of_key = calloc(count + 1, sizeof *sites->entry_of_key);
    int result = numbers && sites->entry_of_key ? 0 : -1;
    for (size_t i = 0; i < count && result == 0; i++) {
        struct site_key key = site_key_get(sites, numbers[i]);
        uint32_t entry = sites_add_entry(sites, program, &key);
        sites->entry_of_key[numbers[i]] = entry;
        result = entry == WF_NO_SITE ? -1 : 0;
    }
    free(numbers);
    if (result == 0)
        result = sites_sort_entries(sites, program);
    return result == 0 ? sites_index_addresses(sites, program) : -1;
}

size_t wf_sites_count(const struct wf_sites *sites)
{
    return sites->entry_keys.count;
}

uint32_t wf_sites_entry(const struct wf_sites *sites, uint32_t number)
{
    return sites->entry_of_key[number];
}
