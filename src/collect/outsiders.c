/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collect/findings.h"

void wf_outsiders_fini(struct wf_outsiders *outsiders)
{
    for (size_t i = 0; i < outsiders->count; i++) {
        free(outsiders->items[i].file);
        free(outsiders->items[i].program);
    }
    free(outsiders->items);
    *outsiders = (struct wf_outsiders){0};
}

int wf_outsiders_add(struct wf_outsiders *outsiders, const struct wf_segment_reader *reader, const char *file)
{
    const struct wf_segment_header *header = wf_segment_reader_header(reader);
    if (WF_ARRAY_RESERVE(outsiders->items, outsiders->capacity, outsiders->count + 1) != 0)
        return -1;
    struct wf_outsider *added = &outsiders->items[outsiders->count++];
    *added = (struct wf_outsider){.file = strdup(file),
                                  .program = strndup(header->program, sizeof header->program),
                                  .pid = header->pid,
                                  .instrumented = reader->counts[WF_CHUNK_REGION] != 0 || header->dropped_regions != 0};
    return added->file && added->program ? 0 : -1;
}

void wf_outsiders_note(const struct wf_outsiders *outsiders, struct wf_notes *notes)
{
    static const char *const why = "instrumented code without MPI is shown where no process has MPI";
    const struct wf_outsider *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < outsiders->count; i++) {
        if (!outsiders->items[i].instrumented)
            continue;
        first = first ? first : &outsiders->items[i];
        count++;
    }
    if (count == 1)
        wf_notes_add(notes, "Process %u (%s) did not initialise MPI and is left out: %s.", first->pid, first->program,
                     why);
    else if (count > 1)
        wf_notes_add(notes, "Process %u (%s) and %zu more did not initialise MPI and are left out: %s.", first->pid,
                     first->program, count - 1, why);
}
