/* SPDX-License-Identifier: BSD-3-Clause */
#include "ruled.h"

#include <stdlib.h>

#define WF_ROOT_PARTS 1024u /* none is put to another */
#include "measure/exchange/root_ring.h"

/* What a process leaves where it enters a call. */
struct entry {
    struct wf_stamp stamp;
    uint64_t off, ideal_off;
    uint32_t process, index;
    bool left;
};

/* What a call depended on, and how far that may be off. */
struct reasons {
    struct wf_merge merge;
    struct sim_part *parts;
    uint32_t count;
    uint64_t off, ideal_off;
    uint64_t least_intrusion, most_intrusion, least_lead, most_lead; /* of all that it depended on, known or not; lead:
                                                                        real - ideal */
    bool guessed;                                                    /* the rules do not know all of it */
};

struct ruler {
    const struct sim_program *program;
    const struct sim_network *network;
    const struct sim_rules *rules;
    const struct sim_observer *observer;
    struct wf_virtual *now;     /* by process */
    uint64_t *off, *ideal_off;  /* by process */
    struct entry *entries;      /* by place in program->members */
    struct entry *unlocks;      /* by window and process: the last one */
    struct wf_root_ring *rings; /* by process: its last waits */
    struct wf_roots *divided;   /* the last one of any */
    uint64_t *released;         /* by process: the end of its last wait */
    uint32_t *first;
    unsigned char *headers; /* the observer's, by place */
    struct sim_part *parts;
    uint32_t part_capacity;
    struct sim_ruling ruling;
};

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static uint32_t *first_places(const struct sim_program *program)
{
    uint32_t *first = need(program->processes, sizeof *first);
    for (uint32_t p = 1; p < program->processes; p++)
        first[p] = first[p - 1] + program->lists[p - 1].count;
    return first;
}

/* ---- by definition ---- */

/* The latest entry and the latest arrival; the own begin, if nothing is later. */
static uint64_t latest(const struct sim_event *event, bool arrivals)
{
    uint64_t last = event->begin;
    for (uint32_t i = 0; i < event->part_count; i++)
        last = wf_max(last, event->parts[i].entered + (arrivals ? event->parts[i].latency : 0));
    return last;
}

static struct sim_time time_in(const struct sim_event *event)
{
    uint64_t arrival = latest(event, true);
    const struct sim_idle *idle = &event->action->idle;
    struct sim_time t = {.sync = latest(event, false) - event->begin};
    t.idle.no_core = wf_less(event->begin + idle->early_ns, arrival) + idle->stolen_ns;
    t.idle.unexplained = idle->hidden_ns;
    if (event->action->kind == SIM_POLL)
        t.idle.polling = wf_less(event->asked, wf_max(arrival, event->refused));
    return t;
}

static int32_t who_came_last(const struct sim_event *event)
{
    int32_t who = -1;
    uint64_t last = 0;
    for (uint32_t i = 0; i < event->part_count; i++)
        if (event->parts[i].entered > last) {
            last = event->parts[i].entered;
            who = (int32_t)event->parts[i].process;
        }
    return who;
}

struct diary {
    struct sim_ruled *actions;
    uint32_t *first;
};

static void diary_end(void *context, const struct sim_event *event)
{
    struct diary *d = context;
    struct sim_ruled *r = &d->actions[d->first[event->process] + event->index];
    *r = (struct sim_ruled){.begin = event->begin, .end = event->end, .ideal = event->end, .who = who_came_last(event)};
    if (sim_is_call(event->action))
        r->time = time_in(event);
}

struct sim_ruling sim_true_times(const struct sim_program *program, const struct sim_network *network)
{
    struct diary d = {need(sim_program_actions(program), sizeof *d.actions), first_places(program)};
    struct sim_observer observer = {.context = &d, .end = diary_end};
    uint64_t *finish = need(program->processes, sizeof *finish);
    bool finished = sim_run(program, network, &(struct sim_probes){0}, &observer, finish);
    free(finish);
    free(d.first);
    return (struct sim_ruling){.actions = d.actions, .finished = finished};
}

/* ---- entries ---- */

static void leave_entry(struct ruler *r, const struct sim_event *event, const struct entry *e)
{
    const struct sim_action *action = event->action;
    const struct sim_unit *unit = sim_has_requests(action) ? NULL : &r->program->units[action->unit];
    if (action->kind == SIM_COLLECTIVE || action->kind == SIM_POST || action->kind == SIM_COMPLETE)
        r->entries[unit->member + action->member] = *e;
    else if (action->kind == SIM_UNLOCK)
        r->unlocks[unit->window * r->program->processes + event->process] = *e;
}

static struct sim_event virtual_event(const struct ruler *r, const struct sim_event *event)
{
    struct sim_event v = *event;
    v.probe = (struct sim_probe){0};
    v.begin = wf_virtual_at(r->now[event->process], event->begin).virt;
    v.parts = NULL;
    v.part_count = 0;
    return v;
}

static void *header_of(const struct ruler *r, uint32_t process, uint32_t index)
{
    return r->observer ? r->headers + (r->first[process] + index) * r->observer->header_bytes : NULL;
}

static void ruler_begin(void *context, const struct sim_event *event, void *header)
{
    struct ruler *r = context;
    uint32_t p = event->process;
    r->now[p].intrusion += event->probe.outer_before + event->probe.inner_before;
    struct entry *e = header;
    *e = (struct entry){wf_virtual_at(r->now[p], event->begin), r->off[p], r->ideal_off[p], p, event->index, true};
    leave_entry(r, event, e);
    struct sim_event v = virtual_event(r, event);
    r->ruling.actions[r->first[p] + event->index] =
        (struct sim_ruled){.begin = v.begin, .begin_off = r->off[p], .who = -1};
    if (r->observer)
        r->observer->begin(r->observer->context, &v, header_of(r, p, event->index));
}

/* ---- what a call depended on ---- */

/* Does the library decide what it depends on? */
static bool is_open(const struct sim_program *program, const struct sim_action *action)
{
    if (action->kind == SIM_COLLECTIVE)
        return program->units[action->unit].class >= SIM_CLASSES;
    return action->kind == SIM_ACCESS || action->kind == SIM_COMPLETE || action->kind == SIM_CLOSE ||
           action->kind == SIM_LOCK;
}

/* By MPI's own rules. */
static bool is_certain(const struct sim_program *program, const struct sim_event *event, const struct sim_part *part)
{
    const struct sim_unit *unit = sim_has_requests(event->action) ? NULL : &program->units[event->action->unit];
    if (!is_open(program, event->action))
        return true;
    if (unit->kind != SIM_GROUP || unit->class == SIM_FENCE)
        return false;
    return unit->class == SIM_UP_TREE ? event->action->member == unit->root
                                      : part->process == program->members[unit->member + unit->root];
}

static void widen(struct reasons *why, const struct wf_stamp *s, uint64_t off, uint64_t ideal_off)
{
    uint64_t intrusion = s->real - s->virt, lead = s->real - s->ideal;
    why->off = wf_max(why->off, off);
    why->ideal_off = wf_max(why->ideal_off, ideal_off);
    why->most_intrusion = wf_max(why->most_intrusion, intrusion);
    why->least_intrusion = intrusion < why->least_intrusion ? intrusion : why->least_intrusion;
    why->most_lead = wf_max(why->most_lead, lead);
    why->least_lead = lead < why->least_lead ? lead : why->least_lead;
}

static void depend(struct reasons *why, const struct entry *e, uint64_t latency)
{
    wf_merge_add(&why->merge, &e->stamp, latency, (int32_t)e->process, e->index);
    widen(why, &e->stamp, e->off, e->ideal_off);
    why->parts[why->count++] =
        (struct sim_part){.process = e->process, .index = e->index, .entered = e->stamp.virt, .latency = latency};
}

/* How long such a call travels at most. */
static uint64_t longest_way(const struct ruler *r, const struct sim_action *action)
{
    const struct sim_unit *unit = &r->program->units[action->unit];
    uint64_t hops = 1;
    if (unit->kind == SIM_GROUP)
        for (hops = 0; UINT32_C(1) << hops < unit->members;)
            hops++;
    return unit->kind == SIM_GROUP && unit->class == SIM_FENCE
               ? 0
               : hops * sim_network_latency(r->network, r->program, action->unit);
}

/* The latest one between `since` and the call's end; NULL: none. */
static const struct entry *find_last(const struct sim_event *event, const struct entry *all, uint32_t count,
                                     uint64_t since)
{
    const struct entry *last = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (all[i].left && all[i].stamp.real > since && all[i].stamp.real <= event->end) {
            last = &all[i];
            since = last->stamp.real;
        }
    return last;
}

static const struct entry *find_arrival(const struct ruler *r, const struct sim_event *event, uint64_t since)
{
    const struct sim_action *action = event->action;
    const struct sim_unit *unit = &r->program->units[action->unit];
    const struct entry *members = r->entries + unit->member;
    switch (action->kind) {
    case SIM_LOCK:
        return find_last(event, r->unlocks + unit->window * r->program->processes, r->program->processes, since);
    case SIM_ACCESS:
    case SIM_COMPLETE:
        return find_last(event, members, 1, since);
    case SIM_CLOSE:
        return find_last(event, members + 1, unit->members - 1, since);
    default:
        return find_last(event, members, unit->members, since);
    }
}

static void explain_by_arrival(struct ruler *r, const struct sim_event *event, struct reasons *why)
{
    uint64_t since = wf_max(event->begin, why->merge.entry), truly = latest(event, false);
    uint64_t took = longest_way(r, event->action) + sim_take(r->network, r->program, event->process, event->action) +
                    event->action->idle.early_ns + event->idle;
    r->ruling.wrong += event->end - wf_max(event->begin, truly) > took; /* nor could another one be further off */
    const struct entry *e = find_arrival(r, event, since + r->rules->arrival_ns);
    if (!e) {
        r->ruling.wrong += truly > since + r->rules->arrival_ns;
        return;
    }
    uint64_t rest = event->end - e->stamp.real;
    if (rest > r->rules->after_ns && rest > e->stamp.real - since)
        return;
    depend(why, e, 0);
    r->ruling.by_arrival++;
    r->ruling.other_culprits += e->stamp.real != truly;
    r->ruling.wrong += e->stamp.real < truly;
}

/* A fence that all have entered before the call's end: all are parts, as in a barrier. */
static bool gather_all(struct ruler *r, const struct sim_event *event, struct reasons *why)
{
    const struct sim_unit *unit = &r->program->units[event->action->unit];
    if (event->action->kind != SIM_COLLECTIVE || unit->class != SIM_FENCE)
        return false;
    const struct entry *all = r->entries + unit->member;
    for (uint32_t i = 0; i < unit->members; i++)
        if (!all[i].left || all[i].stamp.real > event->end)
            return false;
    for (uint32_t i = 0; i < unit->members; i++)
        if (all[i].process != event->process)
            depend(why, &all[i], 0);
    return true;
}

static void make_room(struct ruler *r, uint32_t parts)
{
    if (parts <= r->part_capacity)
        return;
    r->part_capacity = 2 * parts;
    r->parts = realloc(r->parts, r->part_capacity * sizeof *r->parts);
    if (!r->parts)
        abort();
}

static struct reasons find_reasons(struct ruler *r, const struct sim_event *event)
{
    uint32_t p = event->process;
    make_room(r, event->part_count + r->program->processes);
    struct reasons why = {.parts = r->parts, .least_intrusion = UINT64_MAX, .least_lead = UINT64_MAX};
    struct wf_stamp begin = wf_virtual_at(r->now[p], event->begin);
    why.guessed = !r->rules->told && is_open(r->program, event->action);
    widen(&why, &begin, r->off[p], r->ideal_off[p]);
    for (uint32_t i = 0; i < event->part_count; i++) {
        const struct entry *e = event->parts[i].header;
        if (r->rules->told || is_certain(r->program, event, &event->parts[i]))
            depend(&why, e, why.guessed ? 0 : event->parts[i].latency);
        else
            widen(&why, &e->stamp, e->off, e->ideal_off);
    }
    if (why.guessed && !gather_all(r, event, &why))
        explain_by_arrival(r, event, &why);
    return why;
}

/* ---- what it did besides ---- */

/* What is usual in such a call, when it need not wait any more. */
static uint64_t usual(const struct ruler *r, const struct sim_event *event, const struct reasons *why,
                      uint64_t begin_virt)
{
    uint64_t take = sim_take(r->network, r->program, event->process, event->action);
    if (event->action->kind == SIM_POLL)
        take += event->action->poll_ns;
    if (why->guessed)
        return take + longest_way(r, event->action);
    return take + wf_max(begin_virt, why->merge.virt) - wf_max(begin_virt, why->merge.entry_virt);
}

/* The scheduler tells how long it had no core; when the polls began and ended is known. */
static struct wf_idle_ticks idle_of(const struct ruler *r, const struct sim_event *event, const struct reasons *why,
                                    uint64_t begin_virt, uint64_t rest)
{
    struct wf_idle_ticks idle = {.no_core = event->action->idle.early_ns + event->action->idle.stolen_ns};
    rest = wf_less(rest, idle.no_core);
    if (event->action->kind == SIM_POLL && why->merge.parts)
        idle.polling = wf_less(event->asked, wf_max(why->merge.real, event->refused));
    idle.unexplained = wf_less(wf_less(rest, idle.polling), usual(r, event, why, begin_virt));
    return idle;
}

/* How far the end may be off. It is no less late than what it depended on and was least late, and no later than the
 * latest, so it is exact where all are equally late. Where all is known, only the own begin counts later, by the time
 * that the call had no core at first; or the end is that of another poll. */
static uint64_t end_off(const struct sim_event *event, const struct reasons *why)
{
    uint64_t around = why->most_intrusion - why->least_intrusion, early = event->action->idle.early_ns;
    if (event->action->kind == SIM_POLL)
        return around == 0 && event->period == event->action->poll_ns + event->action->ns ? why->off
                                                                                          : why->off + event->period;
    return why->off + (why->guessed || around < early ? around : early);
}

static void set_off(struct ruler *r, const struct sim_event *event, const struct reasons *why, struct sim_ruled *x)
{
    uint64_t early = event->action->idle.early_ns, period = event->action->kind == SIM_POLL ? event->period : 0,
             ideal = early + period, way = 0;
    x->end_off = end_off(event, why);
    x->sync_off = x->begin_off + why->off;
    if (why->guessed) {
        uint64_t raw = wf_max(r->rules->arrival_ns, event->end - latest(event, false));
        way = longest_way(r, event->action);
        x->sync_off += 2 * (why->most_intrusion - why->least_intrusion) + raw;
        ideal += why->most_lead - why->least_lead + raw;
    }
    uint64_t rest = x->begin_off + x->end_off + x->sync_off;
    x->idle_off = 4 * rest + 2 * early + 3 * period + way;
    x->ideal_off = wf_max(x->end_off, why->ideal_off + 3 * x->idle_off + ideal);
}

/* Whose work was behind the wait? Those that wait for this process will ask the same of it. */
static void divide(struct ruler *r, uint32_t process, struct sim_ruled *x)
{
    struct wf_roots *roots = r->divided;
    wf_roots_start(roots, x->who, 0);
    struct wf_root_wait wait = {x->begin, x->begin + x->time.sync, r->released[process], (int32_t)process};
    wf_root_ring_divide(&r->rings[x->who], roots, &wait);
    r->released[process] = wait.end;
    wf_root_ring_publish(&r->rings[process], roots, x->begin, 1);
    for (uint32_t i = 0; i < roots->count; i++) {
        const struct wf_root_part *part = &roots->parts[i];
        x->roots += part->ticks;
        r->ruling.roots[process * r->program->processes + (uint32_t)part->root.rank] += part->ticks;
    }
}

static void settle(struct ruler *r, const struct sim_event *event, struct sim_ruled *x, struct sim_event *v)
{
    uint32_t p = event->process;
    struct reasons why = find_reasons(r, event);
    struct wf_settled s = wf_settle(WF_MODEL_VIRTUAL, &r->now[p], event->begin, event->end + event->probe.inner_after,
                                    event->probe.inner_after, &why.merge);
    uint64_t rest = s.ticks - s.sync;
    struct wf_idle_ticks idle = idle_of(r, event, &why, x->begin, rest);
    x->time = (struct sim_time){s.sync, wf_settle_idle(rest, &s.after.lag, &idle)};
    r->now[p] = s.after;
    v->idle = x->time.idle.no_core + x->time.idle.polling + x->time.idle.unexplained;
    r->ruling.overfull += s.sync > s.ticks || v->idle > rest;
    x->who = why.merge.parts ? why.merge.who : -1;
    if (s.sync)
        divide(r, p, x);
    set_off(r, event, &why, x);
    for (uint32_t i = 0; i < why.count; i++) {
        struct sim_part *part = &why.parts[i];
        uint64_t most = x->begin + s.ticks - part->entered; /* as wf_path_weight limits it */
        part->latency = (int64_t)part->latency < (int64_t)most ? part->latency : most;
        part->header = header_of(r, part->process, part->index);
    }
    v->parts = why.parts;
    v->part_count = why.count;
}

static void ruler_end(void *context, const struct sim_event *event)
{
    struct ruler *r = context;
    uint32_t p = event->process;
    struct sim_ruled *x = &r->ruling.actions[r->first[p] + event->index];
    struct sim_event v = virtual_event(r, event);
    if (sim_is_call(event->action)) {
        settle(r, event, x, &v);
    } else {
        r->now[p].intrusion += event->probe.inner_after;
        x->end_off = r->off[p];
        x->ideal_off = r->ideal_off[p];
    }
    struct wf_stamp end = wf_virtual_at(r->now[p], event->end + event->probe.inner_after);
    x->end = v.end = end.virt;
    x->ideal = end.ideal;
    r->off[p] = x->end_off;
    r->ideal_off[p] = x->ideal_off;
    r->now[p].intrusion += event->probe.outer_after;
    if (r->observer)
        r->observer->end(r->observer->context, &v);
}

struct sim_ruling sim_ruled_run(const struct sim_program *program, const struct sim_network *network,
                                const struct sim_rules *rules, const struct sim_observer *observer, uint64_t *finish)
{
    uint32_t n = program->processes, actions = sim_program_actions(program);
    struct ruler r = {
        .program = program,
        .network = network,
        .rules = rules,
        .observer = observer,
        .now = need(n, sizeof *r.now),
        .off = need(n, sizeof *r.off),
        .ideal_off = need(n, sizeof *r.ideal_off),
        .entries = need(program->member_count, sizeof *r.entries),
        .unlocks = need((size_t)n * SIM_WINDOWS, sizeof *r.unlocks),
        .rings = need(n, sizeof *r.rings),
        .divided = need(1, sizeof *r.divided),
        .released = need(n, sizeof *r.released),
        .first = first_places(program),
        .headers = need(actions, observer ? observer->header_bytes + 1 : 1),
        .ruling = {.actions = need(actions, sizeof(struct sim_ruled)), .roots = need((size_t)n * n, sizeof(uint64_t))}};
    for (uint32_t p = 0; p < n; p++)
        r.released[p] = SIM_START;
    struct sim_observer self = {&r, sizeof(struct entry), ruler_begin, ruler_end};
    r.ruling.finished = sim_run(program, network, &rules->probes, &self, finish);
    for (uint32_t p = 0; p < n; p++)
        finish[p] = wf_virtual_at(r.now[p], finish[p]).virt;
    free(r.now);
    free(r.off);
    free(r.ideal_off);
    free(r.entries);
    free(r.unlocks);
    free(r.rings);
    free(r.divided);
    free(r.released);
    free(r.first);
    free(r.headers);
    free(r.parts);
    return r.ruling;
}

bool sim_followed_run(const struct sim_program *program, const struct sim_network *network,
                      const struct sim_probes *probes, const struct sim_follow *follow,
                      const struct sim_observer *observer, uint64_t *finish)
{
    if (!follow->rules)
        return sim_run(program, network, probes, observer, finish);
    struct sim_ruling ruling = sim_ruled_run(program, network, follow->rules, observer, finish);
    free(ruling.actions);
    free(ruling.roots);
    return ruling.finished;
}
