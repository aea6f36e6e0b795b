/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the ranks of a deadlock waited for.
 */
#include "collect/profile_insert.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 8 }; /* of a note: see WF_SEGMENT_STUCK */

int wf_profile_writer_stuck(struct wf_profile_writer *writer, const struct wf_collected_rank *rank, const char *note,
                            struct wf_error *error)
{
    char *text = strdup(note), *rest = text, *field[FIELDS] = {NULL};
    if (!text)
        return wf_error_set(error, "out of memory");
    for (int i = 0; i < FIELDS; i++)
        field[i] = strsep(&rest, i + 1 < FIELDS ? "\t" : "\t\n");
    int result = 0;
    if (field[FIELDS - 1])
        result = INSERT(writer, WF_PROFILE_STUCK, error, NUMBER(rank->rank), NUMBER(strtoll(field[0], NULL, 10)),
                        NUMBER(strtoll(field[1], NULL, 10)), NUMBER(strtoll(field[2], NULL, 10)), TEXT(field[3]),
                        TEXT(field[4]), TEXT(field[5]), TEXT(field[6]), TEXT(field[7]));
    free(text);
    return result;
}
