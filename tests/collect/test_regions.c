/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions and visits become events and records: what is one region, how lanes and ranks add up, and which notes a
 * reader gets.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile_query.h"
#include "run_builder.h"

/* ---- what is one region ---- */

static void a_region_is_one_site_on_all_ranks(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 3; i++) {
        struct run_rank rank = run_rank(i, 3);
        uint32_t region = run_region(&rank, WF_REGION_PROCEDURE, "solve", "heat.c", 12);
        run_visit(&rank, rank.lane, region, 0x100, 0x200, 5, 1000, 400);
        run_add(run, &rank);
    }
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 1);
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM event WHERE event_type = 'procedure' AND name = 'solve' AND "
                        "file = 'heat.c' AND line = 12 AND calls = 5 AND time_ns = 1000 AND time_raw_ns = "
                        "1000 AND max_ns = 0 AND self_ns = 400 AND procedure = 'solve'"),
        3);
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure WHERE name = 'solve' AND line = 12"), 1);
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM proc WHERE proc_num = 5 AND proc_time = 1000 AND self_time = "
                        "400 AND activate_file = '/generated/app' AND activate_line = 0 AND caller IS NULL"),
        3);
    assert_int_equal(run_number(run, "SELECT sum(visits) FROM rank"), 15);
}

static void kind_name_file_and_line_tell_regions_apart(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    static const struct {
        enum wf_region_kind kind;
        const char *name, *file;
        uint32_t line;
    } regions[] = {{WF_REGION_LOOP, "for", "a.c", 1},   {WF_REGION_LOOP, "for", "a.c", 2},
                   {WF_REGION_LOOP, "while", "a.c", 1}, {WF_REGION_LOOP, "for", "b.c", 1},
                   {WF_REGION_USER, "for", "a.c", 1},   {WF_REGION_PHASE, "for", "a.c", 1},
                   {WF_REGION_LOOP, "for", "a.c", 1}}; /* the last one again, as of a template */
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        run_visit(&rank, rank.lane,
                  run_region(&rank, regions[i].kind, regions[i].name, regions[i].file, regions[i].line), 0, 0,
                  1, 10, 10);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 6);
    assert_int_equal(
        run_number(run, "SELECT loop_num FROM loop JOIN event ON id = event WHERE name = 'for' AND file = "
                        "'a.c' AND line = 1"),
        2);
    run_expect_rows(run, "SELECT DISTINCT type FROM weft_site ORDER BY 1", "loop phase region");
}

static void a_loop_has_a_loop_record_and_a_phase_a_region_record(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_LOOP, "for", "a.c", 1), 0, 0, 2, 100, 30);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_USER, "solve", "a.c", 3), 0, 0, 4, 200, 50);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_PHASE, "setup", "a.c", 5), 0, 0, 6, 300, 70);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(
        run, "SELECT loop_num || ' ' || loop_time || ' ' || loop_time_raw || ' ' || self_time FROM loop",
        "2 100 100 30");
    run_expect_rows(
        run,
        "SELECT name || ' ' || event_type || ' ' || region_num || ' ' || region_time || ' ' || self_time || "
        "' ' || "
        "region_time_raw || ' ' || self_time_raw FROM region JOIN event ON id = event ORDER BY line",
        "solve region 4 200 50 200 50 setup phase 6 300 70 300 70");
    assert_int_equal(run_number(run, "SELECT count(*) FROM proc"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure"), 0);
}

static void a_kind_that_is_not_known_is_passed_over(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_visit(&rank, rank.lane, run_region(&rank, (enum wf_region_kind)99, "what", "a.c", 1), 0, 0, 2, 100,
              30);
    run_visit(&rank, rank.lane, run_region(&rank, (enum wf_region_kind)0, "what", "a.c", 1), 0, 0, 2, 100,
              30);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_LOOP, "for", "a.c", 1), 0, 0, 2, 100, 30);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event"), 1);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'complete'"), 1);
}

static void a_visit_to_no_region_is_damage(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    uint32_t region = run_region(&rank, WF_REGION_LOOP, "for", "a.c", 1);
    run_visit(&rank, rank.lane, region, 0, 0, 2, 100, 30);
    run_visit(&rank, rank.lane, region + 1, 0, 0, 2, 100, 30);
    run_visit(&rank, rank.lane, rank.lane, 0, 0, 2, 100, 30);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event"), 1);
    run_expect_note(run, "Rank 0 left a segment that is damaged or cut short");
}

static void a_region_that_was_never_left_has_what_is_known_of_it(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    uint32_t outer = run_region(&rank, WF_REGION_PROCEDURE, "main", "a.c", 1),
             inner = run_region(&rank, WF_REGION_PROCEDURE, "step", "a.c", 5);
    run_region(&rank, WF_REGION_PROCEDURE, "never_entered", "a.c", 9);
    run_visit(&rank, rank.lane, outer, 0x100, 0x200, 0, 0, 0)->inner_raw = 700;
    run_visit(&rank, rank.lane, inner, 0x100, 0x200, 0, 0, 0);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(
        run, "SELECT name || ' ' || calls || ' ' || time_ns || ' ' || self_ns FROM event ORDER BY line",
        "main 0 700 0 step 0 0 0");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 2);
}

/* ---- lanes ---- */

static void threads_are_added_up_and_can_be_told_apart(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0),
             idle = segment_builder_lane(&rank.builder, 102, 0);
    (void)idle;
    uint32_t solve = run_region(&rank, WF_REGION_PROCEDURE, "solve", "a.c", 1),
             loop = run_region(&rank, WF_REGION_LOOP, "for", "a.c", 2),
             counter = run_region(&rank, WF_REGION_COUNTER, "cells", "a.c", 3);
    run_site(&rank, rank.lane, 0x10, "MPI_Send", 3, 30);
    run_visit(&rank, rank.lane, solve, 0x100, 0x200, 1, 1000, 100);
    run_visit(&rank, rank.lane, solve, 0x110, 0x200, 2, 2000, 200);
    run_visit(&rank, second, solve, 0x100, 0x200, 4, 4000, 400);
    run_visit(&rank, second, loop, 0, 0, 8, 80, 8);
    run_visit(&rank, second, counter, 0, 0, 1, 0, 0);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT calls || ' ' || time_ns || ' ' || self_ns FROM event WHERE name = 'solve'",
                    "7 7000 700");
    run_expect_rows(run, "SELECT thread || ' ' || tid || ' ' || main FROM weft_thread ORDER BY thread",
                    "0 100 1 1 101 0");
    assert_int_equal(run_number(run, "SELECT threads FROM rank"), 1); /* that called MPI */
    run_expect_rows(run,
                    "SELECT thread || ' ' || name || ' ' || calls || ' ' || time_ns FROM weft_thread_event t "
                    "JOIN weft_site s "
                    "ON s.id = t.site ORDER BY thread, name",
                    "0 MPI_Send 3 30 0 solve 3 3000 1 for 8 80 1 solve 4 4000");
}

static void one_thread_needs_no_rows_of_its_own(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_LOOP, "for", "a.c", 2), 0, 0, 8, 80, 8);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_thread_event"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_thread"), 1);
}

/* ---- unknown call statements ---- */

static void visits_of_one_statement_are_added_up(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    uint32_t library = segment_builder_module(&rank.builder, "/generated/lib.so", "other", 5, 0x7f0000000000);
    uint32_t solve = run_region(&rank, WF_REGION_PROCEDURE, "solve", "a.c", 1);
    (void)library;
    run_visit(&rank, rank.lane, solve, 0x100, 0x200, 1, 10, 1);
    run_visit(&rank, rank.lane, solve, 0x110, 0x200, 2, 20, 2);
    run_visit(&rank, rank.lane, solve, 0, 0x200, 4, 40, 4);
    run_visit(&rank, rank.lane, solve, 0x7f0000000010 - rank.bias, 0x200, 8, 80, 8);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT activate_file || ' ' || proc_num || ' ' || proc_time || ' ' || self_time FROM "
                    "proc ORDER BY 1",
                    "/generated/app 3 30 3 /generated/lib.so 8 80 8 [unknown] 4 40 4");
}

static void main_begins_where_there_is_no_text(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    segment_builder_module(&rank.builder, "/generated/libc.so", "other", 5, 0x7f0000000000);
    uint32_t region = run_region(&rank, WF_REGION_PROCEDURE, "main", "a.c", 1);
    run_visit(&rank, rank.lane, region, 0x7f0000000010 - rank.bias, 0x200, 1, 80, 8);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT '[' || activate_file || ']' || activate_line FROM proc", "[]0");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%libc%'"), 0);
}

/* A library was closed, and another one mapped to its addresses: one address is in each of them, and only where the
 * record stands tells which. */
static void an_address_is_in_the_library_that_was_open(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    static const char *const libraries[] = {"/generated/first.so", "/generated/second.so"};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t module = segment_builder_module(&rank.builder, libraries[i], NULL, 0, 0x700000000000);
        uint32_t region = segment_builder_region(&rank.builder, WF_REGION_PROCEDURE, "", "", 0, 0x700000000040);
        uint32_t offset = segment_builder_visit(&rank.builder, rank.lane, region, 0x700000000100, 0x700000000050);
        struct wf_visit_record *visit = segment_builder_at(&rank.builder, offset);
        visit->num = 5 + i;
        visit->ticks_raw = 100;
        if (i == 0)
            segment_builder_close(&rank.builder, module);
    }
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT name || '@' || file || ':' || calls FROM event ORDER BY calls",
                    "0x40@/generated/first.so:5 0x40@/generated/second.so:6");
    run_expect_rows(run, "SELECT activate_file || ':' || proc_num FROM proc ORDER BY proc_num",
                    "/generated/first.so:5 /generated/second.so:6");
}

static void a_procedure_known_by_an_address_that_tells_nothing(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = run_rank(i, 2);
        uint32_t region =
            segment_builder_region(&rank.builder, WF_REGION_PROCEDURE, "", "", 0, rank.bias + 0xabc);
        run_visit(&rank, rank.lane, region, 0x100, 0x200, 1, 80, 8);
        uint32_t nowhere =
            segment_builder_region(&rank.builder, WF_REGION_PROCEDURE, "", "", 0, 0x10 + (uint64_t)i);
        run_visit(&rank, rank.lane, nowhere, 0x100, 0x200, 1, 80, 8);
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_rows(run,
                    "SELECT name || ' ' || file || ' ' || line || ' ' || module || ' ' || offset FROM "
                    "weft_site ORDER BY 1",
                    "0x0 [unknown] 0 [unknown] 0 0xabc /generated/app 0 /generated/app 2748");
    assert_int_equal(run_number(run, "SELECT count(*) FROM event"), 4);
    run_expect_note(run, "/generated/app cannot be read");
}

/* ---- times ---- */

static void virtual_times_stand_beside_raw_ones(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    uint32_t solve = run_region(&rank, WF_REGION_PROCEDURE, "solve", "a.c", 1);
    struct wf_visit_record *visit = run_visit(&rank, rank.lane, solve, 0x100, 0x200, 1, 1000, 100);
    visit->ticks_virtual = 900;
    visit->inner_virtual = 850;
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(
        run, "SELECT proc_time || ' ' || proc_time_raw || ' ' || self_time || ' ' || self_time_raw FROM proc",
        "900 1000 50 100");
    run_expect_rows(run,
                    "SELECT time_ns || ' ' || time_raw_ns || ' ' || self_ns || ' ' || self_raw_ns FROM event",
                    "900 1000 50 100");
}

static void visits_have_their_price(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_site(&rank, rank.lane, 0x10, "MPI_Send", 3, 30);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_LOOP, "for", "a.c", 1), 0, 0, 7, 100, 30);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_COUNTER, "cells", "a.c", 1), 0, 0, 1000, 0, 0);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT overhead_ns FROM rank"), 10 * 30);
    assert_int_equal(run_number(run, "SELECT events FROM rank"), 3);
}

/* ---- counters ---- */

static void count(struct run_rank *rank, uint32_t lane, uint32_t counter, uint64_t num, double sum)
{
    struct wf_visit_record *visit = run_visit(rank, lane, counter, 0, 0, num, 0, 0);
    memcpy(&visit->ticks_raw, &sum, sizeof sum);
}

static void counters_have_sums_of_their_own(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = run_rank(i, 2);
        uint32_t second = segment_builder_lane(&rank.builder, 101, 0),
                 cells = run_region(&rank, WF_REGION_COUNTER, "cells", "a.c", 3);
        count(&rank, rank.lane, cells, 3, 1.5 + i);
        count(&rank, second, cells, 2, 10);
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_rows(run,
                    "SELECT name || ' ' || file || ' ' || line || ' ' || rank || ' ' || num || ' ' || sum "
                    "FROM weft_counter "
                    "ORDER BY rank",
                    "cells a.c 3 0 5 11.5 cells a.c 3 1 5 12.5");
    assert_int_equal(run_number(run, "SELECT count(*) FROM counter WHERE self_node IN (0, 1)"), 2);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_event"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 0);
}

static void what_is_not_a_number_is_none(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    count(&rank, rank.lane, run_region(&rank, WF_REGION_COUNTER, "nan", "a.c", 3), 1, NAN);
    count(&rank, rank.lane, run_region(&rank, WF_REGION_COUNTER, "infinite", "a.c", 4), 1, INFINITY);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT name || ' ' || coalesce(sum, 'none') FROM counter ORDER BY line",
                    "nan none infinite Inf");
}

/* ---- what a reader is told ---- */

static void switch_off(struct run_rank *rank, uint32_t offset, uint64_t visits, uint64_t ticks)
{
    struct wf_region_record *region = segment_builder_at(&rank->builder, offset);
    region->off = 1;
    region->off_visits = visits;
    region->off_ticks = ticks;
}

static void what_was_switched_off_is_told(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = run_rank(i, 2);
        uint32_t f = run_region(&rank, WF_REGION_PROCEDURE, "f", "a.c", 1),
                 g = run_region(&rank, WF_REGION_PROCEDURE, "g", "a.c", 5),
                 on = run_region(&rank, WF_REGION_PROCEDURE, "on", "a.c", 7),
                 loop = run_region(&rank, WF_REGION_LOOP, "for", "a.c", 9);
        run_visit(&rank, rank.lane, f, 0x100, 0x200, 100000, 1200000, 1200000);
        run_visit(&rank, rank.lane, on, 0x100, 0x200, 1, 1, 1);
        switch_off(&rank, f, 100000, 1200000);
        if (i == 0)
            switch_off(&rank, g, 200000, 2000000);
        switch_off(&rank, loop, 100000, 500000);
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_note(
        run,
        "2 procedures were switched off while the program ran, because their calls are too short or too many for their "
        "cost: f (100,000 calls of 12 ns), g (200,000 calls of 10 ns).");
    run_expect_note(
        run,
        "1 loop was switched off while the program ran, because its executions are too short or too many for their "
        "cost: for in a.c:9 (100,000 times 5 ns).");
    run_expect_rows(
        run,
        "SELECT name || ' ' || rank || ' ' || calls || ' ' || time_ns FROM weft_off JOIN weft_site s ON s.id "
        "= site ORDER BY name, rank",
        "f 0 100000 1200000 f 1 100000 1200000 for 0 100000 500000 for 1 100000 500000 g 0 200000 2000000");
}

static void many_that_were_switched_off_stay_one_sentence(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    for (uint32_t i = 0; i < 100; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        switch_off(&rank, run_region(&rank, WF_REGION_PROCEDURE, name, "a.c", i + 1), 0, 0);
    }
    run_add(run, &rank);
    run_collect(run);
    run_expect_note(run, "100 procedures were switched off");
    run_expect_note(run, "f5 (0 calls) and 94 more.");
}

static void what_found_no_room_is_told(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 3; i++) {
        struct run_rank rank = run_rank(i, 3);
        rank.header->dropped_regions = i == 1 ? 1200 : 0;
        rank.header->dropped_visits = i == 2 ? 34 : 0;
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_note(
        run, "Ranks 1 and 2: 1,200 procedures and loops, and 34 visits of others, did not fit into their "
             "segments");
    run_expect_rows(
        run, "SELECT complete || ' ' || dropped_regions || ' ' || dropped_visits FROM rank ORDER BY rank",
        "1 0 0 0 1200 0 0 0 34");
}

/* ---- without MPI ---- */

static struct run_rank without_mpi(bool instrumented)
{
    struct run_rank rank = run_rank(0, 1);
    rank.header->rank = -1;
    rank.header->size = 0;
    rank.header->finalize_end_ticks = 0;
    memset(rank.header->mpi, 0, sizeof rank.header->mpi);
    if (instrumented)
        run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_LOOP, "for", "a.c", 1), 0, 0, 1, 10, 10);
    return rank;
}

static void processes_without_mpi_are_alone_each(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 3; i++) {
        struct run_rank rank = without_mpi(true);
        rank.header->init_end_ticks += (unsigned)i;
        run_add(run, &rank);
    }
    run_collect(run);
    assert_int_equal(run->result.ranks, 3);
    run_expect_rows(
        run, "SELECT rank || ' ' || world || ' ' || world_rank || ' ' || complete FROM rank ORDER BY rank",
        "0 0 0 1 1 1 0 1 2 2 0 1");
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'size'"), 1);
    assert_int_equal(run_number(run, "SELECT wall_ns FROM rank WHERE rank = 0"), 1000000);
    assert_int_equal(run_number(run, "SELECT finalize_ns FROM rank WHERE rank = 0"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%MPI%'"), 0);
}

static void beside_ranks_they_are_left_out_and_told(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1), instrumented = without_mpi(true), another = without_mpi(true),
                    empty = without_mpi(false);
    instrumented.header->pid = 77;
    run_add(run, &instrumented);
    run_add(run, &rank);
    run_add(run, &empty);
    run_add(run, &another);
    run_collect(run);
    assert_int_equal(run->result.ranks, 1);
    assert_int_equal(run->result.refused, 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM rank"), 1);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 0);
    run_expect_note(run, "Process 77 (/generated/app) and 1 more did not initialise MPI and are left out");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 1);
}

static void with_nothing_to_tell_they_are_left_out_in_silence(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1), empty = without_mpi(false);
    run_add(run, &empty);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run->result.ranks, 1);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 0);
}

static void one_that_was_killed_is_told_without_words_of_mpi(void **state)
{
    struct run *run = *state;
    struct run_rank rank = without_mpi(true);
    rank.header->state = WF_STATE_RUNNING;
    rank.header->finalize_begin_ticks = 0;
    run_add(run, &rank);
    run_collect(run);
    run_expect_note(run, "Rank 0 died: its figures end at its last recorded time.");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%MPI%'"), 0);
}

/* ---- strange texts ---- */

static void names_that_become_equal_do_not_collide(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "caf\xe9" : "caf\xe8";
        run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_PROCEDURE, name, name, 1), 0x100, 0x200, 1,
                  10, 10);
        run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_COUNTER, name, name, 1), 0, 0, 1, 10, 10);
    }
    segment_builder_module(&rank.builder, "/a\xe8", NULL, 0, 0x7f0000000000);
    segment_builder_module(&rank.builder, "/a\xe9", NULL, 0, 0x7e0000000000);
    uint32_t region = run_region(&rank, WF_REGION_PROCEDURE, "f", "f", 1);
    run_visit(&rank, rank.lane, region, 0x7f0000000010 - rank.bias, 0x200, 1, 10, 10);
    run_visit(&rank, rank.lane, region, 0x7e0000000010 - rank.bias, 0x200, 2, 20, 20);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site WHERE name = 'caf?'"), 2);
    run_expect_rows(run,
                    "SELECT activate_file || ' ' || proc_num || ' ' || proc_time FROM proc JOIN event ON id "
                    "= event WHERE "
                    "name = 'f'",
                    "/a? 3 30");
}

static void a_region_without_a_name_or_with_a_long_one_is_kept(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    char *name = malloc(100001);
    memset(name, 'x', 100000);
    name[100000] = '\0';
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_USER, "", "", 0), 0, 0, 1, 10, 10);
    run_visit(&rank, rank.lane, run_region(&rank, WF_REGION_PROCEDURE, name, name, UINT32_MAX), 0x100, 0x200,
              1, 10, 10);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event WHERE name = ''"), 1);
    assert_int_equal(run_number(run, "SELECT line FROM event WHERE length(name) = 100000"), UINT32_MAX);
    free(name);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_region_is_one_site_on_all_ranks),
        TEST(kind_name_file_and_line_tell_regions_apart),
        TEST(a_loop_has_a_loop_record_and_a_phase_a_region_record),
        TEST(a_kind_that_is_not_known_is_passed_over),
        TEST(a_visit_to_no_region_is_damage),
        TEST(a_region_that_was_never_left_has_what_is_known_of_it),
        TEST(threads_are_added_up_and_can_be_told_apart),
        TEST(one_thread_needs_no_rows_of_its_own),
        TEST(visits_of_one_statement_are_added_up),
        TEST(main_begins_where_there_is_no_text),
        TEST(an_address_is_in_the_library_that_was_open),
        TEST(a_procedure_known_by_an_address_that_tells_nothing),
        TEST(virtual_times_stand_beside_raw_ones),
        TEST(visits_have_their_price),
        TEST(counters_have_sums_of_their_own),
        TEST(what_is_not_a_number_is_none),
        TEST(what_was_switched_off_is_told),
        TEST(many_that_were_switched_off_stay_one_sentence),
        TEST(what_found_no_room_is_told),
        TEST(processes_without_mpi_are_alone_each),
        TEST(beside_ranks_they_are_left_out_and_told),
        TEST(with_nothing_to_tell_they_are_left_out_in_silence),
        TEST(one_that_was_killed_is_told_without_words_of_mpi),
        TEST(names_that_become_equal_do_not_collide),
        TEST(a_region_without_a_name_or_with_a_long_one_is_kept),
    };
    return cmocka_run_group_tests_name("regions", tests, NULL, NULL);
}
