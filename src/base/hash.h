/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Keys of 64 bits from what tells things apart: the same in all processes, whatever machine they are on. Pure.
 */
#ifndef WF_HASH_H
#define WF_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t wf_hash_mix(uint64_t key, uint64_t more)
{
    key = (key ^ more) * 0x9E3779B97F4A7C15u;
    return key ^ key >> 29;
}

static inline uint64_t wf_hash_text(uint64_t key, const void *text, size_t bytes)
{
    const unsigned char *c = text;
    for (size_t i = 0; i < bytes; i++)
        key = (key ^ c[i]) * 0x100000001B3u;
    return wf_hash_mix(key, bytes);
}

#endif
