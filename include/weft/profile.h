/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs that read profiles. A profile is an SQLite database; its views are described in docs/profile.md.
 */
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#define WEFT_PROFILE_APPLICATION_ID 0x77656674 /* PRAGMA application_id: "weft" */
#define WEFT_PROFILE_VERSION 4                 /* PRAGMA user_version */

/* com.dest_node where the partner is not a rank. */
enum weft_partner {
    WEFT_PARTNER_ALL = -1,     /* a collective, or a call that concerns a whole window, group or file */
    WEFT_PARTNER_NOBODY = -2,  /* a local call, a poll that found nothing, or MPI_PROC_NULL */
    WEFT_PARTNER_OUTSIDE = -3, /* a process of another world: spawned, or connected to */
};

/* wait.kind: what a statement waited for. */
#define WEFT_WAIT_LATE_SENDER "late sender"       /* a receive began before its message was sent */
#define WEFT_WAIT_WRONG_ORDER "wrong order"       /* the same, while a message for a later receive had been sent already */
#define WEFT_WAIT_LATE_RECEIVER "late receiver"   /* a synchronous or large send began before its receive */
#define WEFT_WAIT_BARRIER "wait at barrier"       /* another member entered the barrier later */
#define WEFT_WAIT_ALL_TO_ALL "wait at N-to-N"     /* the same, in a collective in which everybody needs everybody */
#define WEFT_WAIT_LATE_BROADCAST "late broadcast" /* the root of a broadcast or scatter entered later */
#define WEFT_WAIT_EARLY_REDUCE "early reduce"     /* the root of a reduction or gather entered before a member */
#define WEFT_WAIT_SCAN "wait at scan"             /* a lower rank entered a scan later */
#define WEFT_WAIT_NEIGHBOUR "wait at neighbour"   /* a neighbour entered a neighbourhood collective later */

#endif
