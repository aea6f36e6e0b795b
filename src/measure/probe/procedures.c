/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/probe/procedures.h"

#include "base/memory.h"
#include "base/quiet.h"
#include "base/table.h"
#include "measure/guest/child.h"
#include "measure/guest/guard.h"
#include "measure/guest/settings.h"
#include "measure/probe/costs.h"
#include "measure/probe/api.h"
#include "measure/probe/regions.h"
#include "measure/probe/stack.h"
#include "measure/probe/symbol.h"
#include "measure/process/process.h"
#include "measure/record/module.h"

/* More than there can be: twice as many regions, chosen or left out. */
#define PROCEDURE_SLOTS (4u * WF_MAX_REGIONS)

/* Open addressing by wf_hash of the address. No wf_table, which moves when it grows: this is read without a lock. */
static struct {
    struct wf_probe_region *_Atomic *slots; /* [PROCEDURE_SLOTS], address space only */
    struct wf_probe_region *unwanted;       /* [WF_MAX_REGIONS]: those that patterns leave out */
    uint32_t unwanted_count;
} procedures;

/* The compiler's probes know an address only. Its name is looked up where the run chooses by names. */
static bool procedure_is_wanted(uintptr_t address)
{
    if (!*wf_settings.only && !*wf_settings.skip)
        return true;
    char plain[256];
    uint32_t module = wf_module_find(&wf_process.segment, address);
    const char *name = module ? wf_symbol_find(&wf_process.segment, module, address) : "";
    wf_symbol_plain(name, plain, sizeof plain);
    return wf_probe_region_is_wanted(
        name, plain, module ? ((const struct wf_module_record *)wf_segment_at(&wf_process.segment, module))->path : "");
}

/* With the lock held: a procedure that patterns leave out. All of them share one record, which says that they are
 * switched off, and no lane has room for them. */
static struct wf_probe_region *procedure_add_unwanted(uintptr_t address)
{
    static struct wf_region_record record = {.kind = WF_REGION_PROCEDURE, .off = 1};
    if (!procedures.unwanted)
        procedures.unwanted = wf_memory_pages(WF_MAX_REGIONS * sizeof *procedures.unwanted);
    if (!procedures.unwanted || procedures.unwanted_count == WF_MAX_REGIONS)
        return NULL;
    struct wf_probe_region *region = &procedures.unwanted[procedures.unwanted_count++];
    *region = (struct wf_probe_region){.record = &record, .index = UINT32_MAX, .address = address};
    return region;
}

/* Looks from this slot on; *slot: where it is, or where it would be. */
static struct wf_probe_region *procedure_look_up(uintptr_t address, uint32_t *slot)
{
    struct wf_probe_region *r;
    while ((r = atomic_load_explicit(&procedures.slots[*slot], memory_order_acquire)) &&
           atomic_load_explicit(&r->address, memory_order_relaxed) != address)
        *slot = (*slot + 1) % PROCEDURE_SLOTS;
    return r;
}

void wf_probe_procedures_close(uintptr_t start, uintptr_t end)
{
    for (uint32_t i = 0; i < procedures.unwanted_count; i++)
        wf_probe_region_close(&procedures.unwanted[i], start, end);
}

static struct wf_probe_region *procedure_meet(uintptr_t address)
{
    struct wf_quiet quiet;
    struct wf_probe_region *r = NULL;
    uint64_t begin = wf_clock_ticks();
    wf_process_open();
    struct wf_lane *lane = wf_api_lane();
    wf_quiet_lock(&quiet, &wf_probe_regions.lock);
    if (!procedures.slots)
        procedures.slots = wf_memory_pages(PROCEDURE_SLOTS * sizeof *procedures.slots);
    uint32_t slot = wf_hash(address) % PROCEDURE_SLOTS;
    if (procedures.slots && lane && !(r = procedure_look_up(address, &slot))) {
        r = procedure_is_wanted(address) ? wf_probe_region_add(NULL, address) : procedure_add_unwanted(address);
        atomic_store_explicit(&procedures.slots[slot], r, memory_order_release);
    }
    wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
    if (lane)
        wf_lane_charge(lane, begin);
    return r;
}

static struct wf_probe_region *procedure_find(uintptr_t address)
{
    uint32_t slot = wf_hash(address) % PROCEDURE_SLOTS;
    struct wf_probe_region *r =
        __atomic_load_n(&procedures.slots, __ATOMIC_ACQUIRE) ? procedure_look_up(address, &slot) : NULL;
    return r ? r : procedure_meet(address);
}

__attribute__((visibility("default"))) void __cyg_profile_func_enter(void *function, void *caller);
__attribute__((visibility("default"))) void __cyg_profile_func_exit(void *function, void *caller);

/* A recursive entry is only counted, so that its exit can be told from that of the entry on the stack. */
static void procedure_enter(uintptr_t function, uintptr_t frame, uintptr_t caller, uintptr_t probe)
{
    if (weft_tls.lane && wf_api_attend(weft_tls.lane))
        return;
    struct wf_probe_region *region = procedure_find(function);
    if (!region || atomic_load_explicit(&region->record->off, memory_order_relaxed))
        return;
    struct wf_lane *lane = wf_api_lane();
    if (lane && !wf_api_attend(lane) && !wf_stack_push(lane, region, frame, caller, probe) &&
        region->index < lane->region_slots && lane->regions[region->index].active)
        lane->regions[region->index].active++;
}

static void procedure_leave(uintptr_t function, uint64_t now)
{
    struct wf_lane *lane = weft_tls.lane;
    struct wf_probe_region *region = lane && lane->probes.top > lane->stack ? procedure_find(function) : NULL;
    if (!region || region->index >= lane->region_slots || !lane->regions[region->index].active)
        return; /* its entry was not recorded */
    if (--lane->regions[region->index].active > 0)
        return;
    lane->regions[region->index].active = 1;
    wf_stack_leave(lane, region, now, wf_probe_costs.inner);
}

/* glibc has empty functions of these names, for programs that run without weft. */
void __cyg_profile_func_enter(void *function, void *caller)
{
    struct wf_guard guard;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    procedure_enter((uintptr_t)function, (uintptr_t)__builtin_frame_address(0), (uintptr_t)caller,
                    (uintptr_t)__builtin_return_address(0));
    wf_guard_leave(&guard);
}

void __cyg_profile_func_exit(void *function, void *caller)
{
    struct wf_guard guard;
    uint64_t now = wf_clock_ticks();
    (void)caller;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    procedure_leave((uintptr_t)function, now);
    wf_guard_leave(&guard);
}
