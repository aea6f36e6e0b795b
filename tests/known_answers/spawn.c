/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Processes of another MPI_COMM_WORLD: spawned ones, and ones connected to through a port. They are partners outside of this world; in the
 * profile their ranks follow behind those of the first world.
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "known.h"

static int a[100], b[100];

/* Two children of all, then one of rank 0 alone. */
// expect procedure parent
static void parent(char *program)
{
    MPI_Comm children, child;
    int codes[3];
    // expect 0-3: MPI_Comm_spawn all num 1 bytes 0
    MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, WORLD, &children, codes);
    if (rank < 2) {
        for (int i = 0; i < 3; i++)
            // expect 0-1: MPI_Send outside num 3 bytes 3*40
            MPI_Send(a, 10, MPI_INT, rank, 0, children);
        // expect 0-1: MPI_Recv outside num 1 bytes 8
        MPI_Recv(b, 10, MPI_INT, MPI_ANY_SOURCE, 1, children, MPI_STATUS_IGNORE);
    }
    // expect 0: MPI_Bcast all num 1 bytes 20
    // expect 1-3: MPI_Bcast all num 1 bytes 0
    MPI_Bcast(a, 5, MPI_INT, rank == 0 ? MPI_ROOT : MPI_PROC_NULL, children);
    // expect 0-3: MPI_Comm_disconnect all num 1 bytes 0
    MPI_Comm_disconnect(&children);
    if (rank == 0) {
        char *programs[] = {program};
        int one = 1;
        MPI_Info infos[] = {MPI_INFO_NULL};
        // expect 0: MPI_Comm_spawn_multiple all num 1 bytes 0
        MPI_Comm_spawn_multiple(1, programs, MPI_ARGVS_NULL, &one, infos, 0, MPI_COMM_SELF, &child, codes);
        for (int i = 0; i < 3; i++)
            // expect 0: MPI_Send outside num 3 bytes 3*40
            MPI_Send(a, 10, MPI_INT, 0, 0, child);
        MPI_Request q;
        // expect 0: MPI_Irecv outside num 1 bytes 8
        MPI_Irecv(b, 10, MPI_INT, 0, 1, child, &q);
        // expect 0: MPI_Wait outside num 1 bytes 0
        MPI_Wait(&q, MPI_STATUS_IGNORE);
        // expect 0: MPI_Bcast all num 1 bytes 20
        MPI_Bcast(a, 5, MPI_INT, MPI_ROOT, child);
        // expect 0: MPI_Comm_disconnect all num 1 bytes 0
        MPI_Comm_disconnect(&child);
    }
}

/* The same text for all children: two of one world, one of another. */
// expect procedure child
static void child(MPI_Comm parents)
{
    int me;
    MPI_Comm_rank(WORLD, &me);
    for (int i = 0; i < 3; i++)
        // expect r>=P: MPI_Recv outside num 3 bytes 3*40
        MPI_Recv(b, 10, MPI_INT, me, 0, parents, MPI_STATUS_IGNORE);
    // expect r>=P: MPI_Send outside num 1 bytes 8
    MPI_Send(a, 2, MPI_INT, me, 1, parents);
    // expect r>=P: MPI_Bcast all num 1 bytes 20
    MPI_Bcast(a, 5, MPI_INT, 0, parents);
    /* Among themselves they are partners like all others, by the ranks that the profile gives them. */
    int n;
    MPI_Comm_size(WORLD, &n);
    // expect r=P: MPI_Sendrecv to P+1 num 2 bytes 8
    // expect r=P+1: MPI_Sendrecv to P num 2 bytes 8
    // expect r=P+2: MPI_Sendrecv to P+2 num 2 bytes 8
    MPI_Sendrecv(a, 1, MPI_INT, (me + 1) % n, 2, b, 1, MPI_INT, (me + 1) % n, 2, WORLD, MPI_STATUS_IGNORE);
    // expect r>=P: MPI_Comm_disconnect all num 1 bytes 0
    MPI_Comm_disconnect(&parents);
}

/* Through a port: both sides are of this world, and are seen as what they are. */
// expect procedure ports
static void ports(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm comm;
    if (rank == 0) {
        // expect 0: MPI_Open_port none num 1 bytes 0
        MPI_Open_port(MPI_INFO_NULL, port);
        // expect 0: MPI_Publish_name none num 1 bytes 0
        MPI_Publish_name("weft", MPI_INFO_NULL, port);
        // expect 0: MPI_Send to 1 num 1 bytes 0
        MPI_Send(NULL, 0, MPI_CHAR, 1, 3, WORLD);
        // expect 0: MPI_Comm_accept all num 1 bytes 0
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
        // expect 0: MPI_Send to 1 num 1 bytes 4
        MPI_Send(a, 1, MPI_INT, 0, 4, comm);
        // expect 0: MPI_Comm_disconnect all num 1 bytes 0
        MPI_Comm_disconnect(&comm);
        // expect 0: MPI_Unpublish_name none num 1 bytes 0
        MPI_Unpublish_name("weft", MPI_INFO_NULL, port);
        // expect 0: MPI_Close_port none num 1 bytes 0
        MPI_Close_port(port);
    } else if (rank == 1) {
        // expect 1: MPI_Recv from 0 num 1 bytes 0
        MPI_Recv(NULL, 0, MPI_CHAR, 0, 3, WORLD, MPI_STATUS_IGNORE);
        // expect 1: MPI_Lookup_name none num 1 bytes 0
        MPI_Lookup_name("weft", MPI_INFO_NULL, port);
        // expect 1: MPI_Comm_connect all num 1 bytes 0
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
        // expect 1: MPI_Recv from 0 num 1 bytes 4
        MPI_Recv(b, 1, MPI_INT, 0, 4, comm, MPI_STATUS_IGNORE);
        // expect 1: MPI_Comm_disconnect all num 1 bytes 0
        MPI_Comm_disconnect(&comm);
    }
}

/* Through a socket that the two have between them. */
// expect procedure sockets
static void sockets(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0), port;
    MPI_Comm comm;
    if (rank == 2) {
        MUST(bind(fd, (struct sockaddr *)&address, bytes) == 0 && listen(fd, 1) == 0);
        getsockname(fd, (struct sockaddr *)&address, &bytes);
        port = address.sin_port;
        // expect 2: MPI_Send to 3 num 1 bytes 4
        MPI_Send(&port, 1, MPI_INT, 3, 5, WORLD);
        int listener = fd;
        fd = accept(listener, NULL, NULL);
        close(listener);
    } else if (rank == 3) {
        // expect 3: MPI_Recv from 2 num 1 bytes 4
        MPI_Recv(&port, 1, MPI_INT, 2, 5, WORLD, MPI_STATUS_IGNORE);
        address.sin_port = (in_port_t)port;
        MUST(connect(fd, (struct sockaddr *)&address, bytes) == 0);
    }
    if (rank >= 2) {
        // expect 2-3: MPI_Comm_join all num 1 bytes 0
        MPI_Comm_join(fd, &comm);
        // expect 2: MPI_Send to 3 num 1 bytes 4
        // expect 3: MPI_Recv from 2 num 1 bytes 4
        rank == 2 ? MPI_Send(a, 1, MPI_INT, 0, 6, comm) : MPI_Recv(b, 1, MPI_INT, 0, 6, comm, MPI_STATUS_IGNORE);
        // expect 2-3: MPI_Comm_disconnect all num 1 bytes 0
        MPI_Comm_disconnect(&comm);
    }
    close(fd);
}

// expect procedure main
int main(int argc, char **argv)
{
    MPI_Comm parents;
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parents);
    if (parents == MPI_COMM_NULL) {
        who_am_i();
        parent(argv[0]);
        ports();
        sockets();
    } else {
        child(parents);
    }
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
