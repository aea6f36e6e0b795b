/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The findings of weft doctor, which own their texts. A check examines one subject and adds its findings; cmd_doctor.c
 * lists the checks and prints the findings.
 */
#ifndef WF_DOCTOR_H
#define WF_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

enum wf_health { WF_HEALTH_OK, WF_HEALTH_NOTE, WF_HEALTH_MISSING };

struct wf_finding {
    const char *section;
    enum wf_health health;
    char *subject, *found;
    char *advice; /* what to do; "" if nothing */
};

struct wf_doctor {
    const char *section; /* section of the current check */
    struct wf_finding *findings;
    size_t count;
    int watchable; /* MPI libraries that weft can watch here */
};

void wf_doctor_add(struct wf_doctor *doctor, enum wf_health health, const char *subject, const char *advice,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The checks, one for each subject. */
void wf_doctor_check_mpi(struct wf_doctor *doctor);
void wf_doctor_check_compilers(struct wf_doctor *doctor);
void wf_doctor_check_debug_info(struct wf_doctor *doctor);
void wf_doctor_check_clock(struct wf_doctor *doctor);
void wf_doctor_check_kernel(struct wf_doctor *doctor);
void wf_doctor_check_cores(struct wf_doctor *doctor);
void wf_doctor_check_limits(struct wf_doctor *doctor);
void wf_doctor_check_space(struct wf_doctor *doctor);
void wf_doctor_check_variables(struct wf_doctor *doctor);
void wf_doctor_check_launcher(struct wf_doctor *doctor);
void wf_doctor_check_terminal(struct wf_doctor *doctor);

/* ---- help for checks ---- */

/* Runs a program from $PATH without a shell and with empty stdin. Stores the beginning of its stdout and stderr in
 * `text`. Returns false if the program does not exist or printed nothing in time. */
bool wf_doctor_run(const char *const *argv, char *text, size_t bytes);

/* Runs a function in a child process, where a crash does no harm, and stores the text that it wrote. Returns false
 * if it crashed, took too long or returned false. */
bool wf_doctor_try(bool (*function)(const void *argument, char *text, size_t bytes), const void *argument, char *text,
                   size_t bytes);

/* Stores the path of a program in $PATH; returns false if there is none. */
bool wf_doctor_which(const char *program, char *path, size_t bytes);

/* Stores the first line of a file; returns false if it cannot be read. */
bool wf_doctor_read(const char *path, char *line, size_t bytes);

/* Cuts the text after its first line. */
char *wf_doctor_first_line(char *text);

#endif
