/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compilers, and tools that show source lines.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor.h"
#include "instrument/instrument.h"

struct doctor_tool {
    const char *name, *option, *advice, *purpose;
};

static const struct doctor_tool compilers[] = {
    {"gcc", "--version", "apt-get install gcc", "C"},
    {"g++", "--version", "apt-get install g++", "C++"},
    {"gfortran", "--version", "apt-get install gfortran", "Fortran"},
    {"clang", "--version", "apt-get install clang", "a second compiler for C"},
};

static const struct doctor_tool debug_tools[] = {
    {"eu-addr2line", "--version", "apt-get install elfutils", "to read debug information by hand"},
    {"gdb", "--version", "apt-get install gdb", "to read a core file"},
};

static void doctor_check_tools(struct wf_doctor *doctor, const struct doctor_tool *tools, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[2048], found[128];
        const struct doctor_tool *tool = &tools[i];
        if (wf_doctor_run((const char *const[]){tool->name, tool->option, NULL}, text, sizeof text)) {
            wf_doctor_add(doctor, WF_HEALTH_OK, tool->name, "", "%s", wf_doctor_first_line(text));
        } else {
            snprintf(found, sizeof found, "not found (%s)", tool->purpose);
            wf_doctor_add(doctor, WF_HEALTH_NOTE, tool->name, tool->advice, "%s", found);
        }
    }
}

/* Checks which compiler mpicc calls. */
static void doctor_check_wrapper(struct wf_doctor *doctor)
{
    char text[8192], path[PATH_MAX];
    if (!wf_doctor_which("mpicc", path, sizeof path))
        return;
    if (wf_doctor_run((const char *const[]){"mpicc", "-show", NULL}, text, sizeof text))
        wf_doctor_add(doctor, WF_HEALTH_OK, "mpicc", "", "calls %s", strtok(text, " \n"));
    else
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "mpicc", "try: mpicc -show", "%s -show fails", path);
}

static void doctor_check_weft_cc(struct wf_doctor *doctor)
{
    struct wf_error error;
    if (wf_instrument_ready(&error) == 0)
        wf_doctor_add(doctor, WF_HEALTH_OK, "weft cc", "", "can parse C and C++ (libclang)");
    else
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "weft cc", "apt-get install libclang1-14",
                      "compiles without probes: no libclang");
}

void wf_doctor_check_compilers(struct wf_doctor *doctor)
{
    doctor_check_tools(doctor, compilers, sizeof compilers / sizeof *compilers);
    doctor_check_wrapper(doctor);
    doctor_check_weft_cc(doctor);
}

void wf_doctor_check_debug_info(struct wf_doctor *doctor)
{
    const char *servers = getenv("DEBUGINFOD_URLS");
    wf_doctor_add(doctor, WF_HEALTH_OK, "source lines", "", "built in (libdw), for programs compiled with -g");
    doctor_check_tools(doctor, debug_tools, sizeof debug_tools / sizeof *debug_tools);
    if (servers && *servers)
        wf_doctor_add(doctor, WF_HEALTH_OK, "debuginfod", "", "%s", servers);
}
