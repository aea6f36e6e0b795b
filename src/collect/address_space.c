/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/address_space.h"

void wf_address_space_fini(struct wf_address_space *space)
{
    wf_mappings_fini(&space->modules);
}

int wf_address_space_read(struct wf_address_space *space, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_MODULE);
    space->modules.count = 0;
    for (const struct wf_module_record *module; (module = wf_segment_records_next(&records));) {
        uint32_t number = wf_modules_find(&program->modules, module);
        struct wf_mapping mapping = {.start = module->start,
                                     .end = module->end,
                                     .closed_bytes = module->closed_bytes,
                                     .bias = module->bias,
                                     .module = number};
        if (number != WF_NO_MODULE && wf_mappings_add(&space->modules, mapping) != 0)
            return -1;
    }
    wf_mappings_settle(&space->modules);
    return 0;
}

uint32_t wf_address_space_find(const struct wf_address_space *space, const struct wf_collected_program *program,
                               uint64_t address)
{
    const struct wf_mapping *mapping = wf_mappings_find_last(&space->modules, address);
    if (!mapping)
        return WF_NO_ADDRESS;
    return wf_addresses_find(&program->addresses, (uint32_t)mapping->module, address - mapping->bias,
                             WF_ADDRESS_STATEMENT);
}
