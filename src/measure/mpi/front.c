/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/front.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "measure/guest/child.h"
#include "measure/guest/guard.h"
#include "base/quiet.h"
#include "measure/guest/settings.h"
#include "measure/process/process.h"
#include "measure/record/mpi_calls.h"

static_assert(offsetof(struct wf_tls, entered.fortran) == 8 && offsetof(struct wf_tls, entered.pmpi) == 12 &&
                  offsetof(struct wf_tls, fortran_site) == 16 && offsetof(struct wf_tls, fortran_requests) == 24,
              "stubs.awk writes to these offsets");

__thread struct wf_tls weft_tls __attribute__((tls_model("initial-exec")));

/* Generated with the stubs: MPI_X for all calls, then PMPI_X, then the Fortran names. */
extern const uint32_t wf_front_names[];
extern void *wf_front_slots[];

void *wf_front_bind(size_t slot) __attribute__((visibility("hidden")));

static const struct {
    const char *library; /* how the file name of the MPI library begins */
    const char *backend;
} front_flavours[] = {
    {"libmpi.so.40", "libweft-ompi.so"},    /* Open MPI 3.1 to 5 */
    {"libmpich.so.12", "libweft-mpich.so"}, /* MPICH as Debian names it */
    {"libmpi.so.12", "libweft-mpich.so"},   /* MPICH and all libraries of its ABI */
};

static void *library; /* the MPI library, where its names are not globally visible */

static const char *front_name_of(size_t slot)
{
    return (const char *)wf_front_names + wf_front_names[slot];
}

const char *wf_mpi_call_name(uint32_t call)
{
    return front_name_of(call);
}

static void *front_next_definition(const char *name)
{
    void *address = dlsym(RTLD_NEXT, name);
    return address || !library ? address : dlsym(library, name);
}

static int front_absent(void)
{
    return 1; /* a function the MPI library does not have: not MPI_SUCCESS */
}

static const char *front_backend_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof front_flavours / sizeof *front_flavours; i++)
        if (strncmp(base, front_flavours[i].library, strlen(front_flavours[i].library)) == 0)
            return front_flavours[i].backend;
    return NULL;
}

/* PMPI_Init is always the library's own, whatever other tools stand in between. */
static const char *front_find_backend(void)
{
    Dl_info info;
    void *init = dlsym(RTLD_NEXT, "PMPI_Init");
    if (init && dladdr(init, &info) && info.dli_fname)
        return front_backend_of(info.dli_fname);
    for (size_t i = 0; i < sizeof front_flavours / sizeof *front_flavours; i++) {
        library = dlopen(front_flavours[i].library, RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
        if (library)
            return front_flavours[i].backend;
    }
    return NULL;
}

static void front_say(const char *what, const char *why)
{
    char line[512];
    int n = snprintf(line, sizeof line, "weft: %s: %s; this process runs unwatched\n", what, why);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        return; /* there is no one to tell */
}

static bool front_open_backend(void)
{
    static char path[4096]; /* not on a stack that may be small */
    wf_settings_read();
    if (!*wf_settings.directory)
        return false;
    const char *backend = front_find_backend();
    if (!backend) {
        front_say("this MPI library is not known",
                  "weft watches Open MPI and MPICH and what shares their ABI (weft doctor)");
        return false;
    }
    Dl_info self;
    if (!dladdr((void *)wf_front_bind, &self))
        return false;
    const char *slash = strrchr(self.dli_fname, '/');
    int folder = slash ? (int)(slash - self.dli_fname + 1) : 0;
    snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, backend);
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    wf_backend_start_function *start = NULL;
    if (handle)
        *(void **)&start = dlsym(handle, WF_BACKEND_START);
    if (!start) {
        front_say("cannot load the part for this MPI library", dlerror());
        return false;
    }
    struct wf_front front = {.calls = wf_mpi_calls,
                             .mpi_slots = wf_front_slots,
                             .pmpi_slots = wf_front_slots + wf_mpi_calls,
                             .next = front_next_definition};
    return start(&front) == 0;
}

static void front_bind_all(void)
{
    wf_process_remember_start();
    if (front_open_backend())
        return;
    for (size_t slot = 0; slot < 2 * (size_t)wf_mpi_calls; slot++)
        wf_front_slots[slot] = front_next_definition(front_name_of(slot));
}

static void *front_definition_of(size_t slot)
{
    void *address = front_next_definition(front_name_of(slot));
    return address ? address : *(void **)&(int (*[])(void)){front_absent};
}

static void front_bind_once(void)
{
    static struct wf_lock binding;
    static _Atomic bool bound;
    struct wf_quiet quiet;
    if (atomic_load_explicit(&bound, memory_order_acquire))
        return;
    wf_quiet_lock(&quiet, &binding);
    if (!atomic_load_explicit(&bound, memory_order_relaxed))
        front_bind_all();
    atomic_store_explicit(&bound, true, memory_order_release);
    wf_quiet_unlock(&quiet, &binding);
}

/* A signal handler that calls MPI while weft is at work, and a forked child, go past weft. */
void *wf_front_bind(size_t slot)
{
    struct wf_guard guard;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return front_definition_of(slot);
    front_bind_once();
    if (!wf_front_slots[slot])
        wf_front_slots[slot] = front_definition_of(slot);
    wf_guard_leave(&guard);
    return wf_front_slots[slot];
}
