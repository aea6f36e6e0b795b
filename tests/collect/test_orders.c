/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of receives from any source: records become rows, and the sums of the run.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture_calls.h"
#include "run_builder.h"

static struct wf_order_record *add_order(struct run_rank *rank, uint32_t lane, uint32_t site, uint64_t any,
                                         uint64_t changed, uint64_t undecided)
{
    struct wf_order_record *order = segment_builder_order(&rank->builder, lane, site);
    order->any = any;
    order->changed = changed;
    order->undecided = undecided;
    return order;
}

static const char all_orders[] =
    "SELECT o.self_node || ':' || name || ':' || num || ':' || changed || ':' || undecided || ':' || decided || ':' ||"
    " otherwise || ':' || held_ns || ':' || held_max_ns || ':' || released"
    " FROM receive_order o JOIN event ON id = event ORDER BY o.self_node, name";

static const char all_sums[] =
    "SELECT group_concat(key || '=' || value) FROM (SELECT key, value FROM run WHERE key LIKE 'order%' ORDER BY key)";

static void threads_and_equal_statements_are_added_up(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 2), other = run_rank(1, 2);
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0);
    uint32_t a = run_site(&rank, rank.lane, 0x10, "MPI_Recv", 10, 1000),
             b = run_site(&rank, second, 0x10, "MPI_Recv", 10, 1000),
             c = run_site(&rank, rank.lane, 0x20, "MPI_Probe", 10, 1000),
             unused = run_site(&rank, rank.lane, 0x30, "MPI_Irecv", 10, 1000),
             d = run_site(&other, other.lane, 0x10, "MPI_Recv", 10, 1000);
    struct wf_order_record *held = add_order(&rank, rank.lane, a, 100, 10, 1);
    held->decided = 50;
    held->otherwise = 5;
    held->held_ticks = 4000;
    held->held_max_ticks = 300;
    held = add_order(&rank, second, b, 20, 2, 3);
    held->held_ticks = 1000;
    held->held_max_ticks = 500;
    held->released = 7;
    add_order(&rank, rank.lane, c, 8, 0, 8);
    add_order(&rank, rank.lane, unused, 0, 0, 0); /* posted, and never complete */
    add_order(&other, other.lane, d, 1, 1, 0);
    run_add(run, &rank);
    run_add(run, &other);
    run_collect(run);
    run_expect_rows(run, all_orders,
                    "0:MPI_Probe:8:0:8:0:0:0:0:0 0:MPI_Recv:120:12:4:50:5:5000:500:7 1:MPI_Recv:1:1:0:0:0:0:0:0");
    run_expect_rows(run, all_sums,
                    "order_changed=13,order_decided=50,order_held_ns=5000,order_num=129,order_otherwise=5,"
                    "order_released=7,order_undecided=12");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%damaged%'"), 0);
}

static void a_run_without_them_has_sums(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_site(&rank, rank.lane, 0x10, "MPI_Recv", 10, 1000);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM receive_order"), 0);
    assert_int_equal(run_number(run, "SELECT sum(value) FROM run WHERE key LIKE 'order%'"), 0);
}

static void records_of_no_statement_are_damage(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Recv", 10, 1000);
    add_order(&rank, rank.lane, site, 5, 1, 0);
    add_order(&rank, rank.lane, site + 1, 100, 10, 1);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT sum(num) FROM receive_order"), 5);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%damaged%'"), 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(threads_and_equal_statements_are_added_up),
        TEST(a_run_without_them_has_sums),
        TEST(records_of_no_statement_are_damage),
    };
    return cmocka_run_group_tests_name("orders", tests, NULL, NULL);
}
