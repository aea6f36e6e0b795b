/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"

/* ---- how long things take ---- */

static uint64_t spread(const struct sim_network *network, uint64_t range, uint32_t unit, uint64_t salt)
{
    return range ? sim_hash(network->seed ^ ((uint64_t)unit << 8) ^ salt) % range : 0;
}

uint64_t sim_network_latency(const struct sim_network *network, const struct sim_program *program, uint32_t unit)
{
    const struct sim_unit *u = &program->units[unit];
    if (network->free)
        return 0;
    if (u->kind == SIM_GROUP)
        return network->collective_latency_ns;
    if (u->kind == SIM_EPOCH || u->kind == SIM_SECTION)
        return network->latency_ns + spread(network, network->jitter_ns, unit, 1);
    uint64_t hops = u->source > u->destination ? u->source - u->destination : u->destination - u->source;
    return network->latency_ns + u->bytes * network->latency_kib_ns / 1024 + hops * network->hop_ns +
           spread(network, network->jitter_ns, unit, 1);
}

uint64_t sim_network_take(const struct sim_network *network, const struct sim_program *program, uint32_t unit)
{
    const struct sim_unit *u = &program->units[unit];
    if (network->free)
        return 0;
    if (u->kind == SIM_GROUP)
        return network->collective_ns + u->members * network->take_ns +
               spread(network, network->take_jitter_ns, unit, 2);
    return network->take_ns + u->bytes * network->take_kib_ns / 1024 +
           spread(network, network->take_jitter_ns, unit, 2);
}

/* Binomial: without its lowest bit, a member's distance from the root is that of the one above it. */
uint32_t sim_hops_up(const struct sim_unit *unit, uint32_t member, uint32_t other)
{
    uint32_t at = (member + unit->members - unit->root) % unit->members,
             to = (other + unit->members - unit->root) % unit->members, hops = 0;
    for (; at > to; hops++)
        at &= at - 1;
    return at == to ? hops : 0;
}

/* ---- a run ---- */

struct waiter {
    uint32_t process;
    int32_t next;
};

struct process {
    uint64_t time; /* of its next event: the next action's begin, or the end of the one it is in */
    uint64_t begin;
    uint32_t index, missing; /* parts that have not been entered yet */
    uint64_t asked, refused, period; /* of polls */
    bool inside;
    struct sim_probe probe;
    struct sim_part *parts;
    uint32_t part_count, part_capacity;
};

struct run {
    const struct sim_program *program;
    const struct sim_network *network;
    const struct sim_probes *probes;
    const struct sim_observer *observer;
    struct process *processes;
    uint32_t *heap, heap_count; /* processes that have a next event */
    uint32_t *first;            /* place of each process's first action */
    uint64_t *entered;          /* by place; 0: not yet */
    int32_t *waiters;           /* by place: the first process that waits for this entry; -1: none */
    struct waiter *nodes;
    uint32_t node_count, node_capacity;
    uint32_t *sends, *receives; /* by unit: index of the message's two sides */
    uint32_t *joins;            /* by place in program->members: index of the member's action */
    unsigned char *headers;
};

uint32_t sim_place(const struct sim_program *program, uint32_t process, uint32_t index)
{
    for (uint32_t p = 0; p < process; p++)
        index += program->lists[p].count;
    return index;
}

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

/* ---- the heap: the process with the earliest next event first; of several, the lowest ---- */

static bool before(const struct run *run, uint32_t a, uint32_t b)
{
    uint64_t x = run->processes[a].time, y = run->processes[b].time;
    return x < y || (x == y && a < b);
}

static void schedule(struct run *run, uint32_t process)
{
    uint32_t at = run->heap_count++;
    for (; at > 0 && before(run, process, run->heap[(at - 1) / 2]); at = (at - 1) / 2)
        run->heap[at] = run->heap[(at - 1) / 2];
    run->heap[at] = process;
}

static uint32_t next_process(struct run *run)
{
    uint32_t first = run->heap[0], last = run->heap[--run->heap_count], at = 0;
    for (uint32_t child = 1; child < run->heap_count; child = 2 * at + 1) {
        if (child + 1 < run->heap_count && before(run, run->heap[child + 1], run->heap[child]))
            child++;
        if (!before(run, run->heap[child], last))
            break;
        run->heap[at] = run->heap[child];
        at = child;
    }
    run->heap[at] = last;
    return first;
}

/* ---- parts ---- */

static void add_part(struct run *run, uint32_t process, uint32_t of, uint32_t index, uint32_t unit, uint64_t latency)
{
    struct process *p = &run->processes[process];
    if (p->part_count == p->part_capacity) {
        p->part_capacity = p->part_capacity ? 2 * p->part_capacity : 16;
        p->parts = realloc(p->parts, p->part_capacity * sizeof *p->parts);
        if (!p->parts)
            abort();
    }
    uint32_t place = run->first[of] + index;
    p->parts[p->part_count++] = (struct sim_part){.process = of,
                                                  .index = index,
                                                  .unit = unit,
                                                  .latency = latency,
                                                  .header = run->headers + place * run->observer->header_bytes};
}

static bool is_part_of(const struct sim_unit *unit, uint32_t member, uint32_t other)
{
    switch (unit->class) {
    case SIM_ALL:
    case SIM_FENCE:
        return true;
    case SIM_DOWN_TREE:
        return sim_hops_up(unit, member, other);
    case SIM_UP_TREE:
        return sim_hops_up(unit, other, member);
    case SIM_FROM_ROOT:
        return other == unit->root && member != other;
    case SIM_TO_ROOT:
        return member == unit->root;
    case SIM_PREFIX:
        return other < member;
    default:
        return member != other && (other == (member + 1) % unit->members || member == (other + 1) % unit->members);
    }
}

static uint32_t rank_in(const struct sim_program *program, const struct sim_unit *unit, uint32_t process)
{
    uint32_t rank = 0;
    while (program->members[unit->member + rank] != process)
        rank++;
    return rank;
}

static void add_members(struct run *run, uint32_t process, uint32_t unit, uint64_t latency)
{
    const struct sim_unit *u = &run->program->units[unit];
    uint32_t member = rank_in(run->program, u, process);
    for (uint32_t other = 0; other < u->members; other++) {
        uint32_t hops = u->class == SIM_DOWN_TREE || u->class == SIM_UP_TREE
                            ? sim_hops_up(u, member, other) + sim_hops_up(u, other, member)
                            : 1;
        if (is_part_of(u, member, other))
            add_part(run, process, run->program->members[u->member + other], run->joins[u->member + other], unit,
                     hops * latency);
    }
}

/* Each member is known by the action that others wait for: the target by its post, the origins by being complete. */
static void add_access(struct run *run, uint32_t process, enum sim_kind kind, uint32_t unit)
{
    const struct sim_unit *u = &run->program->units[unit];
    uint64_t latency = sim_network_latency(run->network, run->program, unit);
    for (uint32_t i = 0; i < u->members; i++)
        if ((kind == SIM_ACCESS || kind == SIM_COMPLETE) ? i == 0 : (kind == SIM_CLOSE && i > 0))
            add_part(run, process, run->program->members[u->member + i], run->joins[u->member + i], unit, latency);
}

static void add_section(struct run *run, uint32_t process, uint32_t unit)
{
    uint32_t previous = run->program->units[unit].previous;
    if (previous != SIM_NO_UNIT && run->sends[previous] != SIM_NO_UNIT)
        add_part(run, process, run->program->units[previous].source, run->sends[previous], previous,
                 sim_network_latency(run->network, run->program, unit));
}

static void add_request(struct run *run, uint32_t process, uint32_t unit)
{
    const struct sim_unit *u = &run->program->units[unit];
    uint64_t latency = sim_network_latency(run->network, run->program, unit);
    bool receives = u->kind == SIM_MESSAGE && u->destination == process;
    if (u->kind == SIM_GROUP)
        add_members(run, process, unit, latency);
    else if (receives || u->synchronous)
        add_part(run, process, u->source, run->sends[unit], unit, latency);
    if (u->kind == SIM_MESSAGE && u->synchronous)
        add_part(run, process, u->destination, run->receives[unit], unit, latency);
}

static void add_call(struct run *run, uint32_t process, enum sim_kind kind, uint32_t unit)
{
    const struct sim_unit *u = &run->program->units[unit];
    bool together = u->kind == SIM_MESSAGE ? u->synchronous : u->class == SIM_ALL || u->class == SIM_FENCE; /* it begins
                                                                                                               when all
                                                                                                               parts are
                                                                                                               entered:
                                                                                                               the rest
                                                                                                               is taking
                                                                                                             */
    uint64_t latency = together ? 0 : sim_network_latency(run->network, run->program, unit);
    if (kind == SIM_RECV)
        add_part(run, process, u->source, run->sends[unit], unit, latency);
    else if (kind == SIM_SSEND)
        add_part(run, process, u->destination, run->receives[unit], unit, latency);
    else if (kind == SIM_COLLECTIVE)
        add_members(run, process, unit, latency);
    else if (kind == SIM_LOCK)
        add_section(run, process, unit);
    else if (u->kind == SIM_EPOCH)
        add_access(run, process, kind, unit);
}

static void add_parts(struct run *run, uint32_t process, const struct sim_action *action)
{
    if (!sim_has_requests(action))
        add_call(run, process, action->kind, action->unit);
    else
        for (uint32_t i = 0; i < action->requests; i++)
            add_request(run, process, run->program->requests[action->request + i]);
}

uint64_t sim_take(const struct sim_network *network, const struct sim_program *program, uint32_t process,
                  const struct sim_action *action)
{
    uint64_t own = network->free ? 0 : network->own_ns;
    switch (action->kind) {
    case SIM_COMPUTE:
        return action->ns;
    case SIM_ENTER:
    case SIM_LEAVE:
        return 0;
    case SIM_RECV:
        return sim_network_take(network, program, action->unit) +
               (program->units[action->unit].synchronous ? sim_network_latency(network, program, action->unit) : 0);
    case SIM_SSEND:
        return sim_network_latency(network, program, action->unit);
    case SIM_COLLECTIVE:
        return sim_network_take(network, program, action->unit);
    case SIM_WAIT:
    case SIM_POLL:
        for (uint32_t i = 0; i < action->requests; i++) {
            uint32_t unit = program->requests[action->request + i];
            if (program->units[unit].kind == SIM_GROUP || program->units[unit].destination == process)
                own += sim_network_take(network, program, unit);
        }
        return own;
    default:
        return own;
    }
}

/* ---- events ---- */

static struct sim_event event_of(const struct run *run, uint32_t process)
{
    const struct process *p = &run->processes[process];
    const struct sim_action *action = &run->program->lists[process].actions[p->index];
    return (struct sim_event){.process = process,
                              .index = p->index,
                              .action = action,
                              .probe = p->probe,
                              .begin = p->begin,
                              .end = p->time,
                              .parts = p->parts,
                              .part_count = p->part_count,
                              .idle = action->idle.stolen_ns + action->idle.hidden_ns,
                              .asked = p->asked,
                              .refused = p->refused,
                              .period = p->period};
}

/* The next action of a process that is at p->time; none: p->time is when it finished. */
static void approach(struct run *run, uint32_t process)
{
    struct process *p = &run->processes[process];
    const struct sim_list *list = &run->program->lists[process];
    p->inside = false;
    if (p->index == list->count)
        return;
    p->probe = run->probes->cost ? run->probes->cost(run->probes->context, process, &list->actions[p->index])
                                 : (struct sim_probe){0};
    p->time += p->probe.outer_before + p->probe.inner_before;
    schedule(run, process);
}

/* The begin of the first poll when all parts are there. */
static uint64_t poll_until(struct process *p, const struct sim_action *action, uint64_t there)
{
    const struct sim_probe *probe = &p->probe;
    p->period = action->poll_ns + action->ns + probe->outer_before + probe->inner_before + probe->inner_after +
                probe->outer_after;
    p->asked = p->begin + (there - p->begin + p->period - 1) / p->period * p->period;
    p->refused = p->asked > p->begin ? p->asked - p->period + action->poll_ns : p->begin;
    return p->asked;
}

/* All parts have been entered, none of them later than now. */
static void go_on(struct run *run, uint32_t process)
{
    struct process *p = &run->processes[process];
    const struct sim_action *action = &run->program->lists[process].actions[p->index];
    uint64_t start = p->begin + action->idle.early_ns;
    for (uint32_t i = 0; i < p->part_count; i++) {
        struct sim_part *part = &p->parts[i];
        part->entered = run->entered[run->first[part->process] + part->index];
        if (part->entered + part->latency > start)
            start = part->entered + part->latency;
    }
    if (action->kind == SIM_POLL)
        start = poll_until(p, action, start);
    p->time =
        start + sim_take(run->network, run->program, process, action) + action->idle.stolen_ns + action->idle.hidden_ns;
    schedule(run, process);
}

static void wait_for(struct run *run, uint32_t process, uint32_t place)
{
    if (run->node_count == run->node_capacity) {
        run->node_capacity = run->node_capacity ? 2 * run->node_capacity : 256;
        run->nodes = realloc(run->nodes, run->node_capacity * sizeof *run->nodes);
        if (!run->nodes)
            abort();
    }
    run->nodes[run->node_count] = (struct waiter){process, run->waiters[place]};
    run->waiters[place] = (int32_t)run->node_count++;
    run->processes[process].missing++;
}

static void wake(struct run *run, uint32_t place)
{
    for (int32_t node = run->waiters[place]; node >= 0; node = run->nodes[node].next)
        if (--run->processes[run->nodes[node].process].missing == 0)
            go_on(run, run->nodes[node].process);
    run->waiters[place] = -1;
}

static void enter(struct run *run, uint32_t process)
{
    struct process *p = &run->processes[process];
    uint32_t place = run->first[process] + p->index;
    p->inside = true;
    p->begin = p->time;
    p->part_count = 0;
    struct sim_event event = event_of(run, process);
    if (run->observer->begin)
        run->observer->begin(run->observer->context, &event, run->headers + place * run->observer->header_bytes);
    run->entered[place] = p->begin;
    add_parts(run, process, event.action);
    for (uint32_t i = 0; i < p->part_count; i++)
        if (run->entered[run->first[p->parts[i].process] + p->parts[i].index] == 0)
            wait_for(run, process, run->first[p->parts[i].process] + p->parts[i].index);
    if (p->missing == 0)
        go_on(run, process);
    wake(run, place);
}

static void leave(struct run *run, uint32_t process)
{
    struct process *p = &run->processes[process];
    struct sim_event event = event_of(run, process);
    if (run->observer->end)
        run->observer->end(run->observer->context, &event);
    p->time += p->probe.inner_after + p->probe.outer_after;
    p->index++;
    approach(run, process);
}

/* ---- begin and end of a run ---- */

static void index_action(struct run *run, uint32_t index, const struct sim_action *action)
{
    switch (action->kind) {
    case SIM_SEND:
    case SIM_SSEND:
    case SIM_ISEND:
    case SIM_ISSEND:
        run->sends[action->unit] = index;
        break;
    case SIM_RECV:
    case SIM_IRECV:
        run->receives[action->unit] = index;
        break;
    case SIM_UNLOCK:
        run->sends[action->unit] = index;
        break;
    case SIM_COLLECTIVE:
    case SIM_ICOLLECTIVE:
    case SIM_POST:
    case SIM_COMPLETE:
        run->joins[run->program->units[action->unit].member + action->member] = index;
        break;
    default:
        break;
    }
}

static void prepare(struct run *run)
{
    const struct sim_program *program = run->program;
    uint32_t actions = sim_program_actions(program), place = 0;
    run->processes = need(program->processes, sizeof *run->processes);
    run->heap = need(program->processes, sizeof *run->heap);
    run->first = need(program->processes, sizeof *run->first);
    run->entered = need(actions, sizeof *run->entered);
    run->waiters = need(actions, sizeof *run->waiters);
    run->headers = need(actions, run->observer->header_bytes + 1);
    run->sends = need(program->unit_count, sizeof *run->sends);
    memset(run->sends, 0xff, program->unit_count * sizeof *run->sends); /* SIM_NO_UNIT where a section is dropped */
    run->receives = need(program->unit_count, sizeof *run->receives);
    run->joins = need(program->member_count, sizeof *run->joins);
    for (uint32_t p = 0; p < program->processes; p++) {
        run->first[p] = place;
        for (uint32_t i = 0; i < program->lists[p].count; i++, place++) {
            run->waiters[place] = -1;
            index_action(run, i, &program->lists[p].actions[i]);
        }
    }
}

static void clear(struct run *run)
{
    for (uint32_t p = 0; p < run->program->processes; p++)
        free(run->processes[p].parts);
    free(run->processes);
    free(run->heap);
    free(run->first);
    free(run->entered);
    free(run->waiters);
    free(run->nodes);
    free(run->sends);
    free(run->receives);
    free(run->joins);
    free(run->headers);
}

bool sim_run(const struct sim_program *program, const struct sim_network *network, const struct sim_probes *probes,
             const struct sim_observer *observer, uint64_t *finish)
{
    struct run run = {.program = program, .network = network, .probes = probes, .observer = observer};
    bool finished = true;
    prepare(&run);
    for (uint32_t p = 0; p < program->processes; p++) {
        run.processes[p].time = SIM_START;
        approach(&run, p);
    }
    while (run.heap_count) {
        uint32_t process = next_process(&run);
        if (run.processes[process].inside)
            leave(&run, process);
        else
            enter(&run, process);
    }
    for (uint32_t p = 0; p < program->processes; p++) {
        finished = finished && run.processes[p].index == program->lists[p].count;
        finish[p] = run.processes[p].time;
    }
    clear(&run);
    return finished;
}
