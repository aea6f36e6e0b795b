/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What format/path.h costs, in ns and bytes, for so many followed regions: path_cost [ROUNDS]
 *
 *     pair       entering and leaving a region, clock not counted
 *     send       begin, snapshot, end
 *     receive    begin, one part, end; "lost": the own path goes on, "won": the other's does
 *     far        the same, snapshots from memory that was not touched for long instead of the cache
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "format/path.h"

enum { PLACES = 64, FAR = 4096 };

struct bench {
    struct wf_path *own, *other;
    struct wf_path_snapshot *snapshot;
    unsigned char *far;
    size_t bytes;
    int64_t clock;
    uint64_t rounds;
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *need(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        abort();
    return memory;
}

static struct wf_path *path_with(uint32_t regions, uint32_t place)
{
    uint32_t capacity = WF_PATH_FIRST + regions;
    struct wf_path *p = need(wf_path_bytes(capacity, PLACES));
    wf_path_init(p, capacity, PLACES, place);
    wf_path_start(p, 1, 0);
    for (uint32_t r = 0; r < regions; r++) {
        wf_path_enter(p, WF_PATH_FIRST + r, 100 * r);
        wf_path_leave(p, 100 * r + 100);
    }
    return p;
}

static void pairs(struct bench *b, uint64_t i)
{
    wf_path_enter(b->own, WF_PATH_FIRST + (uint32_t)(i & 1), b->clock);
    b->clock += 10;
    wf_path_leave(b->own, b->clock);
}

static void sends(struct bench *b, uint64_t i)
{
    (void)i;
    wf_path_begin(b->own, WF_PATH_FIRST, b->clock);
    wf_path_snapshot(b->own, b->snapshot);
    b->clock += 10;
    wf_path_end(b->own, 10, b->clock);
}

static void receive(struct bench *b, const struct wf_path_snapshot *s, int64_t weight)
{
    wf_path_begin(b->own, WF_PATH_FIRST, b->clock);
    wf_path_part(b->own, s, weight);
    b->clock += 10;
    wf_path_end(b->own, 10, b->clock);
}

static void receives_lost(struct bench *b, uint64_t i)
{
    (void)i;
    receive(b, b->snapshot, b->own->length - b->snapshot->length - 5);
}

static void receives_won(struct bench *b, uint64_t i)
{
    (void)i;
    receive(b, b->snapshot, b->own->length - b->snapshot->length + 5);
}

static void receives_far(struct bench *b, uint64_t i)
{
    const struct wf_path_snapshot *s = (const struct wf_path_snapshot *)(b->far + (i * 1237 % FAR) * b->bytes);
    receive(b, s, b->own->length - s->length + 5);
}

static double cost(struct bench *b, void (*what)(struct bench *, uint64_t))
{
    double best = 1e9;
    for (int attempt = 0; attempt < 5; attempt++) {
        double since = now_ns();
        for (uint64_t i = 0; i < b->rounds; i++)
            what(b, i);
        double took = (now_ns() - since) / (double)b->rounds;
        best = took < best ? took : best;
    }
    return best;
}

static void measure(uint32_t regions, uint64_t rounds)
{
    struct bench b = {.own = path_with(regions, 0), .other = path_with(regions, 1), .rounds = rounds};
    b.bytes = (wf_path_snapshot_bytes(WF_PATH_FIRST + regions, PLACES) + 63) / 64 * 64;
    b.snapshot = need(b.bytes);
    b.far = need(FAR * b.bytes);
    b.clock = b.own->since;
    wf_path_sample(b.other, b.other->since, b.snapshot);
    for (uint32_t i = 0; i < FAR; i++)
        wf_path_sample(b.other, b.other->since, (struct wf_path_snapshot *)(b.far + i * b.bytes));
    double pair = cost(&b, pairs), lost = cost(&b, receives_lost), won = cost(&b, receives_won);
    double far = cost(&b, receives_far), send = cost(&b, sends);
    printf("%7" PRIu32 " %6" PRIu32 " %8.1f %8.1f %8.1f %8.1f %8.1f\n", regions, b.snapshot->bytes,
           pair, send, lost, won, far);
    free(b.own);
    free(b.other);
    free(b.snapshot);
    free(b.far);
}

int main(int argc, char **argv)
{
    static const uint32_t regions[] = {0, 1, 4, 8, 32, 64, 256};
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
    printf("regions  bytes     pair     send receive: lost    won      far   (ns)\n");
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        measure(regions[i], rounds);
    return 0;
}
