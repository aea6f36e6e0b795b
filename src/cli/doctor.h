/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What weft doctor finds. A check looks at one thing and adds its findings; cmd_doctor.c lists the checks and
 * prints.
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
    const char *section; /* that of the check now at work */
    struct wf_finding *findings;
    size_t count;
    int watchable; /* MPI libraries that weft can watch here */
};

void wf_doctor_add(struct wf_doctor *doctor, enum wf_health health, const char *subject, const char *advice,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The checks. */
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

/* Runs a program from $PATH without a shell, stdin empty, and gives what it printed first, stdout and stderr
 * together. False if it is not there or printed nothing in time. */
bool wf_doctor_run(const char *const *argv, char *text, size_t bytes);

/* Runs a function in a child process, where a crash does not matter, and gives what it wrote into its text.
 * False if it crashed, took too long or returned false. */
bool wf_doctor_try(bool (*function)(const void *argument, char *text, size_t bytes), const void *argument,
                   char *text, size_t bytes);

/* Where a program lies in $PATH; false if nowhere. */
bool wf_doctor_which(const char *program, char *path, size_t bytes);

/* First line of a file; false if it cannot be read. */
bool wf_doctor_read(const char *path, char *line, size_t bytes);

/* Cuts the text behind its first line. */
char *wf_doctor_first_line(char *text);

#endif
