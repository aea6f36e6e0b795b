/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorded order of a run, for measure/order/ (writes and replays), collect/ (joins) and cli/ (checks).
 *
 * The course of a process is a sequence of events: how each call came out whose outcome MPI's rules leave open. While
 * the process runs it writes them to a file of the run directory (struct wf_course_header, then the events). When the
 * run has ended, the courses of all ranks are joined in one file, the recording (struct wf_recording_header, one struct
 * wf_recording_rank for each rank, then the events of the ranks).
 *
 * A nonblocking or persistent receive is posted before it is known what it takes. Its event comes with its completion;
 * in a recording, where a replay has to read it when it posts the receive, these events lie apart, in the order of
 * posting.
 *
 * An event begins with one byte: its kind in the low four bits, a small value in the high four. Larger values follow as
 * numbers of 7 bits a byte. Failed polls, of whatever function, are counted together. A tag is left out where it is the
 * one that the call asks for, or the last one from that source.
 */
#ifndef WF_FORMAT_COURSE_H
#define WF_FORMAT_COURSE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WF_COURSE_MAGIC "weftcrs1"
#define WF_RECORDING_MAGIC "weftord1"
#define WF_COURSE_PREFIX "course-"
#define WF_REPLAY_PREFIX "replay-"

enum { WF_COURSE_FIRST = 1024, WF_COURSE_MOST_BYTES = 40, WF_COURSE_TAGS = 64, WF_COURSE_PROGRAM_BYTES = 512 };

/* A tag that the call asked for itself. Also without MPI no tag is negative. */
#define WF_COURSE_TAG_AS_ASKED (-1)
#define WF_COURSE_UNDEFINED UINT64_MAX /* an index or a number of requests that is MPI_UNDEFINED */

enum wf_course_kind {
    WF_COURSE_FAILED, /* number: of polls that failed, one behind the other */
    WF_COURSE_RECV,   /* these have a source and a tag: */
    WF_COURSE_SENDRECV,
    WF_COURSE_PROBE,
    WF_COURSE_MPROBE,
    WF_COURSE_IPROBE,
    WF_COURSE_IMPROBE,
    WF_COURSE_RESULT, /* of a receive that was posted before; number: which (see course_next) */
    WF_COURSE_TEST,   /* these have come true: */
    WF_COURSE_TESTALL,
    WF_COURSE_STATUS,
    WF_COURSE_TESTANY, /* number: the index */
    WF_COURSE_WAITANY,
    WF_COURSE_TESTSOME, /* number: of indices, which follow as numbers */
    WF_COURSE_WAITSOME,
    WF_COURSE_OTHER, /* number: enum wf_course_other */
};

enum wf_course_other {
    WF_COURSE_ERROR,   /* the call returned an error: a replay leaves it to MPI */
    WF_COURSE_UNKNOWN, /* what a receive took is not known: likewise. While recording, its number follows. */
    WF_COURSE_NONE,    /* of a recording: how many receives follow as a number that took nothing */
};

struct wf_course_event {
    enum wf_course_kind kind;
    int32_t source, tag;
    uint64_t number;
};

/* Why a course ends before its process does. */
enum wf_course_stop { WF_COURSE_RUNS, WF_COURSE_THREADS, WF_COURSE_FULL, WF_COURSE_UNWATCHED };

/* Of the file of one process. The events begin at WF_COURSE_FIRST. Written by the thread that makes the MPI calls. */
struct wf_course_header {
    char magic[8]; /* last */
    int32_t rank, size;
    uint64_t started_ns; /* when it was made, of the system's clock */
    uint64_t program_id; /* base/executable.h */
    char program[WF_COURSE_PROGRAM_BYTES];
    char world[128];
    _Atomic uint64_t bytes;   /* of events */
    _Atomic uint64_t failed;  /* polls behind them */
    _Atomic uint64_t posted;  /* receives from any source that were posted before it was known what they take */
    _Atomic uint64_t events;  /* failed polls are not counted one by one */
    _Atomic uint64_t unknown; /* receives whose source is not known */
    _Atomic uint64_t gap_ns;  /* the longest time between two events */
    _Atomic uint32_t stopped; /* enum wf_course_stop */
};

struct wf_recording_header {
    char magic[8];
    uint32_t ranks;
    uint32_t reserved;
    uint64_t bytes;    /* of the whole file */
    uint64_t checksum; /* of all behind the header */
    uint64_t events;
    uint64_t gap_ns; /* the longest time between two events of a rank */
    char program[WF_COURSE_PROGRAM_BYTES];
};

struct wf_recording_rank {
    uint64_t program_id;
    uint64_t events_at, events_bytes;     /* in the file */
    uint64_t receives_at, receives_bytes; /* of receives in the order of posting: WF_COURSE_RECV and _OTHER */
    uint64_t events, posted;
    uint64_t stopped; /* enum wf_course_stop */
};

/* Where a rank has departed from the recording. */
struct wf_replay_departure {
    int32_t rank;
    uint64_t event;
    uint64_t offset;  /* the statement: a return address as the module's file sees it */
    char module[240]; /* its path; empty: not known */
};
#define WF_REPLAY_DEPARTURES 12

/* What the processes of a host share while they replay: a file of the run directory. */
struct wf_replay_state {
    _Atomic uint64_t events;     /* replayed: grows while there is progress */
    _Atomic uint32_t ranks;      /* that replay, or did */
    _Atomic uint32_t departed;   /* of them have departed from the recording */
    _Atomic uint32_t other_size; /* processes whose world has another size */
    _Atomic uint32_t other_program;
    _Atomic uint32_t unable;                                     /* that could not read the recording */
    struct wf_replay_departure departures[WF_REPLAY_DEPARTURES]; /* the first ones */
};
#define WF_REPLAY_STATE_BYTES 4096

/* ---- numbers and events as bytes ---- */

static inline size_t wf_course_put_number(uint8_t *to, uint64_t number)
{
    size_t n = 0;
    for (; number >= 128; number >>= 7)
        to[n++] = (uint8_t)(number | 128);
    to[n++] = (uint8_t)number;
    return n;
}

/* 0: it does not end within `left` bytes. */
static inline size_t wf_course_get_number(const uint8_t *from, size_t left, uint64_t *number)
{
    *number = 0;
    for (size_t n = 0; n < left && n < 10; n++) {
        *number |= (uint64_t)(from[n] & 127) << (7 * n);
        if (!(from[n] & 128))
            return n + 1;
    }
    return 0;
}

static inline uint64_t wf_course_fold(int64_t value)
{
    return ((uint64_t)value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t wf_course_unfold(uint64_t folded)
{
    return (int64_t)(folded >> 1) ^ -(int64_t)(folded & 1);
}

/* The last tag of each source, of all sources that are equal modulo WF_COURSE_TAGS. */
struct wf_course_tags {
    int32_t last[WF_COURSE_TAGS];
};

static inline void wf_course_tags_init(struct wf_course_tags *tags)
{
    for (int i = 0; i < WF_COURSE_TAGS; i++)
        tags->last[i] = WF_COURSE_TAG_AS_ASKED;
}

static inline bool wf_course_has_source(enum wf_course_kind kind)
{
    return kind >= WF_COURSE_RECV && kind <= WF_COURSE_RESULT;
}

enum { WF_COURSE_SMALL = 14, WF_COURSE_LARGE = 14, WF_COURSE_SPECIAL = 15 };

/* `to` has room for WF_COURSE_MOST_BYTES. Returns how many it has taken. */
static inline size_t wf_course_put(uint8_t *to, struct wf_course_tags *tags, const struct wf_course_event *e)
{
    size_t n = 1;
    if (!wf_course_has_source(e->kind)) {
        bool undefined = e->number == WF_COURSE_UNDEFINED, small = e->number < WF_COURSE_SMALL;
        unsigned high = undefined ? WF_COURSE_SPECIAL : small ? (unsigned)e->number : WF_COURSE_LARGE;
        to[0] = (uint8_t)(e->kind | high << 4);
        return undefined || small ? n : n + wf_course_put_number(to + n, e->number - WF_COURSE_SMALL);
    }
    int32_t *last = &tags->last[(uint32_t)e->source % WF_COURSE_TAGS];
    bool usual = *last == e->tag, small = e->source >= 0 && e->source < WF_COURSE_SMALL;
    unsigned high = !usual ? WF_COURSE_SPECIAL : small ? (unsigned)e->source : WF_COURSE_LARGE;
    to[0] = (uint8_t)(e->kind | high << 4);
    if (!usual || !small)
        n += wf_course_put_number(to + n, wf_course_fold(e->source));
    if (!usual)
        n += wf_course_put_number(to + n, wf_course_fold(e->tag));
    *last = e->tag;
    return e->kind == WF_COURSE_RESULT ? n + wf_course_put_number(to + n, e->number) : n;
}

static inline size_t wf_course_get_source(const uint8_t *from, size_t left, struct wf_course_tags *tags,
                                          struct wf_course_event *e)
{
    unsigned high = from[0] >> 4;
    uint64_t source = wf_course_fold(high), tag;
    size_t n = 1, more;
    if (high >= WF_COURSE_SMALL) {
        more = wf_course_get_number(from + n, left - n, &source);
        if (!more)
            return 0;
        n += more;
    }
    e->source = (int32_t)wf_course_unfold(source);
    int32_t *last = &tags->last[(uint32_t)e->source % WF_COURSE_TAGS];
    if (high == WF_COURSE_SPECIAL) {
        more = wf_course_get_number(from + n, left - n, &tag);
        if (!more)
            return 0;
        n += more;
        *last = (int32_t)wf_course_unfold(tag);
    }
    e->tag = *last;
    if (e->kind != WF_COURSE_RESULT)
        return n;
    more = wf_course_get_number(from + n, left - n, &e->number);
    return more ? n + more : 0;
}

/* Returns how many bytes it has; 0: it does not end within `left` bytes. */
static inline size_t wf_course_get(const uint8_t *from, size_t left, struct wf_course_tags *tags,
                                   struct wf_course_event *e)
{
    if (left == 0)
        return 0;
    unsigned high = from[0] >> 4;
    *e = (struct wf_course_event){.kind = (enum wf_course_kind)(from[0] & 15)};
    if (wf_course_has_source(e->kind))
        return wf_course_get_source(from, left, tags, e);
    e->number = high == WF_COURSE_SPECIAL ? WF_COURSE_UNDEFINED : high;
    if (high != WF_COURSE_LARGE)
        return 1;
    size_t more = wf_course_get_number(from + 1, left - 1, &e->number);
    e->number += WF_COURSE_SMALL;
    return more ? 1 + more : 0;
}

#endif
