/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the processes of one host agree on about the critical path, in the registry (format/registry.h): which epoch it
 * is, and which region has which slot.
 */
#ifndef WF_PATH_REGISTRY_H
#define WF_PATH_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "format/path.h"
#include "format/registry.h"

extern struct wf_registry *wf_registry; /* NULL: there is none */

/* Maps the registry of this world and host. `slots`: how many regions have one. Returns 0 or an errno. */
int wf_registry_open(uint32_t slots);

static inline uint32_t wf_registry_epoch(void)
{
    return atomic_load_explicit(&wf_registry->epoch, memory_order_acquire);
}

static inline uint32_t wf_registry_map(void)
{
    uint32_t changes = atomic_load_explicit(&wf_registry->changes, memory_order_acquire);
    return (changes < WF_REGISTRY_LOG ? changes : WF_REGISTRY_LOG) + 1; /* what is there may be anything */
}

/* Does the registry say anything else than a state of this stage (format/path.h)? */
static inline bool wf_registry_differs(uint64_t stage)
{
    return wf_path_stage((const uint32_t *)&wf_registry->epoch) + (UINT64_C(1) << 32) != stage;
}

/* The region's number, the same in all processes of the host, with WF_PATH_STATEMENT; 0: there are too many. `key`
 * tells what it is, the same on all hosts. */
uint32_t wf_registry_region(uint64_t key, bool statement);

/* The slot of a region in a version of the map. A region that has changed its slot since has none. */
uint32_t wf_registry_slot(uint32_t region, uint32_t map);

/* What a region is on all hosts, by its number; and which one that is here. */
uint64_t wf_registry_key(uint32_t number);
uint32_t wf_registry_region_of_key(uint64_t key);

/* Is a region of this name and file to be followed (WEFT_PATH_SELECT)? */
bool wf_registry_selects(const char *name, const char *file);

/* ---- which region has which slot ---- */

/* What makes the next version out of this one. */
struct wf_registry_change wf_registry_change(uint32_t version);

/* Is it this thread's turn to look whether other regions should have slots? There is one turn for all each `pause`, or
 * less often if much has changed already. *next: the time of the next one. */
bool wf_registry_may_look(uint64_t now, uint64_t *next, uint64_t pause);

/* Between begin and end, changes are added one by one, by no other thread. False: another one is at it, or knows a
 * newer map than this; or there is no more room. */
bool wf_registry_change_begin(uint32_t map);
bool wf_registry_change_add(struct wf_registry_change c);
void wf_registry_change_end(void);

#endif
