/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Regions that were switched off while the program ran: their figures end at that moment, which the reader must know.
 */
#include <stdio.h>
#include <stdlib.h>

#include "collect/findings.h"

#define MOST_NAMED 6 /* in one sentence */

static bool region_was_switched_off(const struct wf_region_entry *entry, uint32_t kind)
{
    return entry->kind == kind && entry->off_ranks > 0;
}

static size_t switched_off_count(const struct wf_regions *regions, uint32_t kind)
{
    size_t count = 0;
    for (size_t i = 0; i < wf_regions_count(regions); i++)
        count += region_was_switched_off(&regions->entries[i], kind);
    return count;
}

/* "f (100,000 calls of 12 ns)", "for in heat.c:12 (...)"; the mean, where several ranks switched it off. */
static void switched_off_write_one(FILE *list, const struct wf_region_entry *entry,
                                   const struct wf_collected_program *program)
{
    bool procedure = entry->kind == WF_REGION_PROCEDURE;
    struct wf_phrase visits = wf_phrase_count(entry->off_visits / entry->off_ranks);
    fprintf(list, "%s", wf_collected_program_string(program, entry->name));
    if (!procedure)
        fprintf(list, " in %s:%u", wf_collected_program_string(program, entry->file), entry->line);
    fprintf(list, " (%s %s", visits.text, procedure ? "calls" : "times");
    if (entry->off_visits && entry->off_ns > 0)
        fprintf(list, procedure ? " of %.0f ns" : " %.0f ns", (double)entry->off_ns / (double)entry->off_visits);
    fputc(')', list);
}

static void switched_off_write_list(FILE *list, const struct wf_regions *regions,
                                    const struct wf_collected_program *program, uint32_t kind, size_t count)
{
    size_t named = 0;
    for (size_t i = 0; i < wf_regions_count(regions) && named < MOST_NAMED; i++) {
        if (!region_was_switched_off(&regions->entries[i], kind))
            continue;
        if (named++)
            fputs(", ", list);
        switched_off_write_one(list, &regions->entries[i], program);
    }
    if (count > named)
        fprintf(list, " and %zu more", count - named);
}

static int switched_off_note_kind(struct wf_notes *notes, const struct wf_regions *regions,
                                  const struct wf_collected_program *program, uint32_t kind)
{
    size_t count = switched_off_count(regions, kind), bytes;
    bool procedure = kind == WF_REGION_PROCEDURE, one = count == 1;
    char *text = NULL;
    if (count == 0)
        return 0;
    FILE *list = open_memstream(&text, &bytes);
    if (!list)
        return -1;
    switched_off_write_list(list, regions, program, kind, count);
    int result = fclose(list) == 0 ? 0 : -1;
    if (result == 0)
        wf_notes_add(
            notes,
            "%zu %s%s %s switched off while the program ran, because %s %s too short or too many for their cost: %s.",
            count, procedure ? "procedure" : "loop", one ? "" : "s", one ? "was" : "were", one ? "its" : "their",
            procedure ? "calls are" : "executions are", text);
    free(text);
    return result;
}

int wf_findings_note_off(struct wf_notes *notes, const struct wf_regions *regions,
                         const struct wf_collected_program *program)
{
    if (switched_off_note_kind(notes, regions, program, WF_REGION_PROCEDURE) != 0 ||
        switched_off_note_kind(notes, regions, program, WF_REGION_LOOP) != 0)
        return -1;
    return notes->lost ? -1 : 0;
}
