/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Damage that can be repeated: the same seed makes the same changes to the same bytes. Each function knows one format a
 * little, so that the damage gets far into the readers.
 */
#ifndef MUTATE_H
#define MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file in memory. It owns its bytes. */
struct image {
    unsigned char *bytes;
    size_t size, capacity;
};

struct chance {
    uint64_t state;
};

void image_read(struct image *image, const char *path); /* ends the process on failure */
void image_write(const struct image *image, const char *path);
void image_copy(struct image *to, const struct image *from);
void image_resize(struct image *image, size_t size); /* new bytes are 0 */
void image_free(struct image *image);

uint64_t chance_next(struct chance *chance);
size_t chance_below(struct chance *chance, size_t limit); /* limit > 0 */
bool chance_one_in(struct chance *chance, size_t n);
uint64_t chance_number(struct chance *chance); /* often a hard one: 0, the largest, one with another sign */
const char *chance_text(struct chance *chance); /* one that would control a terminal, or break a quote */

/* Changes a few bytes of this stretch: bits, words, copies of other stretches. */
void mutate_bytes(struct chance *chance, struct image *image, size_t from, size_t bytes);
/* Changes any file in this way, or cuts it off, or makes it longer. */
void mutate_file(struct chance *chance, struct image *image);

void mutate_segment(struct chance *chance, struct image *image);
void mutate_elf(struct chance *chance, struct image *image);
void mutate_note(struct chance *chance, struct image *image); /* a line of text */
/* A profile in a file, which is changed there. */
void mutate_profile(struct chance *chance, const char *path);

#endif
