/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/profile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "format/profile.h"
#include "format/segment.h"

enum {
    SQLITE_HEADER_BYTES = 100,
    SMALL_BYTES = 16 << 20, /* up to this size a check of the whole file takes no noticeable time */
};
static const char sqlite_magic[16] = "SQLite format 3";

/* SQLite's header and the size of the file, read without SQLite so that each fault has its own sentence. */
struct profile_head {
    int64_t file_bytes, expected_bytes;
    uint32_t application_id, version;
};

static uint32_t profile_big_endian(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

static int profile_refuse_directory(const char *path, struct wf_error *error)
{
    char *newest = wf_profile_newest(path);
    int result =
        newest ? wf_error_set(error, "'%s' is a directory; name a profile in it, such as %s", path, newest)
               : wf_error_set(error, "'%s' is a directory without profiles; name a file that weft run wrote", path);
    free(newest);
    return result;
}

static int profile_open_file(const char *path, int64_t *bytes, struct wf_error *error)
{
    struct stat status;
    /* Not blocking: the path may be that of a pipe. */
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 && errno == ENOENT)
        return wf_error_set(error, "there is no profile '%s'; make one with: weft run mpirun -n 4 ./app", path);
    if (file < 0)
        return wf_error_set(error, "cannot read '%s': %s; check the path and its permissions", path, strerror(errno));
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        *bytes = status.st_size;
        return file;
    }
    close(file);
    if (S_ISDIR(status.st_mode))
        return profile_refuse_directory(path, error);
    return wf_error_set(error, "'%s' is not a regular file; name a profile that weft run wrote", path);
}

static int profile_parse_head(const char *path, const unsigned char *bytes, ssize_t count, struct profile_head *head,
                              struct wf_error *error)
{
    if (count == 0)
        return wf_error_set(error, "'%s' is empty; copy the profile again or repeat the run", path);
    if (count >= (ssize_t)sizeof WF_SEGMENT_MAGIC && !memcmp(bytes, WF_SEGMENT_MAGIC, sizeof WF_SEGMENT_MAGIC))
        return wf_error_set(
            error, "'%s' is the segment of one process; make a profile of its directory with: weft collect", path);
    if (count < (ssize_t)sizeof sqlite_magic || memcmp(bytes, sqlite_magic, sizeof sqlite_magic) != 0)
        return wf_error_set(error, "'%s' is not a weft profile; name a file that weft run wrote (*%s)", path,
                            WF_PROFILE_SUFFIX);
    uint32_t page_bytes = 0;
    if (count >= SQLITE_HEADER_BYTES) {
        page_bytes = profile_big_endian(bytes + 16, 2);
        head->version = profile_big_endian(bytes + 60, 4);
        head->application_id = profile_big_endian(bytes + 68, 4);
    }
    if (page_bytes == 1) /* SQLite's way to write 65536 in two bytes */
        page_bytes = 65536;
    head->expected_bytes = page_bytes ? (int64_t)page_bytes * profile_big_endian(bytes + 28, 4) : SQLITE_HEADER_BYTES;
    return 0;
}

static int profile_read_head(const char *path, struct profile_head *head, struct wf_error *error)
{
    unsigned char bytes[SQLITE_HEADER_BYTES];
    int file = profile_open_file(path, &head->file_bytes, error);
    if (file < 0)
        return -1;
    ssize_t count = pread(file, bytes, sizeof bytes, 0);
    int read_errno = errno;
    close(file);
    if (count < 0)
        return wf_error_set(error, "cannot read '%s': %s; copy it to a local disk and try again", path,
                            strerror(read_errno));
    return profile_parse_head(path, bytes, count, head, error);
}

static int profile_check_head(const char *path, const struct profile_head *head, struct wf_error *error)
{
    bool cut = head->file_bytes < head->expected_bytes;
    if (head->application_id != WF_PROFILE_APPLICATION_ID && head->file_bytes >= SQLITE_HEADER_BYTES)
        return wf_error_set(error, "'%s' is an SQLite database but not a weft profile; name a file that weft run wrote",
                            path);
    if (head->version > WF_PROFILE_VERSION)
        return wf_error_set(
            error, "'%s' was written by a newer weft (profile version %u, this weft reads %d); install a newer weft",
            path, head->version, WF_PROFILE_VERSION);
    if (cut)
        return wf_error_set(error,
                            "'%s' is cut short: only %lld of its %lld bytes are there; copy it again or repeat the run",
                            path, (long long)head->file_bytes, (long long)head->expected_bytes);
    if (head->version == 0)
        return wf_error_set(error, "'%s' is damaged: it has no profile version; copy it again or repeat the run", path);
    if (head->version < WF_PROFILE_VERSION)
        return wf_error_set(
            error, "'%s' was written by an older weft (profile version %u, this weft reads %d); repeat the run", path,
            head->version, WF_PROFILE_VERSION);
    return 0;
}

/* "immutable" keeps SQLite from locking and from creating files beside the profile; it is accepted only in a URI. */
static char *profile_uri(const char *path)
{
    static const char tail[] = "?immutable=1", hex[] = "0123456789abcdef";
    char *uri = wf_memory_array(3 * strlen(path) + sizeof "file:" + sizeof tail, 1), *to = stpcpy(uri, "file:");
    /* file://x would name a host: an absolute path needs an empty one. */
    if (*path == '/')
        to = stpcpy(to, "//");
    for (const char *from = path; *from; from++) {
        if (strchr("?#%", *from)) {
            *to++ = '%';
            *to++ = hex[(unsigned char)*from >> 4];
            *to++ = hex[*from & 15];
        } else {
            *to++ = *from;
        }
    }
    strcpy(to, tail);
    return uri;
}

static int profile_check_small(struct wf_profile *profile, int64_t bytes, struct wf_error *error)
{
    struct wf_query query;
    if (bytes > SMALL_BYTES)
        return 0;
    int result = wf_query_open(&query, profile, "PRAGMA quick_check(1)", error);
    if (result == 0 && (result = wf_query_next(&query, error)) == 1) {
        char *answer = wf_query_text(&query, 0);
        result = strcmp(answer, "ok") != 0 ? wf_profile_damaged(profile, error, "its pages are inconsistent") : 0;
        free(answer);
    }
    wf_query_close(&query);
    return result;
}

int wf_profile_open(const char *path, struct wf_profile **result, struct wf_error *error)
{
    struct profile_head head = {0};
    if (profile_read_head(path, &head, error) || profile_check_head(path, &head, error))
        return -1;
    struct wf_profile *profile = wf_memory_array(1, sizeof *profile);
    profile->path = wf_memory_text(path);
    char *uri = profile_uri(path);
    int code = sqlite3_open_v2(uri, &profile->database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
    free(uri);
    if (code != SQLITE_OK)
        wf_error_set(error, "cannot open '%s': %s; copy it to a local disk and try again", path,
                     sqlite3_errmsg(profile->database));
    if (code != SQLITE_OK || profile_check_small(profile, head.file_bytes, error)) {
        wf_profile_close(profile);
        return -1;
    }
    *result = profile;
    return 0;
}

void wf_profile_close(struct wf_profile *profile)
{
    if (!profile)
        return;
    sqlite3_close(profile->database);
    free(profile->path);
    free(profile);
}

const char *wf_profile_path(const struct wf_profile *profile)
{
    return profile->path;
}

int wf_profile_damaged(const struct wf_profile *profile, struct wf_error *error, const char *what)
{
    return wf_error_set(error, "'%s' is damaged (%s); copy it again or repeat the run", profile->path, what);
}

static bool profile_is_newer(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec != b->st_mtim.tv_sec ? a->st_mtim.tv_sec > b->st_mtim.tv_sec
                                                  : a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

static bool profile_has_suffix(const char *name)
{
    size_t length = strlen(name), suffix = strlen(WF_PROFILE_SUFFIX);
    return length > suffix && *name != '.' && !strcmp(name + length - suffix, WF_PROFILE_SUFFIX);
}

static char *profile_join_path(const char *directory, const char *name)
{
    char *path;
    if (!strcmp(directory, "."))
        return wf_memory_text(name);
    size_t length = strlen(directory);
    const char *slash = length && directory[length - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s", directory, slash, name) < 0 ? wf_memory_text(name) : path;
}

char *wf_profile_newest(const char *directory)
{
    DIR *entries = opendir(directory);
    struct stat newest = {0}, status;
    char *found = NULL;
    if (!entries)
        return NULL;
    for (struct dirent *entry; (entry = readdir(entries));) {
        if (!profile_has_suffix(entry->d_name) || fstatat(dirfd(entries), entry->d_name, &status, 0) ||
            !S_ISREG(status.st_mode))
            continue;
        if (found && !profile_is_newer(&status, &newest))
            continue;
        free(found);
        found = profile_join_path(directory, entry->d_name);
        newest = status;
    }
    closedir(entries);
    return found;
}
