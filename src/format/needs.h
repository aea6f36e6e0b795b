/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process is blocked in, as needs: which ranks have to do something before its call can return. Each thread that
 * makes blocking MPI calls has a publication in its process's box (format/box.h), written at the begin and at the end
 * of each call that may block. Other processes of the host, and `weft` from outside, read it without stopping anything.
 *
 * Only the thread writes. A reader that has seen the same sequence, and a mode other than WF_NEEDS_RUNNING, before and
 * after has read what belongs together (wf_needs_read). The owner may be killed in the middle of a write, and a box may
 * hold anything: what is read is checked.
 *
 * A process that is in MPI_Finalize or has left it satisfies no need any more, but that of another one to finalize.
 */
#ifndef WF_NEEDS_H
#define WF_NEEDS_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wf_needs_mode {
    WF_NEEDS_RUNNING, /* in no call that may block */
    WF_NEEDS_ONE,     /* one need */
    WF_NEEDS_ANY,     /* any one of them ends the call */
    WF_NEEDS_ALL,     /* all of them, as far as they are not satisfied yet: which ones those are is not told */
    WF_NEEDS_OTHER,   /* it may block, but it is not known what for: windows, files, unknown requests */
};

enum wf_need_kind {
    WF_NEED_NOTHING,
    WF_NEED_MESSAGE,    /* from `rank`, or from any member: a receive or a probe */
    WF_NEED_RECEIVER,   /* a send that may wait for its receiver `rank` */
    WF_NEED_COLLECTIVE, /* number `tag` of the communicator, window or file `comm` */
    WF_NEED_FINALIZE,   /* all of the world */
};

/* Of which other members the entry is needed: as enum wf_depends (measure/exchange/depends.h), as far as it matters. */
enum wf_need_members {
    WF_NEED_SOME,  /* of some that have not entered, it is not known of which */
    WF_NEED_EACH,  /* of each */
    WF_NEED_ROOT,  /* of the root; behind that, as WF_NEED_SOME */
    WF_NEED_LOWER, /* of all lower ranks; behind that, as WF_NEED_SOME */
};

#define WF_NEED_ANY_RANK (-1) /* any member of the communicator */
#define WF_NEED_ANY_TAG INT32_MIN
#define WF_NEED_APART (1u << 31)         /* in the number of a collective: it is not in the order of the others */
#define WF_NEED_UNKNOWN_KIB (256u << 10) /* what stands for a message of which the size is not known */
#define WF_NEEDS_ROOM 16u                /* in one call; more than that: WF_NEEDS_OTHER */

struct wf_need {
    _Atomic uint64_t comm; /* the name of its communicator (struct wf_needs_comm); 0: not known */
    _Atomic int32_t rank;  /* in the world, or WF_NEED_ANY_RANK; of a collective: the root's */
    _Atomic int32_t tag;   /* or WF_NEED_ANY_TAG; of a collective: its number, a uint32_t */
    _Atomic uint32_t kind; /* enum wf_need_kind | enum wf_need_members << 8 */
    _Atomic uint32_t kib;  /* about so much is sent */
};

static inline uint32_t wf_need_kind_of(enum wf_need_kind kind, enum wf_need_members members)
{
    return (uint32_t)kind | (uint32_t)members << 8;
}

struct wf_needs {
    _Atomic uint32_t sequence;      /* of blocking calls */
    _Atomic uint32_t mode;          /* enum wf_needs_mode: written last at the begin, first at the end */
    _Atomic uint64_t address;       /* the statement: return address in the process; 0: not known */
    _Atomic uint64_t ticks;         /* the begin of the call, on the process's clock, */
    _Atomic uint64_t virtual_ticks; /* and in virtual time */
    _Atomic uint32_t count;         /* of the needs */
    _Atomic uint32_t call;          /* row of the table of MPI functions */
    struct wf_need need[WF_NEEDS_ROOM];
    _Atomic uint32_t thread_id; /* 0: the thread has ended */
    _Atomic uint32_t next;      /* of the process's publications: offset in the box; 0: there is none */
};

static_assert(sizeof(struct wf_need) == 24 && offsetof(struct wf_needs, need[1]) == 64,
              "a call with one need writes one line");
/* A communicator, window or file on which the process has begun a collective, or was blocked. */
struct wf_needs_comm {
    _Atomic uint64_t comm;    /* its name, the same in all members; 0: the record is not in use */
    _Atomic uint32_t entered; /* so many collectives the process has entered on it; WF_NEEDS_LEFT: it has freed it */
    _Atomic uint32_t next;    /* offset in the box of the next record; 0: there is none */
    _Atomic uint32_t count;   /* of members: ranks of the world in the communicator's order, of both groups of an
                                 intercommunicator; below 0: outside of it */
    uint32_t room;
    _Atomic int32_t ranks[];
};

#define WF_NEEDS_LEFT UINT32_MAX

#define WF_NEEDS_HELPERS 12u

/* What a box has of all this. */
struct wf_needs_area {
    struct wf_needs first;    /* of the first thread that blocks */
    _Atomic uint32_t comms;   /* offset of the first struct wf_needs_comm; 0: there is none yet */
    _Atomic uint32_t lost;    /* something found no room: what the process is blocked in is not known */
    _Atomic uint32_t threads; /* 1: MPI_THREAD_MULTIPLE: others of its threads may be in MPI while one is blocked */
    _Atomic uint32_t helpers; /* so many threads has the MPI library started, */
    _Atomic uint32_t helper[WF_NEEDS_HELPERS]; /* with these ids; of more it is not known */
    _Atomic uint64_t sent_kib; /* so much was sent by nonblocking operations that are not complete; large ones count */
    uint64_t reserved;
};

static_assert(sizeof(struct wf_needs_area) % 64 == 0, "what follows begins at a line");

/* A copy, for readers. */
struct wf_need_copy {
    uint64_t comm;
    int32_t rank, tag;
    uint32_t kind, members, kib;
};

struct wf_needs_copy {
    uint32_t sequence, mode, count, call, thread_id, next;
    uint64_t address, ticks, virtual_ticks;
    struct wf_need_copy need[WF_NEEDS_ROOM];
};

/* False: it was changed meanwhile, or holds what cannot be. */
bool wf_needs_read(const struct wf_needs *needs, struct wf_needs_copy *copy);

#endif
