/* SPDX-License-Identifier: BSD-3-Clause */
#include "run_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_query.h"

void run_init(struct run *run)
{
    *run = (struct run){0};
    scratch_init(&run->scratch);
}

void run_fini(struct run *run)
{
    if (run->profile)
        profile_close(run->profile);
    scratch_fini(&run->scratch);
}

int run_setup(void **state)
{
    struct run *run = malloc(sizeof *run);
    run_init(run);
    *state = run;
    return 0;
}

int run_teardown(void **state)
{
    run_fini(*state);
    free(*state);
    return 0;
}

struct run_rank run_rank(int rank, int size)
{
    struct run_rank made = {.bias = 0x555500000000u + 0x10000u * (unsigned)rank};
    segment_builder_init(&made.builder, rank, size, 4 << 20);
    made.header = made.builder.header;
    made.lane = segment_builder_lane(&made.builder, 100, 1);
    made.module = segment_builder_module(&made.builder, "/generated/app", "build", 5, made.bias);
    return made;
}

void run_add(struct run *run, struct run_rank *rank)
{
    char name[64];
    snprintf(name, sizeof name, "%d-%d.seg", rank->header->rank, run->next_file++);
    segment_builder_write(&rank->builder, scratch_path(&run->scratch, name));
    segment_builder_fini(&rank->builder);
}

struct wf_lane_record *run_lane(struct run_rank *rank, uint32_t lane)
{
    return segment_builder_at(&rank->builder, lane);
}

uint32_t run_site(struct run_rank *rank, uint32_t lane, uint64_t offset, const char *call, uint64_t calls,
                  uint64_t ticks)
{
    uint32_t made = segment_builder_site(&rank->builder, lane, rank->module, rank->bias + offset,
                                         segment_builder_call(call));
    struct wf_site_record *site = segment_builder_at(&rank->builder, made);
    site->calls = calls;
    site->ticks_raw = ticks;
    site->max_ticks = ticks;
    run_lane(rank, lane)->events += calls;
    run_lane(rank, lane)->mpi_ticks += ticks;
    return made;
}

struct wf_com_record *run_com(struct run_rank *rank, uint32_t lane, uint32_t site, int partner, uint64_t num,
                              uint64_t bytes, uint64_t ticks)
{
    struct wf_com_record *com = segment_builder_com(&rank->builder, lane, site, partner);
    com->num = num;
    com->bytes = bytes;
    com->trans_raw_ticks = ticks;
    return com;
}

uint32_t run_region(struct run_rank *rank, enum wf_region_kind kind, const char *name, const char *file,
                    uint32_t line)
{
    return segment_builder_region(&rank->builder, kind, name, file, line, 0);
}

struct wf_visit_record *run_visit(struct run_rank *rank, uint32_t lane, uint32_t region, uint64_t caller,
                                  uint64_t probe, uint64_t num, uint64_t ticks, uint64_t self)
{
    uint32_t made = segment_builder_visit(&rank->builder, lane, region, caller ? rank->bias + caller : 0,
                                          probe ? rank->bias + probe : 0);
    struct wf_visit_record *visit = segment_builder_at(&rank->builder, made);
    visit->num = num;
    visit->ticks_raw = ticks;
    visit->inner_raw = ticks - self;
    return visit;
}

void run_collect(struct run *run)
{
    if (run->profile)
        profile_close(run->profile);
    run->profile = NULL;
    struct wf_collect_options options = {.directory = run->scratch.directory,
                                         .output = scratch_path(&run->scratch, "run.weft"),
                                         .command = run->command};
    struct wf_error error;
    if (wf_collect(&options, &run->result, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    if (run->result.ranks)
        run->profile = profile_open(options.output);
}

long long run_number(struct run *run, const char *sql)
{
    return profile_number(run->profile, sql);
}

const char *run_text(struct run *run, const char *sql)
{
    return profile_text(run->profile, sql);
}

void run_expect_rows(struct run *run, const char *sql, const char *expected)
{
    char *named =
        sqlite3_mprintf("WITH rows(x) AS (%s) SELECT coalesce(group_concat(x, ' '), '') FROM rows", sql);
    const char *found = profile_text(run->profile, named);
    if (strcmp(found, expected) != 0) {
        fprintf(stderr, "%s\n  expected: %s\n  found:    %s\n", sql, expected, found);
        abort();
    }
    sqlite3_free(named);
}

void run_expect_note(struct run *run, const char *text)
{
    if (profile_notes(run->profile, text))
        return;
    fprintf(stderr, "no note says: %s\nthey say:\n%s\n", text,
            profile_text(run->profile, "SELECT group_concat(sentence, char(10)) FROM weft_note"));
    abort();
}
