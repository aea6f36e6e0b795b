/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How environment variables will affect a run.
 */
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/nearest.h"
#include "cli/command.h"
#include "cli/doctor.h"

extern char **environ;

/* Variables that no option names: weft run sets them for its processes, or tests use them. */
static const char *const internal[] = {
    "WEFT_DIR", "WEFT_SEGMENT_SIZE", "WEFT_TEST_DELAY", "WEFT_TEST_CLOCK", "WEFT_ADAPTIVE", "WEFT_ORDER", NULL};

/* Calls `visit` for every variable of weft, until it returns true. */
static bool doctor_each_known_variable(bool (*visit)(const char *name, void *context), void *context)
{
    for (const char *const *name = internal; *name; name++)
        if (visit(*name, context))
            return true;
    for (const struct wf_command *const *c = wf_commands; *c; c++)
        for (const struct wf_option *o = (*c)->options; o && o->name; o++)
            if (o->variable && visit(o->variable, context))
                return true;
    return false;
}

struct doctor_variable_search {
    const char *wanted, *nearest;
    int least;
};

static bool doctor_compare_variable(const char *name, void *context)
{
    struct doctor_variable_search *search = context;
    int distance = wf_nearest_distance(search->wanted, name);
    if (!search->nearest || distance < search->least) {
        search->nearest = name;
        search->least = distance;
    }
    return distance == 0;
}

static void doctor_check_variable(struct wf_doctor *doctor, const char *name, const char *value)
{
    struct doctor_variable_search search = {.wanted = name};
    char advice[192];
    if (doctor_each_known_variable(doctor_compare_variable, &search)) {
        wf_doctor_add(doctor, WF_HEALTH_OK, name, "", "%s", value);
        return;
    }
    bool close = search.nearest && wf_nearest_close(name, search.least);
    snprintf(advice, sizeof advice, close ? "did you mean %s?" : "unset %s", close ? search.nearest : name);
    wf_doctor_add(doctor, WF_HEALTH_NOTE, name, advice, "%s: weft has no such variable", value);
}

static void doctor_check_preload(struct wf_doctor *doctor)
{
    const char *preload = getenv("LD_PRELOAD");
    if (!preload || !*preload)
        wf_doctor_add(doctor, WF_HEALTH_OK, "LD_PRELOAD", "", "not set");
    else
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "LD_PRELOAD", "unset LD_PRELOAD if watched programs misbehave",
                      "%s: weft loads itself before it", preload);
}

void wf_doctor_check_variables(struct wf_doctor *doctor)
{
    doctor_check_preload(doctor);
    for (char **entry = environ; *entry; entry++) {
        char name[64];
        size_t length = strcspn(*entry, "=");
        if (strncmp(*entry, "WEFT_", 5) != 0 || length >= sizeof name)
            continue;
        memcpy(name, *entry, length);
        name[length] = 0;
        doctor_check_variable(doctor, name, (*entry)[length] ? *entry + length + 1 : "");
    }
}

/* ---- launchers ---- */

/* Variables that a launcher or batch system sets in the processes it starts. */
static const struct {
    const char *variable, *meaning;
    bool rank; /* this process is a rank */
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "started by Open MPI's mpirun", true},
    {"PMI_RANK", "started by MPICH's mpirun, or by srun", true},
    {"SLURM_STEP_ID", "in a Slurm step", false},
    {"SLURM_JOB_ID", "in a Slurm job", false},
    {"PBS_JOBID", "in a PBS job", false},
    {"LSB_JOBID", "in an LSF job", false},
    {"FLUX_JOB_ID", "in a Flux job", false},
};

static void doctor_check_root(struct wf_doctor *doctor)
{
    bool allowed = getenv("OMPI_ALLOW_RUN_AS_ROOT") && getenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
    if (geteuid() != 0)
        wf_doctor_add(doctor, WF_HEALTH_OK, "user", "", "not root");
    else if (allowed)
        wf_doctor_add(doctor, WF_HEALTH_OK, "user", "", "root, which Open MPI is told to accept");
    else
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "user",
                      "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                      "root: Open MPI's mpirun refuses to run as root");
}

void wf_doctor_check_launcher(struct wf_doctor *doctor)
{
    bool found = false;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *value = getenv(launchers[i].variable);
        if (!value)
            continue;
        found = true;
        wf_doctor_add(doctor, launchers[i].rank ? WF_HEALTH_NOTE : WF_HEALTH_OK, "launcher",
                      launchers[i].rank ? "weft run would treat this process as one rank; start a new shell" : "",
                      "%s (%s=%s)", launchers[i].meaning, launchers[i].variable, value);
    }
    if (!found)
        wf_doctor_add(doctor, WF_HEALTH_OK, "launcher", "", "this shell is not part of a job");
    doctor_check_root(doctor);
}

void wf_doctor_check_terminal(struct wf_doctor *doctor)
{
    const char *refused = getenv("NO_COLOR");
    bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    wf_doctor_add(doctor, utf8 ? WF_HEALTH_OK : WF_HEALTH_NOTE, "locale",
                  utf8 ? "" : "export LC_ALL=C.UTF-8 to get finer bars", "%s", nl_langinfo(CODESET));
    wf_doctor_add(doctor, WF_HEALTH_OK, "NO_COLOR", "", "%s",
                  refused && *refused ? "set: weft prints no colour" : "not set: weft prints colour on terminals");
}
