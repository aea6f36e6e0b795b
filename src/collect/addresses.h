/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The addresses that the segments name, and what is found there. Addresses differ from process to process (ASLR): here
 * one is a module and an address in the module's file, so that each is looked up once for all ranks. The collected
 * program owns them.
 */
#ifndef WF_COLLECT_ADDRESSES_H
#define WF_COLLECT_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "collect/modules.h"
#include "collect/procedures.h"
#include "collect/resolve.h"

#define WF_NO_ADDRESS UINT32_MAX

/* What an address is used for; one may have several uses. */
enum wf_address_use {
    WF_ADDRESS_STATEMENT = 1, /* return address of an MPI call */
    WF_ADDRESS_CALLER = 2,    /* return address of an instrumented procedure */
    WF_ADDRESS_PROBE = 4,     /* return address of a probe */
    WF_ADDRESS_PROCEDURE = 8, /* where a procedure begins */
};

/* A statement at an address. An address has several where procedures are inlined: the innermost one comes first. */
struct wf_address_frame {
    uint32_t file, full_file; /* in texts; WF_INTERN_NONE: no line information */
    uint32_t line;
    uint32_t procedure; /* the one that it stands in; WF_NO_PROCEDURE: not known */
    bool inlined;       /* that procedure is inlined in the one of the next frame */
};

struct wf_address {
    uint64_t offset;
    uint32_t module; /* WF_NO_MODULE: in none, and so unknown */
    uint32_t uses;   /* enum wf_address_use */
    size_t first_frame;
    uint32_t frame_count; /* 0: not looked up */
};

struct wf_addresses {
    struct wf_intern keys; /* numbers as in items */
    struct wf_address *items;
    size_t capacity;
    struct wf_address_frame *frames;
    size_t frame_count, frame_capacity;
};

/* A zeroed struct is an empty one. */
void wf_addresses_fini(struct wf_addresses *addresses);

/* Both return its number; WF_NO_ADDRESS: out of memory, or not there. The beginning of a procedure is never the same as
 * a return address. */
uint32_t wf_addresses_add(struct wf_addresses *addresses, uint32_t module, uint64_t offset, enum wf_address_use use);
uint32_t wf_addresses_find(const struct wf_addresses *addresses, uint32_t module, uint64_t offset,
                           enum wf_address_use use);

size_t wf_addresses_count(const struct wf_addresses *addresses);

/* Looks one up; without a resolver there is one frame that knows nothing. Returns 0, or -1 without memory. */
int wf_addresses_look_up(struct wf_addresses *addresses, uint32_t number, struct wf_resolver *resolver,
                         struct wf_intern *texts, const struct wf_modules *modules, struct wf_procedures *procedures);

const struct wf_address_frame *wf_addresses_frames(const struct wf_addresses *addresses, uint32_t number,
                                                   size_t *count);

#endif
