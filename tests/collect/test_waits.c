/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which rank made which wait: wait records become rows that name the culprit's statement, for which the culprit's own
 * address space is needed.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture_calls.h"
#include "run_builder.h"

/* `num` waits of this time together; the longest is the time of one of them. */
static struct wf_wait_record *add_wait(struct run_rank *rank, uint32_t lane, uint32_t site, int culprit,
                                       enum wf_wait_kind kind, uint64_t address, uint64_t num,
                                       uint64_t virtual_ticks)
{
    struct wf_wait_record *wait =
        segment_builder_wait(&rank->builder, lane, site, culprit, kind, address);
    wait->num = num;
    wait->virtual_ticks = virtual_ticks;
    wait->raw_ticks = 2 * virtual_ticks;
    wait->max_virtual_ticks = num ? virtual_ticks / num : 0;
    rank->header->init_end_virtual_ticks = rank->header->init_end_ticks;
    return wait;
}

static const char all_waits[] = "SELECT self_node || '>' || culprit || ':' || kind || ':' || num || ':' || "
                                "time_ns || ':' || time_raw_ns || ':' || max_ns "
                                "FROM wait ORDER BY self_node, culprit, kind";

static void every_kind_has_its_name(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 12);
    uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Recv", 100, 1000);
    for (int kind = WF_WAIT_LATE_SENDER; kind <= WF_WAIT_NEIGHBOUR; kind++)
        add_wait(&rank, rank.lane, site, kind, (enum wf_wait_kind)kind, 0, 2, 10 * (unsigned)kind);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(
        run, "SELECT culprit || '=' || replace(kind, ' ', '_') FROM wait ORDER BY culprit",
        "1=late_sender 2=wrong_order 3=late_receiver 4=wait_at_barrier 5=wait_at_N-to-N 6=late_broadcast "
        "7=early_reduce 8=wait_at_scan 9=wait_at_neighbour");
    run_expect_rows(run, "SELECT time_ns || ',' || time_raw_ns || ',' || max_ns FROM wait WHERE culprit = 9",
                    "90,180,45");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%damaged%'"), 0);
}

static void threads_and_equal_statements_are_added_up(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 3);
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0);
    uint32_t a = run_site(&rank, rank.lane, 0x10, "MPI_Recv", 10, 1000),
             b = run_site(&rank, second, 0x10, "MPI_Recv", 10, 1000);
    add_wait(&rank, rank.lane, a, 1, WF_WAIT_LATE_SENDER, 0, 4, 400)->max_virtual_ticks = 300;
    add_wait(&rank, second, b, 1, WF_WAIT_LATE_SENDER, 0, 3, 30);
    add_wait(&rank, second, b, 2, WF_WAIT_LATE_SENDER, 0, 1, 5);
    add_wait(&rank, second, b, 2, WF_WAIT_WRONG_ORDER, 0, 1, 6);
    add_wait(&rank, second, b, 0, WF_WAIT_WRONG_ORDER, 0, 0, 0); /* reserved, and never used */
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, all_waits,
                    "0>1:late sender:7:430:860:300 0>2:late sender:1:5:10:5 0>2:wrong order:1:6:12:6");
}

/* Rank 1 is loaded elsewhere than rank 0: the same number is another statement in it, or none. */
static void a_culprit_is_looked_up_in_its_own_address_space(void **state)
{
    struct run *run = *state;
    struct run_rank waits = run_rank(0, 2), late = run_rank(1, 2);
    uint32_t site = run_site(&waits, waits.lane, 0x10, "MPI_Recv", 10, 1000);
    run_site(&waits, waits.lane, 0x10000 + 0x20, "MPI_Bcast", 1,
             1); /* where the culprit's MPI_Send would be, here */
    run_site(&late, late.lane, 0x20, "MPI_Send", 10, 1000);
    assert_int_equal(late.bias - waits.bias, 0x10000);
    add_wait(&waits, waits.lane, site, 1, WF_WAIT_LATE_SENDER, late.bias + 0x20, 3, 300);
    add_wait(&waits, waits.lane, site, 1, WF_WAIT_LATE_SENDER, late.bias + 0x24, 2, 200); /* no statement */
    add_wait(&waits, waits.lane, site, 1, WF_WAIT_LATE_SENDER, 0x10, 1, 100);             /* in no module */
    run_add(run, &waits);
    run_add(run, &late);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT culprit_name || ':' || num || ':' || time_ns FROM wait ORDER BY culprit_name",
                    ":3:300 MPI_Send:3:300");
    assert_int_equal(
        run_number(run, "SELECT offset FROM weft_site WHERE id = (SELECT max(culprit_site) FROM wait)"),
        0x20);
}

/* An address from another process does not tell when it was used: an open library is more likely than a closed one, and
 * one closed late than one closed early. */
static void a_culprits_library_is_the_open_one_or_the_last(void **state)
{
    struct run *run = *state;
    struct run_rank waits = run_rank(0, 2), late = run_rank(1, 2);
    static const char *const libraries[] = {"/A", "/B", "/C"}, *const calls[] = {"MPI_Send", "MPI_Ssend", "MPI_Bsend"};
    const uint64_t open_at = 0x700000000000, closed_at = 0x710000000000;
    uint32_t site = run_site(&waits, waits.lane, 0x10, "MPI_Recv", 10, 1000);
    for (int i = 0; i < 6; i++) {
        uint64_t at = i < 3 ? open_at : closed_at;
        uint32_t module = segment_builder_module(&late.builder, libraries[i % 3], NULL, 0, at);
        segment_builder_site(&late.builder, late.lane, module, at + 0x20, segment_builder_call(calls[i % 3]));
        if (i != 1) /* B stays open, though C was mapped behind it in the file */
            segment_builder_close(&late.builder, module);
    }
    add_wait(&waits, waits.lane, site, 1, WF_WAIT_LATE_SENDER, open_at + 0x20, 3, 300);
    add_wait(&waits, waits.lane, site, 1, WF_WAIT_LATE_SENDER, closed_at + 0x20, 2, 200);
    run_add(run, &waits);
    run_add(run, &late);
    run_collect(run);
    run_expect_rows(run, "SELECT culprit_name || ':' || num FROM wait ORDER BY num", "MPI_Bsend:2 MPI_Ssend:3");
}

static void a_culprits_statement_has_its_line_and_procedure(void **state)
{
    struct run *run = *state;
    struct fixture_call calls[64];
    size_t count = fixture_calls_run(FIXTURES "/pie", calls, 64);
    assert_true(count >= 2);
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = run_rank(i, 2);
        uint32_t module = segment_builder_module(&rank.builder, calls[0].module, NULL, 0,
                                                 0x700000000000u + 0x100000000u * (unsigned)i);
        rank.module = module;
        rank.bias = 0x700000000000u + 0x100000000u * (unsigned)i;
        uint32_t site = run_site(&rank, rank.lane, calls[0].offset, i ? "MPI_Send" : "MPI_Recv", 10, 1000);
        run_site(&rank, rank.lane, calls[1].offset, "MPI_Barrier", 40, 1000);
        if (i == 0)
            add_wait(&rank, rank.lane, site, 1, WF_WAIT_BARRIER, 0x700100000000u + calls[1].offset, 37, 370);
        run_add(run, &rank);
    }
    run_collect(run);
    char expected[1024];
    const char *slash = strrchr(calls[1].file, '/');
    snprintf(expected, sizeof expected, "%s:%d:%s:MPI_Barrier", slash ? slash + 1 : calls[1].file,
             calls[1].line, calls[1].procedure);
    const char *found = run_text(run, "SELECT culprit_file || ':' || culprit_line || ':' || "
                                      "culprit_procedure || ':' || culprit_name FROM wait");
    const char *base = strrchr(found, '/');
    assert_string_equal(base ? base + 1 : found, expected);
}

static void spawned_worlds_blame_their_own_ranks(void **state)
{
    struct run *run = *state;
    for (int world = 0; world < 2; world++)
        for (int i = 0; i < 2; i++) {
            struct run_rank rank = run_rank(i, 2);
            snprintf(rank.header->world, sizeof rank.header->world, "job.%d", world);
            rank.header->init_end_ticks += 1000u * (unsigned)world;
            uint32_t site = run_site(&rank, rank.lane, 0x10 + 16 * (unsigned)world,
                                     world ? "MPI_Barrier" : "MPI_Recv", 10, 1000);
            if (i == 0)
                add_wait(&rank, rank.lane, site, 1, WF_WAIT_BARRIER,
                         rank.bias + 0x10000 + 0x10 + 16 * (unsigned)world, 2, 20);
            if (i == 1)
                add_wait(&rank, rank.lane, site, 7, WF_WAIT_LATE_SENDER, 1, 1, 10); /* not of this world */
            run_add(run, &rank);
        }
    run_collect(run);
    run_expect_rows(run,
                    "SELECT self_node || '>' || culprit || ':' || culprit_name FROM wait ORDER BY self_node",
                    "0>1:MPI_Recv 1>-3: 2>3:MPI_Barrier 3>-3:");
}

static void records_of_no_statement_or_kind_are_damage(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 2);
    uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Recv", 10, 1000);
    add_wait(&rank, rank.lane, site + 1000, 1, WF_WAIT_BARRIER, 0, 1, 1);
    add_wait(&rank, rank.lane, site, 1, (enum wf_wait_kind)77, 0, 1, 1);
    add_wait(&rank, rank.lane, site, 1, WF_WAIT_LATE_SENDER, UINT64_MAX, 1, 1);
    run_add(run, &rank);
    run_collect(run);
    run_expect_rows(run, all_waits, "0>1:late sender:1:1:2:1");
    run_expect_note(run, "damaged or cut short");
}

/* Rank 1 has passed on 250 of the 300 that rank 0 waited for it: 200 of rank 2's work, 50 of rank 3's; threads add
 * up. */
static void root_causes_add_up_to_waiting(void **state)
{
    struct run *run = *state;
    struct run_rank waits = run_rank(0, 4), late = run_rank(1, 4), first = run_rank(2, 4);
    uint32_t second = segment_builder_lane(&waits.builder, 101, 0);
    uint32_t a = run_site(&waits, waits.lane, 0x10, "MPI_Recv", 10, 1000),
             b = run_site(&waits, second, 0x10, "MPI_Recv", 10, 1000);
    run_site(&late, late.lane, 0x20, "MPI_Send", 10, 1000);
    run_site(&first, first.lane, 0x30, "MPI_Bsend", 10, 1000);
    add_wait(&waits, waits.lane, a, 1, WF_WAIT_LATE_SENDER, late.bias + 0x20, 3, 200)->passed_ticks = 200;
    add_wait(&waits, second, b, 1, WF_WAIT_LATE_SENDER, late.bias + 0x20, 2, 100)->passed_ticks = 50;
    add_wait(&waits, second, b, 2, WF_WAIT_LATE_SENDER, first.bias + 0x30, 1, 7);
    add_wait(&waits, waits.lane, a, 2, WF_WAIT_ROOT, first.bias + 0x30, 3, 150);
    add_wait(&waits, waits.lane, a, 3, WF_WAIT_ROOT, 0, 3, 50);
    add_wait(&waits, second, b, 2, WF_WAIT_ROOT, first.bias + 0x30, 1, 50);
    run_add(run, &waits);
    run_add(run, &late);
    run_add(run, &first);
    run_collect(run);
    run_expect_rows(run, all_waits, "0>1:late sender:5:300:600:66 0>2:late sender:1:7:14:7");
    run_expect_rows(run, "SELECT culprit || ':' || own_ns FROM wait ORDER BY culprit", "1:50 2:7");
    run_expect_rows(run,
                    "SELECT self_node || '<' || root || ':' || root_name || ':' || num || ':' || time_ns FROM root"
                    " ORDER BY root",
                    "0<1:MPI_Send:5:50 0<2:MPI_Bsend:5:207 0<3::3:50");
    assert_int_equal(run_number(run, "SELECT sum(time_ns) FROM root"), 307);
}

/* There is no telling whether a culprit on another host waited itself. */
static void own_work_on_another_host_is_not_known(void **state)
{
    struct run *run = *state;
    struct run_rank waits = run_rank(0, 2), late = run_rank(1, 2);
    snprintf(late.header->host, sizeof late.header->host, "elsewhere");
    uint32_t site = run_site(&waits, waits.lane, 0x10, "MPI_Recv", 10, 1000);
    add_wait(&waits, waits.lane, site, 1, WF_WAIT_LATE_SENDER, 0, 3, 300);
    run_add(run, &waits);
    run_add(run, &late);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT own_ns IS NULL FROM wait"), 1);
    run_expect_rows(run, "SELECT root || ':' || time_ns FROM root", "1:300");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_kind_has_its_name),
        TEST(threads_and_equal_statements_are_added_up),
        TEST(a_culprit_is_looked_up_in_its_own_address_space),
        TEST(a_culprits_library_is_the_open_one_or_the_last),
        TEST(a_culprits_statement_has_its_line_and_procedure),
        TEST(spawned_worlds_blame_their_own_ranks),
        TEST(records_of_no_statement_or_kind_are_damage),
        TEST(root_causes_add_up_to_waiting),
        TEST(own_work_on_another_host_is_not_known),
    };
    return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
