/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places in the user's text, from libclang's locations. Places in a rewritten text become those of the original. They
 * belong to one parse; one thread.
 */
#ifndef WF_SOURCE_PLACE_H
#define WF_SOURCE_PLACE_H

#include "instrument/parser.h"

struct wf_source_place {
    int source; /* WF_NONE: not in the user's text */
    size_t at;
    bool inserted; /* in text that weft inserted */
};

/* `is_end`: the location is the end of something. */
struct wf_source_place wf_source_place_at(struct wf_parser *parser, CXSourceLocation location, bool is_end);

struct wf_source_place wf_source_place_begin(struct wf_parser *parser, CXCursor cursor);
struct wf_source_place wf_source_place_end(struct wf_parser *parser, CXCursor cursor);

/* gcc says "x.h" for a header in the current directory, libclang "./x.h". Returns a part of the given name. */
const char *wf_source_place_plain_name(const struct wf_parser *parser, const char *name);

/* File and line as the compiler counts them, by #line; free() the file. */
void wf_source_place_presumed(const struct wf_parser *parser, CXSourceLocation location, char **file, unsigned *line);

/* Whether the place is in a system header, in a source that is preprocessed already. */
bool wf_source_place_is_foreign(const struct wf_parser *parser, CXSourceLocation location);

/* Sets begin_line and end_line to the cursor's. */
void wf_source_place_set_lines(struct wf_source_region *region, CXCursor cursor);

#endif
