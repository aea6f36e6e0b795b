/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs here share. A PROCEDURE is one function in the machine code, however it is built; REGION marks its
 * body where it is built by hand (way "hand" in programs.tbl), so that its visits have the same name in all ways.
 */
#ifndef GUEST_H
#define GUEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PROCEDURE __attribute__((noinline))
#define UNWATCHED __attribute__((noinline, no_instrument_function))

#ifdef BY_HAND
#include <weft/weft.h>
#define REGION(name) WEFT_REGION(name)
#else
#define REGION(name)
#endif

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))
#define MUST(what)                                                  \
    do {                                                            \
        if (!(what)) {                                              \
            printf("line %d: %s does not hold\n", __LINE__, #what); \
            fflush(stdout);                                         \
            _exit(99);                                              \
        }                                                           \
    } while (0)

static volatile long guest_sink __attribute__((unused));

__attribute__((unused, no_instrument_function)) static void guest_sleep(long ms)
{
    struct timespec left = {ms / 1000, ms % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0)
        ;
}

/* What the profile must say and only the program knows: between low and high visits of `name`. */
__attribute__((unused, no_instrument_function)) static void guest_answer(const char *name, long low, long high)
{
    FILE *file = fopen("answers", "a");
    if (file) {
        fprintf(file, "%s=%ld-%ld\n", name, low, high);
        fclose(file);
    }
}

#endif
