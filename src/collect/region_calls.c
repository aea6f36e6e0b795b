/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/region_calls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collect/array.h"
#include "collect/cycles.h"

/* No padding: their bytes are the keys. */
struct visit_key {
    uint32_t region, caller, probe; /* addresses; WF_NO_ADDRESS: none */
};

struct call_key {
    uint32_t entry, file, line, internal;
};

static_assert(sizeof(struct visit_key) == 12 && sizeof(struct call_key) == 16, "keys are compared as bytes");

/* ---- visits ---- */

/* main, called by the C library, from a place that nobody wants to see. */
static bool is_beginning(const struct wf_regions *regions, const struct wf_program *program,
                         const struct wf_segment_reader *reader, uint32_t number,
                         const struct wf_visit_record *visit)
{
    size_t chunk = wf_segment_reader_chunk(reader, visit);
    return strcmp(wf_program_string(program, regions->sources[number].name), "main") == 0 &&
           wf_segment_reader_module_at(reader, chunk, visit->caller) !=
               wf_segment_reader_module_at(reader, chunk, visit->probe);
}

int wf_region_calls_add(struct wf_regions *regions, struct wf_program *program,
                        const struct wf_segment_reader *reader, uint32_t number,
                        const struct wf_visit_record *visit)
{
    if (regions->sources[number].kind != WF_REGION_PROCEDURE)
        return 0;
    size_t chunk = wf_segment_reader_chunk(reader, visit);
    uint64_t caller = is_beginning(regions, program, reader, number, visit) ? 0 : visit->caller;
    struct visit_key key = {.region = number,
                            .caller = wf_program_add_address(program, reader, chunk, caller, WF_ADDRESS_CALLER),
                            .probe = wf_program_add_address(program, reader, chunk, visit->probe, WF_ADDRESS_PROBE)};
    if (key.caller == WF_NO_ADDRESS || key.probe == WF_NO_ADDRESS)
        return -1;
    return wf_intern_add(&regions->visit_keys, &key, sizeof key) == WF_INTERN_NONE ? -1 : 0;
}

uint32_t wf_regions_find_call(const struct wf_regions *regions, const struct wf_program *program,
                              const struct wf_segment_reader *reader, uint32_t number,
                              const struct wf_visit_record *visit)
{
    if (regions->sources[number].kind != WF_REGION_PROCEDURE)
        return WF_NO_CALL;
    size_t chunk = wf_segment_reader_chunk(reader, visit);
    uint64_t caller = is_beginning(regions, program, reader, number, visit) ? 0 : visit->caller;
    struct visit_key key = {.region = number,
                            .caller = wf_program_find_address(program, reader, chunk, caller, WF_ADDRESS_CALLER),
                            .probe =
                                wf_program_find_address(program, reader, chunk, visit->probe, WF_ADDRESS_PROBE)};
    uint32_t found = wf_intern_find(&regions->visit_keys, &key, sizeof key);
    return found == WF_INTERN_NONE ? WF_NO_CALL : regions->call_of_visit[found];
}

/* ---- from a visit to the call statement ---- */

/* A procedure of <weft/probe.h>, inlined in the instrumented one. */
static bool is_helper(const struct wf_program *program, const struct wf_address_frame *frame)
{
    if (!frame->inlined || frame->procedure == WF_NO_PROCEDURE)
        return false;
    const char *name = wf_program_string(program, program->procedures.items[frame->procedure].name);
    size_t length = strlen(name);
    return strncmp(name, "weft_", 5) == 0 && name[length - 1] == '_';
}

/* By name, where nothing better tells. */
static bool is_in(const struct wf_program *program, const struct wf_address_frame *frame, uint32_t procedure)
{
    uint32_t one = wf_procedures_one(&program->procedures, frame->procedure);
    if (one == WF_NO_PROCEDURE || one == procedure)
        return one == procedure;
    const struct wf_procedure *items = program->procedures.items;
    return !items[one].instrumented && items[procedure].instrumented &&
           items[one].bare == items[procedure].bare;
}

/* The statement that called an inlined procedure, seen from its probe; NULL if it is not inlined there. */
static const struct wf_address_frame *inlined_call(const struct wf_program *program, uint32_t probe,
                                                   uint32_t procedure)
{
    size_t count, i = 0;
    const struct wf_address_frame *frames = wf_addresses_frames(&program->addresses, probe, &count);
    while (i < count && is_helper(program, &frames[i]))
        i++;
    return i + 1 < count && frames[i].inlined && is_in(program, &frames[i], procedure) ? &frames[i + 1]
                                                                                       : NULL;
}

/* The statement that a procedure returns to. Where a compiler has split the procedure in two, that is in the
 * part of itself which is inlined in the caller. */
static const struct wf_address_frame *returned_call(const struct wf_program *program, uint32_t caller,
                                                    uint32_t procedure)
{
    size_t count, i = 0;
    const struct wf_address_frame *frames = wf_addresses_frames(&program->addresses, caller, &count);
    while (i + 1 < count && frames[i].inlined && is_in(program, &frames[i], procedure))
        i++;
    return &frames[i];
}

/* main, called from outside of the program. (Fortran's, too: there a program of its own name is called by
 * main.) */
static bool begins_program(const struct wf_program *program, const struct visit_key *visit,
                           uint32_t procedure)
{
    const struct wf_address *items = program->addresses.items;
    size_t count;
    return strcmp(wf_program_string(program, program->procedures.items[procedure].name), "main") == 0 &&
           (items[visit->caller].module != items[visit->probe].module ||
            wf_addresses_frames(&program->addresses, visit->caller, &count)->file == WF_INTERN_NONE);
}

/* The procedure that a statement stands in. Debug information has its own names for pieces that a compiler
 * cut out of a procedure; the text knows better. */
static uint32_t find_caller(const struct wf_program *program, struct wf_table_place place, uint32_t located,
                            uint32_t callee)
{
    const struct wf_procedures *procedures = &program->procedures;
    uint32_t caller = wf_tables_procedure_of_call(&program->tables, procedures, place, callee);
    if (caller != WF_NO_PROCEDURE)
        return caller;
    caller = wf_procedures_one(procedures, located);
    if (caller != WF_NO_PROCEDURE && wf_program_string(program, procedures->items[caller].bare)[0] != '.')
        return caller;
    uint32_t around = wf_tables_procedure_around(&program->tables, place);
    return around == WF_NO_PROCEDURE ? caller : around;
}

static int find_call(struct wf_program *program, const struct wf_region_entry *entry,
                     const struct visit_key *visit, struct wf_region_call *call)
{
    const struct wf_address_frame *frame = inlined_call(program, visit->probe, entry->procedure);
    uint32_t address = frame ? visit->probe : visit->caller;
    *call = (struct wf_region_call){.file = WF_INTERN_NONE, .caller = WF_NO_PROCEDURE};
    if (!frame && begins_program(program, visit, entry->procedure)) {
        call->file = wf_intern_add_text(&program->texts, "");
        return call->file == WF_INTERN_NONE ? -1 : 0;
    }
    if (!frame)
        frame = returned_call(program, visit->caller, entry->procedure);
    if (frame->file == WF_INTERN_NONE) {
        uint32_t module = program->addresses.items[address].module;
        call->caller = wf_procedures_one(&program->procedures, frame->procedure);
        call->file = wf_intern_add_text(&program->texts, wf_modules_path(&program->modules, module));
        return call->file == WF_INTERN_NONE ? -1 : 0;
    }
    struct wf_table_place place = {frame->file, frame->line};
    place.line =
        wf_tables_call_line(&program->tables, &program->procedures, place,
                            wf_procedures_one(&program->procedures, frame->procedure), entry->procedure);
    call->file = place.file;
    call->line = place.line;
    call->caller = find_caller(program, place, frame->procedure, entry->procedure);
    return 0;
}

/* ---- who is recursive ---- */

struct graph {
    struct wf_edge *edges;
    size_t count;
    uint32_t *component;
};

static void add_edge(struct graph *graph, uint32_t from, uint32_t to)
{
    if (from != WF_NO_PROCEDURE && to != WF_NO_PROCEDURE)
        graph->edges[graph->count++] = (struct wf_edge){from, to};
}

static int find_cycles(const struct wf_regions *regions, struct wf_program *program,
                       const struct wf_region_call *found, struct graph *graph)
{
    const struct wf_tables *tables = &program->tables;
    size_t visits = regions->visit_keys.count, rows = wf_tables_row_count(tables),
           procedures = wf_procedures_count(&program->procedures);
    graph->edges = malloc((visits + rows + 1) * sizeof *graph->edges);
    graph->component = malloc((procedures + 1) * sizeof *graph->component);
    if (!graph->edges || !graph->component)
        return -1;
    for (size_t i = 0; i < visits; i++)
        add_edge(graph, found[i].caller, regions->entries[found[i].entry].procedure);
    for (size_t i = 0; i < rows; i++)
        add_edge(graph, tables->rows[i].procedure, tables->rows[i].callee);
    if (wf_cycles_find(graph->edges, graph->count, (uint32_t)procedures, graph->component) != 0)
        return -1;
    for (size_t i = 0; i < procedures; i++)
        if (graph->component[i] != i) {
            program->procedures.items[i].cycle = graph->component[i];
            program->procedures.items[graph->component[i]].cycle = graph->component[i];
        }
    return 0;
}

/* ---- calls ---- */

static uint32_t add_call(struct wf_regions *regions, const struct wf_region_call *call)
{
    struct call_key key = {call->entry, call->file, call->line, call->internal};
    size_t before = regions->call_keys.count;
    void *calls =
        wf_array_reserve(regions->calls, &regions->call_capacity, before + 1, sizeof *regions->calls);
    if (!calls)
        return WF_NO_CALL;
    regions->calls = calls;
    uint32_t number = wf_intern_add(&regions->call_keys, &key, sizeof key);
    if (number == before)
        regions->calls[number] = *call;
    return number;
}

static int add_calls(struct wf_regions *regions, struct wf_program *program, struct wf_region_call *found,
                     const struct graph *graph)
{
    for (size_t i = 0; i < regions->visit_keys.count; i++) {
        struct wf_region_call *call = &found[i];
        uint32_t callee = regions->entries[call->entry].procedure;
        call->internal =
            call->caller != WF_NO_PROCEDURE && graph->component[call->caller] == graph->component[callee];
        regions->call_of_visit[i] = add_call(regions, call);
        if (regions->call_of_visit[i] == WF_NO_CALL)
            return -1;
        if (call->line != 0 &&
            wf_tables_add_call(&program->tables, &program->procedures,
                               (struct wf_table_place){call->file, call->line}, call->caller, callee) != 0)
            return -1;
    }
    return 0;
}

static int find_calls(struct wf_regions *regions, struct wf_program *program, struct wf_region_call *found)
{
    for (size_t i = 0; i < regions->visit_keys.count; i++) {
        struct visit_key visit;
        memcpy(&visit, wf_intern_get(&regions->visit_keys, (uint32_t)i), sizeof visit);
        uint32_t entry = regions->entry_of_key[visit.region];
        if (find_call(program, &regions->entries[entry], &visit, &found[i]) != 0)
            return -1;
        found[i].entry = entry;
    }
    return 0;
}

int wf_region_calls_settle(struct wf_regions *regions, struct wf_program *program)
{
    size_t count = regions->visit_keys.count;
    struct wf_region_call *found = calloc(count + 1, sizeof *found);
    struct graph graph = {0};
    regions->call_of_visit = calloc(count + 1, sizeof *regions->call_of_visit);
    int result = found && regions->call_of_visit ? find_calls(regions, program, found) : -1;
    if (result == 0)
        result = find_cycles(regions, program, found, &graph);
    if (result == 0)
        result = add_calls(regions, program, found, &graph);
    free(graph.edges);
    free(graph.component);
    free(found);
    return result;
}
