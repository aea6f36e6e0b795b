/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/profile_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/profile.h"

enum table { RUN, RANK, THREAD, PROCEDURE, SITE, EVENT, COM, NOTE, TABLES };

/* By name, so that a column moved or forgotten in the schema is an error and not a wrong figure. */
static const char *const inserts[TABLES] = {
    [RUN] = "INSERT INTO weft_run(key, value) VALUES(?,?)",
    [RANK] = "INSERT INTO weft_rank(rank, world, world_rank, host, pid, started_ns, wall_ns, wall_raw_ns, "
             "mpi_ns, mpi_raw_ns,"
             " useful_ns, init_ns, finalize_ns, paused_ns, overhead_ns, intrusion_ns, events, threads, "
             "segment_bytes,"
             " dropped_calls, dropped_ns, dropped_requests, complete, ending, end_code, last_site)"
             " VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [THREAD] =
        "INSERT INTO weft_thread(rank, thread, tid, main, events, mpi_ns, mpi_raw_ns) VALUES(?,?,?,?,?,?,?)",
    [PROCEDURE] = "INSERT INTO weft_procedure(id, name, file, line) VALUES(?,?,?,?)",
    [SITE] = "INSERT INTO weft_site(id, type, name, file, line, procedure, module, offset) "
             "VALUES(?,?,?,?,?,?,?,?)",
    [EVENT] =
        "INSERT INTO weft_event(id, site, rank, calls, time_ns, time_raw_ns, max_ns) VALUES(?,?,?,?,?,?,?)",
    [COM] = "INSERT INTO weft_com(event, dest_node, trans_num, bytes, trans_time, trans_time_raw, "
            "sync_delay, sync_delay_raw)"
            " VALUES(?,?,?,?,?,?,?,?)",
    [NOTE] = "INSERT INTO weft_note(sentence) VALUES(?)",
};

struct wf_profile_writer {
    sqlite3 *database;
    sqlite3_stmt *statements[TABLES];
    char *output;
    char *temporary;
    int64_t last_event;
};

/* ---- SQLite ---- */

static int database_error(const struct wf_profile_writer *writer, struct wf_error *error)
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

struct value {
    enum { NOTHING, NUMBER, TEXT } kind;
    int64_t number;
    const char *text;
};

#define NUMBER(x)                              \
    {                                          \
        .kind = NUMBER, .number = (int64_t)(x) \
    }
#define TEXT(x)                   \
    {                             \
        .kind = TEXT, .text = (x) \
    }
#define NOTHING()       \
    {                   \
        .kind = NOTHING \
    }

/* The length of the character that begins here, or 0 where the bytes are no UTF-8. (Overlong forms pass: they
 * hurt nobody.) */
static int utf8_length(const unsigned char *text)
{
    int length = *text < 0x80 ? 1 : *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3 : *text >> 3 == 30 ? 4 : 0;
    for (int i = 1; i < length; i++)
        if (text[i] >> 6 != 2)
            return 0;
    return length;
}

static bool is_utf8(const char *text)
{
    for (int length; *text; text += length)
        if ((length = utf8_length((const unsigned char *)text)) == 0)
            return false;
    return true;
}

/* A file name or argument in another encoding, or cut inside a character: readers of the profile expect
 * UTF-8. */
static int bind_repaired(sqlite3_stmt *statement, int column, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return SQLITE_NOMEM;
    for (char *c = copy; *c;) {
        int length = utf8_length((unsigned char *)c);
        if (length == 0)
            *c = '?';
        c += length ? length : 1;
    }
    return sqlite3_bind_text(statement, column, copy, -1, free);
}

static int bind(sqlite3_stmt *statement, int column, const struct value *value)
{
    switch (value->kind) {
    case NUMBER:
        return sqlite3_bind_int64(statement, column, value->number);
    case TEXT:
        return is_utf8(value->text) ? sqlite3_bind_text(statement, column, value->text, -1, SQLITE_STATIC)
                                    : bind_repaired(statement, column, value->text);
    default:
        return sqlite3_bind_null(statement, column);
    }
}

static int insert(struct wf_profile_writer *writer, enum table table, const struct value *values, int count,
                  struct wf_error *error)
{
    sqlite3_stmt *statement = writer->statements[table];
    int code = SQLITE_OK;
    for (int i = 0; i < count && code == SQLITE_OK; i++)
        code = bind(statement, i + 1, &values[i]);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code != SQLITE_DONE) {
        database_error(writer, error);
        sqlite3_reset(statement);
        return -1;
    }
    sqlite3_reset(statement);
    return 0;
}

#define INSERT(writer, table, error, ...)                      \
    insert(writer, table, (const struct value[]){__VA_ARGS__}, \
           (int)(sizeof((const struct value[]){__VA_ARGS__}) / sizeof(struct value)), error)

static int execute(struct wf_profile_writer *writer, const char *sql, struct wf_error *error)
{
    return sqlite3_exec(writer->database, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                              : database_error(writer, error);
}

/* ---- opening ---- */

/* Replacing a device or a directory is never what somebody wanted. */
static int check_output(const char *output, struct wf_error *error)
{
    struct stat status;
    if (output[0] == '\0')
        return wf_error_set(error, "it has no name");
    if (stat(output, &status) == 0 && !S_ISREG(status.st_mode))
        return wf_error_set(error,
                            S_ISDIR(status.st_mode) ? "it is a directory" : "it is not a regular file");
    return 0;
}

static char *temporary_name(const char *output)
{
    char *for_directory = strdup(output), *for_name = strdup(output), *name = NULL;
    if (for_directory && for_name &&
        asprintf(&name, "%s/.%.200s.tmp-XXXXXX", dirname(for_directory), basename(for_name)) < 0)
        name = NULL;
    free(for_directory);
    free(for_name);
    return name;
}

/* mkstemp makes a file for its owner alone: a profile has the rights of any other file. */
static int create_temporary(struct wf_profile_writer *writer, struct wf_error *error)
{
    int fd = writer->temporary ? mkstemp(writer->temporary) : -1;
    if (fd < 0) {
        wf_error_set(error, "%s", strerror(errno));
        free(writer->temporary);
        writer->temporary = NULL;
        return -1;
    }
    mode_t mask = umask(077);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    close(fd);
    return 0;
}

/* Without locks: nobody else knows the file, and some parallel file systems have none. */
static int open_database(struct wf_profile_writer *writer, struct wf_error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_PRIVATECACHE;
    const char *vfs = sqlite3_vfs_find("unix-none") ? "unix-none" : NULL;
    if (sqlite3_open_v2(writer->temporary, &writer->database, flags, vfs) != SQLITE_OK)
        return database_error(writer, error);
    char sql[256];
    snprintf(sql, sizeof sql,
             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA "
             "cache_size=-32768;"
             "PRAGMA temp_store=MEMORY; PRAGMA application_id=%d; PRAGMA user_version=%d; BEGIN",
             WF_PROFILE_APPLICATION_ID, WF_PROFILE_VERSION);
    if (execute(writer, sql, error) != 0 || execute(writer, wf_profile_schema, error) != 0)
        return -1;
    for (int i = 0; i < TABLES; i++)
        if (sqlite3_prepare_v3(writer->database, inserts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &writer->statements[i], NULL) != SQLITE_OK)
            return database_error(writer, error);
    return 0;
}

int wf_profile_writer_open(const char *output, struct wf_profile_writer **writer, struct wf_error *error)
{
    if (check_output(output, error) != 0)
        return -1;
    struct wf_profile_writer *opened = calloc(1, sizeof *opened);
    if (!opened)
        return wf_error_set(error, "out of memory");
    opened->output = strdup(output);
    opened->temporary = temporary_name(output);
    if (!opened->output || create_temporary(opened, error) != 0 || open_database(opened, error) != 0) {
        wf_profile_writer_abandon(opened);
        return -1;
    }
    *writer = opened;
    return 0;
}

/* ---- ranks ---- */

/* Rows are numbered from 1. */
static int64_t site_id(uint32_t entry)
{
    return (int64_t)entry + 1;
}

static struct value last_site(const struct wf_rank *rank, struct wf_sites *sites)
{
    if (rank->last_site == WF_NO_SITE)
        return (struct value)NOTHING();
    uint32_t entry = wf_sites_entry(sites, rank->last_site);
    sites->entries[entry].used = true;
    return (struct value)NUMBER(site_id(entry));
}

int wf_profile_writer_rank(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t origin_ns,
                           struct wf_sites *sites, struct wf_error *error)
{
    const struct wf_segment_header *header = rank->header;
    const struct wf_rank_times *times = &rank->times;
    struct value end_code = NOTHING();
    if (rank->ending == WF_ENDING_ABORTED)
        end_code = (struct value)NUMBER(header->end_code);
    return INSERT(writer, RANK, error, NUMBER(rank->rank), NUMBER(rank->world), NUMBER(header->rank),
                  TEXT(header->host), NUMBER(header->pid), NUMBER(wf_rank_begin_ns(rank) - origin_ns),
                  NUMBER(times->wall_ns), NUMBER(times->wall_ns), NUMBER(times->mpi_ns),
                  NUMBER(times->mpi_raw_ns), NUMBER(times->useful_ns), NUMBER(times->init_ns),
                  NUMBER(times->finalize_ns), NUMBER(times->paused_ns), NUMBER(times->overhead_ns),
                  NUMBER(times->overhead_ns), NUMBER(rank->lanes.events), NUMBER(rank->lanes.threads),
                  NUMBER(rank->used_bytes), NUMBER(wf_rank_dropped_calls(rank)), NUMBER(times->dropped_ns),
                  NUMBER(header->dropped_requests), NUMBER(wf_rank_complete(rank)),
                  TEXT(wf_rank_ending(rank)), end_code, last_site(rank, sites));
}

int wf_profile_writer_threads(struct wf_profile_writer *writer, const struct wf_rank *rank,
                              const struct wf_segment_reader *reader, struct wf_error *error)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    int thread = 0;
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records));) {
        if (!lane->events && !lane->current_site)
            continue;
        int64_t raw_ns = wf_timebase_duration_ns(&rank->timebase, lane->mpi_ticks);
        int64_t ns =
            rank->has_virtual ? wf_timebase_duration_ns(&rank->timebase, lane->mpi_virtual_ticks) : raw_ns;
        if (INSERT(writer, THREAD, error, NUMBER(rank->rank), NUMBER(thread), NUMBER(lane->thread_id),
                   NUMBER(lane->main != 0), NUMBER(lane->events), NUMBER(ns), NUMBER(raw_ns)) != 0)
            return -1;
        thread++;
    }
    return 0;
}

/* ---- events ---- */

static int insert_com(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t first_rank,
                      const struct wf_merged_com *com, struct wf_error *error)
{
    const struct wf_timebase *timebase = &rank->timebase;
    int64_t trans_raw_ns = wf_timebase_duration_ns(timebase, com->trans_raw_ticks), trans_ns = trans_raw_ns;
    int64_t sync_raw_ns = wf_timebase_duration_ns(timebase, com->sync_raw_ticks), sync_ns = sync_raw_ns;
    if (rank->has_virtual) {
        trans_ns = wf_timebase_duration_ns(timebase, com->trans_virtual_ticks);
        sync_ns = wf_timebase_duration_ns(timebase, com->sync_virtual_ticks);
    }
    int64_t partner = com->partner >= 0 ? first_rank + com->partner : com->partner;
    return INSERT(writer, COM, error, NUMBER(writer->last_event), NUMBER(partner), NUMBER(com->num),
                  NUMBER(com->bytes), NUMBER(trans_ns), NUMBER(trans_raw_ns), NUMBER(sync_ns),
                  NUMBER(sync_raw_ns));
}

static int insert_event(struct wf_profile_writer *writer, const struct wf_rank *rank,
                        const struct wf_merged_event *event, struct wf_error *error)
{
    int64_t raw_ns = wf_timebase_duration_ns(&rank->timebase, event->ticks_raw);
    int64_t ns = rank->has_virtual ? wf_timebase_duration_ns(&rank->timebase, event->ticks_virtual) : raw_ns;
    return INSERT(writer, EVENT, error, NUMBER(++writer->last_event), NUMBER(site_id(event->site)),
                  NUMBER(rank->rank), NUMBER(event->calls), NUMBER(ns), NUMBER(raw_ns),
                  NUMBER(wf_timebase_duration_ns(&rank->timebase, event->max_ticks)));
}

int wf_profile_writer_events(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t first_rank,
                             const struct wf_merge *merge, struct wf_sites *sites, struct wf_error *error)
{
    for (size_t i = 0; i < merge->event_count; i++) {
        const struct wf_merged_event *event = &merge->events[i];
        sites->entries[event->site].used = true;
        if (insert_event(writer, rank, event, error) != 0)
            return -1;
        for (size_t c = 0; c < event->com_count; c++)
            if (insert_com(writer, rank, first_rank, &merge->coms[event->first_com + c], error) != 0)
                return -1;
    }
    return 0;
}

/* ---- what all ranks share ---- */

static int insert_site(struct wf_profile_writer *writer, const struct wf_sites *sites, uint32_t entry,
                       struct wf_error *error)
{
    const struct wf_site_entry *site = &sites->entries[entry];
    struct value procedure = NOTHING();
    if (site->procedure != WF_NO_PROCEDURE)
        procedure = (struct value)NUMBER((int64_t)site->procedure + 1);
    return INSERT(writer, SITE, error, NUMBER(site_id(entry)), TEXT("communication"),
                  TEXT(wf_sites_text(sites, site->name)), TEXT(wf_sites_text(sites, site->file)),
                  NUMBER(site->line), procedure, TEXT(wf_sites_module(sites, site->module)),
                  NUMBER(site->offset));
}

static int insert_procedure(struct wf_profile_writer *writer, const struct wf_sites *sites, uint32_t number,
                            struct wf_error *error)
{
    const struct wf_procedure *procedure = &sites->procedures[number];
    return INSERT(writer, PROCEDURE, error, NUMBER((int64_t)number + 1),
                  TEXT(wf_sites_text(sites, procedure->name)), TEXT(wf_sites_text(sites, procedure->file)),
                  NUMBER(procedure->line));
}

int wf_profile_writer_sites(struct wf_profile_writer *writer, const struct wf_sites *sites,
                            struct wf_error *error)
{
    size_t procedure_count = sites->procedure_keys.count;
    bool *needed = calloc(procedure_count + 1, sizeof *needed);
    if (!needed)
        return wf_error_set(error, "out of memory");
    int result = 0;
    for (size_t i = 0; i < wf_sites_count(sites) && result == 0; i++) {
        if (!sites->entries[i].used)
            continue;
        result = insert_site(writer, sites, (uint32_t)i, error);
        if (sites->entries[i].procedure != WF_NO_PROCEDURE)
            needed[sites->entries[i].procedure] = true;
    }
    for (size_t i = 0; i < procedure_count && result == 0; i++)
        if (needed[i])
            result = insert_procedure(writer, sites, (uint32_t)i, error);
    free(needed);
    return result;
}

int wf_profile_writer_notes(struct wf_profile_writer *writer, const struct wf_notes *notes,
                            struct wf_error *error)
{
    for (size_t i = 0; i < notes->count; i++)
        if (INSERT(writer, NOTE, error, TEXT(notes->sentences[i])) != 0)
            return -1;
    return 0;
}

int wf_profile_writer_run_number(struct wf_profile_writer *writer, const char *key, int64_t value,
                                 struct wf_error *error)
{
    return INSERT(writer, RUN, error, TEXT(key), NUMBER(value));
}

int wf_profile_writer_run_text(struct wf_profile_writer *writer, const char *key, const char *value,
                               struct wf_error *error)
{
    return INSERT(writer, RUN, error, TEXT(key), TEXT(value));
}

/* ---- the end ---- */

static int close_database(struct wf_profile_writer *writer, struct wf_error *error)
{
    for (int i = 0; i < TABLES; i++) {
        sqlite3_finalize(writer->statements[i]);
        writer->statements[i] = NULL;
    }
    if (execute(writer, "COMMIT", error) != 0)
        return -1;
    if (sqlite3_close(writer->database) != SQLITE_OK)
        return database_error(writer, error);
    writer->database = NULL;
    return 0;
}

static int sync_path(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0)
        return -1;
    int result = fsync(fd), why = errno;
    close(fd);
    errno = why;
    return result;
}

static int publish(struct wf_profile_writer *writer, struct wf_error *error)
{
    if (sync_path(writer->temporary, O_RDWR) != 0 || rename(writer->temporary, writer->output) != 0)
        return wf_error_set(error, "%s", strerror(errno));
    /* The name too should outlive a power cut; where a directory cannot be synced, it is there all the same.
     */
    char *directory = strdup(writer->output);
    if (directory)
        sync_path(dirname(directory), O_RDONLY | O_DIRECTORY);
    free(directory);
    free(writer->temporary);
    writer->temporary = NULL;
    return 0;
}

int wf_profile_writer_finish(struct wf_profile_writer *writer, struct wf_error *error)
{
    int result = close_database(writer, error);
    if (result == 0)
        result = publish(writer, error);
    wf_profile_writer_abandon(writer);
    return result;
}

void wf_profile_writer_abandon(struct wf_profile_writer *writer)
{
    if (!writer)
        return;
    for (int i = 0; i < TABLES; i++)
        sqlite3_finalize(writer->statements[i]);
    sqlite3_close(writer->database);
    if (writer->temporary)
        unlink(writer->temporary);
    free(writer->temporary);
    free(writer->output);
    free(writer);
}
