/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The entry of a backend: the part of weft that is compiled for one MPI library.
 */
#include "measure/mpi/front.h"
#include "measure/library/real.h"
#include "measure/mpi/wrappers.h"

struct wf_real wf_real;

__attribute__((visibility("default"))) wf_backend_start_function weft_backend_start;

int weft_backend_start(const struct wf_front *front)
{
    if (front->calls != wf_wrappers_calls)
        return -1; /* two builds mixed */
#define X(name)                                           \
    *(void **)&wf_real.name = front->next("PMPI_" #name); \
    if (!wf_real.name)                                    \
        return -1;
    WF_REAL_FUNCTIONS(X)
#undef X
    wf_wrappers_install(front);
    return 0;
}
