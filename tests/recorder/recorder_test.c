/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder writes segments that say exactly what was counted: many sites and partners, many threads, a limit that
 * is too small, a disk that is full.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/guest/directory.h"
#include "measure/guest/settings.h"
#include "measure/clock/clock.h"
#include "measure/record/record.h"

static char folder[] = "/tmp/weft-recorder-XXXXXX";

static struct wf_segment *open_segment(const char *name, uint64_t limit)
{
    static struct wf_segment segment;
    memset(&segment, 0, sizeof segment);
    wf_settings.directory = folder;
    assert_int_equal(wf_segment_open(&segment, name, limit), 0);
    return &segment;
}

static void close_segment(struct wf_segment *segment)
{
    wf_file_remove(&segment->file);
}

struct sums {
    uint64_t sites, coms, waits, num, bytes, ticks;
};

static void add_chunk(const struct wf_chunk *chunk, struct sums *sums)
{
    uint32_t count = atomic_load(&chunk->count);
    sums->sites += chunk->kind == WF_CHUNK_SITE ? count : 0;
    sums->waits += chunk->kind == WF_CHUNK_WAIT ? count : 0;
    if (chunk->kind != WF_CHUNK_COM)
        return;
    const struct wf_com_record *com = (const struct wf_com_record *)(chunk + 1);
    sums->coms += count;
    for (uint32_t i = 0; i < count; i++) {
        sums->num += com[i].num;
        sums->bytes += com[i].bytes;
        sums->ticks += com[i].trans_raw_ticks;
    }
}

static struct sums add_up(const struct wf_segment *segment)
{
    struct sums sums = {0};
    const char *base = (const char *)segment->header;
    for (uint64_t at = sizeof *segment->header; at < atomic_load(&segment->header->used_bytes);) {
        const struct wf_chunk *chunk = (const struct wf_chunk *)(base + at);
        add_chunk(chunk, &sums);
        at += chunk->bytes;
    }
    return sums;
}

static void every_site_and_partner_has_its_record(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("many.seg", 64 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    for (int round = 0; round < 3; round++)
        for (uintptr_t site = 1; site <= 500; site++)
            for (int partner = -3; partner < 64; partner++)
                wf_lane_count(lane, wf_lane_site(lane, site * 5, 7), partner, 1, 8,
                              &(struct wf_times){.raw = 100, .virt = 100});
    struct sums sums = add_up(segment);
    assert_int_equal(sums.sites, 500);
    assert_int_equal(sums.coms, 500 * 67);
    assert_int_equal(sums.num, 3 * 500 * 67);
    assert_int_equal(sums.bytes, 8 * 3 * 500 * 67);
    assert_int_equal(sums.ticks, 100 * 3 * 500 * 67);
    close_segment(segment);
}

static void every_wait_has_its_record(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("waits.seg", 64 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    uint64_t differences = 0, number = 0;
    for (int round = 0; round < 3; round++, number = 0)
        for (uintptr_t site = 1; site <= 20; site++)
            for (int culprit = 0; culprit < 16; culprit++)
                for (uint32_t kind = WF_WAIT_LATE_SENDER; kind <= WF_WAIT_NEIGHBOUR; kind++)
                    for (uint64_t address = 0; address < 4; address++) {
                        struct wf_wait_record *wait =
                            wf_lane_wait(lane, wf_lane_site(lane, site * 5, 7), culprit, kind, address);
                        differences += wait->raw_ticks != round * ++number;
                        wait->raw_ticks += number;
                    }
    assert_int_equal(differences, 0);
    assert_int_equal(add_up(segment).waits, 20 * 16 * 9 * 4);
    close_segment(segment);
}

static void one_address_with_two_functions_is_two_sites(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("two.seg", 1 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    assert_ptr_not_equal(wf_lane_site(lane, 64, 1), wf_lane_site(lane, 64, 2));
    assert_ptr_equal(wf_lane_site(lane, 64, 1), wf_lane_site(lane, 64, 1));
    close_segment(segment);
}

static void what_does_not_fit_is_counted(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("small.seg", 64 << 10);
    struct wf_lane *lane = wf_lane_acquire(segment);
    for (uintptr_t site = 1; site <= 10; site++)
        for (int partner = 0; partner < 1000; partner++)
            wf_lane_count(lane, wf_lane_site(lane, site, 0), partner, 1, 8, &(struct wf_times){.raw = 10, .virt = 10});
    struct sums sums = add_up(segment);
    assert_true(sums.coms < 1000);
    assert_int_equal(sums.num + atomic_load(&segment->header->dropped_coms), 10000);
    assert_int_equal(sums.ticks + atomic_load(&segment->header->dropped_coms_ticks), 100000);
    assert_true(atomic_load(&segment->header->used_bytes) <= segment->header->limit_bytes);
    close_segment(segment);
}

static void sites_that_do_not_fit_share_one_without_records(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("sites.seg", 64 << 10);
    struct wf_lane *lane = wf_lane_acquire(segment);
    for (uintptr_t site = 1; site <= 5000; site++)
        wf_lane_site(lane, site, 0);
    assert_ptr_equal(wf_lane_site(lane, 5000, 0), &lane->lost);
    close_segment(segment);
}

static void more_sites_than_a_lane_has_share_one(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("most.seg", 64 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    for (uintptr_t site = 1; site <= WF_MAX_SITES; site++)
        assert_ptr_not_equal(wf_lane_site(lane, site, 0), &lane->lost);
    assert_ptr_equal(wf_lane_site(lane, WF_MAX_SITES + 1, 0), &lane->lost);
    for (uintptr_t site = 1; site <= WF_MAX_SITES; site++)
        assert_int_equal(wf_lane_site(lane, site, 0)->address, site);
    assert_int_equal(add_up(segment).sites, WF_MAX_SITES);
    close_segment(segment);
}

struct counter {
    struct wf_segment *segment;
    struct wf_lane *lane;
};

static void *count_much(void *context)
{
    struct counter *counter = context;
    counter->lane = wf_lane_acquire(counter->segment);
    for (int i = 0; i < 100000; i++)
        wf_lane_count(counter->lane, wf_lane_site(counter->lane, (uintptr_t)(1 + i % 97), 3), i % 31, 1, 2,
                      &(struct wf_times){.raw = 3, .virt = 3});
    return NULL;
}

static void threads_count_without_losing_anything(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    struct wf_segment *segment = open_segment("threads.seg", 64 << 20);
    pthread_t threads[THREADS];
    struct counter counters[THREADS];
    for (int i = 0; i < THREADS; i++) {
        counters[i] = (struct counter){.segment = segment};
        assert_int_equal(pthread_create(&threads[i], NULL, count_much, &counters[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct sums sums = add_up(segment);
    assert_int_equal(sums.num, THREADS * 100000);
    assert_int_equal(sums.bytes, 2 * THREADS * 100000);
    close_segment(segment);
}

static void a_lane_is_used_again(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("again.seg", 1 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    wf_lane_release(lane);
    assert_ptr_equal(wf_lane_acquire(segment), lane);
    close_segment(segment);
}

static void what_is_lent_is_taken_back(void **state)
{
    (void)state;
    enum { PROGRAMS = 300 }; /* more than there is room for at first */
    static struct weft_lane_ *kept[PROGRAMS];
    struct wf_segment *segment = open_segment("lent.seg", 1 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    for (uintptr_t i = 0; i < PROGRAMS; i++) {
        wf_lane_lend(lane, &kept[i], 1000 * i);
        assert_ptr_equal(kept[i], &lane->probes);
    }
    wf_lane_revoke(lane);
    for (int i = 0; i < PROGRAMS; i++)
        assert_null(kept[i]);
    atomic_store(&lane->attention, WF_ATTEND_PAUSED);
    wf_lane_lend(lane, &kept[0], 0);
    assert_null(kept[0]);
    close_segment(segment);
}

static void a_closed_library_keeps_no_lane(void **state)
{
    (void)state;
    struct weft_lane_ *open = NULL, *closed = NULL;
    struct wf_segment *segment = open_segment("closed.seg", 1 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    wf_lane_lend(lane, &open, 1000);
    wf_lane_lend(lane, &closed, 2000);
    wf_lane_module_closed(1500, 2500);
    assert_null(open); /* it asks again, and attends to that first */
    assert_true(atomic_load(&lane->attention) & WF_ATTEND_CLOSED);
    atomic_store(&lane->attention, 0);
    wf_lane_lend(lane, &open, 1000);
    closed = &lane->probes; /* what is there now is another library's */
    wf_lane_revoke(lane);
    assert_null(open);
    assert_ptr_equal(closed, &lane->probes);
    close_segment(segment);
}

static void scratch_grows_and_stays(void **state)
{
    (void)state;
    struct wf_segment *segment = open_segment("scratch.seg", 1 << 20);
    struct wf_lane *lane = wf_lane_acquire(segment);
    char *small = wf_lane_scratch(lane, 100);
    assert_ptr_equal(wf_lane_scratch(lane, 4000), small);
    char *large = wf_lane_scratch(lane, 5 << 20);
    memset(large, 1, 5 << 20);
    assert_ptr_equal(wf_lane_scratch(lane, 10), large);
    close_segment(segment);
}

static void a_full_disk_is_an_error_and_not_a_signal(void **state)
{
    (void)state;
    char disk[300], name[WF_FILE_NAME_BYTES] = "b.seg", path[600];
    snprintf(disk, sizeof disk, "%s/disk", folder);
    mkdir(disk, 0700);
    if (mount("tmpfs", disk, "tmpfs", 0, "size=192k,mode=700") != 0) {
        print_message("not tried: mounting a small tmpfs is not allowed here (%s)\n", strerror(errno));
        skip();
    }
    struct wf_segment segment = {0};
    wf_settings.directory = disk;
    assert_int_equal(wf_segment_open(&segment, "a.seg", 64 << 20), 0);
    struct wf_lane *lane = wf_lane_acquire(&segment);
    for (int partner = 0; partner < 10000; partner++)
        wf_lane_count(lane, wf_lane_site(lane, 1, 0), partner, 1, 8, &(struct wf_times){.raw = 10, .virt = 10});
    struct sums sums = add_up(&segment);
    assert_int_equal(sums.num + atomic_load(&segment.header->dropped_coms), 10000);
    assert_true(atomic_load(&segment.header->dropped_coms) > 0);

    struct wf_segment second = {0};
    int why = wf_segment_open(&second, name, 64 << 20);
    while (why == 0) { /* fill what is left */
        memset(&second, 0, sizeof second);
        strcat(name, "b");
        why = wf_segment_open(&second, name, 64 << 20);
    }
    snprintf(path, sizeof path, "%s/%s", disk, name);
    assert_int_equal(why, ENOSPC);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 0);
    munmap(segment.header, segment.header->limit_bytes);
    umount2(disk, MNT_DETACH);
}

static void the_clock_runs_forward_with_real_time(void **state)
{
    (void)state;
    uint64_t tick0, ns0, tick1, ns1, tick2, ns2;
    wf_clock_choose();
    wf_clock_pair(&tick0, &ns0);
    usleep(20000);
    wf_clock_pair(&tick1, &ns1);
    usleep(20000);
    wf_clock_pair(&tick2, &ns2);
    double first = (double)(tick1 - tick0) / (double)(ns1 - ns0),
           second = (double)(tick2 - tick1) / (double)(ns2 - ns1);
    assert_true(tick2 > tick1 && tick1 > tick0);
    assert_true(first / second > 0.99 && first / second < 1.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_site_and_partner_has_its_record),
        cmocka_unit_test(every_wait_has_its_record),
        cmocka_unit_test(one_address_with_two_functions_is_two_sites),
        cmocka_unit_test(what_does_not_fit_is_counted),
        cmocka_unit_test(sites_that_do_not_fit_share_one_without_records),
        cmocka_unit_test(more_sites_than_a_lane_has_share_one),
        cmocka_unit_test(threads_count_without_losing_anything),
        cmocka_unit_test(a_lane_is_used_again),
        cmocka_unit_test(what_is_lent_is_taken_back),
        cmocka_unit_test(a_closed_library_keeps_no_lane),
        cmocka_unit_test(scratch_grows_and_stays),
        cmocka_unit_test(a_full_disk_is_an_error_and_not_a_signal),
        cmocka_unit_test(the_clock_runs_forward_with_real_time),
    };
    if (!mkdtemp(folder))
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? failed : 1;
}
