! SPDX-License-Identifier: BSD-3-Clause
!
! Regions marked by hand in Fortran. Compile this file with your program, and write:
!
!     use weft
!     call weft_begin("solve")
!     ...
!     call weft_end("solve")
!
!     call weft_path_start()      starts the critical path anew here, in all processes
!     call weft_path_stop()       ends it here
!
! Without weft in the process, all of these return at once.
module weft
    use, intrinsic :: iso_c_binding
    implicit none
    private
    public :: weft_begin, weft_end, weft_path_start, weft_path_stop

    ! The same as struct weft_probe_api_ in probe.h.
    type, bind(c) :: probe_api
        integer(c_int) :: version, zero
        type(c_funptr) :: enter, leave, count, begin, end, path
    end type

    abstract interface
        subroutine by_name(name, bytes) bind(c)
            import :: c_char, c_long
            character(kind=c_char), intent(in) :: name(*)
            integer(c_long), value :: bytes
        end subroutine
    end interface

    abstract interface
        subroutine by_word(start) bind(c)
            import :: c_int
            integer(c_int), value :: start
        end subroutine
    end interface

    interface
        function dlsym(handle, name) bind(c, name="dlsym")
            import :: c_ptr, c_char
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr) :: dlsym
        end function
    end interface

    logical :: looked = .false.
    procedure(by_name), pointer :: begin => null(), end => null()
    procedure(by_word), pointer :: path => null()

contains

    subroutine look()
        type(c_ptr) :: address
        type(probe_api), pointer :: api
        looked = .true.
        address = dlsym(c_null_ptr, "weft_probe_api_" // c_null_char)
        if (.not. c_associated(address)) return
        call c_f_pointer(address, api)
        if (api%version /= 5) return
        call c_f_procpointer(api%begin, begin)
        call c_f_procpointer(api%end, end)
        call c_f_procpointer(api%path, path)
    end subroutine

    subroutine weft_begin(name)
        character(len=*), intent(in) :: name
        if (.not. looked) call look()
        if (associated(begin)) call begin(name, int(len_trim(name), c_long))
    end subroutine

    subroutine weft_end(name)
        character(len=*), intent(in) :: name
        if (associated(end)) call end(name, int(len_trim(name), c_long))
    end subroutine

    subroutine weft_path_start()
        if (.not. looked) call look()
        if (associated(path)) call path(1_c_int)
    end subroutine

    subroutine weft_path_stop()
        if (.not. looked) call look()
        if (associated(path)) call path(0_c_int)
    end subroutine
end module
