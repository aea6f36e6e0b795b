/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/process/identity.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/birth.h"
#include "base/hash.h"
#include "measure/clock/clock.h"
#include "measure/guest/settings.h"
#include "measure/process/hydra.h"
#include "measure/record/mpi_calls.h"

static void identity_read_line(const char *path, char *text, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static void identity_read_command(char *text, size_t bytes)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i + 1 < n; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[n > 0 ? n : 0] = '\0';
}

/* As it is, if it can be part of a file's name and fits: to cut it might make two worlds one. */
static void identity_make_name(char *text, size_t bytes, const char *name)
{
    if (strlen(name) < bytes && !strchr(name, '/'))
        memcpy(text, name, strlen(name) + 1);
    else
        snprintf(text, bytes, "%016" PRIx64, wf_hash_text(0, name, strlen(name)));
}

static char told_world[WF_WORLD_BYTES]; /* by hydra */

void wf_identity_ask_world(void)
{
    static _Atomic bool asked;
    char name[512];
    if (*wf_settings.directory && !atomic_exchange(&asked, true) && wf_hydra_world(name, sizeof name))
        identity_make_name(told_world, sizeof told_world, name);
}

/* Spawned processes have another one. */
void wf_identity_world(char text[static WF_WORLD_BYTES])
{
    identity_make_name(text, WF_WORLD_BYTES, *told_world ? told_world : wf_settings.launch_world);
}

/* Launchers bind a process before it begins. */
static void identity_read_cores(uint64_t cores[static WF_SEGMENT_CORES / 64])
{
    cpu_set_t set;
    static_assert(WF_SEGMENT_CORES == CPU_SETSIZE, "the set is copied as it is");
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        memcpy(cores, &set, sizeof set);
}

void wf_identity_write(struct wf_segment_header *header)
{
    struct wf_birth birth = wf_birth_of("/proc/self");
    header->pid = (uint32_t)getpid();
    header->start_time = birth.start;
    header->pid_namespace = birth.namespace;
    header->rank = -1;
    header->mpi_calls = wf_mpi_calls;
    header->clock = wf_clock_is_tsc ? WF_CLOCK_TSC : WF_CLOCK_MONOTONIC;
    gethostname(header->host, sizeof header->host - 1);
    wf_identity_world(header->world);
    identity_read_line("/proc/sys/kernel/random/boot_id", header->boot_id, sizeof header->boot_id);
    ssize_t n = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
    header->program[n > 0 ? n : 0] = '\0';
    identity_read_command(header->command, sizeof header->command);
    identity_read_cores(header->cores);
}
