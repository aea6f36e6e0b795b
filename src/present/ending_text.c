/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/place.h"
#include "analyse/word.h"
#include "present/report_text.h"
#include "present/stuck_text.h"
#include "present/text.h"
#include "present/quantity.h"

enum { GROUPS = 6 }; /* number of places that are printed; the rest is only counted */

static const struct {
    const char *ending, *phrase;
} phrases[] = {
    {"died", "died"},
    {"aborted", "called MPI_Abort"},
    {"exited", "exited without MPI_Finalize"},
    {"running", "was still running"},
    {"finalized", ""},
};

static const char *ending_text_phrase(const char *ending)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (!strcmp(phrases[i].ending, ending))
            return phrases[i].phrase;
    return ending;
}

/* "heat.c:157 (exchange)" */
static char *ending_text_place(const struct wf_statement *s)
{
    char *text, *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    bool named = *procedure;
    int length = asprintf(&text, "%s%s%s%s", wf_word_base_name(place), named ? " (" : "", procedure, named ? ")" : "");
    free(place);
    free(procedure);
    return length < 0 ? wf_memory_text("") : text;
}

/* Where a rank was that was in no statement: " in relax (heat.c:80)", " in the for loop at heat.c:82 (relax)". A rank's
 * current statement is recorded during each call except MPI_Finalize. */
static char *ending_text_outside(const struct wf_rank *rank)
{
    const struct wf_rank_region *region = &rank->region;
    bool died = !strcmp(rank->ending, "died"), loop = !strcmp(region->type, "loop");
    char *text, *name, line[32] = "";
    if (!*region->name || rank->finalize_ns > 0)
        return wf_memory_text(!died ? "" : rank->finalize_ns > 0 ? " in MPI_Finalize" : " while it computed");
    if (region->line)
        snprintf(line, sizeof line, ":%" PRId64, region->line);
    name = wf_name_short(loop && *region->procedure ? region->procedure : region->name);
    const char *file = wf_word_base_name(region->file);
    int length = loop ? asprintf(&text, " in the %s loop at %s%s (%s)", region->name, file, line, name)
                      : asprintf(&text, " in %s (%s%s)", name, file, line);
    free(name);
    return length < 0 ? wf_memory_text("") : text;
}

static char *ending_text_compose(const struct wf_rank *rank, const struct wf_statement *last)
{
    char *text, code[32] = "", *place = last ? ending_text_place(last) : ending_text_outside(rank);
    bool aborted = !strcmp(rank->ending, "aborted"), in = last && !(aborted && !strcmp(last->name, "MPI_Abort"));
    if (aborted)
        snprintf(code, sizeof code, "(%" PRId64 ")", rank->end_code);
    int length = last ? asprintf(&text, "%s%s%s%s at %s", ending_text_phrase(rank->ending), code, in ? " in " : "",
                                 in ? last->name : "", place)
                      : asprintf(&text, "%s%s%s", ending_text_phrase(rank->ending), code, place);
    free(place);
    return length < 0 ? wf_memory_text("") : text;
}

char *wf_ending_text(const struct wf_overview *overview, const struct wf_rank *rank)
{
    if (wf_rank_ended_well(rank))
        return wf_memory_text("");
    return ending_text_compose(rank, wf_statement_list_by_id(&overview->statements, rank->last_site));
}

/* Ranks that ended at the same place share one line. */
static bool ending_text_is_same(const struct wf_rank *a, const struct wf_rank *b)
{
    return a->last_site == b->last_site && wf_rank_ended_well(a) == wf_rank_ended_well(b);
}

/* Appends "0-3, 7" for the ranks that ended like this one; returns their number. */
static size_t ending_text_print_ranks_like(FILE *to, const struct wf_page *page, const struct wf_rank_list *ranks,
                                           const struct wf_rank *like)
{
    size_t count = 0;
    for (size_t i = 0, end; i < ranks->count; i = end) {
        end = i + 1;
        if (!ending_text_is_same(&ranks->items[i], like))
            continue;
        while (end < ranks->count && ending_text_is_same(&ranks->items[end], like) &&
               ranks->items[end].rank == ranks->items[end - 1].rank + 1)
            end++;
        fprintf(to, "%s%" PRId64, count ? ", " : "", ranks->items[i].rank);
        if (end - i > 1)
            fprintf(to, "%s%" PRId64, end - i > 2 ? page->glyphs->dash : ", ", ranks->items[end - 1].rank);
        count += end - i;
    }
    return count;
}

/* " for up to 3.64 s": how long the ranks of a group had been in their call; "" if that is not known. */
static void ending_text_duration(const struct wf_page *page, const struct wf_rank_list *ranks,
                                 const struct wf_rank *like, char *text, size_t bytes)
{
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (ending_text_is_same(&ranks->items[i], like)) {
            int64_t ns = ranks->items[i].last_site_ns;
            least = ns < least ? ns : least;
            most = ns > most ? ns : most;
        }
    *text = '\0';
    if (most > 0)
        snprintf(text, bytes, " for %s%s", least < most ? "up to " : "", wf_quantity_time(page, most).text);
}

static void ending_text_print_group(struct wf_page *page, const struct wf_overview *overview,
                                    const struct wf_rank *rank)
{
    const struct wf_statement *last = wf_statement_list_by_id(&overview->statements, rank->last_site);
    char *ranks = NULL, *place = ending_text_place(last);
    size_t bytes;
    FILE *to = open_memstream(&ranks, &bytes);
    size_t count = to ? ending_text_print_ranks_like(to, page, &overview->ranks, rank) : 0;
    if (to)
        fclose(to);
    char duration[64];
    ending_text_duration(page, &overview->ranks, rank, duration, sizeof duration);
    wf_page_wrap(page, WF_PLAIN, "    ", "rank%s %s %s in %s at %s%s", count == 1 ? "" : "s", ranks ? ranks : "",
                 count == 1 ? "was" : "were", last->name, place, duration);
    free(ranks);
    free(place);
}

/* Adds a group for the rank if no group has the same ending. Returns false if there is no room for another group. */
static bool ending_text_join_group(const struct wf_rank **groups, size_t *count, const struct wf_rank *rank)
{
    for (size_t i = 0; i < *count; i++)
        if (ending_text_is_same(groups[i], rank))
            return true;
    if (*count == GROUPS)
        return false;
    groups[(*count)++] = rank;
    return true;
}

/* Prints the last statement of each rank that did not finish, if it was in MPI. */
static void ending_text_print_groups(struct wf_page *page, const struct wf_overview *overview)
{
    const struct wf_rank_list *ranks = &overview->ranks;
    const struct wf_rank *groups[GROUPS];
    size_t count = 0, others = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (!wf_rank_ended_well(&ranks->items[i]) &&
            wf_statement_list_by_id(&overview->statements, ranks->items[i].last_site))
            others += !ending_text_join_group(groups, &count, &ranks->items[i]);
    for (size_t i = 0; i < count; i++)
        ending_text_print_group(page, overview, groups[i]);
    if (others)
        wf_page_wrap(page, WF_PLAIN, "    ", "and %s elsewhere: see weft report --ranks --all",
                     wf_quantity_count((int64_t)others).text);
}

void wf_ending_print(struct wf_page *page, const struct wf_overview *overview)
{
    const struct wf_rank_list *ranks = &overview->ranks;
    size_t unwell = 0;
    for (size_t i = 0; i < ranks->count; i++)
        unwell += !wf_rank_ended_well(&ranks->items[i]);
    if (unwell)
        wf_page_wrap(page, WF_WARN, "  ! ", "Incomplete: %s of %s rank%s did not finish.",
                     wf_quantity_count((int64_t)unwell).text, wf_quantity_count((int64_t)ranks->count).text,
                     ranks->count == 1 ? "" : "s");
    else if (!wf_program_integer(&overview->program, "complete"))
        wf_page_wrap(page, WF_WARN, "  ! ", "Incomplete: some data could not be recorded.");
    ending_text_print_groups(page, overview);
    wf_stuck_print(page, &overview->stuck, WF_WARN, "  ! ", "    ", false);
    for (size_t i = 0; i < overview->program.note_count; i++)
        wf_page_wrap(page, WF_WARN, "  ! ", "%s", overview->program.notes[i]);
}
