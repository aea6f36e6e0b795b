/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MOST_RANGES 12

void wf_notes_fini(struct wf_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->sentences[i]);
    free(notes->sentences);
    *notes = (struct wf_notes){0};
}

void wf_notes_add(struct wf_notes *notes, const char *format, ...)
{
    char *sentence = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&sentence, format, arguments);
    va_end(arguments);
    if (length < 0 || WF_ARRAY_RESERVE(notes->sentences, notes->capacity, notes->count + 1) != 0) {
        notes->lost = true;
        if (length >= 0)
            free(sentence);
        return;
    }
    notes->sentences[notes->count++] = sentence;
}

__attribute__((format(printf, 2, 3))) static void phrase_append(struct wf_phrase *phrase, const char *format, ...)
{
    size_t length = strlen(phrase->text);
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
    vsnprintf(phrase->text + length, sizeof phrase->text - length, format, arguments);
    va_end(arguments);
}

static size_t phrase_end_of_range(const int64_t *ranks, size_t count, size_t first)
{
    size_t last = first;
    while (last + 1 < count && ranks[last + 1] == ranks[last] + 1)
        last++;
    return last;
}

struct wf_phrase wf_phrase_ranks(const int64_t *ranks, size_t count)
{
    struct wf_phrase phrase = {""};
    if (count == 2) {
        phrase_append(&phrase, "ranks %lld and %lld", (long long)ranks[0], (long long)ranks[1]);
        return phrase;
    }
    phrase_append(&phrase, count == 1 ? "rank " : "ranks ");
    int ranges = 0;
    for (size_t first = 0, last; first < count; first = last + 1, ranges++) {
        last = phrase_end_of_range(ranks, count, first);
        if (ranges == MOST_RANGES) {
            phrase_append(&phrase, " and %zu more", count - first);
            return phrase;
        }
        phrase_append(&phrase, "%s%lld", ranges ? ", " : "", (long long)ranks[first]);
        if (last > first)
            phrase_append(&phrase, last == first + 1 ? ", %lld" : "-%lld", (long long)ranks[last]);
    }
    return phrase;
}

struct wf_phrase wf_phrase_count(uint64_t number)
{
    struct wf_phrase phrase = {""};
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    for (int i = 0; i < length; i++)
        phrase_append(&phrase, "%s%c", i > 0 && (length - i) % 3 == 0 ? "," : "", digits[i]);
    return phrase;
}

/* Three digits, and never a power of ten. */
static int phrase_decimals(double value)
{
    return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

struct wf_phrase wf_phrase_time(int64_t ns)
{
    static const struct {
        int64_t below;
        double unit;
        const char *name;
    } units[] = {{1000000, 1e3, "us"}, {1000000000, 1e6, "ms"}, {INT64_MAX, 1e9, "s"}};
    struct wf_phrase phrase = {""};
    size_t i = 0;
    while (ns >= units[i].below && i + 1 < sizeof units / sizeof *units)
        i++;
    double value = (double)ns / units[i].unit;
    phrase_append(&phrase, "%.*f %s", ns == 0 ? 0 : phrase_decimals(value), value, units[i].name);
    return phrase;
}

struct wf_phrase wf_phrase_percent(double part, double whole)
{
    struct wf_phrase phrase = {""};
    double percent = whole > 0 ? 100 * part / whole : 0;
    if (percent > 0 && percent < 0.05)
        phrase_append(&phrase, "less than 0.1 %%");
    else
        phrase_append(&phrase, "%.1f %%", percent);
    return phrase;
}
