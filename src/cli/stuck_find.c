/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/stuck_find.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/word.h"
#include "base/array.h"
#include "collect/resolve.h"
#include "collect/segment_reader.h"
#include "collect/timebase.h"
#include "format/mpi_calls.h"

enum { NAMED = 8 }; /* ranks; of more, only the number */

__attribute__((format(printf, 3, 4))) static void find_append(char *text, size_t bytes, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): clang-tidy 14 does not see va_start */
    vsnprintf(text + length, bytes - length, format, arguments);
    va_end(arguments);
}

/* ---- where ---- */

static void find_resolve(const struct wf_module_record *module, uint64_t address, struct wf_stuck_rank *rank)
{
    struct wf_resolver *resolver;
    struct wf_location location = {0};
    wf_resolver_stay_offline();
    if (wf_resolver_open(module->path, module->build_id, module->build_id_bytes, &resolver) == WF_RESOLVER_OK) {
        wf_resolver_locate(resolver, address - module->bias, &location);
        if (location.file)
            snprintf(rank->place, sizeof rank->place, "%s:%d", wf_word_base_name(location.file), location.line);
        if (location.procedure)
            snprintf(rank->procedure, sizeof rank->procedure, "%s", location.procedure);
        wf_resolver_close(resolver);
    }
    wf_resolver_go_online();
    if (!*rank->place)
        snprintf(rank->place, sizeof rank->place, "%s+%#" PRIx64, wf_word_base_name(module->path),
                 address - module->bias);
}

static void find_place(const struct wf_rundir *rundir, const struct wf_stuck_process *process, uint64_t address,
                       struct wf_stuck_rank *rank)
{
    struct wf_segment_reader reader = {0};
    struct wf_error error;
    char directory[WF_RUNDIR_NAME_BYTES], path[WF_RUNDIR_NAME_BYTES + 256];
    snprintf(path, sizeof path, "%s/%s", wf_rundir_by_descriptor(rundir, directory), process->segment);
    if (address && wf_segment_reader_load(&reader, path, &error) == 0) {
        const struct wf_module_record *module = wf_segment_reader_module_at(&reader, reader.used_bytes, address);
        if (module)
            find_resolve(module, address, rank);
    }
    wf_segment_reader_fini(&reader);
}

/* ---- what it waits for ---- */

static void find_list_ranks(const int32_t *ranks, size_t count, char *text, size_t bytes)
{
    *text = '\0';
    for (size_t i = 0; i < count && i < NAMED; i++)
        find_append(text, bytes, "%s%d", i ? ", " : "", ranks[i]);
    if (count > NAMED)
        find_append(text, bytes, " and %zu more", count - NAMED);
}

/* ", which has ended": why none of them will ever do it. */
static const char *find_why_never(const struct wf_stuck_world *world, const int32_t *ranks, size_t count)
{
    bool finalizing = count > 0, ended = count > 0;
    for (size_t i = 0; i < count; i++) {
        enum wf_deadlock_state state = world->deadlock.processes[ranks[i]].state;
        finalizing = finalizing && state == WF_DEADLOCK_FINALIZING;
        ended = ended && state == WF_DEADLOCK_ENDED;
    }
    if (ended)
        return count == 1 ? ", which has ended" : ", which have ended";
    return !finalizing ? "" : count == 1 ? ", which is in MPI_Finalize" : ", which are in MPI_Finalize";
}

static void find_say_communicator(const struct wf_stuck_world *world, int32_t rank, uint64_t name, char *text,
                                  size_t bytes)
{
    const struct wf_deadlock_comm *comm = wf_deadlock_comm_of(&world->deadlock.processes[rank], name);
    if (comm && comm->count < world->deadlock.count)
        find_append(text, bytes, " in a communicator of %zu ranks", comm->count);
}

static void find_say_need(const struct wf_stuck_world *world, int32_t rank, const struct wf_need_copy *need,
                          const int32_t *awaited, size_t count, char *text, size_t bytes)
{
    char ranks[128], tag[32] = "";
    find_list_ranks(awaited, count, ranks, sizeof ranks);
    if (need->tag != WF_NEED_ANY_TAG)
        snprintf(tag, sizeof tag, " (tag %d)", need->tag);
    switch ((enum wf_need_kind)need->kind) {
    case WF_NEED_MESSAGE:
        if (need->rank == WF_NEED_ANY_RANK)
            find_append(text, bytes, "a message from any rank%s", tag);
        else
            find_append(text, bytes, "a message from rank %d%s", need->rank, tag);
        break;
    case WF_NEED_RECEIVER:
        find_append(text, bytes, "rank %d to receive%s", need->rank, tag);
        break;
    case WF_NEED_COLLECTIVE:
        if (count)
            find_append(text, bytes, "rank%s %s to enter it", count == 1 ? "" : "s", ranks);
        else
            find_append(text, bytes, "other ranks to enter it");
        break;
    case WF_NEED_FINALIZE:
        find_append(text, bytes, "the other ranks to finalize");
        break;
    case WF_NEED_NOTHING:
        break;
    }
    find_say_communicator(world, rank, need->comm, text, bytes);
    find_append(text, bytes, "%s", find_why_never(world, awaited, count));
}

static void find_add_ranks(int32_t *all, size_t *count, const int32_t *more, size_t more_count, size_t room)
{
    for (size_t i = 0; i < more_count; i++) {
        size_t k = 0;
        while (k < *count && all[k] != more[i])
            k++;
        if (k == *count && *count < room)
            all[(*count)++] = more[i];
    }
}

/* All that it needs there, in words, and the ranks. */
static int find_wants(const struct wf_stuck_world *world, int32_t rank, const struct wf_needs_copy *call,
                      struct wf_stuck_rank *found)
{
    size_t size = world->deadlock.count, count = 0;
    int32_t *ranks = calloc(2 * size, sizeof *ranks);
    if (!ranks)
        return -1;
    const char *between = call->mode == WF_NEEDS_ANY ? ", or for " : ", and for ";
    for (uint32_t i = 0; i < call->count && i < 3; i++) {
        const struct wf_need_copy *need = &call->need[i];
        size_t awaited = wf_deadlock_awaited(&world->deadlock, rank, need, ranks + size, size);
        find_append(found->wants, sizeof found->wants, "%s", i ? between : "");
        find_say_need(world, rank, need, ranks + size, awaited, found->wants, sizeof found->wants);
        find_add_ranks(ranks, &count, ranks + size, awaited, size);
    }
    if (call->count > 3)
        find_append(found->wants, sizeof found->wants, ", and %u more", call->count - 3);
    find_list_ranks(ranks, count, found->waits_for, sizeof found->waits_for);
    free(ranks);
    return 0;
}

/* ---- ranks ---- */

static const char *find_doubt(enum wf_stuck_doubt doubt)
{
    static const char *const doubts[] = {
        [WF_STUCK_NO_DOUBT] = "",
        [WF_STUCK_ELSEWHERE] = "cannot be read, because it is on another host",
        [WF_STUCK_UNREADABLE] = "cannot be read",
        [WF_STUCK_STOPPED] = "is stopped",
        [WF_STUCK_TRACED] = "is under a debugger",
        [WF_STUCK_ASLEEP] = "sleeps in the kernel",
        [WF_STUCK_THREADS] = "has threads that weft does not know",
    };
    return doubts[doubt];
}

/* A rank of which nothing can be concluded counts as running: that is said. */
static void find_say_doubt(const struct wf_stuck_process *process, struct wf_stuck_rank *found)
{
    if (process->doubt != WF_STUCK_NO_DOUBT && !found->stuck)
        find_append(found->wants, sizeof found->wants, "%s(the rank %s)", *found->wants ? " " : "",
                    find_doubt(process->doubt));
}

static int find_rank(const struct wf_stuck_world *world, const struct wf_rundir *rundir, int32_t rank,
                     struct wf_stuck_rank *found)
{
    const struct wf_stuck_process *process = world->ranks[rank];
    const struct wf_needs_copy *call = process->call.mode != WF_NEEDS_RUNNING ? &process->call : NULL;
    *found = (struct wf_stuck_rank){.rank = rank, .stuck = world->deadlock.processes[rank].stuck};
    int result = 0;
    if (call) {
        struct wf_timebase timebase = wf_timebase_read(&process->header);
        found->since_ns = wf_timebase_duration_ns(&timebase, call->ticks - process->header.init_end_ticks);
        found->waited_ns = wf_stuck_call_ns(process, call);
        snprintf(found->call, sizeof found->call, "%s",
                 call->call < wf_mpi_call_count ? wf_mpi_call_names[call->call] : "an MPI function");
        find_place(rundir, process, call->address, found);
        result = find_wants(world, rank, call, found);
    }
    find_say_doubt(process, found);
    return result;
}

int wf_stuck_find(const struct wf_stuck_world *world, const struct wf_rundir *rundir, bool all, struct wf_stuck *stuck)
{
    *stuck = (struct wf_stuck){0};
    for (size_t i = 0; i < world->deadlock.count; i++) {
        bool is_stuck = world->deadlock.processes[i].stuck;
        if (!world->ranks[i] || (!is_stuck && !all))
            continue;
        if (WF_ARRAY_RESERVE(stuck->items, stuck->capacity, stuck->count + 1) != 0 ||
            find_rank(world, rundir, (int32_t)i, &stuck->items[stuck->count]) != 0) {
            wf_stuck_free(stuck);
            return -1;
        }
        stuck->stuck += is_stuck;
        stuck->count++;
    }
    for (size_t c = 0; c < world->deadlock.cycle_count; c++)
        for (size_t i = 0; i < stuck->count; i++)
            if (stuck->items[i].rank == world->deadlock.cycle[c])
                stuck->items[i].cycle = (int64_t)c + 1;
    return 0;
}

/* ---- notes ---- */

static void find_note_name(const struct wf_stuck_process *process, char *name, size_t bytes)
{
    int stem = (int)(strlen(process->segment) - strlen(WF_SEGMENT_SUFFIX));
    snprintf(name, bytes, WF_SEGMENT_STUCK "%.*s", stem, process->segment);
}

void wf_stuck_note(const struct wf_rundir *rundir, const struct wf_stuck_process *process,
                   const struct wf_stuck_rank *rank)
{
    char name[300], text[1024];
    find_note_name(process, name, sizeof name);
    snprintf(text, sizeof text, "%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%s\t%s\t%s\t%s\t%s", rank->cycle,
             rank->since_ns, rank->waited_ns, rank->call, rank->place, rank->procedure, rank->wants, rank->waits_for);
    wf_rundir_note(rundir, name, text);
}

void wf_stuck_forget(const struct wf_rundir *rundir, const struct wf_stuck_process *process)
{
    char name[300];
    find_note_name(process, name, sizeof name);
    unlinkat(rundir->fd, name, 0);
}
