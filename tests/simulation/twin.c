/* SPDX-License-Identifier: BSD-3-Clause */
#include "twin.h"

#include "ruled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum stage { BEGIN, READY, END };

struct arc {
    uint32_t from; /* NONE: the process begins */
    uint32_t own;  /* the slot whose own time it is */
    uint64_t all;  /* and those that are active, as bits */
    int64_t weight;
};

struct node {
    uint32_t process, index;
    enum stage stage;
    uint32_t arc, arcs; /* the first is from the same process; of equal arcs the path prefers the earlier one */
    bool in;            /* it belongs to the part of the run that counts */
    int64_t length;     /* quarter ticks */
    uint32_t chosen;    /* the arc of the longest path; NONE: it begins here */
};

/* Where a process is. */
struct place {
    uint32_t last; /* node */
    uint32_t stretch;
    uint32_t regions[64], depth;
};

struct sim_twin {
    const struct sim_program *program;
    const struct sim_follow *follow;
    struct node *nodes; /* in an order in which no arc goes back */
    struct arc *arcs;
    uint32_t node_count, node_capacity, arc_count, arc_capacity;
    struct place *places;
    uint32_t *first, *begins; /* by place: the node where the action begins */
};

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    if (!memory)
        abort();
    return memory;
}

/* An assertion that also works with NDEBUG. */
static void expect(bool true_or_end, const char *else_what)
{
    if (true_or_end)
        return;
    fprintf(stderr, "twin: %s\n", else_what);
    abort();
}

static void *room(void *array, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity)
        return array;
    *capacity = *capacity ? *capacity * 2 : 1024;
    array = realloc(array, *capacity * size);
    if (!array)
        abort();
    return array;
}

/* ---- the graph ---- */

static void add_arc(struct sim_twin *t, struct arc arc)
{
    t->arcs = room(t->arcs, t->arc_count, &t->arc_capacity, sizeof *t->arcs);
    t->arcs[t->arc_count++] = arc;
    t->nodes[t->node_count - 1].arcs++;
}

/* A node behind the last one of its process, with the arc between them. */
static void add_node(struct sim_twin *t, const struct sim_event *event, enum stage stage, struct arc arc)
{
    t->nodes = room(t->nodes, t->node_count, &t->node_capacity, sizeof *t->nodes);
    t->nodes[t->node_count] =
        (struct node){.process = event->process, .index = event->index, .stage = stage, .arc = t->arc_count};
    arc.from = t->places[event->process].last;
    t->places[event->process].last = t->node_count++;
    add_arc(t, arc);
}

static uint64_t bit(uint32_t slot)
{
    return slot == WF_PATH_OTHER ? 0 : (uint64_t)1 << slot;
}

static uint64_t active_regions(const struct sim_twin *t, const struct place *place)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < place->depth; i++)
        all |= bit(sim_follow_region(t->follow, place->regions[i]));
    return all;
}

static struct arc compute_arc(const struct sim_twin *t, const struct place *place, int64_t ns)
{
    uint32_t own = place->depth ? sim_follow_region(t->follow, place->regions[place->depth - 1]) : place->stretch;
    return (struct arc){.own = own, .all = active_regions(t, place), .weight = ns};
}

static struct arc transfer_arc(const struct sim_twin *t, const struct place *place, const struct sim_action *action,
                               int64_t ns)
{
    uint32_t own = sim_follow_statement(t->follow, action);
    return (struct arc){.own = own, .all = active_regions(t, place) | bit(WF_PATH_TRANSFER), .weight = ns};
}

static void twin_begin(void *context, const struct sim_event *event, void *header)
{
    struct sim_twin *t = context;
    struct place *place = &t->places[event->process];
    (void)header;
    add_node(t, event, BEGIN, (struct arc){0});
    t->begins[t->first[event->process] + event->index] = place->last;
    if (event->action->kind == SIM_ENTER)
        place->regions[place->depth++] = event->action->region;
    if (event->action->kind == SIM_LEAVE && place->depth)
        place->depth--;
}

static void twin_call(struct sim_twin *t, const struct sim_event *event)
{
    struct place *place = &t->places[event->process];
    uint64_t ready = event->begin;
    add_node(t, event, READY, (struct arc){0});
    for (uint32_t i = 0; i < event->part_count; i++) {
        const struct sim_part *part = &event->parts[i];
        struct arc arc = transfer_arc(t, place, event->action, t->follow->cpu ? 0 : (int64_t)part->latency);
        arc.from = t->begins[t->first[part->process] + part->index];
        add_arc(t, arc);
        if (part->entered + part->latency > ready)
            ready = part->entered + part->latency;
    }
    uint64_t take = event->end - ready;
    add_node(t, event, END,
             transfer_arc(t, place, event->action, (int64_t)(take > event->idle ? take - event->idle : 0)));
    if (t->follow->stretches)
        place->stretch = sim_follow_stretch(t->follow, event->action);
}

static void twin_end(void *context, const struct sim_event *event)
{
    struct sim_twin *t = context;
    if (sim_is_call(event->action))
        twin_call(t, event);
    else
        add_node(t, event, END,
                 compute_arc(t, &t->places[event->process], (int64_t)sim_follow_compute(t->follow, event)));
}

struct sim_twin *sim_twin_new(const struct sim_program *program, const struct sim_network *network,
                              const struct sim_follow *follow)
{
    struct sim_twin *t = need(1, sizeof *t);
    struct sim_observer observer = {t, 0, twin_begin, twin_end};
    uint64_t *finish = need(program->processes, sizeof *finish);
    expect(sim_follow_capacity(follow) <= SIM_SLOTS && follow->places <= SIM_PLACES, "too many slots or places");
    t->program = program;
    t->follow = follow;
    t->places = need(program->processes, sizeof *t->places);
    t->first = need(program->processes, sizeof *t->first);
    t->begins = need(sim_program_actions(program), sizeof *t->begins);
    for (uint32_t p = 0; p < program->processes; p++) {
        t->places[p].last = NONE;
        t->first[p] = sim_place(program, p, 0);
    }
    bool finished = sim_followed_run(program, network, &(struct sim_probes){0}, follow, &observer, finish);
    free(finish);
    if (finished)
        return t;
    sim_twin_free(t);
    return NULL;
}

void sim_twin_free(struct sim_twin *t)
{
    free(t->nodes);
    free(t->arcs);
    free(t->places);
    free(t->first);
    free(t->begins);
    free(t);
}

uint32_t sim_twin_nodes(const struct sim_twin *t)
{
    return t->node_count;
}

/* ---- cuts ---- */

static bool is_told(const uint32_t *where, const struct node *n)
{
    return where && where[n->process] == n->index && n->stage == BEGIN;
}

/* Marks these nodes and all that depend on them; where == NULL: `otherwise`. */
static bool *after(const struct sim_twin *t, const uint32_t *where, bool otherwise)
{
    bool *set = need(t->node_count, sizeof *set);
    for (uint32_t n = 0; n < t->node_count; n++) {
        set[n] = where ? is_told(where, &t->nodes[n]) : otherwise;
        for (uint32_t a = 0; a < t->nodes[n].arcs; a++) {
            uint32_t from = t->arcs[t->nodes[n].arc + a].from;
            set[n] = set[n] || (from != NONE && set[from]);
        }
    }
    return set;
}

static bool is_seen(const uint32_t *where, const struct node *n)
{
    return !where || n->index < where[n->process] || (n->index == where[n->process] && n->stage == BEGIN);
}

/* Of the nodes that count, the ones that a sample has seen, and all that they depend on. */
static void keep_past(struct sim_twin *t, const uint32_t *where)
{
    bool *past = need(t->node_count, sizeof *past);
    for (uint32_t n = t->node_count; n-- > 0;) {
        struct node *node = &t->nodes[n];
        past[n] = node->in && (past[n] || is_seen(where, node));
        for (uint32_t a = 0; past[n] && a < node->arcs; a++)
            if (t->arcs[node->arc + a].from != NONE)
                past[t->arcs[node->arc + a].from] = true;
        node->in = past[n];
    }
    free(past);
}

static void choose_nodes(struct sim_twin *t, const struct sim_cut *cut)
{
    bool *started = after(t, cut->start, true), *stopped = after(t, cut->stop, false);
    for (uint32_t n = 0; n < t->node_count; n++)
        t->nodes[n].in = started[n] && !stopped[n];
    keep_past(t, cut->sample);
    free(started);
    free(stopped);
}

/* ---- longest paths ---- */

/* What gets faster: the slot's own arcs, or all arcs while it is active; by so many quarters. */
struct wish {
    uint32_t slot;
    enum wf_path_part_of of;
    int quarters;
};

static bool is_of(const struct arc *arc, uint32_t slot, enum wf_path_part_of of)
{
    return of == WF_PATH_OWN ? arc->own == slot : arc->all & bit(slot);
}

static int64_t weight_of(const struct arc *arc, const struct wish *wish)
{
    return arc->weight * (4 - (is_of(arc, wish->slot, wish->of) ? wish->quarters : 0));
}

/* A path may begin at the first node of a process that counts, with 0. */
static void find_longest(struct sim_twin *t, const struct wish *wish)
{
    for (uint32_t n = 0; n < t->node_count; n++) {
        struct node *node = &t->nodes[n];
        node->length = 0;
        node->chosen = NONE;
        for (uint32_t a = node->arc; node->in && a < node->arc + node->arcs; a++) {
            uint32_t from = t->arcs[a].from;
            bool there = from != NONE && t->nodes[from].in;
            int64_t length = there ? t->nodes[from].length + weight_of(&t->arcs[a], wish) : 0;
            if (there && (length > node->length || a == node->arc)) {
                node->length = length;
                node->chosen = a;
            }
        }
    }
}

/* The node where the longest path ends: of the last nodes seen of each process, the first with the greatest length.
 * NONE: no node counts. Samples are consistent, because no other node that counts is later, although a sample may
 * depend on later actions of another process. */
static uint32_t find_end(const struct sim_twin *t, const struct sim_cut *cut)
{
    uint32_t end = NONE, *last = need(t->program->processes, sizeof *last);
    int64_t most = 0;
    for (uint32_t p = 0; p < t->program->processes; p++)
        last[p] = NONE;
    for (uint32_t n = 0; n < t->node_count; n++) {
        if (t->nodes[n].in && is_seen(cut->sample, &t->nodes[n]))
            last[t->nodes[n].process] = n;
        if (t->nodes[n].in && t->nodes[n].length > most)
            most = t->nodes[n].length;
    }
    for (uint32_t p = 0; p < t->program->processes; p++)
        if (last[p] != NONE && (end == NONE || t->nodes[last[p]].length > t->nodes[end].length))
            end = last[p];
    expect(end == NONE ? most == 0 : t->nodes[end].length == most, "the longest path does not end in a sample");
    free(last);
    return end;
}

static int64_t solve(struct sim_twin *t, const struct sim_cut *cut, const struct wish *wish, uint32_t *end)
{
    find_longest(t, wish);
    *end = find_end(t, cut);
    return *end == NONE ? 0 : t->nodes[*end].length;
}

static void walk_back(const struct sim_twin *t, uint32_t n, struct sim_answer *answer)
{
    uint32_t places = t->follow->places;
    while (n != NONE && t->nodes[n].chosen != NONE) {
        const struct arc *arc = &t->arcs[t->nodes[n].chosen];
        uint32_t here = t->nodes[n].process % places, there = t->nodes[arc->from].process % places;
        answer->share[arc->own][WF_PATH_OWN] += arc->weight;
        for (uint32_t slot = 0; slot < SIM_SLOTS; slot++)
            if (arc->all & bit(slot))
                answer->share[slot][WF_PATH_ALL] += arc->weight;
        answer->place[here][0] += arc->weight;
        answer->place[here][1] += here != there;
        n = arc->from;
    }
}

void sim_twin_solve(struct sim_twin *t, const struct sim_cut *cut, struct sim_answer *answer)
{
    uint32_t end, ignored;
    memset(answer, 0, sizeof *answer);
    choose_nodes(t, cut);
    int64_t longest = solve(t, cut, &(struct wish){0}, &end);
    answer->length = longest / 4;
    walk_back(t, end, answer);
    for (uint32_t slot = 0; slot < sim_follow_capacity(t->follow); slot++)
        for (int i = 0; i < SIM_SAVED; i++) {
            struct wish wish = {slot, i < WF_PATH_STEPS ? WF_PATH_OWN : WF_PATH_ALL, i % WF_PATH_STEPS + 1};
            answer->saved[slot][i] = longest - solve(t, cut, &wish, &ignored);
        }
}
