/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One-sided operations count by their target and with the bytes of the origin; what concerns a whole window is a collective.
 */
#include "known.h"

#define N 1000

static int *memory, origin[N], result[N];

// expect procedure fences
static void fences(void)
{
    MPI_Win win;
    int right = (rank + 1) % size;
    // expect all: MPI_Win_create all num 1 bytes 0
    MPI_Win_create(memory, N * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &win);
    // expect all: MPI_Win_fence all num 1 bytes 0
    MPI_Win_fence(0, win);
    for (int i = 0; i < 5; i++)
        // expect all: MPI_Put to (r+1)%P num 5 bytes 5*40
        MPI_Put(origin, 10, MPI_INT, right, 10 * i, 10, MPI_INT, win);
    // expect all: MPI_Win_fence all num 1 bytes 0
    MPI_Win_fence(0, win);
    for (int i = 0; i < size; i++)
        // expect all: MPI_Get to 0 num 1 bytes 4, to 1 num 1 bytes 8, to 2 num 1 bytes 12, to 3 num 1 bytes 16
        MPI_Get(result + 10 * i, i + 1, MPI_INT, i, 0, i + 1, MPI_INT, win);
    // expect all: MPI_Win_fence all num 1 bytes 0
    MPI_Win_fence(0, win);
    // expect all: MPI_Accumulate to (r+1)%P num 1 bytes 28
    MPI_Accumulate(origin, 7, MPI_INT, right, 0, 7, MPI_INT, MPI_SUM, win);
    // expect all: MPI_Put none num 1 bytes 0
    MPI_Put(origin, 7, MPI_INT, MPI_PROC_NULL, 0, 7, MPI_INT, win);
    // expect all: MPI_Win_fence all num 1 bytes 0
    MPI_Win_fence(0, win);
    MPI_Info info;
    MPI_Info_create(&info);
    // expect all: MPI_Win_set_info all num 1 bytes 0
    MPI_Win_set_info(win, info);
    MPI_Info_free(&info);
    // expect all: MPI_Win_free all num 1 bytes 0
    MPI_Win_free(&win);
}

// expect procedure locks
static void locks(void)
{
    MPI_Win win;
    int *base, left = (rank + 3) % size, one = 1, old;
    // expect all: MPI_Win_allocate all num 1 bytes 0
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &win);
    // expect all: MPI_Win_lock to (r+3)%P num 1 bytes 0
    MPI_Win_lock(MPI_LOCK_SHARED, left, 0, win);
    // expect all: MPI_Get_accumulate to (r+3)%P num 1 bytes 24
    MPI_Get_accumulate(origin, 6, MPI_INT, result, 6, MPI_INT, left, 0, 6, MPI_INT, MPI_SUM, win);
    /* Nothing goes there, six ints come back. */
    // expect all: MPI_Get_accumulate to (r+3)%P num 1 bytes 24
    MPI_Get_accumulate(NULL, 0, MPI_INT, result, 6, MPI_INT, left, 0, 6, MPI_INT, MPI_NO_OP, win);
    // expect all: MPI_Win_flush to (r+3)%P num 1 bytes 0
    MPI_Win_flush(left, win);
    for (int i = 0; i < 4; i++)
        // expect all: MPI_Fetch_and_op calls 4 to (r+3)%P num 4 bytes 16
        MPI_Fetch_and_op(&one, &old, MPI_INT, left, 100, MPI_SUM, win);
    // expect all: MPI_Win_flush_local to (r+3)%P num 1 bytes 0
    MPI_Win_flush_local(left, win);
    // expect all: MPI_Compare_and_swap to (r+3)%P num 1 bytes 4
    MPI_Compare_and_swap(&one, &one, &old, MPI_INT, left, 101, win);
    // expect all: MPI_Win_unlock to (r+3)%P num 1 bytes 0
    MPI_Win_unlock(left, win);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
    // expect all: MPI_Win_lock_all all num 1 bytes 0
    MPI_Win_lock_all(0, win);
    // expect all: MPI_Win_sync none num 1 bytes 0
    MPI_Win_sync(win);
    // expect all: MPI_Put to (r+3)%P num 1 bytes 4
    MPI_Put(&one, 1, MPI_INT, left, 102, 1, MPI_INT, win);
    // expect all: MPI_Win_flush_local_all all num 1 bytes 0
    MPI_Win_flush_local_all(win);
    // expect all: MPI_Win_flush_all all num 1 bytes 0
    MPI_Win_flush_all(win);
    // expect all: MPI_Win_unlock_all all num 1 bytes 0
    MPI_Win_unlock_all(win);
    // expect all: MPI_Win_free all num 1 bytes 0
    MPI_Win_free(&win);
}

// expect procedure with_requests
static void with_requests(void)
{
    MPI_Win win;
    MPI_Request requests[4];
    int *base, next = (rank + 1) % size, opposite = (rank + 2) % size;
    // expect all: MPI_Win_allocate all num 1 bytes 0
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &win);
    // expect all: MPI_Win_lock_all all num 1 bytes 0
    MPI_Win_lock_all(0, win);
    // expect all: MPI_Rput to (r+1)%P num 1 bytes 40
    MPI_Rput(origin, 10, MPI_INT, next, 0, 10, MPI_INT, win, &requests[0]);
    // expect all: MPI_Rget to (r+2)%P num 1 bytes 80
    MPI_Rget(result, 20, MPI_INT, opposite, 100, 20, MPI_INT, win, &requests[1]);
    // expect all: MPI_Raccumulate to (r+1)%P num 1 bytes 12
    MPI_Raccumulate(origin, 3, MPI_INT, next, 200, 3, MPI_INT, MPI_SUM, win, &requests[2]);
    // expect all: MPI_Rget_accumulate to (r+2)%P num 1 bytes 16
    MPI_Rget_accumulate(origin, 4, MPI_INT, result + 100, 4, MPI_INT, opposite, 300, 4, MPI_INT, MPI_SUM, win, &requests[3]);
    // expect all: MPI_Waitall to (r+1)%P num 2 bytes 0, to (r+2)%P num 2 bytes 0
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    // expect all: MPI_Win_unlock_all all num 1 bytes 0
    MPI_Win_unlock_all(win);
    // expect all: MPI_Win_free all num 1 bytes 0
    MPI_Win_free(&win);
}

/* Post, start, complete, wait: rank 0 and 1 write into 2 and 3. */
// expect procedure active_targets
static void active_targets(void)
{
    MPI_Win win;
    MPI_Group world, partner;
    int *base, other = (rank + 2) % size, flag;
    // expect all: MPI_Win_allocate all num 1 bytes 0
    MPI_Win_allocate(N * sizeof(int), sizeof(int), MPI_INFO_NULL, WORLD, &base, &win);
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 1, &other, &partner);
    for (int i = 0; i < 2; i++) {
        if (rank < 2) {
            // expect 0-1: MPI_Win_start all num 2 bytes 0
            MPI_Win_start(partner, 0, win);
            // expect 0-1: MPI_Put to r+2 num 2 bytes 2*40
            MPI_Put(origin, 10, MPI_INT, other, 0, 10, MPI_INT, win);
            // expect 0-1: MPI_Win_complete all num 2 bytes 0
            MPI_Win_complete(win);
        } else {
            // expect 2-3: MPI_Win_post all num 2 bytes 0
            MPI_Win_post(partner, 0, win);
            if (i == 0)
                // expect 2-3: MPI_Win_wait all num 1 bytes 0
                MPI_Win_wait(win);
            for (flag = i == 0; !flag;)
                // expect 2-3: MPI_Win_test all num 1 bytes 0, perhaps none num 0 bytes 0
                MPI_Win_test(win, &flag);
        }
    }
    MPI_Group_free(&partner);
    MPI_Group_free(&world);
    // expect all: MPI_Win_free all num 1 bytes 0
    MPI_Win_free(&win);
}

// expect procedure dynamic
static void dynamic(void)
{
    MPI_Win win;
    MPI_Aint mine, theirs;
    int right = (rank + 1) % size, left = (rank + 3) % size;
    // expect all: MPI_Win_create_dynamic all num 1 bytes 0
    MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
    // expect all: MPI_Win_attach none num 1 bytes 0
    MPI_Win_attach(win, memory, N * sizeof(int));
    MPI_Get_address(memory, &mine);
    // expect all: MPI_Sendrecv to (r+3)%P num 1 bytes 8, from (r+1)%P num 1 bytes 8
    MPI_Sendrecv(&mine, 1, MPI_AINT, left, 0, &theirs, 1, MPI_AINT, right, 0, WORLD, MPI_STATUS_IGNORE);
    // expect all: MPI_Win_fence all num 1 bytes 0
    MPI_Win_fence(0, win);
    // expect all: MPI_Put to (r+1)%P num 1 bytes 16
    MPI_Put(origin, 4, MPI_INT, right, theirs, 4, MPI_INT, win);
    // expect all: MPI_Win_fence all num 1 bytes 0
    MPI_Win_fence(0, win);
    // expect all: MPI_Win_detach none num 1 bytes 0
    MPI_Win_detach(win, memory);
    // expect all: MPI_Win_free all num 1 bytes 0
    MPI_Win_free(&win);
}

/* Targets are world ranks too, whatever the window's communicator calls them; and a window's handle comes back as another window's. */
// expect procedure other_orders
static void other_orders(void)
{
    MPI_Comm reversed, half;
    // expect all: MPI_Comm_split all num 1 bytes 0
    MPI_Comm_split(WORLD, 0, size - rank, &reversed);
    // expect all: MPI_Comm_split all num 1 bytes 0
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    for (int i = 0; i < 20; i++) {
        int *base;
        MPI_Win win;
        // expect all: MPI_Win_allocate_shared calls 20 all num 20 bytes 0
        MPI_Win_allocate_shared(N * sizeof(int), sizeof(int), MPI_INFO_NULL, i % 2 ? half : reversed, &base, &win);
        // expect all: MPI_Win_fence all num 20 bytes 0
        MPI_Win_fence(0, win);
        /* Rank 0 is world rank 3 in the one and the smaller of one's own parity in the other. */
        // expect all: MPI_Put to 3 num 10 bytes 10*4, to r%2 num 10 bytes 10*4
        MPI_Put(origin, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
        // expect all: MPI_Win_fence all num 20 bytes 0
        MPI_Win_fence(0, win);
        // expect all: MPI_Win_free all num 20 bytes 0
        MPI_Win_free(&win);
    }
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&reversed);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&half);
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    MPI_Alloc_mem(N * sizeof(int), MPI_INFO_NULL, &memory);
    for (int i = 0; i < N; i++)
        memory[i] = 0;
    fences();
    locks();
    with_requests();
    active_targets();
    dynamic();
    other_orders();
    MPI_Free_mem(memory);
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
