/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/region_calls.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collect/cycles.h"

/* No padding: their bytes are the keys. */
struct region_visit_key {
    uint32_t region, caller, probe; /* addresses; WF_NO_ADDRESS: none */
};

struct region_call_key {
    uint32_t entry, file, line, internal;
};

static_assert(sizeof(struct region_visit_key) == 12 && sizeof(struct region_call_key) == 16,
              "keys are compared as bytes");

/* ---- visits ---- */

/* main, called by the C library: its caller is not shown. */
static bool region_visit_is_beginning(const struct wf_regions *regions, const struct wf_collected_program *program,
                                      const struct wf_segment_reader *reader, uint32_t number,
                                      const struct wf_visit_record *visit)
{
    size_t chunk = wf_segment_reader_chunk(reader, visit);
    return strcmp(wf_collected_program_string(program, regions->sources[number].name), "main") == 0 &&
           wf_segment_reader_module_at(reader, chunk, visit->caller) !=
               wf_segment_reader_module_at(reader, chunk, visit->probe);
}

int wf_region_calls_add(struct wf_regions *regions, struct wf_collected_program *program,
                        const struct wf_segment_reader *reader, uint32_t number, const struct wf_visit_record *visit)
{
    if (regions->sources[number].kind != WF_REGION_PROCEDURE)
        return 0;
    size_t chunk = wf_segment_reader_chunk(reader, visit);
    uint64_t caller = region_visit_is_beginning(regions, program, reader, number, visit) ? 0 : visit->caller;
    struct region_visit_key key = {
        .region = number,
        .caller = wf_collected_program_add_address(program, reader, chunk, caller, WF_ADDRESS_CALLER),
        .probe = wf_collected_program_add_address(program, reader, chunk, visit->probe, WF_ADDRESS_PROBE)};
    if (key.caller == WF_NO_ADDRESS || key.probe == WF_NO_ADDRESS)
        return -1;
    return wf_intern_add(&regions->visit_keys, &key, sizeof key) == WF_INTERN_NONE ? -1 : 0;
}

uint32_t wf_regions_find_call(const struct wf_regions *regions, const struct wf_collected_program *program,
                              const struct wf_segment_reader *reader, uint32_t number,
                              const struct wf_visit_record *visit)
{
    if (regions->sources[number].kind != WF_REGION_PROCEDURE)
        return WF_NO_CALL;
    size_t chunk = wf_segment_reader_chunk(reader, visit);
    uint64_t caller = region_visit_is_beginning(regions, program, reader, number, visit) ? 0 : visit->caller;
    struct region_visit_key key = {
        .region = number,
        .caller = wf_collected_program_find_address(program, reader, chunk, caller, WF_ADDRESS_CALLER),
        .probe = wf_collected_program_find_address(program, reader, chunk, visit->probe, WF_ADDRESS_PROBE)};
    uint32_t found = wf_intern_find(&regions->visit_keys, &key, sizeof key);
    return found == WF_INTERN_NONE ? WF_NO_CALL : regions->call_of_visit[found];
}

/* ---- from a visit to the call statement ---- */

/* A procedure of <weft/probe.h>, inlined in the instrumented one. */
static bool address_frame_is_helper(const struct wf_collected_program *program, const struct wf_address_frame *frame)
{
    if (!frame->inlined || frame->procedure == WF_NO_PROCEDURE)
        return false;
    const char *name = wf_collected_program_string(program, program->procedures.items[frame->procedure].name);
    size_t length = strlen(name);
    return strncmp(name, "weft_", 5) == 0 && name[length - 1] == '_';
}

/* Whether a frame stands in the procedure: by number; or by name where the frame is not instrumented. */
static bool address_frame_is_in(const struct wf_collected_program *program, const struct wf_address_frame *frame,
                                uint32_t procedure)
{
    uint32_t one = wf_procedures_one(&program->procedures, frame->procedure);
    if (one == WF_NO_PROCEDURE || one == procedure)
        return one == procedure;
    const struct wf_procedure *items = program->procedures.items;
    return !items[one].instrumented && items[procedure].instrumented && items[one].bare == items[procedure].bare;
}

/* The statement that called an inlined procedure, seen from its probe; NULL if it is not inlined there. */
static const struct wf_address_frame *region_visit_inlined_call(const struct wf_collected_program *program,
                                                                uint32_t probe, uint32_t procedure)
{
    size_t count, i = 0;
    const struct wf_address_frame *frames = wf_addresses_frames(&program->addresses, probe, &count);
    while (i < count && address_frame_is_helper(program, &frames[i]))
        i++;
    return i + 1 < count && frames[i].inlined && address_frame_is_in(program, &frames[i], procedure) ? &frames[i + 1]
                                                                                                     : NULL;
}

/* The statement that a procedure returns to. Where a compiler has split the procedure in two, the return address lies
 * in the part that is inlined in the caller. */
static const struct wf_address_frame *region_visit_returned_call(const struct wf_collected_program *program,
                                                                 uint32_t caller, uint32_t procedure)
{
    size_t count, i = 0;
    const struct wf_address_frame *frames = wf_addresses_frames(&program->addresses, caller, &count);
    while (i + 1 < count && frames[i].inlined && address_frame_is_in(program, &frames[i], procedure))
        i++;
    return &frames[i];
}

/* main, called from outside of the program. (In Fortran, main itself calls the program, which has another name.) */
static bool region_visit_begins_program(const struct wf_collected_program *program,
                                        const struct region_visit_key *visit, uint32_t procedure)
{
    const struct wf_address *items = program->addresses.items;
    size_t count;
    return strcmp(wf_collected_program_string(program, program->procedures.items[procedure].name), "main") == 0 &&
           (items[visit->caller].module != items[visit->probe].module ||
            wf_addresses_frames(&program->addresses, visit->caller, &count)->file == WF_INTERN_NONE);
}

/* The procedure that a statement stands in. Debug information has other names for pieces that a compiler cut out of a
 * procedure, so the text comes first. */
static uint32_t region_call_find_caller(const struct wf_collected_program *program, struct wf_table_place place,
                                        uint32_t located, uint32_t callee)
{
    const struct wf_procedures *procedures = &program->procedures;
    uint32_t caller = wf_tables_procedure_of_call(&program->tables, procedures, place, callee);
    if (caller != WF_NO_PROCEDURE)
        return caller;
    caller = wf_procedures_one(procedures, located);
    if (caller != WF_NO_PROCEDURE && wf_collected_program_string(program, procedures->items[caller].bare)[0] != '.')
        return caller;
    uint32_t around = wf_tables_procedure_around(&program->tables, place);
    return around == WF_NO_PROCEDURE ? caller : around;
}

static int region_call_find(struct wf_collected_program *program, const struct wf_region_entry *entry,
                            const struct region_visit_key *visit, struct wf_region_call *call)
{
    const struct wf_address_frame *frame = region_visit_inlined_call(program, visit->probe, entry->procedure);
    uint32_t address = frame ? visit->probe : visit->caller;
    *call = (struct wf_region_call){.file = WF_INTERN_NONE, .caller = WF_NO_PROCEDURE};
    if (!frame && region_visit_begins_program(program, visit, entry->procedure)) {
        call->file = wf_intern_add_text(&program->texts, "");
        return call->file == WF_INTERN_NONE ? -1 : 0;
    }
    if (!frame)
        frame = region_visit_returned_call(program, visit->caller, entry->procedure);
    if (frame->file == WF_INTERN_NONE) {
        uint32_t module = program->addresses.items[address].module;
        call->caller = wf_procedures_one(&program->procedures, frame->procedure);
        call->file = wf_intern_add_text(&program->texts, wf_modules_path(&program->modules, module));
        return call->file == WF_INTERN_NONE ? -1 : 0;
    }
    struct wf_table_place place = {frame->file, frame->line};
    place.line = wf_tables_call_line(&program->tables, &program->procedures, place,
                                     wf_procedures_one(&program->procedures, frame->procedure), entry->procedure);
    call->file = place.file;
    call->line = place.line;
    call->caller = region_call_find_caller(program, place, frame->procedure, entry->procedure);
    return 0;
}

/* ---- which are recursive ---- */

struct call_graph {
    struct wf_edge *edges;
    size_t count;
    uint32_t *component;
};

static void call_graph_add_edge(struct call_graph *graph, uint32_t from, uint32_t to)
{
    if (from != WF_NO_PROCEDURE && to != WF_NO_PROCEDURE)
        graph->edges[graph->count++] = (struct wf_edge){from, to};
}

static int call_graph_find_cycles(const struct wf_regions *regions, struct wf_collected_program *program,
                                  const struct wf_region_call *found, struct call_graph *graph)
{
    const struct wf_tables *tables = &program->tables;
    size_t visits = regions->visit_keys.count, rows = wf_tables_row_count(tables),
           procedures = wf_procedures_count(&program->procedures);
    graph->edges = malloc((visits + rows + 1) * sizeof *graph->edges);
    graph->component = malloc((procedures + 1) * sizeof *graph->component);
    if (!graph->edges || !graph->component)
        return -1;
    for (size_t i = 0; i < visits; i++)
        call_graph_add_edge(graph, found[i].caller, regions->entries[found[i].entry].procedure);
    for (size_t i = 0; i < rows; i++)
        call_graph_add_edge(graph, tables->rows[i].procedure, tables->rows[i].callee);
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

static uint32_t region_calls_add(struct wf_regions *regions, const struct wf_region_call *call)
{
    struct region_call_key key = {call->entry, call->file, call->line, call->internal};
    return WF_INTERN_ADD_ITEM(&regions->call_keys, &key, regions->calls, regions->call_capacity, call);
}

static int region_calls_add_all(struct wf_regions *regions, struct wf_collected_program *program,
                                struct wf_region_call *found, const struct call_graph *graph)
{
    for (size_t i = 0; i < regions->visit_keys.count; i++) {
        struct wf_region_call *call = &found[i];
        uint32_t callee = regions->entries[call->entry].procedure;
        call->internal = call->caller != WF_NO_PROCEDURE && graph->component[call->caller] == graph->component[callee];
        regions->call_of_visit[i] = region_calls_add(regions, call);
        if (regions->call_of_visit[i] == WF_NO_CALL)
            return -1;
        if (call->line != 0 &&
            wf_tables_add_call(&program->tables, &program->procedures, (struct wf_table_place){call->file, call->line},
                               call->caller, callee) != 0)
            return -1;
    }
    return 0;
}

static int region_calls_find(struct wf_regions *regions, struct wf_collected_program *program,
                             struct wf_region_call *found)
{
    for (size_t i = 0; i < regions->visit_keys.count; i++) {
        struct region_visit_key visit;
        memcpy(&visit, wf_intern_get(&regions->visit_keys, (uint32_t)i), sizeof visit);
        uint32_t entry = regions->entry_of_key[visit.region];
        if (region_call_find(program, &regions->entries[entry], &visit, &found[i]) != 0)
            return -1;
        found[i].entry = entry;
    }
    return 0;
}

int wf_region_calls_settle(struct wf_regions *regions, struct wf_collected_program *program)
{
    size_t count = regions->visit_keys.count;
    struct wf_region_call *found = calloc(count + 1, sizeof *found);
    struct call_graph graph = {0};
    regions->call_of_visit = calloc(count + 1, sizeof *regions->call_of_visit);
    int result = found && regions->call_of_visit ? region_calls_find(regions, program, found) : -1;
    if (result == 0)
        result = call_graph_find_cycles(regions, program, found, &graph);
    if (result == 0)
        result = region_calls_add_all(regions, program, found, &graph);
    free(graph.edges);
    free(graph.component);
    free(found);
    return result;
}
