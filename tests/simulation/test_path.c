/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules of format/path.h one by one, with the corner cases that no simulated run reaches; and programs whose
 * critical path can be found by hand.
 */
#include "../collect/testing.h"

#include "check.h"
#include "paths.h"
#include <stdlib.h>
#include <string.h>

#include "twin.h"

/* ---- one thread ---- */

enum { A = WF_PATH_FIRST, B, C, STATEMENT, CAPACITY };

struct box {
    _Alignas(64) unsigned char bytes[32768];
};

static struct wf_path *fresh(struct box *box, uint32_t place)
{
    struct wf_path *p = (struct wf_path *)box->bytes;
    assert_true(wf_path_bytes(CAPACITY, 4) <= sizeof box->bytes);
    wf_path_init(p, CAPACITY, 4, place);
    wf_path_start(p, 1, 1000);
    return p;
}

static struct wf_path_snapshot *sampled(struct wf_path *p, int64_t now, struct box *box)
{
    size_t bytes = wf_path_sample(p, now, (struct wf_path_snapshot *)box->bytes);
    assert_true(bytes <= wf_path_snapshot_bytes(CAPACITY, 4));
    return (struct wf_path_snapshot *)box->bytes;
}

static int64_t own(struct wf_path *p, uint32_t slot)
{
    return wf_path_shares(p)[wf_path_row(slot, WF_PATH_OWN)];
}

static int64_t all(struct wf_path *p, uint32_t slot)
{
    return wf_path_shares(p)[wf_path_row(slot, WF_PATH_ALL)];
}

static void assert_saved(struct wf_path *p, uint32_t slot, enum wf_path_part_of of, int64_t at_100)
{
    for (int step = 1; step <= WF_PATH_STEPS; step++)
        assert_int_equal(wf_path_saved_ticks(p, slot, of, step), at_100 * step / 4);
}

static void own_time_is_the_innermost_regions_and_all_time_everybodys(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1100);
    wf_path_enter(p, B, 1200);
    wf_path_leave(p, 1400);
    wf_path_leave(p, 1500);
    sampled(p, 1600, &seen);
    assert_int_equal(p->length, 600);
    assert_int_equal(own(p, A), 200);
    assert_int_equal(all(p, A), 400);
    assert_int_equal(own(p, B), 200);
    assert_int_equal(all(p, B), 200);
    assert_int_equal(own(p, WF_PATH_OTHER), 200);
    assert_saved(p, A, WF_PATH_OWN, 200);
    assert_saved(p, A, WF_PATH_ALL, 400);
}

static void of_a_pause_nothing_counts_and_of_what_was_before_it_all(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1100);
    wf_path_advance(p, 1150);
    wf_path_skip(p, 1950);
    wf_path_leave(p, 2000);
    sampled(p, 2000, &seen);
    assert_int_equal(p->length, 200);
    assert_int_equal(own(p, A), 100);
    assert_int_equal(all(p, A), 100);
    assert_int_equal(own(p, WF_PATH_OTHER), 100);
    assert_saved(p, A, WF_PATH_OWN, 100);
    assert_saved(p, A, WF_PATH_ALL, 100);
}

static void recursion_counts_once(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1000);
    wf_path_enter(p, A, 1005); /* itself, twice */
    wf_path_enter(p, A, 1010);
    wf_path_enter(p, B, 1020);
    wf_path_enter(p, A, 1030); /* through another */
    wf_path_leave(p, 1050);
    wf_path_leave(p, 1060);
    wf_path_leave(p, 1065);
    wf_path_leave(p, 1070);
    assert_int_equal(p->depth, 2);
    wf_path_leave(p, 1080);
    sampled(p, 1080, &seen);
    assert_int_equal(all(p, A), 80);
    assert_int_equal(own(p, A), 60);
    assert_int_equal(all(p, B), 40);
    assert_int_equal(own(p, B), 20);
    assert_saved(p, A, WF_PATH_ALL, 80);
}

static void what_is_too_deep_counts_for_what_is_not(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    for (uint32_t i = 0; i < 500; i++)
        wf_path_enter(p, i % 2 ? A : B, 1000 + i);
    assert_true(p->depth <= WF_PATH_DEPTH);
    wf_path_begin(p, STATEMENT, 1500); /* still finds room */
    wf_path_end(p, 10, 1510);
    for (uint32_t i = 0; i < 500; i++)
        wf_path_leave(p, 1510 + i);
    sampled(p, 2010, &seen);
    assert_int_equal(p->depth, 1);
    assert_int_equal(p->length, 1010);
    assert_int_equal(own(p, A) + own(p, B) + own(p, WF_PATH_OTHER) + own(p, STATEMENT), 1010);
    assert_int_equal(all(p, B), 1009); /* the outermost one */
    wf_path_leave(p, 2010);            /* one too many */
    assert_int_equal(p->depth, 1);
}

static void all_regions_can_be_left_at_once(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    for (uint32_t i = 0; i < 500; i++)
        wf_path_enter(p, i % 2 ? A : B, 1000);
    wf_path_leave_all(p, 1100);
    wf_path_enter(p, C, 1110);
    wf_path_leave(p, 1130); /* leaves C, not one of those that were too deep */
    sampled(p, 1200, &seen);
    assert_int_equal(all(p, A), 100);
    assert_int_equal(own(p, A) + own(p, B), 100);
    assert_int_equal(own(p, C), 20);
    assert_int_equal(own(p, WF_PATH_OTHER), 80);
}

static void what_is_not_followed_is_other(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1000);
    wf_path_enter(p, WF_PATH_OTHER, 1100); /* inside a tracked one: not its own time */
    wf_path_enter(p, CAPACITY, 1150);
    wf_path_leave(p, 1180);
    wf_path_leave(p, 1200);
    wf_path_leave(p, 1250);
    wf_path_begin(p, WF_PATH_OTHER, 1250); /* a statement that is not tracked */
    wf_path_end(p, 30, 1280);
    sampled(p, 1280, &seen);
    assert_int_equal(own(p, A), 150);
    assert_int_equal(all(p, A), 250);
    assert_int_equal(own(p, WF_PATH_OTHER), 100);
    assert_int_equal(own(p, WF_PATH_TRANSFER), 30);
    assert_int_equal(all(p, WF_PATH_TRANSFER), 30);
}

static void all_transfer_is_told_whatever_the_statement(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1000);
    wf_path_begin(p, STATEMENT, 1100);
    wf_path_end(p, 40, 1140);
    wf_path_begin(p, 9999, 1140);
    wf_path_end(p, 2, 1142);
    sampled(p, 1142, &seen);
    assert_int_equal(own(p, STATEMENT), 40);
    assert_int_equal(own(p, WF_PATH_TRANSFER), 2);
    assert_int_equal(all(p, WF_PATH_TRANSFER), 42);
    assert_int_equal(own(p, A), 100);
    assert_int_equal(all(p, A), 142); /* its calls are in it */
    assert_saved(p, WF_PATH_TRANSFER, WF_PATH_ALL, 42);
}

static void the_stretch_behind_a_statement_ends_where_the_next_begins(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_begin(p, STATEMENT, 1000);
    wf_path_end(p, 10, 1010);
    wf_path_stretch(p, B, 1010);
    wf_path_begin(p, STATEMENT, 1110);
    wf_path_end(p, 10, 1120);
    wf_path_stretch(p, C, 1121); /* a moment later */
    sampled(p, 1151, &seen);
    assert_int_equal(own(p, B), 101);
    assert_int_equal(all(p, B), 0); /* it has only own time */
    assert_int_equal(own(p, C), 30);
    assert_int_equal(own(p, STATEMENT), 20);
}

/* The clock is a few ticks behind after a move to another core: nothing is lost. */
static void a_clock_that_steps_back_takes_back(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1100);
    wf_path_leave(p, 1095);
    sampled(p, 1200, &seen);
    assert_int_equal(p->length, 200);
    assert_int_equal(own(p, A) + own(p, WF_PATH_OTHER), 200);
}

/* ---- merges ---- */

/* Another process with `a` ticks in A and `b` in B. */
static struct wf_path_snapshot *other_with(int64_t a, int64_t b, struct box *box)
{
    struct box state;
    struct wf_path *p = fresh(&state, 1);
    wf_path_enter(p, A, 1000);
    wf_path_leave(p, 1000 + a);
    wf_path_enter(p, B, 1000 + a);
    wf_path_leave(p, 1000 + a + b);
    return sampled(p, 1000 + a + b, box);
}

static void the_longer_path_goes_on_through_the_transfer(void **state)
{
    (void)state;
    struct box box, other, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, C, 1000);
    wf_path_begin(p, STATEMENT, 1100);
    assert_true(wf_path_part(p, other_with(300, 50, &other), 20));
    wf_path_end(p, 5, 1375);
    wf_path_leave(p, 1400);
    sampled(p, 1400, &seen);
    assert_int_equal(p->length, 400);
    assert_int_equal(own(p, A), 300);
    assert_int_equal(own(p, B), 50);
    assert_int_equal(own(p, STATEMENT), 25);
    assert_int_equal(own(p, C), 25);
    assert_int_equal(all(p, C), 50); /* including the transfer inside it, without its time before and time off the path
                                      */
    /* Without A, the other's path to the call's end is 75 long, but the own one is 105: so 270 are saved, not 300. */
    assert_int_equal(wf_path_saved_ticks(p, A, WF_PATH_OWN, 3), 225);
    assert_int_equal(wf_path_saved_ticks(p, A, WF_PATH_OWN, 4), 270);
    assert_saved(p, B, WF_PATH_OWN, 50);
    assert_saved(p, STATEMENT, WF_PATH_OWN, 25);
    assert_int_equal(wf_path_places(p)[2 * 1], 350);
    assert_int_equal(wf_path_places(p)[2 * 0], 50);
    assert_int_equal(wf_path_places(p)[2 * 0 + 1], 1);
    assert_int_equal(wf_path_places(p)[2 * 1 + 1], 0);
}

static void the_shorter_path_limits_what_can_be_saved(void **state)
{
    (void)state;
    struct box box, other, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, C, 1000);
    wf_path_begin(p, STATEMENT, 1400);
    assert_true(wf_path_part(p, other_with(300, 50, &other), 20));
    wf_path_end(p, 5, 1405);
    sampled(p, 1405, &seen);
    assert_int_equal(p->length, 405);
    assert_int_equal(own(p, C), 400);
    assert_int_equal(own(p, A), 0);
    assert_saved(p, A, WF_PATH_OWN, 0); /* hot in the other process, and never on the path */
    assert_int_equal(wf_path_saved_ticks(p, C, WF_PATH_OWN, 1), 30); /* then the other's is the longest */
    assert_int_equal(wf_path_saved_ticks(p, C, WF_PATH_OWN, 4), 30);
    assert_int_equal(wf_path_saved_ticks(p, STATEMENT, WF_PATH_OWN, 4), 5);
}

/* The statement's transfer is longer on one path than on the other: each path gets shorter by its own transfer. */
static void a_faster_statement_makes_each_way_shorter_by_its_own(void **state)
{
    (void)state;
    struct box box, other, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, C, 1000);
    wf_path_begin(p, STATEMENT, 1090);
    assert_true(wf_path_part(p, other_with(50, 30, &other), 40)); /* 120 */
    wf_path_end(p, 10, 1130);
    sampled(p, 1130, &seen);
    assert_int_equal(p->length, 130);
    assert_int_equal(wf_path_saved_ticks(p, STATEMENT, WF_PATH_OWN, 1), 12); /* 130 - (110 + 7.5) */
    assert_int_equal(wf_path_saved_ticks(p, STATEMENT, WF_PATH_OWN, 2), 25); /* 100 + 5 */
    assert_int_equal(wf_path_saved_ticks(p, STATEMENT, WF_PATH_OWN, 3), 37); /* 90 + 2.5, the same on both paths */
    assert_int_equal(wf_path_saved_ticks(p, STATEMENT, WF_PATH_OWN, 4), 40); /* 90 */
}

static void savings_add_up_over_several_parts(void **state)
{
    (void)state;
    struct box box, one, two, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_begin(p, STATEMENT, 1010);
    assert_true(wf_path_part(p, other_with(200, 0, &one), 0));
    assert_true(wf_path_part(p, other_with(0, 190, &two), 0));
    wf_path_end(p, 0, 1200);
    sampled(p, 1200, &seen);
    assert_int_equal(p->length, 200);
    assert_saved(p, B, WF_PATH_OWN, 0);
    for (int step = 1; step <= 4; step++)
        assert_int_equal(wf_path_saved_ticks(p, A, WF_PATH_OWN, step), 10); /* two nearly equal paths */
}

static void one_that_has_met_fewer_regions_has_nothing_to_save_there(void **state)
{
    (void)state;
    struct box box, other, seen, few;
    struct wf_path *p = fresh(&box, 0), *q = fresh(&other, 1);
    struct wf_path_snapshot *s = sampled(q, 1300, &few); /* 300, in no region */
    assert_int_equal(s->slots, WF_PATH_FIRST);
    wf_path_enter(p, C, 1000);
    wf_path_begin(p, STATEMENT, 1200);
    assert_true(wf_path_part(p, s, 0));
    wf_path_end(p, 0, 1300);
    sampled(p, 1300, &seen);
    assert_int_equal(own(p, C), 0);
    assert_saved(p, C, WF_PATH_OWN, 0);
    assert_int_equal(own(p, WF_PATH_OTHER), 300);
    assert_int_equal(wf_path_saved_ticks(p, WF_PATH_OTHER, WF_PATH_OWN, 4), 100);
}

static void there_is_no_fifth_of_four_places(void **state)
{
    (void)state;
    struct box box;
    struct wf_path *p = (struct wf_path *)box.bytes;
    wf_path_init(p, CAPACITY, 4, 4);
    assert_int_equal(p->place, WF_PATH_NOWHERE);
}

static void of_two_equal_paths_the_own_one_stays(void **state)
{
    (void)state;
    struct box box, other, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, C, 1000);
    wf_path_begin(p, STATEMENT, 1100);
    assert_true(wf_path_part(p, other_with(100, 0, &other), 0));
    wf_path_end(p, 0, 1100);
    sampled(p, 1100, &seen);
    assert_int_equal(own(p, C), 100);
    assert_saved(p, C, WF_PATH_OWN, 0);
    assert_saved(p, A, WF_PATH_OWN, 0);
}

/* ---- with the virtual clock ---- */

/* A latency estimated too long is cut where wf_settle cuts it, and a sender whose clock is ahead adds nothing: for all
 * stamps the path ends where virtual time does. */
static void weights_and_take_lead_to_the_virtual_end(void **state)
{
    (void)state;
    static const struct {
        uint64_t begin, sent, latency, end;
    } cases[] = {{1000, 1500, 20, 1530},
                 {1000, 900, 20, 1005},
                 {1000, 900, 500, 1005},
                 {1000, 1010, 5, 1004},
                 {1000, 995, 5, 1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t weight = wf_path_weight(cases[i].latency, cases[i].sent, cases[i].end);
        uint64_t arrival = cases[i].sent + cases[i].latency;
        int64_t take = wf_path_take(cases[i].begin, arrival, cases[i].end);
        int64_t other = (int64_t)cases[i].sent + weight,
                longest = other > (int64_t)cases[i].begin ? other : (int64_t)cases[i].begin;
        assert_int_equal(longest + take, cases[i].end);
        assert_true(take >= 0 && weight <= (int64_t)cases[i].latency);
    }
    assert_int_equal(wf_path_take(1000, 0, 1040), 40); /* no part: all is take */
}

/* Two hosts whose clocks differ by 10 send a message back and forth; each takes 7. */
static void clocks_that_differ_do_not_make_the_path_longer(void **state)
{
    (void)state;
    struct box boxes[2], letter;
    struct wf_path *p[2] = {fresh(&boxes[0], 0), fresh(&boxes[1], 1)};
    const int64_t ahead[2] = {0, 10};
    int64_t now = 1000; /* real */
    for (int i = 0; i < 1000; i++) {
        int from = i % 2, to = 1 - from;
        uint64_t sent = (uint64_t)(now + ahead[from]), end = (uint64_t)(now + 7 + ahead[to]),
                 begin = (uint64_t)p[to]->since;
        wf_path_begin(p[from], STATEMENT, (int64_t)sent);
        wf_path_snapshot(p[from], (struct wf_path_snapshot *)letter.bytes);
        wf_path_end(p[from], 0, (int64_t)sent);
        end = end > begin ? end : begin;
        wf_path_begin(p[to], STATEMENT, (int64_t)begin);
        wf_path_part(p[to], (struct wf_path_snapshot *)letter.bytes, wf_path_weight(7, sent, end));
        wf_path_end(p[to], wf_path_take(begin, sent + 7, end), (int64_t)end);
        now += 7;
    }
    assert_in_range(p[0]->length, 7000 - 20, 7000 + 20);
}

/* ---- epochs ---- */

static void a_message_without_path_data_changes_nothing(void **state)
{
    (void)state;
    struct box box, other, letter, seen;
    struct wf_path *p = fresh(&box, 0), *q = fresh(&other, 1);
    wf_path_init(q, CAPACITY, 4, 1); /* has not started */
    wf_path_begin(q, STATEMENT, 1500);
    struct wf_path_snapshot *s = (struct wf_path_snapshot *)letter.bytes;
    assert_int_equal(wf_path_snapshot(q, s), sizeof *s);
    wf_path_begin(p, STATEMENT, 1100);
    wf_path_adopt(p, s->epoch, 1100);
    assert_false(wf_path_part(p, s, 20));
    wf_path_end(p, 5, 1525);
    sampled(p, 1525, &seen);
    assert_int_equal(p->length, 105); /* waiting for a message from before the start is no activity */
}

static void a_message_with_path_data_starts_its_receiver(void **state)
{
    (void)state;
    struct box box, other, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_init(p, CAPACITY, 4, 0);
    wf_path_enter(p, C, 500); /* long before */
    wf_path_begin(p, STATEMENT, 1100);
    struct wf_path_snapshot *s = other_with(60, 0, &other);
    wf_path_adopt(p, s->epoch, 1100);
    assert_true(wf_path_part(p, s, 20));
    wf_path_end(p, 5, 1300);
    wf_path_leave(p, 1310);
    sampled(p, 1310, &seen);
    assert_int_equal(p->length, 95);
    assert_int_equal(own(p, A), 60);
    assert_int_equal(own(p, C), 10);
    assert_int_equal(all(p, C), 35);
}

static void a_stop_is_passed_on_and_what_was_sent_before_it_comes_too_late(void **state)
{
    (void)state;
    struct box box, early, late, other, seen;
    struct wf_path *p = fresh(&box, 0), *q = fresh(&other, 1);
    struct wf_path_snapshot *before = (struct wf_path_snapshot *)early.bytes,
                            *behind = (struct wf_path_snapshot *)late.bytes;
    wf_path_begin(q, STATEMENT, 5000);
    wf_path_snapshot(q, before);
    wf_path_end(q, 0, 5000);
    wf_path_stop(q, 2, 6000);
    wf_path_begin(q, STATEMENT, 7000);
    wf_path_snapshot(q, behind);
    wf_path_end(q, 0, 7000);
    assert_int_equal(q->length, 5000);
    wf_path_begin(p, STATEMENT, 1200);
    wf_path_adopt(p, behind->epoch, 1200);
    assert_false(wf_path_part(p, behind, 0));
    wf_path_end(p, 10, 7000);
    wf_path_begin(p, STATEMENT, 7100);
    wf_path_adopt(p, before->epoch, 7100);
    assert_false(wf_path_part(p, before, 0));
    wf_path_end(p, 10, 7110);
    struct wf_path_snapshot *s = sampled(p, 9000, &seen);
    assert_int_equal(s->length, 200); /* up to the begin of the call that learnt of it */
    assert_int_equal(s->epoch, 1);
    wf_path_start(p, 3, 9000);
    assert_int_equal(sampled(p, 9050, &seen)->length, 50);
    assert_int_equal(own(p, STATEMENT), 0);
}

/* Started again without learning of the stop between: no old value is left. */
static void an_epoch_that_was_missed_does_no_harm(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1000);
    wf_path_enter(p, B, 1100);
    wf_path_leave(p, 1200);
    wf_path_enter(p, C, 1300);
    wf_path_adopt(p, 5, 2000);
    wf_path_leave(p, 2010);
    wf_path_leave(p, 2015);
    struct wf_path_snapshot *s = sampled(p, 2015, &seen);
    assert_int_equal(s->epoch, 5);
    assert_int_equal(s->length, 15);
    assert_int_equal(own(p, A), 5);
    assert_int_equal(all(p, A), 15);
    assert_int_equal(own(p, B), 0);
    assert_saved(p, B, WF_PATH_OWN, 0);
    assert_int_equal(own(p, C), 10);
    wf_path_adopt(p, 8, 2020); /* stopped in an epoch that it never computed: its values are still those of 5 */
    assert_int_equal(sampled(p, 2020, &seen)->epoch, 5);
}

static void a_stop_in_a_call_is_at_its_begin(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_begin(p, STATEMENT, 1100);
    wf_path_stop(p, 2, 5000); /* it may be waiting */
    wf_path_end(p, 10, 6000);
    assert_int_equal(sampled(p, 7000, &seen)->length, 100);
}

static void a_sample_in_a_call_is_that_of_its_begin(void **state)
{
    (void)state;
    struct box box, seen;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1000);
    wf_path_begin(p, STATEMENT, 1100);
    assert_int_equal(sampled(p, 99000, &seen)->length, 100); /* it may be waiting */
    wf_path_end(p, 7, 99000);
    assert_int_equal(sampled(p, 99010, &seen)->length, 117);
    assert_int_equal(all(p, A), 117);
}

static void samples_are_put_together_by_the_longest(void **state)
{
    (void)state;
    struct box box, one, two;
    struct wf_path *total = (struct wf_path *)box.bytes;
    for (int order = 0; order < 2; order++) {
        wf_path_init(total, CAPACITY, 4, WF_PATH_NOWHERE);
        wf_path_start(total, 1, 0);
        wf_path_part(total, order ? other_with(0, 260, &one) : other_with(300, 0, &one), 0);
        wf_path_part(total, order ? other_with(300, 0, &two) : other_with(0, 260, &two), 0);
        assert_int_equal(total->length, 300);
        assert_int_equal(own(total, A), 300);
        assert_int_equal(wf_path_saved_ticks(total, A, WF_PATH_OWN, 4), 40);
        assert_saved(total, B, WF_PATH_OWN, 0);
        assert_int_equal(wf_path_places(total)[2 * 1], 300);
        assert_int_equal(wf_path_places(total)[2 * 1 + 1], 0); /* a sample changes nothing */
    }
    struct wf_path *copy = malloc(sizeof box); /* no pointers: a monitor may copy it */
    assert_non_null(copy);
    memcpy(copy, box.bytes, sizeof box);
    assert_int_equal(own(copy, A), 300);
    free(copy);
}

/* ---- programs with known answers ---- */

static const struct sim_network quick = {.free = true};
static const struct sim_cut whole;

/* On line and off line, with probes that change the watched run much. */
static struct sim_answer answer_of(struct sim_program *program, const struct sim_network *network,
                                   const struct sim_follow *follow)
{
    struct sim_probe_costs costs = {7, 3000, false};
    struct sim_probes probes = sim_random_probes(&costs);
    struct sim_answer on, off;
    struct sim_paths run = sim_paths_run(program, network, &probes, follow, &whole, &on);
    struct sim_twin *twin = sim_twin_new(program, network, follow);
    sim_twin_solve(twin, &whole, &off);
    assert_true(run.finished && !run.not_virtual && !run.not_whole);
    assert_memory_equal(&on, &off, sizeof on);
    sim_twin_free(twin);
    sim_program_free(program);
    return on;
}

static void work_in(struct sim_program *program, uint32_t process, uint32_t region, uint64_t ns)
{
    sim_program_enter(program, process, region);
    sim_program_compute(program, process, ns);
    sim_program_leave(program, process);
}

static void message(struct sim_program *program, enum sim_kind kind, uint32_t from, uint32_t to)
{
    uint32_t unit = sim_program_message(program, from, to, 8);
    sim_program_post(program, kind, unit);
    sim_program_post(program, SIM_RECV, unit);
}

static void every_process(struct sim_program *program, enum sim_class class)
{
    uint32_t members[64];
    for (uint32_t p = 0; p < program->processes; p++)
        members[p] = p;
    sim_program_collective(program, SIM_COLLECTIVE, class, 8, 0, members, program->processes);
}

enum { ONE = 1, TWO, THREE }; /* regions */

static int64_t part_of(const struct sim_answer *a, uint32_t region)
{
    return a->share[WF_PATH_FIRST + region - 1][WF_PATH_OWN];
}

/* In ns; all what-ifs are whole here. */
static void assert_savings(const struct sim_answer *a, uint32_t region, int64_t at_25, int64_t at_50, int64_t at_75,
                           int64_t at_100)
{
    const int64_t expected[] = {at_25, at_50, at_75, at_100};
    for (int step = 0; step < WF_PATH_STEPS; step++)
        assert_int_equal(a->saved[WF_PATH_FIRST + region - 1][step], 4 * expected[step]);
}

static const struct sim_follow three_regions = {.regions = 3, .statements = 1, .places = 4};

/* The proportions of the NAS IS benchmark in Hollingsworth's Figure 9: create_seq is 12.4 % of the CPU time and 42 % of
 * the path, because the others wait for it. One process makes the sequence, then all work on it. */
static void a_serial_part_has_more_of_the_path_than_of_the_time(void **state)
{
    (void)state;
    enum { PROCESSES = 5, CREATE = 9240, BENCH = 12400, RANK = 360 };
    struct sim_program *program = sim_program_new(PROCESSES);
    work_in(program, 0, ONE, CREATE);
    every_process(program, SIM_FROM_ROOT);
    for (uint32_t p = 0; p < PROCESSES; p++) {
        work_in(program, p, TWO, p == 2 ? BENCH : BENCH - 100);
        work_in(program, p, THREE, RANK);
    }
    every_process(program, SIM_ALL);
    struct sim_answer a = answer_of(program, &quick, &three_regions);
    assert_int_equal(a.length, CREATE + BENCH + RANK);
    assert_int_equal(part_of(&a, ONE), CREATE);
    assert_int_equal(100 * part_of(&a, ONE) / a.length, 42);
    assert_int_equal(100 * CREATE / (CREATE + 5 * BENCH - 4 * 100 + 5 * RANK), 12); /* of all time */
    assert_savings(&a, ONE, CREATE / 4, CREATE / 2, 3 * CREATE / 4, CREATE);
    assert_savings(&a, TWO, BENCH / 4, BENCH / 2, 3 * BENCH / 4, BENCH);
}

static void a_hot_region_that_is_never_on_the_path_saves_nothing(void **state)
{
    (void)state;
    struct sim_program *program = sim_program_new(4);
    for (int step = 0; step < 10; step++) {
        work_in(program, 0, ONE, 10000); /* a quarter of the time, all of the path */
        for (uint32_t p = 1; p < 4; p++)
            work_in(program, p, TWO, 9600);
        every_process(program, SIM_ALL);
    }
    struct sim_answer a = answer_of(program, &quick, &three_regions);
    assert_int_equal(a.length, 100000);
    assert_int_equal(part_of(&a, ONE), 100000);
    assert_int_equal(part_of(&a, TWO), 0);
    assert_savings(&a, TWO, 0, 0, 0, 0);
    assert_savings(&a, ONE, 4000, 4000, 4000, 4000); /* and the cold one saves little, because the hot one is close
                                                        behind */
    assert_int_equal(a.place[0][0], 100000);
}

static void two_nearly_equal_paths_save_only_the_difference(void **state)
{
    (void)state;
    struct sim_program *program = sim_program_new(2);
    work_in(program, 0, ONE, 8000);
    work_in(program, 0, TWO, 2400);
    work_in(program, 1, THREE, 10000);
    message(program, SIM_SEND, 1, 0);
    struct sim_answer a = answer_of(program, &quick, &three_regions);
    assert_int_equal(a.length, 10400);
    assert_savings(&a, ONE, 400, 400, 400, 400);
    assert_savings(&a, TWO, 400, 400, 400, 400);
    assert_savings(&a, THREE, 0, 0, 0, 0);
}

/* Four stages, ten items; the third stage is the slowest: the path goes through the first two once, stays in the third,
 * and leaves with the last. */
static void a_pipeline_is_as_slow_as_its_slowest_stage(void **state)
{
    (void)state;
    static const uint64_t stage_ns[] = {1000, 2000, 4000, 3000};
    static const struct sim_follow stages = {.regions = 4, .statements = 1, .places = 4};
    struct sim_program *program = sim_program_new(4);
    for (int item = 0; item < 10; item++)
        for (uint32_t p = 0; p < 4; p++) {
            if (p)
                message(program, SIM_SEND, p - 1, p);
            work_in(program, p, p + 1, stage_ns[p]);
        }
    struct sim_answer a = answer_of(program, &quick, &stages);
    assert_int_equal(a.length, 1000 + 2000 + 10 * 4000 + 3000);
    assert_int_equal(part_of(&a, 3), 40000);
    assert_int_equal(part_of(&a, 4), 3000);
    assert_savings(&a, 1, 250, 500, 750, 1000);
    assert_savings(&a, 4, 750, 1500, 2250, 3000);
    assert_savings(&a, 3, 10000, 11000, 12000, 13000); /* from 25 % on, the fourth is the slowest: 1000 + 2000 + the
                                                          rest + 10 * 3000 */
    assert_int_equal(a.place[2][0], 40000);
    assert_int_equal(a.place[3][1], 1);
}

/* A master distributes tasks to three workers, one of which is slow, and collects the results. */
static void a_master_waits_for_its_slowest_worker(void **state)
{
    (void)state;
    struct sim_program *program = sim_program_new(4);
    for (int round = 0; round < 5; round++) {
        work_in(program, 0, ONE, 400);
        for (uint32_t p = 1; p < 4; p++)
            message(program, SIM_SEND, 0, p);
        for (uint32_t p = 1; p < 4; p++)
            work_in(program, p, p == 2 ? TWO : THREE, p == 2 ? 2000 : 1200);
        for (uint32_t p = 1; p < 4; p++)
            message(program, p == 3 ? SIM_SSEND : SIM_SEND, p, 0);
    }
    struct sim_answer a = answer_of(program, &quick, &three_regions);
    assert_int_equal(a.length, 5 * 2400);
    assert_int_equal(part_of(&a, ONE), 5 * 400);
    assert_int_equal(part_of(&a, TWO), 5 * 2000);
    assert_savings(&a, ONE, 500, 1000, 1500, 2000);
    assert_savings(&a, TWO, 5 * 500, 5 * 800, 5 * 800, 5 * 800); /* then the other workers are as slow */
    assert_savings(&a, THREE, 0, 0, 0, 0);
    assert_int_equal(a.place[2][0], 5 * 2000);
    assert_int_equal(a.place[2][1], 5);
    assert_int_equal(a.place[0][1], 5);
}

/* A broadcast by hand, from each to the next: the path consists of transfers only. */
static void a_broadcast_chain_is_transfer(void **state)
{
    (void)state;
    enum { PROCESSES = 8, LATENCY = 1000, TAKE = 200, START = 5000 };
    static const struct sim_network slow = {.latency_ns = LATENCY, .take_ns = TAKE};
    static const struct sim_follow all_statements = {.regions = 1, .statements = 7, .places = 8};
    struct sim_program *program = sim_program_new(PROCESSES);
    work_in(program, 0, ONE, START);
    for (uint32_t p = 1; p < PROCESSES; p++) {
        work_in(program, p, TWO, 100);
        message(program, SIM_SEND, p - 1, p);
    }
    struct sim_answer a = answer_of(program, &slow, &all_statements);
    const int64_t transfer = (PROCESSES - 1) * (LATENCY + TAKE);
    assert_int_equal(a.length, START + transfer);
    assert_int_equal(a.share[WF_PATH_TRANSFER][WF_PATH_ALL], transfer);
    assert_int_equal(a.saved[WF_PATH_TRANSFER][WF_PATH_STEPS + 3], 4 * transfer);
    int64_t statements = a.share[WF_PATH_TRANSFER][WF_PATH_OWN];
    for (uint32_t slot = WF_PATH_FIRST + 1; slot < SIM_SLOTS; slot++)
        statements += a.share[slot][WF_PATH_OWN];
    assert_int_equal(statements, transfer);
    assert_savings(&a, ONE, 1250, 2500, 3750, START);
    for (uint32_t p = 1; p < PROCESSES; p++) {
        assert_int_equal(a.place[p][0], LATENCY + TAKE);
        assert_int_equal(a.place[p][1], 1);
    }
}

/* A message on its way when the path starts, and one when it stops. */
static void messages_in_flight_are_on_neither_side_of_a_cut(void **state)
{
    (void)state;
    static const struct sim_network slow = {.latency_ns = 5000};
    struct sim_program *program = sim_program_new(2);
    sim_program_compute(program, 0, 100); /* 0.0 */
    message(program, SIM_SEND, 0, 1);     /* 0.1, 1.0: in flight at the start */
    work_in(program, 0, ONE, 300);        /* 0.2 to 0.4 */
    work_in(program, 1, TWO, 50);         /* 1.1 to 1.3 */
    message(program, SIM_SEND, 0, 1);     /* 0.5, 1.4: counts */
    work_in(program, 1, THREE, 70);       /* 1.5 to 1.7 */
    work_in(program, 0, TWO, 20);         /* 0.6 to 0.8 */
    message(program, SIM_SEND, 0, 1);     /* 0.9, 1.8: in flight at the stop */
    work_in(program, 0, ONE, 90000);      /* 0.10 to 0.12: after it */
    const uint32_t start[] = {2, 0}, stop[] = {10, 8};
    struct sim_cut cut = {.start = start, .stop = stop};
    struct sim_answer on, off;
    struct sim_twin *twin = sim_twin_new(program, &slow, &three_regions);
    sim_paths_run(program, &slow, &(struct sim_probes){0}, &three_regions, &cut, &on);
    sim_twin_solve(twin, &cut, &off);
    assert_memory_equal(&on, &off, sizeof on);
    assert_int_equal(on.length, 300 + 5000 + 70);
    assert_int_equal(part_of(&on, ONE), 300);
    assert_int_equal(part_of(&on, TWO), 0);
    assert_int_equal(part_of(&on, THREE), 70);
    assert_int_equal(on.share[WF_PATH_TRANSFER][WF_PATH_ALL], 5000);
    sim_twin_free(twin);
    sim_program_free(program);
}

/* ---- regions without a slot ---- */

static int64_t listed(struct wf_path *p, uint32_t region)
{
    for (uint32_t i = 0; i < p->listed; i++)
        if (p->list[i].region == region)
            return p->list[i].share;
    return -1;
}

/* In a stretch of this region, which has no slot, for so long. */
static void pass_in(struct wf_path *p, uint32_t region, int64_t ticks)
{
    int64_t now = p->since;
    wf_path_around(p, region);
    wf_path_begin(p, WF_PATH_OTHER, now + ticks);
    wf_path_end(p, 0, now + ticks);
}

static void what_has_no_slot_is_listed_and_is_other_too(void **state)
{
    (void)state;
    struct box box;
    struct wf_path *p = fresh(&box, 0);
    pass_in(p, 70, 300);
    pass_in(p, 71, 200);
    wf_path_attribute_of(p, WF_PATH_OTHER, 72, 30, 30); /* of the stretch in 71 */
    pass_in(p, 71, 0);
    wf_path_around(p, 70);
    wf_path_begin(p, WF_PATH_OTHER, p->since);
    p->calling = 90 | WF_PATH_STATEMENT;
    wf_path_end(p, 40, p->since + 40);
    assert_int_equal(listed(p, 70), 300);
    assert_int_equal(listed(p, 71), 200);
    assert_int_equal(listed(p, 72), 30);
    assert_int_equal(listed(p, 90 | WF_PATH_STATEMENT), 40);
    assert_int_equal(own(p, WF_PATH_OTHER), 500);
    assert_int_equal(own(p, WF_PATH_TRANSFER), 40);
}

/* 1,000 regions of little time each, and one that has a tenth: it is in the list, and lacks no more than 1/64. */
static void the_heavy_ones_stay_in_the_list(void **state)
{
    (void)state;
    struct box box;
    struct wf_path *p = fresh(&box, 0);
    for (uint32_t round = 0; round < 20; round++)
        for (uint32_t r = 0; r < 1000; r++) {
            pass_in(p, 100 + r, 9);
            pass_in(p, 50, 1);
        }
    assert_int_equal(p->length, 200000);
    assert_int_equal(own(p, WF_PATH_OTHER), 200000);
    assert_int_equal(p->listed, WF_PATH_LISTED);
    assert_true(listed(p, 50) <= 20000 && listed(p, 50) >= 20000 - 200000 / 64);
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->listed; i++)
        sum += p->list[i].share;
    assert_true(sum <= p->length);
}

static void the_list_goes_with_the_path(void **state)
{
    (void)state;
    struct box box, other_box, seen, copied;
    struct wf_path *p = fresh(&box, 0), *other = fresh(&other_box, 1);
    struct wf_path_snapshot *s = (struct wf_path_snapshot *)seen.bytes, *c = (struct wf_path_snapshot *)copied.bytes;
    memset(s, 0, sizeof seen);
    pass_in(other, 70, 300);
    wf_path_update(other, s);
    pass_in(other, 71, 100);
    pass_in(other, 70, 50);
    wf_path_update(other, s); /* what has changed since */
    pass_in(p, 72, 400);
    wf_path_begin(p, STATEMENT, p->since);
    assert_true(wf_path_copy(p, s, c));
    assert_true(wf_path_part(p, c, 20));
    wf_path_end(p, 0, p->since + 20);
    assert_int_equal(listed(p, 70), 350);
    assert_int_equal(listed(p, 71), 100);
    assert_int_equal(listed(p, 72), -1);
    assert_int_equal(own(p, WF_PATH_OTHER), 450);
    assert_int_equal(own(p, STATEMENT), 20);
}

/* ---- slots that change ---- */

static void a_slot_changes_its_region_and_all_own_shares_stay(void **state)
{
    (void)state;
    struct box box;
    struct wf_path *p = fresh(&box, 0);
    wf_path_enter(p, A, 1000);
    wf_path_leave(p, 1300);
    pass_in(p, 70, 200);
    wf_path_leave_all(p, 1500);
    wf_path_reassign(p, A, 1, 70);
    assert_int_equal(p->map, 2);
    assert_int_equal(own(p, A), 0);
    assert_int_equal(listed(p, 1), 300);
    assert_int_equal(listed(p, 70), 200);
    assert_int_equal(own(p, WF_PATH_OTHER), 500);
    assert_saved(p, A, WF_PATH_OWN, 0);
    assert_saved(p, A, WF_PATH_ALL, 0);
    assert_int_equal(all(p, A), 0);
    assert_int_equal(wf_path_regions(p)[A], 70);
    wf_path_stretch(p, A, 1500);
    wf_path_begin(p, WF_PATH_OTHER, 1600);
    wf_path_end(p, 0, 1600);
    assert_int_equal(own(p, A), 100);
    assert_saved(p, A, WF_PATH_OWN, 100);
    assert_int_equal(own(p, A) + own(p, WF_PATH_OTHER), p->length);
    wf_path_reassign(p, A, 70, 1 | WF_PATH_STATEMENT); /* the share of a statement is transfer */
    assert_int_equal(own(p, A), 0);
    assert_int_equal(listed(p, 1), 300);
    assert_int_equal(listed(p, 70), 300);
}

/* A snapshot of an older map is brought to the newer one by the same changes. */
static void an_older_snapshot_is_not_lost(void **state)
{
    (void)state;
    struct box box, other_box, loaded_box, seen;
    struct wf_path *p = fresh(&box, 0), *other = fresh(&other_box, 1), *loaded = (struct wf_path *)loaded_box.bytes;
    struct wf_path_snapshot *s = (struct wf_path_snapshot *)seen.bytes;
    wf_path_enter(other, A, 1000);
    wf_path_leave(other, 1300);
    wf_path_enter(other, B, 1300);
    wf_path_leave(other, 1400);
    pass_in(other, 70, 500);
    wf_path_begin(other, STATEMENT, 1900);
    wf_path_snapshot(other, s);
    wf_path_leave_all(p, 1000);
    wf_path_reassign(p, A, 1, 70);
    wf_path_begin(p, STATEMENT, 1100);
    assert_false(wf_path_part(p, s, 0));
    wf_path_init(loaded, CAPACITY, 4, 0);
    wf_path_load(loaded, s);
    wf_path_reassign(loaded, A, 1, 70);
    wf_path_snapshot(loaded, s);
    s->place = 1;
    assert_true(wf_path_part(p, s, 0));
    wf_path_end(p, 0, 1900);
    assert_int_equal(p->length, 900);
    assert_int_equal(own(p, A), 0);
    assert_int_equal(listed(p, 70), 500);
    assert_int_equal(own(p, B), 100);
    assert_saved(p, A, WF_PATH_OWN, 0);
    assert_saved(p, B, WF_PATH_OWN, 100);
    assert_int_equal(listed(p, 1), 300);
    assert_int_equal(own(p, WF_PATH_OTHER), 800);
    assert_int_equal(wf_path_places(p)[2], 900);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_time_is_the_innermost_regions_and_all_time_everybodys),
        cmocka_unit_test(of_a_pause_nothing_counts_and_of_what_was_before_it_all),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(what_is_too_deep_counts_for_what_is_not),
        cmocka_unit_test(all_regions_can_be_left_at_once),
        cmocka_unit_test(what_is_not_followed_is_other),
        cmocka_unit_test(all_transfer_is_told_whatever_the_statement),
        cmocka_unit_test(the_stretch_behind_a_statement_ends_where_the_next_begins),
        cmocka_unit_test(a_clock_that_steps_back_takes_back),
        cmocka_unit_test(the_longer_path_goes_on_through_the_transfer),
        cmocka_unit_test(the_shorter_path_limits_what_can_be_saved),
        cmocka_unit_test(a_faster_statement_makes_each_way_shorter_by_its_own),
        cmocka_unit_test(savings_add_up_over_several_parts),
        cmocka_unit_test(one_that_has_met_fewer_regions_has_nothing_to_save_there),
        cmocka_unit_test(there_is_no_fifth_of_four_places),
        cmocka_unit_test(of_two_equal_paths_the_own_one_stays),
        cmocka_unit_test(weights_and_take_lead_to_the_virtual_end),
        cmocka_unit_test(clocks_that_differ_do_not_make_the_path_longer),
        cmocka_unit_test(a_message_without_path_data_changes_nothing),
        cmocka_unit_test(a_message_with_path_data_starts_its_receiver),
        cmocka_unit_test(a_stop_is_passed_on_and_what_was_sent_before_it_comes_too_late),
        cmocka_unit_test(an_epoch_that_was_missed_does_no_harm),
        cmocka_unit_test(a_stop_in_a_call_is_at_its_begin),
        cmocka_unit_test(a_sample_in_a_call_is_that_of_its_begin),
        cmocka_unit_test(samples_are_put_together_by_the_longest),
        cmocka_unit_test(a_serial_part_has_more_of_the_path_than_of_the_time),
        cmocka_unit_test(a_hot_region_that_is_never_on_the_path_saves_nothing),
        cmocka_unit_test(two_nearly_equal_paths_save_only_the_difference),
        cmocka_unit_test(a_pipeline_is_as_slow_as_its_slowest_stage),
        cmocka_unit_test(a_master_waits_for_its_slowest_worker),
        cmocka_unit_test(a_broadcast_chain_is_transfer),
        cmocka_unit_test(messages_in_flight_are_on_neither_side_of_a_cut),
        cmocka_unit_test(what_has_no_slot_is_listed_and_is_other_too),
        cmocka_unit_test(the_heavy_ones_stay_in_the_list),
        cmocka_unit_test(the_list_goes_with_the_path),
        cmocka_unit_test(a_slot_changes_its_region_and_all_own_shares_stay),
        cmocka_unit_test(an_older_snapshot_is_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
