/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Windows: fences, general active target, locks. Which call of an epoch waits is the library's choice; both wait in the
 * first.
 */
#include "waits.h"

static MPI_Win window;
#define shared other

static void begin_late(const char *name, int who)
{
    begin(name);
    if (rank == who)
        DAWDLE;
}

static void all_wait(const char *kind, const char *at, int who, const char *come)
{
    for (int r = 0; r < RANKS; r++)
        if (r != who)
            WAITS_ALL(kind, r, at, who, come, "dawdle");
}

static void fence(void)
{
    begin("fence");
    MPI_Win_fence(0, window);
    if (rank == 2)
        DAWDLE;
    AT("fence", MPI_Win_fence(0, window));
    all_wait("wait at window", "fence", 2, "fence");
}

static MPI_Group group_of(int first, int count)
{
    MPI_Group world, group;
    int ranks[RANKS];
    for (int i = 0; i < count; i++)
        ranks[i] = first + i;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Group_free(&world);
    return group;
}

/* Rank 0 accesses ranks 1 and 2. Rank 3 posts at a wrong moment, for no origin. */
static void late_post(void)
{
    begin_late("late_post", 2);
    MPI_Group targets = group_of(1, 2), origin = group_of(0, 1), none = group_of(0, 0);
    if (rank == 0) {
        AT("start", MPI_Win_start(targets, 0, window));
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        AT("access", MPI_Win_complete(window));
    } else if (rank < 3) {
        AT("post", MPI_Win_post(origin, 0, window));
        MPI_Win_wait(window);
    } else {
        pass_ms(LATE_MS / 2);
        MPI_Win_post(none, 0, window);
        MPI_Win_wait(window);
    }
    WAITS_ALL("late post", 0, "start", 2, "post", "dawdle");
    MPI_Group_free(&targets);
    MPI_Group_free(&origin);
    MPI_Group_free(&none);
}

/* MPICH's target takes part in the end of the access; Open MPI's does not. */
static void late_target(void)
{
    begin("late_target");
    MPI_Group target = group_of(3, 1), origin = group_of(1, 1);
    int64_t since = now_ns();
    if (rank == 1) {
        MPI_Win_start(target, 0, window);
        MPI_Put(buffer, 4, MPI_INT, 3, 0, 4, MPI_INT, window);
        AT("complete", MPI_Win_complete(window));
    } else if (rank == 3) {
        MPI_Win_post(origin, 0, window);
        late();
        AT("wait", MPI_Win_wait(window));
    }
    if (has_waited(1, now_ns() - since))
        WAITS_ALL("wait at window", 1, "complete", 3, "wait", "wait");
    MPI_Group_free(&target);
    MPI_Group_free(&origin);
}

/* Ranks 1 and 3 access rank 0. */
static void late_complete(void)
{
    begin("late_complete");
    MPI_Group target = group_of(0, 1), origins = group_of(1, 3);
    if (rank == 0) {
        MPI_Win_post(origins, 0, window);
        AT("wait", MPI_Win_wait(window));
    } else {
        MPI_Win_start(target, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, rank, 1, MPI_INT, window);
        if (rank == 3)
            DAWDLE;
        AT("complete", MPI_Win_complete(window));
    }
    WAITS_ALL("late complete", 0, "wait", 3, "complete", "dawdle");
    MPI_Group_free(&target);
    MPI_Group_free(&origins);
}

/* Rank 1 has the lock of its own window, so nothing depends on the target's progress. Rank 3 waits for it, unless both
 * locks are shared. */
static void has_lock(const char *name, int type)
{
    begin(name);
    if (rank == 1) {
        MPI_Win_lock(type, 1, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_flush(1, window);
    }
    MPI_Barrier(WORLD);
    if (rank == 1) {
        DAWDLE;
        AT("unlock", MPI_Win_unlock(1, window));
    }
}

static void lock(void)
{
    has_lock("lock", MPI_LOCK_EXCLUSIVE);
    if (rank == 3) {
        AT("lock", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window));
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    expect("wait for lock", 3, "lock", 1, "unlock", "dawdle", 1);
    MPI_Barrier(WORLD);
}

static void lock_shared(void)
{
    has_lock("lock_shared", MPI_LOCK_EXCLUSIVE);
    if (rank == 3) {
        AT("lock", MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window));
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    expect("wait for lock", 3, "lock", 1, "unlock", "dawdle", 1);
    MPI_Barrier(WORLD);
}

static void lock_all(void)
{
    has_lock("lock_all", MPI_LOCK_EXCLUSIVE);
    if (rank == 3) {
        AT("lock", MPI_Win_lock_all(0, window));
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock_all(window);
    }
    expect("wait for lock", 3, "lock", 1, "unlock", "dawdle", -1);
    MPI_Barrier(WORLD);
}

static void lock_behind_shared(void)
{
    has_lock("lock_behind_shared", MPI_LOCK_SHARED);
    if (rank == 3) {
        AT("lock", MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window));
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    expect("wait for lock", 3, "lock", 1, "unlock", "dawdle", 1);
    MPI_Barrier(WORLD);
}

static void both_shared(void)
{
    has_lock("both_shared", MPI_LOCK_SHARED);
    int64_t since = now_ns(), took = 0;
    if (rank == 3) {
        AT("lock", MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window));
        took = now_ns() - since;
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
        MPI_Win_unlock(1, window);
    }
    if (has_waited(3, took))
        expect("wait at window", 3, "lock", 1, "unlock", "unlock", 1);
    MPI_Barrier(WORLD);
}

/* Both locks are shared. What ranks 1 and 3 may wait for is the target, which is not in MPI, and never each other. */
static void busy_target(void)
{
    int64_t since, took = 0;
    begin("busy_target");
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_flush(0, window);
    }
    MPI_Barrier(WORLD);
    since = now_ns();
    if (rank == 0) {
        late();
        AT("return", MPI_Barrier(MPI_COMM_SELF));
    } else if (rank == 1) {
        pass_ms(LATE_MS / 4);
        since = now_ns();
        AT("unlock", MPI_Win_unlock(0, window));
        took = now_ns() - since;
    } else if (rank == 3) {
        AT("lock", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window));
        took = now_ns() - since;
        MPI_Put(&rank, 1, MPI_INT, 0, 3, 1, MPI_INT, window);
        AT("flush", MPI_Win_flush(0, window));
        AT("unlock", MPI_Win_unlock(0, window));
    }
    if (has_waited(3, took))
        expect("wait at window", 3, "lock", 0, "return", "return", 0);
    if (has_waited(1, took))
        expect("wait at window", 1, "unlock", 0, "return", "return", 0);
    MPI_Barrier(WORLD);
}

/* Its end, too. */
static void freed(void)
{
    begin_late("freed", 1);
    AT("free", MPI_Win_free(&window));
    all_wait("wait at window", "free", 1, "free");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Win_create(shared, 16 * sizeof *shared, sizeof *shared, MPI_INFO_NULL, WORLD, &window);
    fence();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    late_post();
    late_target();
    late_complete();
    lock();
    lock_shared();
    lock_all();
    lock_behind_shared();
    both_shared();
    busy_target();
    freed();
    finish();
}
