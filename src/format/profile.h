/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profile: an SQLite database. profile.sql beside this file is its schema; the build turns it into
 * wf_profile_schema.
 */
#ifndef WF_PROFILE_H
#define WF_PROFILE_H

#include "weft/profile.h"

#define WF_PROFILE_SUFFIX ".weft"
#define WF_PROFILE_APPLICATION_ID WEFT_PROFILE_APPLICATION_ID
#define WF_PROFILE_VERSION WEFT_PROFILE_VERSION /* a reader refuses a larger one */

extern const char wf_profile_schema[];

#endif
