! SPDX-License-Identifier: BSD-3-Clause
!
! What Fortran sees: statuses, in all fields; MPI_IN_PLACE, MPI_BOTTOM, MPI_STATUS(ES)_IGNORE, error codes.
#if defined(USE_MPI_F08)
#define USING use mpi_f08
#define INCLUDING
#define TYPE_T type(MPI_Datatype)
#define REQUEST_T type(MPI_Request)
#define STATUS_T type(MPI_Status)
#define FIELD(status, field) status%field
#define ONE(statuses, i) statuses(i)
#define SHAPE_ONE
#define SHAPE(n) (n)
#elif defined(USE_MPI)
#define USING use mpi
#define INCLUDING
#else
#define USING
#define INCLUDING include 'mpif.h'
#endif
#if !defined(USE_MPI_F08)
#define TYPE_T integer
#define REQUEST_T integer
#define STATUS_T integer
#define FIELD(status, field) status(field)
#define ONE(statuses, i) statuses(:, i)
#define SHAPE_ONE (MPI_STATUS_SIZE)
#define SHAPE(n) (MPI_STATUS_SIZE, n)
#endif

! MPICH puts a checksum of the error's text, which has addresses in it, into four bits of the code.
#if defined(MPICH)
#define CODE(code) iand(code, not(int(z'3c000000')))
#else
#define CODE(code) code
#endif

subroutine say_status(what, status)
    USING
    implicit none
    INCLUDING
    character(*) :: what
    STATUS_T :: status SHAPE_ONE
    integer :: n, elements, ierror
    logical :: cancelled
    call MPI_Get_count(status, MPI_INTEGER, n, ierror)
    call MPI_Get_elements(status, MPI_INTEGER, elements, ierror)
    call MPI_Test_cancelled(status, cancelled, ierror)
    ! Not MPI_ERROR: Open MPI's bindings leave there what the stack had.
    write (7, *) what, FIELD(status, MPI_SOURCE), FIELD(status, MPI_TAG), n, elements, cancelled
end subroutine say_status

program sees
    USING
    implicit none
    INCLUDING
    integer :: rank, ranks, ierror, i, n, index, done, indices(3), partner, a(100), b(100), code
    integer(kind=MPI_ADDRESS_KIND) :: address(1)
    integer, save :: far(4)
    REQUEST_T :: requests(3)
    STATUS_T :: status SHAPE_ONE
    STATUS_T :: statuses SHAPE(3)
    TYPE_T :: type
    logical :: flag
    character(20) :: name
    interface
        subroutine say_status(what, status)
            USING
            implicit none
            INCLUDING
            character(*) :: what
            STATUS_T :: status SHAPE_ONE
        end subroutine say_status
    end interface
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    write (name, '("said.", i0)') rank
    open (7, file=name)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
    partner = merge(rank - 1, rank + 1, mod(rank, 2) == 1)
    a = (/(100*rank + i, i=1, 100)/)
    b = 0
    FIELD(status, MPI_SOURCE) = -1
    FIELD(status, MPI_TAG) = -2
    FIELD(status, MPI_ERROR) = -3
    do i = 1, 3
        ONE(statuses, i) = status
    end do

    call MPI_Sendrecv(a, 5, MPI_INTEGER, partner, 1, b, 50, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, status, ierror)
    call say_status('sendrecv', status)
    write (7, *) b(1:6), ierror
    do i = 1, 3
        call MPI_Irecv(b(10*i), 10, MPI_INTEGER, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, requests(i), ierror)
    end do
    do i = 1, 3
        call MPI_Send(a, i, MPI_INTEGER, partner, i, MPI_COMM_WORLD, ierror)
    end do
    call MPI_Waitall(3, requests, statuses, ierror)
    do i = 1, 3
        call say_status('waitall', ONE(statuses, i))
        write (7, *) b(10*i:10*i + 3), requests(i) == MPI_REQUEST_NULL
    end do
    do i = 1, 3
        call MPI_Irecv(b(10*i), 10, MPI_INTEGER, partner, i, MPI_COMM_WORLD, requests(i), ierror)
    end do
    do i = 1, 3
        call MPI_Send(a, i, MPI_INTEGER, partner, i, MPI_COMM_WORLD, ierror)
    end do
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, ierror)
    write (7, *) ierror, requests(1) == MPI_REQUEST_NULL, requests(3) == MPI_REQUEST_NULL
    call MPI_Irecv(b, 10, MPI_INTEGER, partner, 4, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Send(a, 3, MPI_INTEGER, partner, 4, MPI_COMM_WORLD, ierror)
    call MPI_Waitany(1, requests, index, status, ierror)
    call say_status('waitany', status)
    write (7, *) index
    call MPI_Irecv(b, 10, MPI_INTEGER, partner, 5, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Send(a, 3, MPI_INTEGER, partner, 5, MPI_COMM_WORLD, ierror)
    call MPI_Waitsome(3, requests, done, indices, statuses, ierror)
    write (7, *) done, indices(1)
    call say_status('waitsome', ONE(statuses, 1))
    call MPI_Waitsome(3, requests, done, indices, MPI_STATUSES_IGNORE, ierror)
    write (7, *) done == MPI_UNDEFINED
    call MPI_Probe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, status, ierror)
    call say_status('no partner', status)
    call MPI_Irecv(b, 10, MPI_INTEGER, partner, 98, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Cancel(requests(1), ierror)
    call MPI_Wait(requests(1), status, ierror)
    call MPI_Test_cancelled(status, flag, ierror)
    write (7, *) 'cancelled', flag, requests(1) == MPI_REQUEST_NULL

    ! Errors
    if (rank == 0) then
        call MPI_Recv(b, 2, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, status, code)
        call MPI_Error_class(code, n, ierror)
        write (7, *) 'truncated', CODE(code), n, n == MPI_ERR_TRUNCATE
        call say_status('truncated', status)
        call MPI_Recv(b, 2, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, code)
        write (7, *) 'truncated', CODE(code)
        call MPI_Irecv(b, 2, MPI_INTEGER, 1, 6, MPI_COMM_WORLD, requests(1), code)
        call MPI_Irecv(b(10), 10, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, requests(2), code)
        call MPI_Probe(1, 8, MPI_COMM_WORLD, status, ierror)
        call MPI_Recv(b(20), 1, MPI_INTEGER, 1, 8, MPI_COMM_WORLD, status, ierror)
        call MPI_Waitall(2, requests, statuses, code)
        call MPI_Error_class(code, n, ierror)
        write (7, *) 'waitall', CODE(code), n
        status = ONE(statuses, 1)
        write (7, *) FIELD(status, MPI_ERROR) /= MPI_SUCCESS
        status = ONE(statuses, 2)
        write (7, *) FIELD(status, MPI_ERROR) == MPI_SUCCESS
    else if (rank == 1) then
        do i = 1, 3
            call MPI_Send(a, 5, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, ierror)
        end do
        call MPI_Send(a, 5, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, ierror)
        call MPI_Send(a, 1, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, ierror)
    end if
    call MPI_Send(a, 1, MPI_INTEGER, ranks, 6, MPI_COMM_WORLD, code)
    write (7, *) 'bad rank', CODE(code)
    call MPI_Send(a, -1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD, code)
    write (7, *) 'bad count', CODE(code)
    call MPI_Send(a, 1, MPI_DATATYPE_NULL, 0, 6, MPI_COMM_WORLD, code)
    write (7, *) 'bad type', CODE(code)

    ! In place, and at absolute addresses
    b = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, b, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    write (7, *) b(1:4)
    b = 0
    b(rank + 1) = rank + 5
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
    write (7, *) b(1:ranks)
    b = 0
    if (rank == 1) then
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, b, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    else
        call MPI_Gather(a, 1, MPI_INTEGER, b, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierror)
    end if
    write (7, *) b(1:ranks)
    far = rank
    call MPI_Get_address(far, address(1), ierror)
    call MPI_Type_create_hindexed(1, (/4/), address, MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, type, partner, 9, partner, 9, MPI_COMM_WORLD, status, ierror)
    call say_status('bottom', status)
    write (7, *) far
    call MPI_Bcast(MPI_BOTTOM, 1, type, 2, MPI_COMM_WORLD, ierror)
    write (7, *) far
    call MPI_Type_free(type, ierror)
    call MPI_Finalize(ierror)
    write (7, *) 'end', ierror
    close (7)
end program sees
