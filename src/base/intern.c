/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void wf_intern_fini(struct wf_intern *intern)
{
    free(intern->entries);
    free(intern->slots);
    free(intern->bytes);
    *intern = (struct wf_intern){0};
}

static uint64_t intern_hash(const void *bytes, size_t length)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash ^ hash >> 32;
}

static int intern_equals(const struct wf_intern *intern, uint32_t number, uint64_t hash, const void *bytes,
                         size_t length)
{
    const struct wf_intern_entry *entry = &intern->entries[number];
    return entry->hash == hash && entry->length == length && memcmp(intern->bytes + entry->start, bytes, length) == 0;
}

/* The slot that holds these bytes, or the free one where they belong. */
static uint32_t *intern_slot(const struct wf_intern *intern, uint64_t hash, const void *bytes, size_t length)
{
    size_t i = hash & (intern->slot_count - 1);
    while (intern->slots[i] && !intern_equals(intern, intern->slots[i] - 1, hash, bytes, length))
        i = (i + 1) & (intern->slot_count - 1);
    return &intern->slots[i];
}

static int intern_rehash(struct wf_intern *intern)
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

static int intern_make_room(struct wf_intern *intern, size_t length)
{
    if (intern->count >= WF_INTERN_NONE - 1)
        return -1;
    if (4 * (intern->count + 1) > 3 * intern->slot_count && intern_rehash(intern) != 0)
        return -1;
    if (WF_ARRAY_RESERVE(intern->entries, intern->capacity, intern->count + 1) != 0)
        return -1;
    return WF_ARRAY_RESERVE(intern->bytes, intern->bytes_capacity, intern->used + length + 1);
}

uint32_t wf_intern_find(const struct wf_intern *intern, const void *bytes, size_t length)
{
    if (intern->slot_count == 0)
        return WF_INTERN_NONE;
    uint32_t slot = *intern_slot(intern, intern_hash(bytes, length), bytes, length);
    return slot ? slot - 1 : WF_INTERN_NONE;
}

uint32_t wf_intern_add(struct wf_intern *intern, const void *bytes, size_t length)
{
    if (intern_make_room(intern, length) != 0)
        return WF_INTERN_NONE;
    uint64_t hash = intern_hash(bytes, length);
    uint32_t *slot = intern_slot(intern, hash, bytes, length);
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

uint32_t wf_intern_add_item(struct wf_intern *intern, const void *key, size_t key_bytes, void *items, size_t *capacity,
                            size_t item_bytes, const void *item)
{
    size_t before = intern->count;
    if (wf_array_reserve(items, capacity, before + 1, item_bytes) != 0)
        return WF_INTERN_NONE;
    uint32_t number = wf_intern_add(intern, key, key_bytes);
    if (number == before) {
        char *array;
        memcpy(&array, items, sizeof array);
        memcpy(array + number * item_bytes, item, item_bytes);
    }
    return number;
}

const char *wf_intern_get(const struct wf_intern *intern, uint32_t number)
{
    return intern->bytes + intern->entries[number].start;
}
