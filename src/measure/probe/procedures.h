/* SPDX-License-Identifier: BSD-3-Clause
 *
 * * Procedures known by their address only: those that -finstrument-functions tells of (__cyg_profile_func_*). Owned by
 * the process: any thread looks them up without a lock, and adds to them with the regions' lock held.
 */
#ifndef WF_PROBE_PROCEDURES_H
#define WF_PROBE_PROCEDURES_H

#include <stdint.h>

/* With the regions' lock held: a library between these addresses is closed, and with it what patterns left out. */
void wf_probe_procedures_close(uintptr_t start, uintptr_t end);

#endif
