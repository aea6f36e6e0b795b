/* SPDX-License-Identifier: BSD-3-Clause
 *
 * If any allocation fails, the collector says so, leaves no file and leaks no memory (the sanitizers check it). The
 * linker replaces the allocator's functions by those here.
 */
#include "testing.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_builder.h"

static long until_failure = -1; /* so many allocations succeed; -1: all */

static bool fails(void)
{
    if (until_failure < 0)
        return false;
    return until_failure == 0 || until_failure-- == 0;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __real_realloc(memory, bytes);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t bytes)
{
    return fails() ? NULL : __real_strndup(text, bytes);
}

/* Programs with all features: tables, inlined and recursive procedures, MPI, threads. */
static void make_run(struct run *run)
{
    char command[2048];
    static const char *const programs[] = {"figure12", "recursion", "pointers", "inlined_O2"};
    for (int i = 0; i < 4; i++) {
        snprintf(command, sizeof command, "FAKE_RANK=%d FAKE_SEGMENT=%s/%d.seg " FIXTURES "/%s", i % 2,
                 run->scratch.directory, i, programs[i]);
        assert_int_equal(system(command), 0);
    }
    struct run_rank rank = run_rank(1, 2);
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0);
    uint32_t region = run_region(&rank, WF_REGION_PROCEDURE, "f", "a.c", 1);
    run_visit(&rank, rank.lane, region, 0x100, 0x200, 1, 10, 10);
    run_visit(&rank, second, region, 0x100, 0x200, 1, 10, 10);
    ((struct wf_region_record *)segment_builder_at(&rank.builder, region))->off = 1;
    uint32_t site = run_site(&rank, rank.lane, 0x300, "MPI_Recv", 1, 10);
    segment_builder_wait(&rank.builder, rank.lane, site, 1, WF_WAIT_LATE_SENDER, rank.bias + 0x300)->num = 1;
    uint32_t path = segment_builder_path(&rank.builder, rank.lane, 4, 2);
    wf_path_start(segment_builder_state(&rank.builder, path), 1, 0);
    ((struct wf_path_record *)segment_builder_at(&rank.builder, path))->lost = 1;
    struct wf_site_record *followed = segment_builder_at(&rank.builder, site);
    followed->path_number = 1;
    followed->path_stretch = 2;
    run_lane(&rank, rank.lane)->headers.missing = rank.header->check_expected_ticks = 1;
    rank.header->check_seen_ticks = 2;
    run_add(run, &rank);
}

/* Returns whether the collector got through. */
static bool collect(struct run *run, long successes)
{
    struct wf_error error = {""};
    struct wf_collect_options options = {.directory = run->scratch.directory,
                                         .output = scratch_path(&run->scratch, "run.weft")};
    until_failure = successes;
    int result = wf_collect(&options, &run->result, &error);
    bool through = until_failure != 0;
    until_failure = -1;
    if (result != 0)
        assert_true(strlen(error.text) > 0);
    return through;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct run run;
    run_init(&run);
    make_run(&run);
    int files = scratch_count(run.scratch.directory);
    long tried = 0;
    for (long successes = 0; !collect(&run, successes); successes += 1 + successes / 200) {
        unlink(scratch_path(&run.scratch, "run.weft")); /* some failures are no error: a progress line, a note */
        assert_int_equal(scratch_count(run.scratch.directory), files);
        tried++;
    }
    assert_true(tried > 100);
    assert_int_equal(run.result.ranks, 5);
    run_fini(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
