/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs that read profiles. A profile is an SQLite database; docs/profile.md describes its views.
 */
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#define WEFT_PROFILE_APPLICATION_ID 0x77656674 /* PRAGMA application_id: "weft" */
#define WEFT_PROFILE_VERSION 7                 /* PRAGMA user_version */

/* The values of com.dest_node that are not a rank. */
enum weft_partner {
    WEFT_PARTNER_ALL = -1,     /* a collective, or a call that concerns a whole window, group or file */
    WEFT_PARTNER_NOBODY = -2,  /* a local call, a poll without success, or MPI_PROC_NULL */
    WEFT_PARTNER_OUTSIDE = -3, /* a process of another world: spawned, or connected to */
};

/* The values of wait.kind: the wait states. */
#define WEFT_WAIT_LATE_SENDER "late sender"       /* a receive began before its message was sent */
#define WEFT_WAIT_WRONG_ORDER "wrong order"       /* the same, while the message of a later receive was sent earlier */
#define WEFT_WAIT_LATE_RECEIVER "late receiver"   /* a synchronous or large send began before its receive */
#define WEFT_WAIT_BARRIER "wait at barrier"       /* another member entered the barrier later */
#define WEFT_WAIT_ALL_TO_ALL "wait at N-to-N"     /* the same, in a collective in which all members need all members */
#define WEFT_WAIT_LATE_BROADCAST "late broadcast" /* the root of a broadcast or scatter entered later */
#define WEFT_WAIT_EARLY_REDUCE "early reduce"     /* the root of a reduction or gather entered before a member */
#define WEFT_WAIT_SCAN "wait at scan"             /* a lower rank entered a scan later */
#define WEFT_WAIT_NEIGHBOUR "wait at neighbour"   /* a neighbour entered a neighbourhood collective later */
#define WEFT_WAIT_WINDOW                                                                                            \
    "wait at window"                    /* another member entered a fence, or another collective on a window, later \
                                         */
#define WEFT_WAIT_LATE_POST "late post" /* an access epoch began before its target had posted the exposure */
#define WEFT_WAIT_LATE_COMPLETE "late complete" /* an exposure ended before an origin had completed its accesses */
#define WEFT_WAIT_LOCK "wait for lock"          /* another rank had the lock of a window, and gave it back later */
#define WEFT_WAIT_FILE "wait at file"           /* another member entered a collective on a file later */

#endif
