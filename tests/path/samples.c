/* SPDX-License-Identifier: BSD-3-Clause
 *
 * samples RUN TRACES: what a monitor sees of a run whose processes stand still. The state of every thread is sampled as
 * weft path show does it. It is added to the thread's trace as if the thread had ended then, so that offline.c can
 * compare it. Then all samples are put together, and the figures are printed as offline --figures prints them. Exit
 * status 3: a state was being written where its process stands.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/path_sampler.h"
#include "collect/rank.h"
#include "collect/segment_reader.h"

struct all {
    struct wf_path *path; /* of all threads that were sampled */
    struct wf_path_snapshot *sample;
};

static _Noreturn void give_up(int status, const char *why, const char *what)
{
    fprintf(stderr, "samples: %s %s\n", why, what);
    exit(status);
}

static void *memory(size_t bytes)
{
    void *found = calloc(1, bytes);
    if (!found)
        give_up(2, "no", "memory");
    return found;
}

static void add_to_trace(const char *directory, int32_t rank, const struct wf_path_record *record, struct wf_path *p)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/%" PRId32 "-%" PRIu32 ".trace", directory, rank, record->thread);
    FILE *trace = fopen(name, "r+");
    if (!trace || fseek(trace, 0, SEEK_END) != 0)
        give_up(2, "cannot write", name);
    fprintf(trace, "F %" PRId64 "\nL %" PRId64 "\n", p->since, p->length);
    for (uint32_t slot = 0; slot < p->used; slot++) {
        int32_t row = wf_path_row(slot, WF_PATH_OWN), all_row = wf_path_row(slot, WF_PATH_ALL);
        fprintf(trace, "H %" PRIu32 " %" PRId64 " %" PRId64 "\nV %" PRIu32, slot, wf_path_shares(p)[row],
                wf_path_shares(p)[all_row], slot);
        for (int i = 0; i < WF_PATH_STEPS; i++)
            fprintf(trace, " %" PRId64, wf_path_savings(p)[row * WF_PATH_STEPS + i]);
        for (int i = 0; i < WF_PATH_STEPS; i++)
            fprintf(trace, " %" PRId64, wf_path_savings(p)[all_row * WF_PATH_STEPS + i]);
        fprintf(trace, "\n");
    }
    for (uint32_t i = 0; i < p->listed; i++)
        fprintf(trace, "K %" PRIu32 " %" PRId64 " %" PRId64 "\n", p->list[i].region, p->list[i].share,
                p->list[i].weight);
    for (uint32_t place = 0; place < p->places; place++)
        fprintf(trace, "R %" PRIu32 " %" PRId64 " %" PRId64 "\n", place, wf_path_places(p)[2 * place],
                wf_path_places(p)[2 * place + 1]);
    if (fclose(trace) != 0)
        give_up(2, "cannot write", name);
}

/* In ticks: all processes read one counter. Every region has a slot, so no slot changes. */
static void put_together(struct all *all, struct wf_path *p)
{
    if (!all->path) {
        all->path = memory(wf_path_bytes(p->capacity, p->places));
        all->sample = memory(wf_path_snapshot_bytes(p->capacity, p->places));
        wf_path_init(all->path, p->capacity, p->places, WF_PATH_NOWHERE);
    }
    if (p->values_epoch > all->path->epoch)
        wf_path_start(all->path, p->values_epoch, 0);
    wf_path_sample(p, p->since, all->sample);
    wf_path_part(all->path, all->sample, 0);
}

static void take_samples(struct all *all, struct wf_path_sampler *sampler, const struct wf_segment_reader *reader,
                         const char *file, const char *traces)
{
    struct wf_segment_header header = *wf_segment_reader_header(reader);
    struct wf_collected_rank rank = {.header = &header, .ending = WF_ENDING_RUNNING};
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_PATH);
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        give_up(2, "cannot read", file);
    for (const struct wf_path_record *record; (record = wf_segment_records_next(&records));)
        switch (wf_path_sampler_take(sampler, reader, &rank, record, records.lane, fd)) {
        case WF_SAMPLE_TAKEN:
            add_to_trace(traces, header.rank, record, sampler->state);
            put_together(all, sampler->state);
            break;
        case WF_SAMPLE_TORN:
            give_up(3, "written right now:", file);
        default:
            give_up(2, "no sample in", file);
        }
    close(fd);
}

static void print_figures(struct wf_path *p)
{
    for (uint32_t slot = 0; slot < p->used; slot++)
        printf("slot %" PRIu32 " %.4f %.4f\n", slot, 100.0 * (double)wf_path_shares(p)[slot] / (double)p->length,
               100.0 * (double)wf_path_savings(p)[slot * WF_PATH_STEPS + WF_PATH_STEPS - 1] / WF_PATH_STEPS /
                   (double)p->length);
}

int main(int argc, char **argv)
{
    struct wf_segment_reader reader = {0};
    struct wf_path_sampler sampler = {0};
    struct all all = {0};
    struct wf_error error;
    char file[4096];
    DIR *run = argc == 3 ? opendir(argv[1]) : NULL;
    if (!run)
        give_up(2, "usage: samples RUN TRACES, and RUN is a directory", "");
    for (struct dirent *entry; (entry = readdir(run));) {
        const char *suffix = strrchr(entry->d_name, '.');
        if (!suffix || strcmp(suffix, WF_SEGMENT_SUFFIX) != 0)
            continue;
        snprintf(file, sizeof file, "%s/%s", argv[1], entry->d_name);
        if (wf_segment_reader_load(&reader, file, &error) != 0)
            give_up(2, file, error.text);
        if (wf_segment_reader_header(&reader)->rank >= 0)
            take_samples(&all, &sampler, &reader, file, argv[2]);
    }
    closedir(run);
    if (!all.path)
        give_up(2, "no samples in", argv[1]);
    print_figures(all.path);
    wf_path_sampler_fini(&sampler);
    wf_segment_reader_fini(&reader);
    free(all.path);
    free(all.sample);
    return 0;
}
