// SPDX-License-Identifier: BSD-3-Clause
//
// C++: constructors, methods, templates and lambdas are procedures.
#include <mpi.h>

#include <vector>

namespace ring
{
int rank, size;

template <class T> T sum(T mine, MPI_Datatype type)
{
    T all;
    // expect procedure ring::sum<int>
    // expect all: MPI_Allreduce calls 2 all num 2 bytes 8
    MPI_Allreduce(&mine, &all, 1, type, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

class Ring
{
public:
    explicit Ring(MPI_Comm parent)
    {
        // expect procedure ring::Ring::Ring
        // expect all: MPI_Comm_dup all num 1 bytes 0
        MPI_Comm_dup(parent, &comm);
    }
    ~Ring()
    {
        // expect procedure ring::Ring::~Ring
        // expect all: MPI_Comm_free all num 1 bytes 0
        MPI_Comm_free(&comm);
    }
    void shift(std::vector<int> &data)
    {
        // expect procedure ring::Ring::shift
        // expect all: MPI_Sendrecv_replace calls 5 to (r+1)%P num 5 bytes 5*24, from (r+3)%P num 5 bytes 5*24
        MPI_Sendrecv_replace(data.data(), int(data.size()), MPI_INT, (rank + 1) % size, 0, (rank + 3) % size, 0, comm, MPI_STATUS_IGNORE);
    }

private:
    MPI_Comm comm;
};
} // namespace ring

using namespace ring;

int main(int argc, char **argv)
{
    // expect procedure main
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    {
        Ring world(MPI_COMM_WORLD);
        std::vector<int> data(6);
        for (int i = 0; i < 5; i++)
            world.shift(data);
    }
    double total = sum(1, MPI_INT) + sum(2, MPI_INT);
    auto broadcast = [](double &x) {
        // expect procedure main::(lambda)::operator()
        // expect all: MPI_Bcast all num 1 bytes 8
        MPI_Bcast(&x, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    };
    broadcast(total);
    // expect procedure main
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
