/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For programs that read profiles. A profile is an SQLite database; its views are described in docs/profile.md.
 */
#ifndef WEFT_PROFILE_H
#define WEFT_PROFILE_H

#define WEFT_PROFILE_APPLICATION_ID 0x77656674 /* PRAGMA application_id: "weft" */
#define WEFT_PROFILE_VERSION 1                 /* PRAGMA user_version */

/* com.dest_node where the partner is not a rank. */
enum weft_partner {
    WEFT_PARTNER_ALL = -1,     /* a collective, or a call that concerns a whole window, group or file */
    WEFT_PARTNER_NOBODY = -2,  /* a local call, a poll that found nothing, or MPI_PROC_NULL */
    WEFT_PARTNER_OUTSIDE = -3, /* a process of another world: spawned, or connected to */
};

#endif
