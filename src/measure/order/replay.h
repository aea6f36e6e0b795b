/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way that replays: each call whose outcome MPI's rules leave open comes out as it is recorded. Here is what its
 * parts share: where the process is in its course (replay.c), for receives and probes (replay_receive.c) and for
 * completions (replay_complete.c).
 *
 * A process departs from the recording where it does something else than is recorded, or where what is recorded does
 * not come in time. From then on MPI decides. One thread makes the calls; a second one is a departure, too.
 */
#ifndef WF_REPLAY_H
#define WF_REPLAY_H

#include "measure/order/completion.h"
#include "measure/order/course.h"
#include "measure/order/order.h"
#include "measure/order/patience.h"

enum wf_replay_answer {
    WF_REPLAY_FREE, /* the process has departed, or the call returned an error: MPI decides */
    WF_REPLAY_NO,   /* a poll fails */
    WF_REPLAY_YES,  /* the call comes out as the event says */
};

/* The next event must be of this kind. A poll may also have failed. */
enum wf_replay_answer wf_replay_expect(const struct wf_call *c, enum wf_course_kind kind, struct wf_course_event *e);
enum wf_replay_answer wf_replay_poll(const struct wf_call *c, enum wf_course_kind kind, struct wf_course_event *e);
/* One of the indices behind an event. False: the recording is damaged. */
bool wf_replay_index(uint64_t *index);

bool wf_replay_has_departed(void);
void wf_replay_depart(const struct wf_call *c, const char *why);

/* A wait for what is recorded. Wait a little, as long as it makes sense; false: it does not, and the process has
 * departed. */
struct wf_replay_wait {
    struct wf_patience patience;
    uint64_t since_ns, events;
};
bool wf_replay_goes_on(const struct wf_call *c, struct wf_replay_wait *wait);

/* Can a message come from there? */
bool wf_replay_is_possible(MPI_Comm comm, int source, int tag);

/* What the next receive that is posted takes. */
enum wf_replay_taking { WF_REPLAY_ENDS, WF_REPLAY_TAKES, WF_REPLAY_NOTHING, WF_REPLAY_UNKNOWN };
enum wf_replay_taking wf_replay_next_receive(struct wf_course_event *e);

typedef bool wf_replay_direct(struct wf_call *c, struct wf_args *a, int *rc);
wf_replay_direct wf_replay_recv, wf_replay_sendrecv, wf_replay_irecv, wf_replay_start, wf_replay_startall,
    wf_replay_probe, wf_replay_mprobe, wf_replay_iprobe, wf_replay_improbe, wf_replay_cancel;
wf_replay_direct wf_replay_wait_one, wf_replay_wait_all, wf_replay_wait_any, wf_replay_wait_some, wf_replay_test_one,
    wf_replay_test_all, wf_replay_test_any, wf_replay_test_some, wf_replay_status;
void wf_replay_recv_init(struct wf_call *c, const struct wf_args *a, int rc);

#endif
