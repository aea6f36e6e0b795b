/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the generated calls (cases.awk) are made with: objects that are right, objects that are not, and variables for
 * what is made. One process is its whole world, so no call waits for others.
 */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What MPI itself writes too far, with a wrong count, must not reach further: each has its pages alone. */
#define AREA_BYTES 4096
static int *in, *out, *area;
static int zeros[8], counts[8] = {1, 1, 1, 1, 1, 1, 1, 1}, numbers[8], flag_, index_, outcount_, indices_[8];
static MPI_Count large_numbers[8];
static char text[MPI_MAX_PORT_NAME + 256], path[256];
static MPI_Datatype types[8], uncommitted, made_datatype;
static MPI_Comm comm, cart, made_comm, spare_comm, null_comm = MPI_COMM_NULL, no_comm, world_comm, self_comm, kept_comm;
static MPI_Win win, locked, made_win, spare_win, null_win, no_win, kept_win;
static MPI_Request under_way, persistent, several[3], persistents[3], made_req, null_req, no_req, null_reqs[3],
    one_missing[3], kept_req;
static MPI_Message message, made_message, null_message, no_message, no_proc_message;
static MPI_Status status, statuses[8];
static MPI_File file, made_file, spare_file, null_file, no_file;
static MPI_Group group, made_group;
static MPI_Info made_info;
#if MPI_VERSION >= 4
static MPI_Count large_counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static MPI_Aint large_zeros[8];
static MPI_Session session, made_session, null_session = MPI_SESSION_NULL;
#elif defined(OPEN_MPI)
static MPI_Aint large_zeros[8];
#endif

static MPI_Comm freed_comm(void)
{
    MPI_Comm freed;
    MPI_Comm_dup(MPI_COMM_SELF, &freed);
    MPI_Comm handle = freed;
    MPI_Comm_free(&freed);
    return handle;
}

static MPI_Win freed_win(void)
{
    MPI_Win freed;
    void *memory;
    MPI_Win_allocate(AREA_BYTES, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &freed);
    MPI_Win handle = freed;
    MPI_Win_free(&freed);
    return handle;
}

static MPI_Comm *keep_comm(MPI_Comm value)
{
    kept_comm = value;
    return &kept_comm;
}

static MPI_Win *keep_win(MPI_Win value)
{
    kept_win = value;
    return &kept_win;
}

static MPI_Request *keep_req(MPI_Request value)
{
    kept_req = value;
    return &kept_req;
}

static MPI_Win new_win(void)
{
    MPI_Win made;
    void *memory;
    MPI_Win_allocate(AREA_BYTES, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &made);
    MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN);
    return made;
}

static void new_wins(void)
{
    win = new_win();
    locked = new_win();
    MPI_Win_lock_all(0, locked);
}

static MPI_Request proc_null_receive(void)
{
    MPI_Request made;
    MPI_Irecv(in, 1, MPI_INT, MPI_PROC_NULL, 9, comm, &made);
    return made;
}

/* Where MPI crashed, something may be under way in the old ones for ever. */
static void new_comms(void)
{
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Cart_create(comm, 1, counts, counts, 0, &cart);
}

static int *alone(void)
{
    char *pages = mmap(NULL, 3 * AREA_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + AREA_BYTES, AREA_BYTES, PROT_READ | PROT_WRITE);
    return (int *)(pages + AREA_BYTES);
}

static void build_world(void)
{
    in = alone();
    out = alone();
    area = alone();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    new_comms();
    MPI_Comm_group(comm, &group);
    for (int i = 0; i < 8; i++)
        types[i] = MPI_INT;
    MPI_Type_contiguous(2, MPI_INT, &uncommitted);
    new_wins();
    snprintf(path, sizeof path, "wrong-%d.dat", (int)MPI_VERSION);
    MPI_File_open(comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file);
    spare_comm = made_comm = MPI_COMM_NULL;
    spare_win = null_win = MPI_WIN_NULL;
    spare_file = null_file = MPI_FILE_NULL;
    persistent = under_way = null_req = MPI_REQUEST_NULL;
    null_message = MPI_MESSAGE_NULL;
    for (int i = 0; i < 3; i++)
        several[i] = persistents[i] = null_reqs[i] = MPI_REQUEST_NULL;
    memset(&no_comm, 0, sizeof no_comm);
    memset(&no_win, 0, sizeof no_win);
    memset(&no_req, 0, sizeof no_req);
    memset(&no_message, 0, sizeof no_message);
    memset(&no_file, 0, sizeof no_file);
}

/* What the last call may have used up. */
static void renew_world(int spoilt)
{
    if (spoilt) {
        new_comms();
        new_wins();
    }
    world_comm = MPI_COMM_WORLD;
    self_comm = MPI_COMM_SELF;
    no_proc_message = message = MPI_MESSAGE_NO_PROC;
    if (spare_comm == MPI_COMM_NULL)
        MPI_Comm_dup(comm, &spare_comm);
    if (spare_win == MPI_WIN_NULL)
        spare_win = new_win();
    if (spare_file == MPI_FILE_NULL)
        MPI_File_open(comm, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &spare_file);
    if (under_way == MPI_REQUEST_NULL)
        under_way = proc_null_receive();
    if (persistent == MPI_REQUEST_NULL)
        MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 9, comm, &persistent);
    for (int i = 0; i < 3; i++) {
        if (several[i] == MPI_REQUEST_NULL)
            several[i] = proc_null_receive();
        if (persistents[i] == MPI_REQUEST_NULL)
            MPI_Recv_init(in, 1, MPI_INT, MPI_PROC_NULL, 9, comm, &persistents[i]);
        one_missing[i] = i == 1 ? no_req : several[i];
    }
    made_comm = MPI_COMM_NULL;
    made_req = MPI_REQUEST_NULL;
}
