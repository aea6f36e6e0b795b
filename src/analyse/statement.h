/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The communication statements of a program and their times on each rank. A list owns its statements. It belongs to the
 * rank list it was read with, whose order its per-rank arrays have.
 */
#ifndef WF_ANALYSE_STATEMENT_H
#define WF_ANALYSE_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/call_kind.h"
#include "analyse/rank.h"

struct wf_statement_rank {
    bool present;  /* false: this rank never executed it, and all is 0 */
    int64_t event; /* id of its record */
    int64_t calls, time_ns, time_raw_ns, sync_delay_ns, sync_delay_raw_ns, longest_ns, bytes;
    struct wf_idle idle;
};

struct wf_statement {
    int64_t id;
    char *name, *file, *procedure, *module; /* procedure: "" if not known */
    int64_t line;                           /* 0: no debug information; then module and offset tell the place */
    int64_t offset;
    enum wf_call_kind kind;
    int64_t calls, bytes, time_ns, time_raw_ns;
    int64_t sync_delay_ns, sync_delay_raw_ns; /* waiting for other ranks, a part of time_ns and time_raw_ns */
    struct wf_idle idle;                      /* further parts of time_ns; the rest is transfer */
    int64_t longest_ns;                       /* the longest single call */
    /* Over all ranks of the worlds in which it occurs, including those that never executed it. */
    size_t ranks;
    int64_t min_ns, mean_ns, max_ns;
    size_t worst;                      /* index of the rank with max_ns */
    struct wf_statement_rank *by_rank; /* one for each rank of the profile */
};

/* Messages, each counted once, at its sender; MPI_Start is counted as half sender, half receiver. */
struct wf_traffic {
    int64_t messages, message_bytes;
    int64_t one_sided, one_sided_bytes;
    int64_t collective_calls, collective_bytes; /* on all ranks together */
};

struct wf_statement_list {
    struct wf_statement *items; /* the ranked ones, then those that start and end MPI, then those from which no call
                                   returned */
    size_t count, ranked, start_end;
    int64_t time_ns, sync_delay_ns; /* of the ranked ones together */
    struct wf_traffic traffic;
};

int wf_statement_list_read(struct wf_statement_list *list, struct wf_profile *profile, const struct wf_rank_list *ranks,
                           struct wf_error *error);
void wf_statement_list_free(struct wf_statement_list *list);

/* Orders the ranked statements, largest first: "time", "waiting", "idle", "count", "bytes" or "imbalance". Returns -1
 * for another name. */
int wf_statement_list_sort(struct wf_statement_list *list, const char *order);

const struct wf_statement *wf_statement_list_by_id(const struct wf_statement_list *list, int64_t id);

/* The time that each rank would save in a perfect balance: the largest less the mean. */
int64_t wf_statement_imbalance_ns(const struct wf_statement *statement);

/* One part of the time of all threads of a rank, also in calls that did not return; the rank by its place in the rank
 * list. */
int64_t wf_statement_list_part_ns(const struct wf_statement_list *list, size_t rank, enum wf_part part);

/* The parts of its time. */
struct wf_parts wf_statement_parts(const struct wf_statement *statement);
struct wf_parts wf_statement_rank_parts(const struct wf_statement_rank *rank);

/* The ranked statement with most of this part; with `after`, the next one behind that. NULL: none has any. */
const struct wf_statement *wf_statement_list_most(const struct wf_statement_list *list, enum wf_part part,
                                                  const struct wf_statement *after);

#endif
