/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of a real run, off line: offline [--figures] FILE...
 *
 * Reads what every thread of the run has written down of its path (WEFT_TEST_TRACE), a file for each. Makes the graph
 * of it, and finds the longest path to the end of each thread, by looking at every arc. Does so again for each region
 * and each speed-up, with the region's part of every arc made shorter. What each thread has computed on line is at the
 * end of its file, and must be the same. --figures: prints, for each slot, the share of the whole run's path that is
 * its own, in per cent, and the share that it would save if it took no time.
 *
 * A file has one event a line; times are ticks, signed, savings quarter ticks:
 *
 * Regions have numbers, 0 where it is not known. Which of them has which slot changes during the run: by versions of a
 * map, the same for all threads. In the graph, a slot is another one since its region has changed.
 *
 *     I RANK THREAD EPOCH NOW [PLACE]   the thread starts to compute an epoch. In a call: where the call began.
 *                                       PLACE: its rank, if not given. The first line; there, an even epoch says
 *                                       that it does not compute yet
 *     Z EPOCH NOW                       it stops. In a call: where the call began
 *     M VERSION SLOT FROM TO NOW        from here on the slot is another region's. In a call: where the call began
 *     B CALL STATEMENT BEGIN [REGION]   a call begins; calls of a thread have numbers from 1 on. STATEMENT: slot;
 *                                       below 2: it has none
 *     A SLOT OWN ALL MOVES [REGION]
 *                                      since the last call (or the start) so much was the region's. MOVES 1: its
 *                                       own time had been counted to the stretch around all regions, 0: it counts
 *                                       there as well. Behind the B it belongs to; or before Z or F, or behind F
 *     E SLOT                            a region that is active around the call
 *     C STATEMENT [REGION]              behind an I or M in a call: slots are others from here on. Its statement's;
 *                                       what is active follows anew
 *     S CALL                            the call has left a snapshot for others
 *     P RANK THREAD CALL WEIGHT         the call could not end before the snapshot of that call, and so much
 *                                       transfer. In the order of merging
 *     T TAKE END                        the call ends, TAKE behind all parts
 *     Q NOW                             since the last call (or the start) there was no activity
 *     G SLOT [REGION]                   what is around all regions from now on
 *     F NOW                             the thread ends
 *     L LENGTH                          found on line: the longest path to the thread's end
 *     H SLOT OWN ALL                    its shares
 *     K REGION SHARE WEIGHT             a region without a slot, in the list
 *     V SLOT S25 S50 S75 S100 A25 A50 A75 A100    and savings: own, all
 *     R PLACE TICKS ARRIVALS            how much of it was spent where, and how often it came there
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum {
    OTHER = 0,
    TRANSFER = 1,
    FIRST = 2,
    STEPS = 4,
    SAVED = 2 * STEPS,
    SLOTS = 1024,
    PLACES = 1024,
    FIELDS = 9,
    LISTED = 64,
    LOG = 4096
};

#define A_STATEMENT (UINT32_C(1) << 31)

struct listed {
    uint32_t region;
    int64_t share, weight;
};

/* A slot that goes from one region to another. */
struct change {
    uint32_t slot, from, to;
};

/* Time of a region without a slot. */
struct charge {
    uint32_t region, next; /* next: of the same node */
    int64_t ticks;
};

/* Of an arc's time, a region's part. */
struct share {
    uint32_t token, next; /* token: the slot, and how often it has changed; next: of the same arc */
    int64_t own, all;
};

struct arc {
    uint32_t from, share;
    int64_t weight;
};

struct node { /* in an order in which no arc goes back */
    uint32_t thread;
    /* The first is from the same thread; they are in the order in which the path prefers them, if equal. None: a
     * start. */
    uint32_t arc, arcs;
    uint32_t chosen; /* the arc of the longest path */
    uint32_t map;
    uint32_t first_charge, last_charge;
    struct charge around, statement; /* behind these; and what is left of the call's transfer, at its end */
    bool ready, end;
    int64_t length;
};

struct event {
    char kind;
    uint32_t line;
    int64_t field[FIELDS];
};

struct call {
    bool begun, shown; /* shown: has left a snapshot */
    uint32_t epoch;
    uint32_t node; /* where it begins; NONE: not computing */
};

/* What a thread has in the end; found on line, or here. */
struct answer {
    int64_t length;
    int64_t share[SLOTS][2];
    int64_t place[PLACES][2];
    int64_t saved[SLOTS][SAVED];
    struct listed list[LISTED];
    uint32_t listed;
};

struct thread {
    const char *file;
    struct event *events;
    uint32_t event_count, event_capacity, next;
    struct call *calls; /* by number */
    uint32_t call_count;
    int64_t rank, number;
    uint32_t place;
    uint32_t epoch, values_epoch;
    uint32_t last;  /* the node where it is; NONE: not computing */
    uint32_t final; /* that its values are of */
    int64_t since;
    uint32_t base, statement, base_region, statement_region;
    uint32_t map, changed[SLOTS];
    bool inside, ready; /* in a call, of which the node is made where all has come */
    uint32_t active[128], active_count;
    struct event pending[SLOTS]; /* A */
    uint32_t pending_count;
    bool ended; /* there was an F */
    bool told;  /* there was an L */
    struct answer on_line;
};

struct graph {
    struct thread *threads;
    uint32_t thread_count;
    struct node *nodes;
    struct arc *arcs;
    struct share *shares;
    uint32_t node_count, node_capacity, arc_count, arc_capacity, share_count, share_capacity;
    struct change log[LOG + 2]; /* by the version that it makes */
    uint32_t newest;
    struct charge *charges;
    uint32_t charge_count, charge_capacity;
    uint32_t parts, other_epochs; /* merged; and not, because they were of another epoch */
    uint32_t slots;               /* that occur */
};

static _Noreturn void give_up(const struct thread *t, uint32_t line, const char *format, ...)
{
    va_list words;
    fprintf(stderr, "%s:%" PRIu32 ": ", t->file, line);
    va_start(words, format);
    vfprintf(stderr, format, words);
    va_end(words);
    fprintf(stderr, "\n");
    exit(2);
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

/* ---- reading ---- */

static const struct {
    char kind;
    int least, most; /* fields */
} kinds[] = {{'I', 4, 5}, {'Z', 2, 2}, {'M', 5, 5}, {'Q', 1, 1}, {'K', 3, 3}, {'B', 3, 4},
             {'A', 4, 5}, {'E', 1, 1}, {'S', 1, 1}, {'P', 4, 4}, {'T', 2, 3}, {'G', 1, 2},
             {'C', 1, 2}, {'F', 1, 1}, {'L', 1, 1}, {'H', 3, 3}, {'V', 9, 9}, {'R', 3, 3}};

static void check_fields(const struct thread *t, const struct event *e, int fields)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == e->kind && fields >= kinds[i].least && fields <= kinds[i].most)
            return;
    give_up(t, e->line, "no event is like this: '%c' with %d fields", e->kind, fields);
}

static struct event read_event(const struct thread *t, const char *text, uint32_t line)
{
    struct event e = {.kind = *text, .line = line};
    int fields = 0;
    char *end;
    for (text++; *text && *text != '\n'; text = end) {
        errno = 0;
        int64_t value = strtoll(text, &end, 10);
        if (end == text || errno || fields == FIELDS)
            give_up(t, line, "not a number, or one too many: %s", text);
        e.field[fields++] = value;
    }
    check_fields(t, &e, fields);
    if (e.kind == 'I' && fields == 4)
        e.field[4] = e.field[0];
    return e;
}

static void read_thread(struct thread *t, const char *file)
{
    char text[512];
    uint32_t line = 0;
    FILE *from = fopen(file, "r");
    t->file = file;
    t->last = t->final = NONE;
    t->map = 1;
    if (!from)
        give_up(t, 0, "%s", strerror(errno));
    while (fgets(text, sizeof text, from)) {
        t->events = room(t->events, t->event_count, &t->event_capacity, sizeof *t->events);
        t->events[t->event_count++] = read_event(t, text, ++line);
        if (text[0] == 'B')
            t->call_count++;
    }
    fclose(from);
    if (!t->event_count || t->events[0].kind != 'I')
        give_up(t, line, "does not begin with I, which says whose it is");
    t->rank = t->events[0].field[0];
    t->number = t->events[0].field[1];
    t->calls = calloc(t->call_count + 1, sizeof *t->calls);
    if (!t->calls)
        abort();
}

static uint32_t slot_in(struct graph *g, const struct thread *t, const struct event *e, int64_t slot)
{
    if (slot < 0 || slot >= SLOTS)
        give_up(t, e->line, "there is no slot %" PRId64, slot);
    if (slot >= g->slots)
        g->slots = (uint32_t)slot + 1;
    return (uint32_t)slot;
}

/* ---- the graph ---- */

static void add_share(struct graph *g, const struct thread *t, uint32_t arc, uint32_t slot, int64_t own, int64_t all)
{
    g->shares = room(g->shares, g->share_count, &g->share_capacity, sizeof *g->shares);
    g->shares[g->share_count] =
        (struct share){t->changed[slot] * SLOTS + slot, g->arcs[arc].share, own, slot == OTHER ? 0 : all};
    g->arcs[arc].share = g->share_count++;
}

/* To the newest node. */
static uint32_t add_arc(struct graph *g, uint32_t from, int64_t weight)
{
    g->arcs = room(g->arcs, g->arc_count, &g->arc_capacity, sizeof *g->arcs);
    g->arcs[g->arc_count] = (struct arc){from, NONE, weight};
    g->nodes[g->node_count - 1].arcs++;
    return g->arc_count++;
}

static void add_node(struct graph *g, struct thread *t)
{
    g->nodes = room(g->nodes, g->node_count, &g->node_capacity, sizeof *g->nodes);
    g->nodes[g->node_count] = (struct node){
        .thread = (uint32_t)(t - g->threads), .arc = g->arc_count, .chosen = NONE, .map = t->map, .first_charge = NONE};
    t->last = t->final = g->node_count++;
}

static void add_charge(struct graph *g, struct node *n, uint32_t region, int64_t ticks)
{
    g->charges = room(g->charges, g->charge_count, &g->charge_capacity, sizeof *g->charges);
    g->charges[g->charge_count] = (struct charge){region, NONE, ticks};
    if (n->first_charge == NONE)
        n->first_charge = g->charge_count;
    else
        g->charges[n->last_charge].next = g->charge_count;
    n->last_charge = g->charge_count++;
}

static void attribute(struct graph *g, struct thread *t, const struct event *e)
{
    uint32_t slot = slot_in(g, t, e, e->field[0]), arc = g->nodes[t->last].arc;
    if (g->nodes[t->last].arcs != 1)
        give_up(t, e->line, "of no computing");
    uint32_t region = (uint32_t)e->field[4];
    if (slot == OTHER && !region)
        return;
    add_share(g, t, arc, slot, e->field[1], e->field[2]);
    if (e->field[3])
        add_share(g, t, arc, t->base, -e->field[1], 0);
    if (e->field[3])
        g->nodes[t->last].around.ticks -= e->field[1];
    if (slot == OTHER)
        add_charge(g, &g->nodes[t->last], region, e->field[1]);
}

/* The computing since the last call ends here. */
static void add_computing(struct graph *g, struct thread *t, int64_t now)
{
    uint32_t before = t->last;
    add_node(g, t);
    add_share(g, t, add_arc(g, before, now - t->since), t->base, now - t->since, 0);
    g->nodes[t->last].around = (struct charge){t->base == OTHER ? t->base_region : 0, NONE, now - t->since};
    t->since = now;
    for (uint32_t i = 0; i < t->pending_count; i++)
        attribute(g, t, &t->pending[i]);
    t->pending_count = 0;
}

/* The statement is the innermost region, and has no more than its own; "transfer" and those around it are active, each
 * once. */
static void add_transfer(struct graph *g, struct thread *t, uint32_t from, int64_t weight)
{
    uint32_t arc = add_arc(g, from, weight), own = t->statement >= FIRST ? t->statement : TRANSFER;
    add_share(g, t, arc, own, weight, 0);
    add_share(g, t, arc, TRANSFER, 0, weight);
    for (uint32_t i = 0; i < t->active_count; i++) {
        bool again = t->active[i] == TRANSFER;
        for (uint32_t k = 0; k < i; k++)
            again = again || t->active[k] == t->active[i];
        if (!again)
            add_share(g, t, arc, t->active[i], 0, weight);
    }
}

static void make_ready(struct graph *g, struct thread *t)
{
    uint32_t before = t->last;
    if (t->ready)
        return;
    t->ready = true;
    add_node(g, t);
    g->nodes[t->last].ready = true;
    add_arc(g, before, 0);
}

static void start(struct graph *g, struct thread *t, const struct event *e)
{
    if (e->field[0] != t->rank || e->field[1] != t->number)
        give_up(t, e->line, "two threads in one file");
    if (e == t->events && e->field[2] % 2 == 0) {
        t->epoch = (uint32_t)e->field[2];
        return;
    }
    if (e->field[4] < 0 || e->field[4] >= PLACES || e->field[2] <= t->epoch || e->field[2] % 2 == 0)
        give_up(t, e->line, "a start of no epoch that is computed and higher, or at no place");
    t->epoch = t->values_epoch = (uint32_t)e->field[2];
    t->place = (uint32_t)e->field[4];
    t->since = e->field[3];
    t->pending_count = 0;
    add_node(g, t);
}

static void stop(struct graph *g, struct thread *t, const struct event *e)
{
    if (e->field[0] <= t->epoch || e->field[0] % 2)
        give_up(t, e->line, "a stop at no epoch that is not computed and higher");
    if (t->last != NONE && !t->inside)
        add_computing(g, t, e->field[1]);
    t->epoch = (uint32_t)e->field[0];
    t->last = NONE;
}

/* Everything up to here is of the regions that had the slots. */
static void change(struct graph *g, struct thread *t, const struct event *e)
{
    struct change c = {slot_in(g, t, e, e->field[1]), (uint32_t)e->field[2], (uint32_t)e->field[3]};
    uint32_t version = (uint32_t)e->field[0];
    if (version != t->map + 1 || version > LOG + 1 || c.slot < FIRST)
        give_up(t, e->line, "not the next version of the map, or not of a region");
    if (version <= g->newest && memcmp(&g->log[version], &c, sizeof c) != 0)
        give_up(t, e->line, "another thread knows version %" PRIu32 " otherwise", version);
    g->log[version] = c;
    g->newest = version > g->newest ? version : g->newest;
    if (t->last != NONE && !t->inside)
        add_computing(g, t, e->field[4]);
    t->map = version;
    t->changed[c.slot]++;
}

static struct call *call_of(struct thread *t, const struct event *e, int64_t number)
{
    if (number < 1 || number > t->call_count)
        give_up(t, e->line, "there is no call %" PRId64 " in %s", number, t->file);
    return &t->calls[number];
}

static void begin(struct graph *g, struct thread *t, const struct event *e)
{
    struct call *call = call_of(t, e, e->field[0]);
    if (t->inside || call->begun)
        give_up(t, e->line, "a call in a call, or twice the same");
    t->statement = slot_in(g, t, e, e->field[1]);
    t->statement_region = (uint32_t)e->field[3];
    t->inside = true;
    t->ready = false;
    t->active_count = 0;
    if (t->last != NONE)
        add_computing(g, t, e->field[2]);
    *call = (struct call){.begun = true, .epoch = t->epoch, .node = t->last};
}

static void rest(struct thread *t, const struct event *e)
{
    if (t->inside)
        give_up(t, e->line, "a rest in a call");
    t->since = e->field[0];
}

static struct thread *thread_of(struct graph *g, const struct thread *t, const struct event *e)
{
    for (uint32_t i = 0; i < g->thread_count; i++)
        if (g->threads[i].rank == e->field[0] && g->threads[i].number == e->field[1])
            return &g->threads[i];
    give_up(t, e->line, "nothing is known of rank %" PRId64 ", thread %" PRId64, e->field[0], e->field[1]);
}

/* What this part and the next ones depend on has been made: all arcs of a node are made at once. */
static bool are_there(struct graph *g, struct thread *t)
{
    for (const struct event *e = t->events + t->next; e < t->events + t->event_count && e->kind == 'P'; e++)
        if (!call_of(thread_of(g, t, e), e, e->field[2])->shown)
            return false;
    return true;
}

static void part(struct graph *g, struct thread *t, const struct event *e)
{
    const struct call *call = call_of(thread_of(g, t, e), e, e->field[2]);
    if (!t->inside)
        give_up(t, e->line, "a part of no call");
    if (t->last == NONE || call->epoch != t->epoch) {
        g->other_epochs++;
        return;
    }
    make_ready(g, t);
    add_transfer(g, t, call->node, e->field[3]);
    g->parts++;
}

static void end(struct graph *g, struct thread *t, const struct event *e)
{
    if (!t->inside)
        give_up(t, e->line, "the end of no call");
    t->inside = false;
    t->since = e->field[1];
    if (t->last == NONE)
        return;
    make_ready(g, t);
    uint32_t before = t->last;
    add_node(g, t);
    g->nodes[t->last].end = true;
    g->nodes[t->last].statement = (struct charge){t->statement < FIRST ? t->statement_region : 0, NONE, e->field[0]};
    add_transfer(g, t, before, e->field[0]);
}

static void attribution(struct graph *g, struct thread *t, const struct event *e)
{
    if (t->last == NONE)
        return;
    if (t->inside || t->ended)
        attribute(g, t, e);
    else if (t->pending_count == SLOTS)
        give_up(t, e->line, "too many regions");
    else
        t->pending[t->pending_count++] = *e;
}

static void finish(struct graph *g, struct thread *t, const struct event *e)
{
    if (t->last != NONE && !t->inside)
        add_computing(g, t, e->field[0]);
    t->ended = true;
}

static void told(struct graph *g, struct thread *t, const struct event *e)
{
    struct answer *a = &t->on_line;
    if (e->kind == 'L') {
        memset(a, 0, sizeof *a);
        a->length = e->field[0];
        t->told = true;
    } else if (e->kind == 'R') {
        if (e->field[0] < 0 || e->field[0] >= PLACES)
            give_up(t, e->line, "there is no place %" PRId64, e->field[0]);
        memcpy(a->place[e->field[0]], e->field + 1, sizeof a->place[0]);
    } else if (e->kind == 'K') {
        if (a->listed == LISTED)
            give_up(t, e->line, "a list that is too long");
        a->list[a->listed++] = (struct listed){(uint32_t)e->field[0], e->field[1], e->field[2]};
    } else if (e->kind == 'H') {
        memcpy(a->share[slot_in(g, t, e, e->field[0])], e->field + 1, sizeof a->share[0]);
    } else {
        memcpy(a->saved[slot_in(g, t, e, e->field[0])], e->field + 1, sizeof a->saved[0]);
    }
}

static void active(struct graph *g, struct thread *t, const struct event *e)
{
    if (!t->inside || t->active_count == sizeof t->active / sizeof *t->active)
        give_up(t, e->line, "active around no call, or too many");
    t->active[t->active_count++] = slot_in(g, t, e, e->field[0]);
}

static void change_slots(struct graph *g, struct thread *t, const struct event *e)
{
    if (!t->inside)
        give_up(t, e->line, "the statement of no call");
    t->statement = slot_in(g, t, e, e->field[0]);
    t->statement_region = (uint32_t)e->field[1];
    t->active_count = 0;
}

/* False: it has to wait for another thread. */
static bool step(struct graph *g, struct thread *t)
{
    const struct event *e = &t->events[t->next];
    switch (e->kind) {
    case 'I':
        start(g, t, e);
        break;
    case 'Z':
        stop(g, t, e);
        break;
    case 'M':
        change(g, t, e);
        break;
    case 'B':
        begin(g, t, e);
        break;
    case 'A':
        attribution(g, t, e);
        break;
    case 'E':
        active(g, t, e);
        break;
    case 'C':
        change_slots(g, t, e);
        break;
    case 'S':
        call_of(t, e, e->field[0])->shown = true;
        break;
    case 'P':
        if (!are_there(g, t))
            return false;
        part(g, t, e);
        break;
    case 'T':
        end(g, t, e);
        break;
    case 'Q':
        rest(t, e);
        break;
    case 'G':
        t->base = slot_in(g, t, e, e->field[0]);
        t->base_region = (uint32_t)e->field[1];
        break;
    case 'F':
        finish(g, t, e);
        break;
    default:
        told(g, t, e);
    }
    t->next++;
    return true;
}

static void make_graph(struct graph *g)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (struct thread *t = g->threads; t < g->threads + g->thread_count; t++)
            while (t->next < t->event_count && step(g, t))
                moved = true;
    }
    for (struct thread *t = g->threads; t < g->threads + g->thread_count; t++) {
        if (t->next < t->event_count)
            give_up(t, t->events[t->next].line, "depends on a call that left no snapshot, or on itself");
        if (!t->told)
            give_up(t, t->event_count, "does not say what was found on line");
    }
}

/* ---- longest paths ---- */

static void find_longest(struct graph *g)
{
    for (struct node *n = g->nodes; n < g->nodes + g->node_count; n++)
        for (uint32_t a = n->arc; a < n->arc + n->arcs; a++) {
            int64_t length = g->nodes[g->arcs[a].from].length + g->arcs[a].weight;
            if (a == n->arc || length > n->length) {
                n->length = length;
                n->chosen = a;
            }
        }
}

static void weights_without(const struct graph *g, const struct arc *arc, uint32_t token, int64_t *weights)
{
    int64_t own = 0, all = 0;
    for (uint32_t s = arc->share; s != NONE; s = g->shares[s].next)
        if (g->shares[s].token == token) {
            own += g->shares[s].own;
            all += g->shares[s].all;
        }
    for (int step = 0; step < STEPS; step++) {
        weights[step] = STEPS * arc->weight - (step + 1) * own;
        weights[STEPS + step] = STEPS * arc->weight - (step + 1) * all;
    }
}

/* The longest paths to all nodes if the slot's own time, or all inside it, took so many quarters less:
 * lengths[node][SAVED], in quarter ticks. */
static void find_without(const struct graph *g, uint32_t token, int64_t (*lengths)[SAVED])
{
    memset(lengths, 0, g->node_count * sizeof *lengths);
    for (uint32_t n = 0; n < g->node_count; n++)
        for (uint32_t a = g->nodes[n].arc; a < g->nodes[n].arc + g->nodes[n].arcs; a++) {
            int64_t weights[SAVED];
            weights_without(g, &g->arcs[a], token, weights);
            for (int i = 0; i < SAVED; i++) {
                int64_t length = lengths[g->arcs[a].from][i] + weights[i];
                if (a == g->nodes[n].arc || length > lengths[n][i])
                    lengths[n][i] = length;
            }
        }
}

/* ---- regions without a slot ---- */

static struct listed *find_listed(struct answer *a, uint32_t region)
{
    for (uint32_t i = 0; i < a->listed; i++)
        if (a->list[i].region == region)
            return &a->list[i];
    return NULL;
}

/* One that is not there takes the place, and the weight, of the one with the least; it cannot take back anything. */
static void list(struct answer *a, uint32_t region, int64_t ticks)
{
    struct listed *e = find_listed(a, region);
    if (ticks == 0 || (!e && ticks < 0))
        return;
    if (!e && a->listed < LISTED) {
        e = &a->list[a->listed++];
        *e = (struct listed){region, 0, 0};
    } else if (!e) {
        e = a->list;
        for (uint32_t i = 1; i < LISTED; i++)
            if (a->list[i].weight < e->weight)
                e = &a->list[i];
        e->region = region;
        e->share = 0;
    }
    e->share += ticks;
    e->weight += ticks;
}

/* The share of the region that loses its slot goes to the list; the other begins with 0. */
static void apply(struct answer *a, const struct change *c)
{
    int64_t was = a->share[c->slot][0];
    a->share[c->from & A_STATEMENT ? TRANSFER : OTHER][0] += was;
    if (c->from)
        list(a, c->from, was);
    a->share[c->slot][0] = a->share[c->slot][1] = 0;
}

/* From one node of the path to the next. due: transfer that is listed at the end of the call. */
static void walk_arc(const struct graph *g, const struct node *n, struct answer *a, int64_t *due)
{
    const struct arc *arc = &g->arcs[n->chosen];
    uint32_t here = g->threads[n->thread].place, there = g->threads[g->nodes[arc->from].thread].place;
    for (uint32_t i = n->first_charge; i != NONE; i = g->charges[i].next)
        list(a, g->charges[i].region, g->charges[i].ticks);
    if (n->around.region)
        list(a, n->around.region, n->around.ticks);
    if (n->ready)
        *due = n->chosen == n->arc ? 0 : arc->weight;
    if (n->end && n->statement.region)
        list(a, n->statement.region, n->statement.ticks + *due);
    for (uint32_t s = arc->share; s != NONE; s = g->shares[s].next) {
        a->share[g->shares[s].token % SLOTS][0] += g->shares[s].own;
        a->share[g->shares[s].token % SLOTS][1] += g->shares[s].all;
    }
    a->place[here][0] += arc->weight;
    a->place[here][1] += here != there;
}

/* Along the longest path; slots change where its nodes knew of it, and behind it up to where the thread ended. */
static void walk(const struct graph *g, uint32_t n, uint32_t map, struct answer *answer)
{
    uint32_t count = 0, *way = calloc(g->node_count + 1, sizeof *way);
    int64_t due = 0;
    if (!way)
        abort();
    answer->length = n == NONE ? 0 : g->nodes[n].length;
    for (; n != NONE && g->nodes[n].chosen != NONE; n = g->arcs[g->nodes[n].chosen].from)
        way[count++] = n;
    uint32_t version = n == NONE ? map : g->nodes[n].map;
    while (count-- > 0) {
        for (; version < g->nodes[way[count]].map; version++)
            apply(answer, &g->log[version + 1]);
        walk_arc(g, &g->nodes[way[count]], answer, &due);
    }
    for (; version < map; version++)
        apply(answer, &g->log[version + 1]);
    free(way);
}

/* For those threads in which the slot has changed so often in the end. */
static void solve_slot(struct graph *g, struct answer *answers, uint32_t slot, uint32_t changed,
                       int64_t (*lengths)[SAVED])
{
    find_without(g, changed * SLOTS + slot, lengths);
    for (uint32_t t = 0; t < g->thread_count; t++)
        for (int i = 0; i < SAVED && g->threads[t].final != NONE && g->threads[t].changed[slot] == changed; i++)
            answers[t].saved[slot][i] = STEPS * answers[t].length - lengths[g->threads[t].final][i];
}

static void solve(struct graph *g, struct answer *answers)
{
    int64_t(*lengths)[SAVED] = calloc(g->node_count + 1, sizeof *lengths);
    if (!lengths)
        abort();
    find_longest(g);
    for (uint32_t t = 0; t < g->thread_count; t++)
        walk(g, g->threads[t].final, g->threads[t].map, &answers[t]);
    for (uint32_t slot = 0; slot < g->slots; slot++)
        for (uint32_t t = 0; t < g->thread_count; t++) {
            uint32_t changed = g->threads[t].changed[slot], before = 0;
            while (before < t && g->threads[before].changed[slot] != changed)
                before++;
            if (before == t)
                solve_slot(g, answers, slot, changed, lengths);
        }
    free(lengths);
}

/* ---- on line against off line ---- */

static uint32_t compare(const struct thread *t, const char *what, const int64_t *off, const int64_t *on, uint32_t rows,
                        uint32_t columns)
{
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < rows * columns; i++)
        if (off[i] != on[i] && wrong++ < 8)
            printf("%s: %s %" PRIu32 ", column %" PRIu32 ": on line %" PRId64 ", off line %" PRId64 "\n", t->file, what,
                   i / columns, i % columns + 1, on[i], off[i]);
    return wrong;
}

static uint32_t compare_lists(const struct thread *t, const struct answer *off, const struct answer *on)
{
    uint32_t wrong = off->listed != on->listed;
    if (wrong)
        printf("%s: %" PRIu32 " are listed on line, %" PRIu32 " off line\n", t->file, on->listed, off->listed);
    for (uint32_t i = 0; i < on->listed && i < off->listed; i++)
        if (memcmp(&on->list[i], &off->list[i], sizeof on->list[i]) != 0 && wrong++ < 8)
            printf("%s: listed %" PRIu32 ": on line region %" PRIu32 " with %" PRId64 ", off line %" PRIu32
                   " with %" PRId64 "\n",
                   t->file, i, on->list[i].region, on->list[i].share, off->list[i].region, off->list[i].share);
    return wrong;
}

static uint32_t compare_thread(const struct thread *t, const struct answer *off)
{
    const struct answer *on = &t->on_line;
    return compare_lists(t, off, on) + compare(t, "length", &off->length, &on->length, 1, 1) +
           compare(t, "share of slot", &off->share[0][0], &on->share[0][0], SLOTS, 2) +
           compare(t, "place", &off->place[0][0], &on->place[0][0], PLACES, 2) +
           compare(t, "savings of slot", &off->saved[0][0], &on->saved[0][0], SLOTS, SAVED);
}

/* Of the newest epoch: the longest path of all threads, and the longest under each speed-up. */
static void print_figures(const struct graph *g, const struct answer *answers)
{
    uint32_t newest = 0, longest = 0;
    for (uint32_t t = 0; t < g->thread_count; t++)
        if (g->threads[t].values_epoch > newest)
            newest = g->threads[t].values_epoch;
    for (uint32_t t = 0; t < g->thread_count; t++)
        if (g->threads[t].values_epoch == newest &&
            (g->threads[longest].values_epoch != newest || answers[t].length > answers[longest].length))
            longest = t;
    int64_t length = answers[longest].length;
    for (uint32_t slot = 0; slot < g->slots; slot++) {
        int64_t left = INT64_MIN;
        for (uint32_t t = 0; t < g->thread_count; t++) {
            int64_t without = STEPS * answers[t].length - answers[t].saved[slot][STEPS - 1];
            if (g->threads[t].values_epoch == newest && without > left)
                left = without;
        }
        left = left > 0 ? left : 0; /* clocks that differ make savings of more than all; samples begin with no path */
        printf("slot %" PRIu32 " %.4f %.4f\n", slot, 100.0 * (double)answers[longest].share[slot][0] / (double)length,
               100.0 * (double)(STEPS * length - left) / (double)STEPS / (double)length);
    }
}

/* How much being equal shows. */
static void print_shown(const struct graph *g, const struct answer *answers)
{
    uint64_t limited = 0, moves = 0;
    int64_t length = 0;
    for (uint32_t t = 0; t < g->thread_count; t++) {
        for (uint32_t slot = 0; slot < g->slots; slot++)
            limited += answers[t].saved[slot][STEPS - 1] < STEPS * answers[t].share[slot][0];
        for (uint32_t place = 0; place < PLACES; place++)
            moves += (uint64_t)answers[t].place[place][1];
        if (answers[t].length > length)
            length = answers[t].length;
    }
    uint32_t listed = 0;
    for (uint32_t t = 0; t < g->thread_count; t++)
        listed = answers[t].listed > listed ? answers[t].listed : listed;
    printf("threads %" PRIu32 " nodes %" PRIu32 " parts %" PRIu32 " slots %" PRIu32 " limited %" PRIu64
           " moves %" PRIu64 " other_epochs %" PRIu32 " changes %" PRIu32 " listed %" PRIu32 " length %" PRId64 "\n",
           g->thread_count, g->node_count, g->parts, g->slots, limited, moves, g->other_epochs,
           g->newest ? g->newest - 1 : 0, listed, length);
}

int main(int argc, char **argv)
{
    bool figures = argc > 1 && strcmp(argv[1], "--figures") == 0;
    struct graph g = {.thread_count = (uint32_t)(argc - 1 - figures)};
    uint32_t wrong = 0;
    if (g.thread_count == 0) {
        fprintf(stderr, "usage: offline [--figures] FILE...\n");
        return 2;
    }
    g.threads = calloc(g.thread_count, sizeof *g.threads);
    struct answer *answers = calloc(g.thread_count, sizeof *answers);
    if (!g.threads || !answers)
        abort();
    for (uint32_t t = 0; t < g.thread_count; t++)
        read_thread(&g.threads[t], argv[1 + figures + (int)t]);
    make_graph(&g);
    solve(&g, answers);
    for (uint32_t t = 0; t < g.thread_count; t++)
        wrong += compare_thread(&g.threads[t], &answers[t]);
    print_shown(&g, answers);
    if (figures)
        print_figures(&g, answers);
    for (uint32_t t = 0; t < g.thread_count; t++) {
        free(g.threads[t].events);
        free(g.threads[t].calls);
    }
    free(g.threads);
    free(g.nodes);
    free(g.arcs);
    free(g.shares);
    free(g.charges);
    free(answers);
    return wrong > 0;
}
