/* SPDX-License-Identifier: BSD-3-Clause
 *
 * live_run DIRECTORY [REGISTRY...]: a run that goes on, without an MPI. This process is its rank 0 of 2 and
 * computes in relax since it came out of MPI_Init; rank 1 has ended after 0.1 s. Registries of these names
 * are made, too. It says "ready" and goes on until its standard input ends.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/registry.h"
#include "run_builder.h"

enum { RELAX = 2, SLOTS = 8, EPOCH = 0x10001 };

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void read_boot_id(char *text, size_t bytes)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file || !fgets(text, (int)bytes, file))
        abort();
    text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

static void make_rank(const char *directory, int number)
{
    struct run_rank rank = run_rank(number, 2);
    struct wf_segment_header *h = rank.header;
    uint64_t begin = now_ns();
    char path[4096];
    read_boot_id(h->boot_id, sizeof h->boot_id);
    gethostname(h->host, sizeof h->host - 1);
    h->state = number ? WF_STATE_FINALIZED : WF_STATE_RUNNING;
    h->pid = number ? 0x7fffffff : (uint32_t)getpid();
    h->tick0 = h->ns0 = begin - 1000;
    h->init_begin_ticks = begin - 500;
    h->init_end_ticks = begin;
    h->finalize_begin_ticks = h->finalize_end_ticks = number ? begin + 100000000 : 0;
    run_lane(&rank, rank.lane)->thread_id = (uint32_t)getpid();
    uint32_t region = run_region(&rank, WF_REGION_PROCEDURE, "relax", "heat.c", 40),
             at = segment_builder_path(&rank.builder, rank.lane, SLOTS, 2);
    struct wf_region_record *relax = segment_builder_at(&rank.builder, region);
    relax->path_number = RELAX - WF_PATH_FIRST + 1;
    struct wf_path_record *record = segment_builder_at(&rank.builder, at);
    struct wf_path *state = segment_builder_state(&rank.builder, at);
    record->start_virtual = begin;
    record->ended = number != 0;
    wf_path_start(state, EPOCH, (int64_t)begin);
    wf_path_enter(state, RELAX, (int64_t)begin);
    wf_path_advance(state, (int64_t)begin + (number ? 100000000 : 0));
    snprintf(path, sizeof path, "%s/%d-%s-%d.seg", directory, number, h->host, (int)h->pid);
    segment_builder_write(&rank.builder, path);
    segment_builder_fini(&rank.builder);
}

static void make_registry(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "we");
    if (!file || ftruncate(fileno(file), sizeof(struct wf_registry)) != 0)
        abort();
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    mkdir(argv[1], 0777);
    for (int i = 0; i < 2; i++)
        make_rank(argv[1], i);
    for (int i = 2; i < argc; i++)
        make_registry(argv[1], argv[i]);
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
