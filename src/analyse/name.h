/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names of procedures, as compilers write them and as people write them. Pure functions.
 */
#ifndef WF_ANALYSE_NAME_H
#define WF_ANALYSE_NAME_H

#include <stdbool.h>

/* A C++ name without its template arguments and parameters: "Grid<double, 3>::exchange(int)" ->
 * "Grid::exchange". To be freed. */
char *wf_name_short(const char *name);

/* Whether a user's word means this name: the whole name, its short form, or the part of the short form after a "::". */
bool wf_name_means(const char *word, const char *name);

#endif
