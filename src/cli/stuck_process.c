/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/stuck_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/birth.h"
#include "base/hash.h"
#include "cli/launch_alive.h"
#include "format/box.h"

#define MOST_THREADS 4096u
#define MOST_COMMS 65536u
#define MOST_MEMBERS (1u << 20)
#define CHANCE_NS 500000u /* with so much CPU time since the last look, a thread has looked for messages often */

struct wf_stuck_process *wf_stuck_process_new(const char *segment)
{
    struct wf_stuck_process *process = calloc(1, sizeof *process);
    if (!process)
        return NULL;
    process->box = -1;
    process->header.rank = -1;
    process->segment = strdup(segment);
    if (process->segment)
        return process;
    free(process);
    return NULL;
}

static void process_forget_comms(struct wf_stuck_process *process)
{
    for (size_t i = 0; i < process->now.comm_count; i++)
        free(process->now.comms[i].ranks);
    process->now.comm_count = 0;
}

void wf_stuck_process_free(struct wf_stuck_process *process)
{
    process_forget_comms(process);
    free(process->now.comms);
    free(process->now.threads);
    free(process->segment);
    if (process->box >= 0)
        close(process->box);
    free(process);
}

/* ---- its files ---- */

static bool process_pread(int fd, void *to, size_t bytes, uint64_t offset)
{
    return pread(fd, to, bytes, (off_t)offset) == (ssize_t)bytes;
}

static bool process_read_header(struct wf_stuck_process *process, const struct wf_rundir *rundir)
{
    struct wf_segment_header *header = &process->header;
    int fd = wf_rundir_file(rundir, process->segment, O_RDONLY);
    bool whole = fd >= 0 && process_pread(fd, header, sizeof *header, 0) &&
                 memcmp(header->magic, WF_SEGMENT_MAGIC, sizeof header->magic) == 0 &&
                 header->version == WF_SEGMENT_VERSION;
    if (fd >= 0)
        close(fd);
    if (!whole)
        header->rank = -1;
    header->host[sizeof header->host - 1] = header->world[sizeof header->world - 1] = '\0';
    return whole;
}

/* Of another process of this rank, or of another version of weft: it is not used. */
static bool process_is_its_box(const struct wf_stuck_process *process, const struct wf_box_head *head)
{
    return head->version == WF_BOX_VERSION && memcmp(head->magic, WF_BOX_MAGIC, sizeof head->magic) == 0 &&
           head->rank == (uint32_t)process->header.rank && head->owner.pid == process->header.pid &&
           head->owner.start_time == process->header.start_time;
}

static bool process_read_box(struct wf_stuck_process *process, const struct wf_rundir *rundir, struct wf_box_head *head)
{
    char name[256];
    if (process->box < 0) {
        wf_box_name(name, sizeof name, process->header.world, process->header.rank, process->header.host);
        process->box = wf_rundir_file(rundir, name, O_RDONLY);
    }
    return process->box >= 0 && process_pread(process->box, head, sizeof *head, 0) && process_is_its_box(process, head);
}

/* One publication. What lies between two readings of its first words, if these are equal, belongs together. */
static bool process_read_needs(const struct wf_stuck_process *process, uint64_t offset, struct wf_needs_copy *copy)
{
    enum { HEAD = offsetof(struct wf_needs, address) };
    struct wf_needs needs;
    unsigned char before[HEAD], after[HEAD];
    return process_pread(process->box, before, HEAD, offset) &&
           process_pread(process->box, &needs, sizeof needs, offset) &&
           process_pread(process->box, after, HEAD, offset) && memcmp(before, &needs, HEAD) == 0 &&
           memcmp(before, after, HEAD) == 0 && wf_needs_read(&needs, copy);
}

/* ---- what it is blocked in ---- */

static bool process_keep_thread(struct wf_stuck_process *process, const struct wf_needs_copy *copy)
{
    struct wf_deadlock_process *now = &process->now;
    if (WF_ARRAY_RESERVE(now->threads, process->thread_capacity, now->thread_count + 1) != 0)
        return false;
    now->threads[now->thread_count++] = *copy;
    process->print = wf_hash_mix(process->print, copy->thread_id);
    process->print = wf_hash_mix(process->print, copy->sequence);
    process->print = wf_hash_mix(process->print, copy->ticks);
    return true;
}

static bool process_copy_finalizes(const struct wf_needs_copy *copy)
{
    return copy->mode == WF_NEEDS_ONE && copy->count == 1 && copy->need[0].kind == WF_NEED_FINALIZE;
}

/* With MPI_THREAD_MULTIPLE all threads are to be blocked; otherwise the one that is in MPI. */
static enum wf_deadlock_state process_read_threads(struct wf_stuck_process *process, bool several)
{
    uint64_t offset = offsetof(struct wf_box_head, needs.first);
    bool runs = false;
    for (unsigned i = 0; offset && i < MOST_THREADS; i++) {
        struct wf_needs_copy copy = {0};
        if (!process_read_needs(process, offset, &copy))
            return WF_DEADLOCK_RUNS;
        offset = (uint64_t)copy.next * WF_BOX_UNIT;
        if (process_copy_finalizes(&copy))
            return WF_DEADLOCK_FINALIZING;
        if (copy.thread_id == 0)
            continue;
        if (copy.mode == WF_NEEDS_RUNNING || copy.mode == WF_NEEDS_OTHER)
            runs = true;
        else if (!process_keep_thread(process, &copy))
            return WF_DEADLOCK_RUNS;
        if (copy.mode != WF_NEEDS_RUNNING)
            process->call = copy;
    }
    return process->now.thread_count && !(runs && several) ? WF_DEADLOCK_BLOCKED : WF_DEADLOCK_RUNS;
}

static enum wf_deadlock_state process_state(struct wf_stuck_process *process, const struct wf_rundir *rundir)
{
    struct wf_box_head head;
    const struct wf_segment_header *header = &process->header;
    if (!wf_alive_is_here(header)) {
        process->doubt = WF_STUCK_ELSEWHERE;
        process->alive = header->state == WF_STATE_RUNNING;
        return WF_DEADLOCK_RUNS;
    }
    enum wf_birth_answer answer = wf_birth_judge(header->pid, header->start_time, header->pid_namespace);
    process->alive = answer == WF_BIRTH_ALIVE;
    if (answer == WF_BIRTH_GONE)
        return WF_DEADLOCK_ENDED;
    if (header->state != WF_STATE_RUNNING)
        return WF_DEADLOCK_FINALIZING;
    process->doubt = WF_STUCK_UNREADABLE;
    if (answer == WF_BIRTH_FOREIGN || !process_read_box(process, rundir, &head) || head.needs.lost)
        return WF_DEADLOCK_RUNS;
    process->doubt = WF_STUCK_NO_DOUBT;
    process->sent_kib = head.needs.sent_kib;
    return process_read_threads(process, head.needs.threads != 0);
}

void wf_stuck_process_read(struct wf_stuck_process *process, const struct wf_rundir *rundir)
{
    process->last_print = process->print;
    process->print = 0;
    process->doubt = WF_STUCK_NO_DOUBT;
    process->call.mode = WF_NEEDS_RUNNING;
    process->now.thread_count = 0;
    process->now.state = WF_DEADLOCK_RUNS;
    process->alive = false;
    if (process_read_header(process, rundir))
        process->now.state = process_state(process, rundir);
}

/* ---- its communicators ---- */

static bool process_keep_comm(struct wf_stuck_process *process, const struct wf_needs_comm *record, uint64_t offset)
{
    struct wf_deadlock_process *now = &process->now;
    size_t bytes = record->count * sizeof(int32_t);
    if (record->count > MOST_MEMBERS || WF_ARRAY_RESERVE(now->comms, process->comm_capacity, now->comm_count + 1) != 0)
        return false;
    struct wf_deadlock_comm comm = {.comm = record->comm,
                                    .entered = record->entered,
                                    .count = record->count,
                                    .ranks = malloc(bytes + sizeof(int32_t))};
    if (!comm.ranks || !process_pread(process->box, comm.ranks, bytes, offset + sizeof *record)) {
        free(comm.ranks);
        return false;
    }
    now->comms[now->comm_count++] = comm;
    return true;
}

void wf_stuck_process_read_comms(struct wf_stuck_process *process)
{
    struct wf_box_head head;
    struct wf_needs_comm record;
    process_forget_comms(process);
    if (process->box < 0 || !process_pread(process->box, &head, sizeof head, 0) || !process_is_its_box(process, &head))
        return;
    uint64_t offset = (uint64_t)head.needs.comms * WF_BOX_UNIT;
    for (unsigned i = 0; offset && i < MOST_COMMS; i++) {
        if (!process_pread(process->box, &record, sizeof record, offset))
            return;
        if (record.comm && !process_keep_comm(process, &record, offset))
            return;
        offset = (uint64_t)record.next * WF_BOX_UNIT;
    }
}

/* ---- what the system says ---- */

static bool process_has_tracer(const struct wf_stuck_process *process)
{
    char path[64], line[256];
    unsigned tracer = 0;
    snprintf(path, sizeof path, "/proc/%u/status", process->header.pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "TracerPid: %u", &tracer) == 1)
            break;
    if (file)
        fclose(file);
    return tracer != 0;
}

static uint64_t process_cpu_of(const struct wf_stuck_process *process, uint32_t thread)
{
    char path[64];
    uint64_t ns = 0;
    snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", process->header.pid, thread);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%" SCNu64, &ns) != 1)
        ns = 0;
    if (file)
        fclose(file);
    return ns;
}

static bool process_knows_thread(const struct wf_stuck_process *process, const struct wf_needs_area *area, uint32_t id)
{
    for (size_t i = 0; i < process->now.thread_count; i++)
        if (process->now.threads[i].thread_id == id)
            return true;
    for (uint32_t i = 0; i < area->helpers && i < WF_NEEDS_HELPERS; i++)
        if (area->helper[i] == id)
            return true;
    return false;
}

/* With MPI_THREAD_MULTIPLE any thread may send what another one waits for. */
static bool process_knows_all_threads(const struct wf_stuck_process *process)
{
    struct wf_box_head head;
    char path[64];
    bool all = process_pread(process->box, &head, sizeof head, 0) && head.needs.helpers <= WF_NEEDS_HELPERS;
    snprintf(path, sizeof path, "/proc/%u/task", process->header.pid);
    DIR *tasks = all && head.needs.threads ? opendir(path) : NULL;
    for (struct dirent *entry; tasks && all && (entry = readdir(tasks));) {
        uint32_t id = (uint32_t)strtoul(entry->d_name, NULL, 10);
        all = id == 0 || process_knows_thread(process, &head.needs, id);
    }
    if (tasks)
        closedir(tasks);
    return all;
}

static enum wf_stuck_doubt process_doubt_state(char state)
{
    switch (state) {
    case 'R':
    case 'S':
        return WF_STUCK_NO_DOUBT;
    case 'T':
        return WF_STUCK_STOPPED;
    case 't':
        return WF_STUCK_TRACED;
    case 'D':
        return WF_STUCK_ASLEEP;
    default:
        return WF_STUCK_UNREADABLE;
    }
}

bool wf_stuck_process_examine(struct wf_stuck_process *process, bool *chance)
{
    uint64_t cpu_ns = 0;
    bool sleeps = true;
    *chance = false;
    for (size_t i = 0; i < process->now.thread_count && process->doubt == WF_STUCK_NO_DOUBT; i++) {
        char folder[40];
        uint32_t thread = process->now.threads[i].thread_id;
        snprintf(folder, sizeof folder, "/proc/%u/task/%u", process->header.pid, thread);
        struct wf_birth birth = wf_birth_of(folder);
        process->doubt = process_doubt_state(birth.state);
        sleeps = sleeps && birth.state == 'S';
        cpu_ns += process_cpu_of(process, thread);
    }
    if (process->doubt == WF_STUCK_NO_DOUBT && process_has_tracer(process))
        process->doubt = WF_STUCK_TRACED;
    if (process->doubt == WF_STUCK_NO_DOUBT && !process_knows_all_threads(process))
        process->doubt = WF_STUCK_THREADS;
    *chance = sleeps || cpu_ns - process->cpu_ns >= CHANCE_NS;
    if (*chance)
        process->cpu_ns = cpu_ns;
    return process->doubt == WF_STUCK_NO_DOUBT;
}
