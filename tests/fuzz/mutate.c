/* SPDX-License-Identifier: BSD-3-Clause */
#include "mutate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

static void give_up(const char *what)
{
    perror(what);
    _exit(99);
}

void image_resize(struct image *image, size_t size)
{
    if (size > image->capacity) {
        image->capacity = 2 * size;
        image->bytes = realloc(image->bytes, image->capacity);
        if (!image->bytes)
            give_up("realloc");
    }
    if (size > image->size)
        memset(image->bytes + image->size, 0, size - image->size);
    image->size = size;
}

void image_read(struct image *image, const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        give_up(path);
    image_resize(image, (size_t)status.st_size);
    if (read(fd, image->bytes, image->size) != (ssize_t)image->size)
        give_up(path);
    close(fd);
}

void image_write(const struct image *image, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
    if (fd < 0 || write(fd, image->bytes, image->size) != (ssize_t)image->size)
        give_up(path);
    close(fd);
}

void image_copy(struct image *to, const struct image *from)
{
    image_resize(to, from->size);
    memcpy(to->bytes, from->bytes, from->size);
}

void image_free(struct image *image)
{
    free(image->bytes);
    *image = (struct image){0};
}

/* ---- chance: splitmix64 ---- */

uint64_t chance_next(struct chance *chance)
{
    uint64_t z = chance->state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

size_t chance_below(struct chance *chance, size_t limit)
{
    return chance_next(chance) % limit;
}

bool chance_one_in(struct chance *chance, size_t n)
{
    return chance_below(chance, n) == 0;
}

uint64_t chance_number(struct chance *chance)
{
    static const uint64_t hard[] = {
        0, 1, 2, 63, 64, 65, 127, 128, 255, 256, 4095, 4096, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
        0xfffffffe, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 1, (uint64_t)INT64_MIN, 1ull << 62, 1ull << 52,
        0x7ff0000000000000, 0x7ff8000000000000
    };
    switch (chance_below(chance, 4)) {
    case 0:
        return chance_next(chance);
    case 1:
        return chance_below(chance, 100000);
    default:
        return hard[chance_below(chance, sizeof hard / sizeof *hard)];
    }
}

const char *chance_text(struct chance *chance)
{
    static char long_name[10001], long_path[4097];
    static const char *const texts[] = {"",
                                        "\033[2J\033]0;owned\007",
                                        "\xe2\x80\xae" "gnp.exe",
                                        "a\xe2\x81\xa6" "b\xe2\x81\xa9" "c\xe2\x80\x8b",
                                        "\xc2\x9b" "31m",
                                        "\xff\xfe\x80",
                                        "\xe2\x80",
                                        "line\nline\r\ttab",
                                        "\xe2\x80\xa8\xe2\x80\xa9",
                                        "a\"b,c'd;e",
                                        "=cmd|' /C calc'!A0",
                                        "%s%n%d",
                                        "a::b::c<d, e>::f(int)",
                                        "/////",
                                        "\xf0\x9f\x92\xa9\xcc\x81\xcc\x81\xcc\x81",
                                        "main",
                                        "..",
                                        long_name,
                                        long_path};
    memset(long_name, 'x', sizeof long_name - 1);
    memset(long_path, '/', sizeof long_path - 1);
    return texts[chance_below(chance, sizeof texts / sizeof *texts)];
}

/* ---- bytes ---- */

static void write_number(struct chance *chance, unsigned char *to, size_t room)
{
    static const size_t widths[] = {1, 2, 4, 8};
    size_t width = widths[chance_below(chance, 4)];
    uint64_t number = chance_number(chance);
    memcpy(to, &number, width < room ? width : room);
}

static void write_text(struct chance *chance, unsigned char *to, size_t room)
{
    const char *text = chance_text(chance);
    size_t length = strlen(text) + chance_below(chance, 2);
    memcpy(to, text, length < room ? length : room);
}

static void change_once(struct chance *chance, unsigned char *bytes, size_t count)
{
    size_t at = chance_below(chance, count), other = chance_below(chance, count),
           most = count - (at > other ? at : other);
    switch (chance_below(chance, 6)) {
    case 0:
        bytes[at] ^= (unsigned char)(1u << chance_below(chance, 8));
        break;
    case 1:
        bytes[at] = (unsigned char)chance_next(chance);
        break;
    case 2:
    case 3:
        at -= at % 4;
        write_number(chance, bytes + at, count - at);
        break;
    case 4:
        memmove(bytes + at, bytes + other,
                chance_below(chance, most < 256 ? most : 256) + 1 > most ? most : 1 + chance_below(chance, most));
        break;
    default:
        write_text(chance, bytes + at, count - at);
    }
}

void mutate_bytes(struct chance *chance, struct image *image, size_t from, size_t bytes)
{
    if (from >= image->size)
        return;
    if (bytes > image->size - from)
        bytes = image->size - from;
    for (size_t i = 1 + chance_below(chance, 4); bytes && i > 0; i--)
        change_once(chance, image->bytes + from, bytes);
}

void mutate_file(struct chance *chance, struct image *image)
{
    size_t kind = chance_below(chance, 8);
    if (kind == 0)
        image_resize(image, chance_below(chance, image->size + 1));
    else if (kind == 1)
        image_resize(image, image->size + chance_below(chance, 10000));
    else
        mutate_bytes(chance, image, 0, image->size);
}

void mutate_note(struct chance *chance, struct image *image)
{
    if (chance_one_in(chance, 3)) {
        const char *text = chance_text(chance);
        image_resize(image, strlen(text));
        memcpy(image->bytes, text, image->size);
    } else if (chance_one_in(chance, 5)) {
        image_resize(image, 100000);
    } else {
        mutate_file(chance, image);
    }
}
