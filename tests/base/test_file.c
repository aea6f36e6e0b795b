/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A mapped file has disk space behind what it has grown to, says why it cannot grow, and leaves no descriptor and no
 * signal behind.
 */
#include "testing.h"

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "place.h"

static int open_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static uint64_t bytes_on_disk(const char *name)
{
    struct stat status;
    assert_int_equal(stat(place_path(name), &status), 0);
    return (uint64_t)status.st_blocks * 512;
}

static void it_grows_where_it_is(void **state)
{
    (void)state;
    struct wf_file file = {0};
    int descriptors = open_descriptors();
    errno = EXDEV;
    assert_int_equal(wf_file_create(&file, &place, "grows", 1 << 20), 0);
    char *base = file.base;
    memset(base, 'a', file.backed_bytes);
    assert_int_equal(wf_file_grow(&file, 300000), 0);
    assert_int_equal(errno, EXDEV);
    assert_true(file.backed_bytes >= 300000);
    assert_true(bytes_on_disk("grows") >= file.backed_bytes);
    assert_ptr_equal(file.base, base);
    assert_int_equal(base[0], 'a');
    assert_int_equal(base[299999], 0);
    assert_int_equal(open_descriptors(), descriptors);
    wf_file_remove(&file);
    assert_null(file.base);
    assert_int_not_equal(access(place_path("grows"), F_OK), 0);
}

static void another_process_sees_what_is_written(void **state)
{
    (void)state;
    struct wf_file file = {0};
    char text[6] = "";
    assert_int_equal(wf_file_create(&file, &place, "seen", 1 << 20), 0);
    strcpy(file.base + 100, "hello");
    int fd = place_open("seen", O_RDONLY);
    assert_int_equal(pread(fd, text, 5, 100), 5);
    close(fd);
    assert_string_equal(text, "hello");
    wf_file_remove(&file);
}

static void it_ends_at_its_limit(void **state)
{
    (void)state;
    struct wf_file file = {0};
    assert_int_equal(wf_file_create(&file, &place, "limit", 200000), 0);
    assert_int_equal(wf_file_grow(&file, 200000), 0);
    assert_int_equal(wf_file_grow(&file, file.limit_bytes + 1), ENOSPC);
    file.base[199999] = 1;
    wf_file_remove(&file);
}

static void a_file_that_exists_is_not_taken(void **state)
{
    (void)state;
    struct wf_file file = {0}, second = {0};
    assert_int_equal(wf_file_create(&file, &place, "exists", 1 << 20), 0);
    assert_int_equal(wf_file_create(&second, &place, "exists", 1 << 20), EEXIST);
    assert_null(second.base);
    wf_file_remove(&file);
}

static void another_file_of_the_same_name_is_left_alone(void **state)
{
    (void)state;
    struct wf_file file = {0};
    struct stat status;
    char aside[600];
    snprintf(aside, sizeof aside, "%s/aside", place_folder);
    assert_int_equal(wf_file_create(&file, &place, "replaced", 1 << 20), 0);
    assert_int_equal(rename(place_path("replaced"), aside), 0);
    assert_int_equal(wf_file_grow(&file, 1 << 19), ENOENT);
    close(place_open("replaced", O_RDWR | O_CREAT));
    assert_int_equal(wf_file_grow(&file, 1 << 19), ESTALE);
    assert_int_equal(stat(place_path("replaced"), &status), 0);
    assert_int_equal(status.st_size, 0);
    wf_file_remove(&file);
    place_remove("aside");
}

static void a_name_that_is_too_long_is_an_error(void **state)
{
    (void)state;
    struct wf_file file = {0};
    char name[WF_FILE_NAME_BYTES + 1];
    memset(name, 'a', sizeof name);
    name[WF_FILE_NAME_BYTES] = '\0';
    assert_int_equal(wf_file_create(&file, &place, name, 1 << 20), ENAMETOOLONG);
}

/* With the signal's default action, this process would be over. */
static void a_limit_of_the_system_is_an_error_and_not_a_signal(void **state)
{
    (void)state;
    struct wf_file file = {0}, none = {0};
    struct rlimit before, small;
    struct stat status;
    sigset_t pending;
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){.rlim_cur = 128 << 10, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    int first = wf_file_create(&file, &place, "large", 1 << 20), more = wf_file_grow(&file, 128 << 10),
        too_much = wf_file_grow(&file, 129 << 10);
    small.rlim_cur = 4096;
    setrlimit(RLIMIT_FSIZE, &small);
    int second = wf_file_create(&none, &place, "empty", 1 << 20);
    setrlimit(RLIMIT_FSIZE, &before);
    sigpending(&pending);
    assert_false(sigismember(&pending, SIGXFSZ));
    assert_true(first == 0 && more == 0 && too_much == EFBIG && second == EFBIG);
    assert_int_equal(file.backed_bytes, 128 << 10);
    assert_int_equal(stat(place_path("empty"), &status), 0); /* tells others that there was no room */
    assert_int_equal(status.st_size, 0);
    place_remove("empty");
    wf_file_remove(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_where_it_is),
        cmocka_unit_test(another_process_sees_what_is_written),
        cmocka_unit_test(it_ends_at_its_limit),
        cmocka_unit_test(a_file_that_exists_is_not_taken),
        cmocka_unit_test(another_file_of_the_same_name_is_left_alone),
        cmocka_unit_test(a_name_that_is_too_long_is_an_error),
        cmocka_unit_test(a_limit_of_the_system_is_an_error_and_not_a_signal),
    };
    return cmocka_run_group_tests(tests, place_begin, place_end);
}
