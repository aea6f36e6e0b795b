/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Headers and their matching, without MPI: a process that sends to itself, so that every order is known. The address of a header stands for the message.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "measure/guest/settings.h"
#include "measure/exchange/match.h"
#include "measure/process/identity.h"
#include "measure/process/process.h"
#include "measure/exchange/snapshot.h"

#define COMM 7u

struct wf_process wf_process;

void wf_identity_world(char text[static WF_WORLD_BYTES])
{
    snprintf(text, WF_WORLD_BYTES, "test");
}

/* No path is followed. */
__thread struct wf_tls weft_tls;

bool wf_feed_began_at(const struct wf_feed *f, uint64_t virt)
{
    (void)f, (void)virt;
    return false;
}

size_t wf_feed_shown_bytes(const struct wf_feed *f)
{
    (void)f;
    return 0;
}

size_t wf_feed_room = sizeof(struct wf_shown);

void wf_feed_show(struct wf_feed *f, struct wf_shown *s)
{
    (void)f, (void)s;
}

void wf_feed_show_for_now(struct wf_feed *f, struct wf_shown *s)
{
    (void)f, (void)s;
}

void wf_feed_promise(struct wf_feed *f, struct wf_shown *s)
{
    (void)f, (void)s;
}

void wf_feed_expect(const struct wf_feed *f, struct wf_shown *s)
{
    (void)f, (void)s;
}

void wf_feed_part(struct wf_feed *f, const struct wf_feed_part *part)
{
    (void)f, (void)part;
}

bool wf_feed_has_part(const struct wf_feed *f, const struct wf_shown *shown)
{
    (void)f, (void)shown;
    return false;
}

void wf_feed_lost(struct wf_feed *f)
{
    (void)f;
}

static struct wf_segment_header segment_header;
static struct wf_lane_record lane_record;
static struct wf_lane lane = {.record = &lane_record};
static const struct wf_header_counts *const counts = &lane_record.headers;
static const struct wf_stamp at_zero = {.real = 0};
static struct wf_ring *sent_in;

static void send_flags(uint64_t comm, int tag, uint64_t message, uint32_t flags, uint64_t when)
{
    struct wf_header h = {.comm = comm, .tag = tag, .flags = flags, .address = message, .stamp = {.real = when, .virt = when}};
    wf_link_put(wf_link_to(0), &h);
    sent_in = wf_get(wf_link_to(0)->to.ring);
}

static void send_message(uint64_t comm, int tag, uint64_t message)
{
    send_flags(comm, tag, message, 0, message);
}

static struct wf_posted *post(int source, int tag)
{
    return wf_match_post(source, tag, COMM, &at_zero, 99);
}

/* The message that a posted receive has got, or 0. */
static uint64_t complete(struct wf_posted *posted, int tag)
{
    struct wf_header h;
    return wf_match_complete(posted, 0, tag, &at_zero, 99, &h) ? h.address : 0;
}

static uint64_t receive(uint64_t comm, int tag)
{
    struct wf_header h;
    return wf_match_receive_at_once(0, tag, comm, &at_zero, 99, &h) ||
                   wf_match_receive(0, tag, comm, &at_zero, 99, NULL, &h)
               ? h.address
               : 0;
}

static void in_order(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 1000; i++) {
        send_message(COMM, 3, i);
        assert_int_equal(receive(COMM, 3), i);
    }
    assert_int_equal(receive(COMM, 3), 0);
}

static void tags_and_communicators_are_told_apart(void **state)
{
    (void)state;
    send_message(COMM, 1, 1);
    send_message(COMM + 1, 2, 2);
    send_message(COMM, 2, 3);
    send_message(COMM, 1, 4);
    assert_int_equal(receive(COMM, 2), 3);
    assert_int_equal(receive(COMM, 1), 1);
    assert_int_equal(receive(COMM, 1), 4);
    assert_int_equal(receive(COMM + 1, 2), 2);
    assert_int_equal(wf_match.open, wf_match.any);
}

static void completed_in_reverse(void **state)
{
    (void)state;
    struct wf_posted *first = post(0, 5), *second = post(0, 5), *third = post(0, WF_ANY);
    send_message(COMM, 5, 1);
    send_message(COMM, 5, 2);
    send_message(COMM, 6, 3);
    assert_int_equal(complete(third, 6), 3);
    assert_int_equal(complete(second, 5), 2);
    assert_int_equal(complete(first, 5), 1);
    assert_int_equal(wf_match.open, wf_match.any);
}

/* A receive that was posted earlier and whose message is not there yet does not take another's. */
static void an_earlier_receive_without_message(void **state)
{
    (void)state;
    struct wf_posted *waiting = post(0, 8), *other = post(0, 9);
    send_message(COMM, 9, 1);
    assert_int_equal(complete(other, 9), 1);
    send_message(COMM, 8, 2);
    send_message(COMM, 8, 3);
    assert_int_equal(receive(COMM, 8), 3);
    assert_int_equal(complete(waiting, 8), 2);
}

static void a_cancelled_receive_gives_its_message_back(void **state)
{
    (void)state;
    struct wf_posted *cancelled = post(0, 4), *kept = post(0, 4);
    send_message(COMM, 4, 1);
    send_message(COMM, 4, 2);
    wf_match_forget(cancelled);
    assert_int_equal(complete(kept, 4), 1);
    assert_int_equal(receive(COMM, 4), 2);
}

static void a_message_that_was_never_sent(void **state)
{
    (void)state;
    send_flags(COMM, 1, 1, WF_HEADER_DEAD, 0);
    send_message(COMM, 1, 2);
    assert_int_equal(receive(COMM, 1), 2);
}

static void ambiguous_with_any_source(void **state)
{
    (void)state;
    uint64_t before = counts->ambiguous;
    struct wf_posted *any = post(WF_ANY, 1);
    send_message(COMM, 1, 1);
    assert_int_equal(receive(COMM, 1), 1); /* the only one there */
    assert_int_equal(counts->ambiguous, before);
    send_message(COMM, 1, 2);
    send_message(COMM, 1, 3);
    assert_int_not_equal(receive(COMM, 1), 0);
    assert_int_equal(counts->ambiguous, before + 1);
    assert_int_not_equal(complete(any, 1), 0);
}

static void a_probe_takes_nothing(void **state)
{
    (void)state;
    struct wf_header h;
    send_message(COMM, 1, 1);
    assert_true(wf_match_peek(0, 1, COMM, NULL, &h));
    assert_int_equal(h.address, 1);
    assert_int_equal(receive(COMM, 1), 1);
    assert_false(wf_match_peek(0, 1, COMM, NULL, &h));
}

static void earlier_messages_are_seen(void **state)
{
    (void)state;
    assert_false(wf_match_earlier(0, UINT64_MAX, UINT64_MAX));
    send_message(COMM, 1, 100);
    assert_true(wf_match_earlier(3, 0, 101));
    assert_false(wf_match_earlier(3, 0, 100));
    assert_true(wf_match_earlier(0, 101, 0));
    assert_false(wf_match_earlier(0, 100, UINT64_MAX));
    assert_int_equal(receive(COMM, 1), 100);
}

static uint64_t reply_to(uint32_t number)
{
    struct wf_stamp begin;
    struct wf_showing shown;
    uint64_t address;
    return wf_reply_read(wf_ring_reply(sent_in, number), number, &begin, &address, &shown) ? begin.real : 0;
}

static void a_late_receive_answers(void **state)
{
    (void)state;
    struct wf_header h;
    const struct wf_stamp late = {.real = 100000, .virt = 90000}, prompt = {.real = 50};
    send_flags(COMM, 1, 1, WF_HEADER_SYNC | WF_HEADER_AWAITS, 10);
    uint32_t number = wf_link_to(0)->to.next;
    assert_true(wf_match_is_awaited(wf_link_to(0)));
    wf_match_announce(0, 1, COMM, &late, 99); /* before the receive ends */
    assert_int_equal(reply_to(number), 100000);
    assert_true(wf_match_receive(0, 1, COMM, &late, 99, NULL, &h));
    assert_false(wf_match_is_awaited(wf_link_to(0)));
    send_flags(COMM, 1, 2, WF_HEADER_SYNC, 10);
    number = wf_link_to(0)->to.next;
    assert_true(wf_match_receive(0, 1, COMM, &prompt, 99, NULL, &h));
    assert_int_equal(reply_to(number), 0); /* no send waited for it */
}

/* Many more than a ring holds, none received; then all, in order. */
static void rings_grow(void **state)
{
    (void)state;
    for (uint64_t i = 1; i <= 200000; i++)
        send_message(COMM, (int)(i % 3), i);
    for (uint64_t i = 1; i <= 200000; i++)
        assert_int_equal(receive(COMM, (int)(i % 3)), i);
    assert_int_equal(counts->dropped, 0);
    assert_int_equal(wf_match.open, wf_match.any);
}

static void free_block(uint32_t block)
{
    atomic_store(&((struct wf_shown *)wf_box_at(wf_own_box.box, block))->ticket, 0);
}

/* A block is not used again before it is free; however many are not, there are more. */
static void blocks_are_used_when_free(void **state)
{
    (void)state;
    uint32_t blocks[100];
    for (int i = 0; i < 100; i++) {
        blocks[i] = wf_snapshot_block(500);
        assert_int_not_equal(blocks[i], 0);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(blocks[i], blocks[k]);
    }
    for (int i = 0; i < 100; i++)
        free_block(blocks[i]);
    uint32_t used = wf_snapshot_block(500), larger = wf_snapshot_block(5000), next = wf_snapshot_block(500);
    assert_true(larger != used && next != used && next != larger);
    uint32_t highest = 0;
    for (int i = 0; i < 1000; i++) { /* with one in use at a time nothing grows */
        free_block(next);
        next = wf_snapshot_block(500);
        if (i < 200 && next > highest)
            highest = next;
        assert_true(next <= highest);
    }
}

static void slots_hold_what_is_recent(void **state)
{
    (void)state;
    struct wf_entry e = {.address = 1}, seen;
    for (uint32_t number = 0; number < WF_SLOTS + 1; number++) {
        e.stamp.real = number + 1;
        wf_slots_enter(&wf_own_box.box->slots, COMM, number, &e);
    }
    assert_false(wf_slots_entered(&wf_own_box.box->slots, COMM, 0, &seen));
    assert_true(wf_slots_entered(&wf_own_box.box->slots, COMM, 1, &seen));
    assert_int_equal(seen.stamp.real, 2);
    assert_false(wf_slots_entered(&wf_own_box.box->slots, COMM + 1, 1, &seen));
    assert_false(wf_slots_entered(&wf_own_box.box->slots, COMM, WF_SLOTS + 1, &seen));
}

/* Last: after it nothing is sent any more. */
static void at_the_limit_stamps_are_dropped(void **state)
{
    (void)state;
    uint64_t i = 0;
    while (counts->dropped == 0)
        send_message(COMM, 1, ++i);
    send_message(COMM, 1, i + 1);
    assert_int_equal(counts->dropped, 2);
    for (uint64_t k = 1; k < i; k++)
        assert_int_equal(receive(COMM, 1), k);
    assert_int_equal(receive(COMM, 1), 0);
}

static char directory[] = "/tmp/weft-match.XXXXXX";

static int start(void **state)
{
    (void)state;
    if (!mkdtemp(directory))
        return -1;
    wf_settings.directory = directory;
    wf_process.segment.header = &segment_header;
    weft_tls.lane = &lane;
    return wf_links_start(0, 1);
}

static int end(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", directory);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),
        cmocka_unit_test(tags_and_communicators_are_told_apart),
        cmocka_unit_test(completed_in_reverse),
        cmocka_unit_test(an_earlier_receive_without_message),
        cmocka_unit_test(a_cancelled_receive_gives_its_message_back),
        cmocka_unit_test(a_message_that_was_never_sent),
        cmocka_unit_test(ambiguous_with_any_source),
        cmocka_unit_test(a_probe_takes_nothing),
        cmocka_unit_test(earlier_messages_are_seen),
        cmocka_unit_test(a_late_receive_answers),
        cmocka_unit_test(rings_grow),
        cmocka_unit_test(blocks_are_used_when_free), cmocka_unit_test(slots_hold_what_is_recent),
        cmocka_unit_test(at_the_limit_stamps_are_dropped),
    };
    return cmocka_run_group_tests(tests, start, end);
}
