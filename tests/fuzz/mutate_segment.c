/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "format/path.h"
#include "format/segment.h"
#include "mutate.h"

enum { MOST_CHUNKS = 4096 };

struct chunks {
    size_t at[MOST_CHUNKS];
    size_t count;
};

static struct chunks *find_chunks(const struct image *image)
{
    static struct chunks found;
    found.count = 0;
    for (size_t at = sizeof(struct wf_segment_header);
         at + sizeof(struct wf_chunk) <= image->size && found.count < MOST_CHUNKS;) {
        struct wf_chunk chunk;
        memcpy(&chunk, image->bytes + at, sizeof chunk);
        if (chunk.bytes < sizeof chunk || chunk.bytes % WF_SEGMENT_UNIT || chunk.bytes > image->size - at ||
            chunk.kind == 0)
            break;
        found.at[found.count++] = at;
        at += chunk.bytes;
    }
    return &found;
}

static size_t bytes_of(const struct image *image, size_t chunk)
{
    struct wf_chunk head;
    memcpy(&head, image->bytes + chunk, sizeof head);
    return head.bytes;
}

/* All kinds are changed equally often, also those with few chunks. */
static size_t choose_chunk(struct chance *chance, const struct image *image, const struct chunks *chunks)
{
    size_t at = chunks->at[chance_below(chance, chunks->count)];
    uint32_t wanted = (uint32_t)(1 + chance_below(chance, WF_CHUNK_PATH)), kind;
    for (size_t i = 0, start = chance_below(chance, chunks->count); i < chunks->count; i++) {
        size_t candidate = chunks->at[(start + i) % chunks->count];
        memcpy(&kind, image->bytes + candidate, sizeof kind);
        if (kind == wanted)
            return candidate;
    }
    return at;
}

static void set_used(struct image *image)
{
    uint64_t used = image->size;
    memcpy(image->bytes + offsetof(struct wf_segment_header, used_bytes), &used, sizeof used);
}

static void change_header(struct chance *chance, struct image *image, size_t chunk)
{
    (void)chunk;
    mutate_bytes(chance, image, 16, offsetof(struct wf_segment_header, reserved)); /* the magic and the version only
                                                                                      where bytes are random */
}

/* Makes a text that does not end, as far as one of the texts after it. */
static void fill_texts(struct chance *chance, struct image *image, size_t chunk)
{
    static const size_t borders[] = {
        offsetof(struct wf_segment_header, host),     offsetof(struct wf_segment_header, mpi),
        offsetof(struct wf_segment_header, world),    offsetof(struct wf_segment_header, boot_id),
        offsetof(struct wf_segment_header, program),  offsetof(struct wf_segment_header, command),
        offsetof(struct wf_segment_header, reserved), sizeof(struct wf_segment_header)};
    enum { BORDERS = sizeof borders / sizeof *borders };
    size_t first = chance_below(chance, BORDERS - 1), last = first + 1 + chance_below(chance, BORDERS - first - 1);
    const char *text = chance_text(chance);
    (void)chunk;
    for (size_t at = borders[first], i = 0; at < borders[last] && at < image->size; at++, i++)
        image->bytes[at] = (unsigned char)(*text ? text[i % strlen(text)] : 'x');
}

static void change_head(struct chance *chance, struct image *image, size_t chunk)
{
    uint32_t number = (uint32_t)chance_number(chance);
    if (chance_one_in(chance, 2))
        number = number % 100 * WF_SEGMENT_UNIT;
    memcpy(image->bytes + chunk + 4 * chance_below(chance, 5), &number, sizeof number);
}

static void change_records(struct chance *chance, struct image *image, size_t chunk)
{
    mutate_bytes(chance, image, chunk + sizeof(struct wf_chunk), bytes_of(image, chunk) - sizeof(struct wf_chunk));
}

/* The first bytes of a record, or of the state behind it, which say what it is and how long. */
static void change_first_words(struct chance *chance, struct image *image, size_t chunk)
{
    static const size_t widths[] = {2, 4, 8};
    size_t from = chunk + sizeof(struct wf_chunk), room = bytes_of(image, chunk) - sizeof(struct wf_chunk);
    uint64_t number = chance_number(chance);
    size_t width = widths[chance_below(chance, 3)],
           at = width * chance_below(chance, 48 / width) + (chance_one_in(chance, 2) ? WF_SEGMENT_UNIT : 0);
    if (at + width <= room)
        memcpy(image->bytes + from + at, &number, width);
}

static void swap_chunks(struct chance *chance, struct image *image, size_t chunk)
{
    const struct chunks *chunks = find_chunks(image);
    size_t other = chunks->at[chance_below(chance, chunks->count)], mine = bytes_of(image, chunk),
           its = bytes_of(image, other);
    unsigned char kept[1 << 16];
    size_t bytes = mine < its ? mine : its;
    bytes = bytes < sizeof kept ? bytes : sizeof kept;
    memcpy(kept, image->bytes + chunk, bytes);
    memmove(image->bytes + chunk, image->bytes + other, bytes);
    memcpy(image->bytes + other, kept, bytes);
}

static void remove_chunk(struct chance *chance, struct image *image, size_t chunk)
{
    size_t bytes = bytes_of(image, chunk);
    memmove(image->bytes + chunk, image->bytes + chunk + bytes, image->size - chunk - bytes);
    image_resize(image, image->size - bytes);
    if (chance_one_in(chance, 2))
        set_used(image);
}

static void repeat_chunk(struct chance *chance, struct image *image, size_t chunk)
{
    size_t bytes = bytes_of(image, chunk), size = image->size;
    image_resize(image, size + bytes);
    memmove(image->bytes + chunk + bytes, image->bytes + chunk, size - chunk);
    if (!chance_one_in(chance, 4))
        set_used(image);
}

static void cut_at_chunk(struct chance *chance, struct image *image, size_t chunk)
{
    size_t size = chunk + 8 * chance_below(chance, 40);
    image_resize(image, size < image->size ? size : image->size);
    if (chance_one_in(chance, 2))
        set_used(image);
}

void mutate_segment(struct chance *chance, struct image *image)
{
    static void (*const ways[])(struct chance *, struct image *, size_t) = {
        change_header,      fill_texts,         change_head, change_head,  change_records, change_records,
        change_first_words, change_first_words, swap_chunks, remove_chunk, repeat_chunk,   cut_at_chunk};
    for (size_t i = 1 + chance_below(chance, 3); i > 0; i--) {
        const struct chunks *chunks = find_chunks(image);
        if (chunks->count == 0 || chance_one_in(chance, 12))
            mutate_file(chance, image);
        else
            ways[chance_below(chance, sizeof ways / sizeof *ways)](chance, image, choose_chunk(chance, image, chunks));
    }
}
