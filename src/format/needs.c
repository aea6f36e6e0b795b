/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/needs.h"

#define GET(field) atomic_load_explicit(&(field), memory_order_relaxed)

bool wf_needs_read(const struct wf_needs *needs, struct wf_needs_copy *copy)
{
    copy->mode = atomic_load_explicit(&needs->mode, memory_order_acquire);
    copy->sequence = GET(needs->sequence);
    copy->address = GET(needs->address);
    copy->ticks = GET(needs->ticks);
    copy->virtual_ticks = GET(needs->virtual_ticks);
    copy->count = GET(needs->count);
    copy->call = GET(needs->call);
    copy->thread_id = GET(needs->thread_id);
    copy->next = GET(needs->next);
    if (copy->mode == WF_NEEDS_RUNNING)
        copy->count = 0;
    for (uint32_t i = 0; i < copy->count && i < WF_NEEDS_ROOM; i++) {
        const struct wf_need *need = &needs->need[i];
        uint32_t kind = GET(need->kind);
        copy->need[i] = (struct wf_need_copy){.comm = GET(need->comm),
                                              .rank = GET(need->rank),
                                              .tag = GET(need->tag),
                                              .kind = kind & 0xff,
                                              .members = kind >> 8,
                                              .kib = GET(need->kib)};
    }
    atomic_thread_fence(memory_order_acquire);
    uint32_t mode = atomic_load_explicit(&needs->mode, memory_order_acquire);
    return mode == copy->mode && GET(needs->sequence) == copy->sequence && mode <= WF_NEEDS_OTHER &&
           copy->count <= WF_NEEDS_ROOM;
}
