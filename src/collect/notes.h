/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The sentences for the reader of a profile, and how ranks, counts and times are written in them. The notes own their
 * sentences.
 */
#ifndef WF_COLLECT_NOTES_H
#define WF_COLLECT_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wf_notes {
    char **sentences;
    size_t count, capacity;
    bool lost; /* a sentence was lost for want of memory */
};

/* A zeroed struct is an empty one. */
void wf_notes_fini(struct wf_notes *notes);
void wf_notes_add(struct wf_notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A few words inside a sentence: cut where they do not fit. */
struct wf_phrase {
    char text[256];
};

/* Ascending ranks: "rank 2", "ranks 1 and 3", "ranks 0-3, 7". */
struct wf_phrase wf_phrase_ranks(const int64_t *ranks, size_t count);
struct wf_phrase wf_phrase_count(uint64_t number);             /* "1,234" */
struct wf_phrase wf_phrase_time(int64_t ns);                   /* "32.4 ms" */
struct wf_phrase wf_phrase_percent(double part, double whole); /* "4.2 %" */

#endif
