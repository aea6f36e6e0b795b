! SPDX-License-Identifier: BSD-3-Clause
recursive integer function fact(n) result(r)
    integer, intent(in) :: n
    if (n < 2) then
        r = 1
    else
        r = n * fact(n - 1)
    end if
end function

program by_hand
    use weft
    integer :: i, s, fact
    s = 0
    do i = 1, 7
        call weft_begin("outside")
        s = s + fact(5)
        call weft_begin("inside")
        call weft_end("inside")
        call weft_end("outside")
    end do
    print *, s
end program
