/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs a program of fixtures/ and gives the calls it made: from which address, and which place should be found for it.
 */
#ifndef FIXTURE_CALLS_H
#define FIXTURE_CALLS_H

#include <stddef.h>

struct fixture_call {
    char procedure[128];
    int line;
    char file[512];
    unsigned long offset; /* return address as the file sees it */
    char module[512];
};

/* Returns how many calls it made; 0 if there is no such program (its compiler is not installed). */
size_t fixture_calls_run(const char *command, struct fixture_call *calls, size_t room);

#endif
