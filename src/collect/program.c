/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

#define TABLES_SECTION "weft_static"

void wf_collected_program_fini(struct wf_collected_program *program)
{
    wf_intern_fini(&program->texts);
    wf_modules_fini(&program->modules);
    wf_addresses_fini(&program->addresses);
    wf_procedures_fini(&program->procedures);
    wf_tables_fini(&program->tables);
}

const char *wf_collected_program_string(const struct wf_collected_program *program, uint32_t text)
{
    return wf_intern_get(&program->texts, text);
}

uint32_t wf_collected_program_add_address(struct wf_collected_program *program, const struct wf_segment_reader *reader,
                                          size_t chunk, uint64_t address, enum wf_address_use use)
{
    const struct wf_module_record *module = wf_segment_reader_module_at(reader, chunk, address);
    if (!module)
        return wf_addresses_add(&program->addresses, WF_NO_MODULE, 0, use);
    uint32_t number = wf_modules_add(&program->modules, module);
    return number == WF_NO_MODULE ? WF_NO_ADDRESS
                                  : wf_addresses_add(&program->addresses, number, address - module->bias, use);
}

uint32_t wf_collected_program_find_address(const struct wf_collected_program *program,
                                           const struct wf_segment_reader *reader, size_t chunk, uint64_t address,
                                           enum wf_address_use use)
{
    const struct wf_module_record *module = wf_segment_reader_module_at(reader, chunk, address);
    if (!module)
        return wf_addresses_find(&program->addresses, WF_NO_MODULE, 0, use);
    uint32_t number = wf_modules_find(&program->modules, module);
    return number == WF_NO_MODULE ? WF_NO_ADDRESS
                                  : wf_addresses_find(&program->addresses, number, address - module->bias, use);
}

/* ---- what is not found ---- */

static void program_note_module(struct wf_notes *notes, const char *path, enum wf_resolver_status status, int why)
{
    static const char *const shown = "its statements are shown by address only";
    if (status == WF_RESOLVER_MISSING)
        wf_notes_add(notes, "%s cannot be read (%s): %s; collect where the program ran.", path, strerror(why), shown);
    else if (status == WF_RESOLVER_CHANGED)
        wf_notes_add(notes, "%s has changed since the run (its build-id is another): %s; run again to see lines.", path,
                     shown);
    else
        wf_notes_add(notes, "%s is not an executable or library that can be read: %s.", path, shown);
}

static void program_note_lines(struct wf_notes *notes, const char *path, size_t without, size_t all)
{
    if (without == 0)
        return;
    if (without == all)
        wf_notes_add(
            notes, "No line information in %s: statements are shown by function and offset; compile it with -g.", path);
    else
        wf_notes_add(notes,
                     "No line information for %zu of %zu statements in %s: they are shown by function and "
                     "offset; compile "
                     "all of it with -g.",
                     without, all, path);
}

/* ---- one module ---- */

/* The addresses of one module, in the order of their offsets. */
struct address_batch {
    uint32_t module;
    const uint32_t *numbers;
    size_t count;
    uint32_t uses; /* of any of them */
};

/* A call from a library that is not instrumented, such as the C library's call of main, is no statement of the
 * program. */
static bool address_batch_is_statement(const struct address_batch *batch, const struct wf_address *address)
{
    bool instrumented = batch->uses & (WF_ADDRESS_PROBE | WF_ADDRESS_PROCEDURE);
    return address->uses & (WF_ADDRESS_STATEMENT | (instrumented ? WF_ADDRESS_CALLER : 0u));
}

static void program_note_batch(const struct wf_collected_program *program, const struct address_batch *batch,
                               struct wf_notes *notes)
{
    size_t all = 0, without = 0;
    for (size_t i = 0; i < batch->count; i++) {
        const struct wf_address *address = &program->addresses.items[batch->numbers[i]];
        if (!address_batch_is_statement(batch, address))
            continue;
        all++;
        without += program->addresses.frames[address->first_frame].file == WF_INTERN_NONE;
    }
    program_note_lines(notes, wf_modules_path(&program->modules, batch->module), without, all);
}

static int program_look_up_batch(struct wf_collected_program *program, const struct address_batch *batch,
                                 struct wf_resolver *resolver)
{
    for (size_t i = 0; i < batch->count; i++)
        if (wf_addresses_look_up(&program->addresses, batch->numbers[i], resolver, &program->texts, &program->modules,
                                 &program->procedures) != 0)
            return -1;
    return 0;
}

static int program_read_tables(struct wf_collected_program *program, struct wf_resolver *resolver)
{
    size_t bytes;
    const char *section = wf_resolver_section(resolver, TABLES_SECTION, &bytes);
    return section ? wf_tables_read(&program->tables, &program->texts, &program->procedures, section, bytes) : 0;
}

static int program_look_up_module(struct wf_collected_program *program, const struct address_batch *batch,
                                  struct wf_notes *notes)
{
    const struct wf_module *file = &program->modules.items[batch->module];
    struct wf_resolver *resolver = NULL;
    errno = 0;
    enum wf_resolver_status status = wf_resolver_open(file->path, file->build_id, file->build_id_bytes, &resolver);
    if (status != WF_RESOLVER_OK && batch->uses & ~(uint32_t)WF_ADDRESS_CALLER)
        program_note_module(notes, file->path, status, errno);
    int result = program_look_up_batch(program, batch, resolver);
    if (result == 0 && resolver)
        result = program_read_tables(program, resolver);
    if (result == 0 && resolver)
        program_note_batch(program, batch, notes);
    wf_resolver_close(resolver);
    return result;
}

/* ---- all of them ---- */

static int program_compare_addresses(const void *a, const void *b, void *context)
{
    const struct wf_address *items = context, *x = &items[*(const uint32_t *)a], *y = &items[*(const uint32_t *)b];
    if (x->module != y->module)
        return x->module < y->module ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return (x->uses > y->uses) - (x->uses < y->uses);
}

/* The addresses of this module that follow; there may be none. */
static struct address_batch address_batch_next(const struct wf_collected_program *program, uint32_t module,
                                               const uint32_t *numbers, size_t left)
{
    struct address_batch batch = {.module = module, .numbers = numbers};
    while (batch.count < left && program->addresses.items[numbers[batch.count]].module == module)
        batch.uses |= program->addresses.items[numbers[batch.count++]].uses;
    return batch;
}

static int program_look_up_batches(struct wf_collected_program *program, const uint32_t *numbers, size_t count,
                                   struct wf_notes *notes)
{
    size_t done = 0;
    for (size_t module = 0; module < wf_modules_count(&program->modules); module++) {
        struct address_batch batch = address_batch_next(program, (uint32_t)module, numbers + done, count - done);
        if (program_look_up_module(program, &batch, notes) != 0)
            return -1;
        done += batch.count;
    }
    struct address_batch rest = address_batch_next(program, WF_NO_MODULE, numbers + done, count - done);
    return program_look_up_batch(program, &rest, NULL);
}

int wf_collected_program_look_up(struct wf_collected_program *program, struct wf_notes *notes)
{
    size_t count = wf_addresses_count(&program->addresses);
    uint32_t *numbers = wf_order_new(count, program_compare_addresses, program->addresses.items);
    if (!numbers)
        return -1;
    wf_resolver_stay_offline();
    int result = program_look_up_batches(program, numbers, count, notes);
    wf_resolver_go_online();
    free(numbers);
    if (program->tables.newer)
        wf_notes_add(notes,
                     "The static tables of %zu units were written by a newer weft and are left out; collect "
                     "with that one.",
                     program->tables.newer);
    return result;
}

static int program_observe_lines(struct wf_collected_program *program)
{
    if (wf_tables_node_count(&program->tables) == 0)
        return 0;
    for (size_t i = 0; i < program->addresses.frame_count; i++) {
        const struct wf_address_frame *frame = &program->addresses.frames[i];
        if (frame->file != WF_INTERN_NONE &&
            wf_tables_observe(&program->tables, (struct wf_table_place){frame->file, frame->line}) != 0)
            return -1;
    }
    return 0;
}

int wf_collected_program_settle(struct wf_collected_program *program)
{
    if (wf_procedures_unify(&program->procedures, &program->texts) != 0 || program_observe_lines(program) != 0)
        return -1;
    return wf_tables_settle(&program->tables, &program->texts, &program->procedures);
}
