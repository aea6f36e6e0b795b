/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path: states made by the path's own functions become rows with the same figures, on any clock, host and
 * numbering.
 */
#include "testing.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "run_builder.h"

enum { RELAX = 2, RECV = 3, BEHIND = 4, SLOTS = 8, PLACES = 4, EPOCH = 0x10001 };

/* A rank with a path that began with its wall time, at tick 10,000. */
struct followed {
    struct run_rank rank;
    uint32_t record_at;
    struct wf_path_record *record;
    struct wf_path *state;
};

static struct followed followed_rank(int rank, int size)
{
    struct followed f = {.rank = run_rank(rank, size)};
    f.record_at = segment_builder_path(&f.rank.builder, f.rank.lane, SLOTS, PLACES);
    f.record = segment_builder_at(&f.rank.builder, f.record_at);
    f.state = segment_builder_state(&f.rank.builder, f.record_at);
    f.record->start_virtual = 10000;
    f.record->ended = 1;
    f.record->parts = 1000;
    wf_path_start(f.state, EPOCH, 10000);
    return f;
}

/* As long as no slot has changed. */
static uint32_t number_of(unsigned slot)
{
    return slot - WF_PATH_FIRST + 1;
}

static void follow_site(struct followed *f, uint32_t site, unsigned slot, unsigned stretch)
{
    struct wf_site_record *record = segment_builder_at(&f->rank.builder, site);
    record->path_number = number_of(slot);
    record->path_stretch = number_of(stretch);
}

static void follow_region(struct followed *f, uint32_t region, unsigned slot)
{
    struct wf_region_record *record = segment_builder_at(&f->rank.builder, region);
    record->path_number = number_of(slot);
}

static uint32_t relax_region(struct followed *f, uint64_t self)
{
    uint32_t region = run_region(&f->rank, WF_REGION_PROCEDURE, "relax", "heat.c", 40);
    run_visit(&f->rank, f->rank.lane, region, 0, 0, 10, self + 500, self);
    return region;
}

/* relax for 400,000 ticks, then a call that takes 100,000, then 500,000 behind it, 200,000 of them in relax. */
static void compute(struct wf_path *p)
{
    wf_path_enter(p, RELAX, 10000);
    wf_path_leave(p, 410000);
    wf_path_begin(p, RECV, 410000);
    wf_path_end(p, 100000, 510000);
    wf_path_stretch(p, BEHIND, 510000);
    wf_path_enter(p, RELAX, 600000);
    wf_path_leave(p, 800000);
    wf_path_advance(p, 1010000);
}

static void follow_all(struct followed *f)
{
    follow_region(f, relax_region(f, 600000), RELAX);
    follow_site(f, run_site(&f->rank, f->rank.lane, 0x10, "MPI_Recv", 10, 70000), RECV, BEHIND);
}

static const char all_rows[] =
    "SELECT kind || ':' || name || ':' || share_ns || coalesce(':' || whatif_25_ns || ':' || whatif_50_ns || ':' || "
    "whatif_75_ns || ':' || zeroing_ns, '') FROM path ORDER BY kind, name";

static void one_rank_has_its_figures(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    follow_all(&f);
    compute(f.state);
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run, all_rows,
                    "other:not followed:0 procedure:relax:600000:150000:300000:450000:600000 "
                    "statement:MPI_Recv:100000:25000:50000:75000:100000 stretch:after "
                    "MPI_Recv:300000:75000:150000:225000:300000 "
                    "transfer:transfer:0:0:0:0:0");
    run_expect_rows(run,
                    "SELECT kind || ':' || all_share_ns || ':' || all_25_ns || ':' || all_50_ns || ':' || "
                    "all_75_ns || ':' || all_100_ns "
                    "FROM path WHERE kind IN ('transfer', 'stretch') ORDER BY kind",
                    "stretch:300000:75000:150000:225000:300000 transfer:100000:25000:50000:75000:100000");
    run_expect_rows(run,
                    "SELECT kind || ':' || coalesce(time_ns, '-') || ':' || regions || ':' || line FROM path "
                    "ORDER BY kind",
                    "other:-:0:0 procedure:600000:1:40 statement:70000:1:0 stretch:-:1:0 transfer:-:0:0");
    run_expect_rows(run, "SELECT key || '=' || value FROM run WHERE key LIKE 'path%' ORDER BY key",
                    "path_from_ns=0 path_lost=0 path_ns=1000000 path_parts=1000 path_weight=elapsed");
    run_expect_rows(run, "SELECT share_pct FROM path WHERE kind = 'procedure'", "60.0");
    run_expect_rows(run,
                    "SELECT first_rank || '-' || last_rank || ':' || share_ns || ':' || share_pct || ':' || "
                    "arrivals FROM path_place",
                    "0-0:1000000:100.0:0");
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%path%'"), 0);
}

/* Rank 0 computes for 500,000 ns and sends; rank 1, whose clock ticks twice a nanosecond, receives after
 * 300,000, and computes for 500,000 more. */
static void clocks_of_different_rates_are_one(void **state)
{
    struct run *run = *state;
    struct followed a = followed_rank(0, 2), b = followed_rank(1, 2);
    struct wf_path_snapshot *sent = malloc(wf_path_snapshot_bytes(SLOTS, PLACES));
    b.rank.header->clock = WF_CLOCK_TSC;
    b.rank.header->tick1 = b.rank.header->tick0 + 2 * (b.rank.header->ns1 - b.rank.header->ns0);
    follow_region(&a, relax_region(&a, 500000), RELAX);
    follow_region(&b, relax_region(&b, 600000), RELAX); /* in ticks */
    wf_path_enter(a.state, RELAX, 10000);
    wf_path_leave(a.state, 510000);
    wf_path_begin(a.state, RECV, 510000);
    wf_path_snapshot(a.state, sent);
    wf_path_end(a.state, 0, 510000);
    wf_path_enter(b.state, RELAX, 10000);
    wf_path_leave(b.state, 610000);
    wf_path_begin(b.state, RECV, 610000);
    sent->length *= 2; /* as rank 1's clock has it */
    for (uint32_t i = 0; i < (sent->below + sent->above) * (WF_PATH_STEPS + 1u); i++)
        sent->values[i] *= 2;
    wf_path_snapshot_places(sent)[0] *= 2;
    wf_path_part(b.state, sent, 0);
    wf_path_end(b.state, 0, 1010000);
    wf_path_advance(b.state, 2010000);
    run_add(run, &a.rank);
    run_add(run, &b.rank);
    run_collect(run);
    /* Without relax, rank 1's own path to the receive has length 0 as well: all 500,000 are saved; at 25 %, 125,000. */
    run_expect_rows(run, all_rows,
                    "other:not followed:500000 "
                    "procedure:relax:500000:125000:250000:375000:500000 transfer:transfer:0:0:0:0:0");
    run_expect_rows(run, "SELECT value FROM run WHERE key = 'path_ns'", "1000000");
    run_expect_rows(run, "SELECT time_ns FROM path WHERE kind = 'procedure'", "800000");
    run_expect_rows(run, "SELECT first_rank || ':' || share_ns || ':' || arrivals FROM path_place ORDER BY 1",
                    "0:500000:0 1:500000:1");
    free(sent);
}

/* Two ranks that end at about the same time: the shares of the longer one, and the savings of both. */
static void savings_are_limited_by_the_other_rank(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct followed f = followed_rank(i, 2);
        follow_region(&f, relax_region(&f, 1), RELAX);
        wf_path_advance(f.state, i ? 910000 : 110000);
        wf_path_enter(f.state, RELAX, i ? 910000 : 110000);
        wf_path_leave(f.state, 1010000 - 50000 * (unsigned)i);
        wf_path_advance(f.state, 1010000 - 50000 * (unsigned)i);
        run_add(run, &f.rank);
    }
    run_collect(run);
    /* Rank 0 needs 100,000 without relax, rank 1 900,000 of 950,000. */
    run_expect_rows(run,
                    "SELECT share_ns || ':' || whatif_25_ns || ':' || whatif_50_ns || ':' || whatif_75_ns || "
                    "':' || zeroing_ns FROM path "
                    "WHERE kind = 'procedure'",
                    "900000:62500:75000:87500:100000");
    run_expect_rows(run, "SELECT share_ns FROM path WHERE kind = 'other'", "100000");
}

static void threads_of_a_rank_are_merged_too(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    uint32_t lane = segment_builder_lane(&f.rank.builder, 101, 0),
             second = segment_builder_path(&f.rank.builder, lane, SLOTS, PLACES);
    struct wf_path_record *record = segment_builder_at(&f.rank.builder, second);
    record->ended = 1;
    record->start_virtual = 20000;
    record->parts = 5;
    wf_path_start(segment_builder_state(&f.rank.builder, second), EPOCH, 20000);
    wf_path_advance(segment_builder_state(&f.rank.builder, second), 720000);
    wf_path_advance(f.state, 610000);
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT key || '=' || value FROM run WHERE key IN ('path_ns', 'path_from_ns', "
                    "'path_parts') ORDER BY key",
                    "path_from_ns=10000 path_ns=700000 path_parts=1005");
}

/* What one host calls slot 2, another calls 5; rank 1 has met it as 5, and what it calls 2 is something else. */
static void hosts_may_number_regions_differently(void **state)
{
    struct run *run = *state;
    struct followed a = followed_rank(0, 2), b = followed_rank(1, 2);
    strcpy(b.rank.header->host, "node2");
    follow_region(&a, relax_region(&a, 1000), RELAX);
    follow_region(&b, relax_region(&b, 1000), 5);
    follow_region(&b, run_region(&b.rank, WF_REGION_LOOP, "for", "heat.c", 50), RELAX);
    wf_path_enter(a.state, RELAX, 10000);
    wf_path_leave(a.state, 810000);
    wf_path_advance(a.state, 810000);
    wf_path_enter(b.state, RELAX, 10000);
    wf_path_leave(b.state, 310000);
    wf_path_enter(b.state, 5, 310000);
    wf_path_leave(b.state, 1010000);
    wf_path_advance(b.state, 1010000);
    run_add(run, &a.rank);
    run_add(run, &b.rank);
    run_collect(run);
    /* Without relax rank 1 still has its loop, 300,000; without the loop, rank 0 still has 800,000. */
    run_expect_rows(run, all_rows,
                    "loop:for:300000:75000:150000:200000:200000 other:not followed:0 "
                    "procedure:relax:700000:175000:350000:525000:700000 "
                    "transfer:transfer:0:0:0:0:0");
}

static void set_key(struct followed *f, uint32_t slot, uint64_t key)
{
    uint64_t *keys = (uint64_t *)((char *)f->state + f->record->state_bytes);
    keys[slot] = key;
    f->record->key_count = SLOTS;
}

/* Rank 0 brings relax home in its path, but only rank 1, on another host, has met it, and has another slot for it. */
static void a_slot_may_be_known_elsewhere_only(void **state)
{
    struct run *run = *state;
    struct followed a = followed_rank(0, 2), b = followed_rank(1, 2);
    strcpy(b.rank.header->host, "node2");
    follow_region(&b, relax_region(&b, 1000), 5);
    set_key(&a, RELAX, 12345);
    set_key(&a, 5, 6789);
    set_key(&b, 5, 12345);
    set_key(&b, RELAX, 54321);
    wf_path_enter(a.state, RELAX, 10000);
    wf_path_leave(a.state, 810000);
    wf_path_enter(a.state, 6, 810000); /* no process has met this */
    wf_path_leave(a.state, 1010000);
    run_add(run, &a.rank);
    run_add(run, &b.rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT kind || ':' || name || ':' || regions || ':' || share_ns FROM path WHERE "
                    "share_ns > 0 ORDER BY kind",
                    "procedure:relax:1:800000 unknown:not known:0:200000");
}

/* 40 has no slot: in its stretch for 300,000 ticks. 41 is not told by any segment, 1 never had time. */
static void regions_without_a_slot_have_shares_and_no_savings(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    uint32_t never = run_region(&f.rank, WF_REGION_LOOP, "while", "heat.c", 90),
             late = run_region(&f.rank, WF_REGION_LOOP, "for", "heat.c", 20);
    follow_region(&f, relax_region(&f, 600000), RELAX);
    follow_region(&f, never, 7); /* a slot that no state has used */
    follow_region(&f, late, WF_PATH_FIRST + 39);
    compute(f.state);
    wf_path_list(f.state, 40, 250000);
    wf_path_list(f.state, 41, 20000);
    wf_path_list(f.state, 42 | WF_PATH_STATEMENT, 30000);
    wf_path_shares(f.state)[WF_PATH_OTHER] += 271000;
    wf_path_shares(f.state)[WF_PATH_TRANSFER] += 32000;
    wf_path_shares(f.state)[RELAX] -= 303000;
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT kind || ':' || name || ':' || share_ns || ':' || coalesce(all_share_ns, '-') || ':' || "
                    "coalesce(zeroing_ns, '-') || ':' || coalesce(all_50_ns, '-') FROM path WHERE kind NOT IN "
                    "('procedure', 'statement', 'stretch') ORDER BY kind, share_ns",
                    "loop:while:0:0:0:0 loop:for:250000:-:-:- other:not followed:1000:-:-:- "
                    "transfer:transfer:2000:100000:0:50000 unknown:not known:20000:-:-:- "
                    "unknown:not known:30000:-:-:- unknown:not known:100000:100000:100000:0 "
                    "unknown:not known:300000:300000:300000:0");
    run_expect_rows(run, "SELECT sum(share_ns) FROM path", "1000000");
}

/* In its slot, relax has had 100,000, and a loop in it 200,000; before that, it had `listed` in the list. */
static void expect_late_region(struct run *run, int64_t listed, const char *expected)
{
    struct followed f = followed_rank(0, 1);
    follow_region(&f, relax_region(&f, 600000), RELAX);
    follow_region(&f, run_region(&f.rank, WF_REGION_LOOP, "for", "heat.c", 50), 5);
    wf_path_advance(f.state, 710000);
    wf_path_enter(f.state, RELAX, 710000);
    wf_path_enter(f.state, 5, 760000);
    wf_path_leave(f.state, 960000);
    wf_path_leave(f.state, 1010000);
    wf_path_list(f.state, number_of(RELAX), listed);
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT share_ns || ':' || zeroing_ns || ':' || all_share_ns || ':' || all_25_ns || ':' || "
                    "all_100_ns FROM path WHERE kind = 'procedure'",
                    expected);
    run_expect_rows(run, "SELECT sum(share_ns) FROM path", "1000000");
}

static void what_is_inside_a_region_with_a_late_slot_is_in_proportion(void **state)
{
    expect_late_region(*state, 100000, "200000:200000:600000:150000:600000");
}

static void no_more_than_the_path_is_inside_a_region(void **state)
{
    expect_late_region(*state, 300000, "400000:400000:1000000:250000:1000000");
}

/* As visits leave it that are nested too deep: counted with their waiting. */
static void waiting_inside_makes_no_region_longer_than_the_path(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    follow_all(&f);
    compute(f.state);
    wf_path_shares(f.state)[wf_path_row(RELAX, WF_PATH_ALL)] += 700000;
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT all_share_ns FROM path WHERE kind = 'procedure'", "1000000");
}

/* A stretch of a statement that lost its slot: nothing is inside, so that all is known. */
static void all_of_a_stretch_is_its_own(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    follow_all(&f);
    compute(f.state);
    wf_path_stretch(f.state, WF_PATH_OTHER, 1010000);
    wf_path_reassign(f.state, BEHIND, number_of(BEHIND), 40);
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT share_ns || ':' || all_share_ns || ':' || coalesce(zeroing_ns, '-') || ':' || "
                    "coalesce(all_50_ns, '-') FROM path WHERE kind = 'stretch'",
                    "300000:300000:-:-");
}

/* Rank 0 has gone on with the map, and its slot of relax is another region's; rank 1 has not. */
static void slots_may_have_changed_between_two_samples(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct followed f = followed_rank(i, 2);
        uint32_t late = run_region(&f.rank, WF_REGION_LOOP, "for", "heat.c", 20);
        follow_region(&f, relax_region(&f, 600000), RELAX);
        follow_region(&f, late, WF_PATH_FIRST + 39);
        wf_path_enter(f.state, RELAX, 10000);
        wf_path_leave(f.state, i ? 910000 : 410000);
        if (i == 0) {
            wf_path_leave_all(f.state, 410000);
            wf_path_reassign(f.state, RELAX, 1, 40);
            wf_path_enter(f.state, RELAX, 410000);
            wf_path_leave(f.state, 1010000);
        }
        run_add(run, &f.rank);
    }
    run_collect(run);
    /* Without the loop, rank 1 has still 900,000. */
    run_expect_rows(run,
                    "SELECT name || ':' || share_ns || ':' || coalesce(zeroing_ns, '-') FROM path "
                    "WHERE kind IN ('procedure', 'loop') ORDER BY name",
                    "for:600000:100000 relax:400000:-");
}

static void statements_without_debug_information_are_told_apart(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    follow_site(&f, run_site(&f.rank, f.rank.lane, 0x10, "MPI_Recv", 10, 70000), RECV, BEHIND);
    compute(f.state);
    run_add(run, &f.rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM path WHERE kind IN ('statement', 'stretch') AND "
                                     "file GLOB '*+0x*' AND line = 0"),
                     2);
}

/* 400,000 before the first call, and nothing else that is not followed. */
static void computing_before_the_first_call_has_a_row(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    f.record->beginning = 400000;
    wf_path_begin(f.state, RECV, 410000);
    wf_path_end(f.state, 600000, 1010000);
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT kind || ':' || name || ':' || share_ns || coalesce(':' || zeroing_ns, '') FROM path WHERE "
                    "kind IN ('stretch', 'other') ORDER BY kind",
                    "other:not followed:0 stretch:before the first MPI call:400000:400000");
}

/* It has made no call when it ends, so it has noted nothing. */
static void computing_without_any_call_has_that_row_too(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    f.record->ended = 0;
    f.rank.header->end_ticks = 310000;
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run,
                    "SELECT name || ':' || share_ns || coalesce(':' || zeroing_ns, '') FROM path ORDER BY share_ns",
                    "not followed:0 transfer:0:0 before the first MPI call:300000:300000");
}

static void last_until(struct followed *f, uint64_t ticks)
{
    f->rank.header->finalize_begin_ticks = ticks;
    f->rank.header->finalize_end_ticks = ticks + 10000;
}

static void only_the_newest_epoch_counts(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 3; i++) {
        struct followed f = followed_rank(i, 3);
        last_until(&f, 100010000);
        follow_region(&f, relax_region(&f, 1000), RELAX);
        if (i)
            wf_path_start(f.state, EPOCH + 2, 50010000);
        f.record->start_virtual = i ? 50010000 : 10000;
        wf_path_enter(f.state, RELAX, 50010000);
        wf_path_leave(f.state, 60010000 + 10000000 * (unsigned)(i == 2));
        wf_path_advance(f.state, 100010000);
        run_add(run, &f.rank);
    }
    run_collect(run);
    run_expect_rows(run, "SELECT key || '=' || value FROM run WHERE key IN ('path_ns', 'path_from_ns') ORDER BY key",
                    "path_from_ns=50000000 path_ns=50000000");
    run_expect_rows(run, "SELECT kind || ':' || share_ns FROM path WHERE share_ns > 0 ORDER BY kind",
                    "other:40000000 procedure:10000000");
    run_expect_note(run, "covers only 50.0 ms of the run, starting 50.0 ms after its beginning");
}

static void what_was_stopped_is_a_part(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    f.record->ended = 0;
    last_until(&f, 100010000);
    wf_path_stop(f.state, EPOCH + 1, 30010000);
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT value FROM run WHERE key = 'path_ns'", "30000000");
    run_expect_note(run, "covers only 30.0 ms of the run, starting at its beginning");
}

/* A note is made of 5 % of the run and 10 ms at least. */
static void expect_part(struct run *run, uint64_t wall_ms, uint64_t missing_ms, int notes)
{
    struct followed f = followed_rank(0, 1);
    f.record->ended = 0;
    last_until(&f, 10000 + 1000000 * wall_ms);
    wf_path_stop(f.state, EPOCH + 1, 10000 + 1000000 * (wall_ms - missing_ms));
    run_add(run, &f.rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%covers only%'"), notes);
}

static void half_of_a_short_run_is_no_note(void **state)
{
    expect_part(*state, 19, 9, 0);
}

static void a_small_part_is_no_note(void **state)
{
    expect_part(*state, 1000, 49, 0);
}

static void a_larger_part_is_a_note(void **state)
{
    expect_part(*state, 1000, 51, 1);
}

/* 10 of 1,000 are still fine. */
static void expect_lost(struct run *run, uint64_t parts, uint64_t lost, int64_t until, int notes)
{
    struct followed f = followed_rank(0, 1);
    f.record->parts = parts;
    f.record->lost = lost;
    wf_path_advance(f.state, until);
    run->next_file = 0;
    run_add(run, &f.rank);
    run_collect(run);
    assert_int_equal(
        run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%nothing is known of the path%'"), notes);
}

static void lost_parts_are_told_if_they_are_many(void **state)
{
    struct run *run = *state;
    expect_lost(run, 990, 10, 910000, 0);
    expect_lost(run, 980, 20, 1010000, 0); /* the path is as long as the run all the same */
    expect_lost(run, 980, 20, 910000, 1);
    run_expect_note(run, "For 20 of 1,000 messages and collectives (2.0 % of them)");
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_lost'"), 20);
}

static void many_ranks_are_told_in_groups(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 10);
    wf_path_advance(f.state, 1010000);
    run_add(run, &f.rank);
    run_collect(run);
    /* r * 4 / 10: ranks 0-2, 3-4, 5-7, 8-9. */
    run_expect_rows(run, "SELECT first_rank || '-' || last_rank || ':' || share_ns FROM path_place ORDER BY first_rank",
                    "0-2:1000000 3-4:0 5-7:0 8-9:0");
}

static void cpu_time_is_in_nanoseconds_already(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    f.rank.header->clock = WF_CLOCK_TSC;
    f.rank.header->tick1 = f.rank.header->tick0 + 2 * (f.rank.header->ns1 - f.rank.header->ns0);
    f.record->weight = WF_PATH_CPU;
    follow_all(&f);
    compute(f.state);
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT value FROM run WHERE key IN ('path_ns', 'path_weight') ORDER BY key", "1000000 cpu");
    run_expect_rows(run, "SELECT share_ns FROM path WHERE kind = 'procedure'", "600000");
}

/* It died in relax, 20,000 ticks after its last call; 1,000 of them were the cost of watching. */
static void a_dead_process_is_counted_to_its_last_sign(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    f.rank.header->state = WF_STATE_RUNNING;
    f.rank.header->finalize_begin_ticks = f.rank.header->finalize_end_ticks = 0;
    f.record->ended = 0;
    follow_region(&f, relax_region(&f, 1000), RELAX);
    wf_path_enter(f.state, RELAX, 10000);
    run_lane(&f.rank, f.rank.lane)->leave_ticks = 31000;
    run_lane(&f.rank, f.rank.lane)->intrusion_ticks = 1000;
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT share_ns FROM path WHERE kind = 'procedure'", "20000");
}

static void nothing_counts_behind_the_end(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    f.record->ended = 0;
    f.rank.header->init_end_virtual_ticks = 10000;
    f.rank.header->finalize_begin_virtual_ticks = 1010000;
    run_lane(&f.rank, f.rank.lane)->leave_ticks = 1020000;
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_rows(run, "SELECT value FROM run WHERE key = 'path_ns'", "1000000");
}

/* ---- processes that run ---- */

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* This process, which computes in relax since its MPI_Init, a second ago. */
static struct followed running_rank(void)
{
    struct followed f = followed_rank(0, 1);
    struct wf_segment_header *h = f.rank.header;
    uint64_t begin = now_ns() - 1000000000u;
    FILE *boot = fopen("/proc/sys/kernel/random/boot_id", "re");
    assert_non_null(boot);
    assert_non_null(fgets(h->boot_id, sizeof h->boot_id, boot));
    fclose(boot);
    h->boot_id[strcspn(h->boot_id, "\n")] = '\0';
    gethostname(h->host, sizeof h->host - 1);
    h->state = WF_STATE_RUNNING;
    h->pid = (uint32_t)getpid();
    h->tick0 = h->ns0 = begin - 1000;
    h->init_begin_ticks = begin - 500;
    h->init_end_ticks = begin;
    h->finalize_begin_ticks = h->finalize_end_ticks = 0;
    run_lane(&f.rank, f.rank.lane)->thread_id = (uint32_t)getpid();
    f.record->ended = 0;
    f.record->start_virtual = begin;
    follow_region(&f, relax_region(&f, 1000), RELAX);
    wf_path_start(f.state, EPOCH, (int64_t)begin);
    wf_path_enter(f.state, RELAX, (int64_t)begin);
    return f;
}

static void a_running_process_is_counted_to_this_moment(void **state)
{
    struct run *run = *state;
    struct followed f = running_rank();
    int64_t since = f.state->since;
    run_lane(&f.rank, f.rank.lane)->intrusion_ticks = 250000000;
    run_add(run, &f.rank);
    run_collect(run);
    int64_t share = run_number(run, "SELECT share_ns FROM path WHERE kind = 'procedure'");
    assert_true(share >= 750000000);
    assert_true(share <= (int64_t)now_ns() - since - 250000000);
}

static void what_is_in_a_call_stays_at_its_begin(void **state)
{
    struct run *run = *state;
    struct followed f = running_rank();
    wf_path_begin(f.state, RECV, f.state->since + 1000);
    run_add(run, &f.rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_ns'"), 1000);
}

static void a_thread_that_is_gone_goes_no_further(void **state)
{
    struct run *run = *state;
    struct followed f = running_rank();
    run_lane(&f.rank, f.rank.lane)->thread_id = 0x7fffffff;
    wf_path_leave(f.state, f.state->since + 1000);
    run_add(run, &f.rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_ns'"), 1000);
}

/* ---- torn copies ---- */

static void what_is_always_being_written_is_left_out(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 2; i++) {
        struct followed f = i ? followed_rank(1, 2) : running_rank();
        f.rank.header->size = 2;
        f.record->sequence = i == 0; /* rank 0 runs, and never stops writing */
        if (i)
            wf_path_advance(f.state, 310000);
        run_add(run, &f.rank);
    }
    run_collect(run);
    run_expect_note(run, "without 1 thread of rank 0: its state was being written");
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_ns'"), 300000);
}

static void a_process_that_died_writing_is_left_out(void **state)
{
    struct run *run = *state;
    struct followed f = followed_rank(0, 1);
    f.record->sequence = 7;
    run_add(run, &f.rank);
    run_collect(run);
    run_expect_note(run, "without 1 thread of rank 0: its state was being written");
    assert_int_equal(run_number(run, "SELECT count(*) FROM path"), 0);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_ns'"), 0);
}

struct finisher {
    char path[128];
    off_t at;
    bool done;
};

/* Ends what the process was writing, a little later. */
static void *finish_writing(void *context)
{
    struct finisher *finisher = context;
    uint32_t even = 2;
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    int fd = open(finisher->path, O_WRONLY | O_CLOEXEC);
    finisher->done = fd >= 0 && pwrite(fd, &even, sizeof even, finisher->at) == sizeof even;
    close(fd);
    return NULL;
}

static void what_is_being_written_is_tried_again(void **state)
{
    struct run *run = *state;
    struct followed f = running_rank();
    struct finisher finisher = {.at = (off_t)f.record_at * WF_SEGMENT_UNIT};
    pthread_t thread;
    wf_path_begin(f.state, RECV, f.state->since + 1000);
    f.record->sequence = 1;
    run_add(run, &f.rank);
    snprintf(finisher.path, sizeof finisher.path, "%s", scratch_path(&run->scratch, "0-0.seg"));
    assert_int_equal(pthread_create(&thread, NULL, finish_writing, &finisher), 0);
    run_collect(run);
    pthread_join(thread, NULL);
    assert_true(finisher.done);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_ns'"), 1000);
    assert_int_equal(run_number(run, "SELECT count(*) FROM weft_note WHERE sentence LIKE '%being written%'"), 0);
}

/* ---- damage ---- */

static void what_cannot_be_a_state_is_damage(void **state)
{
    struct run *run = *state;
    for (int i = 0; i < 9; i++) {
        struct followed f = followed_rank(i, 10);
        follow_all(&f);
        compute(f.state);
        switch (i) {
        case 0:
            f.state->capacity = 60000;
            break;
        case 1:
            f.state->depth = 0;
            break;
        case 2:
            f.state->depth = WF_PATH_DEPTH + 1;
            break;
        case 3:
            f.state->stack[0].slot = 77;
            break;
        case 4:
            f.state->below = 3;
            break;
        case 5:
            f.state->length = INT64_MAX;
            break;
        case 6:
            wf_path_savings(f.state)[3] = INT64_MIN;
            break;
        case 7:
            f.state->values_epoch = EPOCH + 1;
            break;
        default:
            f.record->state_bytes = UINT32_MAX;
            break;
        }
        run_add(run, &f.rank);
    }
    struct followed whole = followed_rank(9, 10);
    wf_path_advance(whole.state, 110000);
    run_add(run, &whole.rank);
    run_collect(run);
    assert_int_equal(run_number(run, "SELECT value FROM run WHERE key = 'path_ns'"), 100000);
    run_expect_note(run, "Ranks 0-8 left segments that are damaged");
}

/* Any bytes give an answer, and no report of a sanitizer. */
static void any_bytes_are_survived(void **state)
{
    struct run *run = *state;
    srandom(5);
    for (int round = 0; round < 150; round++) {
        run->next_file = 0;
        for (int i = 0; i < 2; i++) {
            struct followed f = followed_rank(i, 2);
            follow_all(&f);
            compute(f.state);
            unsigned char *bytes = (unsigned char *)f.record;
            size_t count = sizeof *f.record + wf_path_bytes(SLOTS, PLACES);
            for (int n = 0; n < 1 + round % 9; n++)
                bytes[(size_t)random() % count] = (unsigned char)random();
            run_add(run, &f.rank);
        }
        run_collect(run);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, run_setup, run_teardown)
    const struct CMUnitTest tests[] = {
        TEST(one_rank_has_its_figures),
        TEST(clocks_of_different_rates_are_one),
        TEST(savings_are_limited_by_the_other_rank),
        TEST(threads_of_a_rank_are_merged_too),
        TEST(hosts_may_number_regions_differently),
        TEST(a_slot_may_be_known_elsewhere_only),
        TEST(regions_without_a_slot_have_shares_and_no_savings),
        TEST(what_is_inside_a_region_with_a_late_slot_is_in_proportion),
        TEST(no_more_than_the_path_is_inside_a_region),
        TEST(waiting_inside_makes_no_region_longer_than_the_path),
        TEST(all_of_a_stretch_is_its_own),
        TEST(slots_may_have_changed_between_two_samples),
        TEST(statements_without_debug_information_are_told_apart),
        TEST(computing_before_the_first_call_has_a_row),
        TEST(computing_without_any_call_has_that_row_too),
        TEST(only_the_newest_epoch_counts),
        TEST(what_was_stopped_is_a_part),
        TEST(half_of_a_short_run_is_no_note),
        TEST(a_small_part_is_no_note),
        TEST(a_larger_part_is_a_note),
        TEST(lost_parts_are_told_if_they_are_many),
        TEST(many_ranks_are_told_in_groups),
        TEST(cpu_time_is_in_nanoseconds_already),
        TEST(a_dead_process_is_counted_to_its_last_sign),
        TEST(nothing_counts_behind_the_end),
        TEST(a_running_process_is_counted_to_this_moment),
        TEST(what_is_in_a_call_stays_at_its_begin),
        TEST(a_thread_that_is_gone_goes_no_further),
        TEST(what_is_always_being_written_is_left_out),
        TEST(a_process_that_died_writing_is_left_out),
        TEST(what_is_being_written_is_tried_again),
        TEST(what_cannot_be_a_state_is_damage),
        TEST(any_bytes_are_survived),
    };
    return cmocka_run_group_tests_name("critical", tests, NULL, NULL);
}
