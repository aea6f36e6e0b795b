/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a reader has to know about the run before trusting its figures: which ranks are missing, which did not end well,
 * what was dropped. Ranks with the same finding share one sentence. The findings own their lists; the sentences go to
 * the notes.
 */
#ifndef WF_COLLECT_FINDINGS_H
#define WF_COLLECT_FINDINGS_H

#include <stddef.h>

#include "collect/notes.h"
#include "collect/rank.h"
#include "collect/regions.h"
#include "collect/world.h"

struct wf_refusal {
    char *file;
    char *reason; /* "it is cut short" */
};

struct wf_refusals {
    struct wf_refusal *items;
    size_t count, capacity;
};

/* A zeroed struct is an empty one. */
void wf_refusals_fini(struct wf_refusals *refusals);
int wf_refusals_add(struct wf_refusals *refusals, const char *file, const char *reason);

/* Processes that never initialised MPI, beside others that did. They have no rank and are left out of the profile. */
struct wf_outsider {
    char *file; /* its segment */
    char *program;
    uint32_t pid;
    bool instrumented; /* it has records that are left out */
};

struct wf_outsiders {
    struct wf_outsider *items;
    size_t count, capacity;
};

/* A zeroed struct is an empty one. */
void wf_outsiders_fini(struct wf_outsiders *outsiders);
int wf_outsiders_add(struct wf_outsiders *outsiders, const struct wf_segment_reader *reader, const char *file);
void wf_outsiders_note(const struct wf_outsiders *outsiders, struct wf_notes *notes);

/* Notes what was switched off while the program ran; after the last rank. Returns 0, or -1 without memory. */
int wf_findings_note_off(struct wf_notes *notes, const struct wf_regions *regions,
                         const struct wf_collected_program *program);

/* How times were compensated: "virtual", "delay", "local" or "real". Of several ranks the weakest counts. */
const char *wf_findings_clock(const struct wf_collected_ranks *ranks);

/* Notes what makes compensated figures uncertain. Returns 0, or -1 without memory. */
int wf_findings_note_compensation(struct wf_notes *notes, const struct wf_collected_ranks *ranks);

/* Notes the rest. The ranks have their numbers and are sorted by them. `outer`: weft run stood in front of the
 * launcher. Returns 0, or -1 without memory. */
int wf_findings_note(struct wf_notes *notes, const struct wf_collected_ranks *ranks, const struct wf_worlds *worlds,
                     const struct wf_refusals *refusals, bool outer);

#endif
