/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A parse under way: what parse.c and its parts share. wf_parse_unit owns it; one thread.
 */
#ifndef WF_PARSER_H
#define WF_PARSER_H

#include "instrument/clang.h"
#include "instrument/library.h"
#include "instrument/parse.h"

struct wf_parser {
    const struct wf_parse *parse;
    struct wf_source_unit *unit;
    CXTranslationUnit tree;
    CXPrintingPolicy policy;
    char *mpi_folder; /* where mpi.h lies, with its slash: not the user's, wherever it is */
    CXFile last_file; /* of the last look-up, which is nearly always the next one's */
    int last_source;
    struct wf_library library;
};

#endif
