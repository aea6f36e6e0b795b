/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the profile tells about the run as a whole: facts (key and value) and notes. It owns its texts.
 */
#ifndef WF_ANALYSE_PROGRAM_H
#define WF_ANALYSE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/profile.h"

struct wf_fact {
    char *key, *text;
    bool is_integer;
    int64_t integer;
};

struct wf_program {
    struct wf_fact *facts;
    size_t fact_count;
    char **notes; /* one sentence each */
    size_t note_count;
};

int wf_program_read(struct wf_program *program, struct wf_profile *profile, struct wf_error *error);
void wf_program_free(struct wf_program *program);

/* "" and 0 for a key that is not there. */
const char *wf_program_text(const struct wf_program *program, const char *key);
int64_t wf_program_integer(const struct wf_program *program, const char *key);

#endif
