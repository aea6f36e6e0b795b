/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/profile_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/profile_insert.h"
#include "format/profile.h"

#define MOST_KEPT 100000 /* as many older profiles of one name are kept */

/* Columns by name, so that one moved or forgotten in the schema is an error and not a wrong figure. */
static const char *const inserts[WF_PROFILE_TABLES] = {
    [WF_PROFILE_RUN] = "INSERT INTO weft_run(key, value) VALUES(?,?)",
    [WF_PROFILE_RANK] =
        "INSERT INTO weft_rank(rank, world, world_rank, host, pid, started_ns, wall_ns, wall_raw_ns,"
        " mpi_ns, mpi_raw_ns, useful_ns, init_ns, finalize_ns, paused_ns, overhead_ns, intrusion_ns,"
        " events, threads, segment_bytes, dropped_calls, dropped_ns, dropped_requests, complete, ending,"
        " end_code, last_site)"
        " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [WF_PROFILE_CLOCK] =
        "INSERT INTO weft_clock(rank, ideal_ns, sync_ns, sync_raw_ns, probe_ns, probe_inner_ns, pair_ns,"
        " pair_inner_ns, probe_check_expected_ns, probe_check_seen_ns, clock_offset_ns, clock_drift_ppb,"
        " clock_error_ns, headers_sent, headers_taken, headers_missing, headers_ambiguous,"
        " headers_dropped) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [WF_PROFILE_RANK_IDLE] = "INSERT INTO weft_rank_idle(rank, polling_ns, no_core_ns, unexplained_ns,"
                             " no_core_outside_ns, no_core_all_ns) VALUES(?,?,?,?,?,?)",
    [WF_PROFILE_RANK_LAST] = "INSERT INTO weft_rank_last(rank, last_site_ns) VALUES(?,?)",
    [WF_PROFILE_RANK_REGION] = "INSERT INTO weft_rank_region(rank, last_region) VALUES(?,?)",
    [WF_PROFILE_THREAD] = "INSERT INTO weft_thread(rank, thread, tid, main, events, mpi_ns, mpi_raw_ns)"
                          " VALUES(?,?,?,?,?,?,?)",
    [WF_PROFILE_INSTRUMENTED] = "INSERT INTO weft_instrumented(rank, visits, dropped_regions, dropped_visits)"
                                " VALUES(?,?,?,?)",
    [WF_PROFILE_PROCEDURE] = "INSERT INTO weft_procedure(id, name, file, line) VALUES(?,?,?,?)",
    [WF_PROFILE_CYCLE] = "INSERT INTO weft_cycle(procedure, cycle) VALUES(?,?)",
    [WF_PROFILE_SITE] = "INSERT INTO weft_site(id, type, name, file, line, procedure, module, offset)"
                        " VALUES(?,?,?,?,?,?,?,?)",
    [WF_PROFILE_EVENT] = "INSERT INTO weft_event(id, site, rank, calls, time_ns, time_raw_ns, max_ns)"
                         " VALUES(?,?,?,?,?,?,?)",
    [WF_PROFILE_SELF] = "INSERT INTO weft_self(event, self_ns, self_raw_ns) VALUES(?,?,?)",
    [WF_PROFILE_IDLE] = "INSERT INTO weft_idle(event, polling_ns, no_core_ns, unexplained_ns) VALUES(?,?,?,?)",
    [WF_PROFILE_THREAD_EVENT] = "INSERT INTO weft_thread_event(rank, thread, site, calls, time_ns, time_raw_ns)"
                                " VALUES(?,?,?,?,?,?)",
    [WF_PROFILE_COM] = "INSERT INTO weft_com(event, dest_node, trans_num, bytes, trans_time, trans_time_raw,"
                       " sync_delay, sync_delay_raw) VALUES(?,?,?,?,?,?,?,?)",
    [WF_PROFILE_WAIT] = "INSERT INTO weft_wait(event, culprit, kind, culprit_site, num, time_ns, time_raw_ns, max_ns)"
                        " VALUES(?,?,?,?,?,?,?,?)",
    [WF_PROFILE_PASSED] = "INSERT INTO weft_passed(event, culprit, kind, culprit_site, passed_ns) VALUES(?,?,?,?,?)",
    [WF_PROFILE_ROOT] = "INSERT INTO weft_root(event, root, root_site, num, time_ns) VALUES(?,?,?,?,?)",
    [WF_PROFILE_ORDER] = "INSERT INTO weft_order(event, num, changed, undecided, decided, otherwise, held_ns,"
                         " held_max_ns, released) VALUES(?,?,?,?,?,?,?,?,?)",
    /* Two files that differ only in bytes which are no text may become one. */
    [WF_PROFILE_PROC] =
        "INSERT INTO weft_proc(event, activate_file, activate_line, proc_num, proc_time, proc_time_raw,"
        " self_time, self_time_raw, caller) VALUES(?,?,?,?,?,?,?,?,?) ON CONFLICT(event, activate_file, "
        "activate_line)"
        " DO UPDATE SET proc_num = proc_num + excluded.proc_num, proc_time = proc_time + excluded.proc_time,"
        " proc_time_raw = proc_time_raw + excluded.proc_time_raw, self_time = self_time + excluded.self_time,"
        " self_time_raw = self_time_raw + excluded.self_time_raw",
    [WF_PROFILE_LOOP] = "INSERT INTO weft_loop(event, loop_num, loop_time, loop_time_raw, self_time,"
                        " self_time_raw) VALUES(?,?,?,?,?,?)",
    [WF_PROFILE_REGION] = "INSERT INTO weft_region(event, region_num, region_time, region_time_raw, self_time,"
                          " self_time_raw) VALUES(?,?,?,?,?,?)",
    [WF_PROFILE_COUNTER] = "INSERT INTO weft_counter(name, file, line, rank, num, sum) VALUES(?,?,?,?,?,?)",
    [WF_PROFILE_OFF] = "INSERT INTO weft_off(site, rank, calls, time_ns) VALUES(?,?,?,?)",
    [WF_PROFILE_STATIC] = "INSERT INTO weft_static(kind, outer, inner, callee, name, dynamic) VALUES(?,?,?,?,?,?)",
    [WF_PROFILE_PLACE] = "INSERT INTO weft_place(place, type, name, file, line, procedure, status)"
                         " VALUES(?,?,?,?,?,?,?)",
    [WF_PROFILE_PATH] = "INSERT INTO weft_path(id, kind, name, file, line, procedure, regions, share_ns, "
                        "zeroing_ns, whatif_25_ns, whatif_50_ns,"
                        " whatif_75_ns, all_share_ns, all_25_ns, all_50_ns, all_75_ns, all_100_ns) "
                        "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [WF_PROFILE_PATH_SITE] = "INSERT INTO weft_path_site(path, site) VALUES(?,?)",
    [WF_PROFILE_PATH_PLACE] = "INSERT INTO weft_path_place(first_rank, last_rank, share_ns, arrivals) VALUES(?,?,?,?)",
    [WF_PROFILE_NOTE] = "INSERT INTO weft_note(sentence) VALUES(?)",
};

/* ---- SQLite ---- */

static int writer_error(const struct wf_profile_writer *writer, struct wf_error *error)
{
    int code = sqlite3_errcode(writer->database) & 0xff, why = sqlite3_system_errno(writer->database);
    if (code == SQLITE_FULL)
        return wf_error_set(error, "the disk is full");
    if (code == SQLITE_NOMEM)
        return wf_error_set(error, "out of memory");
    if (code == SQLITE_IOERR && why)
        return wf_error_set(error, "%s", strerror(why));
    return wf_error_set(error, "%s", sqlite3_errmsg(writer->database));
}

/* The length of the character that begins here, or 0 where the bytes are no UTF-8. (Overlong forms pass: they do no
 * harm.) */
static int writer_utf8_length(const unsigned char *text)
{
    int length = *text < 0x80 ? 1 : *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3 : *text >> 3 == 30 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if (text[i] >> 6 != 2)
            return 0;
    return length;
}

static bool writer_is_utf8(const char *text)
{
    for (int length; *text; text += length)
        if ((length = writer_utf8_length((const unsigned char *)text)) == 0)
            return false;
    return true;
}

/* A file name or argument in another encoding, or cut inside a character: readers of the profile expect
 * UTF-8. */
static int writer_bind_repaired(sqlite3_stmt *statement, int column, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return SQLITE_NOMEM;
    for (char *c = copy; *c;) {
        int length = writer_utf8_length((unsigned char *)c);
        if (length == 0)
            *c = '?';
        c += length ? length : 1;
    }
    return sqlite3_bind_text(statement, column, copy, -1, free);
}

static int writer_bind(sqlite3_stmt *statement, int column, const struct wf_profile_value *value)
{
    switch (value->kind) {
    case WF_PROFILE_VALUE_NUMBER:
        return sqlite3_bind_int64(statement, column, value->number);
    case WF_PROFILE_VALUE_REAL:
        return sqlite3_bind_double(statement, column, value->real);
    case WF_PROFILE_VALUE_TEXT:
        return writer_is_utf8(value->text) ? sqlite3_bind_text(statement, column, value->text, -1, SQLITE_STATIC)
                                           : writer_bind_repaired(statement, column, value->text);
    default:
        return sqlite3_bind_null(statement, column);
    }
}

int wf_profile_insert(struct wf_profile_writer *writer, enum wf_profile_table table,
                      const struct wf_profile_value *values, int count, struct wf_error *error)
{
    sqlite3_stmt *statement = writer->statements[table];
    int code = SQLITE_OK;
    for (int i = 0; i < count && code == SQLITE_OK; i++)
        code = writer_bind(statement, i + 1, &values[i]);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code != SQLITE_DONE) {
        writer_error(writer, error);
        sqlite3_reset(statement);
        return -1;
    }
    sqlite3_reset(statement);
    return 0;
}

static int writer_execute(struct wf_profile_writer *writer, const char *sql, struct wf_error *error)
{
    return sqlite3_exec(writer->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : writer_error(writer, error);
}

/* ---- opening ---- */

/* A device or a directory is never replaced. */
static int writer_check_output(const char *output, struct wf_error *error)
{
    struct stat status;
    if (output[0] == '\0')
        return wf_error_set(error, "it has no name");
    if (stat(output, &status) == 0 && !S_ISREG(status.st_mode))
        return wf_error_set(error, S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file");
    return 0;
}

static char *writer_temporary_name(const char *output)
{
    char *for_directory = strdup(output), *for_name = strdup(output), *name = NULL;
    if (for_directory && for_name &&
        asprintf(&name, "%s/.%.200s.tmp-XXXXXX", dirname(for_directory), basename(for_name)) < 0)
        name = NULL;
    free(for_directory);
    free(for_name);
    return name;
}

static int writer_create_temporary(struct wf_profile_writer *writer, struct wf_error *error)
{
    int fd = writer->temporary ? mkstemp(writer->temporary) : -1;
    if (fd < 0) {
        wf_error_set(error, "%s", strerror(errno));
        free(writer->temporary);
        writer->temporary = NULL;
        return -1;
    }
    close(fd);
    return 0;
}

/* Without locks: no other process knows the file, and some parallel file systems have none. */
static int writer_open_database(struct wf_profile_writer *writer, struct wf_error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE;
    const char *vfs = sqlite3_vfs_find("unix-none") ? "unix-none" : NULL;
    if (sqlite3_open_v2(writer->temporary, &writer->database, flags, vfs) != SQLITE_OK)
        return writer_error(writer, error);
    char sql[256];
    snprintf(sql, sizeof sql,
             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA "
             "cache_size=-32768;"
             "PRAGMA temp_store=MEMORY; PRAGMA application_id=%d; PRAGMA user_version=%d; BEGIN",
             WF_PROFILE_APPLICATION_ID, WF_PROFILE_VERSION);
    if (writer_execute(writer, sql, error) != 0 || writer_execute(writer, wf_profile_schema, error) != 0)
        return -1;
    for (int i = 0; i < WF_PROFILE_TABLES; i++)
        if (sqlite3_prepare_v3(writer->database, inserts[i], -1, SQLITE_PREPARE_PERSISTENT, &writer->statements[i],
                               NULL) != SQLITE_OK)
            return writer_error(writer, error);
    return 0;
}

int wf_profile_writer_open(const char *output, struct wf_profile_writer **writer, struct wf_error *error)
{
    if (writer_check_output(output, error) != 0)
        return -1;
    struct wf_profile_writer *opened = calloc(1, sizeof *opened);
    if (!opened)
        return wf_error_set(error, "out of memory");
    opened->output = strdup(output);
    opened->temporary = writer_temporary_name(output);
    if (!opened->output || writer_create_temporary(opened, error) != 0 || writer_open_database(opened, error) != 0) {
        wf_profile_writer_abandon(opened);
        return -1;
    }
    *writer = opened;
    return 0;
}

/* ---- the end ---- */

static int writer_close_database(struct wf_profile_writer *writer, struct wf_error *error)
{
    for (int i = 0; i < WF_PROFILE_TABLES; i++) {
        sqlite3_finalize(writer->statements[i]);
        writer->statements[i] = NULL;
    }
    if (writer_execute(writer, "COMMIT", error) != 0)
        return -1;
    if (sqlite3_close(writer->database) != SQLITE_OK)
        return writer_error(writer, error);
    writer->database = NULL;
    return 0;
}

static int writer_sync_path(const char *path, int flags, mode_t mode)
{
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int result = fsync(fd), why = errno;
    if (mode)
        fchmod(fd, mode);
    close(fd);
    errno = why;
    return result;
}

/* mkstemp makes a file for its owner alone, but a profile has the rights of any other file. It gets them at the end,
 * because a umask may take away the owner's own. */
static mode_t writer_usual_mode(void)
{
    mode_t mask = umask(077);
    umask(mask);
    return 0666 & ~mask;
}

/* Neither call replaces anything. With a link the older profile exists under one name or both at any moment, but not
 * all file systems have links. */
static int writer_give_name(const char *output, const char *name)
{
    if (link(output, name) == 0)
        return 0;
    return errno == EEXIST || errno == ENOENT ? -1 : renameat2(AT_FDCWD, output, AT_FDCWD, name, RENAME_NOREPLACE);
}

/* Gives the older profile a name of its own, which it keeps from then on. */
static int writer_keep_older(const char *output, char *kept, size_t bytes)
{
    size_t length = strlen(output), suffix = strlen(WF_PROFILE_SUFFIX), stem = length;
    const char *ending = "";
    if (length > suffix && strcmp(output + length - suffix, WF_PROFILE_SUFFIX) == 0) {
        stem -= suffix;
        ending = WF_PROFILE_SUFFIX;
    }
    for (int number = 1; number < MOST_KEPT; number++) {
        if (snprintf(kept, bytes, "%.*s.%d%s", (int)stem, output, number, ending) >= (int)bytes)
            break;
        if (writer_give_name(output, kept) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    *kept = '\0';
    return errno == ENOENT ? 0 : -1; /* there was none */
}

static int writer_publish(struct wf_profile_writer *writer, char *kept, size_t bytes, struct wf_error *error)
{
    if (writer_sync_path(writer->temporary, O_RDWR | O_NOFOLLOW, writer_usual_mode()) != 0)
        return wf_error_set(error, "%s", strerror(errno));
    if (kept && writer_keep_older(writer->output, kept, bytes) != 0)
        return wf_error_set(error, "the older one of that name cannot be kept (%s)", strerror(errno));
    if (rename(writer->temporary, writer->output) != 0)
        return wf_error_set(error, "%s", strerror(errno));
    /* The name should outlive a power cut, too. Where a directory cannot be synced, that is no error. */
    char *directory = strdup(writer->output);
    if (directory)
        writer_sync_path(dirname(directory), O_RDONLY | O_DIRECTORY, 0);
    free(directory);
    free(writer->temporary);
    writer->temporary = NULL;
    return 0;
}

int wf_profile_writer_finish(struct wf_profile_writer *writer, char *kept, size_t bytes, struct wf_error *error)
{
    int result = writer_close_database(writer, error);
    if (result == 0)
        result = writer_publish(writer, kept, bytes, error);
    wf_profile_writer_abandon(writer);
    return result;
}

void wf_profile_writer_abandon(struct wf_profile_writer *writer)
{
    if (!writer)
        return;
    for (int i = 0; i < WF_PROFILE_TABLES; i++)
        sqlite3_finalize(writer->statements[i]);
    sqlite3_close(writer->database);
    if (writer->temporary)
        unlink(writer->temporary);
    free(writer->temporary);
    free(writer->output);
    free(writer);
}
