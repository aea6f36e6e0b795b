/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/address_space.h"

#include <stdlib.h>

void wf_address_space_fini(struct wf_address_space *space)
{
    free(space->spans);
    *space = (struct wf_address_space){0};
}

int wf_address_space_read(struct wf_address_space *space, const struct wf_segment_reader *reader,
                          const struct wf_program *program)
{
    space->count = 0;
    space->spans = calloc(reader->span_count + 1, sizeof *space->spans);
    if (!space->spans)
        return -1;
    for (size_t i = 0; i < reader->span_count; i++) {
        const struct wf_segment_span *span = &reader->spans[i];
        uint32_t module = wf_modules_find(&program->modules, span->module);
        if (module != WF_NO_MODULE)
            space->spans[space->count++] =
                (struct wf_address_span){span->start, span->end, span->module->bias, module};
    }
    return 0;
}

uint32_t wf_address_space_find(const struct wf_address_space *space, const struct wf_program *program,
                               uint64_t address)
{
    size_t low = 0, high = space->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (space->spans[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= space->spans[low - 1].end)
        return WF_NO_ADDRESS;
    const struct wf_address_span *span = &space->spans[low - 1];
    return wf_addresses_find(&program->addresses, span->module, address - span->bias, WF_ADDRESS_STATEMENT);
}
