/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile appears whole or not at all. An older one stays until then. No other file is left.
 */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile_query.h"
#include "run_builder.h"

struct fixture {
    struct run run;
    struct scratch target; /* where profiles go */
    struct wf_error error;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    run_init(&f->run);
    scratch_init(&f->target);
    for (int i = 0; i < 4; i++) {
        struct run_rank rank = run_rank(i, 4);
        for (unsigned s = 0; s < 200; s++) {
            uint32_t site = run_site(&rank, rank.lane, 0x1000 + s, "MPI_Send", 1, 1);
            for (int p = 0; p < 4; p++)
                run_com(&rank, rank.lane, site, p, 1000, 1000000, 1000000);
        }
        run_add(&f->run, &rank);
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    run_fini(&f->run);
    scratch_fini(&f->target);
    free(f);
    return 0;
}

static int collect_into(struct fixture *f, const char *output)
{
    struct wf_collect_options options = {.directory = f->run.scratch.directory, .output = output};
    f->error.text[0] = '\0';
    return wf_collect(&options, &f->run.result, &f->error);
}

static void expect_failure(struct fixture *f, const char *output, const char *cause)
{
    assert_int_equal(collect_into(f, output), -1);
    if (!strstr(f->error.text, output) || !strstr(f->error.text, cause) ||
        !strstr(f->error.text, f->run.scratch.directory))
        fail_msg("\"%s\" does not name the file, the directory and \"%s\"", f->error.text, cause);
}

static void a_profile_has_the_rights_of_any_file_and_nothing_is_left_beside_it(void **state)
{
    struct fixture *f = *state;
    const char *output = scratch_path(&f->target, "run.weft");
    struct stat status;
    mode_t mask = umask(027);
    assert_int_equal(collect_into(f, output), 0);
    umask(mask);
    assert_int_equal(stat(output, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(scratch_count(f->target.directory), 1);
}

static void an_older_profile_is_replaced(void **state)
{
    struct fixture *f = *state;
    const char *output = scratch_path(&f->target, "run.weft");
    scratch_write(output, "old", 3);
    assert_int_equal(collect_into(f, output), 0);
    sqlite3 *profile = profile_open(output);
    assert_int_equal(profile_number(profile, "SELECT count(*) FROM com"), 4 * 200 * 4);
    profile_close(profile);
}

static void a_name_without_directory_is_in_the_current_one(void **state)
{
    struct fixture *f = *state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(f->target.directory), 0);
    assert_int_equal(collect_into(f, "run.weft"), 0);
    assert_int_equal(chdir(before), 0);
    assert_true(scratch_exists(scratch_path(&f->target, "run.weft")));
}

static void the_longest_name_works(void **state)
{
    struct fixture *f = *state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    assert_int_equal(collect_into(f, scratch_path(&f->target, name)), 0);
    assert_int_equal(scratch_count(f->target.directory), 1);
}

static void a_missing_directory_is_told(void **state)
{
    struct fixture *f = *state;
    expect_failure(f, scratch_path(&f->target, "nowhere/run.weft"), "No such file or directory");
}

static void a_directory_or_a_device_is_not_replaced(void **state)
{
    struct fixture *f = *state;
    expect_failure(f, f->target.directory, "it is a directory");
    expect_failure(f, "/dev/null", "not a regular file");
    assert_int_equal(scratch_count(f->target.directory), 0);
}

static void a_missing_run_directory_is_told(void **state)
{
    struct fixture *f = *state;
    struct wf_collect_options options = {.directory = "/nowhere/at/all",
                                         .output = scratch_path(&f->target, "run.weft")};
    assert_int_equal(wf_collect(&options, &f->run.result, &f->error), -1);
    assert_non_null(strstr(f->error.text, "/nowhere/at/all"));
    assert_int_equal(scratch_count(f->target.directory), 0);
}

static void a_full_disk_leaves_the_older_profile_and_nothing_else(void **state)
{
    struct fixture *f = *state;
    const char *directory = scratch_path(&f->target, "small"),
               *output = scratch_path(&f->target, "small/run.weft");
    assert_int_equal(mkdir(directory, 0777), 0);
    if (mount("tmpfs", directory, "tmpfs", 0, "size=64k") != 0) {
        print_message("a small file system cannot be mounted here: this needs root\n");
        skip();
    }
    scratch_write(output, "old", 3);
    int status = collect_into(f, output), files = scratch_count(directory);
    char text[4] = "";
    FILE *old = fopen(output, "r");
    size_t bytes = old ? fread(text, 1, 3, old) : 0;
    if (old)
        fclose(old);
    umount(directory);
    assert_int_equal(status, -1);
    assert_non_null(strstr(f->error.text, output));
    assert_non_null(strstr(f->error.text, "disk is full"));
    assert_non_null(strstr(f->error.text, f->run.scratch.directory));
    assert_int_equal(files, 1);
    assert_int_equal(bytes, 3);
    assert_string_equal(text, "old");
}

/* At whatever point writing fails, there is a whole profile or none. */
static void a_disk_that_fills_at_any_moment_never_leaves_half_a_profile(void **state)
{
    struct fixture *f = *state;
    const char *directory = scratch_path(&f->target, "small");
    char output[512];
    snprintf(output, sizeof output, "%s/run.weft", directory);
    assert_int_equal(mkdir(directory, 0777), 0);
    int failures = 0, successes = 0;
    for (int pages = 1; pages < 200 && successes == 0; pages += 3) {
        char size[32];
        snprintf(size, sizeof size, "size=%dk", 4 * pages);
        if (mount("tmpfs", directory, "tmpfs", 0, size) != 0) {
            print_message("a small file system cannot be mounted here: this needs root\n");
            skip();
        }
        bool done = collect_into(f, output) == 0, there = scratch_exists(output);
        int files = scratch_count(directory);
        umount(directory);
        assert_true(done == there);
        assert_int_equal(files, done);
        failures += !done;
        successes += done;
    }
    assert_true(failures > 10);
    assert_int_equal(successes, 1);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_profile_has_the_rights_of_any_file_and_nothing_is_left_beside_it),
        TEST(an_older_profile_is_replaced),
        TEST(a_name_without_directory_is_in_the_current_one),
        TEST(the_longest_name_works),
        TEST(a_missing_directory_is_told),
        TEST(a_directory_or_a_device_is_not_replaced),
        TEST(a_missing_run_directory_is_told),
        TEST(a_full_disk_leaves_the_older_profile_and_nothing_else),
        TEST(a_disk_that_fills_at_any_moment_never_leaves_half_a_profile),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
