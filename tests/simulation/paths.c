/* SPDX-License-Identifier: BSD-3-Clause */
#include "paths.h"

#include <stdlib.h>
#include <string.h>

#include "ruled.h"

struct header {
    struct wf_stamp stamp;
    struct wf_path_snapshot path; /* last: more bytes follow */
};

/* A process that counts its regions itself. */
struct counted {
    uint32_t slots[64], depth;
    int64_t own[SIM_SLOTS], all[SIM_SLOTS]; /* since its last call */
};

struct paths {
    const struct sim_program *program;
    const struct sim_follow *follow;
    const struct sim_cut *cut;
    struct wf_virtual *now; /* by process */
    int64_t *cpu;           /* by process */
    struct counted *counted; /* by process */
    unsigned char *states;
    size_t state_bytes;
    unsigned char *samples; /* by process: merged at the end in this order, because it decides between two equal paths
                             */
    size_t sample_bytes;
    struct wf_path *total;
    bool idle; /* one of the calls has been */
    struct sim_paths result;
};

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

static struct wf_path *state_of(struct paths *c, uint32_t process)
{
    return (struct wf_path *)(c->states + process * c->state_bytes);
}

static int64_t clock_of(struct paths *c, uint32_t process, uint64_t real)
{
    return c->follow->cpu ? c->cpu[process] : (int64_t)wf_virtual_at(c->now[process], real).virt;
}

static void check_whole(struct paths *c, struct wf_path_snapshot *s)
{
    const int64_t *shares = wf_path_snapshot_shares(s), *saved = wf_path_snapshot_savings(s);
    int64_t own = 0, placed = 0;
    for (uint32_t slot = 0; slot < s->slots; slot++)
        own += shares[wf_path_row(slot, WF_PATH_OWN)];
    for (uint32_t place = 0; place < s->places; place++)
        placed += wf_path_snapshot_places(s)[2 * place];
    c->result.not_whole += s->slots && (own != s->length || placed != s->length);
    for (int32_t row = -(int32_t)s->all_slots; row < s->slots; row++)
        for (int step = 1; step <= WF_PATH_STEPS; step++)
            c->result.not_whole += saved[row * WF_PATH_STEPS + step - 1] > step * shares[row];
}

static uint64_t latency_of(const struct paths *c, const struct sim_part *part)
{
    uint64_t error = c->follow->latency_error;
    uint64_t wrong = error ? part->latency + sim_hash(part->unit * 64 + part->process) % (2 * error) : part->latency;
    return error ? wf_less(wrong, error) : wrong;
}

static struct wf_path_snapshot *sample_of(struct paths *c, uint32_t process)
{
    return (struct wf_path_snapshot *)(c->samples + process * c->sample_bytes);
}

/* ---- regions that are counted ---- */

static void count_compute(struct counted *k, int64_t ns)
{
    for (uint32_t slot = 0; slot < SIM_SLOTS; slot++) {
        bool active = false;
        for (uint32_t i = 0; i < k->depth; i++)
            active = active || k->slots[i] == slot;
        k->all[slot] += active ? ns : 0;
    }
    if (k->depth)
        k->own[k->slots[k->depth - 1]] += ns;
}

static void tell_counted(struct wf_path *p, struct counted *k)
{
    for (uint32_t slot = 0; slot < SIM_SLOTS; slot++)
        if (slot != WF_PATH_OTHER && (k->own[slot] || k->all[slot])) {
            wf_path_attribute(p, slot, k->own[slot], k->all[slot]);
            k->own[slot] = k->all[slot] = 0;
        }
}

static void begin_counted(struct wf_path *p, struct counted *k, uint32_t statement, int64_t now)
{
    wf_path_advance(p, now);
    for (uint32_t i = 0; i < k->depth; i++)
        wf_path_enter(p, k->slots[i], now);
    wf_path_begin(p, statement, now);
    if (wf_path_is_on(p))
        tell_counted(p, k);
}

static void forget_counted(struct counted *k)
{
    memset(k->own, 0, sizeof k->own);
    memset(k->all, 0, sizeof k->all);
}

/* ---- the path ---- */

static void look_at(struct paths *c, uint32_t process, int64_t now)
{
    if (c->follow->counted && wf_path_is_on(state_of(c, process)))
        tell_counted(state_of(c, process), &c->counted[process]);
    wf_path_sample(state_of(c, process), now, sample_of(c, process));
    check_whole(c, sample_of(c, process));
}

static bool is_at(const uint32_t *where, const struct sim_event *event)
{
    return where && where[event->process] == event->index;
}

static void begin_cuts(struct paths *c, const struct sim_event *event, int64_t now)
{
    struct wf_path *p = state_of(c, event->process);
    struct counted *k = &c->counted[event->process];
    uint32_t epoch = is_at(c->cut->stop, event) ? 2 : is_at(c->cut->start, event) ? 1 : 0;
    if (epoch <= p->epoch)
        return;
    if (wf_path_is_on(p)) {
        wf_path_advance(p, now);
        tell_counted(p, k);
    }
    forget_counted(k);
    wf_path_adopt(p, epoch, now);
}

static void begin_action(struct paths *c, const struct sim_event *event, int64_t now)
{
    struct wf_path *p = state_of(c, event->process);
    struct counted *k = &c->counted[event->process];
    uint32_t slot = sim_follow_region(c->follow, event->action->region),
             statement = sim_follow_statement(c->follow, event->action);
    if (event->action->kind == SIM_ENTER && c->follow->counted)
        k->slots[k->depth++] = slot;
    else if (event->action->kind == SIM_ENTER)
        wf_path_enter(p, slot, now);
    else if (event->action->kind == SIM_LEAVE && c->follow->counted)
        k->depth--;
    else if (event->action->kind == SIM_LEAVE)
        wf_path_leave(p, now);
    else if (sim_is_call(event->action) && c->follow->counted)
        begin_counted(p, k, statement, now);
    else if (sim_is_call(event->action))
        wf_path_begin(p, statement, now);
}

static void paths_begin(void *context, const struct sim_event *event, void *header)
{
    struct paths *c = context;
    struct header *h = header;
    struct wf_path *p = state_of(c, event->process);
    c->now[event->process].intrusion += event->probe.outer_before + event->probe.inner_before;
    h->stamp = wf_virtual_at(c->now[event->process], event->begin);
    int64_t now = clock_of(c, event->process, event->begin);
    begin_cuts(c, event, now);
    bool inside = event->index % 2 == 1; /* a monitor may sample at any moment: the sample is the same in the call as
                                            before it */
    if (is_at(c->cut->sample, event) && !inside)
        look_at(c, event->process, now);
    begin_action(c, event, now);
    if (sim_is_call(event->action)) {
        wf_path_snapshot(p, &h->path);
        check_whole(c, &h->path);
    }
    if (is_at(c->cut->sample, event) && inside)
        look_at(c, event->process, sim_is_call(event->action) ? now + 1000000 : now);
}

/* Parts and end of a call that ends at end_virt. */
static void merge(struct paths *c, const struct sim_event *event, uint64_t begin_virt, uint64_t arrival_virt,
                  uint64_t end_virt)
{
    struct wf_path *p = state_of(c, event->process);
    int64_t take = wf_path_take(begin_virt, arrival_virt, end_virt);
    take = take > (int64_t)event->idle ? take - (int64_t)event->idle : 0;
    c->idle = c->idle || event->idle;
    int64_t begin = c->follow->cpu ? c->cpu[event->process] : (int64_t)begin_virt;
    for (uint32_t i = 0; i < event->part_count; i++)
        wf_path_adopt(p, ((const struct header *)event->parts[i].header)->path.epoch, begin);
    for (uint32_t i = 0; i < event->part_count; i++) {
        const struct header *h = event->parts[i].header;
        wf_path_part(p, &h->path,
                     c->follow->cpu ? 0 : wf_path_weight(latency_of(c, &event->parts[i]), h->stamp.virt, end_virt));
    }
    c->cpu[event->process] += take;
    wf_path_end(p, take, c->follow->cpu ? c->cpu[event->process] : (int64_t)end_virt);
    int64_t time = (int64_t)(end_virt - SIM_START);
    c->result.not_virtual +=
        !c->cut->start && !c->cut->stop && !c->follow->cpu && (c->idle ? p->length > time : p->length != time);
    if (c->follow->counted) {
        wf_path_leave_all(p, p->since);
        forget_counted(&c->counted[event->process]);
    }
    if (c->follow->stretches)
        wf_path_stretch(p, sim_follow_stretch(c->follow, event->action), p->since);
}

static void end_call(struct paths *c, const struct sim_event *event)
{
    struct wf_virtual *now = &c->now[event->process];
    uint64_t begin_virt = wf_virtual_at(*now, event->begin).virt;
    struct wf_merge m = {0};
    for (uint32_t i = 0; i < event->part_count; i++)
        wf_merge_add(&m, &((const struct header *)event->parts[i].header)->stamp, latency_of(c, &event->parts[i]),
                     (int32_t)event->parts[i].process, 0);
    struct wf_settled s = wf_settle(WF_MODEL_VIRTUAL, now, event->begin, event->end + event->probe.inner_after,
                                    event->probe.inner_after, &m);
    *now = s.after;
    merge(c, event, begin_virt, m.virt, begin_virt + s.ticks);
}

static void paths_end(void *context, const struct sim_event *event)
{
    struct paths *c = context;
    if (sim_is_call(event->action)) {
        end_call(c, event);
    } else {
        c->now[event->process].intrusion += event->probe.inner_after;
        int64_t ns = (int64_t)sim_follow_compute(c->follow, event);
        c->cpu[event->process] += ns;
        if (c->follow->counted)
            count_compute(&c->counted[event->process], ns);
    }
    c->now[event->process].intrusion += event->probe.outer_after;
}

static void answer_from(struct wf_path *total, struct sim_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->length = total->length;
    memcpy(answer->place, wf_path_places(total), sizeof(int64_t) * 2 * total->places);
    for (uint32_t slot = 0; slot < total->capacity; slot++)
        for (int of = 0; of < 2; of++) {
            int32_t row = wf_path_row(slot, (enum wf_path_part_of)of);
            answer->share[slot][of] = wf_path_shares(total)[row];
            memcpy(&answer->saved[slot][of * WF_PATH_STEPS], wf_path_savings(total) + row * WF_PATH_STEPS,
                   sizeof(int64_t) * WF_PATH_STEPS);
        }
}

static struct paths paths_new(const struct sim_program *program, const struct sim_follow *f, const struct sim_cut *cut)
{
    uint32_t n = program->processes, capacity = sim_follow_capacity(f);
    struct paths c = {.program = program,
                      .follow = f,
                      .cut = cut,
                      .now = need(n, sizeof *c.now),
                      .cpu = need(n, sizeof *c.cpu),
                      .counted = need(n, sizeof *c.counted),
                      .state_bytes = (wf_path_bytes(capacity, f->places) + 63) / 64 * 64,
                      .sample_bytes = (wf_path_snapshot_bytes(capacity, f->places) + 63) / 64 * 64,
                      .total = need(1, wf_path_bytes(capacity, f->places))};
    c.states = need(n, c.state_bytes);
    c.samples = need(n, c.sample_bytes);
    for (uint32_t p = 0; p < n; p++) {
        wf_path_init(state_of(&c, p), capacity, f->places, p % f->places);
        if (!cut->start)
            wf_path_start(state_of(&c, p), 1, f->cpu ? 0 : SIM_START);
    }
    wf_path_init(c.total, capacity, f->places, WF_PATH_NOWHERE);
    wf_path_start(c.total, 1, 0);
    return c;
}

struct sim_paths sim_paths_run(const struct sim_program *program, const struct sim_network *network,
                               const struct sim_probes *probes, const struct sim_follow *follow,
                               const struct sim_cut *cut, struct sim_answer *answer)
{
    struct paths c = paths_new(program, follow, cut);
    uint64_t *finish = need(program->processes, sizeof *finish);
    size_t header_bytes = sizeof(struct header) + wf_path_snapshot_bytes(sim_follow_capacity(follow), follow->places);
    struct sim_observer observer = {&c, (header_bytes + 7) / 8 * 8, paths_begin, paths_end};
    c.result.finished = sim_followed_run(program, network, probes, follow, &observer, finish);
    for (uint32_t p = 0; p < program->processes; p++) {
        if (!cut->sample || cut->sample[p] >= program->lists[p].count)
            look_at(&c, p, clock_of(&c, p, finish[p]));
        wf_path_part(c.total, sample_of(&c, p), 0);
    }
    answer_from(c.total, answer);
    free(finish);
    free(c.now);
    free(c.cpu);
    free(c.counted);
    free(c.states);
    free(c.samples);
    free(c.total);
    return c.result;
}
