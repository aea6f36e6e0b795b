/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A layer over MPI of the application's own, as MPI allows by its second names: linked into the program, or in a
 * library before MPI's. It sees every call of the application once, and none of weft's. In the program it also sees the
 * very arguments of the application (ARGUMENTS); a library stands behind weft, which may have put a status of its own
 * where the application wants none.
 */
#include <mpi.h>
#include <stdio.h>

struct counts {
    int sends, receives, waits, reductions, ranks, sizes, types;
} layer_counts;

int MPI_Send(const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    layer_counts.sends++;
    return PMPI_Send(buffer, n, type, to, tag, comm);
}

int MPI_Recv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    layer_counts.receives++;
    if (ARGUMENTS && status == MPI_STATUS_IGNORE)
        layer_counts.receives += 1000;
    return PMPI_Recv(buffer, n, type, from, tag, comm, status);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
    layer_counts.waits++;
    if (ARGUMENTS && statuses == MPI_STATUSES_IGNORE)
        layer_counts.waits += 1000;
    return PMPI_Waitall(n, requests, statuses);
}

/* Adds a call of its own. */
int MPI_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    layer_counts.reductions++;
    PMPI_Barrier(comm);
    return PMPI_Allreduce(in, out, n, type, op, comm);
}

/* Calls that weft makes for itself must not pass through here. */
int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
    layer_counts.ranks++;
    return PMPI_Comm_rank(comm, rank);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
    layer_counts.sizes++;
    return PMPI_Comm_size(comm, size);
}

int MPI_Type_size(MPI_Datatype type, int *bytes)
{
    layer_counts.types++;
    return PMPI_Type_size(type, bytes);
}
