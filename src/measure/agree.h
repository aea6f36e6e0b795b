/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the processes of one host agree on about the critical path, in the registry (format/registry.h): which epoch it is, and which slot a region has
 * in it.
 */
#ifndef WF_AGREE_H
#define WF_AGREE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/path.h"
#include "format/registry.h"

extern struct wf_registry *wf_registry; /* NULL: there is none */

/* Maps the registry of this world and host. `slots`: how many regions are told apart. Returns 0 or an errno. */
int wf_agree_start(uint32_t slots);

static inline uint32_t wf_agree_epoch(void)
{
    return atomic_load_explicit(&wf_registry->epoch, memory_order_acquire);
}

/* The region's number + 1, the same in all processes; 0: there are too many. `key` tells what it is, the same in all processes. */
uint32_t wf_agree_number(uint64_t key);

/* The slot of a region in an epoch; `number` as above. Where the epoch's buckets are gone already, WF_PATH_OTHER. */
uint32_t wf_agree_slot(uint32_t number, uint32_t epoch);

/* What a slot stands for on all hosts, as long as nothing is refined; and the slot of that here. What has no slot of its own is the same everywhere. */
uint64_t wf_agree_key(uint32_t slot);
uint32_t wf_agree_slot_of(uint64_t key);

/* Is a region of this name and file to be followed (WEFT_PATH_SELECT)? */
bool wf_agree_selects(const char *name, const char *file);

/* More regions than slots? Then this is the leader's to call, now and then: with what the buckets had of the path it asks for an epoch of better
 * ones. */
void wf_agree_refine(const int64_t *shares, uint32_t epoch);
bool wf_agree_is_leader(void);

/* A key from what tells regions apart. */
static inline uint64_t wf_agree_mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 29;
}

uint64_t wf_agree_mix_text(uint64_t key, const void *text, size_t bytes);

#endif
