/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a command is started so that its MPI processes are watched, and which of the two orders is used:
 *
 *     weft run mpirun -n 4 ./app      outer: weft is the launcher's parent
 *     mpirun -n 4 weft run ./app      inner: weft is started once for each rank, and becomes the application
 */
#ifndef WF_LAUNCH_H
#define WF_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* What a launcher has told this process. */
struct wf_launch_place {
    bool inner;     /* a launcher started this process as one of its ranks */
    int rank;       /* 0 if not known */
    int local_size; /* ranks on this host; 0: not known */
    char job[128];  /* the same for all ranks of the job and for no other job */
    bool secret;    /* other users cannot guess `job` */
};

void wf_launch_look(struct wf_launch_place *place, const char *program);

/* Whether this is the name of a launcher, or of a daemon that a launcher starts on each host. */
bool wf_launch_is_launcher(const char *program);

/* The user's settings for the library in the processes. */
struct wf_launch_settings {
    long long segment_bytes; /* -1: the default */
    const char *only, *skip; /* patterns of regions, separated by commas, or NULL */
    const char *filter;      /* a file with lines "only PATTERN" and "skip PATTERN", or NULL */
    bool no_adaptive;        /* switch no region off */
    const char *clock;       /* clock model: a word that WEFT_CLOCK accepts, or NULL */
    const char *path;        /* the critical path: on, later, off; or NULL */
    const char *path_weight; /* elapsed, cpu; or NULL */
    long long path_regions;  /* number of tracked regions; -1: the default */
    const char *order;       /* what WEFT_ORDER says, or NULL */
    const char *profile;     /* off, or NULL */
    bool keep_order;         /* receives from any source take the message that would come first unwatched */
    long long hold_ms;       /* and are held back so long at the most; -1: the default */
    const char *path_select; /* patterns of regions that may be tracked, separated by commas, or NULL */
    bool races;              /* look for races between messages */
};

enum {
    WF_LAUNCH_PATH_REGIONS = 4096,       /* upper limit */
    WF_LAUNCH_HOLD_MS = 1000,            /* unless --hold says otherwise */
    WF_LAUNCH_SEGMENT_LEAST = 64 * 1024, /* initial size of a segment */
};

/* Checks what the table of options cannot express: numbers out of range, and empty patterns. */
int wf_launch_check(const struct wf_launch_settings *settings, struct wf_error *error);

/* Reads the filter file into `only` and `skip`. They last as long as the process and are never freed. */
int wf_launch_read_filter(struct wf_launch_settings *settings, struct wf_error *error);

/* Checks that the library can be preloaded. */
int wf_launch_check_library(struct wf_error *error);

/* Adds the preloaded library, the run directory and the settings to the environment. */
int wf_launch_prepare(const char *directory, const struct wf_launch_settings *settings, struct wf_error *error);

/* Makes a launcher pass the variables of wf_launch_prepare to ranks on other hosts. */
void wf_launch_reach_hosts(void);

/* Stores the path that execvp would use for the program. */
bool wf_launch_find_program(const char *program, char *path, size_t bytes);

/* Whether a program file is statically linked. False for scripts and missing files. */
bool wf_launch_is_static(const char *program);

/* Replaces this process. Returns only on failure, after an error message, with the exit status that a shell would
 * use. */
int wf_launch_become(char **argv);
int wf_launch_say_failure(const char *program, int why);

#endif
