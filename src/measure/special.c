/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/special.h"

#include "measure/call.h"
#include "measure/box.h"
#include "measure/comm.h"
#include "measure/feed.h"
#include "measure/flavour.h"
#include "measure/remote.h"
#include "measure/wrappers.h"

/* What Fortran's binding left for us, as in wf_call_enter: MPI_Init runs before there is anything to enter. */
static const void *statement(unsigned call, const void *address)
{
    if (weft_tls.fortran_call == call + 1)
        address = weft_tls.fortran_site;
    weft_tls.fortran_call = 0;
    return address;
}

/* False: the call comes from inside another one, or from a signal handler while weft works. */
static inline __attribute__((always_inline)) bool enter(struct wf_guard *guard)
{
    return !wf_call_is_inside(&weft_tls) && wf_guard_enter(guard);
}

/* MPI_Init and MPI_Finalize are statements like others, but their time is outside the program's wall time. */
static void count_outside(unsigned call, const void *address, uint64_t begin)
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
    wf_lane_count(lane, site, WF_PARTNER_ALL, 1, 0, &(struct wf_span){.raw = ticks, .virt = ticks});
}

enum { WF_PCONTROL_START = 3, WF_PCONTROL_STOP = 4 }; /* the critical path */

/* What leaving a header costs: the best of many that we send to ourselves. */
static void calibrate_headers(int rank)
{
    struct wf_header h = {.comm = 1};
    uint64_t best = UINT64_MAX;
    for (int batch = 0; batch < 8; batch++) {
        uint64_t since = wf_clock_ticks();
        for (int i = 0; i < 8; i++)
            wf_box_put(rank, &h);
        uint64_t ticks = (wf_clock_ticks() - since) / 8;
        best = ticks < best ? ticks : best;
        for (struct wf_record *r; (r = wf_box_peek(&wf_box_from[rank], rank));)
            wf_box_take(&wf_box_from[rank], r, &h);
    }
    wf_process_put_cost(best);
}

static void start(unsigned call, const void *address, uint64_t begin, MPI_Group world, bool is_comm_world)
{
    uint64_t since = wf_clock_ticks();
    struct wf_process_facts facts = {0};
    char name[128];
    bool seen = wf_box != NULL; /* others may know that this process has a box */
    wf_real.Group_rank(world, &facts.rank);
    wf_real.Group_size(world, &facts.size);
    wf_real.Query_thread(&facts.thread_level);
    facts.threads = facts.thread_level == MPI_THREAD_MULTIPLE;
    wf_flavour_name(name, sizeof name);
    facts.mpi = name;
    wf_types_init();
    wf_comm_init(world, is_comm_world);
    wf_process_start(&facts, begin);
    if (!is_comm_world)
        wf_remote_refuse();
    /* Without a box nobody's waits are known, and each process is corrected alone. */
    bool able = wf_process.watching && wf_box_start(facts.rank, facts.size) == 0;
    if (able)
        calibrate_headers(facts.rank);
    if (is_comm_world && (seen || able)) {
        weft_tls.depth = WF_IN_MPI;
        wf_remote_start(facts.rank, facts.size, able);
        weft_tls.depth = WF_AT_WORK;
    }
    count_outside(call, address, begin);
    wf_process_started(since);
    if (able)
        wf_feed_start(facts.rank, facts.size, wf_remote_on, wf_process.segment.header->init_end_virtual_ticks);
}

static void start_world(unsigned call, const void *address, uint64_t begin)
{
    MPI_Group world = MPI_GROUP_NULL;
    if (!wf_process.mpi && wf_real.Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS)
        start(call, address, begin, world, true);
}

/* Not where MPI will refuse to be initialised again. */
static void before_world(void)
{
    if (wf_process.mpi)
        return;
    wf_flavour_ask_world();
    wf_box_create(wf_box_rank_before_init());
}

int wf_special_Init(const void *address, __typeof__(&PMPI_Init) next, int *argc, char ***argv)
{
    struct wf_guard guard;
    address = statement(wf_call_Init, address);
    if (!enter(&guard))
        return next(argc, argv);
    before_world();
    uint64_t begin = wf_clock_ticks();
    weft_tls.depth = WF_IN_MPI;
    int rc = next(argc, argv);
    weft_tls.depth = WF_AT_WORK;
    if (rc == MPI_SUCCESS)
        start_world(wf_call_Init, address, begin);
    wf_guard_leave(&guard);
    return rc;
}

int wf_special_Init_thread(const void *address, __typeof__(&PMPI_Init_thread) next, int *argc, char ***argv, int required,
                           int *provided)
{
    struct wf_guard guard;
    address = statement(wf_call_Init_thread, address);
    if (!enter(&guard))
        return next(argc, argv, required, provided);
    before_world();
    uint64_t begin = wf_clock_ticks();
    weft_tls.depth = WF_IN_MPI;
    int rc = next(argc, argv, required, provided);
    weft_tls.depth = WF_AT_WORK;
    if (rc == MPI_SUCCESS)
        start_world(wf_call_Init_thread, address, begin);
    wf_guard_leave(&guard);
    return rc;
}

/* The end of watching, as far as MPI agrees. */
struct finalizing {
    uint64_t begin, before, before_virtual;
};

static void finalizing(struct finalizing *f)
{
    f->before = wf_process.segment.header->finalize_begin_ticks;
    f->before_virtual = wf_process.segment.header->finalize_begin_virtual_ticks;
    wf_process_finalizing(f->begin);
}

static void finalized(const struct finalizing *f, unsigned call, const void *address, int rc)
{
    if (rc == MPI_SUCCESS) {
        count_outside(call, address, f->begin);
        wf_process_finalized();
        return;
    }
    wf_process.segment.header->finalize_begin_ticks = f->before; /* the program goes on */
    wf_process.segment.header->finalize_begin_virtual_ticks = f->before_virtual;
}

/* MPI_Finalize itself is not at depth WF_IN_MPI: callbacks of the application run inside, and what they communicate is theirs. */
int wf_special_Finalize(const void *address, __typeof__(&PMPI_Finalize) next)
{
    struct wf_guard guard;
    address = statement(wf_call_Finalize, address);
    if (!wf_process.watching || atomic_load(&wf_process.segment.header->state) == WF_STATE_FINALIZED || !enter(&guard))
        return next();
    struct finalizing f = {.begin = wf_clock_ticks()};
    struct wf_lane *lane = weft_tls.lane;
    finalizing(&f);
    if (lane) { /* should it die in here */
        lane->record->current_site = wf_lane_site(lane, (uintptr_t)address, wf_call_Finalize)->offset;
        lane->record->enter_ticks = f.begin;
    }
    weft_tls.depth = WF_IN_MPI;
    wf_remote_finish();
    weft_tls.depth = WF_AT_WORK;
    wf_guard_leave(&guard);
    int rc = next();
    wf_guard_enter(&guard);
    if (lane)
        lane->record->current_site = 0;
    finalized(&f, wf_call_Finalize, address, rc);
    wf_guard_leave(&guard);
    return rc;
}

int wf_special_Abort(const void *address, __typeof__(&PMPI_Abort) next, MPI_Comm comm, int errorcode)
{
    struct wf_call c;
    if (!wf_call_enter(&c, wf_call_Abort, address))
        return next(comm, errorcode);
    struct wf_segment_header *header = wf_process.segment.header;
    uint32_t state = atomic_load(&header->state);
    wf_call_begin(&c);
    wf_process_aborting(errorcode);
    wf_call_go(&c);
    int rc = next(comm, errorcode);
    wf_call_end(&c);
    atomic_store(&header->state, state); /* it was refused */
    wf_call_settle_alone(&c);
    wf_call_leave(&c);
    return rc;
}

int wf_special_Pcontrol(const int level, ...)
{
    struct wf_guard guard;
    if (enter(&guard)) {
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
/* A program may use sessions alone and never call MPI_Init: the process set of the world says who we are, and the end of the last
 * session ends MPI. */
static _Atomic int open_sessions;
static bool started_by_session;
static MPI_Session world_session; /* that has given the world's group */

int wf_special_Session_init(const void *address, __typeof__(&PMPI_Session_init) next, MPI_Info info, MPI_Errhandler errhandler,
                            MPI_Session *session)
{
    struct wf_guard guard;
    address = statement(wf_call_Session_init, address);
    if (!enter(&guard))
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
        start(wf_call_Session_init, address, begin, world, false);
    }
    wf_guard_leave(&guard);
    return rc;
}

int wf_special_Session_finalize(const void *address, __typeof__(&PMPI_Session_finalize) next, MPI_Session *session)
{
    struct wf_guard guard;
    address = statement(wf_call_Session_finalize, address);
    if (!session || *session == MPI_SESSION_NULL || !enter(&guard))
        return next(session);
    MPI_Group world = MPI_GROUP_NULL;
    bool last = open_sessions == 1 && started_by_session && wf_process.watching, its_group = last && *session == world_session;
    struct finalizing f = {.begin = wf_clock_ticks()};
    if (its_group)
        wf_comm_fini(); /* a session does not end before all that it gave */
    if (last)
        finalizing(&f);
    wf_guard_leave(&guard);
    int rc = next(session);
    wf_guard_enter(&guard);
    open_sessions -= rc == MPI_SUCCESS;
    if (last)
        finalized(&f, wf_call_Session_finalize, address, rc);
    if (its_group && rc != MPI_SUCCESS && wf_real.Group_from_session_pset(world_session, "mpi://WORLD", &world) == MPI_SUCCESS)
        wf_comm_again(world);
    wf_guard_leave(&guard);
    return rc;
}
#endif
