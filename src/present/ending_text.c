/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/place.h"
#include "present/report_text.h"
#include "present/text.h"
#include "present/unit.h"

enum { GROUPS = 6 }; /* different places that are told; the rest is counted */

static const struct {
    const char *ending, *phrase;
} phrases[] = {
    {"died", "died"},
    {"aborted", "called MPI_Abort"},
    {"exited", "exited without MPI_Finalize"},
    {"running", "was still running"},
    {"finalized", ""},
};

static const char *phrase_of(const char *ending)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (!strcmp(phrases[i].ending, ending))
            return phrases[i].phrase;
    return ending;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* "heat.c:157 (exchange)" */
static char *place_of(const struct wf_statement *s)
{
    char *text, *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    bool named = *procedure;
    int length =
        asprintf(&text, "%s%s%s%s", base_name(place), named ? " (" : "", procedure, named ? ")" : "");
    free(place);
    free(procedure);
    return length < 0 ? wf_memory_text("") : text;
}

/* The statement of a call is noted while it lasts, but for MPI_Finalize, in which other rules hold. */
static const char nowhere[] = " while it computed, or in MPI_Finalize";

static char *ending_of(const struct wf_rank *rank, const struct wf_statement *last)
{
    char *text, code[32] = "", *place = last ? place_of(last) : NULL;
    bool aborted = !strcmp(rank->ending, "aborted"),
         in = last && !(aborted && !strcmp(last->name, "MPI_Abort"));
    if (aborted)
        snprintf(code, sizeof code, "(%" PRId64 ")", rank->end_code);
    int length = last ? asprintf(&text, "%s%s%s%s at %s", phrase_of(rank->ending), code, in ? " in " : "",
                                 in ? last->name : "", place)
                      : asprintf(&text, "%s%s%s", phrase_of(rank->ending), code,
                                 !strcmp(rank->ending, "died") ? nowhere : "");
    free(place);
    return length < 0 ? wf_memory_text("") : text;
}

char *wf_ending_text(const struct wf_overview *overview, const struct wf_rank *rank)
{
    if (wf_rank_ended_well(rank))
        return wf_memory_text("");
    return ending_of(rank, wf_statement_list_by_id(&overview->statements, rank->last_site));
}

/* Ranks that ended at the same place are told together. */
static bool same_ending(const struct wf_rank *a, const struct wf_rank *b)
{
    return a->last_site == b->last_site && wf_rank_ended_well(a) == wf_rank_ended_well(b);
}

/* Appends "0-3, 7" for the ranks that ended like this one; returns how many there are. */
static size_t print_ranks_like(FILE *to, const struct wf_page *page, const struct wf_rank_list *ranks,
                               const struct wf_rank *like)
{
    size_t count = 0;
    for (size_t i = 0, end; i < ranks->count; i = end) {
        end = i + 1;
        if (!same_ending(&ranks->items[i], like))
            continue;
        while (end < ranks->count && same_ending(&ranks->items[end], like) &&
               ranks->items[end].rank == ranks->items[end - 1].rank + 1)
            end++;
        fprintf(to, "%s%" PRId64, count ? ", " : "", ranks->items[i].rank);
        if (end - i > 1)
            fprintf(to, "%s%" PRId64, end - i > 2 ? page->glyphs->dash : ", ", ranks->items[end - 1].rank);
        count += end - i;
    }
    return count;
}

static void print_group(struct wf_page *page, const struct wf_overview *overview, const struct wf_rank *rank)
{
    const struct wf_statement *last = wf_statement_list_by_id(&overview->statements, rank->last_site);
    char *ranks = NULL, *place = place_of(last);
    size_t bytes;
    FILE *to = open_memstream(&ranks, &bytes);
    size_t count = to ? print_ranks_like(to, page, &overview->ranks, rank) : 0;
    if (to)
        fclose(to);
    wf_page_wrap(page, WF_PLAIN, "    ", "rank%s %s %s in %s at %s", count == 1 ? "" : "s",
                 ranks ? ranks : "", count == 1 ? "was" : "were", last->name, place);
    free(ranks);
    free(place);
}

/* Adds the rank to the groups if none is like it; false if there is no room for another. */
static bool group(const struct wf_rank **groups, size_t *count, const struct wf_rank *rank)
{
    for (size_t i = 0; i < *count; i++)
        if (same_ending(groups[i], rank))
            return true;
    if (*count == GROUPS)
        return false;
    groups[(*count)++] = rank;
    return true;
}

/* Where the ranks were that did not end well, as far as they were in MPI. */
static void print_groups(struct wf_page *page, const struct wf_overview *overview)
{
    const struct wf_rank_list *ranks = &overview->ranks;
    const struct wf_rank *groups[GROUPS];
    size_t count = 0, others = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (!wf_rank_ended_well(&ranks->items[i]) &&
            wf_statement_list_by_id(&overview->statements, ranks->items[i].last_site))
            others += !group(groups, &count, &ranks->items[i]);
    for (size_t i = 0; i < count; i++)
        print_group(page, overview, groups[i]);
    if (others)
        wf_page_wrap(page, WF_PLAIN, "    ", "and %s elsewhere: see weft report --ranks --all",
                     wf_unit_count((int64_t)others).text);
}

void wf_ending_print(struct wf_page *page, const struct wf_overview *overview)
{
    const struct wf_rank_list *ranks = &overview->ranks;
    size_t unwell = 0;
    for (size_t i = 0; i < ranks->count; i++)
        unwell += !wf_rank_ended_well(&ranks->items[i]);
    if (unwell)
        wf_page_wrap(page, WF_WARN, "  ! ", "Incomplete: %s of %s rank%s did not finish.",
                     wf_unit_count((int64_t)unwell).text, wf_unit_count((int64_t)ranks->count).text,
                     ranks->count == 1 ? "" : "s");
    else if (!wf_program_integer(&overview->program, "complete"))
        wf_page_wrap(page, WF_WARN, "  ! ", "Incomplete: not everything could be recorded.");
    print_groups(page, overview);
    for (size_t i = 0; i < overview->program.note_count; i++)
        wf_page_wrap(page, WF_WARN, "  ! ", "%s", overview->program.notes[i]);
}
