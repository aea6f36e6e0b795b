/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The box: a file in the run's directory in which a process leaves what others of the same host may read, one for each
 * process:
 *
 *     | wf_box: who, needs, entries into collectives | directory: one offset a rank | rings, replies, snapshots ... |
 *
 * What is added is never given back; at the file's limit there is no more room. The application's messages stay
 * untouched: a header lies here before its message is sent, and the receiver finds out which header is its message's
 * (measure/exchange/match.h).
 *
 * The owner of a box may be killed in the middle of a write. A file may be shorter than it should be, or hold anything.
 * So what is read in another's box is used only where it lies inside that box's file. If one ring does not, none of
 * that box is used.
 *
 * Our own box (wf_own_box) is made and removed by the thread that initialises MPI; room in it is given to any thread.
 * A view of another's box belongs to a link (measure/exchange/link.h).
 */
#ifndef WF_BOX_H
#define WF_BOX_H

#include "base/arena.h"
#include "format/box.h"
#include "measure/clock/shown_clock.h"
#include "measure/exchange/host_clock.h"
#include "measure/exchange/ring.h"
#include "measure/exchange/root_ring.h"
#include "measure/exchange/slots.h"

#define WF_BOX_RETURN 1u

struct wf_box {
    struct wf_box_head head;
    struct wf_shown_clock clock;        /* of the thread that makes the MPI calls, with order control */
    struct wf_shared_reading clocks[2]; /* at start, at the end; of the lowest rank on the host */
    struct wf_slots slots;
    struct wf_slot returned;   /* when it last came back to MPI after long computing: its key is WF_BOX_RETURN */
    struct wf_root_ring roots; /* of its main thread's waits */
};

static_assert(offsetof(struct wf_box, head.needs) % WF_ARENA_UNIT == 0 && WF_BOX_UNIT == WF_ARENA_UNIT &&
                  offsetof(struct wf_box, slots) % WF_ARENA_UNIT == 0 && sizeof(struct wf_box) % WF_ARENA_UNIT == 0,
              "where cache lines begin");

struct wf_own_box {
    struct wf_box *box; /* NULL: there is none */
    struct wf_arena arena;
    struct wf_lock entering; /* for its entries, with MPI_THREAD_MULTIPLE */
    struct wf_lock looking;  /* for others' boxes */
    int32_t rank, size;      /* of the world */
    bool tells_each;         /* readers of our rings say at each header how far they are */
};

extern struct wf_own_box wf_own_box WF_HIDDEN;

/* The launcher's word on this process's rank, or -1. */
int wf_box_rank_before_init(void);

/* Names the box by the rank that the launcher tells, before MPI_Init; so, when MPI_Init has returned, those of all
 * watched ranks are there. Returns 0 or an errno. `rank` < 0: not known yet, nothing happens. */
int wf_box_create(int rank);

/* MPI_Init has told rank and size. Also creates the box if it is not there yet. Returns 0 or an errno: nothing is sent
 * then. */
int wf_box_start(int rank, int size);

/* No other process uses it yet. */
void wf_box_remove(void);

static inline void *wf_box_at(const struct wf_box *box, uint32_t offset)
{
    return (char *)(uintptr_t)box + (uint64_t)offset * WF_ARENA_UNIT;
}

/* Room in our own box: its offset; 0: there is none. */
uint32_t wf_box_allocate(uint64_t bytes);

/* A ring for rank `to`, or a larger one behind that. False: no room. With the writer's lock. */
bool wf_box_grow(struct wf_ring_writer *w, int32_t to);

/* Room for the replies to what is in a ring; before the first that wants one is sent. */
bool wf_box_add_replies(struct wf_ring *ring);

/* ---- others' boxes ---- */

enum wf_box_where {
    WF_BOX_HERE,    /* on this host, as far as is known */
    WF_BOX_FAR,     /* on another host, whose ranks are reached by messages */
    WF_BOX_MISSING, /* the rank is not watched, or on a host that is not reached */
};

struct wf_box_view {
    _Atomic(const struct wf_box *) box; /* NULL: not opened yet */
    _Atomic uint32_t units;             /* of it that are there, when we last looked */
    uint16_t looks;                     /* at a box that is not one yet */
    _Atomic uint8_t where;              /* enum wf_box_where */
    _Atomic bool refused;               /* it is not what it should be: no ring of it is used */
};

/* Maps the box of this rank, unless that is done; NULL: it is not there, or not yet. Any thread. */
const struct wf_box *wf_box_open(struct wf_box_view *v, int32_t rank);

static inline const struct wf_box *wf_box_in(struct wf_box_view *v, int32_t rank)
{
    const struct wf_box *box = atomic_load_explicit(&v->box, memory_order_acquire);
    return __builtin_expect(box != NULL, 1) ? box : wf_box_open(v, rank);
}

/* So much of it, from this offset on, is there to be read. */
bool wf_box_reaches(struct wf_box_view *v, int32_t rank, uint64_t bytes);
static inline bool wf_box_has(struct wf_box_view *v, int32_t rank, uint32_t offset, uint64_t bytes)
{
    uint64_t end = (uint64_t)offset * WF_ARENA_UNIT + bytes;
    return __builtin_expect(end <= (uint64_t)wf_get(v->units) * WF_ARENA_UNIT, 1) || wf_box_reaches(v, rank, end);
}

/* Lets the reader go on to the ring in which this rank's next record for us may be; false: there is none (yet). */
bool wf_box_follow(struct wf_box_view *v, int32_t rank, struct wf_ring_reader *r);

#endif
