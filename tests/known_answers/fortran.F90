! SPDX-License-Identifier: BSD-3-Clause
!
! Fortran in its three ways, chosen by the preprocessor: mpif.h, use mpi, use mpi_f08. The names in the profile are those of C, the
! lines and procedures those of this file.
#if defined(USE_MPI_F08)
#define USING use mpi_f08
#define INCLUDING
#define COMM_T type(MPI_Comm)
#define REQUEST_T type(MPI_Request)
#define STATUS_T(name) type(MPI_Status) :: name
#define STATUSES_T(name, n) type(MPI_Status) :: name(n)
#define SOURCE_OF(status) status%MPI_SOURCE
#elif defined(USE_MPI)
#define USING use mpi
#define INCLUDING
#else
#define USING
#define INCLUDING include 'mpif.h'
#endif
#if !defined(USE_MPI_F08)
#define COMM_T integer
#define REQUEST_T integer
#define STATUS_T(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES_T(name, n) integer :: name(MPI_STATUS_SIZE, n)
#define SOURCE_OF(status) status(MPI_SOURCE)
#endif

module place
    implicit none
    integer :: rank, ranks, right, left, ierror
end module place

! expect procedure blocking
subroutine blocking()
    use place
    USING
    implicit none
    INCLUDING
    integer :: a(1000), i, length
    logical :: found
    STATUS_T(status)
    a = 0
    if (rank == 0) then
        do i = 1, 10
            ! expect 0: MPI_Send calls 10 to 1 num 10 bytes 400
            call MPI_Send(a, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierror)
        end do
        ! expect 0: MPI_Ssend to 2 num 1 bytes 40
        call MPI_Ssend(a, 5, MPI_DOUBLE_PRECISION, 2, 1, MPI_COMM_WORLD, ierror)
    else if (rank == 1) then
        do i = 1, 10
            ! expect 1: MPI_Recv calls 10 from 0 num 10 bytes 400
            call MPI_Recv(a, 1000, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        end do
    else if (rank == 2) then
        ! expect 2: MPI_Probe from 0 num 1 bytes 0
        call MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, status, ierror)
        call MPI_Get_count(status, MPI_DOUBLE_PRECISION, length, ierror)
        if (length /= 5 .or. SOURCE_OF(status) /= 0) stop 3
        ! expect 2: MPI_Recv from 0 num 1 bytes 40
        call MPI_Recv(a, 5, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, status, ierror)
        ! expect 2: MPI_Iprobe calls 1 nothing
        call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, found, MPI_STATUS_IGNORE, ierror)
        if (found) stop 3
    end if
    ! expect all: MPI_Sendrecv to (r+1)%P num 1 bytes 12, from (r+3)%P num 1 bytes 12
    call MPI_Sendrecv(a, 3, MPI_INTEGER, right, 2, a(100), 10, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status, ierror)
    ! expect all: MPI_Sendrecv_replace to (r+1)%P num 1 bytes 16, from (r+3)%P num 1 bytes 16
    call MPI_Sendrecv_replace(a, 4, MPI_INTEGER, right, 3, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    ! expect all: MPI_Send none num 1 bytes 0
    call MPI_Send(a, 4, MPI_INTEGER, MPI_PROC_NULL, 3, MPI_COMM_WORLD, ierror)
end subroutine blocking

! expect procedure nonblocking
subroutine nonblocking()
    use place
    USING
    implicit none
    INCLUDING
    integer :: a(1000), b(1000), i, index, done, indices(4)
    REQUEST_T :: requests(4)
    STATUS_T(status)
    STATUSES_T(statuses, 4)
    logical :: flag
    a = 0
    do i = 1, 20
        ! expect all: MPI_Irecv calls 20 from (r+3)%P num 20 bytes 20*40
        call MPI_Irecv(b, 100, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(1), ierror)
        ! expect all: MPI_Irecv calls 20 from (r+1)%P num 20 bytes 20*80
        call MPI_Irecv(b(101), 100, MPI_INTEGER, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, requests(2), ierror)
        ! expect all: MPI_Isend calls 20 to (r+1)%P num 20 bytes 20*40
        call MPI_Isend(a, 10, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(3), ierror)
        ! expect all: MPI_Isend calls 20 to (r+3)%P num 20 bytes 20*80
        call MPI_Isend(a, 20, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(4), ierror)
        if (mod(i, 2) == 0) then
            ! expect all: MPI_Waitall calls 10 from (r+3)%P num 20 bytes 0, from (r+1)%P num 20 bytes 0
            call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, ierror)
        else
            ! expect all: MPI_Waitall calls 10 from (r+3)%P num 20 bytes 0, from (r+1)%P num 20 bytes 0
            call MPI_Waitall(4, requests, statuses, ierror)
        end if
    end do
    ! Sends that are complete at once share one handle: each wait still finds its own.
    ! expect all: MPI_Isend to (r+1)%P num 1 bytes 4
    call MPI_Isend(a, 1, MPI_INTEGER, right, 2, MPI_COMM_WORLD, requests(1), ierror)
    ! expect all: MPI_Isend to (r+3)%P num 1 bytes 4
    call MPI_Isend(a, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(2), ierror)
    ! expect all: MPI_Wait to (r+3)%P num 1 bytes 0
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierror)
    ! expect all: MPI_Wait to (r+1)%P num 1 bytes 0
    call MPI_Wait(requests(1), status, ierror)
    ! expect all: MPI_Irecv from (r+3)%P num 1 bytes 4
    call MPI_Irecv(b, 1, MPI_INTEGER, left, 2, MPI_COMM_WORLD, requests(1), ierror)
    ! expect all: MPI_Irecv from (r+1)%P num 1 bytes 4
    call MPI_Irecv(b, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2), ierror)
    do i = 1, 2
        ! expect all: MPI_Waitany calls 2 from (r+1)%P num 1 bytes 0, from (r+3)%P num 1 bytes 0
        call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE, ierror)
    end do
    ! expect all: MPI_Irecv from (r+3)%P num 1 bytes 4
    call MPI_Irecv(b, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(1), ierror)
    ! expect all: MPI_Isend to (r+1)%P num 1 bytes 4
    call MPI_Isend(a, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(2), ierror)
    flag = .false.
    do while (.not. flag)
        ! expect all: MPI_Testall from (r+3)%P num 1 bytes 0, to (r+1)%P num 1 bytes 0, perhaps none num 0 bytes 0
        call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierror)
    end do
    ! expect all: MPI_Irecv from (r+3)%P num 1 bytes 4
    call MPI_Irecv(b, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1), ierror)
    ! expect all: MPI_Send to (r+1)%P num 1 bytes 4
    call MPI_Send(a, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Waitsome from (r+3)%P num 1 bytes 0
    call MPI_Waitsome(1, requests, done, indices, statuses, ierror)
    ! expect all: MPI_Irecv calls 1 nothing
    call MPI_Irecv(b, 1, MPI_INTEGER, left, 99, MPI_COMM_WORLD, requests(1), ierror)
    ! expect all: MPI_Cancel none num 1 bytes 0
    call MPI_Cancel(requests(1), ierror)
    ! expect all: MPI_Wait from (r+3)%P num 1 bytes 0
    call MPI_Wait(requests(1), status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    if (.not. flag) stop 3
end subroutine nonblocking

! expect procedure persistent
subroutine persistent()
    use place
    USING
    implicit none
    INCLUDING
    integer :: a(100), b(100), i
    REQUEST_T :: requests(2)
    a = 0
    ! expect all: MPI_Send_init none num 1 bytes 0
    call MPI_Send_init(a, 10, MPI_INTEGER, right, 0, MPI_COMM_WORLD, requests(1), ierror)
    ! expect all: MPI_Recv_init none num 1 bytes 0
    call MPI_Recv_init(b, 100, MPI_INTEGER, left, 0, MPI_COMM_WORLD, requests(2), ierror)
    do i = 1, 5
        ! expect all: MPI_Startall calls 5 to (r+1)%P num 5 bytes 200, from (r+3)%P num 5 bytes 200
        call MPI_Startall(2, requests, ierror)
        ! expect all: MPI_Waitall calls 5 to (r+1)%P num 5 bytes 0, from (r+3)%P num 5 bytes 0
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    end do
    ! expect all: MPI_Start to (r+1)%P num 1 bytes 40
    call MPI_Start(requests(1), ierror)
    ! expect all: MPI_Start from (r+3)%P num 1 bytes 40
    call MPI_Start(requests(2), ierror)
    do i = 1, 2
        ! expect all: MPI_Wait to (r+1)%P num 1 bytes 0, from (r+3)%P num 1 bytes 0
        call MPI_Wait(requests(i), MPI_STATUS_IGNORE, ierror)
        ! expect all: MPI_Request_free calls 2 none num 2 bytes 0
        call MPI_Request_free(requests(i), ierror)
    end do
end subroutine persistent

! expect procedure collective
subroutine collective()
    use place
    USING
    implicit none
    INCLUDING
    double precision :: x(100), y(100)
    integer :: counts(4), displs(4)
    REQUEST_T :: request
    counts = (/1, 2, 3, 4/)
    displs = (/0, 1, 3, 6/)
    x = 1
    y = 0
    ! expect all: MPI_Barrier all num 1 bytes 0
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Bcast all num 1 bytes 80
    call MPI_Bcast(x, 10, MPI_DOUBLE_PRECISION, 2, MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Allreduce all num 1 bytes 8
    call MPI_Allreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Allreduce all num 1 bytes 16
    call MPI_Allreduce(MPI_IN_PLACE, y, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (abs(y(1) - 16) > 0.1) stop 3
    ! expect all: MPI_Reduce all num 1 bytes 8
    call MPI_Reduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Gather all num 1 bytes 24
    call MPI_Gather(x, 3, MPI_DOUBLE_PRECISION, y, 3, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierror)
    if (rank == 1) then
        ! expect 1: MPI_Gather all num 1 bytes 24
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, y, 3, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierror)
        ! expect 1: MPI_Scatterv all num 1 bytes 16
        call MPI_Scatterv(x, counts, displs, MPI_DOUBLE_PRECISION, MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierror)
    else
        ! expect r<>1: MPI_Gather all num 1 bytes 24
        call MPI_Gather(x, 3, MPI_DOUBLE_PRECISION, y, 3, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierror)
        ! expect r<>1: MPI_Scatterv all num 1 bytes 8*(r+1)
        call MPI_Scatterv(x, counts, displs, MPI_DOUBLE_PRECISION, y, rank + 1, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierror)
    end if
    ! expect all: MPI_Allgatherv all num 1 bytes 8*(r+1)
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, y, counts, displs, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Alltoall all num 1 bytes 2*8*P
    call MPI_Alltoall(x, 2, MPI_DOUBLE_PRECISION, y, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Alltoall all num 1 bytes 2*8*P
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DOUBLE_PRECISION, y, 2, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierror)
    ! expect all: MPI_Iallreduce all num 1 bytes 8
    call MPI_Iallreduce(x, y, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, ierror)
    ! expect all: MPI_Wait all num 1 bytes 0
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
end subroutine collective

! expect procedure communicators
subroutine communicators()
    use place
    USING
    implicit none
    INCLUDING
    ! An array: under `use mpi` gfortran gives calls with a scalar that is used later the later line.
    COMM_T :: comms(2)
    integer :: a, b, me, i, to, from
    a = 0
    do i = 1, 5
        ! expect all: MPI_Comm_split calls 5 all num 5 bytes 0
        call MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, comms(1), ierror)
        ! expect all: MPI_Comm_dup calls 5 all num 5 bytes 0
        call MPI_Comm_dup(comms(1), comms(2), ierror)
        ! expect all: MPI_Comm_free calls 5 all num 5 bytes 0
        call MPI_Comm_free(comms(1), ierror)
        call MPI_Comm_rank(comms(2), me, ierror)
        to = mod(me + 1, ranks)
        from = mod(me + ranks - 1, ranks)
        ! expect all: MPI_Sendrecv calls 5 to (r+3)%P num 5 bytes 20, from (r+1)%P num 5 bytes 20
        call MPI_Sendrecv(a, 1, MPI_INTEGER, to, 0, b, 1, MPI_INTEGER, from, 0, comms(2), MPI_STATUS_IGNORE, ierror)
        ! expect all: MPI_Comm_free calls 5 all num 5 bytes 0
        call MPI_Comm_free(comms(2), ierror)
    end do
end subroutine communicators

! expect procedure known
program known
    use place
    USING
    implicit none
    INCLUDING
    ! expect all: MPI_Init all num 1 bytes 0
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    right = mod(rank + 1, ranks)
    left = mod(rank + ranks - 1, ranks)
    call blocking()
    call nonblocking()
    call persistent()
    call collective()
    call communicators()
    ! expect all: MPI_Finalize all num 1 bytes 0
    call MPI_Finalize(ierror)
end program known
