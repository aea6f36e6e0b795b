/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls and visits that were under way when a process was last seen have the time until then. Ticks are nanoseconds;
 * MPI_Init ends at 10,000.
 */
#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "profile_query.h"
#include "run_builder.h"

/* A process that died: main was entered at 12,000, its loop at 20,000. One call has ended in the loop; the next began
 * at 40,000. By its end, watching had cost 1,000 ticks, 500 of them before the loop. */
struct dead_rank {
    struct run_rank rank;
    uint32_t site;
    struct wf_visit_record *main, *loop;
    struct wf_open_record *in_main, *in_loop;
};

static uint32_t offset_in(const struct run_rank *rank, const void *record)
{
    return (uint32_t)(((const char *)record - (const char *)rank->header) / WF_SEGMENT_UNIT);
}

static struct dead_rank dead_rank(int number, int size)
{
    struct dead_rank dead = {.rank = run_rank(number, size)};
    struct run_rank *rank = &dead.rank;
    rank->header->state = WF_STATE_RUNNING;
    rank->header->finalize_begin_ticks = rank->header->finalize_end_ticks = 0;
    dead.site = run_site(rank, rank->lane, 0x10, "MPI_Recv", 1, 100);
    struct wf_lane_record *lane = run_lane(rank, rank->lane);
    lane->current_site = dead.site;
    lane->leave_ticks = 30000;
    lane->enter_ticks = 40000;
    lane->intrusion_ticks = 1000;
    lane->mpi_virtual_ticks = 100;
    ((struct wf_site_record *)segment_builder_at(&rank->builder, dead.site))->ticks_virtual = 100;
    uint32_t in_main = run_region(rank, WF_REGION_PROCEDURE, "main", "a.c", 1),
             in_loop = run_region(rank, WF_REGION_LOOP, "for", "a.c", 2);
    dead.main = run_visit(rank, rank->lane, in_main, 0x100, 0x200, 0, 0, 0);
    dead.loop = run_visit(rank, rank->lane, in_loop, 0, 0, 0, 0, 0);
    dead.loop->inner_raw = dead.loop->inner_virtual = 100;
    segment_builder_open(&rank->builder, rank->lane, 0, 0); /* of no region */
    dead.in_main = segment_builder_open(&rank->builder, rank->lane, offset_in(rank, dead.main), 12000);
    dead.in_loop = segment_builder_open(&rank->builder, rank->lane, offset_in(rank, dead.loop), 20000);
    dead.in_loop->start_virtual = 19500;
    return dead;
}

/* The rank that is added next was found to be gone then. */
static void gone_at(struct run *run, int rank, const char *ns)
{
    char name[64];
    snprintf(name, sizeof name, WF_SEGMENT_GONE "%d-%d", rank, run->next_file);
    scratch_write(scratch_path(&run->scratch, name), ns, strlen(ns));
}

static void what_was_under_way_has_its_time(void **state)
{
    struct run *run = *state;
    struct dead_rank dead = dead_rank(0, 1);
    gone_at(run, 0, "90000");
    run_add(run, &dead.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT wall_raw_ns || ':' || wall_ns || ':' || mpi_raw_ns || ':' || mpi_ns FROM rank",
                    "80000:79000:50100:50100");
    run_expect_rows(run, "SELECT unexplained_ns || ':' || last_site_ns || ':' || events || ':' || visits FROM rank",
                    "50000:50000:1:2");
    run_expect_rows(run,
                    "SELECT calls || ':' || time_raw_ns || ':' || time_ns || ':' || max_ns || ':' || unexplained_ns "
                    "FROM event WHERE name = 'MPI_Recv'",
                    "1:50100:50100:50000:50000");
    run_expect_rows(run,
                    "SELECT calls || ':' || time_raw_ns || ':' || self_raw_ns || ':' || time_ns || ':' || self_ns "
                    "FROM event WHERE name = 'for'",
                    "1:70000:19900:69500:19400");
    run_expect_rows(run,
                    "SELECT calls || ':' || time_raw_ns || ':' || self_raw_ns || ':' || time_ns || ':' || self_ns "
                    "FROM event WHERE name = 'main'",
                    "1:78000:27900:77000:26900");
    run_expect_note(run, "Rank 0 died without MPI_Finalize: its figures end there.");
}

/* The main thread called MPI_Finalize at 60,000, while another thread was in MPI_Recv since 40,000. */
static void a_thread_hangs_while_another_finalizes(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    rank.header->state = WF_STATE_RUNNING;
    rank.header->finalize_begin_ticks = 60000;
    rank.header->finalize_end_ticks = 0;
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0);
    run_lane(&rank, rank.lane)->current_site = run_site(&rank, rank.lane, 0x10, "MPI_Finalize", 0, 0);
    run_lane(&rank, rank.lane)->enter_ticks = 60000;
    run_lane(&rank, second)->current_site = run_site(&rank, second, 0x20, "MPI_Recv", 0, 0);
    run_lane(&rank, second)->enter_ticks = 40000;
    gone_at(run, 0, "90000");
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT time_ns || ':' || unexplained_ns FROM event ORDER BY name", "30000:0 50000:50000");
}

/* Its last entry is later than its last call: so it computed, and its cost is known from there. */
static void a_rank_that_died_computing_ends_in_its_regions(void **state)
{
    struct run *run = *state;
    struct dead_rank dead = dead_rank(0, 1);
    run_lane(&dead.rank, dead.rank.lane)->current_site = 0;
    dead.in_loop->start = 50000;
    dead.in_loop->start_virtual = 48000;
    dead.in_loop->inner_raw = dead.in_loop->inner_virtual = 100;
    gone_at(run, 0, "90000");
    run_add(run, &dead.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT mpi_raw_ns || ':' || wall_raw_ns FROM rank", "100:80000");
    run_expect_rows(run, "SELECT s.name FROM rank JOIN weft_site s ON s.id = last_region", "for");
    run_expect_rows(run, "SELECT time_raw_ns || ':' || time_ns FROM event WHERE name = 'for'", "40000:40000");
    run_expect_rows(run, "SELECT time_raw_ns || ':' || self_raw_ns || ':' || time_ns FROM event WHERE name = 'main'",
                    "78000:78000:76000");
}

/* Without a guardian: all were killed at once, so the last sign of any is one of all. */
static void ranks_that_died_unseen_lived_as_long_as_the_last(void **state)
{
    struct run *run = *state;
    struct dead_rank dead = dead_rank(0, 2), later = dead_rank(1, 2);
    run_lane(&later.rank, later.rank.lane)->enter_ticks = 70000;
    run_add(run, &dead.rank);
    run_add(run, &later.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT wall_raw_ns FROM rank ORDER BY rank", "60000 60000");
    run_expect_rows(run, "SELECT time_raw_ns FROM event WHERE name = 'MPI_Recv' ORDER BY self_node", "30100 100");
    run_expect_note(run, "their figures end at their last recorded time");
}

/* An entry that was left has no start, and what is no visit of the segment is none. */
static void what_has_ended_or_cannot_be_is_not_under_way(void **state)
{
    struct run *run = *state;
    struct dead_rank dead = dead_rank(0, 1);
    dead.in_loop->start = 0;
    segment_builder_open(&dead.rank.builder, dead.rank.lane, dead.site, 30000);
    segment_builder_open(&dead.rank.builder, dead.rank.lane, UINT32_MAX, 30000)->visit += 8;
    gone_at(run, 0, "90000");
    run_add(run, &dead.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT time_raw_ns || ':' || self_raw_ns FROM event WHERE name = 'main'", "78000:28000");
    assert_int_equal(run_number(run, "SELECT calls FROM event WHERE name = 'for'"), 0);
}

static void a_pause_ends_visits(void **state)
{
    struct run *run = *state;
    struct dead_rank dead = dead_rank(0, 1);
    run_lane(&dead.rank, dead.rank.lane)->current_site = 0;
    dead.rank.header->paused_since_ticks = 60000;
    gone_at(run, 0, "90000");
    run_add(run, &dead.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT time_raw_ns FROM event WHERE name = 'main'", "48000");
    run_expect_rows(run, "SELECT wall_raw_ns || ':' || paused_ns FROM rank", "50000:30000");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_was_under_way_has_its_time),
        TEST(a_thread_hangs_while_another_finalizes),
        TEST(a_rank_that_died_computing_ends_in_its_regions),
        TEST(ranks_that_died_unseen_lived_as_long_as_the_last),
        TEST(what_has_ended_or_cannot_be_is_not_under_way),
        TEST(a_pause_ends_visits),
    };
    return cmocka_run_group_tests_name("unfinished", tests, NULL, NULL);
}
