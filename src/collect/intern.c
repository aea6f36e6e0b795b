/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/intern.h"

#include <string.h>

#include "collect/array.h"

void wf_intern_fini(struct wf_intern *intern)
{
    free(intern->entries);
    free(intern->slots);
    free(intern->bytes);
    *intern = (struct wf_intern){0};
}

static uint64_t hash_of(const void *bytes, size_t length)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

static int equals(const struct wf_intern *intern, uint32_t number, uint64_t hash, const void *bytes,
                  size_t length)
{
    const struct wf_intern_entry *entry = &intern->entries[number];
    return entry->hash == hash && entry->length == length &&
           memcmp(intern->bytes + entry->start, bytes, length) == 0;
}

/* The slot that holds these bytes, or the free one where they belong. */
static uint32_t *slot_of(const struct wf_intern *intern, uint64_t hash, const void *bytes, size_t length)
{
    size_t i = hash & (intern->slot_count - 1);
    while (intern->slots[i] && !equals(intern, intern->slots[i] - 1, hash, bytes, length))
        i = (i + 1) & (intern->slot_count - 1);
    return &intern->slots[i];
}

static int rehash(struct wf_intern *intern)
{
    size_t wanted = intern->slot_count ? 2 * intern->slot_count : 64;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return -1;
    for (size_t number = 0; number < intern->count; number++) {
        size_t i = intern->entries[number].hash & (wanted - 1);
        while (slots[i])
            i = (i + 1) & (wanted - 1);
        slots[i] = (uint32_t)number + 1;
    }
    free(intern->slots);
    intern->slots = slots;
    intern->slot_count = wanted;
    return 0;
}

static int make_room(struct wf_intern *intern, size_t length)
{
    if (intern->count >= WF_INTERN_NONE - 1)
        return -1;
    if (4 * (intern->count + 1) > 3 * intern->slot_count && rehash(intern) != 0)
        return -1;
    void *entries =
        wf_array_reserve(intern->entries, &intern->capacity, intern->count + 1, sizeof *intern->entries);
    if (!entries)
        return -1;
    intern->entries = entries;
    char *bytes = wf_array_reserve(intern->bytes, &intern->bytes_capacity, intern->used + length + 1, 1);
    if (!bytes)
        return -1;
    intern->bytes = bytes;
    return 0;
}

uint32_t wf_intern_find(const struct wf_intern *intern, const void *bytes, size_t length)
{
    if (intern->slot_count == 0)
        return WF_INTERN_NONE;
    uint32_t slot = *slot_of(intern, hash_of(bytes, length), bytes, length);
    return slot ? slot - 1 : WF_INTERN_NONE;
}

uint32_t wf_intern_add(struct wf_intern *intern, const void *bytes, size_t length)
{
    if (make_room(intern, length) != 0)
        return WF_INTERN_NONE;
    uint64_t hash = hash_of(bytes, length);
    uint32_t *slot = slot_of(intern, hash, bytes, length);
    if (*slot)
        return *slot - 1;
    intern->entries[intern->count] = (struct wf_intern_entry){hash, intern->used, length};
    memcpy(intern->bytes + intern->used, bytes, length);
    intern->bytes[intern->used + length] = '\0';
    intern->used += length + 1;
    *slot = (uint32_t)++intern->count;
    return *slot - 1;
}

uint32_t wf_intern_add_text(struct wf_intern *intern, const char *text)
{
    return wf_intern_add(intern, text, strlen(text));
}

const char *wf_intern_get(const struct wf_intern *intern, uint32_t number)
{
    return intern->bytes + intern->entries[number].start;
}
