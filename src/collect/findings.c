/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/array.h"
#include "format/mpi_calls.h"

#define MOST_WORLDS 4 /* that get a sentence of their own */
#define MOST_FILES 3  /* that are named in one */

/* ---- refused files ---- */

void wf_refusals_fini(struct wf_refusals *refusals)
{
    for (size_t i = 0; i < refusals->count; i++) {
        free(refusals->items[i].file);
        free(refusals->items[i].reason);
    }
    free(refusals->items);
    *refusals = (struct wf_refusals){0};
}

int wf_refusals_add(struct wf_refusals *refusals, const char *file, const char *reason)
{
    void *items =
        wf_array_reserve(refusals->items, &refusals->capacity, refusals->count + 1, sizeof *refusals->items);
    if (!items)
        return -1;
    refusals->items = items;
    struct wf_refusal *added = &refusals->items[refusals->count++];
    *added = (struct wf_refusal){strdup(file), strdup(reason)};
    return added->file && added->reason ? 0 : -1;
}

static bool is_first_of_its_reason(const struct wf_refusals *refusals, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(refusals->items[i].reason, refusals->items[index].reason) == 0)
            return false;
    return true;
}

static void note_reason(struct wf_notes *notes, const struct wf_refusals *refusals, size_t first)
{
    const char *reason = refusals->items[first].reason;
    struct wf_phrase files = {""};
    size_t count = 0;
    for (size_t i = first; i < refusals->count; i++) {
        if (strcmp(refusals->items[i].reason, reason) != 0)
            continue;
        size_t length = strlen(files.text);
        if (count++ < MOST_FILES)
            snprintf(files.text + length, sizeof files.text - length, "%s%s", length ? ", " : "",
                     refusals->items[i].file);
    }
    if (count == 1)
        wf_notes_add(notes, "Segment %s is left out: %s.", files.text, reason);
    else if (count <= MOST_FILES)
        wf_notes_add(notes, "Segments %s are left out, each for this: %s.", files.text, reason);
    else
        wf_notes_add(notes, "Segments %s and %zu more are left out, each for this: %s.", files.text,
                     count - MOST_FILES, reason);
}

static void note_refusals(struct wf_notes *notes, const struct wf_refusals *refusals)
{
    for (size_t i = 0; i < refusals->count; i++)
        if (is_first_of_its_reason(refusals, i))
            note_reason(notes, refusals, i);
}

/* ---- unwatched ranks ---- */

/* A world's ranks that are there, or those that are not. */
static size_t list_world(const struct wf_ranks *ranks, const struct wf_world *world, bool present,
                         int64_t *list)
{
    size_t count = 0;
    int64_t next = world->first;
    for (size_t i = 0; i < ranks->count; i++) {
        int64_t rank = ranks->items[i].rank;
        if (rank < world->first || rank >= world->first + world->size)
            continue;
        while (!present && next < rank)
            list[count++] = next++;
        next = rank + 1;
        if (present)
            list[count++] = rank;
    }
    while (!present && next < world->first + world->size)
        list[count++] = next++;
    return count;
}

static void note_unwatched(struct wf_notes *notes, const struct wf_ranks *ranks, const struct wf_world *world,
                           size_t number, int64_t *list, bool outer)
{
    bool most_present = world->present >= (size_t)world->size - world->present; /* so both lists have room */
    size_t count = list_world(ranks, world, !most_present, list);
    struct wf_phrase which = wf_phrase_ranks(list, count), size = wf_phrase_count((uint64_t)world->size),
                     present = wf_phrase_count(world->present);
    char of[64] = "ranks";
    if (number > 0)
        snprintf(of, sizeof of, "processes of world %zu", number);
    wf_notes_add(
        notes,
        "Only %s of %s %s %s watched (%s%s): the %s left no data; %s.", present.text, size.text, of,
        world->present == 1 ? "was" : "were", most_present ? "not " : "", which.text,
        most_present ? "missing ones" : "others",
        outer ? "they ended before MPI_Init had returned, have no weft (LD_PRELOAD was replaced) or are on hosts "
                "that do not see the run directory"
              : "put weft run before mpirun, or before the program of every rank");
}

static void note_worlds(struct wf_notes *notes, const struct wf_ranks *ranks, const struct wf_worlds *worlds,
                        int64_t *list, bool outer)
{
    size_t incomplete = 0, alone = 0;
    for (size_t i = 0; i < worlds->count; i++) {
        const struct wf_world *world = &worlds->items[i];
        alone += world->size == 1;
        if (world->present < (size_t)world->size && incomplete++ < MOST_WORLDS)
            note_unwatched(notes, ranks, world, i, list, outer);
    }
    if (incomplete > MOST_WORLDS)
        wf_notes_add(notes, "Of %zu further worlds, too, only a part of the processes was watched.",
                     incomplete - MOST_WORLDS);
    if (alone > 1 && alone == worlds->count && !ranks->items[0].without_mpi)
        wf_notes_add(notes,
                     "Each of the %zu processes was alone in its MPI_COMM_WORLD: if they should have worked "
                     "together, they "
                     "were started by the mpirun of another MPI library than theirs.",
                     alone);
}

/* ---- ranks that have something in common ---- */

struct group {
    int64_t *ranks; /* room for all of them */
    size_t count;
};

typedef bool test_rank(const struct wf_rank *rank, int32_t argument);

static void select_ranks(struct group *group, const struct wf_ranks *ranks, test_rank *test, int32_t argument)
{
    group->count = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (test(&ranks->items[i], argument))
            group->ranks[group->count++] = ranks->items[i].rank;
}

/* "Rank 2" or "Ranks 1 and 3", at the beginning of a sentence. */
static struct wf_phrase subject(const struct group *group)
{
    struct wf_phrase phrase = wf_phrase_ranks(group->ranks, group->count);
    phrase.text[0] = 'R';
    return phrase;
}

static const char *number(const struct group *group, const char *one, const char *several)
{
    return group->count == 1 ? one : several;
}

static bool has_ending(const struct wf_rank *rank, int32_t ending)
{
    return rank->ending == (enum wf_ending)ending;
}

static bool died_in_mpi(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->ending == WF_ENDING_DIED && !rank->without_mpi;
}

static bool died_without_mpi(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->ending == WF_ENDING_DIED && rank->without_mpi;
}

static bool aborted_with(const struct wf_rank *rank, int32_t code)
{
    return rank->ending == WF_ENDING_ABORTED && rank->header->end_code == code;
}

static bool first_with_code(const struct wf_ranks *ranks, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (aborted_with(&ranks->items[i], ranks->items[index].header->end_code))
            return false;
    return true;
}

static void note_aborts(struct wf_notes *notes, const struct wf_ranks *ranks, struct group *group)
{
    for (size_t i = 0; i < ranks->count; i++) {
        int32_t code = ranks->items[i].header->end_code;
        if (ranks->items[i].ending != WF_ENDING_ABORTED || !first_with_code(ranks, i))
            continue;
        select_ranks(group, ranks, aborted_with, code);
        wf_notes_add(notes, "%s called MPI_Abort with code %d: %s figures end there.", subject(group).text,
                     code, number(group, "its", "their"));
    }
}

static void note_endings(struct wf_notes *notes, const struct wf_ranks *ranks, struct group *group)
{
    note_aborts(notes, ranks, group);
    select_ranks(group, ranks, has_ending, WF_ENDING_EXITED);
    if (group->count)
        wf_notes_add(notes, "%s exited without MPI_Finalize: %s figures end there.", subject(group).text,
                     number(group, "its", "their"));
    select_ranks(group, ranks, died_in_mpi, 0);
    if (group->count)
        wf_notes_add(notes, "%s died without MPI_Finalize: %s figures end at %s last sign of life.",
                     subject(group).text, number(group, "its", "their"), number(group, "its", "their"));
    select_ranks(group, ranks, died_without_mpi, 0);
    if (group->count)
        wf_notes_add(notes, "%s died: what %s was in then has only the time of what had ended inside it.",
                     subject(group).text, number(group, "it", "each of them"));
    select_ranks(group, ranks, has_ending, WF_ENDING_RUNNING);
    if (group->count)
        wf_notes_add(notes, "%s still %s: the figures are those of this moment; collect again at the end.",
                     subject(group).text, number(group, "runs", "run"));
}

/* ---- what found no room ---- */

static bool dropped_calls(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return wf_rank_dropped_calls(rank) != 0;
}

static bool dropped_requests(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->dropped_requests != 0;
}

static bool dropped_lanes(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->dropped_lanes != 0;
}

static bool dropped_regions(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->dropped_regions || rank->header->dropped_visits;
}

static bool passed_events(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->passed != 0;
}

struct losses {
    uint64_t calls, requests, lanes, regions, visits, passed;
    int64_t ns;
};

static struct losses sum_losses(const struct wf_ranks *ranks)
{
    struct losses sum = {0};
    for (size_t i = 0; i < ranks->count; i++) {
        const struct wf_rank *rank = &ranks->items[i];
        sum.calls += wf_rank_dropped_calls(rank);
        sum.requests += rank->header->dropped_requests;
        sum.lanes += rank->header->dropped_lanes;
        sum.regions += rank->header->dropped_regions;
        sum.visits += rank->header->dropped_visits;
        sum.passed += rank->header->passed;
        if (sum.ns < WF_TIME_LIMIT_NS)
            sum.ns += rank->times.dropped_ns;
    }
    return sum;
}

static void note_losses(struct wf_notes *notes, const struct wf_ranks *ranks, struct group *group)
{
    static const char *const more = "give more with weft run --segment-size";
    struct losses sum = sum_losses(ranks);
    select_ranks(group, ranks, dropped_calls, 0);
    if (group->count)
        wf_notes_add(notes, "%s: %s calls (%s) found no room in %s; %s.", subject(group).text,
                     wf_phrase_count(sum.calls).text, wf_phrase_time(sum.ns).text,
                     number(group, "its segment", "their segments"), more);
    select_ranks(group, ranks, dropped_requests, 0);
    if (group->count)
        wf_notes_add(notes,
                     "%s: %s nonblocking operations could not be followed to their end: their completions "
                     "are missing.",
                     subject(group).text, wf_phrase_count(sum.requests).text);
    select_ranks(group, ranks, dropped_lanes, 0);
    if (group->count)
        wf_notes_add(notes, "%s: %s threads found no room in %s, and their calls are not counted; %s.",
                     subject(group).text, wf_phrase_count(sum.lanes).text,
                     number(group, "its segment", "their segments"), more);
    select_ranks(group, ranks, dropped_regions, 0);
    if (group->count)
        wf_notes_add(
            notes,
            "%s: %s procedures and loops, and %s visits of others, found no room in %s: their time is "
            "in that of what is around them; %s.",
            subject(group).text, wf_phrase_count(sum.regions).text, wf_phrase_count(sum.visits).text,
            number(group, "its segment", "their segments"), more);
    select_ranks(group, ranks, passed_events, 0);
    if (group->count)
        wf_notes_add(notes,
                     "%s: %s visits and calls in signal handlers are not counted, because the signal came while weft "
                     "itself was at work.",
                     subject(group).text, wf_phrase_count(sum.passed).text);
}

/* ---- segments that say less than they should ---- */

static bool is_damaged(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->damaged;
}

static bool has_no_clock(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return !wf_timebase_known(&rank->timebase);
}

static bool has_other_table(const struct wf_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->mpi_calls != wf_mpi_call_count;
}

static void note_segments(struct wf_notes *notes, const struct wf_ranks *ranks, struct group *group)
{
    select_ranks(group, ranks, is_damaged, 0);
    if (group->count)
        wf_notes_add(notes, "%s left %s: the profile has what could be read of it.", subject(group).text,
                     number(group, "a segment that is damaged or cut short",
                            "segments that are damaged or cut short"));
    select_ranks(group, ranks, has_no_clock, 0);
    if (group->count)
        wf_notes_add(notes, "%s ended before %s could be set: counts and bytes are there, times are missing.",
                     subject(group).text, number(group, "its clock", "their clocks"));
    select_ranks(group, ranks, has_other_table, 0);
    if (group->count)
        wf_notes_add(notes,
                     "%s %s watched by another version of weft, whose MPI functions have numbers but no "
                     "names here; collect "
                     "with that version.",
                     subject(group).text, number(group, "was", "were"));
}

int wf_findings_note(struct wf_notes *notes, const struct wf_ranks *ranks, const struct wf_worlds *worlds,
                     const struct wf_refusals *refusals, bool outer)
{
    struct group group = {.ranks = calloc(ranks->count + 1, sizeof *group.ranks)};
    if (!group.ranks)
        return -1;
    note_worlds(notes, ranks, worlds, group.ranks, outer);
    note_endings(notes, ranks, &group);
    note_losses(notes, ranks, &group);
    note_segments(notes, ranks, &group);
    note_refusals(notes, refusals);
    free(group.ranks);
    return notes->lost ? -1 : 0;
}
