/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs without MPI: what measure/exchange/link.c asks for ranks of other hosts, of which there are none.
 */
#include <stddef.h>

#include "measure/exchange/remote.h"

bool wf_remote_is_far(int32_t rank)
{
    return (void)rank, false;
}
bool wf_remote_takes(int32_t rank)
{
    return (void)rank, false;
}
void wf_remote_end(int32_t to)
{
    (void)to;
}
void wf_remote_enter(int32_t to, struct wf_remote_entry *entry)
{
    (void)to, (void)entry;
}
void wf_remote_end_entry(const struct wf_remote_entry *entry)
{
    (void)entry;
}
void wf_remote_pump(void)
{
}
void wf_remote_pump_seldom(void)
{
}
void wf_remote_retract(int32_t to, uint32_t number)
{
    (void)to, (void)number;
}
void wf_remote_skip(int32_t from, uint64_t comm, int32_t tag)
{
    (void)from, (void)comm, (void)tag;
}
bool wf_remote_await(int32_t from, int64_t *since)
{
    return (void)from, (void)since, false;
}
uint32_t wf_remote_taken(int32_t from)
{
    return (void)from, 0;
}
struct wf_record *wf_remote_peek(int32_t from)
{
    return (void)from, NULL;
}
struct wf_ring *wf_remote_replies(int32_t to)
{
    return (void)to, NULL;
}
struct wf_shown *wf_remote_shown(int32_t rank, uint32_t offset)
{
    return (void)rank, (void)offset, NULL;
}

uint32_t wf_remote_take(int32_t from, struct wf_record *record, struct wf_header *h)
{
    return (void)from, (void)record, (void)h, 0;
}

struct wf_record *wf_remote_put(int32_t to, uint32_t number, const struct wf_header *h, struct wf_feed *feed,
                                uint64_t since)
{
    return (void)to, (void)number, (void)h, (void)feed, (void)since, NULL;
}

void wf_remote_reply(int32_t to, uint32_t number, const struct wf_stamp *begin, uint64_t address)
{
    (void)to, (void)number, (void)begin, (void)address;
}

void wf_remote_begin_entry(struct wf_remote_entry *entry, uint64_t comm, uint32_t number, const struct wf_entry *e)
{
    (void)entry, (void)comm, (void)number, (void)e;
}

void wf_remote_await_reply(struct wf_ring *ring, uint32_t number, uint64_t ticks)
{
    (void)ring, (void)number, (void)ticks;
}

bool wf_remote_entered(int32_t rank, uint64_t comm, uint32_t number, struct wf_entry *e)
{
    return (void)rank, (void)comm, (void)number, (void)e, false;
}

bool wf_remote_await_entry(int32_t rank, uint64_t comm, uint32_t number)
{
    return (void)rank, (void)comm, (void)number, false;
}
