/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Dynamic processes: what parents and children see of each other.
 */
#include "say.h"

static void children(MPI_Comm parents)
{
    int x, remote, me = rank;
    MPI_Comm merged;
    MPI_Status status = blank();
    MPI_Comm_remote_size(parents, &remote);
    say("a child: rank %d of %d, parents %d", rank, size, remote);
    SAY(MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, parents, &status));
    say("got %d", x);
    say_status("from a parent", &status);
    SAY(MPI_Send(&me, 1, MPI_INT, status.MPI_SOURCE, 9, parents));
    SAY(MPI_Intercomm_merge(parents, 1, &merged));
    SAY(MPI_Allreduce(&me, &x, 1, MPI_INT, MPI_SUM, merged));
    MPI_Comm_rank(merged, &me);
    say("merged: rank %d sum %d", me, x);
    SAY(MPI_Comm_free(&merged));
    SAY(MPI_Comm_disconnect(&parents));
}

static void parents(char *program)
{
    int x = 100 + rank, y = -1, codes[2] = {-5, -5}, remote;
    char *arguments[] = {"one", "two words", NULL};
    MPI_Comm children, merged;
    MPI_Status status = blank();
    SAY(MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, WORLD, &children, codes));
    MPI_Comm_remote_size(children, &remote);
    say("children %d codes %d %d", remote, codes[0], codes[1]);
    if (rank < 2) {
        SAY(MPI_Send(&x, 1, MPI_INT, rank, 8 + rank, children));
        SAY(MPI_Recv(&y, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, children, &status));
        say("child says %d", y);
        say_status("from a child", &status);
    }
    SAY(MPI_Intercomm_merge(children, 0, &merged));
    SAY(MPI_Allreduce(&rank, &y, 1, MPI_INT, MPI_SUM, merged));
    say("merged: sum %d", y);
    SAY(MPI_Comm_free(&merged));
    SAY(MPI_Comm_disconnect(&children));
    say("disconnected: %s", children == MPI_COMM_NULL ? "null" : "not null");
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    MPI_Comm_get_parent(&parent);
    say_open(parent == MPI_COMM_NULL ? "said" : "said.child", rank);
    for (int i = 1; i < argc; i++)
        say("argument %s", argv[i]);
    if (parent == MPI_COMM_NULL)
        parents(argv[0]);
    else
        children(parent);
    MPI_Finalize();
    return 0;
}
