/* SPDX-License-Identifier: BSD-3-Clause
 *
 * simulate DIRECTORY SEED PROGRAMS: random programs of the simulator, with their path computed on line as the library
 * does it, and written down as the library does it: DIRECTORY/PROGRAM/PROCESS.trace. For offline.c, which has to find
 * the same: so it is known to be right before it judges real runs.
 *
 * All that a library may do to a path is done at random, whether it makes sense or not. Weights and takes are not the
 * true ones, and may be below 0. Regions are counted instead of the stretch around them, or beside it. Starts and stops
 * come anywhere.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "engine.h"
#include "format/path.h"
#include "generate.h"
#include "random.h"

enum { REGIONS = 5, STATEMENTS = 4, CAPACITY = WF_PATH_FIRST + REGIONS + 2 * STATEMENTS, MOST = 16, DEEP = 16 };

struct process {
    struct wf_path *path;
    FILE *trace;
    uint32_t rank, thread; /* two threads a rank in some programs */
    uint32_t calls;
    uint32_t stack[DEEP], depth;          /* slots */
    int64_t own[CAPACITY], all[CAPACITY]; /* since its last call */
    uint32_t start, stop;                 /* before it begins this action; UINT32_MAX: never */
};

struct header {
    uint32_t process, call;
    struct wf_path_snapshot snapshot; /* last: more bytes follow */
};

struct run {
    const struct sim_program *program;
    struct sim_random *random;
    struct process processes[MOST];
    bool stretches;
    uint32_t overlap; /* of so many regions one is counted beside the stretch; 0: none */
    bool wrong;       /* weights and takes */
};

static void *need(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        abort();
    return memory;
}

static bool is_call(const struct sim_action *action)
{
    return action->kind != SIM_COMPUTE && action->kind != SIM_ENTER && action->kind != SIM_LEAVE;
}

static uint32_t region_slot(uint32_t region)
{
    return region % (REGIONS + 2) < REGIONS ? WF_PATH_FIRST + region % (REGIONS + 2) : WF_PATH_OTHER;
}

/* One kind of statements has no slot. */
static uint32_t statement_slot(const struct sim_action *action)
{
    uint32_t kind = (uint32_t)(sim_hash(action->serial) % (STATEMENTS + 1));
    return kind < STATEMENTS ? WF_PATH_FIRST + REGIONS + kind : WF_PATH_OTHER;
}

static uint32_t stretch_slot(const struct sim_action *action)
{
    uint32_t statement = statement_slot(action);
    return statement == WF_PATH_OTHER ? WF_PATH_OTHER : statement + STATEMENTS;
}

/* ---- regions, counted until the next call ---- */

static void count(struct process *p, int64_t ns)
{
    for (uint32_t slot = 0; slot < CAPACITY; slot++) {
        bool active = false;
        for (uint32_t i = 0; i < p->depth; i++)
            active = active || p->stack[i] == slot;
        p->all[slot] += active ? ns : 0;
    }
    if (p->depth)
        p->own[p->stack[p->depth - 1]] += ns;
}

static void forget(struct process *p)
{
    memset(p->own, 0, sizeof p->own);
    memset(p->all, 0, sizeof p->all);
}

static void attribute(struct run *r, struct process *p)
{
    for (uint32_t slot = WF_PATH_FIRST; slot < CAPACITY; slot++) {
        bool moves = r->overlap == 0 || slot % r->overlap;
        if (!p->own[slot] && !p->all[slot])
            continue;
        if (moves) {
            wf_path_attribute(p->path, slot, p->own[slot], p->all[slot]);
        } else {
            wf_path_use(p->path, slot + 1);
            wf_path_use_all(p->path, slot + 1);
            wf_path_charge(p->path, wf_path_row(slot, WF_PATH_OWN), p->own[slot]);
            wf_path_charge(p->path, wf_path_row(slot, WF_PATH_ALL), p->all[slot]);
        }
        fprintf(p->trace, "A %" PRIu32 " %" PRId64 " %" PRId64 " %d\n", slot, p->own[slot], p->all[slot], moves);
    }
    forget(p);
}

/* ---- starts and stops ---- */

static void adopt(struct run *r, struct process *p, uint32_t epoch, int64_t now)
{
    if (epoch <= p->path->epoch)
        return;
    if (wf_path_is_on(p->path) && !p->path->inside) {
        wf_path_advance(p->path, now);
        attribute(r, p);
    }
    forget(p);
    wf_path_adopt(p->path, epoch, now);
    if (epoch & 1)
        fprintf(p->trace, "I %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRId64 "\n", p->rank, p->thread, epoch, now);
    else
        fprintf(p->trace, "Z %" PRIu32 " %" PRId64 "\n", epoch, now);
}

/* Epoch 1 from the beginning in some, 2 to stop, 3 to start again. */
static void tell(struct run *r, struct process *p, uint32_t index, int64_t now)
{
    if (index == p->stop)
        adopt(r, p, 2, now);
    if (index == p->start)
        adopt(r, p, p->path->epoch & 1 ? p->path->epoch + 2 : p->path->epoch + 1, now);
}

/* ---- calls ---- */

static void begin_call(struct run *r, struct process *p, const struct sim_event *event, struct header *h)
{
    int64_t now = (int64_t)event->begin;
    uint32_t statement = statement_slot(event->action);
    wf_path_advance(p->path, now);
    for (uint32_t i = 0; i < p->depth; i++)
        wf_path_enter(p->path, p->stack[i], now);
    wf_path_begin(p->path, statement, now);
    fprintf(p->trace, "B %" PRIu32 " %" PRIu32 " %" PRId64 "\n", ++p->calls, statement, now);
    if (wf_path_is_on(p->path))
        attribute(r, p);
    for (uint32_t i = 0; i < p->depth; i++)
        if (p->stack[i] != WF_PATH_OTHER)
            fprintf(p->trace, "E %" PRIu32 "\n", p->stack[i]);
    h->process = event->process;
    h->call = p->calls;
    wf_path_snapshot(p->path, &h->snapshot);
    fprintf(p->trace, "S %" PRIu32 "\n", p->calls);
}

static void on_begin(void *context, const struct sim_event *event, void *header)
{
    struct run *r = context;
    struct process *p = &r->processes[event->process];
    tell(r, p, event->index, (int64_t)event->begin);
    if (event->action->kind == SIM_ENTER && p->depth < DEEP)
        p->stack[p->depth++] = region_slot(event->action->region);
    else if (event->action->kind == SIM_LEAVE && p->depth)
        p->depth--;
    else if (is_call(event->action))
        begin_call(r, p, event, header);
}

static int64_t perhaps_wrong(struct run *r, int64_t ns)
{
    return r->wrong ? ns + (int64_t)sim_random_below(r->random, 2000) - 1000 : ns;
}

static void end_call(struct run *r, struct process *p, const struct sim_event *event)
{
    uint64_t ready = event->begin;
    for (uint32_t i = 0; i < event->part_count; i++) {
        const struct header *h = event->parts[i].header;
        adopt(r, p, h->snapshot.epoch, (int64_t)event->begin);
        if (event->parts[i].entered + event->parts[i].latency > ready)
            ready = event->parts[i].entered + event->parts[i].latency;
    }
    for (uint32_t i = 0; i < event->part_count; i++) {
        const struct header *h = event->parts[i].header;
        const struct process *from = &r->processes[h->process];
        int64_t weight = perhaps_wrong(r, (int64_t)event->parts[i].latency);
        wf_path_part(p->path, &h->snapshot, weight);
        fprintf(p->trace, "P %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRId64 "\n", from->rank, from->thread, h->call,
                weight);
    }
    int64_t take = perhaps_wrong(r, (int64_t)(event->end - ready)), end = (int64_t)event->end;
    wf_path_end(p->path, take, end);
    fprintf(p->trace, "T %" PRId64 " %" PRId64 "\n", take, end);
    wf_path_leave_all(p->path, end);
    forget(p);
    if (r->stretches) {
        wf_path_stretch(p->path, stretch_slot(event->action), end);
        fprintf(p->trace, "G %" PRIu32 "\n", stretch_slot(event->action));
    }
}

static void on_end(void *context, const struct sim_event *event)
{
    struct run *r = context;
    struct process *p = &r->processes[event->process];
    if (is_call(event->action))
        end_call(r, p, event);
    else
        count(p, (int64_t)(event->end - event->begin));
}

/* ---- a program ---- */

static void open_process(struct run *r, uint32_t number, const char *directory, bool threads, bool early, bool cuts)
{
    struct process *p = &r->processes[number];
    uint32_t actions = r->program->lists[number].count;
    char path[512];
    snprintf(path, sizeof path, "%s/%" PRIu32 ".trace", directory, number);
    p->trace = fopen(path, "w");
    if (!p->trace) {
        perror(path);
        exit(2);
    }
    p->rank = threads ? number / 2 : number;
    p->thread = threads ? number % 2 : 0;
    p->start = cuts || !early ? (uint32_t)sim_random_below(r->random, actions + 1) : UINT32_MAX;
    p->stop = cuts && early ? (uint32_t)sim_random_below(r->random, actions + 1) : UINT32_MAX;
    p->path = need(wf_path_bytes(CAPACITY, MOST));
    wf_path_init(p->path, CAPACITY, MOST, p->rank);
    if (early)
        wf_path_start(p->path, 1, SIM_START);
    fprintf(p->trace, "I %" PRIu32 " %" PRIu32 " %" PRIu32 " %u\n", p->rank, p->thread, p->path->epoch, SIM_START);
}

static void close_process(struct run *r, struct process *p, int64_t now)
{
    struct wf_path_snapshot *s = need(wf_path_snapshot_bytes(CAPACITY, MOST));
    if (wf_path_is_on(p->path))
        attribute(r, p);
    fprintf(p->trace, "F %" PRId64 "\n", now);
    wf_path_sample(p->path, now, s);
    fprintf(p->trace, "L %" PRId64 "\n", s->length);
    const int64_t *places = wf_path_snapshot_places(s);
    for (uint32_t slot = 0; slot < s->slots; slot++) {
        int64_t share[2] = {0}, saved[2][WF_PATH_STEPS] = {{0}};
        for (int of = 0; of < 2; of++) {
            int32_t row = wf_path_row(slot, (enum wf_path_part_of)of);
            if (row < -(int32_t)s->below)
                continue;
            share[of] = wf_path_snapshot_shares(s)[row];
            memcpy(saved[of], wf_path_snapshot_savings(s) + row * WF_PATH_STEPS, sizeof saved[of]);
        }
        fprintf(p->trace, "H %" PRIu32 " %" PRId64 " %" PRId64 "\nV %" PRIu32, slot, share[0], share[1], slot);
        for (int i = 0; i < 2 * WF_PATH_STEPS; i++)
            fprintf(p->trace, " %" PRId64, saved[i / WF_PATH_STEPS][i % WF_PATH_STEPS]);
        fprintf(p->trace, "\n");
    }
    for (uint32_t place = 0; place < s->places; place++)
        fprintf(p->trace, "R %" PRIu32 " %" PRId64 " %" PRId64 "\n", place, places[2 * place], places[2 * place + 1]);
    free(s);
    free(p->path);
    if (fclose(p->trace) != 0) {
        perror("trace");
        exit(2);
    }
}

static bool simulate(const char *directory, uint64_t seed, uint64_t number)
{
    struct sim_random random = {sim_hash(seed) ^ sim_hash(number + 1)};
    uint32_t processes = 2 + (uint32_t)sim_random_below(&random, sim_random_one_in(&random, 4) ? MOST - 1 : 3);
    struct sim_program *program =
        sim_generate((enum sim_style)sim_random_below(&random, SIM_STYLES), processes, 1, &random);
    struct sim_network network = sim_random_network(&random, true);
    struct run r = {.program = program,
                    .random = &random,
                    .stretches = sim_random_one_in(&random, 2),
                    .overlap = (uint32_t)sim_random_below(&random, 4),
                    .wrong = sim_random_one_in(&random, 2)};
    bool threads = sim_random_one_in(&random, 3), early = !sim_random_one_in(&random, 4),
         cuts = sim_random_one_in(&random, 2);
    size_t header_bytes = sizeof(struct header) + wf_path_snapshot_bytes(CAPACITY, MOST);
    struct sim_observer observer = {&r, (header_bytes + 7) / 8 * 8, on_begin, on_end};
    uint64_t finish[MOST];
    if (mkdir(directory, 0777) != 0) {
        perror(directory);
        exit(2);
    }
    for (uint32_t p = 0; p < processes; p++)
        open_process(&r, p, directory, threads, early, cuts);
    bool finished = sim_run(program, &network, &(struct sim_probes){0}, &observer, finish);
    for (uint32_t p = 0; p < processes; p++)
        close_process(&r, &r.processes[p], (int64_t)finish[p]);
    sim_program_free(program);
    return finished;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: simulate DIRECTORY SEED PROGRAMS\n");
        return 2;
    }
    for (uint64_t number = 0; number < strtoull(argv[3], NULL, 10); number++) {
        char directory[400];
        snprintf(directory, sizeof directory, "%s/%" PRIu64, argv[1], number);
        if (!simulate(directory, strtoull(argv[2], NULL, 10), number)) {
            fprintf(stderr, "program %" PRIu64 " does not end\n", number);
            return 1;
        }
    }
    return 0;
}
