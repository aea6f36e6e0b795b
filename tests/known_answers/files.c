/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Files: the bytes really read or written; a collective access is one with all, an independent one has no partner.
 */
#include "known.h"

#define N 100

static int out[N], in[N];
static char path[4096];

// expect procedure independent
static void independent(void)
{
    MPI_File file;
    MPI_Status status;
    MPI_Offset at = (MPI_Offset)rank * N * (MPI_Offset)sizeof(int);
    // expect all: MPI_File_open all num 1 bytes 0
    MPI_File_open(WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    // expect all: MPI_File_set_size all num 1 bytes 0
    MPI_File_set_size(file, 0);
    // expect all: MPI_File_preallocate all num 1 bytes 0
    MPI_File_preallocate(file, 4 * N * sizeof(int));
    for (int i = 0; i < 3; i++)
        // expect all: MPI_File_write_at calls 3 none num 3 bytes 3*400
        MPI_File_write_at(file, at, out, N, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_read_at none num 1 bytes 40
    MPI_File_read_at(file, at, in, 10, MPI_INT, &status);
    // expect all: MPI_File_seek none num 1 bytes 0
    MPI_File_seek(file, at, MPI_SEEK_SET);
    // expect all: MPI_File_write none num 1 bytes 8
    MPI_File_write(file, out, 2, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_read none num 1 bytes 12
    MPI_File_read(file, in, 3, MPI_INT, &status);
    // expect all: MPI_File_sync all num 1 bytes 0
    MPI_File_sync(file);
    /* Half of it lies behind the end of the file. */
    // expect all: MPI_File_read_at none num 1 bytes 200
    MPI_File_read_at(file, (4 * N - 50) * sizeof(int), in, N, MPI_INT, &status);
    // expect all: MPI_File_read_at none num 1 bytes 0
    MPI_File_read_at(file, 4 * N * sizeof(int), in, N, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_close all num 1 bytes 0
    MPI_File_close(&file);
}

// expect procedure started
static void started(void)
{
    MPI_File file;
    MPI_Request requests[2];
    MPI_Offset at = (MPI_Offset)rank * N * (MPI_Offset)sizeof(int);
    // expect all: MPI_File_open all num 1 bytes 0
    MPI_File_open(WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    // expect all: MPI_File_iwrite_at none num 1 bytes 20
    MPI_File_iwrite_at(file, at, out, 5, MPI_INT, &requests[0]);
    // expect all: MPI_File_iread_at none num 1 bytes 24
    MPI_File_iread_at(file, at + 200, in, 6, MPI_INT, &requests[1]);
    // expect all: MPI_Waitall none num 2 bytes 0
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // expect all: MPI_File_seek none num 1 bytes 0
    MPI_File_seek(file, at, MPI_SEEK_SET);
    // expect all: MPI_File_iwrite none num 1 bytes 28
    MPI_File_iwrite(file, out, 7, MPI_INT, &requests[0]);
    // expect all: MPI_Wait none num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_File_iread none num 1 bytes 32
    MPI_File_iread(file, in, 8, MPI_INT, &requests[0]);
    // expect all: MPI_Wait none num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_File_iwrite_at_all all num 1 bytes 36
    MPI_File_iwrite_at_all(file, at, out, 9, MPI_INT, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_File_iread_at_all all num 1 bytes 40
    MPI_File_iread_at_all(file, at, in, 10, MPI_INT, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_File_seek none num 1 bytes 0
    MPI_File_seek(file, at, MPI_SEEK_SET);
    // expect all: MPI_File_iwrite_all all num 1 bytes 44
    MPI_File_iwrite_all(file, out, 11, MPI_INT, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_File_iread_all all num 1 bytes 48
    MPI_File_iread_all(file, in, 12, MPI_INT, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_File_close all num 1 bytes 0
    MPI_File_close(&file);
}

// expect procedure together
static void together(void)
{
    MPI_File file;
    MPI_Offset at = (MPI_Offset)rank * N * (MPI_Offset)sizeof(int);
    // expect all: MPI_File_open all num 1 bytes 0
    MPI_File_open(WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    // expect all: MPI_File_write_at_all all num 1 bytes 400
    MPI_File_write_at_all(file, at, out, N, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_read_at_all all num 1 bytes 4*r
    MPI_File_read_at_all(file, at, in, rank, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_seek none num 1 bytes 0
    MPI_File_seek(file, at, MPI_SEEK_SET);
    // expect all: MPI_File_write_all all num 1 bytes 40
    MPI_File_write_all(file, out, 10, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_read_all all num 1 bytes 80
    MPI_File_read_all(file, in, 20, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_write_at_all_begin all num 1 bytes 4
    MPI_File_write_at_all_begin(file, at, out, 1, MPI_INT);
    // expect all: MPI_File_write_at_all_end all num 1 bytes 0
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    // expect all: MPI_File_read_at_all_begin all num 1 bytes 8
    MPI_File_read_at_all_begin(file, at, in, 2, MPI_INT);
    // expect all: MPI_File_read_at_all_end all num 1 bytes 0
    MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
    // expect all: MPI_File_seek none num 1 bytes 0
    MPI_File_seek(file, at, MPI_SEEK_SET);
    // expect all: MPI_File_write_all_begin all num 1 bytes 12
    MPI_File_write_all_begin(file, out, 3, MPI_INT);
    // expect all: MPI_File_write_all_end all num 1 bytes 0
    MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
    // expect all: MPI_File_read_all_begin all num 1 bytes 16
    MPI_File_read_all_begin(file, in, 4, MPI_INT);
    // expect all: MPI_File_read_all_end all num 1 bytes 0
    MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
    // expect all: MPI_File_set_atomicity all num 1 bytes 0
    MPI_File_set_atomicity(file, 0);
    MPI_Info info;
    MPI_Info_create(&info);
    // expect all: MPI_File_set_info all num 1 bytes 0
    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
    // expect all: MPI_File_close all num 1 bytes 0
    MPI_File_close(&file);
}

/* One pointer for all. */
// expect procedure shared_pointer
static void shared_pointer(void)
{
    MPI_File file;
    MPI_Request request;
    // expect all: MPI_File_open all num 1 bytes 0
    MPI_File_open(WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    // expect all: MPI_File_write_shared none num 1 bytes 40
    MPI_File_write_shared(file, out, 10, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
    // expect all: MPI_File_seek_shared all num 1 bytes 0
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    // expect all: MPI_File_read_shared none num 1 bytes 20
    MPI_File_read_shared(file, in, 5, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_iwrite_shared none num 1 bytes 12
    MPI_File_iwrite_shared(file, out, 3, MPI_INT, &request);
    // expect all: MPI_Wait none num 1 bytes 0
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
    // expect all: MPI_File_seek_shared all num 1 bytes 0
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    // expect all: MPI_File_iread_shared none num 1 bytes 16
    MPI_File_iread_shared(file, in, 4, MPI_INT, &request);
    // expect all: MPI_Wait none num 1 bytes 0
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
    // expect all: MPI_File_write_ordered all num 1 bytes 4*(r+1)
    MPI_File_write_ordered(file, out, rank + 1, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_seek_shared all num 1 bytes 0
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    // expect all: MPI_File_read_ordered all num 1 bytes 8
    MPI_File_read_ordered(file, in, 2, MPI_INT, MPI_STATUS_IGNORE);
    // expect all: MPI_File_write_ordered_begin all num 1 bytes 4
    MPI_File_write_ordered_begin(file, out, 1, MPI_INT);
    // expect all: MPI_File_write_ordered_end all num 1 bytes 0
    MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);
    // expect all: MPI_File_read_ordered_begin all num 1 bytes 8
    MPI_File_read_ordered_begin(file, in, 2, MPI_INT);
    // expect all: MPI_File_read_ordered_end all num 1 bytes 0
    MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
    // expect all: MPI_File_close all num 1 bytes 0
    MPI_File_close(&file);
}

/* Questions about a file are local calls. */
// expect procedure questions
static void questions(void)
{
    MPI_File file;
    MPI_Offset offset, bytes;
    MPI_Datatype etype, filetype, column;
#ifdef LARGE_COUNTS
    MPI_Count extent;
#else
    MPI_Aint extent;
#endif
    MPI_Group group;
    MPI_Info info;
    char representation[MPI_MAX_DATAREP_STRING];
    int mode, atomic;
    // expect all: MPI_File_open all num 1 bytes 0
    MPI_File_open(WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    // expect all: MPI_File_get_position none num 1 bytes 0
    MPI_File_get_position(file, &offset);
    // expect all: MPI_File_get_position_shared none num 1 bytes 0
    MPI_File_get_position_shared(file, &offset);
    // expect all: MPI_File_get_byte_offset none num 1 bytes 0
    MPI_File_get_byte_offset(file, 0, &offset);
    // expect all: MPI_File_get_size none num 1 bytes 0
    MPI_File_get_size(file, &bytes);
    // expect all: MPI_File_get_view none num 1 bytes 0
    MPI_File_get_view(file, &offset, &etype, &filetype, representation);
    // expect all: MPI_File_get_type_extent none num 1 bytes 0
    MPI_File_get_type_extent(file, MPI_INT, &extent);
    // expect all: MPI_File_get_group none num 1 bytes 0
    MPI_File_get_group(file, &group);
    MPI_Group_free(&group);
    // expect all: MPI_File_get_amode none num 1 bytes 0
    MPI_File_get_amode(file, &mode);
    // expect all: MPI_File_get_info none num 1 bytes 0
    MPI_File_get_info(file, &info);
    MPI_Info_free(&info);
    // expect all: MPI_File_get_atomicity none num 1 bytes 0
    MPI_File_get_atomicity(file, &atomic);
    /* Every second int belongs to the view; what is written through it are the data alone. */
    MPI_Type_vector(10, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    // expect all: MPI_File_set_view all num 1 bytes 0
    MPI_File_set_view(file, 0, MPI_INT, column, "native", MPI_INFO_NULL);
    // expect 0: MPI_File_write_all all num 1 bytes 40
    // expect r>0: MPI_File_write_all all num 1 bytes 0
    MPI_File_write_all(file, out, rank == 0 ? 10 : 0, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    // expect all: MPI_File_close all num 1 bytes 0
    MPI_File_close(&file);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
    if (rank == 0)
        // expect 0: MPI_File_delete none num 1 bytes 0
        MPI_File_delete(path, MPI_INFO_NULL);
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    snprintf(path, sizeof path, "%s.data", argv[0]);
    independent();
    started();
    together();
    shared_pointer();
    questions();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
