/* SPDX-License-Identifier: BSD-3-Clause */
#include "generate.h"

#include <stdlib.h>

static const char *const style_names[] = {"pipeline", "master-worker", "bulk-synchronous", "stencil", "random mix"};
static const uint32_t sizes[] = {8, 256, 4096, 65536};

const char *sim_style_name(enum sim_style style)
{
    return style_names[style];
}

static uint32_t any_size(struct sim_random *r)
{
    return sizes[sim_random_below(r, sizeof sizes / sizeof *sizes)];
}

/* Mostly short, sometimes ten times as long, so that processes are out of step. */
static uint64_t any_work(struct sim_random *r)
{
    return 1 + sim_random_below(r, sim_random_one_in(r, 8) ? 100000 : 10000);
}

static void work(struct sim_program *program, uint32_t process, struct sim_random *r)
{
    bool in_region = sim_random_one_in(r, 4);
    if (in_region)
        sim_program_enter(program, process, 1 + (uint32_t)sim_random_below(r, 6));
    sim_program_compute(program, process, any_work(r));
    if (in_region)
        sim_program_leave(program, process);
}

static void every_process(struct sim_program *program, enum sim_kind kind, enum sim_class class, struct sim_random *r)
{
    uint32_t members[64];
    for (uint32_t p = 0; p < program->processes; p++)
        members[p] = p;
    sim_program_collective(program, kind, class, any_size(r), (uint32_t)sim_random_below(r, program->processes),
                           members, program->processes);
}

static void pipeline(struct sim_program *program, uint32_t length, struct sim_random *r)
{
    uint32_t items = length * (2 + (uint32_t)sim_random_below(r, 6));
    for (uint32_t i = 0; i < items; i++) {
        bool synchronous = sim_random_one_in(r, 4);
        uint32_t bytes = any_size(r);
        work(program, 0, r);
        for (uint32_t p = 1; p < program->processes; p++) {
            uint32_t message = sim_program_message(program, p - 1, p, bytes);
            sim_program_post(program, synchronous ? SIM_SSEND : SIM_SEND, message);
            sim_program_post(program, SIM_RECV, message);
            work(program, p, r);
        }
    }
}

static void master_worker(struct sim_program *program, uint32_t length, struct sim_random *r)
{
    uint32_t rounds = length * (1 + (uint32_t)sim_random_below(r, 4));
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t results[64] = {0};
        work(program, 0, r);
        for (uint32_t p = 1; p < program->processes; p++) {
            uint32_t task = sim_program_message(program, 0, p, any_size(r));
            sim_program_post(program, SIM_SEND, task);
            sim_program_post(program, SIM_RECV, task);
            work(program, p, r);
            results[p] = sim_program_message(program, p, 0, any_size(r));
        }
        for (uint32_t p = 1; p < program->processes; p++) {
            sim_program_post(program, sim_random_one_in(r, 3) ? SIM_SSEND : SIM_SEND, results[p]);
            sim_program_post(program, SIM_RECV, results[p]);
        }
    }
}

static void bulk(struct sim_program *program, uint32_t length, struct sim_random *r)
{
    uint32_t rounds = length * (2 + (uint32_t)sim_random_below(r, 6));
    for (uint32_t round = 0; round < rounds; round++) {
        for (uint32_t p = 0; p < program->processes; p++)
            work(program, p, r);
        if (sim_random_one_in(r, 4))
            every_process(program, SIM_COLLECTIVE, sim_random_one_in(r, 2) ? SIM_FROM_ROOT : SIM_TO_ROOT, r);
        every_process(program, SIM_COLLECTIVE, SIM_ALL, r);
    }
}

/* The neighbours of p: on a torus that is `width` wide, or on a ring (width 0). Each once. */
static uint32_t neighbours(uint32_t p, uint32_t processes, uint32_t width, uint32_t *to)
{
    uint32_t candidates[4] = {(p + 1) % processes, (p + processes - 1) % processes, p, p}, count = 0;
    if (width) {
        candidates[2] = (p + width) % processes;
        candidates[3] = (p + processes - width) % processes;
    }
    for (uint32_t c = 0; c < 4; c++) {
        bool known = candidates[c] == p;
        for (uint32_t i = 0; i < count; i++)
            known = known || to[i] == candidates[c];
        if (!known)
            to[count++] = candidates[c];
    }
    return count;
}

/* halo[p][q]: the message from p to q. */
static void exchange(struct sim_program *program, uint32_t width, struct sim_random *r)
{
    uint32_t n = program->processes, bytes = any_size(r), others[4];
    enum sim_kind send = sim_random_one_in(r, 3) ? SIM_ISSEND : SIM_ISEND;
    uint32_t(*halo)[64] = calloc(64, sizeof *halo);
    if (!halo)
        abort();
    for (uint32_t p = 0; p < n; p++)
        for (uint32_t i = 0, count = neighbours(p, n, width, others); i < count; i++) {
            halo[others[i]][p] = sim_program_message(program, others[i], p, bytes);
            sim_program_post(program, SIM_IRECV, halo[others[i]][p]);
        }
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t i = 0, count = neighbours(p, n, width, others); i < count; i++)
            sim_program_post(program, send, halo[p][others[i]]);
        work(program, p, r);
    }
    for (uint32_t p = 0; p < n; p++) {
        uint32_t requests[8], count = neighbours(p, n, width, others);
        for (uint32_t i = 0; i < count; i++) {
            requests[i] = halo[others[i]][p];
            requests[count + i] = halo[p][others[i]];
        }
        sim_program_wait(program, p, requests, 2 * count);
        work(program, p, r);
    }
    free(halo);
}

static void stencil(struct sim_program *program, uint32_t length, struct sim_random *r)
{
    uint32_t steps = length * (1 + (uint32_t)sim_random_below(r, 4));
    uint32_t width = program->processes >= 9 && sim_random_one_in(r, 2) ? 3 : 0;
    for (uint32_t step = 0; step < steps; step++) {
        exchange(program, width, r);
        if (sim_random_one_in(r, 4))
            every_process(program, SIM_COLLECTIVE, SIM_ALL, r);
    }
}

/* ---- the mix ---- */

struct open_message {
    uint32_t unit;
    bool sent; /* else: its receive is posted, and its send is to come */
};

struct open_request {
    uint32_t process, unit;
    bool ready; /* everything it needs has been posted: it may be waited for */
};

struct mixer {
    struct sim_program *program;
    struct sim_random *random;
    struct open_message messages[16];
    struct open_request requests[256];
    uint32_t message_count, request_count;
    uint32_t polls; /* one in so many waits */
    struct {
        uint32_t unit, holder; /* the last section of a window; holder: of it now, or none */
    } windows[SIM_WINDOWS];
};

static struct mixer new_mixer(struct sim_program *program, uint32_t polls, struct sim_random *r)
{
    struct mixer m = {.program = program, .random = r, .polls = polls};
    for (uint32_t window = 0; window < SIM_WINDOWS; window++)
        m.windows[window].unit = m.windows[window].holder = SIM_NO_UNIT;
    return m;
}

static void request_opens(struct mixer *m, uint32_t process, uint32_t unit, bool ready)
{
    m->requests[m->request_count++] = (struct open_request){process, unit, ready};
}

static void requests_are_ready(struct mixer *m, uint32_t unit)
{
    for (uint32_t i = 0; i < m->request_count; i++)
        m->requests[i].ready = m->requests[i].ready || m->requests[i].unit == unit;
}

/* One side of a message; `second`: the other side is there. A blocking call that waits for the other side must be the
 * second, or next to it. */
static void post(struct mixer *m, uint32_t unit, enum sim_kind kind, bool second)
{
    const struct sim_unit u = m->program->units[unit];
    sim_program_post(m->program, kind, unit);
    if (kind == SIM_ISEND || kind == SIM_ISSEND)
        request_opens(m, u.source, unit, second || kind == SIM_ISEND);
    if (kind == SIM_IRECV)
        request_opens(m, u.destination, unit, second);
    if (second)
        requests_are_ready(m, unit);
}

static void post_send(struct mixer *m, uint32_t unit, bool second, bool may_block)
{
    static const enum sim_kind kinds[] = {SIM_SEND, SIM_ISEND, SIM_ISSEND, SIM_SSEND};
    post(m, unit, kinds[sim_random_below(m->random, may_block ? 4 : 3)], second);
}

static void post_receive(struct mixer *m, uint32_t unit, bool second)
{
    post(m, unit, second && sim_random_one_in(m->random, 2) ? SIM_RECV : SIM_IRECV, second);
}

static void mix_message(struct mixer *m)
{
    uint32_t n = m->program->processes, source = (uint32_t)sim_random_below(m->random, n);
    uint32_t destination = (source + 1 + (uint32_t)sim_random_below(m->random, n - 1)) % n;
    uint32_t unit = sim_program_message(m->program, source, destination, any_size(m->random));
    bool later = m->message_count < sizeof m->messages / sizeof *m->messages && sim_random_one_in(m->random, 2);
    if (later && sim_random_one_in(m->random, 2)) {
        post_receive(m, unit, false);
        m->messages[m->message_count++] = (struct open_message){unit, false};
    } else if (later) {
        post_send(m, unit, false, false);
        m->messages[m->message_count++] = (struct open_message){unit, true};
    } else {
        post_send(m, unit, false, true);
        post_receive(m, unit, true);
    }
}

/* The other side of any open message, not of the oldest: messages overtake each other. */
static void mix_other_side(struct mixer *m)
{
    if (m->message_count == 0)
        return;
    uint32_t at = (uint32_t)sim_random_below(m->random, m->message_count);
    struct open_message open = m->messages[at];
    m->messages[at] = m->messages[--m->message_count];
    if (open.sent)
        post_receive(m, open.unit, true);
    else
        post_send(m, open.unit, true, true);
}

/* With sleeping between the polls, or without. */
static void poll(struct mixer *m, uint32_t process, uint32_t unit)
{
    uint32_t poll_ns = 1 + (uint32_t)sim_random_below(m->random, 1000);
    sim_program_poll(m->program, process, unit, poll_ns,
                     sim_random_one_in(m->random, 2) ? 0 : sim_random_below(m->random, 20000));
}

/* Some of the requests of one process that may be waited for, or all of them, in any order. */
static void mix_wait(struct mixer *m, bool all)
{
    uint32_t units[sizeof m->requests / sizeof *m->requests], count = 0, process = 0, kept = 0;
    if (m->request_count == 0)
        return;
    process = m->requests[sim_random_below(m->random, m->request_count)].process;
    for (uint32_t i = 0; i < m->request_count; i++) {
        struct open_request *q = &m->requests[i];
        if (q->process == process && q->ready && (all || !sim_random_one_in(m->random, 3)))
            units[count++] = q->unit;
        else
            m->requests[kept++] = *q;
    }
    m->request_count = kept;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = (uint32_t)sim_random_below(m->random, i), unit = units[i - 1];
        units[i - 1] = units[other];
        units[other] = unit;
    }
    if (count && m->polls && sim_random_one_in(m->random, m->polls))
        for (uint32_t i = 0; i < count; i++)
            poll(m, process, units[i]);
    else if (count && sim_random_one_in(m->random, 3))
        for (uint32_t i = 0; i < count; i++)
            sim_program_wait(m->program, process, units + i, 1);
    else if (count)
        sim_program_wait(m->program, process, units, count);
}

/* Returns how many there are: none, or two and more. */
static uint32_t mix_members(struct mixer *m, uint32_t *members)
{
    uint32_t count = 0, n = m->program->processes;
    bool whole = sim_random_one_in(m->random, 3);
    for (uint32_t p = 0; p < n; p++)
        if (whole || (count < 12 && sim_random_one_in(m->random, 2)))
            members[count++] = p;
    return count < 2 ? 0 : count;
}

static void mix_collective(struct mixer *m)
{
    uint32_t members[64], count = mix_members(m, members);
    if (count == 0)
        return;
    bool blocking =
        m->request_count + 2 * 64 > sizeof m->requests / sizeof *m->requests || !sim_random_one_in(m->random, 3);
    enum sim_class class = (enum sim_class)sim_random_below(m->random, SIM_CLASSES);
    uint32_t unit =
        sim_program_collective(m->program, blocking ? SIM_COLLECTIVE : SIM_ICOLLECTIVE, class, any_size(m->random),
                               (uint32_t)sim_random_below(m->random, count), members, count);
    for (uint32_t i = 0; !blocking && i < count; i++)
        request_opens(m, members[i], unit, true);
}

static void mix_region(struct mixer *m, uint32_t process)
{
    if (sim_random_one_in(m->random, 2))
        sim_program_enter(m->program, process, 1 + (uint32_t)sim_random_below(m->random, 6));
    else
        sim_program_leave(m->program, process);
}

static void mix_step(struct mixer *m)
{
    uint32_t process = (uint32_t)sim_random_below(m->random, m->program->processes),
             what = (uint32_t)sim_random_below(m->random, 20);
    if (m->request_count + 4 > sizeof m->requests / sizeof *m->requests || (what >= 15 && what < 18))
        mix_wait(m, m->request_count > 128);
    else if (what < 5)
        sim_program_compute(m->program, process, any_work(m->random));
    else if (what < 11)
        mix_message(m);
    else if (what < 15)
        mix_other_side(m);
    else if (what < 19)
        mix_region(m, process);
    else
        mix_collective(m);
}

static void mix_release(struct mixer *m, uint32_t window)
{
    if (m->windows[window].holder != SIM_NO_UNIT)
        sim_program_unlock(m->program, m->windows[window].holder, m->windows[window].unit);
    m->windows[window].holder = SIM_NO_UNIT;
}

static void finish_mix(struct mixer *m)
{
    for (uint32_t window = 0; window < SIM_WINDOWS; window++)
        mix_release(m, window);
    while (m->message_count) {
        while (m->request_count + 4 > sizeof m->requests / sizeof *m->requests)
            mix_wait(m, true);
        mix_other_side(m);
    }
    while (m->request_count)
        mix_wait(m, true);
    for (uint32_t p = 0; p < m->program->processes; p++)
        while (m->program->lists[p].depth)
            sim_program_leave(m->program, p);
}

static void mix(struct sim_program *program, uint32_t length, struct sim_random *r)
{
    struct mixer m = new_mixer(program, 0, r);
    uint32_t steps = length * program->processes * (4 + (uint32_t)sim_random_below(r, 12));
    for (uint32_t i = 0; i < steps; i++)
        mix_step(&m);
    finish_mix(&m);
}

/* ---- all kinds of events ---- */

/* What only the library knows of: a broadcast or a reduction along a tree, or a fence. */
static void mix_unknown(struct mixer *m)
{
    uint32_t members[64], count = mix_members(m, members);
    enum sim_class class = (enum sim_class)(SIM_CLASSES + sim_random_below(m->random, SIM_ALL_CLASSES - SIM_CLASSES));
    if (count)
        sim_program_collective(m->program, SIM_COLLECTIVE, class, any_size(m->random),
                               (uint32_t)sim_random_below(m->random, count), members, count);
}

/* The first one's memory, accessed by the others. */
static void mix_epoch(struct mixer *m)
{
    uint32_t members[64], count = mix_members(m, members);
    if (count == 0)
        return;
    uint32_t target = (uint32_t)sim_random_below(m->random, count), first = members[0];
    members[0] = members[target];
    members[target] = first;
    uint32_t unit = sim_program_epoch(m->program, members, count);
    sim_program_access(m->program, SIM_POST, unit, 0);
    for (uint32_t i = 1; i < count; i++) {
        sim_program_access(m->program, SIM_ACCESS, unit, i);
        if (sim_random_one_in(m->random, 2))
            work(m->program, members[i], m->random);
        sim_program_access(m->program, SIM_COMPLETE, unit, i);
    }
    if (sim_random_one_in(m->random, 2))
        work(m->program, members[0], m->random);
    sim_program_access(m->program, SIM_CLOSE, unit, 0);
}

static void mix_lock(struct mixer *m)
{
    uint32_t window = (uint32_t)sim_random_below(m->random, SIM_WINDOWS),
             process = (uint32_t)sim_random_below(m->random, m->program->processes);
    mix_release(m, window);
    m->windows[window].unit = sim_program_lock(m->program, process, window, m->windows[window].unit);
    m->windows[window].holder = process;
    work(m->program, process, m->random);
    if (sim_random_one_in(m->random, 2))
        mix_release(m, window);
}

static void mix_event(struct mixer *m)
{
    static void (*const steps[])(struct mixer *) = {mix_unknown, mix_epoch, mix_lock};
    if (sim_random_one_in(m->random, 6))
        steps[sim_random_below(m->random, 3)](m);
    else
        mix_step(m);
}

static uint32_t any_idle(struct sim_random *r, uint32_t one_in)
{
    return one_in && sim_random_one_in(r, one_in) ? (uint32_t)any_work(r) : 0;
}

static void add_idle(struct sim_program *program, uint32_t early, struct sim_random *r)
{
    for (uint32_t p = 0; p < program->processes; p++)
        for (uint32_t i = 0; i < program->lists[p].count; i++) {
            struct sim_action *a = &program->lists[p].actions[i];
            if (a->kind == SIM_ENTER || a->kind == SIM_LEAVE)
                continue;
            a->idle.stolen_ns = any_idle(r, 6);
            a->idle.hidden_ns = a->kind == SIM_COMPUTE ? 0 : any_idle(r, 12);
            a->idle.early_ns = a->kind != SIM_COMPUTE && a->kind != SIM_POLL ? any_idle(r, early) : 0;
        }
}

struct sim_program *sim_generate_events(uint32_t processes, uint32_t length, struct sim_events events,
                                        struct sim_random *random)
{
    struct mixer m = new_mixer(sim_program_new(processes), events.polls, random);
    uint32_t steps = length * processes * (4 + (uint32_t)sim_random_below(random, 12));
    for (uint32_t p = 0; p < processes; p++)
        work(m.program, p, random);
    for (uint32_t i = 0; i < steps; i++)
        mix_event(&m);
    finish_mix(&m);
    add_idle(m.program, events.early, random);
    return m.program;
}

struct sim_program *sim_generate(enum sim_style style, uint32_t processes, uint32_t length, struct sim_random *random)
{
    static void (*const make[])(struct sim_program *, uint32_t, struct sim_random *) = {pipeline, master_worker, bulk,
                                                                                        stencil, mix};
    struct sim_program *program = sim_program_new(processes);
    for (uint32_t p = 0; p < processes; p++)
        work(program, p, random); /* no two processes begin in step */
    make[style](program, length, random);
    return program;
}
