/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/stuck_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/json.h"
#include "present/quantity.h"

enum { LINES = 8, NAMED = 6 }; /* ranks; of more, only the number */

/* "ranks 0 and 1 wait for each other", "rank 0 waits for rank 2, rank 2 for rank 1, rank 1 for rank 0" */
static char *stuck_text_cycle(const struct wf_stuck *stuck)
{
    char *text = NULL;
    size_t bytes, length = 0;
    FILE *to = open_memstream(&text, &bytes);
    while (wf_stuck_at(stuck, (int64_t)length + 1))
        length++;
    if (!to)
        return wf_memory_text("");
    if (length == 0)
        fprintf(to, "%zu rank%s for what cannot come any more", stuck->stuck, stuck->stuck == 1 ? " waits" : "s wait");
    else if (length == 1)
        fprintf(to, "rank %" PRId64 " waits for itself", wf_stuck_at(stuck, 1)->rank);
    else if (length == 2)
        fprintf(to, "ranks %" PRId64 " and %" PRId64 " wait for each other", wf_stuck_at(stuck, 1)->rank,
                wf_stuck_at(stuck, 2)->rank);
    for (size_t i = 1; length > 2 && i <= length && i <= NAMED; i++)
        fprintf(to, "%srank %" PRId64 " %sfor rank %" PRId64, i == 1 ? "" : ", ", wf_stuck_at(stuck, (int64_t)i)->rank,
                i == 1 ? "waits " : "", wf_stuck_at(stuck, (int64_t)(i % length + 1))->rank);
    if (length > NAMED)
        fprintf(to, ", and so on: a cycle of %zu ranks", length);
    fclose(to);
    return text;
}

void wf_stuck_print_rank(struct wf_page *page, const struct wf_stuck_rank *rank, enum wf_style style, const char *first)
{
    char where[512] = "computes, as far as is known", since[64] = "";
    if (*rank->call)
        snprintf(where, sizeof where, "%s%s%s%s%s%s", rank->call, *rank->place ? " at " : "", rank->place,
                 *rank->procedure ? " (" : "", rank->procedure, *rank->procedure ? ")" : "");
    if (*rank->call && rank->waited_ns > 0)
        snprintf(since, sizeof since, " for %s", wf_quantity_time(page, rank->waited_ns).text);
    wf_page_wrap(page, style, first, "rank %" PRId64 ": %s%s%s%s", rank->rank, where, since,
                 *rank->wants ? ", waits for " : "", rank->wants);
}

void wf_stuck_print(struct wf_page *page, const struct wf_stuck *stuck, enum wf_style style, const char *first,
                    const char *next, bool all)
{
    size_t left = all ? SIZE_MAX : LINES, shown = 0;
    if (!stuck->stuck)
        return;
    char *cycle = stuck_text_cycle(stuck);
    wf_page_wrap(page, style, first, "deadlock: %s", cycle);
    free(cycle);
    const struct wf_stuck_rank *rank;
    for (int64_t i = 1; left && (rank = wf_stuck_at(stuck, i)); i++, left--, shown++)
        wf_stuck_print_rank(page, rank, style, next);
    for (size_t i = 0; left && i < stuck->count; i++)
        if (stuck->items[i].stuck && !stuck->items[i].cycle) {
            wf_stuck_print_rank(page, &stuck->items[i], style, next);
            left--;
            shown++;
        }
    if (shown < stuck->stuck)
        wf_page_wrap(page, style, next, "and %zu more ranks: see weft stuck", stuck->stuck - shown);
}

/* ---- JSON ---- */

static json_t *stuck_json_rank(const struct wf_stuck_rank *rank)
{
    json_t *object = json_object();
    wf_json_set(object, "rank", rank->rank);
    json_object_set_new(object, "stuck", json_boolean(rank->stuck));
    json_object_set_new(object, "in_cycle", json_boolean(rank->cycle != 0));
    wf_json_set_text(object, "call", rank->call);
    wf_json_set_text(object, "place", rank->place);
    wf_json_set_text(object, "procedure", rank->procedure);
    wf_json_set(object, "since_ns", rank->since_ns);
    wf_json_set(object, "waited_ns", rank->waited_ns);
    wf_json_set_text(object, "wants", rank->wants);
    json_t *ranks = json_array();
    for (const char *at = rank->waits_for; *at;) {
        char *end;
        json_array_append_new(ranks, json_integer(strtoll(at, &end, 10)));
        at = end + strspn(end, ", ");
        if (end == at)
            break;
    }
    json_object_set_new(object, "waits_for", ranks);
    return object;
}

json_t *wf_stuck_json(const struct wf_stuck *stuck)
{
    json_t *object = json_object(), *cycle = json_array(), *ranks = json_array();
    const struct wf_stuck_rank *rank;
    json_object_set_new(object, "deadlock", json_boolean(stuck->stuck > 0));
    for (int64_t i = 1; (rank = wf_stuck_at(stuck, i)); i++)
        json_array_append_new(cycle, json_integer(rank->rank));
    json_object_set_new(object, "cycle", cycle);
    for (size_t i = 0; i < stuck->count; i++)
        json_array_append_new(ranks, stuck_json_rank(&stuck->items[i]));
    json_object_set_new(object, "ranks", ranks);
    return object;
}
