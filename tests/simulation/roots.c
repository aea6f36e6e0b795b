/* SPDX-License-Identifier: BSD-3-Clause */
#include "roots.h"

#include <stdlib.h>

/* A piece of time, and the process whose work it was. */
struct stretch {
    uint64_t ticks;
    int32_t root;
};

/* A wait's roots in the order of time. */
struct division {
    struct stretch *list;
    uint32_t count, room;
    bool known;
};

struct waits {
    const struct sim_program *program;
    const struct sim_record *actions;
    struct division *divisions; /* by place, as actions */
};

static void append(struct division *d, int32_t root, uint64_t ticks)
{
    if (ticks == 0)
        return;
    if (d->count == d->room) {
        d->room = 2 * d->room + 4;
        d->list = realloc(d->list, d->room * sizeof *d->list);
        if (!d->list)
            abort();
    }
    d->list[d->count++] = (struct stretch){ticks, root};
}

static uint64_t end_of(const struct sim_record *wait)
{
    return wait->begin + wait->sync;
}

/* The place of the process's last wait that began before `when`; NULL: none. */
static const struct sim_record *wait_before(const struct waits *w, uint32_t process, uint64_t when)
{
    uint32_t low = 0, high = w->program->lists[process].count;
    const struct sim_record *actions = w->actions + sim_place(w->program, process, 0);
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (actions[middle].begin < when)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0)
        if (actions[low].sync)
            return &actions[low];
    return NULL;
}

static const struct division *divide(const struct waits *w, uint32_t process, const struct sim_record *wait);

/* Back through the culprit's time, for so long, from the end of a wait of its own. Puts what it finds in front of what
 * is in *back, which is in the reverse order. Ends where the waiter was waited for. Returns what is left. */
static uint64_t walk_back(const struct waits *w, uint32_t waiter, uint32_t culprit, const struct sim_record *wait,
                          uint64_t ticks, struct division *back)
{
    while (wait && ticks && wait->who != (int32_t)waiter) {
        const struct division *d = divide(w, culprit, wait);
        for (uint32_t i = d->count; i-- > 0 && ticks;) {
            if (d->list[i].root == (int32_t)waiter)
                return ticks;
            uint64_t part = d->list[i].ticks < ticks ? d->list[i].ticks : ticks;
            append(back, d->list[i].root, part);
            ticks -= part;
        }
        uint64_t begin = wait->begin;
        wait = wait_before(w, culprit, begin);
        uint64_t worked = wait ? begin - end_of(wait) : ticks;
        worked = worked < ticks ? worked : ticks;
        append(back, (int32_t)culprit, worked);
        ticks -= worked;
    }
    return ticks;
}

static const struct division *divide(const struct waits *w, uint32_t process, const struct sim_record *wait)
{
    struct division *d = &w->divisions[wait - w->actions], back = {.known = true};
    if (d->known)
        return d;
    d->known = true;
    uint32_t culprit = (uint32_t)wait->who;
    const struct sim_record *own = wait_before(w, process, wait->begin), *its = wait_before(w, culprit, end_of(wait));
    uint64_t released = own ? end_of(own) : SIM_START, passed = 0;
    if (its && end_of(its) > released)
        passed = end_of(its) - released < wait->sync ? end_of(its) - released : wait->sync;
    uint64_t rest = wait->sync - passed + walk_back(w, process, culprit, its, passed, &back);
    for (uint32_t i = back.count; i-- > 0;)
        append(d, back.list[i].root, back.list[i].ticks);
    append(d, wait->who, rest);
    free(back.list);
    return d;
}

uint64_t *sim_true_roots(const struct sim_program *program, const struct sim_records *truth)
{
    uint32_t n = program->processes, actions = sim_program_actions(program);
    uint64_t *roots = calloc((size_t)n * n, sizeof *roots);
    struct waits w = {program, truth->actions, calloc((size_t)actions + 1, sizeof *w.divisions)};
    if (!roots || !w.divisions)
        abort();
    for (uint32_t p = 0, place = 0; p < n; p++)
        for (uint32_t i = 0; i < program->lists[p].count; i++, place++) {
            const struct division *d = truth->actions[place].sync ? divide(&w, p, &truth->actions[place]) : NULL;
            for (uint32_t j = 0; d && j < d->count; j++)
                roots[(size_t)p * n + (uint32_t)d->list[j].root] += d->list[j].ticks;
        }
    for (uint32_t i = 0; i < actions; i++)
        free(w.divisions[i].list);
    free(w.divisions);
    return roots;
}
