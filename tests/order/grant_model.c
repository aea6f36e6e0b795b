/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     grant_model [--programs N] [--seed N] [--break states|check|needs|never]
 *
 * All executions of small random programs of two to four processes, in which receives from any source are decided by
 * src/measure/order/bound.c and by looks in the steps of src/measure/order/sight.h. Each step of a look is one of its
 * own, so others go on between them. A process may be late by any time: that is the order of the steps. Checked:
 *
 *     safe    behind a receive that took a message, none is sent to it with an earlier virtual time
 *     live    where no process can go on, none has a message that fits its receive, and holds it back
 *
 * --break leaves out a part of the rules; then one of both must be found violated.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/order/bound.h"

enum { MOST = 4, ACTIONS = 5, QUEUE = 4, SET_BITS = 22, NOT = 255 };

enum kind { END, COMPUTE, SEND, SYNC_SEND, RECEIVE, RECEIVE_BOTH, RECEIVE_EITHER, RECEIVE_ANY, BARRIER };

struct action {
    uint8_t kind, peer, other; /* other: the second one of RECEIVE_BOTH and RECEIVE_EITHER */
};

static struct program {
    int processes;
    struct action of[MOST][ACTIONS + 1];
} program;

/* Where a process is in its action. A call that blocks is published, then its end, then its message is taken. */
enum { OUTSIDE, BLOCKED, ENDING };

enum { SEE, NEEDS, CHECK, DECIDE }; /* the steps of a look; the first three are taken for each process */

struct look {
    uint8_t step, at; /* the next one, and the process that it is about */
    uint8_t mode[MOST], begin[MOST], place[MOST], count[MOST];
    uint8_t from[MOST][MOST], sent[MOST][MOST];
};

struct state {
    uint8_t place[MOST], phase[MOST], now[MOST]; /* now: in virtual time */
    uint8_t taken[MOST]; /* the virtual time of the last message that was taken from any source */
    uint8_t chosen[MOST];
    uint8_t done[MOST];              /* of a SYNC_SEND: it is received */
    uint8_t entered[MOST];           /* barriers so far */
    uint8_t count[MOST][MOST];       /* messages on their way, by sender and receiver */
    uint8_t sent[MOST][MOST][QUEUE]; /* their virtual times */
    uint8_t is_sync[MOST][MOST][QUEUE];
    struct look look[MOST];
};

enum broken { NOTHING, STATES, CHECKS, ALL_NEEDS, NO_NEVER } broken;

static uint64_t *seen;
static uint64_t seen_count, total, grants;
static const char *wrong;

/* ---- random programs ---- */

static uint64_t random_state;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % n;
}

static uint8_t other_than(int process)
{
    return (uint8_t)((process + 1 + (int)random_below((unsigned)program.processes - 1)) % program.processes);
}

static void make_program(uint64_t seed)
{
    static const uint8_t kinds[] = {COMPUTE,        COMPUTE,     COMPUTE,     SEND,        SEND,
                                    SEND,           SEND,        RECEIVE,     RECEIVE_ANY, RECEIVE_BOTH,
                                    RECEIVE_EITHER, RECEIVE_ANY, RECEIVE_ANY, SYNC_SEND,   BARRIER};
    random_state = seed * 0x9E3779B97F4A7C15u + 1;
    memset(&program, 0, sizeof program);
    program.processes = 2 + (int)random_below(3);
    unsigned length = program.processes == 4 ? 3 : program.processes == 3 ? 4 : 5;
    for (int p = 0; p < program.processes; p++)
        for (unsigned i = 0, n = 1 + random_below(length); i < n; i++) {
            struct action *a = &program.of[p][i];
            a->kind = kinds[random_below(sizeof kinds)];
            a->peer = a->kind == COMPUTE ? (uint8_t)(1 + random_below(3)) : other_than(p);
            a->other = other_than(p);
        }
}

static void print_program(void)
{
    static const char *const names[] = {"end",       "compute",     "send",     "ssend",  "recv",
                                        "recv both", "recv either", "recv any", "barrier"};
    for (int p = 0; p < program.processes; p++) {
        printf("  %d:", p);
        for (const struct action *a = program.of[p]; a->kind != END; a++)
            printf(" %s %d%s", names[a->kind], a->peer, a[1].kind != END ? "," : "");
        printf("\n");
    }
}

/* ---- bounds ---- */

static const struct action *action_of(const struct state *s, int p)
{
    return &program.of[p][s->place[p]];
}

static bool is_in_barrier(const struct state *s, int p, unsigned number)
{
    return s->entered[p] >= number;
}

static void add_need(struct look *l, int p, int from, uint8_t sent)
{
    l->from[p][l->count[p]] = (uint8_t)from;
    l->sent[p][l->count[p]++] = sent;
}

static uint8_t first_sent(const struct state *s, int from, int to)
{
    return s->count[from][to] ? s->sent[from][to][0] : NOT;
}

/* Step 1: what a process does. The one that asks stops. */
static void see(const struct state *s, struct look *l, int asks, int p)
{
    l->begin[p] = s->now[p];
    l->place[p] = s->place[p];
    l->count[p] = 0;
    l->mode[p] = p == asks || action_of(s, p)->kind == END ? WF_BOUND_STOPS : WF_BOUND_RUNS;
    if (l->mode[p] == WF_BOUND_RUNS && s->phase[p] == BLOCKED)
        l->mode[p] = WF_BOUND_ALL;
}

/* Does a blocked call take a message of p? */
static bool accepts(const struct action *a, int p)
{
    bool two = a->kind == RECEIVE_BOTH || a->kind == RECEIVE_EITHER;
    return a->kind == RECEIVE_ANY || ((a->kind == RECEIVE || two) && a->peer == p) || (two && a->other == p);
}

/* Step 2: what a blocked one needs. */
static void look_at_needs(const struct state *s, struct look *l, int asks, int p)
{
    if (l->mode[p] != WF_BOUND_ALL)
        return;
    const struct action *a = &program.of[p][l->place[p]];
    bool any = a->kind == RECEIVE_ANY;
    switch ((enum kind)a->kind) {
    case RECEIVE_EITHER:
    case RECEIVE_BOTH:
        add_need(l, p, a->other, first_sent(s, a->other, p)); /* fall through */
    case RECEIVE:
        add_need(l, p, a->peer, first_sent(s, a->peer, p));
        break;
    case SYNC_SEND:
        if (a->peer != asks && s->phase[a->peer] == BLOCKED && accepts(action_of(s, a->peer), p))
            l->mode[p] = WF_BOUND_RUNS; /* its receiver may take it at once */
        else
            add_need(l, p, a->peer, NOT);
        break;
    default:
        for (int q = 0; q < program.processes; q++)
            if (q != p && (any || !is_in_barrier(s, q, s->entered[p])))
                add_need(l, p, q, any ? first_sent(s, q, p) : NOT);
    }
    if (a->kind == RECEIVE_EITHER || any)
        l->mode[p] = WF_BOUND_ANY;
    if (l->count[p] == 0 || broken == ALL_NEEDS)
        l->mode[p] = WF_BOUND_RUNS;
}

/* Step 3: has it gone on? */
static void check(const struct state *s, struct look *l, int p)
{
    bool blocked = l->mode[p] == WF_BOUND_ALL || l->mode[p] == WF_BOUND_ANY;
    if (blocked && broken != CHECKS && (s->place[p] != l->place[p] || s->phase[p] != BLOCKED))
        l->mode[p] = WF_BOUND_RUNS;
}

/* Step 4: the sender whose message process p takes; NOT: it waits. */
static uint8_t decide(const struct state *s, const struct look *l, int p)
{
    struct wf_bound_process processes[MOST];
    struct wf_bound_need needs[MOST * MOST];
    uint32_t count = 0;
    uint8_t source = NOT, first = NOT;
    for (int q = 0; q < program.processes; q++) {
        if (first_sent(s, q, p) < first)
            first = first_sent(s, q, p), source = (uint8_t)q;
        processes[q] = (struct wf_bound_process){
            .mode = (enum wf_bound_mode)l->mode[q], .begin = l->begin[q], .first = count, .count = l->count[q]};
        for (int i = 0; i < l->count[q]; i++)
            needs[count++] = (struct wf_bound_need){.from = l->from[q][i],
                                                    .sent = l->sent[q][i] == NOT ? WF_BOUND_NEVER : l->sent[q][i]};
    }
    wf_bound_find(processes, program.processes, needs);
    for (int q = 0; q < program.processes; q++)
        if (q != p && first_sent(s, q, p) == NOT && processes[q].bound < first &&
            !(broken == NO_NEVER && l->mode[q] != WF_BOUND_RUNS))
            return NOT;
    return source;
}

/* ---- steps ---- */

static void take(struct state *s, int from, int to)
{
    if (s->is_sync[from][to][0])
        s->done[from] = 1;
    if (s->sent[from][to][0] > s->now[to])
        s->now[to] = s->sent[from][to][0];
    s->count[from][to]--;
    memmove(s->sent[from][to], s->sent[from][to] + 1, QUEUE - 1);
    memmove(s->is_sync[from][to], s->is_sync[from][to] + 1, QUEUE - 1);
    s->sent[from][to][QUEUE - 1] = s->is_sync[from][to][QUEUE - 1] = 0;
}

static bool put(struct state *s, int from, int to, bool sync)
{
    uint8_t n = s->count[from][to];
    if (n == QUEUE)
        return false;
    if (s->now[from] < s->taken[to])
        wrong = "not safe: a message was sent before one that was taken";
    s->sent[from][to][n] = s->now[from];
    s->is_sync[from][to][n] = sync;
    s->count[from][to]++;
    return true;
}

static void next_action(struct state *s, int p)
{
    s->place[p]++;
    s->phase[p] = OUTSIDE;
}

/* Can the blocked call end? Not that of a receive from any source, which is decided. */
static bool can_end(const struct state *s, int p)
{
    const struct action *a = action_of(s, p);
    switch ((enum kind)a->kind) {
    case SYNC_SEND:
        return s->done[p];
    case RECEIVE:
        return s->count[a->peer][p] > 0;
    case RECEIVE_BOTH:
        return s->count[a->peer][p] > 0 && s->count[a->other][p] > 0 &&
               (a->peer != a->other || s->count[a->peer][p] > 1);
    case RECEIVE_EITHER:
        return s->count[a->peer][p] > 0 || s->count[a->other][p] > 0;
    case BARRIER:
        for (int q = 0; q < program.processes; q++)
            if (!is_in_barrier(s, q, s->entered[p]))
                return false;
        return true;
    default:
        return false;
    }
}

static void enter(struct state *s, int p)
{
    const struct action *a = action_of(s, p);
    if (a->kind == SYNC_SEND) {
        s->done[p] = 0;
        if (!put(s, p, a->peer, true))
            return;
    }
    s->entered[p] += a->kind == BARRIER;
    s->phase[p] = BLOCKED;
    memset(&s->look[p], 0, sizeof s->look[p]);
}

/* What it waited for is known, and it goes on. */
static void end(struct state *s, int p)
{
    const struct action *a = action_of(s, p);
    uint8_t latest = 0;
    switch ((enum kind)a->kind) {
    case RECEIVE_BOTH:
        take(s, a->other, p); /* fall through */
    case RECEIVE:
        take(s, a->peer, p);
        break;
    case RECEIVE_EITHER:
        take(s, s->count[a->peer][p] > 0 ? a->peer : a->other, p);
        break;
    case RECEIVE_ANY:
        s->taken[p] = s->sent[s->chosen[p]][p][0];
        take(s, s->chosen[p], p);
        break;
    case BARRIER: /* the latest of those that are in it still; what has left it is later anyway */
        for (int q = 0; q < program.processes; q++)
            if (s->entered[q] == s->entered[p] && s->now[q] > latest && action_of(s, q)->kind == BARRIER)
                latest = s->now[q];
        s->now[p] = latest > s->now[p] ? latest : s->now[p];
        break;
    default:
        break;
    }
    next_action(s, p);
}

/* Makes the next step of a process that is not a look; false: there is none. */
static bool step(struct state *s, int p)
{
    const struct action *a = action_of(s, p);
    if (a->kind == END)
        return false;
    if (s->phase[p] == ENDING) {
        end(s, p);
        return true;
    }
    if (s->phase[p] == BLOCKED) {
        if (!can_end(s, p))
            return false;
        s->phase[p] = ENDING;
        return true;
    }
    if (a->kind == COMPUTE) {
        s->now[p] += a->peer;
        next_action(s, p);
        return true;
    }
    if (a->kind == SEND) {
        if (!put(s, p, a->peer, false))
            return false;
        next_action(s, p);
        return true;
    }
    enter(s, p);
    return s->phase[p] == BLOCKED;
}

static bool is_held(const struct state *s, int p)
{
    return action_of(s, p)->kind == RECEIVE_ANY && s->phase[p] == BLOCKED;
}

/* Some step of the look of p. */
static void look(struct state *s, int p)
{
    struct look *l = &s->look[p];
    if (l->step == SEE)
        see(s, l, p, l->at);
    if (l->step == (broken == STATES ? SEE : NEEDS)) /* before the others are seen */
        look_at_needs(s, l, p, l->at);
    if (l->step == CHECK)
        check(s, l, l->at);
    if (l->step != DECIDE) {
        l->at = (uint8_t)((l->at + 1) % program.processes);
        l->step += l->at == 0;
        return;
    }
    s->chosen[p] = decide(s, l, p);
    memset(l, 0, sizeof *l);
    if (s->chosen[p] != NOT) {
        s->phase[p] = ENDING;
        grants++;
    }
}

/* ---- all executions ---- */

static uint64_t hash_of(const struct state *s)
{
    const uint8_t *bytes = (const uint8_t *)s;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ bytes[i]) * 0x100000001b3u;
    h ^= h >> 29;
    return h ? h : 1;
}

static bool is_new(const struct state *s)
{
    uint64_t h = hash_of(s);
    for (uint64_t i = h * 0x9E3779B97F4A7C15u >> (64 - SET_BITS);; i = (i + 1) & ((1u << SET_BITS) - 1)) {
        if (seen[i] == h)
            return false;
        if (seen[i] == 0) {
            seen[i] = h;
            return ++seen_count < (1u << SET_BITS) / 2;
        }
    }
}

/* No process goes on, so all that is held back is held back for ever. */
static void check_live(const struct state *s)
{
    bool holds = false;
    for (int p = 0; p < program.processes; p++) {
        bool sent = false;
        struct state alone = *s;
        if (!is_held(s, p))
            continue;
        for (int q = 0; q < program.processes; q++)
            sent = sent || s->count[q][p] > 0;
        memset(&alone.look[p], 0, sizeof alone.look[p]);
        for (int i = 0; i <= 3 * program.processes; i++)
            look(&alone, p);
        if (alone.phase[p] == ENDING)
            return;
        holds = holds || sent;
    }
    if (holds)
        wrong = "not live: a message is held back, and no process can go on";
}

/* States that were reached, and from which nothing was tried yet. */
static struct {
    struct state *of;
    size_t count, room;
} open_states;

static void reach(const struct state *s)
{
    if (wrong || !is_new(s))
        return;
    if (open_states.count == open_states.room) {
        open_states.room = open_states.room ? 2 * open_states.room : 1024;
        open_states.of = realloc(open_states.of, open_states.room * sizeof *open_states.of);
        if (!open_states.of)
            abort();
    }
    open_states.of[open_states.count++] = *s;
}

static void try_all(const struct state *s)
{
    bool moves = false;
    for (int p = 0; p < program.processes; p++) {
        struct state next = *s;
        if (!step(&next, p))
            continue;
        moves = true;
        reach(&next);
    }
    if (!moves && !wrong)
        check_live(s);
    for (int p = 0; p < program.processes; p++)
        if (is_held(s, p)) {
            struct state next = *s;
            look(&next, p);
            reach(&next);
        }
}

/* False: the program is too large. */
static bool explore(void)
{
    struct state start = {.count = {{0}}};
    memset(seen, 0, sizeof *seen << SET_BITS);
    seen_count = 0;
    open_states.count = 0;
    reach(&start);
    while (open_states.count && !wrong) {
        struct state next = open_states.of[--open_states.count];
        total++;
        try_all(&next);
    }
    return seen_count < (1u << SET_BITS) / 2;
}

/* In the first one, a look that takes a message for one that is still to come decides too early. The others are
 * Figures 3 and 4 of Li and Zhang. */
static const struct program known[] = {
    {3,
     {{{RECEIVE_ANY, 0, 0}, {RECEIVE_ANY, 0, 0}},
      {{RECEIVE, 2, 0}, {SEND, 0, 0}},
      {{SEND, 1, 0}, {COMPUTE, 3, 0}, {SEND, 0, 0}}}},
    {3,
     {{{COMPUTE, 1, 0}, {SEND, 1, 0}, {COMPUTE, 2, 0}, {SEND, 1, 0}},
      {{RECEIVE_ANY, 0, 0}, {RECEIVE_ANY, 0, 0}, {RECEIVE_ANY, 0, 0}, {RECEIVE_ANY, 0, 0}},
      {{COMPUTE, 2, 0}, {SEND, 1, 0}, {COMPUTE, 2, 0}, {SEND, 1, 0}}}},
    {4,
     {{{COMPUTE, 3, 0}, {SEND, 1, 0}},
      {{RECEIVE_ANY, 0, 0}, {SEND, 2, 0}, {RECEIVE_ANY, 0, 0}},
      {{RECEIVE, 1, 0}, {SEND, 3, 0}},
      {{COMPUTE, 1, 0}, {RECEIVE, 2, 0}, {SEND, 1, 0}}}},
};

#define KNOWN (sizeof known / sizeof *known)

/* All executions of some programs: those above, and as many random ones. */
int main(int argc, char **argv)
{
    static const char *const breaks[] = {"", "states", "check", "needs", "never"};
    uint64_t programs = 2000, seed = 1, cut = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--programs"))
            programs = strtoull(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--seed"))
            seed = strtoull(argv[i + 1], NULL, 10);
        for (unsigned b = 1; !strcmp(argv[i], "--break") && b < sizeof breaks / sizeof *breaks; b++)
            if (!strcmp(argv[i + 1], breaks[b]))
                broken = (enum broken)b;
    }
    seen = malloc(sizeof *seen << SET_BITS);
    for (uint64_t n = 0; n < programs + KNOWN && seen; n++) {
        if (n < KNOWN)
            program = known[n];
        else
            make_program(seed + n - KNOWN);
        cut += !explore();
        if (wrong) {
            printf("program %llu: %s\n", (unsigned long long)n, wrong);
            print_program();
            return 1;
        }
    }
    printf("%llu programs, %llu states, %llu decisions; %llu programs were too large\n", (unsigned long long)programs,
           (unsigned long long)total, (unsigned long long)grants, (unsigned long long)cut);
    return grants == 0;
}
