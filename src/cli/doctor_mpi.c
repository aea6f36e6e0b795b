/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For each MPI library: whether it is installed, whether programs can be compiled and started with it, and whether
 * weft's library for it loads.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor.h"

struct doctor_flavour {
    const char *name;
    const char *backend;          /* weft's library for it */
    const char *const *libraries; /* file names of its library */
    const char *const *compilers; /* names of its compiler wrapper, the most specific first */
    const char *const *launchers;
    const char *const *marks;     /* its version text contains one of these */
    const char *compiler_version; /* option of the wrapper */
    const char *get_library, *get_compiler, *get_launcher;
};

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})
static const struct doctor_flavour flavours[] = {
    {
        .name = "Open MPI",
        .backend = "libweft-ompi.so",
        .libraries = LIST("libmpi.so.40"),
        .compilers = LIST("mpicc.openmpi", "mpicc"),
        .launchers = LIST("mpirun.openmpi", "orterun", "mpirun"),
        .marks = LIST("Open MPI", "OpenRTE", "Open RTE", "PRTE"),
        .compiler_version = "--showme:version",
        .get_library = "apt-get install libopenmpi3 openmpi-bin",
        .get_compiler = "apt-get install libopenmpi-dev",
        .get_launcher = "apt-get install openmpi-bin",
    },
    {
        .name = "MPICH",
        .backend = "libweft-mpich.so",
        .libraries = LIST("libmpich.so.12", "libmpi.so.12"),
        .compilers = LIST("mpicc.mpich", "mpicc"),
        .launchers = LIST("mpirun.mpich", "mpiexec.hydra", "mpirun"),
        .marks = LIST("MPICH", "HYDRA", "Intel(R) MPI", "MVAPICH"),
        .compiler_version = "-v",
        .get_library = "apt-get install mpich libmpich-dev",
        .get_compiler = "apt-get install libmpich-dev",
        .get_launcher = "apt-get install mpich",
    },
};

static bool doctor_is_marked(const struct doctor_flavour *flavour, const char *text)
{
    for (const char *const *mark = flavour->marks; *mark; mark++)
        if (strstr(text, *mark))
            return true;
    return false;
}

/* ---- programs ---- */

/* Returns the first of these programs that belongs to this flavour, and stores its version text. */
static const char *doctor_find_program(const struct doctor_flavour *flavour, const char *const *names,
                                       const char *option, char *text, size_t bytes)
{
    for (; *names; names++)
        if (wf_doctor_run((const char *const[]){*names, option, NULL}, text, bytes) && doctor_is_marked(flavour, text))
            return *names;
    return NULL;
}

/* Finds a version such as "4.1.4": the first word that begins with a digit and contains a dot. */
static const char *doctor_version_in(char *text)
{
    for (char *word = strtok(text, " \t\n,():"); word; word = strtok(NULL, " \t\n,():")) {
        if (*word == 'v' || *word == 'V')
            word++;
        if (*word >= '0' && *word <= '9' && strchr(word, '.'))
            return word;
    }
    return "of unknown version";
}

static void doctor_check_program(struct wf_doctor *doctor, const struct doctor_flavour *flavour, const char *kind,
                                 const char *const *names, const char *option, const char *advice)
{
    char text[4096], path[PATH_MAX], subject[64];
    const char *name = doctor_find_program(flavour, names, option, text, sizeof text);
    snprintf(subject, sizeof subject, "%s %s", flavour->name, kind);
    if (name && wf_doctor_which(name, path, sizeof path))
        wf_doctor_add(doctor, WF_HEALTH_OK, subject, "", "%s, %s", doctor_version_in(text), path);
    else
        wf_doctor_add(doctor, WF_HEALTH_NOTE, subject, advice, "not found");
}

/* ---- the library ---- */

typedef int get_version_function(char *text, int *length);

/* Runs in a child. MPI_Get_library_version may be called before MPI_Init. */
static void *doctor_open_library(const struct doctor_flavour *flavour, const char *folder, char *text, size_t bytes)
{
    char path[PATH_MAX], version[8192] = "";
    for (const char *const *name = flavour->libraries; *name; name++) {
        snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", *name);
        void *library = dlopen(path, RTLD_LAZY | RTLD_GLOBAL);
        get_version_function *get_version = NULL;
        int length = 0;
        if (library)
            *(void **)&get_version = dlsym(library, "MPI_Get_library_version");
        if (get_version && get_version(version, &length) == 0 && doctor_is_marked(flavour, version)) {
            snprintf(text, bytes, "%s, %s", doctor_version_in(version), *folder ? path : *name);
            return library;
        }
    }
    return NULL;
}

/* Also finds libraries outside the loader's default path, in the directories that the compiler wrapper links from. */
static void *doctor_find_library(const struct doctor_flavour *flavour, char *text, size_t bytes)
{
    char command[8192];
    void *library = doctor_open_library(flavour, "", text, bytes);
    if (library ||
        !doctor_find_program(flavour, flavour->compilers, flavour->compiler_version, command, sizeof command))
        return library;
    const char *name =
        doctor_find_program(flavour, flavour->compilers, flavour->compiler_version, command, sizeof command);
    if (!wf_doctor_run((const char *const[]){name, "-show", NULL}, command, sizeof command))
        return NULL;
    for (char *word = strtok(command, " \n"); word && !library; word = strtok(NULL, " \n"))
        if (!strncmp(word, "-L", 2))
            library = doctor_open_library(flavour, word + 2, text, bytes);
    return library;
}

static bool doctor_try_library(const void *flavour, char *text, size_t bytes)
{
    return doctor_find_library(flavour, text, bytes) != NULL;
}

/* ---- weft's library for it ---- */

static void doctor_own_library(const char *name, char *path, size_t bytes)
{
    char exe[PATH_MAX], *joined = NULL;
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[length > 0 ? length : 0] = 0;
    char *slash = strrchr(exe, '/');
    if (slash)
        *slash = 0;
    if (asprintf(&joined, "%s/../lib/weft/%s", exe, name) < 0)
        joined = NULL;
    char *real = joined ? realpath(joined, NULL) : NULL;
    snprintf(path, bytes, "%s", real ? real : joined ? joined : name);
    free(real);
    free(joined);
}

static bool doctor_load(const char *path, char *text, size_t bytes)
{
    if (dlopen(path, RTLD_NOW | RTLD_GLOBAL))
        return true;
    snprintf(text, bytes, "%s", dlerror());
    return false;
}

/* Runs in a child. The libraries are loaded in the same order as in a watched program. */
static bool doctor_try_backend(const void *argument, char *text, size_t bytes)
{
    const struct doctor_flavour *flavour = argument;
    char front[PATH_MAX], backend[PATH_MAX], version[256];
    doctor_own_library("libweft.so", front, sizeof front);
    doctor_own_library(flavour->backend, backend, sizeof backend);
    unsetenv("WEFT_DIR"); /* so that nothing is recorded */
    if (!doctor_find_library(flavour, version, sizeof version)) {
        snprintf(text, bytes, "the MPI library does not load");
        return false;
    }
    return doctor_load(front, text, bytes) && doctor_load(backend, text, bytes);
}

static void doctor_check_backend(struct wf_doctor *doctor, const struct doctor_flavour *flavour)
{
    char path[PATH_MAX], text[1024], subject[64];
    snprintf(subject, sizeof subject, "weft for %s", flavour->name);
    doctor_own_library(flavour->backend, path, sizeof path);
    if (access(path, R_OK)) {
        wf_doctor_add(doctor, WF_HEALTH_MISSING, subject, "build weft again where this MPI's mpicc is installed",
                      "not built: there is no %s", path);
        return;
    }
    if (wf_doctor_try(doctor_try_backend, flavour, text, sizeof text)) {
        doctor->watchable++;
        wf_doctor_add(doctor, WF_HEALTH_OK, subject, "", "loads, %s", path);
        return;
    }
    wf_doctor_add(doctor, WF_HEALTH_MISSING, subject, "build weft again on this machine", "%s does not load: %s", path,
                  *text ? wf_doctor_first_line(text) : "it crashes");
}

static void doctor_check_flavour(struct wf_doctor *doctor, const struct doctor_flavour *flavour)
{
    char text[512];
    if (!wf_doctor_try(doctor_try_library, flavour, text, sizeof text)) {
        wf_doctor_add(doctor, WF_HEALTH_MISSING, flavour->name, flavour->get_library, "not found");
        return;
    }
    wf_doctor_add(doctor, WF_HEALTH_OK, flavour->name, "", "%s", text);
    doctor_check_backend(doctor, flavour);
    doctor_check_program(doctor, flavour, "mpirun", flavour->launchers, "--version", flavour->get_launcher);
    doctor_check_program(doctor, flavour, "mpicc", flavour->compilers, flavour->compiler_version,
                         flavour->get_compiler);
}

void wf_doctor_check_mpi(struct wf_doctor *doctor)
{
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++)
        doctor_check_flavour(doctor, &flavours[i]);
}
