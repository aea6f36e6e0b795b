/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of the MPI library below: the functions of it that weft calls for itself (here), and what differs between
 * Open MPI and MPICH (flavour.h). Compiled once for each mpi.h.
 *
 * The functions are called by pointers into the MPI library: the linker would lead their names back to the front. Only
 * functions are called that are local, cannot block and get handles that the MPI library has just accepted. The
 * exceptions are what sends headers to other hosts, on a communicator of its own (exchange/), and order control, which
 * makes the application's calls in its place (order/).
 *
 * What is global: wf_real, written when the backend is loaded; and the sizes of predefined datatypes, written in
 * MPI_Init. Any thread reads both. The room may use base/ and process/.
 */
#ifndef WF_REAL_H
#define WF_REAL_H

#include <mpi.h>

#if MPI_VERSION >= 4
#define WF_REAL_MPI4(X)        \
    X(Group_from_session_pset) \
    X(Irecv_c)
#else
#define WF_REAL_MPI4(X)
#endif

#define WF_REAL_FUNCTIONS(X)      \
    X(Cancel)                     \
    X(Cart_shift)                 \
    X(Cartdim_get)                \
    X(Comm_get_attr)              \
    X(Comm_get_parent)            \
    X(Comm_group)                 \
    X(Comm_idup)                  \
    X(Comm_rank)                  \
    X(Comm_remote_group)          \
    X(Comm_remote_size)           \
    X(Comm_set_errhandler)        \
    X(Comm_size)                  \
    X(Comm_test_inter)            \
    X(Dist_graph_neighbors)       \
    X(Dist_graph_neighbors_count) \
    X(Error_class)                \
    X(Get_library_version)        \
    X(Graph_neighbors)            \
    X(Graph_neighbors_count)      \
    X(Grequest_complete)          \
    X(Grequest_start)             \
    X(Group_free)                 \
    X(Group_rank)                 \
    X(Group_size)                 \
    X(Group_translate_ranks)      \
    X(Iprobe)                     \
    X(Irecv)                      \
    X(Isend)                      \
    X(Query_thread)               \
    X(Recv)                       \
    X(Request_free)               \
    X(Request_get_status)         \
    X(Start)                      \
    X(Status_set_cancelled)       \
    X(Status_set_elements)        \
    X(Test)                       \
    X(Testall)                    \
    X(Testany)                    \
    X(Testsome)                   \
    X(Topo_test)                  \
    X(Type_commit)                \
    X(Type_contiguous)            \
    X(Type_free)                  \
    X(Type_size)                  \
    X(Wait)                       \
    X(Waitall)                    \
    X(Waitany)                    \
    X(Waitsome)                   \
    X(Win_get_group)              \
    WF_REAL_MPI4(X)

struct wf_real {
#define X(name) __typeof__(&PMPI_##name) name;
    WF_REAL_FUNCTIONS(X)
#undef X
};

extern struct wf_real wf_real;

#endif
