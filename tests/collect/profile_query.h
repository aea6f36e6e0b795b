/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Asks a profile for single values, as a reader would. All functions end the test program on failure.
 */
#ifndef PROFILE_QUERY_H
#define PROFILE_QUERY_H

#include <sqlite3.h>

sqlite3 *profile_open(const char *path);
void profile_close(sqlite3 *profile);

/* The first column of the first row. The text is valid until the 4th call after this one. */
long long profile_number(sqlite3 *profile, const char *sql);
const char *profile_text(sqlite3 *profile, const char *sql);

/* How many notes contain this text. */
long long profile_notes(sqlite3 *profile, const char *text);

#endif
