! SPDX-License-Identifier: BSD-3-Clause
! Some of the waits of the C programs, from Fortran: the statement, and the culprit's, are where Fortran calls.
program waits
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  include 'mpif.h'
  integer :: rank, error, request, status(MPI_STATUS_SIZE), unit, buffer(1)
  character(len=8) :: name

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  write (name, '(a, i1)') 'marks.', rank
  open (newunit=unit, file=name, status='replace')
  buffer = 0

  call begin()
  if (rank == 0) then
    call late()
    call mark('late_sender', 'send', __LINE__ + 1)
    call MPI_Send(buffer, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, error)
  else if (rank == 1) then
    call mark('late_sender', 'recv', __LINE__ + 1)
    call MPI_Recv(buffer, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, status, error)
  end if
  call expect('late_sender|1|recv|late sender|0|send|send|0')

  call begin()
  if (rank == 2) then
    call mark('late_receiver', 'ssend', __LINE__ + 1)
    call MPI_Ssend(buffer, 1, MPI_INTEGER, 3, 0, MPI_COMM_WORLD, error)
  else if (rank == 3) then
    call late()
    call mark('late_receiver', 'recv', __LINE__ + 1)
    call MPI_Recv(buffer, 1, MPI_INTEGER, 2, 0, MPI_COMM_WORLD, status, error)
  end if
  call expect('late_receiver|2|ssend|late receiver|3|recv|recv|3')

  call begin()
  if (rank == 3) then
    call late()
    call mark('nonblocking', 'isend', __LINE__ + 1)
    call MPI_Isend(buffer, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, request, error)
    call MPI_Wait(request, status, error)
  else if (rank == 0) then
    call MPI_Irecv(buffer, 1, MPI_INTEGER, 3, 0, MPI_COMM_WORLD, request, error)
    call mark('nonblocking', 'wait', __LINE__ + 1)
    call MPI_Wait(request, status, error)
  end if
  call expect('nonblocking|0|wait|late sender|3|isend|isend|3')

  call begin()
  if (rank == 1) then
    call mark('late_broadcast', 'before', __LINE__ + 1)
    call MPI_Send(buffer, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, error)
    call late()
  end if
  call mark('late_broadcast', 'bcast', __LINE__ + 1)
  call MPI_Bcast(buffer, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
  call expect('late_broadcast|0|bcast|late broadcast|1|bcast|before|-1')
  call expect('late_broadcast|2|bcast|late broadcast|1|bcast|before|-1')
  call expect('late_broadcast|3|bcast|late broadcast|1|bcast|before|-1')

  close (unit)
  call MPI_Finalize(error)

contains

  subroutine begin()
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call pass(5)
  end subroutine

  subroutine late()
    call pass(50)
  end subroutine

  subroutine pass(ms)
    use, intrinsic :: iso_c_binding, only: c_int
    integer, intent(in) :: ms
    interface
      integer(c_int) function usleep(us) bind(c)
        import c_int
        integer(c_int), value :: us
      end function
    end interface
    if (usleep(int(ms * 1000, c_int)) /= 0) stop 2
  end subroutine

  ! libgfortran's counter of nanoseconds is CLOCK_MONOTONIC.
  subroutine mark(test, what, line)
    character(len=*), intent(in) :: test, what
    integer, intent(in) :: line
    integer(int64) :: now, rate
    call system_clock(now, rate)
    if (rate /= 1000000000_int64) stop 3
    write (unit, '(5a, i0, a, i0)') 'mark|', test, '|', char(iachar('0') + rank), '|' // what // '|', line, '|', now
  end subroutine

  subroutine expect(text)
    character(len=*), intent(in) :: text
    if (rank == 0) write (unit, '(2a)') 'wait|', text
  end subroutine
end program
