/* SPDX-License-Identifier: BSD-3-Clause */
#include "clocks.h"

#include <stdlib.h>

#define WF_ROOT_PARTS 1024u /* none is put to another */
#include "measure/exchange/root_ring.h"

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static struct sim_records records_new(const struct sim_program *program)
{
    uint32_t n = program->processes;
    return (struct sim_records){.actions = need(sim_program_actions(program), sizeof(struct sim_record)),
                                .finish = need(n, sizeof(uint64_t)),
                                .finish_ideal = need(n, sizeof(uint64_t)),
                                .finish_off = need(n, sizeof(uint64_t)),
                                .waited = need(n, sizeof(uint64_t)),
                                .roots = need((size_t)n * n, sizeof(uint64_t))};
}

void sim_records_free(struct sim_records *records)
{
    free(records->actions);
    free(records->finish);
    free(records->finish_ideal);
    free(records->finish_off);
    free(records->waited);
    free(records->roots);
}

/* ---- the truth ---- */

struct witness {
    struct sim_records records;
    uint32_t *first;
};

static uint32_t *first_places(const struct sim_program *program)
{
    uint32_t *first = need(program->processes, sizeof *first);
    for (uint32_t p = 1; p < program->processes; p++)
        first[p] = first[p - 1] + program->lists[p - 1].count;
    return first;
}

/* The part that was entered last; NULL: none. */
static const struct sim_part *latest_part(const struct sim_event *event)
{
    const struct sim_part *latest = NULL;
    for (uint32_t i = 0; i < event->part_count; i++)
        if (!latest || event->parts[i].entered > latest->entered)
            latest = &event->parts[i];
    return latest;
}

static uint64_t waited_really(const struct sim_event *event)
{
    const struct sim_part *latest = latest_part(event);
    return latest && latest->entered > event->begin ? latest->entered - event->begin : 0;
}

static void witness_end(void *context, const struct sim_event *event)
{
    struct witness *w = context;
    const struct sim_part *latest = latest_part(event);
    uint64_t waited = waited_really(event);
    w->records.actions[w->first[event->process] + event->index] = (struct sim_record){
        .begin = event->begin, .end = event->end, .sync = waited, .who = latest ? (int32_t)latest->process : -1};
    w->records.waited[event->process] += waited;
}

struct sim_records sim_truth(const struct sim_program *program, const struct sim_network *network)
{
    struct witness w = {records_new(program), first_places(program)};
    struct sim_observer observer = {.context = &w, .end = witness_end};
    w.records.finished = sim_run(program, network, &(struct sim_probes){0}, &observer, w.records.finish);
    free(w.first);
    return w.records;
}

/* ---- the clocks ---- */

enum { SIZES = 17 };

/* What accompanies a message, or is exchanged at a collective. */
struct header {
    struct wf_stamp stamp;
    uint64_t off; /* for the check only: how far the stamp may be off */
};

struct clocks {
    const struct sim_program *program;
    enum wf_clock_model model;
    bool estimated;
    struct wf_virtual *now;     /* by process */
    uint64_t *off;              /* by process: how far its clock may be off */
    struct wf_latency *learnt;  /* by process and size; only where estimated */
    struct wf_root_ring *rings; /* by process: its last waits */
    struct wf_roots *divided;   /* the last one of any */
    uint64_t *released;         /* by process: the end of its last wait */
    struct sim_records records;
    uint32_t *first;
};

static void spend(struct clocks *c, uint32_t process, uint64_t cost)
{
    if (c->model != WF_MODEL_REAL)
        c->now[process].intrusion += cost;
}

/* The cost between reading the clock and the call belongs before the call: begin is where the call begins. */
static void clocks_begin(void *context, const struct sim_event *event, void *header)
{
    struct clocks *c = context;
    spend(c, event->process, event->probe.outer_before + event->probe.inner_before);
    *(struct header *)header =
        (struct header){wf_virtual_at(c->now[event->process], event->begin), c->off[event->process]};
}

static struct wf_latency *learnt_of(struct clocks *c, uint32_t process, uint32_t unit)
{
    uint32_t size = 0;
    for (uint32_t bytes = c->program->units[unit].bytes; bytes > 1 && size < SIZES - 1; bytes >>= 1)
        size++;
    return &c->learnt[process * SIZES + size];
}

/* Latencies are learnt where a message is waited for, and the smallest one seen counts. Of several messages the one
 * sent last is used, because the others can only make it longer. The time of taking is learnt from a message that was
 * there alone. */
static void learn(struct clocks *c, const struct sim_event *event)
{
    const struct sim_part *last = latest_part(event);
    if (!last || c->program->units[last->unit].kind != SIM_MESSAGE || c->program->units[last->unit].synchronous)
        return;
    bool alone = event->part_count == 1 && (event->action->kind == SIM_RECV || event->action->requests == 1);
    uint64_t sent = ((const struct header *)last->header)->stamp.real;
    if (alone || event->begin <= sent)
        wf_latency_learn(learnt_of(c, event->process, last->unit), sent, event->begin, event->end);
}

static uint64_t latency_of(struct clocks *c, const struct sim_event *event, const struct sim_part *part)
{
    if (!c->estimated || part->latency == 0)
        return part->latency;
    return c->program->units[part->unit].kind == SIM_MESSAGE
               ? wf_latency_estimate(learnt_of(c, event->process, part->unit))
               : 0;
}

/* Merges the parts, as the caller sees them, and returns how far its clock may be off afterwards: as far as the clock
 * of any of them was, and the latency's own error once. This is the largest by which one is estimated too high, and the
 * largest by which one is estimated too low. (With one part only one of the two is there. With several, one may decide
 * in real time and another in virtual.) */
static uint64_t merge(struct clocks *c, const struct sim_event *event, struct wf_merge *m)
{
    uint64_t off = c->off[event->process], above = 0, below = 0;
    for (uint32_t i = 0; i < event->part_count; i++) {
        const struct sim_part *part = &event->parts[i];
        const struct header *header = part->header;
        if (c->model == WF_MODEL_DELAY && part->process == event->process && part->index != event->index)
            continue; /* [MS] knows no own posts, only parts of other processes */
        uint64_t latency = latency_of(c, event, part);
        wf_merge_add(m, &header->stamp, latency, (int32_t)part->process, part->index);
        off = wf_max(off, header->off);
        above = wf_max(above, wf_less(latency, part->latency));
        below = wf_max(below, wf_less(part->latency, latency));
    }
    return off + above + below;
}

/* Whose work was behind the wait? Those that wait for this process will ask the same of it. */
static void find_roots(struct clocks *c, const struct sim_event *event, struct sim_record *record,
                       const struct wf_merge *m)
{
    struct wf_roots *roots = c->divided;
    wf_roots_start(roots, m->who, m->address);
    struct wf_root_wait wait = {record->begin, record->begin + record->sync, c->released[event->process],
                                (int32_t)event->process};
    wf_root_ring_divide(&c->rings[m->who], roots, &wait);
    c->released[event->process] = wait.end;
    wf_root_ring_publish(&c->rings[event->process], roots, record->begin, 1);
    record->passed = roots->passed;
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct wf_root_part *part = &roots->parts[i];
        record->roots += part->ticks;
        c->records.roots[event->process * c->program->processes + (uint32_t)part->root.rank] += part->ticks;
    }
}

static void settle_call(struct clocks *c, const struct sim_event *event, struct sim_record *record)
{
    struct wf_virtual *now = &c->now[event->process];
    struct wf_merge m = {0};
    if (c->estimated)
        learn(c, event);
    c->off[event->process] = merge(c, event, &m);
    struct wf_settled settled =
        wf_settle(c->model, now, event->begin, event->end + event->probe.inner_after, event->probe.inner_after, &m);
    *now = settled.after;
    c->records.differ += (settled.sync == 0) != (settled.sync_raw == 0);
    c->records.raw += settled.sync_raw != waited_really(event);
    record->sync = settled.sync;
    record->who = m.parts ? m.who : -1;
    if (settled.sync)
        find_roots(c, event, record, &m);
}

/* Computing needs no settling: it advances all clocks alike. */
static void clocks_end(void *context, const struct sim_event *event)
{
    struct clocks *c = context;
    struct sim_record record = {.begin = wf_virtual_at(c->now[event->process], event->begin).virt,
                                .begin_off = c->off[event->process],
                                .who = -1};
    if (event->action->kind == SIM_COMPUTE || event->action->kind == SIM_ENTER || event->action->kind == SIM_LEAVE)
        spend(c, event->process, event->probe.inner_after);
    else
        settle_call(c, event, &record);
    struct wf_stamp end = wf_virtual_at(c->now[event->process], event->end + event->probe.inner_after);
    record.end = end.virt;
    record.ideal = end.ideal;
    record.end_off = c->off[event->process];
    c->records.actions[c->first[event->process] + event->index] = record;
    c->records.waited[event->process] += record.sync;
    spend(c, event->process, event->probe.outer_after);
}

static void close_records(struct clocks *c)
{
    for (uint32_t p = 0; p < c->program->processes; p++) {
        struct wf_stamp last = wf_virtual_at(c->now[p], c->records.finish[p]);
        c->records.finish[p] = last.virt;
        c->records.finish_ideal[p] = last.ideal;
        c->records.finish_off[p] = c->off[p];
    }
}

struct sim_records sim_watched(const struct sim_program *program, const struct sim_network *network,
                               const struct sim_probes *probes, enum wf_clock_model model, bool estimated)
{
    uint32_t n = program->processes;
    struct clocks c = {.program = program,
                       .model = model,
                       .estimated = estimated,
                       .now = need(n, sizeof *c.now),
                       .off = need(n, sizeof *c.off),
                       .learnt = estimated ? need((size_t)n * SIZES, sizeof *c.learnt) : NULL,
                       .rings = need(n, sizeof *c.rings),
                       .divided = need(1, sizeof *c.divided),
                       .released = need(n, sizeof *c.released),
                       .records = records_new(program),
                       .first = first_places(program)};
    for (uint32_t p = 0; p < n; p++)
        c.released[p] = SIM_START;
    struct sim_observer observer = {&c, sizeof(struct header), clocks_begin, clocks_end};
    c.records.finished = sim_run(program, network, probes, &observer, c.records.finish);
    close_records(&c);
    free(c.now);
    free(c.off);
    free(c.learnt);
    free(c.rings);
    free(c.divided);
    free(c.released);
    free(c.first);
    return c.records;
}
