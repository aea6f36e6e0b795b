/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments become a profile: what is one statement, which process is which rank, what times mean, and which notes a
 * reader gets.
 */
#include "testing.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture_calls.h"
#include "profile_query.h"
#include "run_builder.h"
#include "weft/profile.h"

/* ---- statements ---- */

static void a_statement_is_one_site_whatever_the_bias(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 4; i++) {
        struct run_rank rank = run_rank(i, 4);
        run_site(&rank, rank.lane, 0x1234, "MPI_Send", 10, 1000);
        run_site(&rank, rank.lane, 0x1300, "MPI_Recv", 10, 1000);
        run_add(run, &rank);
    }
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 2);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_event"), 8);
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM event WHERE name = 'MPI_Send' AND self_node IN (0,1,2,3)"), 4);
    assert_int_equal(run_number(run, "SELECT offset FROM weft_site WHERE name = 'MPI_Send'"), 0x1234);
    assert_string_equal(run_text(run, "SELECT module FROM weft_site WHERE name = 'MPI_Send'"),
                        "/generated/app");
    assert_string_equal(run_text(run, "SELECT PRAGMA_INTEGRITY_CHECK.* FROM PRAGMA_INTEGRITY_CHECK"), "ok");
}

static void one_address_with_two_functions_is_two_sites(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_site(&rank, rank.lane, 0x1234, "MPI_Send", 10, 1000);
    run_site(&rank, rank.lane, 0x1234, "MPI_Recv", 10, 1000);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 2);
}

static void a_module_is_known_by_its_build_id_else_by_its_path(void **state)
{
    struct run *run = *state;
    static const struct {
        const char *path, *build_id;
    } modules[4] = {{"/a/lib.so", "same"}, {"/b/lib.so", "same"}, {"/c/lib.so", NULL}, {"/d/lib.so", NULL}};
    for (int i = 0; i < 4; i++) {
        struct run_rank rank = run_rank(i, 4);
        rank.module = segment_builder_module(&rank.builder, modules[i].path, modules[i].build_id,
                                             modules[i].build_id ? 4 : 0, rank.bias);
        run_site(&rank, rank.lane, 0x10, "MPI_Send", 1, 1);
        run_add(run, &rank);
    }
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 3);
    assert_int_equal(run_number(run, "SELECT count(DISTINCT site) FROM weft_event WHERE rank IN (0, 1)"), 1);
}

static void a_statement_outside_all_modules_is_kept(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    rank.module = 0;
    run_site(&rank, rank.lane, 0x10, "MPI_Send", 3, 1);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT calls FROM event WHERE name = 'MPI_Send' AND procedure IS NULL"),
                     3);
}

static void a_function_of_another_table_has_a_number(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_site(&rank, rank.lane, 0x10, "MPI_Send", 3, 1);
    rank.header->mpi_calls++;
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event WHERE name LIKE 'MPI function %'"), 1);
    run_expect_note(run, "another version of weft");
}

/* ---- sums ---- */

static void threads_of_a_rank_are_added_up(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 2);
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0),
             idle = segment_builder_lane(&rank.builder, 102, 0);
    (void)idle;
    uint32_t a = run_site(&rank, rank.lane, 0x10, "MPI_Send", 10, 1000);
    uint32_t b = run_site(&rank, second, 0x10, "MPI_Send", 5, 3000);
    run_com(&rank, rank.lane, a, 1, 10, 80, 900);
    run_com(&rank, second, b, 1, 5, 40, 2500);
    run_com(&rank, second, b, WF_PARTNER_NONE, 1, 0, 10);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event"), 1);
    assert_int_equal(run_number(run, "SELECT calls FROM event"), 15);
    assert_int_equal(run_number(run, "SELECT time_ns FROM event"), 4000);
    assert_int_equal(run_number(run, "SELECT max_ns FROM event"), 3000);
    assert_int_equal(run_number(run, "SELECT trans_num FROM com WHERE dest_node = 1"), 15);
    assert_int_equal(run_number(run, "SELECT bytes FROM com WHERE dest_node = 1"), 120);
    assert_int_equal(run_number(run, "SELECT trans_time FROM com WHERE dest_node = 1"), 3400);
    assert_int_equal(run_number(run, "SELECT trans_num FROM com WHERE dest_node = -2"), 1);
    assert_int_equal(run_number(run, "SELECT threads FROM rank"), 2);
    assert_int_equal(run_number(run, "SELECT mpi_ns FROM rank"), 1000); /* of the main thread */
    assert_int_equal(run_number(run, "SELECT useful_ns FROM rank"), 1000000 - 1000);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_thread"), 2);
    assert_int_equal(run_number(run, "SELECT mpi_ns FROM weft_thread WHERE tid = 101 AND main = 0"), 3000);
}

static void a_correction_below_zero_in_one_thread_is_taken_off_the_other(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 2);
    uint32_t second = segment_builder_lane(&rank.builder, 101, 0);
    uint32_t a = run_site(&rank, rank.lane, 0x10, "MPI_Irecv", 10, 1000);
    uint32_t b = run_site(&rank, second, 0x10, "MPI_Irecv", 0, 0);
    run_com(&rank, rank.lane, a, 1, 10, 800, 100);
    run_com(&rank, second, b, 1, (uint64_t)-2, (uint64_t)-160, (uint64_t)-20);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT trans_num FROM com"), 8);
    assert_int_equal(run_number(run, "SELECT bytes FROM com"), 640);
    assert_int_equal(run_number(run, "SELECT trans_time FROM com"), 80);
}

static void what_never_happened_is_left_out(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 4);
    uint32_t silent = run_site(&rank, rank.lane, 0x10, "MPI_Send", 0, 0);
    run_com(&rank, rank.lane, silent, 1, 0, 0, 0);
    uint32_t cancelled = run_site(&rank, rank.lane, 0x20, "MPI_Isend", 7, 10);
    run_com(&rank, rank.lane, cancelled, 2, 3, 30, 0);
    run_com(&rank, rank.lane, cancelled, 2, (uint64_t)-3, (uint64_t)-30, 0);
    run_com(&rank, rank.lane, cancelled, 3, 4, 40, 0);
    uint32_t completed_elsewhere = run_site(&rank, rank.lane, 0x30, "MPI_Wait", 0, 0);
    run_com(&rank, rank.lane, completed_elsewhere, 1, 5, 0, 50);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site WHERE name = 'MPI_Send'"), 0);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event"), 2);
    assert_int_equal(run_number(run, "SELECT count(*) FROM com"), 2);
    assert_int_equal(
        run_number(run, "SELECT dest_node FROM com JOIN event ON id = event WHERE name = 'MPI_Isend'"), 3);
    assert_int_equal(
        run_number(
            run, "SELECT trans_num FROM com JOIN event ON id = event WHERE name = 'MPI_Wait' AND calls = 0"),
        5);
}

static void raw_times_stand_for_virtual_ones_until_something_compensates(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = run_rank(i, 2);
        uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Recv", 1, 1000);
        struct wf_com_record *com = run_com(&rank, rank.lane, site, 1 - i, 1, 8, 600);
        com->sync_raw_ticks = 400;
        if (i == 1) {
            ((struct wf_site_record *)segment_builder_at(&rank.builder, site))->ticks_virtual = 900;
            run_lane(&rank, rank.lane)->mpi_virtual_ticks = 900;
            com->trans_virtual_ticks = 550;
            com->sync_virtual_ticks = 0;
        }
        run_add(run, &rank);
    }
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT time_ns FROM event WHERE self_node = 0"), 1000);
    assert_int_equal(run_number(run, "SELECT time_ns FROM event WHERE self_node = 1"), 900);
    assert_int_equal(run_number(run, "SELECT time_raw_ns FROM event WHERE self_node = 1"), 1000);
    assert_int_equal(run_number(run, "SELECT sync_delay FROM com WHERE dest_node = 1"), 400);
    assert_int_equal(run_number(run, "SELECT sync_delay FROM com WHERE dest_node = 0"), 0);
    assert_int_equal(run_number(run, "SELECT sync_delay_raw FROM com WHERE dest_node = 0"), 400);
    assert_int_equal(run_number(run, "SELECT trans_time FROM com WHERE dest_node = 0"), 550);
    assert_int_equal(run_number(run, "SELECT mpi_ns FROM rank WHERE rank = 1"), 900);
    assert_int_equal(run_number(run, "SELECT mpi_raw_ns FROM rank WHERE rank = 1"), 1000);
}

/* ---- worlds ---- */

static void add_in_world(struct run *run, const char *world, int number, int size, uint64_t begin_ns,
                         int partner)
{
    struct run_rank rank = run_rank(number, size);
    snprintf(rank.header->world, sizeof rank.header->world, "%s", world);
    rank.header->init_end_ticks = begin_ns;
    uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Send", 1, 1);
    run_com(&rank, rank.lane, site, partner, 1, 8, 1);
    run_com(&rank, rank.lane, site, WF_PARTNER_OUTSIDE, 1, 8, 1);
    run_add(run, &rank);
}

static void a_spawned_world_follows_behind_the_first(void **state)
{
    struct run *run = *state;
    add_in_world(run, "a-spawned", 1, 2, 50000, 0);
    add_in_world(run, "a-spawned", 0, 2, 50001, 1);
    add_in_world(run, "z-first", 2, 3, 10002, 0);
    add_in_world(run, "z-first", 0, 3, 10000, 1);
    add_in_world(run, "z-first", 1, 3, 10001, 2);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'worlds'"), 2);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'ranks'"), 3);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'size'"), 3);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'complete'"), 1);
    assert_int_equal(run_number(run, "SELECT count(*) FROM rank WHERE world = 0 AND rank = world_rank"), 3);
    assert_int_equal(run_number(run, "SELECT count(*) FROM rank WHERE world = 1 AND rank = world_rank + 3"),
                     2);
    assert_int_equal(run_number(run, "SELECT started_ns FROM rank WHERE rank = 4"), 40000);
    assert_int_equal(
        run_number(
            run, "SELECT dest_node FROM com JOIN event ON id = event WHERE self_node = 4 AND dest_node >= 0"),
        3);
    assert_int_equal(run_number(run, "SELECT count(*) FROM com WHERE dest_node = -3"), 5);
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM weft_note WHERE sentence NOT LIKE '%/generated/app%'"), 0);
}

static void a_program_started_again_is_a_further_world(void **state)
{
    struct run *run = *state;
    add_in_world(run, "job", 0, 2, 10000, 1);
    add_in_world(run, "job", 1, 2, 10001, 0);
    add_in_world(run, "job", 1, 2, 20000, 0);
    add_in_world(run, "job", 0, 2, 20001, 1);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'worlds'"), 2);
    assert_int_equal(run_number(run, "SELECT count(*) FROM rank WHERE world = 1 AND started_ns >= 10000"), 2);
    assert_int_equal(run_number(run, "SELECT count(*) FROM rank WHERE rank BETWEEN 0 AND 3"), 4);
}

static void singletons_are_worlds_of_their_own(void **state)
{
    struct run *run = *state;
    for (unsigned i = 0; i < 3; i++)
        add_in_world(run, "", 0, 1, 10000 + i, 0);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'worlds'"), 3);
    assert_int_equal(run_number(run, "SELECT count(*) FROM rank WHERE rank = world AND world_rank = 0"), 3);
    run_expect_note(run, "Each of the 3 processes was alone in its MPI_COMM_WORLD");
}

static void a_partner_that_its_world_does_not_have_is_outside(void **state)
{
    struct run *run = *state;
    add_in_world(run, "job", 0, 2, 10000, 7);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT dest_node FROM com"), -3);
}

static void ranks_that_were_not_watched_are_named(void **state)
{
    struct run *run = *state;
    add_in_world(run, "job", 2, 4, 10000, 1);
    run_collect(run);
    run_expect_note(run, "Only 1 of 4 ranks was watched (rank 2): the others left no data");
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'ranks'"), 1);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'size'"), 4);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'complete'"), 0);
    assert_int_equal(run_number(run, "SELECT complete FROM rank"), 1);
}

static void few_missing_ranks_are_named_instead_of_the_many(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 10; i++)
        if (i != 3 && i != 9)
            add_in_world(run, "job", i, 10, 10000, 1);
    run_collect(run);
    run_expect_note(run,
                    "Only 8 of 10 ranks were watched (not ranks 3 and 9): the missing ones left no data");
}

/* ---- endings ---- */

static struct run_rank unfinished(int number, int size, enum wf_segment_state state)
{
    struct run_rank rank = run_rank(number, size);
    rank.header->state = state;
    rank.header->finalize_begin_ticks = rank.header->finalize_end_ticks = 0;
    uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Recv", 1, 100);
    run_lane(&rank, rank.lane)->current_site = site;
    run_lane(&rank, rank.lane)->leave_ticks = 30000;
    run_lane(&rank, rank.lane)->enter_ticks = 40000;
    return rank;
}

static void a_rank_that_died_ends_at_its_last_sign_of_life(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 4; i++) {
        struct run_rank rank = i % 2 ? unfinished(i, 4, WF_STATE_RUNNING) : run_rank(i, 4);
        run_add(run, &rank);
    }
    run_collect(run);
    run_expect_note(run,
                    "Ranks 1 and 3 died without MPI_Finalize: their figures end at their last recorded time.");
    assert_string_equal(run_text(run, "SELECT ending FROM rank WHERE rank = 1"), "died");
    assert_int_equal(run_number(run, "SELECT wall_ns FROM rank WHERE rank = 1"),
                     30000); /* entered at 40,000 */
    assert_int_equal(run_number(run, "SELECT complete FROM rank WHERE rank = 1"), 0);
    assert_string_equal(
        run_text(run, "SELECT s.name FROM rank r JOIN weft_site s ON s.id = r.last_site WHERE rank = 3"),
        "MPI_Recv");
    assert_string_equal(run_text(run, "SELECT ending FROM rank WHERE rank = 0"), "finalized");
    assert_string_equal(run_text(run, "SELECT last_site FROM rank WHERE rank = 0"), "NULL");
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'complete'"), 0);
}

static void outside_a_call_the_last_sign_is_the_end_of_the_last_one(void **state)
{
    struct run *run = *state;
    struct run_rank rank = unfinished(0, 1, WF_STATE_RUNNING);
    run_lane(&rank, rank.lane)->current_site = 0;
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT wall_ns FROM rank"), 20000);
    assert_string_equal(run_text(run, "SELECT last_site FROM rank"), "NULL");
}

static void a_rank_killed_in_its_first_call_names_its_statement(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    rank.header->state = WF_STATE_RUNNING;
    rank.header->finalize_begin_ticks = rank.header->finalize_end_ticks = 0;
    uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Barrier", 0, 0);
    run_lane(&rank, rank.lane)->current_site = site;
    run_lane(&rank, rank.lane)->enter_ticks = 15000;
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM event"), 0);
    assert_string_equal(run_text(run, "SELECT s.name FROM rank r JOIN weft_site s ON s.id = r.last_site"),
                        "MPI_Barrier");
    assert_int_equal(run_number(run, "SELECT wall_ns FROM rank"), 5000);
    assert_int_equal(run_number(run, "SELECT threads FROM rank"), 1);
}

static void aborts_and_exits_end_where_they_say(void **state)
{
    struct run *run = *state;
    struct run_rank aborted = unfinished(0, 2, WF_STATE_ABORTED), exited = unfinished(1, 2, WF_STATE_EXITED);
    aborted.header->end_code = 77;
    aborted.header->end_ticks = exited.header->end_ticks = 60000;
    run_add(run, &aborted);
    run_add(run, &exited);
    run_collect(run);
    assert_string_equal(run_text(run, "SELECT ending || ' ' || end_code FROM rank WHERE rank = 0"),
                        "aborted 77");
    assert_string_equal(run_text(run, "SELECT ending || ' ' || (end_code IS NULL) FROM rank WHERE rank = 1"),
                        "exited 1");
    assert_int_equal(run_number(run, "SELECT wall_ns FROM rank WHERE rank = 0"), 50000);
    run_expect_note(run, "Rank 0 called MPI_Abort with code 77");
    run_expect_note(run, "Rank 1 exited without MPI_Finalize");
}

static void read_boot_id(char *text, size_t bytes)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    assert_non_null(file);
    assert_non_null(fgets(text, (int)bytes, file));
    text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

static struct run_rank unfinished_here(int number, pid_t pid)
{
    struct run_rank rank = unfinished(number, 2, WF_STATE_RUNNING);
    read_boot_id(rank.header->boot_id, sizeof rank.header->boot_id);
    memset(rank.header->host, 0, sizeof rank.header->host);
    gethostname(rank.header->host, sizeof rank.header->host - 1);
    rank.header->pid = (uint32_t)pid;
    return rank;
}

static void a_process_that_lives_still_runs_and_a_zombie_does_not(void **state)
{
    struct run *run = *state;
    pid_t zombie = fork();
    if (zombie == 0)
        _exit(0);
    siginfo_t info;
    waitid(P_PID, (id_t)zombie, &info, WEXITED | WNOWAIT);
    struct run_rank lives = unfinished_here(0, getpid()), died = unfinished_here(1, zombie);
    run_add(run, &lives);
    run_add(run, &died);
    run_collect(run);
    waitpid(zombie, NULL, 0);
    assert_string_equal(run_text(run, "SELECT ending FROM rank WHERE rank = 0"), "running");
    assert_string_equal(run_text(run, "SELECT ending FROM rank WHERE rank = 1"), "died");
    run_expect_note(run, "Rank 0 still runs");
}

/* ---- times ---- */

static void a_pause_counts_nowhere(void **state)
{
    struct run *run = *state;
    struct run_rank one = run_rank(0, 2), two = run_rank(1, 2);
    one.header->paused_ticks = 300000;
    two.header->paused_ticks = 100000;
    two.header->paused_since_ticks = 810000; /* and never resumed */
    run_add(run, &one);
    run_add(run, &two);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT wall_ns FROM rank WHERE rank = 0"), 700000);
    assert_int_equal(run_number(run, "SELECT paused_ns FROM rank WHERE rank = 1"), 300000);
    assert_int_equal(run_number(run, "SELECT wall_ns FROM rank WHERE rank = 1"), 700000);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'wall_ns'"), 700000);
}

static void the_wall_time_of_a_run_spans_all_its_ranks(void **state)
{
    struct run *run = *state;
    struct run_rank early = run_rank(0, 2), late = run_rank(1, 2);
    late.header->init_end_ticks += 5000;
    late.header->finalize_begin_ticks += 5000;
    run_add(run, &early);
    run_add(run, &late);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'wall_ns'"), 1005000);
    assert_int_equal(run_number(run, "SELECT started_ns FROM rank WHERE rank = 1"), 5000);
    assert_int_equal(run_number(run, "SELECT init_ns FROM rank WHERE rank = 0"), 8000);
    assert_int_equal(run_number(run, "SELECT finalize_ns FROM rank WHERE rank = 0"), 10000);
}

static void hosts_are_compared_by_the_time_of_day(void **state)
{
    struct run *run = *state;
    struct run_rank here = run_rank(0, 2), there = run_rank(1, 2);
    strcpy(there.header->host, "node2");
    /* Its monotonic clock is a day ahead; it really began 7 us later. */
    uint64_t day = UINT64_C(86400000000000);
    there.header->epoch_ns0 += 7000;
    there.header->tick0 += day;
    there.header->ns0 += day;
    there.header->tick1 += day;
    there.header->ns1 += day;
    there.header->init_begin_ticks += day;
    there.header->init_end_ticks += day;
    there.header->finalize_begin_ticks += day;
    there.header->finalize_end_ticks += day;
    run_add(run, &here);
    run_add(run, &there);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT started_ns FROM rank WHERE rank = 1"), 7000);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'hosts'"), 2);
}

static void make_tsc(struct run_rank *rank, int factor)
{
    rank->header->clock = WF_CLOCK_TSC;
    rank->header->tick1 = rank->header->tick0 + (unsigned)factor * (rank->header->ns1 - rank->header->ns0);
}

static void a_rank_that_ended_too_early_takes_the_clock_of_its_boot(void **state)
{
    struct run *run = *state;
    struct run_rank whole = run_rank(0, 2), early = run_rank(1, 2);
    make_tsc(&whole, 2);
    make_tsc(&early, 0);
    early.header->ns1 = early.header->ns0;
    run_site(&early, early.lane, 0x10, "MPI_Send", 1, 1000);
    run_add(run, &whole);
    run_add(run, &early);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT time_ns FROM event"), 500);
}

static void without_any_clock_counts_are_left(void **state)
{
    struct run *run = *state;
    struct run_rank whole = run_rank(0, 2), early = run_rank(1, 2);
    make_tsc(&whole, 2);
    make_tsc(&early, 0);
    strcpy(early.header->boot_id, "another");
    run_site(&early, early.lane, 0x10, "MPI_Send", 4, 1000);
    run_add(run, &whole);
    run_add(run, &early);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT time_ns FROM event"), 0);
    assert_int_equal(run_number(run, "SELECT calls FROM event"), 4);
    run_expect_note(run, "Rank 1 ended before its clock could be set");
}

static void watching_has_its_price_in_the_profile(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = run_rank(i, 2);
        run_site(&rank, rank.lane, 0x10, "MPI_Send", 100, 1000);
        run_add(run, &rank);
    }
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT overhead_ns FROM rank WHERE rank = 1"), 3000);
    assert_int_equal(run_number(run, "SELECT intrusion_ns FROM rank WHERE rank = 1"),
                     0); /* nothing is subtracted */
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'overhead_ns'"), 6000);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'events'"), 200);
    assert_int_equal(
        run_number(run,
                   "SELECT value = (SELECT sum(segment_bytes) FROM rank) FROM run WHERE key = 'data_bytes'"),
        1);
}

/* ---- what is missing ---- */

static void dropped_records_are_told(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    rank.header->dropped_sites = 1000;
    rank.header->dropped_coms = 234;
    rank.header->dropped_sites_ticks = 400000000;
    rank.header->dropped_coms_ticks = 100000000;
    rank.header->dropped_requests = 5;
    rank.header->dropped_lanes = 2;
    run_add(run, &rank);
    run_collect(run);
    run_expect_note(
        run,
        "Rank 0: 1,234 calls (500 ms) did not fit into its segment; give weft run a larger --segment-size.");
    run_expect_note(run, "Rank 0: 5 nonblocking operations");
    run_expect_note(run, "Rank 0: 2 threads did not fit into its segment");
    assert_int_equal(run_number(run, "SELECT dropped_calls FROM rank"), 1234);
    assert_int_equal(run_number(run, "SELECT dropped_ns FROM rank"), 500000000);
    assert_int_equal(run_number(run, "SELECT complete FROM rank"), 0);
}

static void a_damaged_segment_is_in_the_profile_with_what_is_whole(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 2);
    uint32_t site = run_site(&rank, rank.lane, 0x10, "MPI_Send", 4, 1000);
    run_com(&rank, rank.lane, site, 1, 4, 8, 8);
    run_com(&rank, rank.lane, site + 3000, 1, 4, 8, 8); /* of a missing statement */
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT calls FROM event"), 4);
    assert_int_equal(run_number(run, "SELECT count(*) FROM com"), 1);
    assert_int_equal(run_number(run, "SELECT complete FROM rank"), 0);
    run_expect_note(run, "Rank 0 left a segment that is damaged or cut short");
}

static void refused_files_are_told_together(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 6);
    run_add(run, &rank);
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "empty-%d.seg", i);
        scratch_write(scratch_path(&run->scratch, name), "", 0);
    }
    scratch_write(scratch_path(&run->scratch, "text.seg"), "no", 2);
    scratch_write(scratch_path(&run->scratch, "not-a-segment.txt"), "no", 2);
    run_collect(run);
    assert_int_equal(run->result.segments, 7);
    assert_int_equal(run->result.ranks, 1);
    assert_int_equal(run->result.refused, 6);
    run_expect_note(run, "Segments empty-0.seg, empty-1.seg, empty-2.seg and 2 more are left out");
    run_expect_note(run, "no disk space");
    run_expect_note(run, "Segment text.seg is left out: it is cut short.");
}

static void without_any_usable_segment_nothing_is_written(void **state)
{
    struct run *run = *state;
    scratch_write(scratch_path(&run->scratch, "empty.seg"), "", 0);
    run_collect(run);
    assert_int_equal(run->result.ranks, 0);
    assert_int_equal(run->result.refused, 1);
    assert_int_equal(scratch_count(run->scratch.directory), 1);
}

/* ---- the run ---- */

static void the_run_describes_itself(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_add(run, &rank);
    run_collect(run);
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'command'"), "./app --fast");
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'started'"), "2023-11-14T22:13:20Z");
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'mpi'"), "Open MPI 4.1.4");
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'weft'"), "0.1.0");
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'clock'"), "real");
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'complete'"), 1);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_ns'"), 0);
    assert_int_equal(run_number(run, "PRAGMA application_id"), 0x77656674);
    assert_int_equal(run_number(run, "PRAGMA user_version"), WEFT_PROFILE_VERSION);
    assert_int_equal(run_number(run, "SELECT count(*) FROM path"), 0);
    assert_int_equal(
        run_number(run, "SELECT round(100 * value) FROM efficiency WHERE name = 'parallel_efficiency'"), 100);
}

static void what_the_user_typed_goes_before_what_the_segment_says(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run->command = "mpirun -n 1 ./app";
    run_add(run, &rank);
    run_collect(run);
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'command'"), "mpirun -n 1 ./app");
}

static void text_in_another_encoding_is_made_readable(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    strcpy(rank.header->command, "./caf\xe9 gr\xc3\xbc\xc3\x9f\x65 cut\xe2\x82");
    run_add(run, &rank);
    run_collect(run);
    assert_string_equal(run_text(run, "SELECT value FROM run WHERE key = 'command'"),
                        "./caf? gr\xc3\xbc\xc3\x9f\x65 cut??");
}

/* ---- with a real program ---- */

static struct fixture_call calls[64];

static size_t run_fixture(const char *command)
{
    size_t count = fixture_calls_run(command, calls, sizeof calls / sizeof *calls);
    assert_true(count > 0);
    return count;
}

/* Two ranks that call one function from all these places. */
static void add_ranks_that_call(struct run *run, size_t count, const char *module, const char *build_id)
{
    for (int i = 0; i < 2; i++) {
        struct run_rank rank = run_rank(i, 2);
        rank.module = segment_builder_module(&rank.builder, module, build_id, build_id ? strlen(build_id) : 0,
                                             rank.bias);
        for (size_t c = 0; c < count; c++)
            run_site(&rank, rank.lane, calls[c].offset, "MPI_Send", 1, 100);
        run_add(run, &rank);
    }
}

static void statements_are_found_in_the_text(void **state)
{
    struct run *run = *state;
    size_t count = run_fixture(FIXTURES "/pie");
    add_ranks_that_call(run, count, FIXTURES "/pie", NULL);
    run_collect(run);
    /* exchange, step, main, and the unrolled one, which is one statement at four addresses */
    assert_int_equal(count, 7);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), 4);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_event"), 8);
    assert_int_equal(
        run_number(run, "SELECT calls FROM event WHERE procedure = 'unrolled' AND self_node = 1"), 4);
    assert_int_equal(
        run_number(run, "SELECT time_ns FROM event WHERE procedure = 'unrolled' AND self_node = 1"), 400);
    for (size_t i = 0; i < count; i++) {
        char sql[1024];
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM event e JOIN procedure p ON p.name = e.procedure WHERE e.procedure = "
                 "'%.100s' AND "
                 "e.file = 'calls.c' AND e.line = %d AND p.file = 'calls.c' AND p.line < e.line",
                 calls[i].procedure, calls[i].line);
        assert_int_equal(run_number(run, sql), 2);
    }
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 0);
}

static void without_debug_information_statements_stay_apart_and_a_note_says_why(void **state)
{
    struct run *run = *state;
    size_t count = run_fixture(FIXTURES "/no_debug");
    add_ranks_that_call(run, count, FIXTURES "/no_debug", NULL);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site"), count);
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM weft_site WHERE line = 0 AND file = '" FIXTURES "/no_debug'"),
        count);
    assert_int_equal(run_number(run, "SELECT count(*) FROM procedure WHERE name = 'step' AND line = 0"), 1);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 1);
    run_expect_note(run, "No line information in " FIXTURES
                         "/no_debug: statements are shown by function and offset; compile it "
                         "with -g.");
}

static void a_program_that_was_rebuilt_is_not_used(void **state)
{
    struct run *run = *state;
    size_t count = run_fixture(FIXTURES "/pie");
    add_ranks_that_call(run, count, FIXTURES "/other_build", "the id of pie");
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_site WHERE line = 0 AND procedure IS NULL"),
                     count);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 1);
    run_expect_note(run, FIXTURES "/other_build has changed since the run");
}

static void a_program_that_is_gone_is_told(void **state)
{
    struct run *run = *state;
    struct run_rank rank = run_rank(0, 1);
    run_site(&rank, rank.lane, 0x10, "MPI_Send", 1, 1);
    run_add(run, &rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note"), 1);
    run_expect_note(run, "/generated/app cannot be read (No such file or directory)");
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_statement_is_one_site_whatever_the_bias),
        TEST(one_address_with_two_functions_is_two_sites),
        TEST(a_module_is_known_by_its_build_id_else_by_its_path),
        TEST(a_statement_outside_all_modules_is_kept),
        TEST(a_function_of_another_table_has_a_number),
        TEST(threads_of_a_rank_are_added_up),
        TEST(a_correction_below_zero_in_one_thread_is_taken_off_the_other),
        TEST(what_never_happened_is_left_out),
        TEST(raw_times_stand_for_virtual_ones_until_something_compensates),
        TEST(a_spawned_world_follows_behind_the_first),
        TEST(a_program_started_again_is_a_further_world),
        TEST(singletons_are_worlds_of_their_own),
        TEST(a_partner_that_its_world_does_not_have_is_outside),
        TEST(ranks_that_were_not_watched_are_named),
        TEST(few_missing_ranks_are_named_instead_of_the_many),
        TEST(a_rank_that_died_ends_at_its_last_sign_of_life),
        TEST(outside_a_call_the_last_sign_is_the_end_of_the_last_one),
        TEST(a_rank_killed_in_its_first_call_names_its_statement),
        TEST(aborts_and_exits_end_where_they_say),
        TEST(a_process_that_lives_still_runs_and_a_zombie_does_not),
        TEST(a_pause_counts_nowhere),
        TEST(the_wall_time_of_a_run_spans_all_its_ranks),
        TEST(hosts_are_compared_by_the_time_of_day),
        TEST(a_rank_that_ended_too_early_takes_the_clock_of_its_boot),
        TEST(without_any_clock_counts_are_left),
        TEST(watching_has_its_price_in_the_profile),
        TEST(dropped_records_are_told),
        TEST(a_damaged_segment_is_in_the_profile_with_what_is_whole),
        TEST(refused_files_are_told_together),
        TEST(without_any_usable_segment_nothing_is_written),
        TEST(the_run_describes_itself),
        TEST(what_the_user_typed_goes_before_what_the_segment_says),
        TEST(text_in_another_encoding_is_made_readable),
        TEST(statements_are_found_in_the_text),
        TEST(without_debug_information_statements_stay_apart_and_a_note_says_why),
        TEST(a_program_that_was_rebuilt_is_not_used),
        TEST(a_program_that_is_gone_is_told),
    };
    return cmocka_run_group_tests_name("collect", tests, NULL, NULL);
}
