/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is known of the operations under way: which statement started them, with whom. Any thread; an operation may be
 * started by one thread and completed by another.
 *
 * A handle is no name: sends that are complete at once all share one, and a freed handle comes back. Among several
 * operations with one handle that one is taken which was started with the same request variable, else the oldest. So
 * they are kept in queues by a hash of the handle, in order of their starts: base/table.h, with its one thing for each
 * key, has no order.
 *
 * One lock for all, taken only where the program has several threads. A signal handler does not get here
 * (measure/guest/guard.h).
 */
#ifndef WF_REQUEST_H
#define WF_REQUEST_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/exchange/comm.h"

enum wf_request_kind {
    WF_REQUEST_SEND,    /* counted where it started */
    WF_REQUEST_RECEIVE, /* from whom and how much is known when it is complete */
    WF_REQUEST_OTHER,   /* collective, one-sided: counted where it started */
    WF_REQUEST_IO,      /* counted where it started, the bytes when it is complete */
    WF_REQUEST_MESSAGE, /* a matched message, between its probe and its receive */
};

struct wf_request {
    uintptr_t handle;
    const void *variable;   /* where the application keeps the handle */
    uintptr_t address;      /* the statement that started it */
    struct wf_group *ranks; /* of a receive from any source; NULL: the partner is known */
    uintptr_t made;         /* the communicator that a collective makes; 0: none */
    uint64_t bytes;
    uint64_t ticks, ticks_virtual; /* spent in the starting call, not counted yet because the partner is not known */
    uint64_t comm; /* its name in headers, 0: none go with it; of a collective that makes one, what that one's begins
                      with */
    struct wf_posted *posted; /* of a receive under way: what will find its header */
    struct wf_ring *ring;     /* of a send under way that may wait for its receiver: where the reply will be, */
    uint32_t record;          /* and for which record; of a collective: its number on the communicator */
    uint32_t planned, starts; /* of a persistent collective: which of its communicator, and how often it was started */
    int32_t tag;
    int32_t partner;
    int32_t root;  /* of a collective, in the world */
    uint8_t waits; /* enum wf_depends, of a collective */
    uint8_t flags; /* enum wf_header_flags, of a send */
    uint16_t call; /* of the statement that started it */
    uint8_t kind;
    bool partitioned; /* then comm is the name of the pair of requests that belong together */
    bool persistent;
    bool active; /* of a persistent one: started and not complete; an inactive one may be waited for, and nothing
                    happens */
};

/* Copies *request into the table. False: there is no room (counted); its `ranks` are dropped then. */
bool wf_request_add(const struct wf_request *request);

/* Finds the request that `handle`, kept at `variable`, stands for and copies it to *request; takes it out of the table
 * unless it is persistent, which is inactive from then on. Matched messages are told apart from requests. */
bool wf_request_take(uintptr_t handle, const void *variable, bool message, struct wf_request *request);

/* The same without taking it. False: it is not under way, or nothing is known of it. */
bool wf_request_look(uintptr_t handle, const void *variable, struct wf_request *request);

/* What is known of a persistent request that is about to be started. False: nothing. */
bool wf_request_persistent(uintptr_t handle, struct wf_request *request);

/* It is started: keeps what `started` says of where, and of what goes with it. */
void wf_request_started(uintptr_t handle, const struct wf_request *started);

/* The request is freed: forgets it, persistent or not. */
void wf_request_forget(uintptr_t handle, const void *variable);

#endif
