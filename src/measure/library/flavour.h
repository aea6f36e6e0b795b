/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What differs between the MPI libraries beyond what mpi.h hides: inside of MPI_Status, sizes of predefined datatypes,
 * the name; and their launchers: whether to ask for the name of the world before MPI is initialised.
 */
#ifndef WF_FLAVOUR_H
#define WF_FLAVOUR_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/library/real.h"

#if defined(OPEN_MPI)

static inline uint64_t wf_status_bytes(const MPI_Status *status)
{
    return status->_ucount;
}

static inline bool wf_status_cancelled(const MPI_Status *status)
{
    return status->_cancelled != 0;
}

#define WF_ISENDRECV_HAS_STATUS 1
#define WF_WAITALL_SETS_ERRORS 0 /* no other than Testall does */

/* Predefined datatypes are objects of the library; their sizes are kept in a table made once MPI is initialised.
 * Derived ones come and go at the same addresses, so they are asked each time. */
#define WF_TYPE_SLOTS 256
struct wf_type_slot {
    MPI_Datatype type;
    uint64_t bytes;
};
extern struct wf_type_slot wf_type_slots[WF_TYPE_SLOTS];

static inline uint32_t wf_type_slot(MPI_Datatype type)
{
    return (uint32_t)(((uintptr_t)type * 0x9E3779B97F4A7C15u) >> 56);
}

/* 0: it is none of them, or of no size. Any value may be asked for. */
static inline uint64_t wf_type_bytes_predefined(MPI_Datatype type)
{
    const struct wf_type_slot *slot = &wf_type_slots[wf_type_slot(type)];
    return slot->type == type ? slot->bytes : 0;
}

static inline uint64_t wf_type_bytes(MPI_Datatype type)
{
    const struct wf_type_slot *slot = &wf_type_slots[wf_type_slot(type)];
    if (__builtin_expect(slot->type == type, 1))
        return slot->bytes;
    int bytes = 0;
    wf_real.Type_size(type, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

#elif defined(MPICH_VERSION) || defined(MPICH)

static inline uint64_t wf_status_bytes(const MPI_Status *status)
{
    return (uint64_t)(unsigned)status->count_hi_and_cancelled >> 1 << 32 | (unsigned)status->count_lo;
}

static inline bool wf_status_cancelled(const MPI_Status *status)
{
    return status->count_hi_and_cancelled & 1;
}

#define WF_WAITALL_SETS_ERRORS 1  /* of its statuses when all is well, which Testall does not */
#define WF_ISENDRECV_HAS_STATUS 0 /* MPICH 4.0 leaves there what an earlier request had: the posted size has to do */

/* The handle of a predefined datatype holds its size: part of the ABI that MPICH and its relatives agreed on. 0: it is
 * none of them. */
static inline uint64_t wf_type_bytes_predefined(MPI_Datatype type)
{
    return ((unsigned)type & 0xc0000000u) == 0x40000000u ? (unsigned)type >> 8 & 0xffu : 0;
}

static inline uint64_t wf_type_bytes(MPI_Datatype type)
{
    if (__builtin_expect(((unsigned)type & 0xc0000000u) == 0x40000000u, 1))
        return (unsigned)type >> 8 & 0xffu;
    int bytes = 0;
    wf_real.Type_size(type, &bytes);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

#else
#error "This mpi.h is neither Open MPI's nor MPICH's."
#endif

/* "Open MPI 4.1.4", "MPICH 4.0.2": the first words of what the library says of itself. */
void wf_flavour_name(char *text, size_t bytes);

/* MPI is initialised: what is known of predefined datatypes. */
void wf_types_init(void);

/* Before MPI is initialised: the launcher is asked for what the environment does not tell. */
void wf_flavour_ask_world(void);

#endif
