/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "collect/older.h"

/* What a receive took, by its number. */
struct recording_taken {
    int32_t source, tag;
    enum { TAKEN_NOTHING, TAKEN_UNKNOWN, TAKEN_MESSAGE } what;
};

/* The file of one process, mapped. */
struct recording_course {
    const struct wf_course_header *header;
    size_t bytes;
};

struct recording_bytes {
    uint8_t *items;
    size_t count, capacity;
};

struct recording {
    struct recording_course *courses;
    size_t count, capacity;
    const struct wf_course_header *first; /* of the world that began first */
    struct wf_recording_header header;
    struct wf_recording_rank *rows;
    struct recording_bytes body;
};

static uint64_t recording_checksum(const void *rows, size_t rows_bytes, const void *body, size_t body_bytes)
{
    return wf_hash_text(wf_hash_text(1, rows, rows_bytes), body, body_bytes);
}

/* ---- reading the courses ---- */

static int recording_map(struct recording *r, int directory, const char *name)
{
    struct stat status;
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return 0;
    void *map = MAP_FAILED;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size >= WF_COURSE_FIRST)
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    const struct wf_course_header *header = map;
    if (map == MAP_FAILED)
        return 0;
    bool whole = memcmp(header->magic, WF_COURSE_MAGIC, sizeof header->magic) == 0 &&
                 header->bytes <= (uint64_t)status.st_size - WF_COURSE_FIRST && header->size > 0 && header->rank >= 0 &&
                 header->rank < header->size && header->posted < UINT32_MAX;
    if (!whole || WF_ARRAY_RESERVE(r->courses, r->capacity, r->count + 1) != 0) {
        munmap(map, (size_t)status.st_size);
        return whole ? -1 : 0;
    }
    r->courses[r->count++] = (struct recording_course){header, (size_t)status.st_size};
    if (!r->first || header->started_ns < r->first->started_ns)
        r->first = header;
    return 0;
}

static int recording_find(struct recording *r, const char *directory)
{
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (struct dirent *entry; result == 0 && (entry = readdir(folder));)
        if (strncmp(entry->d_name, WF_COURSE_PREFIX, strlen(WF_COURSE_PREFIX)) == 0)
            result = recording_map(r, fd, entry->d_name);
    closedir(folder);
    return result;
}

/* Of several worlds the first is recorded. */
static const struct wf_course_header *recording_course_of(const struct recording *r, int32_t rank)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct wf_course_header *h = r->courses[i].header;
        if (h->rank == rank && h->size == r->first->size && strncmp(h->world, r->first->world, sizeof h->world) == 0)
            return h;
    }
    return NULL;
}

/* ---- joining ---- */

static int recording_put(struct recording *r, struct wf_course_tags *tags, const struct wf_course_event *e)
{
    struct recording_bytes *b = &r->body;
    if (WF_ARRAY_RESERVE(b->items, b->capacity, b->count + WF_COURSE_MOST_BYTES) != 0)
        return -1;
    b->count += wf_course_put(b->items + b->count, tags, e);
    return 0;
}

static int recording_put_number(struct recording *r, uint64_t number)
{
    struct recording_bytes *b = &r->body;
    if (WF_ARRAY_RESERVE(b->items, b->capacity, b->count + WF_COURSE_MOST_BYTES) != 0)
        return -1;
    b->count += wf_course_put_number(b->items + b->count, number);
    return 0;
}

/* Where a course is being read. */
struct recording_cursor {
    const uint8_t *at, *end;
    struct wf_course_tags tags, out;
    uint64_t expected, posted; /* receives */
    struct recording_taken *taken;
};

static bool recording_number(struct recording_cursor *c, uint64_t *number)
{
    size_t n = wf_course_get_number(c->at, (size_t)(c->end - c->at), number);
    c->at += n;
    return n != 0;
}

static void recording_take(struct recording_cursor *c, uint64_t folded, struct recording_taken taken)
{
    uint64_t receive = c->expected + (uint64_t)wf_course_unfold(folded);
    c->expected = receive + 1;
    if (receive < c->posted)
        c->taken[receive] = taken;
}

/* One event and what belongs to it. 1: the course ends here; -1: no memory. */
static int recording_event(struct recording *r, struct recording_cursor *c, struct wf_recording_rank *row)
{
    struct wf_course_event e;
    uint64_t number;
    size_t n = wf_course_get(c->at, (size_t)(c->end - c->at), &c->tags, &e);
    c->at += n;
    if (n == 0)
        return 1;
    if (e.kind == WF_COURSE_RESULT) {
        recording_take(c, e.number, (struct recording_taken){e.source, e.tag, TAKEN_MESSAGE});
        return 0;
    }
    if (e.kind == WF_COURSE_OTHER && e.number == WF_COURSE_UNKNOWN) {
        if (!recording_number(c, &number))
            return 1;
        recording_take(c, number, (struct recording_taken){.what = TAKEN_UNKNOWN});
        return 0;
    }
    row->events++;
    int result = recording_put(r, &c->out, &e);
    bool list = (e.kind == WF_COURSE_TESTSOME || e.kind == WF_COURSE_WAITSOME) && e.number != WF_COURSE_UNDEFINED;
    for (uint64_t k = 0; list && result == 0 && k < e.number; k++)
        result = recording_number(c, &number) ? recording_put_number(r, number) : 1;
    return result;
}

/* Behind the last event, polls may have failed. */
static int recording_events(struct recording *r, struct recording_cursor *c, const struct wf_course_header *h,
                            struct wf_recording_rank *row)
{
    int result = 0;
    wf_course_tags_init(&c->tags);
    wf_course_tags_init(&c->out);
    while (result == 0 && c->at < c->end)
        result = recording_event(r, c, row);
    if (result >= 0 && h->failed) {
        row->events++;
        result = recording_put(r, &c->out, &(struct wf_course_event){.kind = WF_COURSE_FAILED, .number = h->failed});
    }
    return result < 0 ? -1 : 0;
}

static int recording_receives(struct recording *r, const struct recording_cursor *c)
{
    struct wf_course_tags tags;
    int result = 0;
    wf_course_tags_init(&tags);
    for (uint64_t i = 0, none; i < c->posted && result == 0; i++) {
        const struct recording_taken *t = &c->taken[i];
        struct wf_course_event e = {.kind = WF_COURSE_OTHER,
                                    .number = t->what == TAKEN_NOTHING ? WF_COURSE_NONE : WF_COURSE_UNKNOWN};
        if (t->what == TAKEN_MESSAGE)
            e = (struct wf_course_event){.kind = WF_COURSE_RECV, .source = t->source, .tag = t->tag};
        result = recording_put(r, &tags, &e);
        for (none = 1; t->what == TAKEN_NOTHING && i + 1 < c->posted && t[none].what == TAKEN_NOTHING; i++)
            none++;
        if (result == 0 && t->what == TAKEN_NOTHING)
            result = recording_put_number(r, none);
    }
    return result;
}

static int recording_add(struct recording *r, const struct wf_course_header *h, struct wf_recording_rank *row)
{
    const uint8_t *events = (const uint8_t *)h + WF_COURSE_FIRST;
    struct recording_cursor c = {.at = events, .end = events + h->bytes, .posted = h->posted};
    c.taken = calloc(h->posted + 1, sizeof *c.taken);
    *row = (struct wf_recording_rank){
        .program_id = h->program_id, .posted = h->posted, .stopped = h->stopped, .events_at = r->body.count};
    int result = c.taken ? recording_events(r, &c, h, row) : -1;
    row->receives_at = r->body.count;
    row->events_bytes = row->receives_at - row->events_at;
    if (result == 0)
        result = recording_receives(r, &c);
    row->receives_bytes = r->body.count - row->receives_at;
    free(c.taken);
    r->header.events += row->events + row->posted;
    if (h->gap_ns > r->header.gap_ns)
        r->header.gap_ns = h->gap_ns;
    return result;
}

static int recording_build(struct recording *r, struct wf_recording_result *result, struct wf_error *error)
{
    uint32_t ranks = r->header.ranks = (uint32_t)r->first->size;
    r->rows = calloc(ranks, sizeof *r->rows);
    for (uint32_t rank = 0; r->rows && rank < ranks; rank++) {
        const struct wf_course_header *h = recording_course_of(r, (int32_t)rank);
        r->rows[rank].stopped = WF_COURSE_UNWATCHED;
        result->missing += !h;
        if (!h)
            continue;
        if (h->stopped == WF_COURSE_THREADS)
            return wf_error_set(error, "rank %u makes MPI calls in several threads, whose order cannot be recorded",
                                rank);
        result->cut += h->stopped == WF_COURSE_FULL;
        result->unknown += h->unknown;
        if (recording_add(r, h, &r->rows[rank]) != 0)
            return wf_error_set(error, "out of memory");
    }
    return r->rows ? 0 : wf_error_set(error, "out of memory");
}

/* ---- the file ---- */

static bool recording_write_all(int fd, const void *from, size_t bytes)
{
    const char *at = from;
    while (bytes > 0) {
        ssize_t n = write(fd, at, bytes);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static void recording_finish_header(struct recording *r)
{
    struct wf_recording_header *h = &r->header;
    size_t rows_bytes = h->ranks * sizeof *r->rows, first = sizeof *h + rows_bytes;
    for (uint32_t rank = 0; rank < h->ranks; rank++) {
        r->rows[rank].events_at += first;
        r->rows[rank].receives_at += first;
    }
    memcpy(h->magic, WF_RECORDING_MAGIC, sizeof h->magic);
    memcpy(h->program, r->first->program, sizeof h->program);
    h->program[sizeof h->program - 1] = '\0';
    h->bytes = first + r->body.count;
    h->checksum = recording_checksum(r->rows, rows_bytes, r->body.items, r->body.count);
}

static int recording_write(const struct recording *r, const struct wf_recording_options *o,
                           struct wf_recording_result *result, struct wf_error *error)
{
    char temporary[4096];
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", o->output) >= (int)sizeof temporary)
        return wf_error_set(error, "%s: the name is too long", o->output);
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0)
        return wf_error_set(error, "%s: %s", o->output, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    bool written = fchmod(fd, 0666 & ~mask) == 0 && recording_write_all(fd, &r->header, sizeof r->header) &&
                   recording_write_all(fd, r->rows, r->header.ranks * sizeof *r->rows) &&
                   recording_write_all(fd, r->body.items, r->body.count) && fsync(fd) == 0;
    written = close(fd) == 0 && written;
    if (written && o->keep_older)
        written = wf_older_keep(o->output, "", result->kept, sizeof result->kept) == 0;
    if (written && rename(temporary, o->output) == 0)
        return 0;
    int why = errno;
    unlink(temporary);
    return wf_error_set(error, "%s: %s", o->output, strerror(why));
}

static void recording_fini(struct recording *r)
{
    for (size_t i = 0; i < r->count; i++)
        munmap((void *)r->courses[i].header, r->courses[i].bytes);
    free(r->courses);
    free(r->rows);
    free(r->body.items);
}

int wf_recording_join(const struct wf_recording_options *options, struct wf_recording_result *result,
                      struct wf_error *error)
{
    struct recording r = {.count = 0};
    *result = (struct wf_recording_result){.ranks = 0};
    int status = -1;
    if (recording_find(&r, options->directory) != 0)
        wf_error_set(error, "out of memory");
    else if (!r.first)
        wf_error_set(error, "no process of the run has recorded anything");
    else
        status = recording_build(&r, result, error);
    if (status == 0 && r.first) {
        recording_finish_header(&r);
        status = recording_write(&r, options, result, error);
    }
    result->ranks = r.header.ranks;
    result->events = r.header.events;
    result->bytes = r.header.bytes;
    recording_fini(&r);
    return status;
}

/* ---- checking ---- */

static bool recording_is_whole(const struct wf_recording_header *header, const struct wf_recording_rank *rows,
                               const void *body, size_t body_bytes)
{
    uint64_t first = header->bytes - body_bytes;
    for (uint32_t rank = 0; rank < header->ranks; rank++) {
        const struct wf_recording_rank *r = &rows[rank];
        uint64_t end = header->bytes;
        if (r->stopped == WF_COURSE_UNWATCHED)
            continue;
        if (r->events_at < first || r->events_at > end || r->events_bytes > end - r->events_at ||
            r->receives_at < first || r->receives_at > end || r->receives_bytes > end - r->receives_at)
            return false;
    }
    return recording_checksum(rows, header->ranks * sizeof *rows, body, body_bytes) == header->checksum;
}

static int recording_look(const uint8_t *map, size_t bytes, struct wf_recording_header *header,
                          struct wf_recording_rank **rows)
{
    if (bytes < sizeof *header)
        return -1;
    memcpy(header, map, sizeof *header);
    size_t rows_bytes = (size_t)header->ranks * sizeof **rows, first = sizeof *header + rows_bytes;
    if (memcmp(header->magic, WF_RECORDING_MAGIC, sizeof header->magic) != 0 || header->bytes != bytes || bytes < first)
        return -1;
    header->program[sizeof header->program - 1] = '\0';
    *rows = malloc(rows_bytes + 1);
    if (!*rows)
        return -1;
    memcpy(*rows, map + sizeof *header, rows_bytes);
    if (recording_is_whole(header, *rows, map + first, bytes - first))
        return 0;
    free(*rows);
    return -1;
}

int wf_recording_check(const char *path, struct wf_recording_header *header, struct wf_recording_rank **rows,
                       struct wf_error *error)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = -1;
    void *map = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int why = errno;
    if (fd >= 0)
        close(fd);
    else
        return wf_error_set(error, "cannot read %s: %s", path, strerror(why));
    if (map != MAP_FAILED) {
        result = recording_look(map, (size_t)status.st_size, header, rows);
        munmap(map, (size_t)status.st_size);
    }
    return result == 0 ? 0 : wf_error_set(error, "%s is not a recorded order, or it is damaged", path);
}
