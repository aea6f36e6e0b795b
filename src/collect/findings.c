/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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
    if (WF_ARRAY_RESERVE(refusals->items, refusals->capacity, refusals->count + 1) != 0)
        return -1;
    struct wf_refusal *added = &refusals->items[refusals->count++];
    *added = (struct wf_refusal){strdup(file), strdup(reason)};
    return added->file && added->reason ? 0 : -1;
}

static bool refusals_is_first_of_its_reason(const struct wf_refusals *refusals, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(refusals->items[i].reason, refusals->items[index].reason) == 0)
            return false;
    return true;
}

static void refusals_note_reason(struct wf_notes *notes, const struct wf_refusals *refusals, size_t first)
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
        wf_notes_add(notes, "Segments %s are left out for the same reason: %s.", files.text, reason);
    else
        wf_notes_add(notes, "Segments %s and %zu more are left out for the same reason: %s.", files.text,
                     count - MOST_FILES, reason);
}

static void refusals_note(struct wf_notes *notes, const struct wf_refusals *refusals)
{
    for (size_t i = 0; i < refusals->count; i++)
        if (refusals_is_first_of_its_reason(refusals, i))
            refusals_note_reason(notes, refusals, i);
}

/* ---- unwatched ranks ---- */

/* A world's ranks that are there, or those that are not. */
static size_t findings_list_world(const struct wf_collected_ranks *ranks, const struct wf_world *world, bool present,
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

static void findings_note_unwatched(struct wf_notes *notes, const struct wf_collected_ranks *ranks,
                                    const struct wf_world *world, size_t number, int64_t *list, bool outer)
{
    bool most_present = world->present >= (size_t)world->size - world->present; /* so both lists have room */
    size_t count = findings_list_world(ranks, world, !most_present, list);
    struct wf_phrase which = wf_phrase_ranks(list, count), size = wf_phrase_count((uint64_t)world->size),
                     present = wf_phrase_count(world->present);
    char of[64] = "ranks";
    if (number > 0)
        snprintf(of, sizeof of, "processes of world %zu", number);
    wf_notes_add(
        notes, "Only %s of %s %s %s watched (%s%s): the %s left no data; %s.", present.text, size.text, of,
        world->present == 1 ? "was" : "were", most_present ? "not " : "", which.text,
        most_present ? "missing ones" : "others",
        outer ? "they ended before MPI_Init had returned, did not load weft (LD_PRELOAD was replaced), or are on "
                "hosts that do not see the run directory"
              : "put weft run before mpirun, or before the program of every rank");
}

static void findings_note_worlds(struct wf_notes *notes, const struct wf_collected_ranks *ranks,
                                 const struct wf_worlds *worlds, int64_t *list, bool outer)
{
    size_t incomplete = 0, alone = 0;
    for (size_t i = 0; i < worlds->count; i++) {
        const struct wf_world *world = &worlds->items[i];
        alone += world->size == 1;
        if (world->present < (size_t)world->size && incomplete++ < MOST_WORLDS)
            findings_note_unwatched(notes, ranks, world, i, list, outer);
    }
    if (incomplete > MOST_WORLDS)
        wf_notes_add(notes, "In %zu further worlds, only some of the processes were watched.",
                     incomplete - MOST_WORLDS);
    if (alone > 1 && alone == worlds->count && !ranks->items[0].without_mpi)
        wf_notes_add(
            notes,
            "Each of the %zu processes was alone in its MPI_COMM_WORLD: if they should form one program, the mpirun "
            "of another MPI library started them.",
            alone);
}

/* ---- ranks that have something in common ---- */

struct rank_group {
    int64_t *ranks; /* room for all of them */
    size_t count;
};

typedef bool test_rank(const struct wf_collected_rank *rank, int32_t argument);

static void rank_group_select(struct rank_group *group, const struct wf_collected_ranks *ranks, test_rank *test,
                              int32_t argument)
{
    group->count = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (test(&ranks->items[i], argument))
            group->ranks[group->count++] = ranks->items[i].rank;
}

/* "Rank 2" or "Ranks 1 and 3", at the beginning of a sentence. */
static struct wf_phrase rank_group_subject(const struct rank_group *group)
{
    struct wf_phrase phrase = wf_phrase_ranks(group->ranks, group->count);
    phrase.text[0] = 'R';
    return phrase;
}

static const char *rank_group_word(const struct rank_group *group, const char *one, const char *several)
{
    return group->count == 1 ? one : several;
}

static bool findings_has_ending(const struct wf_collected_rank *rank, int32_t ending)
{
    return rank->ending == (enum wf_ending)ending;
}

/* seen: a guardian knows when. */
static bool findings_died(const struct wf_collected_rank *rank, int32_t seen)
{
    return rank->ending == WF_ENDING_DIED && (rank->gone_ns != 0) == (seen != 0);
}

static bool findings_aborted_with(const struct wf_collected_rank *rank, int32_t code)
{
    return rank->ending == WF_ENDING_ABORTED && rank->header->end_code == code;
}

static bool findings_first_with_code(const struct wf_collected_ranks *ranks, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (findings_aborted_with(&ranks->items[i], ranks->items[index].header->end_code))
            return false;
    return true;
}

static void findings_note_aborts(struct wf_notes *notes, const struct wf_collected_ranks *ranks,
                                 struct rank_group *group)
{
    for (size_t i = 0; i < ranks->count; i++) {
        int32_t code = ranks->items[i].header->end_code;
        if (ranks->items[i].ending != WF_ENDING_ABORTED || !findings_first_with_code(ranks, i))
            continue;
        rank_group_select(group, ranks, findings_aborted_with, code);
        wf_notes_add(notes, "%s called MPI_Abort with code %d: %s figures end there.", rank_group_subject(group).text,
                     code, rank_group_word(group, "its", "their"));
    }
}

static void findings_note_endings(struct wf_notes *notes, const struct wf_collected_ranks *ranks,
                                  struct rank_group *group)
{
    findings_note_aborts(notes, ranks, group);
    rank_group_select(group, ranks, findings_has_ending, WF_ENDING_EXITED);
    if (group->count)
        wf_notes_add(notes, "%s exited without MPI_Finalize: %s figures end there.", rank_group_subject(group).text,
                     rank_group_word(group, "its", "their"));
    const char *how = ranks->count && ranks->items[0].without_mpi ? "" : " without MPI_Finalize";
    rank_group_select(group, ranks, findings_died, 1);
    if (group->count)
        wf_notes_add(notes, "%s died%s: %s figures end there.", rank_group_subject(group).text, how,
                     rank_group_word(group, "its", "their"));
    rank_group_select(group, ranks, findings_died, 0);
    if (group->count)
        wf_notes_add(notes, "%s died%s: %s figures end at %s last recorded time.", rank_group_subject(group).text, how,
                     rank_group_word(group, "its", "their"), rank_group_word(group, "its", "their"));
    rank_group_select(group, ranks, findings_has_ending, WF_ENDING_RUNNING);
    if (group->count)
        wf_notes_add(notes, "%s still %s: the figures end at this moment; collect again when the program has ended.",
                     rank_group_subject(group).text, rank_group_word(group, "runs", "run"));
}

/* ---- what found no room ---- */

static bool findings_dropped_calls(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return wf_collected_rank_dropped_calls(rank) != 0;
}

static bool findings_dropped_requests(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->dropped_requests != 0;
}

static bool findings_dropped_lanes(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->dropped_lanes != 0;
}

static bool findings_dropped_regions(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->dropped_regions || rank->header->dropped_visits;
}

static bool findings_passed_events(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->passed != 0;
}

struct rank_losses {
    uint64_t calls, requests, lanes, regions, visits, passed;
    int64_t ns;
};

static struct rank_losses findings_sum_losses(const struct wf_collected_ranks *ranks)
{
    struct rank_losses sum = {0};
    for (size_t i = 0; i < ranks->count; i++) {
        const struct wf_collected_rank *rank = &ranks->items[i];
        sum.calls += wf_collected_rank_dropped_calls(rank);
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

static void findings_note_losses(struct wf_notes *notes, const struct wf_collected_ranks *ranks,
                                 struct rank_group *group)
{
    static const char *const more = "give weft run a larger --segment-size";
    struct rank_losses sum = findings_sum_losses(ranks);
    rank_group_select(group, ranks, findings_dropped_calls, 0);
    if (group->count)
        wf_notes_add(notes, "%s: %s calls (%s) did not fit into %s; %s.", rank_group_subject(group).text,
                     wf_phrase_count(sum.calls).text, wf_phrase_time(sum.ns).text,
                     rank_group_word(group, "its segment", "their segments"), more);
    rank_group_select(group, ranks, findings_dropped_requests, 0);
    if (group->count)
        wf_notes_add(notes,
                     "%s: %s nonblocking operations could not be followed to their end: their completions "
                     "are missing.",
                     rank_group_subject(group).text, wf_phrase_count(sum.requests).text);
    rank_group_select(group, ranks, findings_dropped_lanes, 0);
    if (group->count)
        wf_notes_add(notes, "%s: %s threads did not fit into %s, and their calls are not counted; %s.",
                     rank_group_subject(group).text, wf_phrase_count(sum.lanes).text,
                     rank_group_word(group, "its segment", "their segments"), more);
    rank_group_select(group, ranks, findings_dropped_regions, 0);
    if (group->count)
        wf_notes_add(
            notes,
            "%s: %s procedures and loops, and %s visits of others, did not fit into %s: their time is counted in the "
            "surrounding procedure or loop; %s.",
            rank_group_subject(group).text, wf_phrase_count(sum.regions).text, wf_phrase_count(sum.visits).text,
            rank_group_word(group, "its segment", "their segments"), more);
    rank_group_select(group, ranks, findings_passed_events, 0);
    if (group->count)
        wf_notes_add(notes,
                     "%s: %s visits and calls in signal handlers are not counted, because the signal came while weft "
                     "itself was running.",
                     rank_group_subject(group).text, wf_phrase_count(sum.passed).text);
}

/* ---- segments that say less than they should ---- */

static bool findings_is_damaged(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->damaged;
}

static bool findings_has_no_clock(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return !wf_timebase_known(&rank->timebase);
}

static bool findings_has_other_table(const struct wf_collected_rank *rank, int32_t unused)
{
    (void)unused;
    return rank->header->mpi_calls != wf_mpi_call_count;
}

static void findings_note_segments(struct wf_notes *notes, const struct wf_collected_ranks *ranks,
                                   struct rank_group *group)
{
    rank_group_select(group, ranks, findings_is_damaged, 0);
    if (group->count)
        wf_notes_add(
            notes, "%s left %s: the profile has the part that could be read.", rank_group_subject(group).text,
            rank_group_word(group, "a segment that is damaged or cut short", "segments that are damaged or cut short"));
    rank_group_select(group, ranks, findings_has_no_clock, 0);
    if (group->count)
        wf_notes_add(notes, "%s ended before %s could be set: counts and bytes are known, times are not.",
                     rank_group_subject(group).text, rank_group_word(group, "its clock", "their clocks"));
    rank_group_select(group, ranks, findings_has_other_table, 0);
    if (group->count)
        wf_notes_add(
            notes,
            "%s %s watched by another version of weft, so some MPI functions have a rank_group_word instead of a name; "
            "collect with that version.",
            rank_group_subject(group).text, rank_group_word(group, "was", "were"));
}

int wf_findings_note(struct wf_notes *notes, const struct wf_collected_ranks *ranks, const struct wf_worlds *worlds,
                     const struct wf_refusals *refusals, bool outer)
{
    struct rank_group group = {.ranks = calloc(ranks->count + 1, sizeof *group.ranks)};
    if (!group.ranks)
        return -1;
    findings_note_worlds(notes, ranks, worlds, group.ranks, outer);
    findings_note_endings(notes, ranks, &group);
    findings_note_losses(notes, ranks, &group);
    findings_note_segments(notes, ranks, &group);
    refusals_note(notes, refusals);
    free(group.ranks);
    return notes->lost ? -1 : 0;
}
