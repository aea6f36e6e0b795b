/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/lifecycle.h"

#include <string.h>

#include "measure/event/call.h"
#include "measure/exchange/comm.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/link.h"
#include "measure/exchange/needs.h"
#include "measure/path/feed.h"
#include "measure/guest/settings.h"
#include "measure/library/flavour.h"
#include "measure/mpi/wrappers.h"
#include "measure/order/order.h"

/* False: the call comes from inside another one, or from a signal handler while weft works. */
static inline __attribute__((always_inline)) bool lifecycle_enter(struct wf_guard *guard)
{
    return !wf_call_is_inside(&weft_tls) && wf_guard_enter(guard);
}

/* MPI_Init and MPI_Finalize are statements like others, but their time is outside the program's wall time. */
static void lifecycle_count_outside(unsigned call, const void *address, uint64_t begin)
{
    struct wf_lane *lane = weft_tls.lane;
    if (!wf_process.watching || !lane)
        return;
    uint64_t ticks = wf_clock_ticks() - begin;
    struct wf_site *site = wf_lane_site(lane, (uintptr_t)address, call);
    site->record->calls++;
    site->record->ticks_raw += ticks;
    if (ticks > site->record->max_ticks)
        site->record->max_ticks = ticks;
    lane->record->events++;
    lane->probes.top->visit->inner += ticks;
    lane->probes.top->visit->inner_virtual += ticks;
    site->record->ticks_virtual += ticks;
    wf_lane_count(lane, site, WF_PARTNER_ALL, 1, 0, &(struct wf_times){.raw = ticks, .virt = ticks});
}

enum { WF_PCONTROL_START = 3, WF_PCONTROL_STOP = 4 }; /* the critical path */

static void lifecycle_start(unsigned call, const void *address, uint64_t begin, MPI_Group world, bool is_comm_world)
{
    uint64_t since = wf_clock_ticks();
    struct wf_process_facts facts = {0};
    char name[128];
    wf_real.Group_rank(world, &facts.rank);
    wf_real.Group_size(world, &facts.size);
    wf_real.Query_thread(&facts.thread_level);
    facts.threads = facts.thread_level == MPI_THREAD_MULTIPLE;
    wf_flavour_name(name, sizeof name);
    facts.mpi = name;
    wf_types_init();
    wf_comm_init(world, is_comm_world);
    wf_process_start(&facts, begin);
    bool able = wf_exchange_start(facts.rank, facts.size, is_comm_world);
    if (is_comm_world && wf_process.watching)
        wf_order_start();
    lifecycle_count_outside(call, address, begin);
    wf_process_started(since);
    wf_call_show_clock(weft_tls.lane);
    if (able)
        wf_feed_start(facts.rank, facts.size, wf_links.far, wf_process.segment.header->init_end_virtual_ticks);
    if (strcmp(wf_settings.profile, "off") == 0)
        wf_process_pause();
}

static void lifecycle_start_world(unsigned call, const void *address, uint64_t begin)
{
    MPI_Group world = MPI_GROUP_NULL;
    if (!wf_process.mpi && wf_real.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        lifecycle_start(call, address, begin, world, true);
}

/* Not where MPI will refuse to be initialised again. */
static void lifecycle_before_world(void)
{
    if (wf_process.mpi)
        return;
    wf_flavour_ask_world();
    wf_exchange_create();
    wf_order_create();
    wf_needs_look_at_threads();
}

int wf_lifecycle_Init(const void *address, __typeof__(&PMPI_Init) next, int *argc, char ***argv)
{
    struct wf_guard guard;
    if (!lifecycle_enter(&guard))
        return next(argc, argv);
    lifecycle_before_world();
    uint64_t begin = wf_clock_ticks();
    weft_tls.depth = WF_IN_MPI;
    int rc = next(argc, argv);
    weft_tls.depth = WF_AT_WORK;
    if (rc == MPI_SUCCESS)
        lifecycle_start_world(wf_call_Init, address, begin);
    wf_guard_leave(&guard);
    return rc;
}

int wf_lifecycle_Init_thread(const void *address, __typeof__(&PMPI_Init_thread) next, int *argc, char ***argv,
                             int required, int *provided)
{
    struct wf_guard guard;
    if (!lifecycle_enter(&guard))
        return next(argc, argv, required, provided);
    lifecycle_before_world();
    uint64_t begin = wf_clock_ticks();
    weft_tls.depth = WF_IN_MPI;
    int rc = next(argc, argv, required, provided);
    weft_tls.depth = WF_AT_WORK;
    if (rc == MPI_SUCCESS)
        lifecycle_start_world(wf_call_Init_thread, address, begin);
    wf_guard_leave(&guard);
    return rc;
}

/* The end of watching, as far as MPI agrees. */
struct finalizing {
    uint64_t begin, before, before_virtual;
};

static void lifecycle_finalizing(struct finalizing *f)
{
    f->before = wf_process.segment.header->finalize_begin_ticks;
    f->before_virtual = wf_process.segment.header->finalize_begin_virtual_ticks;
    wf_process_finalizing(f->begin);
}

static void lifecycle_finalized(const struct finalizing *f, unsigned call, const void *address, int rc)
{
    if (rc == MPI_SUCCESS) {
        lifecycle_count_outside(call, address, f->begin);
        wf_process_finalized();
        return;
    }
    wf_process.segment.header->finalize_begin_ticks = f->before; /* the program goes on */
    wf_process.segment.header->finalize_begin_virtual_ticks = f->before_virtual;
}

/* MPI_Finalize itself is not at depth WF_IN_MPI: callbacks of the application run inside, and what they communicate is
 * theirs. */
int wf_lifecycle_Finalize(const void *address, __typeof__(&PMPI_Finalize) next)
{
    struct wf_guard guard;
    if (!wf_process.watching || atomic_load(&wf_process.segment.header->state) == WF_STATE_FINALIZED ||
        !lifecycle_enter(&guard))
        return next();
    struct finalizing f = {.begin = wf_clock_ticks()};
    struct wf_lane *lane = weft_tls.lane;
    lifecycle_finalizing(&f);
    if (lane) { /* should it die in here */
        lane->record->current_site = wf_lane_site(lane, (uintptr_t)address, wf_call_Finalize)->offset;
        lane->record->enter_ticks = f.begin;
    }
    if (wf_order_way && wf_order_way->blocks)
        wf_order_way->blocks(false);
    wf_exchange_finish();
    if (lane)
        wf_needs_finalize(lane, wf_lane_site(lane, (uintptr_t)address, wf_call_Finalize), f.begin);
    wf_guard_leave(&guard);
    int rc = next();
    wf_guard_enter(&guard);
    if (lane)
        lane->record->current_site = 0;
    if (lane && rc != MPI_SUCCESS)
        wf_needs_go_on(lane);
    lifecycle_finalized(&f, wf_call_Finalize, address, rc);
    wf_guard_leave(&guard);
    return rc;
}

int wf_lifecycle_Abort(const void *address, __typeof__(&PMPI_Abort) next, MPI_Comm comm, int errorcode)
{
    struct wf_call c;
    if (!wf_call_enter(&c, wf_call_Abort, address, NULL))
        return next(comm, errorcode);
    struct wf_segment_header *header = wf_process.segment.header;
    uint32_t state = atomic_load(&header->state);
    wf_call_begin(&c);
    wf_process_aborting(errorcode);
    wf_call_go(&c);
    int rc = next(comm, errorcode);
    wf_call_end(&c);
    atomic_store(&header->state, state); /* it was refused */
    struct wf_event e;
    wf_call_settle_alone(&c, &e);
    wf_call_take_shared(&c, &e);
    wf_call_leave(&c);
    return rc;
}

int wf_lifecycle_Pcontrol(const int level, ...)
{
    struct wf_guard guard;
    if (lifecycle_enter(&guard)) {
        if (level == 0)
            wf_process_pause();
        else if (level == 1)
            wf_process_resume();
        else if (level == WF_PCONTROL_START || level == WF_PCONTROL_STOP)
            wf_feed_ask(level == WF_PCONTROL_START);
        wf_guard_leave(&guard);
    }
    return ((__typeof__(&PMPI_Pcontrol))wf_next_mpi_functions[wf_call_Pcontrol])(level);
}

#if MPI_VERSION >= 4
/* A program may use sessions alone and never call MPI_Init: the process set of the world says who we are, and the end
 * of the last session ends MPI. */
static _Atomic int open_sessions;
static bool started_by_session;
static MPI_Session world_session; /* that has given the world's group */

int wf_lifecycle_Session_init(const void *address, __typeof__(&PMPI_Session_init) next, MPI_Info info,
                              MPI_Errhandler errhandler, MPI_Session *session)
{
    struct wf_guard guard;
    if (!lifecycle_enter(&guard))
        return next(info, errhandler, session);
    wf_flavour_ask_world();
    uint64_t begin = wf_clock_ticks();
    weft_tls.depth = WF_IN_MPI;
    int rc = next(info, errhandler, session);
    weft_tls.depth = WF_AT_WORK;
    MPI_Group world = MPI_GROUP_NULL;
    open_sessions += rc == MPI_SUCCESS;
    if (rc == MPI_SUCCESS && !wf_process.mpi && !started_by_session &&
        wf_real.Group_from_session_pset(*session, "mpi://WORLD", &world) == MPI_SUCCESS) {
        started_by_session = true;
        world_session = *session;
        lifecycle_start(wf_call_Session_init, address, begin, world, false);
    }
    wf_guard_leave(&guard);
    return rc;
}

int wf_lifecycle_Session_finalize(const void *address, __typeof__(&PMPI_Session_finalize) next, MPI_Session *session)
{
    struct wf_guard guard;
    if (!session || *session == MPI_SESSION_NULL || !lifecycle_enter(&guard))
        return next(session);
    MPI_Group world = MPI_GROUP_NULL;
    bool last = open_sessions == 1 && started_by_session && wf_process.watching,
         its_group = last && *session == world_session;
    struct finalizing f = {.begin = wf_clock_ticks()};
    if (its_group)
        wf_comm_fini(); /* a session does not end before all that it gave */
    if (last)
        lifecycle_finalizing(&f);
    wf_guard_leave(&guard);
    int rc = next(session);
    wf_guard_enter(&guard);
    open_sessions -= rc == MPI_SUCCESS;
    if (last)
        lifecycle_finalized(&f, wf_call_Session_finalize, address, rc);
    if (its_group && rc != MPI_SUCCESS &&
        wf_real.Group_from_session_pset(world_session, "mpi://WORLD", &world) == MPI_SUCCESS)
        wf_comm_again(world);
    wf_guard_leave(&guard);
    return rc;
}
#endif
