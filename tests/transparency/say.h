/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The programs of this folder write all they can observe of MPI to a file a rank, said.RANK in the current directory,
 * without any figure that differs from run to run. run.sh compares what they say with and without weft.
 */
#ifndef SAY_H
#define SAY_H

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD

static int rank, size;
static FILE *said;

static void say_open(const char *name, int number)
{
    char path[64];
    snprintf(path, sizeof path, "%s.%d", name, number);
    said = fopen(path, "w");
    if (!said)
        exit(99);
    setvbuf(said, NULL, _IOLBF, 0);
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(said, format, arguments);
    va_end(arguments);
    fputc('\n', said);
}

static void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    say_open("said", rank);
}

/* MPICH puts a checksum of the error's text, which has addresses in it, into four bits of the code. */
#ifdef MPICH_VERSION
#define CODE(code) ((code) & ~0x3c000000)
#else
#define CODE(code) (code)
#endif

/* A return code as the library made it, and its class. */
__attribute__((unused)) static void say_code(const char *what, int code)
{
    int class = -1;
    MPI_Error_class(code, &class);
    say("%s: code %d class %d", what, CODE(code), class);
}

#define SAY(call) say_code(#call, call)

/* What a status holds before MPI writes to it: what it leaves alone can be seen. */
__attribute__((unused)) static MPI_Status blank(void)
{
    MPI_Status status;
    memset(&status, 0, sizeof status);
    status.MPI_SOURCE = -777;
    status.MPI_TAG = -778;
    status.MPI_ERROR = -779;
    return status;
}

__attribute__((unused)) static void say_status(const char *what, const MPI_Status *status)
{
    int ints = -1, bytes = -1, elements = -1, cancelled = -1;
    MPI_Get_count(status, MPI_INT, &ints);
    MPI_Get_count(status, MPI_BYTE, &bytes);
    MPI_Get_elements(status, MPI_INT, &elements);
    MPI_Test_cancelled(status, &cancelled);
    say("%s: source %d tag %d error %d ints %d bytes %d elements %d cancelled %d", what, status->MPI_SOURCE,
        status->MPI_TAG, CODE(status->MPI_ERROR), ints, bytes, elements, cancelled);
}

__attribute__((unused)) static void say_request(const char *what, MPI_Request request)
{
    say("%s: %s", what, request == MPI_REQUEST_NULL ? "null" : "not null");
}

#endif
