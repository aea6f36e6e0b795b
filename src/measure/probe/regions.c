/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/probe/regions.h"

#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "base/quiet.h"
#include "measure/guest/settings.h"
#include "measure/probe/costs.h"
#include "measure/probe/api.h"
#include "measure/probe/probe.h"
#include "measure/probe/procedures.h"
#include "measure/process/process.h"
#include "measure/record/lanes.h"
#include "measure/record/module.h"

struct wf_probe_regions wf_probe_regions;

/* ---- which are watched ---- */

static bool region_matches(const char *patterns, const char *name, const char *file)
{
    return wf_pattern_matches(patterns, name, "::") || wf_pattern_matches(patterns, file, "/");
}

bool wf_probe_region_is_wanted(const char *name, const char *other, const char *file)
{
    const char *only = wf_settings.only, *skip = wf_settings.skip;
    if (*only && !region_matches(only, name, file) && !region_matches(only, other, file))
        return false;
    return !region_matches(skip, name, file) && !region_matches(skip, other, file);
}

/* Loops go with the procedure they stand in, whether that has a probe or not. */
static bool region_is_source_wanted(const struct weft_region_ *source)
{
    if (source->kind != WEFT_PROCEDURE_ && source->kind != WEFT_LOOP_)
        return true;
    const char *procedure = source->kind == WEFT_LOOP_ ? source->name + strlen(source->name) + 1 : source->name;
    return wf_probe_region_is_wanted(procedure, procedure, source->file);
}

/* ---- meeting them ---- */

static struct wf_region_record *region_add_record(const struct weft_region_ *source, uintptr_t address)
{
    const char *name = source ? source->name : "", *file = source ? source->file : "";
    size_t name_bytes = strlen(name), file_bytes = strlen(file);
    size_t bytes = sizeof(struct wf_region_record) + name_bytes + file_bytes + 2;
    bytes = (bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    struct wf_chunk *chunk = wf_segment_add(&wf_process.segment, WF_CHUNK_REGION, 0, (uint32_t)bytes, bytes);
    if (!chunk)
        return NULL;
    struct wf_region_record *record = (struct wf_region_record *)(chunk + 1);
    record->address = address;
    record->kind = source ? source->kind : WF_REGION_PROCEDURE;
    wf_lanes.have_procedures = wf_lanes.have_procedures || record->kind == WF_REGION_PROCEDURE;
    record->line = source ? source->line : 0;
    record->name_bytes = (uint32_t)name_bytes;
    record->file_bytes = (uint32_t)file_bytes;
    memcpy(record->text, name, name_bytes + 1);
    memcpy(record->text + name_bytes + 1, file, file_bytes + 1);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    wf_module_find(&wf_process.segment, source ? (uintptr_t)source : address);
    return record;
}

static bool region_is_of(const struct wf_region_record *record, const struct weft_region_ *source)
{
    return record->kind == source->kind && record->line == source->line && strcmp(record->text, source->name) == 0 &&
           strcmp(record->text + record->name_bytes + 1, source->file) == 0;
}

/* A library that was closed and is open again goes on with the regions that it had. */
static struct wf_probe_region *region_find_closed(struct weft_region_ *source)
{
    for (uint32_t i = 1; wf_probe_regions.closed && i < wf_probe_regions.count; i++) {
        struct wf_probe_region *region = &wf_probe_regions.all[i];
        if (region->closed && region_is_of(region->record, source)) {
            wf_module_find(&wf_process.segment, (uintptr_t)source);
            region->source = source;
            region->closed = false;
            wf_probe_regions.closed--;
            return region;
        }
    }
    return NULL;
}

struct wf_probe_region *wf_probe_region_add(struct weft_region_ *source, uintptr_t address)
{
    if (!wf_probe_regions.all) {
        wf_probe_regions.all = wf_memory_pages(WF_MAX_REGIONS * sizeof *wf_probe_regions.all);
        if (!wf_probe_regions.all)
            return NULL;
        wf_probe_costs_calibrate(wf_api_lane());
    }
    struct wf_probe_region *again = source ? region_find_closed(source) : NULL;
    if (again)
        return again;
    uint32_t index = wf_probe_regions.count;
    struct wf_region_record *record = index < WF_MAX_REGIONS ? region_add_record(source, address) : NULL;
    if (!record) {
        atomic_fetch_add(&wf_process.segment.header->dropped_regions, 1);
        return NULL;
    }
    struct wf_probe_region *region = &wf_probe_regions.all[index];
    *region = (struct wf_probe_region){.record = record,
                                       .index = index,
                                       .offset = wf_segment_offset(&wf_process.segment, record),
                                       .source = source,
                                       .address = address};
    wf_probe_regions.count++;
    return region;
}

void wf_probe_region_meet(struct wf_lane *lane, struct weft_region_ *source)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_probe_regions.lock);
    if (source->state == WEFT_REGION_NEW_) {
        struct wf_probe_region *region =
            wf_process.watching && region_is_source_wanted(source) ? wf_probe_region_add(source, 0) : NULL;
        /* This thread has the fast way, unless a test delays probes: the fast way cannot be delayed. */
        if (region && source->kind == WEFT_PROCEDURE_ && wf_clock_is_tsc && !*wf_settings.test_delay)
            region->owner = lane;
        source->weft = region;
        bool on = region && !atomic_load_explicit(&region->record->off, memory_order_relaxed);
        __atomic_store_n(&source->state, on ? WEFT_REGION_ON_ : WEFT_REGION_OFF_, __ATOMIC_RELEASE);
    }
    wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
}

static struct wf_probe_region *region_find_named(const char *name, size_t bytes)
{
    for (uint32_t i = 1; i < wf_probe_regions.count; i++) {
        const struct wf_region_record *record = wf_probe_regions.all[i].record;
        if (record->kind == WF_REGION_USER && record->file_bytes == 0 && record->name_bytes == bytes &&
            memcmp(record->text, name, bytes) == 0)
            return &wf_probe_regions.all[i];
    }
    char copy[256];
    if (bytes >= sizeof copy)
        return NULL;
    memcpy(copy, name, bytes);
    copy[bytes] = '\0';
    return wf_probe_region_add(&(struct weft_region_){.kind = WEFT_USER_, .name = copy, .file = ""}, 0);
}

struct wf_probe_region *wf_probe_region_meet_named(const char *name, size_t bytes)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_probe_regions.lock);
    struct wf_probe_region *region = wf_process.watching ? region_find_named(name, bytes) : NULL;
    if (region)
        region->source = NULL; /* it was only lent */
    wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
    return region;
}

/* ---- libraries that are closed ---- */

void wf_probe_region_end_visit(struct wf_probe_region *region)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_probe_regions.lock);
    if (!wf_probe_regions.closing && region->source && (int64_t)region->source->key < 0)
        region->source->key = ~region->source->key;
    wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
}

bool wf_probe_region_forget_places(const struct wf_lane *lane)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_probe_regions.lock);
    bool able = wf_probe_regions.closing == 0;
    for (uint32_t i = 1; able && i < wf_probe_regions.count; i++) {
        struct wf_probe_region *region = &wf_probe_regions.all[i];
        if (wf_probe_region_has_fast_way(lane, region) && (int64_t)region->source->key >= 0)
            region->source->key = 0;
    }
    wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
    return able;
}

void wf_probe_closing(int more)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_probe_regions.lock);
    wf_probe_regions.closing += (uint32_t)more;
    wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
}

void wf_probe_region_close(struct wf_probe_region *region, uintptr_t start, uintptr_t end)
{
    uintptr_t address = atomic_load_explicit(&region->address, memory_order_relaxed),
              source = (uintptr_t)region->source;
    if (address >= start && address < end)
        atomic_store_explicit(&region->address, UINTPTR_MAX, memory_order_release);
    if (source < start || source >= end)
        return;
    region->source = NULL;
    region->owner = NULL;
    region->closed = true;
    wf_probe_regions.closed++;
}

void wf_probe_module_closed(uintptr_t start, uintptr_t end)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_probe_regions.lock);
    for (uint32_t i = 1; i < wf_probe_regions.count; i++)
        wf_probe_region_close(&wf_probe_regions.all[i], start, end);
    wf_probe_procedures_close(start, end);
    wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
}
