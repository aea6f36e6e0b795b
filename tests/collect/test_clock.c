/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Virtual times beside raw ones, the cost subtracted, the POP factors that follow, the clocks of several hosts, and
 * notes about uncertain figures. A rank of the builder has 1,000,000 ns of raw wall time.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/segment.h"
#include "run_builder.h"

/* A rank that was delayed by so many ticks when MPI_Init ended, and when MPI_Finalize began. */
static struct run_rank delayed_rank(int number, int size, uint64_t at_begin, uint64_t at_end)
{
    struct run_rank rank = run_rank(number, size);
    rank.header->init_end_virtual_ticks = rank.header->init_end_ticks - at_begin;
    rank.header->finalize_begin_virtual_ticks = rank.header->finalize_begin_ticks - at_end;
    return rank;
}

static void set_mpi(struct run_rank *rank, uint64_t ticks, uint64_t virtual_ticks)
{
    uint32_t site = run_site(rank, rank->lane, 0x10, "MPI_Allreduce", 10, ticks);
    ((struct wf_site_record *)segment_builder_at(&rank->builder, site))->ticks_virtual = virtual_ticks;
    run_lane(rank, rank->lane)->mpi_virtual_ticks = virtual_ticks;
}

static void wall_times_are_virtual_and_the_difference_is_the_intrusion(void **state)
{
    struct run *run = *state;
    struct run_rank one = delayed_rank(0, 2, 100, 50100), two = delayed_rank(1, 2, 300, 80300);
    set_mpi(&one, 400000, 390000);
    set_mpi(&two, 200000, 190000);
    struct wf_lane_record *lane = run_lane(&one, one.lane);
    lane->overhead_ticks = 4321;
    lane->sync_ticks = 250000;
    lane->sync_raw_ticks = 240000;
    run_add(run, &one);
    run_add(run, &two);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT wall_raw_ns || ',' || wall_ns || ',' || intrusion_ns FROM rank ORDER BY rank",
                    "1000000,950000,50000 1000000,920000,80000");
    run_expect_rows(run, "SELECT mpi_raw_ns || ',' || mpi_ns || ',' || useful_ns FROM rank ORDER BY rank",
                    "400000,390000,560000 200000,190000,730000");
    run_expect_rows(run, "SELECT sync_ns || ',' || sync_raw_ns FROM rank ORDER BY rank", "250000,240000 0,0");
    run_expect_rows(run, "SELECT time_raw_ns || ',' || time_ns FROM event ORDER BY self_node",
                    "400000,390000 200000,190000");
    /* The cost that its probes added up; without it, ten events at the calibrated cost. */
    run_expect_rows(run, "SELECT overhead_ns FROM rank ORDER BY rank", "4321 300");
    /* Virtually the run begins with rank 1, at 9,700, and ends with rank 0, at 959,900. */
    run_expect_rows(
        run, "SELECT value FROM run WHERE key IN ('wall_ns', 'wall_raw_ns', 'intrusion_ns') ORDER BY key",
        "49800 950200 1000000");
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'clock'"), "virtual");
}

static void pauses_are_in_neither_time(void **state)
{
    struct run *run = *state;
    struct run_rank one = delayed_rank(0, 2, 0, 50000), two = delayed_rank(1, 2, 0, 50000);
    one.header->paused_ticks = 300000;
    two.header->paused_ticks = 100000;
    two.header->paused_since_ticks = 810000; /* and never resumed */
    run_add(run, &one);
    run_add(run, &two);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT wall_raw_ns || ',' || wall_ns || ',' || intrusion_ns || ',' || paused_ns FROM "
                    "rank ORDER BY rank",
                    "700000,650000,50000,300000 700000,650000,50000,300000");
    run_expect_rows(run, "SELECT value FROM run WHERE key IN ('wall_ns', 'wall_raw_ns') ORDER BY key",
                    "650000 700000");
}

static void a_rank_that_died_ends_as_much_earlier_as_it_was_delayed_last(void **state)
{
    struct run *run = *state;
    struct run_rank rank = delayed_rank(0, 1, 1000, 0);
    rank.header->state = WF_STATE_RUNNING;
    rank.header->finalize_begin_ticks = rank.header->finalize_end_ticks =
        rank.header->finalize_begin_virtual_ticks = 0;
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0);
    set_mpi(&rank, 100000, 90000);
    run_lane(&rank, second)->intrusion_ticks = 77777; /* of another thread */
    run_lane(&rank, rank.lane)->intrusion_ticks = 21000;
    run_lane(&rank, rank.lane)->lag_ticks = 5000;
    run_lane(&rank, rank.lane)->leave_ticks = 510000;
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT wall_raw_ns || ',' || wall_ns || ',' || ideal_ns || ',' || ending FROM rank",
                    "500000,480000,475000,died");
}

static void efficiency_factors_multiply(void **state)
{
    struct run *run = *state;
    static const struct {
        uint64_t mpi, lag;
    } ranks[3] = {{200000, 100000}, {100000, 50000}, {400000, 150000}};
    for (int i = 0; i < 3; i++) {
        struct run_rank rank = delayed_rank(i, 3, 0, 0);
        run_lane(&rank, rank.lane)->headers.taken = 5;
        set_mpi(&rank, ranks[i].mpi, ranks[i].mpi);
        run_lane(&rank, rank.lane)->lag_ticks = ranks[i].lag;
        run_add(run, &rank);
    }
    run_collect(run);
    /* useful: 0.8, 0.9, 0.6; ideal: 0.9, 0.95, 0.85; wall: 1 */
    run_expect_rows(run, "SELECT name || '=' || round(value, 6) FROM efficiency",
                    "parallel_efficiency=0.766667 load_balance=0.851852 communication_efficiency=0.9 "
                    "serialisation_efficiency=0.947368 transfer_efficiency=0.95");
    assert_int_equal(
        run_number(
            run,
            "SELECT abs(a.value * b.value - c.value) < 1e-12 FROM efficiency a, efficiency b, efficiency c "
            "WHERE a.name LIKE 'ser%' AND b.name LIKE 'tra%' AND c.name LIKE 'com%'"),
        1);
}

/* One thread stands for its rank, or its times would not fit together. */
static void the_main_thread_stands_for_its_rank(void **state)
{
    struct run *run = *state;
    struct run_rank rank = delayed_rank(0, 1, 0, 0);
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0);
    run_site(&rank, second, 0x10, "MPI_Recv", 1, 1000);
    run_lane(&rank, rank.lane)->headers.taken = 5;
    set_mpi(&rank, 900000, 900000);
    run_lane(&rank, rank.lane)->lag_ticks = 880000;
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT mpi_ns || ',' || useful_ns || ',' || ideal_ns FROM rank", "900000,100000,120000");
    run_expect_rows(run, "SELECT count(*) FROM efficiency WHERE value <= 1", "5");
}

static void a_thread_that_calls_mpi_stands_for_one_that_does_not(void **state)
{
    struct run *run = *state;
    struct run_rank rank = delayed_rank(0, 1, 0, 0);
    uint32_t few = segment_builder_lane(&rank.builder, 101, 0), many = segment_builder_lane(&rank.builder, 102, 0);
    run_site(&rank, few, 0x10, "MPI_Recv", 1, 900000);
    run_site(&rank, many, 0x20, "MPI_Send", 50, 300000);
    run_lane(&rank, many)->mpi_virtual_ticks = 300000;
    run_lane(&rank, many)->lag_ticks = 200000;
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT mpi_raw_ns || ',' || mpi_ns || ',' || ideal_ns FROM rank", "300000,300000,800000");
}

static void a_late_start_costs_no_transfer(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = delayed_rank(i, 2, 0, 0);
        run_lane(&rank, rank.lane)->headers.taken = 5;
        rank.header->init_end_ticks += i * 500000;
        rank.header->init_end_virtual_ticks += i * 500000;
        set_mpi(&rank, 0, 0);
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_rows(run, "SELECT round(value, 6) FROM efficiency WHERE name = 'transfer_efficiency'", "1.0");
    run_expect_rows(run, "SELECT started_ns || ',' || wall_ns FROM rank", "0,1000000 500000,500000");
}

static void without_cores_it_is_not_known_what_transfers_cost(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 4; i++) {
        struct run_rank rank = delayed_rank(i, 4, 0, 0);
        run_lane(&rank, rank.lane)->headers.taken = 5;
        rank.header->cores[0] = 3;
        rank.header->cores[1] = i == 2;
        set_mpi(&rank, 400000, 400000);
        run_lane(&rank, rank.lane)->idle = (struct wf_idle_ticks){1000, 150000, 2000};
        run_lane(&rank, rank.lane)->no_core_ticks = 50000;
        run_lane(&rank, rank.lane)->no_core_all_ticks = 210000;
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_rows(run,
                    "SELECT polling_ns || ',' || no_core_ns || ',' || unexplained_ns || ',' || no_core_outside_ns || "
                    "',' || transfer_ns FROM rank WHERE rank = 1",
                    "1000,150000,2000,50000,247000");
    run_expect_rows(run, "SELECT value FROM run WHERE key = 'cores'", "3");
    run_expect_rows(run, "SELECT value IS NULL OR reason IS NOT NULL FROM efficiency", "0 0 0 1 1");
    assert_string_equal(run_text(run, "SELECT reason FROM efficiency WHERE name = 'transfer_efficiency'"),
                        "ranks had no core for 21.0 % of the run");
}

static void collect_with_model(struct run *run, enum wf_clock_model model, uint64_t headers_taken)
{
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = delayed_rank(i, 2, 0, 0);
        rank.header->clock_model = i ? model : WF_MODEL_VIRTUAL;
        run_lane(&rank, rank.lane)->headers.taken = headers_taken;
        set_mpi(&rank, 200000, 200000);
        run_add(run, &rank);
    }
    run->next_file = 0; /* so that the next ones replace them */
    run_collect(run);
}

static void the_run_tells_the_weakest_model(void **state)
{
    struct run *run = *state;
    static const char *const names[] = {"virtual", "delay", "local", "real", "real"};
    for (unsigned model = 0; model < 5; model++) {
        collect_with_model(run, (enum wf_clock_model)model, 0);
        assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'clock'"), names[model]);
        assert_int_equal(run_number(run, "SELECT count(value) FROM efficiency"),
                         model < WF_MODEL_REAL ? 5 : 3);
    }
    collect_with_model(run, WF_MODEL_REAL, 1);
    assert_int_equal(run_number(run, "SELECT count(value) FROM efficiency"), 5);
}

static void without_virtual_times_nothing_was_compensated(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_site(&rank, rank.lane, 0x10, "MPI_Recv", 10, 1000);
    run_add(run, &rank);
    run_collect(run);
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'clock'"), "real");
    run_expect_rows(run, "SELECT wall_raw_ns || ',' || wall_ns || ',' || intrusion_ns FROM rank",
                    "1000000,1000000,0");
    assert_int_equal(run_number(run, "SELECT count(*) FROM efficiency WHERE value IS NULL"), 2);
}

static void probe_costs_are_in_the_profile_and_their_check_is_told(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 3; i++) {
        struct run_rank rank = delayed_rank(i, 3, 0, 0);
        rank.header->probe_ticks = 100;
        rank.header->probe_inner_ticks = 40;
        rank.header->pair_ticks = 20;
        rank.header->pair_inner_ticks = 8;
        rank.header->check_expected_ticks = 1000;
        rank.header->check_seen_ticks = i == 0 ? 1250 : i == 1 ? 1251 : 500;
        run_lane(&rank, rank.lane)->overhead_ticks = 10000; /* 1 % of the run */
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_rows(run,
                    "SELECT probe_ns || ',' || probe_inner_ns || ',' || pair_ns || ',' || pair_inner_ns FROM "
                    "rank WHERE rank = 0",
                    "100,40,20,8");
    run_expect_rows(run,
                    "SELECT probe_check_expected_ns || ',' || probe_check_seen_ns FROM rank WHERE rank = 2",
                    "1000,500");
    run_expect_note(
        run, "Probe cost changed during the run (x 0.50, the worst of ranks 1 and 2)");
}

static void a_doubt_that_does_not_matter_is_not_told(void **state)
{
    struct run *run = *state;
    struct run_rank rank = delayed_rank(0, 1, 0, 0);
    rank.header->check_expected_ticks = 1000;
    rank.header->check_seen_ticks = 3000;
    run_lane(&rank, rank.lane)->overhead_ticks = 100; /* of a million */
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%calibrated%'", "0");
}

static void messages_without_stamps_are_told_with_their_share(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = delayed_rank(i, 2, 0, 0);
        run_lane(&rank, rank.lane)->headers.sent = 1000;
        run_lane(&rank, rank.lane)->headers.taken = 475;
        run_lane(&rank, rank.lane)->headers.missing = 20;
        run_lane(&rank, rank.lane)->headers.ambiguous = 5;
        run_lane(&rank, rank.lane)->headers.dropped = i;
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_rows(
        run, "SELECT key || '=' || value FROM run WHERE key LIKE 'headers_%' ORDER BY key",
        "headers_ambiguous=10 headers_dropped=1 headers_missing=40 headers_sent=2000 headers_taken=950");
    run_expect_note(run, "50 of 1,000 messages and collectives (5.0 % of them) came without a time stamp of the other "
                         "side (40 missing, 10 "
                         "ambiguous; 1 found no room at the sender)");
}

static void a_few_messages_without_stamps_are_not_told(void **state)
{
    struct run *run = *state;
    struct run_rank rank = delayed_rank(0, 1, 0, 0);
    run_lane(&rank, rank.lane)->headers.taken = 10000;
    run_lane(&rank, rank.lane)->headers.missing = 20;
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, "SELECT count(*) FROM weft_note", "0");
}

static void add_two_hosts(struct run *run, int64_t error_ns)
{
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = delayed_rank(i, 2, 0, 0);
        snprintf(rank.header->host, sizeof rank.header->host, "node%d", i);
        run_lane(&rank, rank.lane)->headers.taken = 10;
        run_lane(&rank, rank.lane)->headers.missing = 10;
        rank.header->host_error_ns = i ? error_ns : 0;
        run_add(run, &rank);
    }
    run_collect(run);
}

static void hosts_that_exchange_no_stamps_are_told(void **state)
{
    struct run *run = *state;
    add_two_hosts(run, 0);
    run_expect_note(run, "The hosts exchanged no stamps of their clocks");
}

static void hosts_that_exchange_stamps_are_not_told(void **state)
{
    struct run *run = *state;
    add_two_hosts(run, 100);
    run_expect_note(run, "20 of 40 messages");
    run_expect_rows(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%exchanged no stamps%'", "0");
}

/* ---- several hosts ---- */

static void shift(struct run_rank *rank, uint64_t ticks)
{
    struct wf_segment_header *h = rank->header;
    uint64_t *moments[] = {&h->tick0,
                           &h->ns0,
                           &h->tick1,
                           &h->ns1,
                           &h->init_begin_ticks,
                           &h->init_end_ticks,
                           &h->finalize_begin_ticks,
                           &h->finalize_end_ticks};
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
        *moments[i] += ticks;
}

/* Host node2's clock is a day ahead, and gains 1,000 ns a second on it; its time of day is an hour wrong. It
 * really began 7,000 ns later. */
static void hosts_are_compared_by_their_measured_offset(void **state)
{
    struct run *run = *state;
    int64_t day = INT64_C(86400000000000);
    struct run_rank ranks[4];
    for (int i = 0; i < 4; i++) {
        ranks[i] = run_rank(i, 4);
        if (i < 2)
            continue;
        strcpy(ranks[i].header->host, "node2");
        shift(&ranks[i], (uint64_t)day);
        ranks[i].header->epoch_ns0 += UINT64_C(3600000000000);
    }
    ranks[2].header->init_end_ticks += 1000000000; /* a second later */
    ranks[3].header->host_offset_ns = -day + 7000; /* only this one of the host has compared */
    ranks[3].header->host_drift_ppb = -1000;
    ranks[3].header->host_error_ns = 850;
    for (int i = 0; i < 4; i++)
        run_add(run, &ranks[i]);
    run_collect(run);
    run_expect_rows(run, "SELECT started_ns FROM rank ORDER BY rank", "0 0 1000006000 7000");
    run_expect_rows(
        run,
        "SELECT clock_offset_ns || ',' || clock_drift_ppb || ',' || clock_error_ns FROM rank WHERE rank >= 2",
        "0,0,0 -86399999993000,-1000,850");
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'clock_error_ns'"), 850);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(wall_times_are_virtual_and_the_difference_is_the_intrusion),
        TEST(pauses_are_in_neither_time),
        TEST(a_rank_that_died_ends_as_much_earlier_as_it_was_delayed_last),
        TEST(efficiency_factors_multiply),
        TEST(the_main_thread_stands_for_its_rank),
        TEST(a_thread_that_calls_mpi_stands_for_one_that_does_not),
        TEST(a_late_start_costs_no_transfer),
        TEST(without_cores_it_is_not_known_what_transfers_cost),
        TEST(the_run_tells_the_weakest_model),
        TEST(without_virtual_times_nothing_was_compensated),
        TEST(probe_costs_are_in_the_profile_and_their_check_is_told),
        TEST(a_doubt_that_does_not_matter_is_not_told),
        TEST(messages_without_stamps_are_told_with_their_share),
        TEST(a_few_messages_without_stamps_are_not_told),
        TEST(hosts_that_exchange_no_stamps_are_told),
        TEST(hosts_that_exchange_stamps_are_not_told),
        TEST(hosts_are_compared_by_their_measured_offset),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
