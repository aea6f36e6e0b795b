/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kind of an MPI function: what it does with its partner, as far as a report distinguishes it. Constant data only.
 */
#ifndef WF_ANALYSE_CALL_KIND_H
#define WF_ANALYSE_CALL_KIND_H

enum wf_call_kind {
    WF_CALL_OTHER,
    WF_CALL_START_END,  /* MPI_Init, MPI_Finalize: outside of the wall time */
    WF_CALL_SEND,       /* a transfer is a message to the partner */
    WF_CALL_RECEIVE,    /* a transfer is a message from the partner */
    WF_CALL_EXCHANGE,   /* send and receive: MPI_Sendrecv, MPI_Start */
    WF_CALL_COLLECTIVE, /* with a whole communicator, group or window */
    WF_CALL_ONE_SIDED,  /* to or from the memory of the partner */
    WF_CALL_COMPLETION, /* waits, tests and probes: their transfers are counted where they were started */
    WF_CALL_FILE,
};

/* Generated from format/mpi_calls.tbl; ended by an entry without a name. */
struct wf_call_class {
    const char *name;
    const char *class;
};
extern const struct wf_call_class wf_call_classes[];

enum wf_call_kind wf_call_kind_of(const char *function);

/* One word for JSON: "send", "collective", ... */
const char *wf_call_kind_name(enum wf_call_kind kind);

#endif
