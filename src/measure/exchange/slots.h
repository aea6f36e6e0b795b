/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The entries of one process into collectives, for the other members to read: each in a slot that the communicator and
 * the collective's number choose. A slot is used again and again; a reader checks that it still is what it looks for.
 * One thread writes at a time; any process reads.
 */
#ifndef WF_SLOTS_H
#define WF_SLOTS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/line.h"
#include "measure/exchange/stamp.h"

#define WF_SLOTS 128u     /* a member may be that many collectives of one communicator ahead of another; */
#ifndef WF_SLOT_GROUPS    /* a test has few */
#define WF_SLOT_GROUPS 8u /* and threads use several communicators at once: each has one of so many groups of slots */
#endif

struct wf_slot {
    _Atomic uint64_t key; /* of communicator and number; 0: none yet */
    struct wf_shared_stamp stamp;
    _Atomic uint64_t address;     /* the communication statement before */
    _Atomic uint32_t path;        /* the member's snapshot, in its box; 0: none */
    _Atomic uint32_t sequence;    /* odd: being written. A reader that finds it the same, and even, before and after has
                                     read what belongs together */
    _Atomic uint64_t path_ticket; /* as of a reply; 0: it is not overwritten before all have read it */
    _Atomic uint32_t known;       /* as of a header */
    uint32_t reserved;
};

static_assert(sizeof(struct wf_slot) == 64, "a cache line each");

struct wf_slots {
    struct wf_slot slot[WF_SLOT_GROUPS * WF_SLOTS];
};

struct wf_entry { /* of a member */
    struct wf_stamp stamp;
    uint64_t address, path_ticket;
    uint32_t path, known;
};

static inline uint64_t wf_slot_key(uint64_t comm, uint32_t number)
{
    uint64_t key = (comm + number) * 0x9E3779B97F4A7C15u;
    return key ? key : 1;
}

static inline uint32_t wf_slot_of(uint64_t comm, uint32_t number)
{
    return ((uint32_t)(comm >> 32) & (WF_SLOT_GROUPS - 1)) * WF_SLOTS + (number & (WF_SLOTS - 1));
}

static inline void wf_slot_write(struct wf_slot *slot, uint64_t key, const struct wf_entry *e)
{
    uint32_t sequence = wf_get(slot->sequence) | 1; /* odd already: a thread was killed while it wrote here */
    wf_set(slot->sequence, sequence);
    atomic_thread_fence(memory_order_release);
    wf_set(slot->key, key);
    wf_shared_stamp_write(&slot->stamp, &e->stamp);
    wf_set(slot->address, e->address);
    wf_set(slot->path, e->path);
    wf_set(slot->path_ticket, e->path_ticket);
    wf_set(slot->known, e->known);
    atomic_store_explicit(&slot->sequence, sequence + 1, memory_order_release);
    wf_line_hand_over(slot);
}

/* False: the slot has another key. */
static inline bool wf_slot_read(const struct wf_slot *slot, uint64_t key, struct wf_entry *e)
{
    uint32_t sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
    if (sequence & 1 || wf_get(slot->key) != key)
        return false;
    wf_shared_stamp_read(&e->stamp, &slot->stamp);
    e->address = wf_get(slot->address);
    e->path = wf_get(slot->path);
    e->path_ticket = wf_get(slot->path_ticket);
    e->known = wf_get(slot->known);
    atomic_thread_fence(memory_order_acquire);
    return wf_get(slot->sequence) == sequence;
}

/* Enters collective number `number` of a communicator. */
static inline void wf_slots_enter(struct wf_slots *slots, uint64_t comm, uint32_t number, const struct wf_entry *e)
{
    wf_slot_write(&slots->slot[wf_slot_of(comm, number)], wf_slot_key(comm, number), e);
    wf_line_expect_write(&slots->slot[wf_slot_of(comm, number + 1)]);
}

/* When the member entered it; false: it has not, or so long ago that it is overwritten. */
static inline bool wf_slots_entered(const struct wf_slots *slots, uint64_t comm, uint32_t number, struct wf_entry *e)
{
    return wf_slot_read(&slots->slot[wf_slot_of(comm, number)], wf_slot_key(comm, number), e);
}

#endif
