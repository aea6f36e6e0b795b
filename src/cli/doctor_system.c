/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The machine: clock, kernel, cores, limits, space.
 */
#include <cpuid.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cli/doctor.h"
#include "present/quantity.h"

/* ---- clock ---- */

static bool doctor_has_invariant_tsc(void)
{
    enum { POWER_LEAF = 0x80000007, INVARIANT = 1 << 8 };
    unsigned a, b, c, d;
    return __get_cpuid((unsigned)POWER_LEAF, &a, &b, &c, &d) && d & INVARIANT;
}

void wf_doctor_check_clock(struct wf_doctor *doctor)
{
    char source[64];
    if (doctor_has_invariant_tsc())
        wf_doctor_add(doctor, WF_HEALTH_OK, "CPU clock", "", "invariant time stamp counter");
    else
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "CPU clock", "nothing to do: weft uses clock_gettime instead",
                      "no invariant time stamp counter: watching a call costs more");
    if (!wf_doctor_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", source, sizeof source))
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "clock source", "mount /sys, where weft doctor reads it", "not known");
    else if (!strcmp(source, "tsc") || !strcmp(source, "kvm-clock"))
        wf_doctor_add(doctor, WF_HEALTH_OK, "clock source", "", "%s", source);
    else
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "clock source", "boot with clocksource=tsc if the machine allows it",
                      "%s: reading the time may cost a system call", source);
}

/* ---- kernel ---- */

/* A kernel setting: a number, and the value from which something is restricted. */
static const struct doctor_setting {
    const char *subject, *path;
    int restricted_from;
    const char *open, *restricted, *absent, *advice;
} settings[] = {
    {"perf events", "/proc/sys/kernel/perf_event_paranoid", 3, "allowed for own processes",
     "not allowed for users; weft does not need them", "not in this kernel; weft does not need them",
     "for other tools, as root: sysctl kernel.perf_event_paranoid=2"},
    {"ptrace", "/proc/sys/kernel/yama/ptrace_scope", 2, "allowed for own children",
     "not allowed for users; weft does not need it", "not restricted",
     "for debuggers, as root: sysctl kernel.yama.ptrace_scope=1"},
};

static void doctor_check_setting(struct wf_doctor *doctor, const struct doctor_setting *setting)
{
    char line[64];
    if (!wf_doctor_read(setting->path, line, sizeof line)) {
        wf_doctor_add(doctor, WF_HEALTH_OK, setting->subject, "", "%s", setting->absent);
        return;
    }
    bool restricted = atoi(line) >= setting->restricted_from;
    wf_doctor_add(doctor, restricted ? WF_HEALTH_NOTE : WF_HEALTH_OK, setting->subject,
                  restricted ? setting->advice : "", "%s (%s)", restricted ? setting->restricted : setting->open, line);
}

void wf_doctor_check_kernel(struct wf_doctor *doctor)
{
    struct utsname name;
    char pages[128];
    if (uname(&name) == 0)
        wf_doctor_add(doctor, WF_HEALTH_OK, "kernel", "", "%s %s, %s", name.sysname, name.release, name.machine);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        doctor_check_setting(doctor, &settings[i]);
    if (wf_doctor_read("/sys/kernel/mm/transparent_hugepage/enabled", pages, sizeof pages))
        wf_doctor_add(doctor, WF_HEALTH_OK, "huge pages", "", "transparent: %s", pages);
}

void wf_doctor_check_cores(struct wf_doctor *doctor)
{
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int mine = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)online;
    if (mine < online)
        wf_doctor_add(doctor, WF_HEALTH_NOTE, "cores", "run without taskset, or in a larger job",
                      "this process may use %d of %ld", mine, online);
    else
        wf_doctor_add(doctor, WF_HEALTH_OK, "cores", "", "%d; more ranks than that share cores", mine);
}

/* ---- limits ---- */

static const struct doctor_limit {
    const char *subject;
    uint64_t enough; /* no advice is given from this value on */
    int resource;
    bool bytes;
    const char *less, *advice;
} limits[] = {
    {"memory", UINT64_C(1) << 30, RLIMIT_AS, true, "each rank maps up to 64 MiB for weft", "ulimit -v unlimited"},
    {"open files", 256, RLIMIT_NOFILE, false, "launchers need several for each rank", "ulimit -n 1024"},
    {"stack", UINT64_C(1) << 20, RLIMIT_STACK, true, "programs may crash", "ulimit -s 8192"},
    {"core files", 1, RLIMIT_CORE, true, "no core file after a crash (weft needs none)", "ulimit -c unlimited"},
};

static const char *doctor_amount(const struct doctor_limit *limit, uint64_t value, struct wf_quantity *unit)
{
    if (value == RLIM_INFINITY || value == 0)
        return value ? "unlimited" : "none";
    *unit = limit->bytes ? wf_quantity_bytes((int64_t)value) : wf_quantity_count((int64_t)value);
    return unit->text;
}

void wf_doctor_check_limits(struct wf_doctor *doctor)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit value;
        struct wf_quantity unit;
        if (getrlimit((__rlimit_resource_t)limits[i].resource, &value))
            continue;
        if (value.rlim_cur >= limits[i].enough)
            wf_doctor_add(doctor, WF_HEALTH_OK, limits[i].subject, "", "%s",
                          doctor_amount(&limits[i], value.rlim_cur, &unit));
        else
            wf_doctor_add(doctor, WF_HEALTH_NOTE, limits[i].subject, limits[i].advice, "%s: %s",
                          doctor_amount(&limits[i], value.rlim_cur, &unit), limits[i].less);
    }
}

/* ---- space ---- */

static void doctor_check_folder(struct wf_doctor *doctor, const char *subject, const char *path, const char *use)
{
    enum { LOW_BYTES = 256 << 20 };
    struct statvfs space;
    if (statvfs(path, &space)) {
        wf_doctor_add(doctor, WF_HEALTH_NOTE, subject, "", "%s: %s (%s)", path, strerror(errno), use);
        return;
    }
    int64_t bytes = (int64_t)(space.f_bavail * space.f_frsize);
    bool writable = access(path, W_OK | X_OK) == 0;
    const char *advice = !writable           ? "go to a directory of your own, or use weft run -o"
                         : bytes < LOW_BYTES ? "free some space"
                                             : "";
    wf_doctor_add(doctor, *advice ? WF_HEALTH_NOTE : WF_HEALTH_OK, subject, advice, "%s free%s, %s (%s)",
                  wf_quantity_bytes(bytes).text, writable ? "" : ", not writable", path, use);
}

void wf_doctor_check_space(struct wf_doctor *doctor)
{
    char here[PATH_MAX];
    const char *temporary = getenv("TMPDIR");
    doctor_check_folder(doctor, "this directory", getcwd(here, sizeof here) ? here : ".", "segments, profile");
    doctor_check_folder(doctor, "shared memory", "/dev/shm", "MPI on one host");
    doctor_check_folder(doctor, "temporary files", temporary && *temporary ? temporary : "/tmp", "launchers");
}
