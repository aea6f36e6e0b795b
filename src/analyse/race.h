/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Races between messages: at which statements of which ranks messages of which senders could have come in another
 * order. A list owns its races; it belongs to the statement list it was read with.
 */
#ifndef WF_ANALYSE_RACE_H
#define WF_ANALYSE_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/program.h"
#include "analyse/statement.h"

/* Two senders whose messages raced at a statement of one rank; `first` is the smaller one. */
struct wf_race {
    int64_t site; /* id of the statement */
    int64_t rank; /* that received */
    int64_t first, second;
    int64_t num;
};

struct wf_race_list {
    struct wf_race *items; /* by statement and rank, the most frequent first in each */
    size_t count;
    int64_t num, unknown; /* pairs of a receive and a message that raced, and of which that is not known */
    bool wanted;          /* races were looked for */
};

int wf_race_list_read(struct wf_race_list *list, struct wf_profile *profile, const struct wf_program *program,
                      const struct wf_statement_list *statements, struct wf_error *error);
void wf_race_list_free(struct wf_race_list *list);

#endif
