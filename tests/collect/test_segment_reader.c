/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reading any file ends well: with its records, with those that are whole, or with a sentence.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collect/merged_events.h"
#include "collect/merged_visits.h"
#include "collect/rank.h"
#include "collect/regions.h"
#include "collect/segment_reader.h"
#include "collect/threads.h"
#include "scratch.h"
#include "segment_builder.h"

#define FLIPPED_BYTES 32768 /* all kinds of chunks but coms begin in them */

struct fixture {
    struct scratch scratch;
    struct segment_builder builder;
    struct wf_segment_reader reader;
    const char *path;
    char path_bytes[512];
};

/* 10 regions of all kinds, with 7 visits each on each of two lanes. */
static void add_regions(struct segment_builder *builder, const uint32_t *lanes)
{
    uint32_t regions[10];
    for (unsigned i = 0; i < 10; i++)
        regions[i] =
            segment_builder_region(builder, 1 + i % WF_REGION_COUNTER, "region", "file.c", i, i == 5 ? 0x401000u : 0);
    for (unsigned lane = 0; lane < 2; lane++)
        for (unsigned i = 0; i < 70; i++) {
            uint32_t visit = segment_builder_visit(builder, lanes[lane], regions[i / 7],
                                                   i / 7 % WF_REGION_COUNTER ? 0 : 0x401000u + i % 7, 0x401020u);
            ((struct wf_visit_record *)segment_builder_at(builder, visit))->num = i / 7 * 2 + lane;
        }
}

/* Two lanes, two modules, regions, 70 sites (more than one chunk takes) with one com each. */
static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    scratch_init(&f->scratch);
    snprintf(f->path_bytes, sizeof f->path_bytes, "%s", scratch_path(&f->scratch, "0.seg"));
    f->path = f->path_bytes;
    segment_builder_init(&f->builder, 1, 4, 1 << 20);
    uint32_t lanes[2] = {segment_builder_lane(&f->builder, 7, 1), segment_builder_lane(&f->builder, 8, 0)};
    uint32_t modules[2] = {segment_builder_module(&f->builder, "/generated/app", "id", 2, 0x400000),
                           segment_builder_module(&f->builder, "/generated/lib.so", NULL, 0, 0x7f0000000000)};
    add_regions(&f->builder, lanes);
    for (int i = 0; i < 70; i++) {
        uint32_t site = segment_builder_site(&f->builder, lanes[i % 2], modules[i % 2], 0x401000u + (unsigned)i, 1);
        ((struct wf_site_record *)segment_builder_at(&f->builder, site))->calls = (uint64_t)i;
        segment_builder_com(&f->builder, lanes[i % 2], site, i % 4)->num = (uint64_t)i;
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    wf_segment_reader_fini(&f->reader);
    segment_builder_fini(&f->builder);
    scratch_fini(&f->scratch);
    free(f);
    return 0;
}

static int load(struct fixture *f, struct wf_error *error)
{
    segment_builder_write(&f->builder, f->path);
    return wf_segment_reader_load(&f->reader, f->path, error);
}

/* Does with a segment what the collector does with it. */
static void use_everything(const struct wf_segment_reader *reader)
{
    struct wf_collected_ranks ranks = {0};
    struct wf_collected_program program = {0};
    struct wf_sites sites = {0};
    struct wf_regions regions = {0};
    struct wf_merged_events merged = {0};
    struct wf_merged_visits visits = {0};
    struct wf_threads threads = {0};
    struct wf_notes notes = {0};
    assert_int_equal(wf_collected_ranks_add(&ranks, reader, "0.seg", &program, &sites), 0);
    assert_int_equal(wf_regions_add_segment(&regions, &program, reader), 0);
    assert_int_equal(wf_collected_ranks_settle_times(&ranks), 0);
    assert_int_equal(wf_collected_program_look_up(&program, &notes), 0);
    assert_int_equal(wf_regions_declare(&regions, &program), 0);
    assert_int_equal(wf_collected_program_settle(&program), 0);
    assert_int_equal(wf_sites_settle(&sites, &program), 0);
    assert_int_equal(wf_regions_settle(&regions, &program), 0);
    assert_int_equal(wf_merged_events_read(&merged, reader, &program, &sites), 0);
    assert_int_equal(wf_merged_visits_read(&visits, reader, &program, &regions), 0);
    assert_int_equal(wf_threads_find(&threads, reader, &program, &sites, &visits, &regions), 0);
    wf_threads_fini(&threads);
    wf_merged_visits_fini(&visits);
    wf_merged_events_fini(&merged);
    wf_notes_fini(&notes);
    wf_regions_fini(&regions);
    wf_sites_fini(&sites);
    wf_collected_program_fini(&program);
    wf_collected_ranks_fini(&ranks);
}

static void a_whole_segment_gives_all_its_records(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    assert_int_equal(load(f, &error), 0);
    assert_false(f->reader.damaged);
    assert_int_equal(f->reader.counts[WF_CHUNK_LANE], 2);
    assert_int_equal(f->reader.counts[WF_CHUNK_MODULE], 2);
    assert_int_equal(f->reader.counts[WF_CHUNK_SITE], 70);
    assert_int_equal(f->reader.counts[WF_CHUNK_COM], 70);
    assert_int_equal(f->reader.counts[WF_CHUNK_REGION], 10);
    assert_int_equal(f->reader.counts[WF_CHUNK_VISIT], 140);
    struct wf_segment_records coms = wf_segment_reader_records(&f->reader, WF_CHUNK_COM);
    uint64_t sum = 0;
    for (const struct wf_com_record *com; (com = wf_segment_records_next(&coms));) {
        const struct wf_site_record *site = wf_segment_reader_site(&f->reader, com->site);
        assert_non_null(site);
        assert_int_equal(site->calls, com->num);
        assert_non_null(wf_segment_reader_module(&f->reader, site->module));
        sum += com->num;
    }
    assert_int_equal(sum, 69 * 70 / 2);
}

static void visits_know_their_region_and_their_lane(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    assert_int_equal(load(f, &error), 0);
    struct wf_segment_records visits = wf_segment_reader_records(&f->reader, WF_CHUNK_VISIT);
    for (const struct wf_visit_record *visit; (visit = wf_segment_records_next(&visits));) {
        const struct wf_region_record *region = wf_segment_reader_region(&f->reader, visit->region);
        assert_non_null(region);
        assert_int_equal(region->line, visit->num / 2);
        assert_string_equal(wf_segment_region_name(region), "region");
        assert_string_equal(wf_segment_region_file(region), "file.c");
        assert_true(wf_segment_reader_find(&f->reader, WF_CHUNK_LANE, visits.lane) == (long)(visit->num % 2));
    }
}

static void an_address_belongs_to_the_module_that_covers_it(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    segment_builder_module(&f->builder, "/generated/other.so", NULL, 0, 0x7f0000000000); /* in the same place */
    assert_int_equal(load(f, &error), 0);
    assert_string_equal(wf_segment_reader_module_at(&f->reader, 0, 0x400000)->path, "/generated/app");
    assert_string_equal(wf_segment_reader_module_at(&f->reader, 0, 0x400000 + (1u << 24) - 1)->path, "/generated/app");
    assert_null(wf_segment_reader_module_at(&f->reader, 0, 0x400000 + (1u << 24)));
    assert_null(wf_segment_reader_module_at(&f->reader, 0, 0x3fffff));
    assert_null(wf_segment_reader_module_at(&f->reader, 0, 0));
    assert_null(wf_segment_reader_module_at(&f->reader, 0, UINT64_MAX));
    assert_string_equal(wf_segment_reader_module_at(&f->reader, 0, 0x7f0000000010)->path, "/generated/lib.so");
}

/* libA was at 0x7f..., with libB behind it; then came libC, larger, over both of them; and libD is where libA was. */
static void of_modules_at_one_address_the_chunk_tells(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    uint32_t module[4];
    const uint64_t place = 0x700000000000, size = 1u << 24;
    module[0] = segment_builder_module(&f->builder, "/A", NULL, 0, place);
    module[1] = segment_builder_module(&f->builder, "/B", NULL, 0, place + size);
    size_t first = f->builder.header->used_bytes;
    segment_builder_close(&f->builder, module[0]);
    segment_builder_close(&f->builder, module[1]);
    module[2] = segment_builder_module(&f->builder, "/C", NULL, 0, place - 16);
    ((struct wf_module_record *)segment_builder_at(&f->builder, module[2]))->end = place + 2 * size;
    size_t second = f->builder.header->used_bytes;
    segment_builder_close(&f->builder, module[2]);
    module[3] = segment_builder_module(&f->builder, "/D", NULL, 0, place);
    assert_int_equal(load(f, &error), 0);
    const struct {
        size_t chunk;
        uint64_t address;
        const char *path;
    } cases[] = {{0, place, "/A"},
                 {first - 1, place + 8, "/A"},
                 {first, place + 8, "/C"},
                 {second - 1, place, "/C"},
                 {second, place, "/D"},
                 {0, place + size, "/B"},
                 {0, place - 1, "/C"},
                 {first, place + 2 * size - 1, "/C"},
                 {second, place + size, NULL},
                 {second, place - 1, NULL},
                 {first - 1, place + size - 1, "/A"},
                 {SIZE_MAX, place + 1, "/D"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct wf_module_record *found =
            wf_segment_reader_module_at(&f->reader, cases[i].chunk, cases[i].address);
        assert_string_equal(found ? found->path : "none", cases[i].path ? cases[i].path : "none");
    }
}

/* The length fields of a region's texts, with any value. */
static void a_region_whose_text_does_not_end_is_left_out(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    uint32_t offset = segment_builder_region(&f->builder, WF_REGION_LOOP, "for", "x.c", 1, 0);
    struct wf_region_record *region = segment_builder_at(&f->builder, offset);
    static const struct {
        uint32_t name, file;
    } lengths[] = {
        {UINT32_MAX, 3}, {3, UINT32_MAX}, {UINT32_MAX, UINT32_MAX}, {3, 2}, {2, 3}, {3, 59}, {3, 60}, {62, 0},
        {63, 0},         {64, 0}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        region->name_bytes = lengths[i].name;
        region->file_bytes = lengths[i].file;
        assert_int_equal(load(f, &error), 0);
        bool whole = lengths[i].name == 62 || lengths[i].file == 59; /* they end in the padding behind */
        assert_int_equal(f->reader.counts[WF_CHUNK_REGION], whole ? 11 : 10);
        assert_true(f->reader.damaged != whole);
        use_everything(&f->reader);
    }
}

static void an_offset_that_names_no_record_finds_nothing(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    assert_int_equal(load(f, &error), 0);
    uint32_t units = (uint32_t)(f->reader.used_bytes / WF_SEGMENT_UNIT);
    size_t sites = 0, modules = 0, regions = 0;
    for (uint32_t offset = 0; offset < units + 10; offset++) {
        sites += wf_segment_reader_site(&f->reader, offset) != NULL;
        modules += wf_segment_reader_module(&f->reader, offset) != NULL;
        regions += wf_segment_reader_region(&f->reader, offset) != NULL;
    }
    assert_int_equal(regions, 10);
    assert_int_equal(sites, 70);
    assert_int_equal(modules, 2);
    assert_null(wf_segment_reader_site(&f->reader, UINT32_MAX));
    assert_null(wf_segment_reader_module(&f->reader, UINT32_MAX));
}

static void a_chunk_of_an_unknown_kind_is_skipped(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    struct wf_chunk *first = segment_builder_at(&f->builder, sizeof *f->builder.header / WF_SEGMENT_UNIT);
    first->kind = 77;
    assert_int_equal(load(f, &error), 0);
    assert_false(f->reader.damaged);
    assert_int_equal(f->reader.counts[WF_CHUNK_LANE], 1);
    assert_int_equal(f->reader.counts[WF_CHUNK_SITE], 70);
}

static void a_file_cut_anywhere_gives_what_is_whole(void **state)
{
    struct fixture *f = *state;
    size_t used = f->builder.header->used_bytes, best = 0;
    struct wf_error error;
    for (size_t bytes = 0; bytes <= used; bytes += WF_SEGMENT_UNIT) {
        scratch_write(f->path, f->builder.header, bytes);
        if (wf_segment_reader_load(&f->reader, f->path, &error) != 0) {
            assert_true(bytes < sizeof *f->builder.header);
            continue;
        }
        assert_true(f->reader.damaged == (bytes < used));
        assert_true(f->reader.counts[WF_CHUNK_SITE] >= best);
        best = f->reader.counts[WF_CHUNK_SITE];
        use_everything(&f->reader);
    }
    assert_int_equal(best, 70);
}

static void a_file_cut_inside_a_record_gives_what_is_whole(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    for (size_t bytes = f->builder.header->used_bytes; bytes > sizeof *f->builder.header; bytes -= 1009) {
        scratch_write(f->path, f->builder.header, bytes);
        assert_int_equal(wf_segment_reader_load(&f->reader, f->path, &error), 0);
        use_everything(&f->reader);
        if (bytes < 1009 + sizeof *f->builder.header)
            break;
    }
}

static void flip_and_read(struct fixture *f, size_t byte, int bit)
{
    struct wf_error error;
    unsigned char *bytes = (unsigned char *)f->builder.header;
    bytes[byte] ^= (unsigned char)(1 << bit);
    scratch_write(f->path, bytes, FLIPPED_BYTES);
    if (wf_segment_reader_load(&f->reader, f->path, &error) == 0)
        use_everything(&f->reader);
    else
        assert_true(strlen(error.text) > 0);
    bytes[byte] ^= (unsigned char)(1 << bit);
}

static void a_flipped_bit_in_the_header_is_survived(void **state)
{
    struct fixture *f = *state;
    for (size_t byte = 0; byte < offsetof(struct wf_segment_header, reserved); byte++)
        for (int bit = byte < 256 ? 0 : 7; bit < 8; bit++)
            flip_and_read(f, byte, bit);
}

static void a_flipped_bit_in_a_chunk_is_survived(void **state)
{
    struct fixture *f = *state;
    size_t used = f->builder.header->used_bytes;
    for (size_t at = sizeof *f->builder.header; at < used && at < FLIPPED_BYTES - 1024;) {
        const struct wf_chunk *chunk = (const void *)((const char *)f->builder.header + at);
        for (size_t byte = at; byte < at + 20; byte++)
            for (int bit = 0; bit < 8; bit++)
                flip_and_read(f, byte, bit);
        for (size_t byte = at + sizeof *chunk; byte < at + 3 * sizeof *chunk && byte < used; byte++)
            flip_and_read(f, byte, (int)(byte % 8));
        at += chunk->bytes;
    }
}

static void random_bytes_behind_a_header_are_survived(void **state)
{
    struct fixture *f = *state;
    unsigned char *bytes = (unsigned char *)f->builder.header;
    struct wf_error error;
    srand(1);
    f->builder.header->used_bytes = 16384;
    for (int round = 0; round < 500; round++) {
        for (size_t i = sizeof *f->builder.header; i < 16384; i++)
            bytes[i] = (unsigned char)(rand() % (round % 2 ? 256 : 5));
        for (size_t i = sizeof *f->builder.header; i < 16384; i += 1024) { /* plausible chunks of garbage */
            struct wf_chunk *chunk = (struct wf_chunk *)(bytes + i);
            chunk->kind = 1u + (unsigned)rand() % WF_CHUNK_WAIT;
            chunk->bytes = 1024;
            chunk->record_bytes = rand() % 8 ? 56 + (unsigned)rand() % 2 * 8 : (unsigned)rand();
        }
        scratch_write(f->path, bytes, 16384);
        assert_int_equal(wf_segment_reader_load(&f->reader, f->path, &error), 0);
        use_everything(&f->reader);
    }
}

static void expect_refusal(struct fixture *f, const char *reason)
{
    struct wf_error error = {""};
    assert_int_equal(wf_segment_reader_load(&f->reader, f->path, &error), -1);
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" does not say \"%s\"", error.text, reason);
}

static void an_empty_file_means_no_disk_space(void **state)
{
    struct fixture *f = *state;
    scratch_write(f->path, "", 0);
    expect_refusal(f, "no disk space");
}

static void a_file_without_magic_means_a_process_inside_mpi_init(void **state)
{
    struct fixture *f = *state;
    memset(f->builder.header->magic, 0, sizeof f->builder.header->magic);
    segment_builder_write(&f->builder, f->path);
    expect_refusal(f, "MPI_Init");
}

static void a_newer_version_is_refused(void **state)
{
    struct fixture *f = *state;
    f->builder.header->version = WF_SEGMENT_VERSION + 1;
    segment_builder_write(&f->builder, f->path);
    expect_refusal(f, "newer weft");
}

static void an_older_version_is_refused(void **state)
{
    struct fixture *f = *state;
    f->builder.header->version = WF_SEGMENT_VERSION - 1;
    segment_builder_write(&f->builder, f->path);
    expect_refusal(f, "older weft");
}

static void garbage_is_refused(void **state)
{
    struct fixture *f = *state;
    static const char text[8192] = "#!/bin/sh\n";
    scratch_write(f->path, text, sizeof text);
    expect_refusal(f, "not a segment");
    scratch_write(f->path, text, 100);
    expect_refusal(f, "cut short");
}

static void an_impossible_rank_is_refused(void **state)
{
    struct fixture *f = *state;
    f->builder.header->rank = 4;
    segment_builder_write(&f->builder, f->path);
    expect_refusal(f, "no valid rank (4 of 4)");
    f->builder.header->rank = -2;
    segment_builder_write(&f->builder, f->path);
    expect_refusal(f, "no valid rank (-2 of 4)");
}

static void a_process_without_mpi_has_no_rank(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    f->builder.header->rank = -1;
    f->builder.header->size = 0;
    assert_int_equal(load(f, &error), 0);
    use_everything(&f->reader);
}

static void what_is_not_a_file_is_refused(void **state)
{
    struct fixture *f = *state;
    expect_refusal(f, "No such file");
    assert_int_equal(mkfifo(f->path, 0600), 0);
    expect_refusal(f, "not a regular file");
}

static void a_huge_claim_in_a_sparse_file_is_survived(void **state)
{
    struct fixture *f = *state;
    struct wf_error error;
    f->builder.header->used_bytes = UINT64_MAX;
    scratch_write(f->path, f->builder.header, 16384);
    assert_int_equal(wf_segment_reader_load(&f->reader, f->path, &error), 0);
    assert_true(f->reader.damaged);
    use_everything(&f->reader);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_whole_segment_gives_all_its_records),
        TEST(visits_know_their_region_and_their_lane),
        TEST(an_address_belongs_to_the_module_that_covers_it),
        TEST(of_modules_at_one_address_the_chunk_tells),
        TEST(a_region_whose_text_does_not_end_is_left_out),
        TEST(an_offset_that_names_no_record_finds_nothing),
        TEST(a_chunk_of_an_unknown_kind_is_skipped),
        TEST(a_file_cut_anywhere_gives_what_is_whole),
        TEST(a_file_cut_inside_a_record_gives_what_is_whole),
        TEST(a_flipped_bit_in_the_header_is_survived),
        TEST(a_flipped_bit_in_a_chunk_is_survived),
        TEST(random_bytes_behind_a_header_are_survived),
        TEST(an_empty_file_means_no_disk_space),
        TEST(a_file_without_magic_means_a_process_inside_mpi_init),
        TEST(a_newer_version_is_refused),
        TEST(an_older_version_is_refused),
        TEST(garbage_is_refused),
        TEST(an_impossible_rank_is_refused),
        TEST(a_process_without_mpi_has_no_rank),
        TEST(what_is_not_a_file_is_refused),
        TEST(a_huge_claim_in_a_sparse_file_is_survived),
    };
    return cmocka_run_group_tests_name("segment_reader", tests, NULL, NULL);
}
