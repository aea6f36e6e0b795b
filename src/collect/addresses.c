/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/addresses.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

/* No padding: its bytes are the key. */
struct address_key {
    uint64_t offset;
    uint32_t module;
    uint32_t procedure; /* 1: where one begins */
};

static_assert(sizeof(struct address_key) == 16, "keys are compared as bytes");

void wf_addresses_fini(struct wf_addresses *addresses)
{
    free(addresses->items);
    free(addresses->frames);
    wf_intern_fini(&addresses->keys);
    *addresses = (struct wf_addresses){0};
}

size_t wf_addresses_count(const struct wf_addresses *addresses)
{
    return addresses->keys.count;
}

uint32_t wf_addresses_add(struct wf_addresses *addresses, uint32_t module, uint64_t offset, enum wf_address_use use)
{
    struct address_key key = {offset, module, use == WF_ADDRESS_PROCEDURE};
    struct wf_address address = {.offset = offset, .module = module};
    uint32_t number = WF_INTERN_ADD_ITEM(&addresses->keys, &key, addresses->items, addresses->capacity, &address);
    if (number == WF_INTERN_NONE)
        return WF_NO_ADDRESS;
    addresses->items[number].uses |= use;
    return number;
}

uint32_t wf_addresses_find(const struct wf_addresses *addresses, uint32_t module, uint64_t offset,
                           enum wf_address_use use)
{
    struct address_key key = {offset, module, use == WF_ADDRESS_PROCEDURE};
    return wf_intern_find(&addresses->keys, &key, sizeof key);
}

/* ---- looking up ---- */

struct address_look_up {
    struct wf_addresses *addresses;
    struct wf_address *address;
    struct wf_intern *texts;
    const struct wf_modules *modules;
    struct wf_procedures *procedures;
};

static int addresses_add_frame(void *context, const struct wf_location *location)
{
    struct address_look_up *l = context;
    struct wf_addresses *addresses = l->addresses;
    struct wf_address_frame frame = {.file = WF_INTERN_NONE, .full_file = WF_INTERN_NONE};
    if (WF_ARRAY_RESERVE(addresses->frames, addresses->frame_capacity, addresses->frame_count + 1) != 0)
        return -1;
    if (wf_procedures_add_located(l->procedures, l->texts, l->modules, l->address->module, location,
                                  &frame.procedure) != 0)
        return -1;
    frame.inlined = location->inlined;
    if (location->file) {
        frame.file = wf_intern_add_text(l->texts, location->file);
        frame.full_file = wf_intern_add_text(l->texts, location->full_file);
        frame.line = (uint32_t)location->line;
        if (frame.file == WF_INTERN_NONE || frame.full_file == WF_INTERN_NONE)
            return -1;
    }
    addresses->frames[addresses->frame_count++] = frame;
    l->address->frame_count++;
    return 0;
}

int wf_addresses_look_up(struct wf_addresses *addresses, uint32_t number, struct wf_resolver *resolver,
                         struct wf_intern *texts, const struct wf_modules *modules, struct wf_procedures *procedures)
{
    struct wf_address *address = &addresses->items[number];
    struct address_look_up l = {addresses, address, texts, modules, procedures};
    struct wf_location location = {0};
    address->first_frame = addresses->frame_count;
    address->frame_count = 0;
    if (!resolver)
        return addresses_add_frame(&l, &location);
    if (!(address->uses & WF_ADDRESS_PROCEDURE))
        return wf_resolver_walk(resolver, address->offset, addresses_add_frame, &l);
    wf_resolver_locate_procedure(resolver, address->offset, &location);
    return addresses_add_frame(&l, &location);
}

const struct wf_address_frame *wf_addresses_frames(const struct wf_addresses *addresses, uint32_t number, size_t *count)
{
    *count = addresses->items[number].frame_count;
    return addresses->frames + addresses->items[number].first_frame;
}
