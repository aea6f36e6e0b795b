# SPDX-License-Identifier: BSD-3-Clause
#
# mpi4py loads MPI late, and calls it from a library without debug information: what counts here is the sum for each function.
from array import array

from mpi4py import MPI

# expect all: MPI_Init_thread all num 1 bytes 0
world = MPI.COMM_WORLD
rank = world.Get_rank()
size = world.Get_size()
right = (rank + 1) % size
left = (rank + size - 1) % size
a = array("i", [rank] * 10)
b = array("i", [0] * 100)

for i in range(5):
    # expect all: MPI_Sendrecv calls 5 to (r+1)%P num 5 bytes 200, from (r+3)%P num 5 bytes 200
    world.Sendrecv([a, 10, MPI.INT], right, 0, [b, 100, MPI.INT], left, 0)

# expect 0: MPI_Send to 3 num 1 bytes 20
# expect 3: MPI_Recv from 0 num 1 bytes 20
if rank == 0:
    world.Send([a, 5, MPI.INT], 3, 1)
elif rank == 3:
    world.Recv([b, 100, MPI.INT], MPI.ANY_SOURCE, 1)

for i in range(4):
    # expect all: MPI_Irecv from (r+1)%P num 4 bytes 160
    # expect all: MPI_Isend to (r+3)%P num 4 bytes 160
    # expect all: MPI_Waitall from (r+1)%P num 4 bytes 0, to (r+3)%P num 4 bytes 0
    MPI.Request.Waitall([world.Irecv([b, 100, MPI.INT], right, 2), world.Isend([a, 10, MPI.INT], left, 2)])

# expect all: MPI_Allreduce all num 1 bytes 40
world.Allreduce([a, 10, MPI.INT], [b, 10, MPI.INT])
# expect all: MPI_Allreduce all num 1 bytes 40
world.Allreduce(MPI.IN_PLACE, [b, 10, MPI.INT])
assert b[0] == size * sum(range(size)), b
# expect all: MPI_Bcast all num 1 bytes 40
world.Bcast([a, 10, MPI.INT], root=1)

# expect all: MPI_Comm_split all num 1 bytes 0
reverse = world.Split(0, -rank)
# expect all: MPI_Sendrecv calls 1 to (r+3)%P num 1 bytes 4, from (r+1)%P num 1 bytes 4
reverse.Sendrecv([a, 1, MPI.INT], (reverse.Get_rank() + 1) % size, 0, [b, 1, MPI.INT], (reverse.Get_rank() + 3) % size, 0)
# expect all: MPI_Comm_free all num 1 bytes 0
reverse.Free()

# A pickled object: its receiver has to look first how long it is.
# expect 1: MPI_Send to 2 num 1 bytes 5
# expect 2: MPI_Mprobe from 1 num 1 bytes 0
# expect 2: MPI_Mrecv from 1 num 1 bytes 5
if rank == 1:
    world.send(7, 2, 3)
elif rank == 2:
    assert world.recv(source=1, tag=3) == 7
# expect all: MPI_Finalize all num 1 bytes 0
MPI.Finalize()
