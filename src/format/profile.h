/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile: an SQLite database. profile.sql beside this file is its schema; the build turns it into wf_profile_schema.
 */
#ifndef WF_PROFILE_H
#define WF_PROFILE_H

#define WF_PROFILE_SUFFIX ".weft"
#define WF_PROFILE_APPLICATION_ID 0x77656674 /* "weft", in SQLite's header */
#define WF_PROFILE_VERSION 1                 /* SQLite's user_version; a reader refuses a larger one */

extern const char wf_profile_schema[];

#endif
