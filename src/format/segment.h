/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The segment: what one watched process writes while it runs, and all of it that survives the process.
 *
 * One memory-mapped file for each process. The process owns and writes it; others may map it read-only at any moment,
 * without asking. It begins with one header and continues with chunks, each an array of records of one kind:
 *
 *     | wf_segment_header (4096 bytes) | wf_chunk, records ... | wf_chunk, records ... | ... used_bytes
 *
 * Chunks are only ever added. A chunk belongs to one thread of the process (its lane). Only that thread writes into it,
 * so no locks are needed. A new record is written whole before the chunk's count includes it (release); from then on
 * its sums grow by plain 64-bit stores. A reader that loads the count (acquire) sees whole records whose sums may be
 * one event apart from each other, never torn. A reader skips chunks of kinds it does not know.
 *
 * Times are ticks of the process's clock; the header says how to turn them into nanoseconds. Offsets are in units of
 * WF_SEGMENT_UNIT bytes from the start of the file: a site is named by the offset of its record. Coms and waits, which
 * are the most, are not named, so they are as small as possible: some words of WF_SEGMENT_WORD bytes.
 */
#ifndef WF_SEGMENT_H
#define WF_SEGMENT_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#include "weft/profile.h"

#define WF_SEGMENT_MAGIC "weftseg"
#define WF_SEGMENT_VERSION 7u
#define WF_SEGMENT_UNIT 64u
#define WF_SEGMENT_WORD 8u
#define WF_SEGMENT_CORES 1024u
#define WF_SEGMENT_SUFFIX ".seg"
#define WF_SEGMENT_GONE                                                                               \
    "gone-" /* + the segment's name without suffix: a file with the moment when its process was found \
               to be gone, in ns of CLOCK_MONOTONIC */
#define WF_SEGMENT_PAGE 4096u
#define WF_WORLD_BYTES 64 /* of the name of a world, including the terminating 0 */

/* Partners that are no rank of MPI_COMM_WORLD; they become the profile's dest_node unchanged. */
enum {
    WF_PARTNER_ALL = WEFT_PARTNER_ALL,
    WF_PARTNER_NOBODY = WEFT_PARTNER_NOBODY,
    WF_PARTNER_OUTSIDE = WEFT_PARTNER_OUTSIDE,
};

/* How far the process has come. In a process that has ended, every state but FINALIZED means that it did not end
 * well. */
enum wf_segment_state {
    WF_STATE_RUNNING = 1,   /* MPI is initialised */
    WF_STATE_FINALIZED = 2, /* MPI_Finalize has returned */
    WF_STATE_ABORTED = 3,   /* it called MPI_Abort(end_code) */
    WF_STATE_EXITED = 4,    /* it called exit without MPI_Finalize */
};

enum wf_clock_kind {
    WF_CLOCK_MONOTONIC = 0, /* ticks are nanoseconds of CLOCK_MONOTONIC */
    WF_CLOCK_TSC = 1,       /* ticks of the invariant time stamp counter */
};

/* How the cost of monitoring is subtracted: see wf_settle in measure/clock/virtual.h. */
enum wf_clock_model {
    WF_MODEL_VIRTUAL = 0, /* compares virtual times: exact where latencies are known */
    WF_MODEL_DELAY = 1,   /* passes delays on and corrects waiting times by them: needs no common time base */
    WF_MODEL_LOCAL = 2,   /* subtracts each process's own cost only */
    WF_MODEL_REAL = 3,    /* subtracts nothing */
};

enum wf_chunk_kind {
    WF_CHUNK_LANE = 1,   /* one wf_lane_record: a thread */
    WF_CHUNK_MODULE = 2, /* one wf_module_record: an executable or shared library that holds call sites */
    WF_CHUNK_SITE = 3,   /* wf_site_record: a communication statement, on one lane */
    WF_CHUNK_COM = 4,    /* wf_com_record: one statement with one partner, on one lane */
    WF_CHUNK_REGION = 5, /* one wf_region_record: a procedure, a loop or a region that a user marked */
    WF_CHUNK_VISIT = 6,  /* wf_visit_record: a region entered from one place, on one lane */
    WF_CHUNK_WAIT = 7,   /* wf_wait_record: a statement that waited for another rank, on one lane */
    WF_CHUNK_PATH = 8,   /* one wf_path_record: the critical path up to where a thread is */
    WF_CHUNK_OPEN = 9,   /* wf_open_record: the visits under way of one lane, from the outermost */
    WF_CHUNK_ORDER = 10, /* wf_order_record: a statement that received from any source, on one lane */
};

/* Why a statement waited, in the terms of the field. */
enum wf_wait_kind {
    WF_WAIT_LATE_SENDER = 1,    /* a receive (or its completion, or a probe) began before the message was sent */
    WF_WAIT_WRONG_ORDER = 2,    /* the same, while a message for another receive was sent earlier */
    WF_WAIT_LATE_RECEIVER = 3,  /* a synchronous or large send began before its receive */
    WF_WAIT_BARRIER = 4,        /* others entered the barrier later */
    WF_WAIT_ALL_TO_ALL = 5,     /* the same, in a collective in which each member needs all others */
    WF_WAIT_LATE_BROADCAST = 6, /* the root of a bcast or scatter entered later */
    WF_WAIT_EARLY_REDUCE = 7,   /* the root of a reduce or gather entered before a member */
    WF_WAIT_SCAN = 8,           /* a lower rank entered a scan later */
    WF_WAIT_NEIGHBOUR = 9,      /* a neighbour entered a neighbourhood collective later */
    WF_WAIT_WINDOW = 10,        /* another member entered a collective call on a window later: MPI_Win_fence, ... */
    WF_WAIT_LATE_POST = 11,     /* the target's MPI_Win_post came after MPI_Win_start or MPI_Win_complete */
    WF_WAIT_LATE_COMPLETE = 12, /* the origin's MPI_Win_complete came after MPI_Win_wait */
    WF_WAIT_LOCK = 13,          /* another rank had the lock of a window, and gave it back later */
    WF_WAIT_FILE = 14,          /* another member entered a collective call on a file later */
    WF_WAIT_ROOT = 64, /* no wait: parts of a statement's waits that the culprits had themselves waited for this rank */
};

struct wf_segment_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t limit_bytes;        /* the file never grows beyond this */
    _Atomic uint64_t used_bytes; /* where the last chunk ends */
    _Atomic uint32_t state;      /* enum wf_segment_state */
    int32_t end_code;            /* MPI_Abort's argument */
    uint32_t pid;
    int32_t rank; /* in MPI_COMM_WORLD; -1: MPI is not initialised (yet, or never) */
    int32_t size;
    int32_t thread_level; /* what MPI_Init_thread provided */
    uint32_t mpi_calls;   /* rows of the writer's table of MPI functions: site.call is an index into it */
    uint32_t clock;       /* enum wf_clock_kind */
    uint64_t tick0, ns0;  /* one moment on the process's clock and on CLOCK_MONOTONIC, at start */
    uint64_t tick1, ns1;  /* and a later one: renewed at MPI_Finalize, so that long runs convert best */
    uint64_t epoch_ns0;   /* the moment of tick0 on CLOCK_REALTIME */
    uint64_t init_begin_ticks, init_end_ticks;
    uint64_t finalize_begin_ticks, finalize_end_ticks; /* 0: not reached */
    uint64_t end_ticks;                                /* exit without MPI_Finalize, or MPI_Abort; 0: not reached */
    uint64_t paused_ticks;                             /* between MPI_Pcontrol(0) and MPI_Pcontrol(1), so far */
    uint64_t paused_since_ticks;                       /* 0: not paused now */
    uint64_t probe_ticks;                              /* calibrated cost of watching one call */
    uint64_t probe_inner_ticks;                        /* the part between the two readings of the clock */
    uint64_t pair_ticks;                               /* calibrated cost of entering and leaving a region */
    uint64_t pair_inner_ticks;                         /* the part between the two readings of the clock */
    uint64_t init_end_virtual_ticks, finalize_begin_virtual_ticks; /* as their namesakes above; 0: not reached */
    uint64_t check_expected_ticks, check_seen_ticks; /* at the end: probes run once more, what they should cost and what
                                                        they did */
    uint32_t clock_model;                            /* enum wf_clock_model */
    uint32_t reserved0;
    int64_t host_offset_ns; /* this host's CLOCK_MONOTONIC + it = that of rank 0's host, at ns0 */
    int64_t host_drift_ppb; /* and how it changes */
    uint64_t host_error_ns; /* bound of the error */
    _Atomic uint64_t dropped_sites, dropped_sites_ticks; /* calls at statements that found no room, and their time */
    _Atomic uint64_t dropped_coms, dropped_coms_ticks;   /* transfers with partners that found no room */
    _Atomic uint64_t dropped_requests;                   /* nonblocking operations that could not be followed */
    _Atomic uint64_t dropped_lanes;                      /* threads that found no room: their calls are not counted */
    _Atomic uint64_t dropped_regions, dropped_visits;    /* regions that found no room, and visits */
    char host[64];
    char mpi[128];              /* "Open MPI 4.1.4" */
    char world[WF_WORLD_BYTES]; /* distinguishes the MPI_COMM_WORLDs of one run; empty where the launcher gives no name
                                 */
    char boot_id[40];           /* monotonic clocks compare only within one boot of one host */
    char program[512];          /* path of the executable */
    char command[512];          /* arguments, separated by blanks, cut where they do not fit */
    uint64_t start_time;        /* with pid_namespace: which process the pid means (base/birth.h); 0: not known */
    uint64_t pid_namespace;
    _Atomic uint64_t passed; /* events that are not counted, because they came from a signal handler while weft was at
                                work */
    uint64_t cores[WF_SEGMENT_CORES / 64]; /* bits of the cores that it may use; none: not known */
    uint64_t address;                      /* where the process has mapped the segment */
    unsigned char reserved[2296];
};

struct wf_chunk {
    uint32_t kind;         /* enum wf_chunk_kind */
    uint32_t bytes;        /* of the whole chunk, a multiple of WF_SEGMENT_UNIT */
    uint32_t lane;         /* offset of the owner's lane record */
    uint32_t record_bytes; /* records begin WF_SEGMENT_UNIT bytes behind the start of the chunk */
    _Atomic uint32_t count;
    uint32_t reserved[11];
};

/* Counts of the headers (time stamps) that accompany messages and collectives. */
struct wf_header_counts {
    uint64_t sent, taken; /* left with what was sent, and found with what was received */
    uint64_t missing;     /* no header was found: the sender is not watched, or its headers found no room */
    uint64_t ambiguous;   /* several messages could have been it */
    uint64_t dropped;     /* found no room at the sender */
};

/* Time in calls that is neither waiting for a known rank nor transfer, in virtual time. */
struct wf_idle_ticks {
    uint64_t polling;     /* asking for what had not come, without a result */
    uint64_t no_core;     /* ready, but another process had the core */
    uint64_t unexplained; /* longer than such a call takes, and no rank is known to be the reason */
};

static inline void wf_idle_ticks_add(struct wf_idle_ticks *sum, const struct wf_idle_ticks *more)
{
    sum->polling += more->polling;
    sum->no_core += more->no_core;
    sum->unexplained += more->unexplained;
}

struct wf_lane_record {
    uint32_t thread_id; /* of the thread that uses the lane, or used it last */
    uint32_t main;      /* 1: the thread that called MPI_Init */
    uint64_t events;    /* calls watched */
    uint64_t mpi_ticks; /* spent in them, between MPI_Init's end and MPI_Finalize's begin */
    uint64_t mpi_virtual_ticks;
    uint32_t current_site; /* the call in which it is now: offset of the site; 0: none */
    uint32_t reserved0;
    uint64_t enter_ticks;     /* when it entered that call */
    uint64_t leave_ticks;     /* when it left the last one */
    uint64_t overhead_ticks;  /* cost of its probes so far */
    uint64_t intrusion_ticks; /* by how much it is later than it would be unwatched, at the end of its last call */
    uint64_t lag_ticks;  /* virtual time less the time on an ideal network: how much later it is because of transfers */
    uint64_t sync_ticks; /* waiting for other ranks, a part of mpi_virtual_ticks */
    uint64_t sync_raw_ticks; /* the same, a part of mpi_ticks */
    uint64_t probes;         /* visits of regions so far */
    struct wf_header_counts headers;
    struct wf_idle_ticks idle;  /* in calls: the rest of mpi_virtual_ticks is transfer */
    uint64_t no_core_ticks;     /* ready but without a core, outside of calls; */
    uint64_t no_core_all_ticks; /* and altogether, also where it waited in calls meanwhile */
    uint64_t reserved1;
};

/* A library may be closed, and another one mapped to its addresses. A record's address is in this module if the
 * module covers it and was not yet closed when the record's chunk began. Of several such modules the first in the
 * file counts. */
struct wf_module_record {
    uint64_t start, end;   /* addresses in the process */
    uint64_t bias;         /* address in the process - address in the file */
    uint64_t closed_bytes; /* used_bytes when it was closed: later chunks do not mean it; 0: it is open */
    uint32_t build_id_bytes;
    uint32_t path_bytes; /* without the terminating 0 */
    unsigned char build_id[64];
    uint64_t reserved[3];
    char path[]; /* with a terminating 0 */
};

struct wf_site_record {
    uint64_t address; /* return address in the process */
    uint32_t module;  /* offset of the module's record; 0: in no module */
    uint16_t call;    /* row of the table of MPI functions */
    uint16_t reserved0;
    uint64_t calls;
    uint64_t ticks_raw;
    uint64_t ticks_virtual;
    uint64_t max_ticks;    /* the longest call */
    uint32_t path_number;  /* of the statement, as a region of the critical path (format/registry.h); 0: it has none */
    uint32_t path_stretch; /* the same of the computing behind it */
    uint64_t reserved1;
    struct wf_idle_ticks idle; /* parts of ticks_virtual */
    uint64_t reserved2[5];
};

struct wf_com_record {
    uint32_t site;   /* offset of the site's record */
    int32_t partner; /* rank in MPI_COMM_WORLD, or WF_PARTNER_* */
    uint64_t num;
    uint64_t bytes;
    uint64_t trans_raw_ticks;
    uint64_t sync_raw_ticks;
    uint64_t trans_virtual_ticks;
    uint64_t sync_virtual_ticks;
};

/* A statement of this lane that waited for `culprit`. */
struct wf_wait_record {
    uint32_t site;   /* offset of the site's record */
    int32_t culprit; /* rank in MPI_COMM_WORLD */
    uint32_t kind;   /* enum wf_wait_kind */
    uint32_t reserved0;
    uint64_t address; /* in the culprit's process: the statement that sent; in a collective, the last statement before
                         it; 0: none */
    uint64_t num;     /* how often */
    uint64_t raw_ticks;
    uint64_t virtual_ticks;
    uint64_t max_virtual_ticks;
    uint64_t passed_ticks; /* of virtual_ticks: while the culprit waited itself. They are in the statement's records of
                              kind WF_WAIT_ROOT, too */
};

/* A statement of this lane that receives from any source, or probes for messages from any source. Other threads of the
 * process may count here, too, under a lock of theirs. */
struct wf_order_record {
    uint32_t site; /* offset of the site's record */
    uint32_t reserved0;
    uint64_t any;                        /* how often it took (or found) a message */
    uint64_t changed;                    /* of these, without monitoring it would have taken another one; */
    uint64_t undecided;                  /* of these, this is not known: a header was missing */
    uint64_t decided;                    /* receives that were held back until the right message was certain; */
    uint64_t otherwise;                  /* of these, the first message to arrive in real time was another one */
    uint64_t held_ticks, held_max_ticks; /* how long receives were held back: the sum, and the longest */
    uint64_t released; /* receives that were held back for the longest time allowed, and let go undecided */
};

enum wf_region_kind {
    WF_REGION_PROCEDURE = 1,
    WF_REGION_LOOP = 2,
    WF_REGION_USER = 3,    /* marked by hand */
    WF_REGION_PHASE = 4,   /* the same, and a phase of the run */
    WF_REGION_COUNTER = 5, /* not a time: values counted by hand */
};

struct wf_region_record {
    uint64_t address; /* of the procedure, where only its address is known (-finstrument-functions); else 0 */
    uint32_t kind;    /* enum wf_region_kind */
    uint32_t line;
    uint32_t name_bytes, file_bytes; /* without the terminating 0s */
    _Atomic uint32_t off; /* 1: switched off during the run, because its visits are too short or too many for their cost
                           */
    uint32_t path_number; /* in the critical path (format/registry.h); 0: it has none */
    uint64_t off_visits, off_ticks; /* the number of visits before that, and their time */
    uint64_t reserved0;
    uint64_t reserved1;
    char text[]; /* name and file, each with a terminating 0 */
};

/* A recursive entry makes no record: its time is part of the entry from outside. */
struct wf_visit_record {
    uint32_t region; /* offset of the region's record */
    uint32_t writers_own;
    uint64_t caller; /* return address of the procedure; 0 for what is not a procedure */
    uint64_t probe;  /* return address of the probe in it: where an inlined procedure was inlined */
    uint64_t num;
    uint64_t ticks_raw; /* including everything inside; of a counter: the sum of its values, the bits of a double */
    uint64_t inner_raw; /* in procedures and MPI calls inside, a part of ticks_raw */
    uint64_t ticks_virtual;
    uint64_t inner_virtual;
};

/* A visit under way: an entry of the shadow stack (struct weft_stack_ of weft/probe.h), of which the outermost ones lie
 * in the segment. An entry that is not used has no start. */
struct wf_open_record {
    uint64_t visit; /* address of its record in the process */
    uint64_t stack;
    uint64_t start;                    /* when the region was entered; 0: it has been left, or never was */
    uint64_t start_virtual;            /* the same without the cost of watching; modulo 2^64 */
    uint64_t inner_raw, inner_virtual; /* of what is no procedure: the visit's when it was entered */
    uint64_t probe;
    uint64_t reserved;
};

/* A struct wf_path follows after WF_SEGMENT_UNIT bytes (format/path.h), and after it, at a multiple of 8 bytes, what
 * its slots stand for on all hosts: uint64_t key[key_count]. Only its thread writes it. */
struct wf_path_record {
    _Atomic uint32_t sequence; /* odd: it is being written. A copy is whole if this was the same and even before and
                                  after copying */
    uint32_t weight;           /* enum wf_path_weight_of: the unit of its times */
    uint32_t state_bytes;      /* of the wf_path */
    uint32_t ended;            /* 1: MPI_Finalize was entered, and all is counted up to there */
    uint64_t start_virtual;    /* when its epoch began in this thread, in virtual ticks */
    uint64_t parts, lost;  /* dependences of calls: how many came with the path of the other side, and how many without
                            */
    uint32_t thread;       /* its number among the process's threads with a path, from 0 */
    uint32_t key_count;    /* 0: all processes are on one host */
    uint64_t stop_virtual; /* when the last epoch ended in this thread, if it was stopped */
    uint64_t beginning;    /* how long it computed before its first call, since the epoch began; as far as that is in
                              no region */
};

enum wf_path_weight_of {
    WF_PATH_ELAPSED = 0, /* ticks of virtual time */
    WF_PATH_CPU = 1,     /* nanoseconds of CPU time */
};

static_assert(sizeof(struct wf_path_record) == WF_SEGMENT_UNIT, "the state begins one unit behind");
static_assert(sizeof(struct wf_segment_header) == 4096, "the header is one page");
static_assert(sizeof(struct wf_chunk) == WF_SEGMENT_UNIT, "records begin one unit behind a chunk");
static_assert(sizeof(struct wf_lane_record) == 3 * WF_SEGMENT_UNIT, "lanes are three units");
static_assert(sizeof(struct wf_wait_record) == 8 * WF_SEGMENT_WORD, "nothing in a wait is unused but what aligns it");
static_assert(sizeof(struct wf_order_record) == 9 * WF_SEGMENT_WORD, "a record begins at a word");
static_assert(sizeof(struct wf_site_record) == 2 * WF_SEGMENT_UNIT, "sites are named by their offset in units");
static_assert(sizeof(struct wf_com_record) == 7 * WF_SEGMENT_WORD, "12,800 of them are 700 KiB");
static_assert(sizeof(struct wf_region_record) == WF_SEGMENT_UNIT, "a region's name begins at a unit");
static_assert(sizeof(struct wf_visit_record) == WF_SEGMENT_UNIT, "visits are one unit");
static_assert(sizeof(struct wf_open_record) == WF_SEGMENT_UNIT, "the shadow stack's entries are one unit");
static_assert(sizeof(struct wf_module_record) == 2 * WF_SEGMENT_UNIT, "a module's path begins at a unit");

#endif
