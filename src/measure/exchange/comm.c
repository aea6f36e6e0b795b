/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/comm.h"

#include "base/pool.h"
#include "base/table.h"
#include "measure/exchange/exchange.h"
#include "measure/library/real.h"

#define MAX_HANDLES (1u << 20) /* address space only */
#define MAX_COUNTS 65536u

/* What a handle stands for. */
struct comm_handle {
    uintptr_t handle;
    enum wf_group_kind kind;
    struct wf_group *group;
};

/* How many communicators had this stem and these groups. */
struct comm_count {
    uint64_t name;
    uint32_t made;
};

struct wf_group *wf_comm_world;

static struct {
    struct wf_group *self;
    struct wf_table handles, counts;
    struct wf_pool handle_cells, count_cells;
    struct wf_lock lock; /* for all these, with MPI_THREAD_MULTIPLE */
} comms = {.handles = WF_TABLE(NULL),
           .counts = WF_TABLE(NULL),
           .handle_cells = WF_POOL(struct comm_handle, MAX_HANDLES),
           .count_cells = WF_POOL(struct comm_count, MAX_COUNTS)};

/* ---- names ---- */

static uint64_t name_mix_in(uint64_t h, uint64_t more)
{
    return wf_group_mix(h * 0x9E3779B97F4A7C15u + more);
}

static uint32_t comm_count_hash(const void *count)
{
    return wf_hash(((const struct comm_count *)count)->name);
}

static struct comm_count *comm_count_find(uint64_t name)
{
    for (uint32_t i = wf_hash(name);; i++) {
        struct comm_count *c = wf_table_at(&comms.counts, i);
        if (!c || c->name == name)
            return c;
    }
}

static uint32_t comm_count_up_locked(uint64_t name)
{
    struct comm_count *c = comm_count_find(name);
    if (c)
        return ++c->made;
    c = wf_pool_take(&comms.count_cells);
    if (!c)
        return 1;
    *c = (struct comm_count){.name = name, .made = 1};
    comms.counts.base = comms.count_cells.cells;
    if (!wf_table_add(&comms.counts, c, comm_count_hash))
        wf_pool_give(&comms.count_cells, c);
    return 1;
}

/* ---- handles ---- */

static uint32_t comm_handle_key(enum wf_group_kind kind, uintptr_t handle)
{
    return wf_hash(handle + (uintptr_t)kind);
}

static uint32_t comm_handle_hash(const void *handle)
{
    const struct comm_handle *h = handle;
    return comm_handle_key(h->kind, h->handle);
}

static struct comm_handle *comm_find_locked(enum wf_group_kind kind, uintptr_t handle)
{
    for (uint32_t i = comm_handle_key(kind, handle);; i++) {
        struct comm_handle *h = wf_table_at(&comms.handles, i);
        if (!h || (h->handle == handle && h->kind == kind))
            return h;
    }
}

static struct wf_group *comm_known_locked(enum wf_group_kind kind, uintptr_t handle)
{
    const struct comm_handle *h = comm_find_locked(kind, handle);
    return h ? h->group : NULL;
}

static struct wf_group *comm_known(enum wf_group_kind kind, uintptr_t handle)
{
    wf_threads_lock(&comms.lock);
    struct wf_group *group = comm_known_locked(kind, handle);
    wf_threads_unlock(&comms.lock);
    return group;
}

/* Its handle stands for nothing now. False: there is no memory. */
static bool comm_list_locked(struct wf_group *group)
{
    struct comm_handle *h = wf_pool_take(&comms.handle_cells);
    if (!h)
        return false;
    *h = (struct comm_handle){.handle = group->handle, .kind = group->kind, .group = group};
    comms.handles.base = comms.handle_cells.cells;
    group->listed = wf_table_add(&comms.handles, h, comm_handle_hash);
    if (!group->listed)
        wf_pool_give(&comms.handle_cells, h);
    return group->listed;
}

/* The world and the process itself are never gone, whatever is said of their handles. */
static void comm_unlist_locked(struct wf_group *group)
{
    if (!group || !group->listed || group == wf_comm_world || group == comms.self)
        return;
    struct comm_handle *h = comm_find_locked(group->kind, group->handle);
    wf_table_remove(&comms.handles, h, comm_handle_hash);
    wf_pool_give(&comms.handle_cells, h);
    group->listed = false;
    wf_group_drop(group);
}

/* What MPI has just accepted. Another thread may have been faster. */
static struct wf_group *comm_find(enum wf_group_kind kind, uintptr_t handle)
{
    struct wf_group *group = comm_known(kind, handle);
    struct wf_group *made = group ? NULL : wf_group_make(kind, handle);
    if (!made)
        return group;
    made->silent = true;
    wf_threads_lock(&comms.lock);
    group = comm_known_locked(kind, handle);
    if (!group && comm_list_locked(made))
        group = made;
    wf_threads_unlock(&comms.lock);
    if (group != made)
        wf_group_drop(made);
    return group;
}

/* ---- communicators ---- */

uint64_t wf_comm_stem(enum wf_maker maker, MPI_Comm parent, int tag, const char *word)
{
    uint64_t stem = (uint64_t)maker + 1;
    if (maker != WF_MAKER_groups) {
        struct wf_group *group = comm_find(WF_GROUP_COMM, (uintptr_t)parent);
        stem = name_mix_in(stem, group ? group->id : 0);
        if (maker == WF_MAKER_all && group)
            return name_mix_in(stem, ++group->made);
    }
    stem = name_mix_in(stem, (uint64_t)(int64_t)tag);
    for (; word && *word; word++)
        stem = name_mix_in(stem, (unsigned char)*word);
    return stem;
}

void wf_comm_made(MPI_Comm comm, enum wf_maker maker, uint64_t stem)
{
    struct wf_group *made = wf_group_make(WF_GROUP_COMM, (uintptr_t)comm);
    bool listed = false;
    if (made)
        made->id = name_mix_in(stem, made->id);
    wf_threads_lock(&comms.lock);
    comm_unlist_locked(comm_known_locked(WF_GROUP_COMM, (uintptr_t)comm)); /* of another thread, which has just freed it
                                                                            */
    if (made) {
        if (maker != WF_MAKER_all)
            made->id = name_mix_in(made->id, comm_count_up_locked(made->id));
        listed = comm_list_locked(made);
    }
    wf_threads_unlock(&comms.lock);
    if (made && !listed)
        wf_group_drop(made);
}

uint64_t wf_comm_call_name(enum wf_maker maker, MPI_Comm parent, int tag)
{
    const struct wf_group *group = maker == WF_MAKER_some ? wf_comm_known(parent) : NULL;
    return name_mix_in(name_mix_in((uint64_t)maker + 101, group ? group->id : 0), (uint64_t)(int64_t)tag);
}

uint64_t wf_comm_pair_name(uint64_t comm, int tag, int32_t from, int32_t to, bool sends)
{
    uint64_t both = (uint64_t)(uint32_t)from << 32 | (uint32_t)to;
    uint64_t name = name_mix_in(name_mix_in(comm, (uint64_t)(int64_t)tag), both);
    wf_threads_lock(&comms.lock);
    uint32_t which = comm_count_up_locked(name_mix_in(name, sends ? 1 : 2));
    wf_threads_unlock(&comms.lock);
    return name_mix_in(name, which);
}

/* Its members are those of the communicator, in the same order. */
static void comm_made_on(enum wf_group_kind kind, uintptr_t handle, MPI_Comm on)
{
    const struct wf_group *parent = wf_comm_known(on);
    struct wf_group *made = parent ? wf_group_make_like(kind, handle, parent) : NULL;
    bool listed = false;
    if (made)
        made->id = name_mix_in(wf_comm_stem(WF_MAKER_all, on, 0, NULL), made->id + (uint64_t)kind);
    wf_threads_lock(&comms.lock);
    comm_unlist_locked(comm_known_locked(kind, handle));
    if (made)
        listed = comm_list_locked(made);
    wf_threads_unlock(&comms.lock);
    if (made && !listed)
        wf_group_drop(made);
}

void wf_win_made(MPI_Win win, MPI_Comm on)
{
    comm_made_on(WF_GROUP_WIN, (uintptr_t)win, on);
}

void wf_file_made(MPI_File file, MPI_Comm on)
{
    comm_made_on(WF_GROUP_FILE, (uintptr_t)file, on);
}

static struct wf_group *comm_known_to_others(enum wf_group_kind kind, uintptr_t handle)
{
    struct wf_group *group = comm_known(kind, handle);
    return group && !group->silent ? group : NULL;
}

struct wf_group *wf_comm_known_slow(MPI_Comm comm)
{
    return comm_known_to_others(WF_GROUP_COMM, (uintptr_t)comm);
}

struct wf_group *wf_win_known(MPI_Win win)
{
    return comm_known_to_others(WF_GROUP_WIN, (uintptr_t)win);
}

struct wf_group *wf_file_known(MPI_File file)
{
    return comm_known_to_others(WF_GROUP_FILE, (uintptr_t)file);
}

/* One that is there from the start. */
static struct wf_group *comm_start_with(MPI_Comm comm, uint64_t stem)
{
    wf_comm_made(comm, WF_MAKER_all, stem);
    return comm_known(WF_GROUP_COMM, (uintptr_t)comm);
}

void wf_comm_init(MPI_Group world, bool is_comm_world)
{
    wf_group_set_world(world);
    if (!is_comm_world)
        return;
    wf_comm_world = comm_start_with(MPI_COMM_WORLD, 1);
    comms.self = comm_start_with(MPI_COMM_SELF, 2);
}

void wf_comm_fini(void)
{
    MPI_Group world = wf_group_world();
    if (world != MPI_GROUP_NULL)
        wf_real.Group_free(&world);
    wf_group_set_world(world);
}

void wf_comm_again(MPI_Group world)
{
    wf_group_set_world(world);
}

/* ---- partners ---- */

static int32_t comm_partner(enum wf_group_kind kind, uintptr_t handle, int rank)
{
    if (rank < 0)
        return WF_PARTNER_NONE; /* MPI_PROC_NULL: nothing else below 0 is accepted by the calls that come here */
    return wf_group_partner(comm_find(kind, handle), rank);
}

int32_t wf_comm_look_up(MPI_Comm comm, int rank)
{
    return comm_partner(WF_GROUP_COMM, (uintptr_t)comm, rank);
}

int32_t wf_win_partner(MPI_Win win, int rank)
{
    return comm_partner(WF_GROUP_WIN, (uintptr_t)win, rank);
}

/* ---- references ---- */

static struct wf_group *comm_leaving(enum wf_group_kind kind, uintptr_t handle)
{
    wf_threads_lock(&comms.lock);
    struct wf_group *group = comm_known_locked(kind, handle);
    if (group)
        wf_group_hold(group);
    wf_threads_unlock(&comms.lock);
    return group;
}

struct wf_group *wf_comm_leaving(MPI_Comm comm)
{
    return comm_leaving(WF_GROUP_COMM, (uintptr_t)comm);
}

struct wf_group *wf_win_leaving(MPI_Win win)
{
    return comm_leaving(WF_GROUP_WIN, (uintptr_t)win);
}

struct wf_group *wf_file_leaving(MPI_File file)
{
    return comm_leaving(WF_GROUP_FILE, (uintptr_t)file);
}

void wf_group_left(struct wf_group *group, bool gone)
{
    if (!group)
        return;
    wf_threads_lock(&comms.lock);
    if (gone)
        comm_unlist_locked(group);
    wf_threads_unlock(&comms.lock);
    wf_group_drop(group);
}

struct wf_group *wf_comm_hold(MPI_Comm comm)
{
    struct wf_group *group = comm_find(WF_GROUP_COMM, (uintptr_t)comm);
    if (group)
        wf_group_hold(group);
    return group;
}
