/* SPDX-License-Identifier: BSD-3-Clause */
#include "program.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
    [SIM_COMPUTE] = "compute",
    [SIM_ENTER] = "enter",
    [SIM_LEAVE] = "leave",
    [SIM_SEND] = "send",
    [SIM_SSEND] = "ssend",
    [SIM_ISEND] = "isend",
    [SIM_ISSEND] = "issend",
    [SIM_RECV] = "recv",
    [SIM_IRECV] = "irecv",
    [SIM_WAIT] = "wait",
    [SIM_COLLECTIVE] = "collective",
    [SIM_ICOLLECTIVE] = "icollective",
    [SIM_POLL] = "poll",
    [SIM_POST] = "post",
    [SIM_ACCESS] = "access",
    [SIM_COMPLETE] = "complete",
    [SIM_CLOSE] = "close",
    [SIM_LOCK] = "lock",
    [SIM_UNLOCK] = "unlock",
};
static const char *const class_names[] = {"all",       "from root", "to root", "prefix",
                                          "neighbour", "down tree", "up tree", "fence"};

const char *sim_kind_name(enum sim_kind kind)
{
    return kind_names[kind];
}

/* The array with room for one more item. A test without memory ends. */
static void *room(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 16;
    array = realloc(array, *capacity * size);
    if (!array)
        abort();
    return array;
}

struct sim_program *sim_program_new(uint32_t processes)
{
    struct sim_program *program = calloc(1, sizeof *program);
    struct sim_list *lists = calloc(processes, sizeof *lists);
    if (!program || !lists)
        abort();
    program->processes = processes;
    program->lists = lists;
    return program;
}

void sim_program_free(struct sim_program *program)
{
    for (uint32_t p = 0; p < program->processes; p++)
        free(program->lists[p].actions);
    free(program->lists);
    free(program->units);
    free(program->members);
    free(program->requests);
    free(program);
}

static uint32_t add_unit(struct sim_program *program, struct sim_unit unit)
{
    program->units = room(program->units, program->unit_count, &program->unit_capacity, sizeof *program->units);
    program->units[program->unit_count] = unit;
    return program->unit_count++;
}

static void append(struct sim_program *program, uint32_t process, struct sim_action action)
{
    struct sim_list *list = &program->lists[process];
    list->actions = room(list->actions, list->count, &list->capacity, sizeof *list->actions);
    list->actions[list->count++] = action;
}

static void append_new(struct sim_program *program, uint32_t process, struct sim_action action)
{
    action.serial = program->serials++;
    append(program, process, action);
}

static void add_request(struct sim_program *program, uint32_t unit)
{
    program->requests =
        room(program->requests, program->request_count, &program->request_capacity, sizeof *program->requests);
    program->requests[program->request_count++] = unit;
}

static void add_member(struct sim_program *program, uint32_t process)
{
    program->members =
        room(program->members, program->member_count, &program->member_capacity, sizeof *program->members);
    program->members[program->member_count++] = process;
}

void sim_program_compute(struct sim_program *program, uint32_t process, uint64_t ns)
{
    const struct sim_list *list = &program->lists[process];
    uint32_t region = list->depth ? list->open[list->depth - 1] : 0;
    uint32_t unit = add_unit(program, (struct sim_unit){.kind = SIM_WORK});
    append_new(program, process, (struct sim_action){.kind = SIM_COMPUTE, .unit = unit, .region = region, .ns = ns});
}

void sim_program_enter(struct sim_program *program, uint32_t process, uint32_t region)
{
    struct sim_list *list = &program->lists[process];
    if (list->depth == sizeof list->open / sizeof *list->open)
        return;
    uint32_t unit = add_unit(program, (struct sim_unit){.kind = SIM_REGION});
    list->open[list->depth] = region;
    list->open_unit[list->depth++] = unit;
    append_new(program, process, (struct sim_action){.kind = SIM_ENTER, .unit = unit, .region = region});
}

void sim_program_leave(struct sim_program *program, uint32_t process)
{
    struct sim_list *list = &program->lists[process];
    if (list->depth == 0)
        return;
    list->depth--;
    append_new(program, process,
               (struct sim_action){
                   .kind = SIM_LEAVE, .unit = list->open_unit[list->depth], .region = list->open[list->depth]});
}

uint32_t sim_program_message(struct sim_program *program, uint32_t source, uint32_t destination, uint32_t bytes)
{
    assert(source != destination);
    return add_unit(
        program, (struct sim_unit){.kind = SIM_MESSAGE, .bytes = bytes, .source = source, .destination = destination});
}

void sim_program_post(struct sim_program *program, enum sim_kind kind, uint32_t unit)
{
    struct sim_unit *u = &program->units[unit];
    bool receives = kind == SIM_RECV || kind == SIM_IRECV;
    if (!receives)
        u->synchronous = kind == SIM_SSEND || kind == SIM_ISSEND;
    append_new(program, receives ? u->destination : u->source, (struct sim_action){.kind = kind, .unit = unit});
}

void sim_program_wait(struct sim_program *program, uint32_t process, const uint32_t *units, uint32_t count)
{
    struct sim_action action = {.kind = SIM_WAIT, .request = program->request_count, .requests = count};
    for (uint32_t i = 0; i < count; i++)
        add_request(program, units[i]);
    append_new(program, process, action);
}

uint32_t sim_program_collective(struct sim_program *program, enum sim_kind kind, enum sim_class class, uint32_t bytes,
                                uint32_t root, const uint32_t *members, uint32_t count)
{
    uint32_t unit = add_unit(program, (struct sim_unit){.kind = SIM_GROUP,
                                                        .class = class,
                                                        .bytes = bytes,
                                                        .root = root,
                                                        .member = program->member_count,
                                                        .members = count});
    for (uint32_t i = 0; i < count; i++) {
        add_member(program, members[i]);
        append_new(program, members[i], (struct sim_action){.kind = kind, .unit = unit, .member = i});
    }
    return unit;
}

void sim_program_poll(struct sim_program *program, uint32_t process, uint32_t unit, uint32_t poll_ns, uint64_t pause_ns)
{
    struct sim_action action = {.kind = SIM_POLL,
                                .request = program->request_count,
                                .requests = 1,
                                .ns = pause_ns,
                                .poll_ns = poll_ns ? poll_ns : 1};
    add_request(program, unit);
    append_new(program, process, action);
}

uint32_t sim_program_epoch(struct sim_program *program, const uint32_t *members, uint32_t count)
{
    uint32_t unit =
        add_unit(program, (struct sim_unit){.kind = SIM_EPOCH, .member = program->member_count, .members = count});
    for (uint32_t i = 0; i < count; i++)
        add_member(program, members[i]);
    return unit;
}

void sim_program_access(struct sim_program *program, enum sim_kind kind, uint32_t unit, uint32_t member)
{
    uint32_t process = program->members[program->units[unit].member + member];
    append_new(program, process, (struct sim_action){.kind = kind, .unit = unit, .member = member});
}

uint32_t sim_program_lock(struct sim_program *program, uint32_t process, uint32_t window, uint32_t previous)
{
    uint32_t unit = add_unit(
        program, (struct sim_unit){.kind = SIM_SECTION, .source = process, .window = window, .previous = previous});
    append_new(program, process, (struct sim_action){.kind = SIM_LOCK, .unit = unit});
    return unit;
}

void sim_program_unlock(struct sim_program *program, uint32_t process, uint32_t unit)
{
    append_new(program, process, (struct sim_action){.kind = SIM_UNLOCK, .unit = unit});
}

static void copy_wait(struct sim_program *to, const struct sim_program *from, uint32_t process,
                      struct sim_action action, uint32_t without)
{
    const uint32_t *units = from->requests + action.request;
    uint32_t first = to->request_count;
    for (uint32_t i = 0; i < action.requests; i++)
        if (units[i] != without)
            add_request(to, units[i]);
    action.request = first;
    action.requests = to->request_count - first;
    if (action.requests)
        append(to, process, action);
}

struct sim_program *sim_program_drop(const struct sim_program *from, uint32_t unit)
{
    struct sim_program *to = sim_program_new(from->processes);
    for (uint32_t u = 0; u < from->unit_count; u++)
        add_unit(to, from->units[u]); /* the numbers stay */
    for (uint32_t m = 0; m < from->member_count; m++)
        add_member(to, from->members[m]);
    for (uint32_t p = 0; p < from->processes; p++)
        for (uint32_t i = 0; i < from->lists[p].count; i++) {
            struct sim_action action = from->lists[p].actions[i];
            if (sim_has_requests(&action))
                copy_wait(to, from, p, action, unit);
            else if (action.unit != unit)
                append(to, p, action);
        }
    to->serials = from->serials;
    return to;
}

uint32_t sim_program_actions(const struct sim_program *program)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < program->processes; p++)
        count += program->lists[p].count;
    return count;
}

static void print_action(const struct sim_program *program, const struct sim_action *action, FILE *to)
{
    const struct sim_unit *unit = sim_has_requests(action) ? NULL : &program->units[action->unit];
    fprintf(to, "%s", kind_names[action->kind]);
    if (action->kind == SIM_COMPUTE)
        fprintf(to, " %" PRIu64 " ns", action->ns);
    else if (sim_has_requests(action))
        for (uint32_t i = 0; i < action->requests; i++)
            fprintf(to, " #%" PRIu32, program->requests[action->request + i]);
    else if (unit->kind == SIM_MESSAGE)
        fprintf(to, " #%" PRIu32 " %" PRIu32 "->%" PRIu32 " %" PRIu32 " B", action->unit, unit->source,
                unit->destination, unit->bytes);
    else if (unit->kind == SIM_GROUP)
        fprintf(to, " #%" PRIu32 " %s, %" PRIu32 " members, root %" PRIu32, action->unit, class_names[unit->class],
                unit->members, unit->root);
    else if (unit->kind == SIM_EPOCH || unit->kind == SIM_SECTION)
        fprintf(to, " #%" PRIu32, action->unit);
    else
        fprintf(to, " %" PRIu32, action->region);
}

static void print_idle(const struct sim_action *action, FILE *to)
{
    const struct sim_idle *idle = &action->idle;
    if (action->kind == SIM_POLL)
        fprintf(to, ", a poll takes %" PRIu32 " ns, the next %" PRIu64 " ns later", action->poll_ns, action->ns);
    if (idle->early_ns || idle->stolen_ns || idle->hidden_ns)
        fprintf(to, ", no core %" PRIu32 " ns early, %" PRIu32 " ns late, %" PRIu32 " ns for no reason", idle->early_ns,
                idle->stolen_ns, idle->hidden_ns);
}

void sim_program_print(const struct sim_program *program, FILE *to)
{
    for (uint32_t p = 0; p < program->processes; p++)
        for (uint32_t i = 0; i < program->lists[p].count; i++) {
            fprintf(to, "  %" PRIu32 ".%" PRIu32 " ", p, i);
            print_action(program, &program->lists[p].actions[i], to);
            print_idle(&program->lists[p].actions[i], to);
            fputc('\n', to);
        }
}
