/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which process this is: its host, program and command, and the name of its MPI_COMM_WORLD. Asked once, by the thread
 * that opens the segment.
 */
#ifndef WF_IDENTITY_H
#define WF_IDENTITY_H

#include "base/shared.h"
#include "format/segment.h"

void wf_identity_write(struct wf_segment_header *header);

/* The launcher's name of this process's MPI_COMM_WORLD, fit for a file's name; empty where it gives none. */
void wf_identity_world(char text[static WF_WORLD_BYTES]) WF_SHARED(identity_world);

/* MPICH is about to be initialised: the last moment to ask its launcher for that name, and the first (process/hydra.h).
 * Later calls do nothing. */
void wf_identity_ask_world(void) WF_SHARED(identity_ask_world);

#endif
