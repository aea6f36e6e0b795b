/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/course.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/executable.h"
#include "base/memory.h"
#include "measure/guest/directory.h"
#include "measure/guest/settings.h"
#include "measure/process/process.h"

/* Of address space; what is used of it is what is written. */
static const uint64_t course_sizes[] = {UINT64_C(16) << 30, UINT64_C(1) << 30, UINT64_C(64) << 20};
#define COURSE_DROP_BYTES (UINT64_C(1) << 20) /* so much of it stays mapped behind the place of writing */

static struct {
    struct wf_file file;
    struct wf_course_header *header;
    struct wf_course_tags tags;
    uint64_t at;       /* in the file, behind what is written */
    uint64_t dropped;  /* up to where it is no longer mapped */
    uint64_t last_ns;  /* when the last event was */
    uint64_t expected; /* the receive that completes next, if they complete in the order of posting */
} course;

/* ---- writing ---- */

static void course_say(int rank, int why)
{
    static char line[512];
    int n = snprintf(line, sizeof line, "weft: rank %d cannot record the order in %.300s: %s\n", rank,
                     wf_settings.directory, strerror(why));
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        return;
}

static int course_make_file(int rank)
{
    char name[WF_FILE_NAME_BYTES], host[64] = "";
    int why = ENOMEM;
    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < sizeof course_sizes / sizeof *course_sizes && why == ENOMEM; i++) {
        snprintf(name, sizeof name, WF_COURSE_PREFIX "%d-%s-%d-%zu", rank, host, (int)getpid(), i);
        why = wf_file_create(&course.file, &wf_directory_place, name, course_sizes[i]);
    }
    return why;
}

bool wf_course_create(int rank, int size)
{
    static_assert(sizeof(struct wf_course_header) <= WF_COURSE_FIRST, "the events begin behind the header");
    int why = course_make_file(rank);
    if (why) {
        course_say(rank, why);
        return false;
    }
    const struct wf_segment_header *process = wf_process.segment.header;
    struct wf_course_header *header = course.header = (struct wf_course_header *)course.file.base;
    header->rank = rank;
    header->size = size;
    header->started_ns = wf_clock_read_ns(CLOCK_REALTIME);
    header->program_id = wf_executable_identity("/proc/self/exe");
    memcpy(header->program, process->program, sizeof header->program);
    memcpy(header->world, process->world, sizeof process->world);
    course.at = WF_COURSE_FIRST;
    course.last_ns = wf_clock_read_ns(CLOCK_MONOTONIC_COARSE);
    wf_course_tags_init(&course.tags);
    memcpy(header->magic, WF_COURSE_MAGIC, sizeof header->magic);
    return true;
}

void wf_course_stop(enum wf_course_stop why)
{
    if (!wf_course_is_stopped())
        atomic_store(&course.header->stopped, why);
}

bool wf_course_is_stopped(void)
{
    return atomic_load_explicit(&course.header->stopped, memory_order_relaxed) != WF_COURSE_RUNS;
}

/* Pages behind the place of writing are in the file, and need not be in this process's memory, too. */
static void course_drop(void)
{
    uint64_t keep = course.at / 4096 * 4096;
    if (keep < course.dropped + COURSE_DROP_BYTES)
        return;
    int before = errno;
    uint64_t from = course.dropped ? course.dropped : 4096;
    madvise(course.file.base + from, keep - from, MADV_DONTNEED);
    course.dropped = keep;
    errno = before;
}

/* Room for some bytes at course.at. False: recording has ended. */
static bool course_has_room(uint64_t bytes)
{
    if (__builtin_expect(course.at + bytes <= course.file.backed_bytes, 1))
        return true;
    course_drop();
    if (wf_file_grow(&course.file, course.at + bytes) == 0)
        return true;
    wf_course_stop(WF_COURSE_FULL);
    return false;
}

static uint8_t *course_end(void)
{
    return (uint8_t *)course.file.base + course.at;
}

/* A process that is killed leaves whole events. */
static void course_publish(void)
{
    uint64_t now = wf_clock_read_ns(CLOCK_MONOTONIC_COARSE);
    if (now - course.last_ns > atomic_load_explicit(&course.header->gap_ns, memory_order_relaxed))
        atomic_store_explicit(&course.header->gap_ns, now - course.last_ns, memory_order_relaxed);
    course.last_ns = now;
    atomic_store_explicit(&course.header->bytes, course.at - WF_COURSE_FIRST, memory_order_release);
}

static inline void course_count(_Atomic uint64_t *counter)
{
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

static bool course_put(const struct wf_course_event *e)
{
    struct wf_course_header *header = course.header;
    uint64_t failed = atomic_load_explicit(&header->failed, memory_order_relaxed);
    if (!course_has_room(2ull * WF_COURSE_MOST_BYTES))
        return false;
    if (failed) {
        struct wf_course_event polls = {.kind = WF_COURSE_FAILED, .number = failed};
        course.at += wf_course_put(course_end(), &course.tags, &polls);
        atomic_store_explicit(&header->failed, 0, memory_order_relaxed);
    }
    course.at += wf_course_put(course_end(), &course.tags, e);
    return true;
}

void wf_course_add(const struct wf_course_event *e)
{
    if (wf_course_is_stopped() || !course_put(e))
        return;
    course_count(&course.header->events);
    course_publish();
}

void wf_course_add_list(const struct wf_course_event *e, const int *numbers, uint64_t n)
{
    if (wf_course_is_stopped() || !course_put(e))
        return;
    for (uint64_t i = 0; i < n; i++) {
        if (!course_has_room(WF_COURSE_MOST_BYTES))
            return;
        course.at += wf_course_put_number(course_end(), (uint64_t)numbers[i]);
    }
    course_count(&course.header->events);
    course_publish();
}

void wf_course_add_failed(void)
{
    if (!wf_course_is_stopped())
        course_count(&course.header->failed);
}

uint64_t wf_course_post(void)
{
    uint64_t number = atomic_load_explicit(&course.header->posted, memory_order_relaxed);
    if (!wf_course_is_stopped())
        course_count(&course.header->posted);
    return number;
}

/* Receives mostly complete in the order of posting: their numbers are told from what is expected. */
static uint64_t course_name(uint64_t receive)
{
    uint64_t folded = wf_course_fold((int64_t)(receive - course.expected));
    course.expected = receive + 1;
    return folded;
}

void wf_course_add_result(uint64_t receive, int source, int tag)
{
    if (wf_course_is_stopped())
        return;
    wf_course_add(&(struct wf_course_event){
        .kind = WF_COURSE_RESULT, .source = source, .tag = tag, .number = course_name(receive)});
}

void wf_course_add_unknown(uint64_t receive)
{
    if (wf_course_is_stopped() || !course_has_room(3ull * WF_COURSE_MOST_BYTES) ||
        !course_put(&(struct wf_course_event){.kind = WF_COURSE_OTHER, .number = WF_COURSE_UNKNOWN}))
        return;
    course.at += wf_course_put_number(course_end(), course_name(receive));
    course_count(&course.header->unknown);
    course_publish();
}

/* ---- reading ---- */

static char course_path[4096];

static int course_open_file(void)
{
    return open(course_path, O_RDONLY | O_CLOEXEC);
}

static bool course_reader_open(struct wf_course_reader *reader, uint64_t at, uint64_t bytes)
{
    *reader = (struct wf_course_reader){.at = at, .end = at + bytes, .block = wf_memory_pages(WF_COURSE_BLOCK_BYTES)};
    wf_course_tags_init(&reader->tags);
    return reader->block != NULL;
}

static enum wf_course_opening course_read_head(struct wf_course_readers *readers, int fd, int rank, int size)
{
    struct wf_recording_header header;
    if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header ||
        memcmp(header.magic, WF_RECORDING_MAGIC, sizeof header.magic) != 0)
        return WF_COURSE_UNREADABLE;
    readers->gap_ns = header.gap_ns;
    if (header.ranks != (uint32_t)size)
        return WF_COURSE_OTHER_SIZE;
    off_t at = (off_t)(sizeof header + (size_t)rank * sizeof readers->rank);
    if (pread(fd, &readers->rank, sizeof readers->rank, at) != (ssize_t)sizeof readers->rank)
        return WF_COURSE_UNREADABLE;
    return readers->rank.program_id == wf_executable_identity("/proc/self/exe") ? WF_COURSE_OPENED
                                                                                : WF_COURSE_OTHER_PROGRAM;
}

enum wf_course_opening wf_course_open(struct wf_course_readers *readers, const char *path, int rank, int size)
{
    if (strlen(path) >= sizeof course_path)
        return WF_COURSE_UNREADABLE;
    strcpy(course_path, path);
    int fd = course_open_file();
    if (fd < 0)
        return WF_COURSE_UNREADABLE;
    enum wf_course_opening opened = course_read_head(readers, fd, rank, size);
    close(fd);
    const struct wf_recording_rank *r = &readers->rank;
    if (opened == WF_COURSE_OPENED && (!course_reader_open(&readers->events, r->events_at, r->events_bytes) ||
                                       !course_reader_open(&readers->receives, r->receives_at, r->receives_bytes)))
        return WF_COURSE_UNREADABLE;
    return opened;
}

/* What is left of the block goes to its beginning, and the rest is filled from the file. */
static void course_reader_fill(struct wf_course_reader *reader)
{
    int before = errno;
    size_t left = reader->filled - reader->next;
    uint64_t more = reader->end - reader->at;
    more = more < WF_COURSE_BLOCK_BYTES - left ? more : WF_COURSE_BLOCK_BYTES - left;
    memmove(reader->block, reader->block + reader->next, left);
    reader->next = 0;
    reader->filled = left;
    int fd = more ? course_open_file() : -1;
    ssize_t n = fd >= 0 ? pread(fd, reader->block + left, more, (off_t)reader->at) : 0;
    if (fd >= 0)
        close(fd);
    if (n > 0) {
        reader->filled += (size_t)n;
        reader->at += (uint64_t)n;
    } else {
        reader->at = reader->end;
    }
    errno = before;
}

/* Bytes from the next one on, at least one event. */
static size_t course_reader_left(struct wf_course_reader *reader)
{
    if (reader->filled - reader->next < WF_COURSE_MOST_BYTES && reader->at < reader->end)
        course_reader_fill(reader);
    return reader->filled - reader->next;
}

bool wf_course_next(struct wf_course_reader *reader, struct wf_course_event *e)
{
    size_t left = course_reader_left(reader), n = wf_course_get(reader->block + reader->next, left, &reader->tags, e);
    reader->next += n;
    return n != 0;
}

bool wf_course_next_number(struct wf_course_reader *reader, uint64_t *number)
{
    size_t left = course_reader_left(reader), n = wf_course_get_number(reader->block + reader->next, left, number);
    reader->next += n;
    return n != 0;
}
