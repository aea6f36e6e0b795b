/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/pending.h"

#define CANNOT_SEE 0u

/* NULL: it does not lie inside the box. */
static struct wf_ring *pending_ring(struct wf_link *link, const struct wf_box *box, uint32_t offset)
{
    int32_t rank = wf_link_rank(link);
    if (!wf_box_has(&link->view, rank, offset, sizeof(struct wf_ring)))
        return NULL;
    struct wf_ring *ring = wf_box_at(box, offset);
    uint64_t capacity = ring->capacity;
    bool is_one = capacity >= 2 && !(capacity & (capacity - 1));
    return is_one && wf_box_has(&link->view, rank, offset, wf_ring_bytes(capacity)) ? ring : NULL;
}

/* The offset of a sender's first ring for a receiver; 0: there is none. */
static uint32_t pending_first_ring(struct wf_link *link, const struct wf_box *box, int32_t to)
{
    uint32_t directory = atomic_load_explicit(&box->head.directory, memory_order_acquire);
    uint64_t bytes = (uint64_t)wf_own_box.size * sizeof(uint32_t);
    if (!directory || !wf_box_has(&link->view, wf_link_rank(link), directory, bytes))
        return 0;
    _Atomic uint32_t *offsets = wf_box_at(box, directory);
    return atomic_load_explicit(&offsets[to], memory_order_acquire);
}

/* From record *number on; *number is the first one that is not there. */
static uint64_t pending_in_ring(struct wf_ring *ring, uint32_t *number, uint64_t comm, int32_t tag)
{
    for (uint32_t left = ring->capacity; left > 0; left--, ++*number) {
        const struct wf_record *record = wf_ring_record(ring, *number);
        if (atomic_load_explicit(&record->number, memory_order_acquire) != *number + 1)
            break;
        if (wf_header_fits(record, comm, tag))
            return wf_get(record->stamp.virt);
    }
    return UINT64_MAX;
}

uint64_t wf_pending_first(int32_t from, int32_t to, uint64_t comm, int32_t tag)
{
    struct wf_link *link = wf_link_to(from);
    const struct wf_box *box = wf_link_is_local(link) ? wf_box_in(&link->view, from) : NULL;
    if (!box)
        return CANNOT_SEE;
    uint32_t offset = pending_first_ring(link, box, to), number = 0;
    for (bool started = false; offset;) {
        struct wf_ring *ring = pending_ring(link, box, offset);
        if (!ring)
            return CANNOT_SEE;
        uint32_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
        uint32_t next = atomic_load_explicit(&ring->next, memory_order_acquire);
        bool done = next && taken == wf_get(ring->full_at); /* by its reader, which goes on in the next one */
        if (!done) {
            number = started ? number : taken;
            started = true;
            uint64_t virt = pending_in_ring(ring, &number, comm, tag);
            if (virt != UINT64_MAX)
                return virt;
        }
        offset = next > offset && (done || number == wf_get(ring->full_at)) ? next : 0;
    }
    return UINT64_MAX;
}
