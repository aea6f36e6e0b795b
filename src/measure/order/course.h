/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The course of this process (format/course.h): written into a mapped file of the run directory while it is recorded,
 * or read from a recording, in blocks, while it is replayed. No descriptor is kept, and no memory but one block for
 * each of the two sequences of a recording.
 *
 * One thread writes or reads: that which makes the MPI calls.
 */
#ifndef WF_ORDER_COURSE_H
#define WF_ORDER_COURSE_H

#include <mpi.h>

#include "format/course.h"

/* ---- writing ---- */

/* Makes the file. False: it cannot, and has said why. */
bool wf_course_create(int rank, int size);

/* Nothing is written from now on. The collector says why. */
void wf_course_stop(enum wf_course_stop why);
bool wf_course_is_stopped(void);

void wf_course_add(const struct wf_course_event *e);
/* With numbers behind it: the indices of a Waitsome. */
void wf_course_add_list(const struct wf_course_event *e, const int *numbers, uint64_t n);
void wf_course_add_failed(void);
/* A receive is posted: its number. */
uint64_t wf_course_post(void);
/* What it took. */
void wf_course_add_result(uint64_t receive, int source, int tag);
void wf_course_add_unknown(uint64_t receive);

/* ---- reading ---- */

enum { WF_COURSE_BLOCK_BYTES = 64 * 1024 };

/* One of the two sequences. */
struct wf_course_reader {
    struct wf_course_tags tags;
    uint64_t at, end; /* in the file, of what is not in the block yet */
    size_t next, filled;
    uint8_t *block;
};

struct wf_course_readers {
    struct wf_course_reader events, receives;
    struct wf_recording_rank rank;
    uint64_t gap_ns; /* the longest time between two events of a rank, as recorded */
};

enum wf_course_opening { WF_COURSE_OPENED, WF_COURSE_UNREADABLE, WF_COURSE_OTHER_SIZE, WF_COURSE_OTHER_PROGRAM };

/* Opens the course of a rank in the recording. It was checked by weft run. */
enum wf_course_opening wf_course_open(struct wf_course_readers *readers, const char *path, int rank, int size);

/* The next event. False: there is none. */
bool wf_course_next(struct wf_course_reader *reader, struct wf_course_event *e);
bool wf_course_next_number(struct wf_course_reader *reader, uint64_t *number);

#endif
