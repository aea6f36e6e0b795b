/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/library/flavour.h"

#include <stdio.h>
#include <string.h>

#include "measure/process/identity.h"

void wf_flavour_name(char *text, size_t bytes)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    char number[32] = "";
    wf_real.Get_library_version(version, &length);
#if defined(OPEN_MPI)
    sscanf(version, "Open MPI v%31[^, ]", number);
    snprintf(text, bytes, "Open MPI %s", number);
#else
    char name[32] = "MPICH";
    sscanf(version, "%31[^ :] Version:%31s", name, number); /* relatives of MPICH tell their own name */
    snprintf(text, bytes, "%s %s", name, number);
#endif
}

/* Relatives of MPICH have launchers with the same names, and what those do if they are asked is not known. */
void wf_flavour_ask_world(void)
{
#if !defined(OPEN_MPI)
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    if (wf_real.Get_library_version(version, &length) == MPI_SUCCESS &&
        strncmp(version, "MPICH Version", strlen("MPICH Version")) == 0)
        wf_identity_ask_world();
#endif
}

#if defined(OPEN_MPI)
struct wf_type_slot wf_type_slots[WF_TYPE_SLOTS];

void wf_types_init(void)
{
    const MPI_Datatype predefined[] = {
        MPI_CHAR,
        MPI_SIGNED_CHAR,
        MPI_UNSIGNED_CHAR,
        MPI_BYTE,
        MPI_PACKED,
        MPI_WCHAR,
        MPI_SHORT,
        MPI_UNSIGNED_SHORT,
        MPI_INT,
        MPI_UNSIGNED,
        MPI_LONG,
        MPI_UNSIGNED_LONG,
        MPI_LONG_LONG,
        MPI_UNSIGNED_LONG_LONG,
        MPI_FLOAT,
        MPI_DOUBLE,
        MPI_LONG_DOUBLE,
        MPI_INT8_T,
        MPI_INT16_T,
        MPI_INT32_T,
        MPI_INT64_T,
        MPI_UINT8_T,
        MPI_UINT16_T,
        MPI_UINT32_T,
        MPI_UINT64_T,
        MPI_AINT,
        MPI_OFFSET,
        MPI_COUNT,
        MPI_C_BOOL,
        MPI_C_COMPLEX,
        MPI_C_DOUBLE_COMPLEX,
        MPI_INTEGER,
        MPI_REAL,
        MPI_DOUBLE_PRECISION,
        MPI_COMPLEX,
        MPI_DOUBLE_COMPLEX,
        MPI_LOGICAL,
        MPI_CHARACTER,
        MPI_FLOAT_INT,
        MPI_DOUBLE_INT,
        MPI_LONG_INT,
        MPI_2INT,
    };
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++) {
        int bytes = 0;
        /* Two that fall into one slot: the second is asked each time. Common ones come first. */
        struct wf_type_slot *slot = &wf_type_slots[wf_type_slot(predefined[i])];
        if (!slot->type && wf_real.Type_size(predefined[i], &bytes) == MPI_SUCCESS && bytes >= 0)
            *slot = (struct wf_type_slot){predefined[i], (uint64_t)bytes};
    }
}
#else
void wf_types_init(void)
{
}
#endif
