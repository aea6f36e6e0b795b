#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The probes of a program built with weft cc count every visit, whatever the program does, and change nothing.
. "$(dirname "$0")/../lib.sh"
cd "$tmp"
cp "$here"/hard.c "$here"/by_hand.* .
include=$root/include

visits()
{
    sql "$1" "SELECT name, sum(proc_num) FROM proc JOIN event ON event.id = proc.event GROUP BY name ORDER BY name"
}

for level in -O0 -O2; do
    gcc $level hard.c -o plain -pthread || fail "hard.c does not compile"
    "$WEFT" cc --all gcc $level hard.c -o hard -pthread || fail "weft cc does not compile hard.c"
    plain=0 alone=0 watched=0
    ./plain >plain.out || plain=$?
    limited ./hard >alone.out || alone=$?
    limited "$WEFT" run -q --no-adaptive -o hard.weft ./hard >watched.out || watched=$?
    [ $plain = 4 ] && [ $alone = 4 ] && [ $watched = 4 ] ||
        fail "$level: exit status $plain, $alone without weft, $watched with it"
    cmp plain.out alone.out && cmp plain.out watched.out || fail "$level: another output"
    # ack, even and odd are recursive: calls from outside count. jumper: five from outside, none of which returned.
    # catcher calls setjmp and is left alone. work: jumper and its depths 5*4,
    # forker 1, threads 80,000, and every recursive activation.
    recursive=$(awk '
        function ack(m, n) { c++; return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)) }
        BEGIN { ack(2, 3); print c + 11 + 8 }')
    expected=$(printf 'ack|1\neven|1\nforker|1\njumper|5\nleaves|1\nmain|1\nodd|1\nthread|4\nthreads|1\nwork|%d' \
        $((20 + 1 + 80000 + recursive)))
    [ "$(visits hard.weft)" = "$expected" ] || fail "$level: $(visits hard.weft) instead of $expected"
    [ "$(sql hard.weft "SELECT count(DISTINCT cycle) FROM procedure WHERE name IN ('even', 'odd')")" = 1 ] ||
        fail "$level: even and odd are not one cycle"
    # Times are nested as the procedures are.
    wrong=$(sql hard.weft "SELECT count(*) FROM proc WHERE proc_time < 0 OR self_time < 0 OR self_time > proc_time")
    [ "$wrong" = 0 ] || fail "$level: times below zero, or own times above all"
done

# Too short for its cost: switched off while it runs, and said.
cat >short.c <<'END'
static volatile int sink;
static void tiny(void)
{
    sink++;
}
int main(void)
{
    for (int i = 0; i < 1000000; i++)
        tiny();
    return 0;
}
END
"$WEFT" cc --all gcc -O2 -fno-inline short.c -o short
limited "$WEFT" run -q -o short.weft ./short || fail "short.c: status $?"
seen=$(sql short.weft "SELECT proc_num FROM proc JOIN event ON event.id = proc.event WHERE name = 'tiny'")
[ "$seen" -ge 100000 ] && [ "$seen" -lt 200000 ] || fail "tiny was seen $seen times"
"$WEFT" report short.weft | tr '\n' ' ' | has 'switched off' ||
    fail "the report does not say that tiny was switched off"
limited "$WEFT" run -q --no-adaptive -o short.weft ./short
[ "$(visits short.weft)" = "$(printf 'main|1\ntiny|1000000')" ] || fail "--no-adaptive: $(visits short.weft)"
limited "$WEFT" run -q --skip 'ti*' -o short.weft ./short
[ "$(visits short.weft)" = "main|1" ] || fail "--skip: $(visits short.weft)"

# Patterns choose procedures, and loops go with theirs: also where the procedure has no probe, is called from one that
# has, or was inlined.
cat >loops.cpp <<'END'
static volatile int sink;
static void inner(int n)
{
    for (int i = 0; i < n; i++)
        sink = sink + 1;
}
namespace space {
static void outer(int n)
{
    int i = 0;
    while (i++ < n)
        inner(n);
}
}
int main()
{
    do
        space::outer(3);
    while (sink < 20);
    return 0;
}
END
seen()
{
    sql "$1" "SELECT name, calls FROM event WHERE event_type IN ('procedure', 'loop') ORDER BY line" | tr '\n' ' '
}
# chosen WANTED OPTION...: what a run with these options sees
chosen()
{
    local want=$1
    shift
    limited "$WEFT" run -q "$@" -o loops.weft ./loops || fail "$*: status $?"
    [ "$(seen loops.weft)" = "$want" ] || fail "$*: seen are $(seen loops.weft), not $want"
}
for level in -O0 -O2; do
    "$WEFT" cc --all g++ $level loops.cpp -o loops || fail "weft cc does not compile loops.cpp"
    chosen "inner|9 for|9 space::outer|3 while|3 main|1 do|1 "
    chosen "inner|9 for|9 " --only inner
    chosen "space::outer|3 while|3 main|1 do|1 " --skip 'inn*'
    chosen "space::outer|3 while|3 " --only outer
    chosen "inner|9 for|9 main|1 do|1 " --skip space::outer
    chosen "" --only for,while,do
    chosen "space::outer|3 while|3 " --only loops.cpp --skip main,inner
done

# Too short, but seen seldom enough from each of its three callers: what counts is all of them together.
cat >callers.c <<'END'
static volatile int sink;
static void tiny(void)
{
    sink++;
}
int main(void)
{
    for (int i = 0; i < 60000; i++) {
        tiny();
        tiny();
        tiny();
    }
    return 0;
}
END
"$WEFT" cc --all gcc -O2 -fno-inline callers.c -o callers
limited "$WEFT" run -q -o callers.weft ./callers || fail "callers.c: status $?"
seen=$(sql callers.weft "SELECT sum(proc_num) FROM proc JOIN event ON event.id = proc.event WHERE name = 'tiny'")
[ "$seen" -ge 100000 ] && [ "$seen" -lt 180000 ] || fail "tiny was seen $seen times from three places"

# None of sixty procedures, each called by the one before, is too short or alone too costly, but together they are: the
# inner ones, which are shorter, go, and the outermost stays.
{
    echo 'static volatile unsigned sink;'
    echo 'static void work(void) {'
    echo 'unsigned x = sink; for (int i = 0; i < 6000; i++) x = x * 1664525 + 1013904223; sink = x; }'
    echo 'static void p60(void) { work(); }'
    for i in $(seq 59 -1 1); do
        echo "static void p$i(void) { p$((i + 1))(); sink++; }"
    done
    echo 'int main(int argc, char **argv) {'
    echo '(void)argv; for (int i = 0; i < (argc > 1 ? 100 : 150000); i++) p1(); return 0; }'
} >together.c
"$WEFT" cc --all --skip work gcc -O2 -fno-inline together.c -o together
limited "$WEFT" run -q -o together.weft ./together || fail "together.c: status $?"
sql together.weft "SELECT CASE proc_num WHEN 150000 THEN 1 ELSE 2 END FROM proc JOIN event ON event.id = proc.event
    WHERE name LIKE 'p%'
    ORDER BY cast(substr(name, 2) AS integer)" >together.off
[ "$(head -n 1 together.off)" = 1 ] && [ "$(tail -n 1 together.off)" = 2 ] && sort -c together.off ||
    fail "switched off together: $(visits together.weft)"
limited "$WEFT" run -q --no-adaptive -o together.weft ./together less
[ "$(visits together.weft | grep -c '|100$')" = 60 ] || fail "--no-adaptive: $(visits together.weft)"

# By hand, in C, C++ and Fortran; the same output without weft.
regions()
{
    sql "$1" "SELECT event.name, sum(region_num) FROM region JOIN event ON event.id = region.event GROUP BY 1
        ORDER BY 1"
}
for language in c c++; do
    g++ -x $language -O2 -I"$include" -Wall -Wextra -Werror by_hand.c -o by_hand ||
        fail "by_hand.c does not compile as $language"
    [ "$(limited ./by_hand)" = 54 ] || fail "$language: another result"
    [ "$(limited "$WEFT" run -q -o hand.weft ./by_hand)" = 54 ] || fail "$language: another result under weft"
    expected=$(printf 'inner|9\nsolve|10')
    [ $language = c ] || expected=$(printf 'inner|9\nscoped|3\nsolve|10')
    [ "$(regions hand.weft)" = "$expected" ] || fail "$language: $(regions hand.weft)"
    [ "$(sql hand.weft "SELECT num, sum FROM counter WHERE name = 'cells'")" = "10|50.0" ] ||
        fail "$language: counter $(sql hand.weft 'SELECT * FROM counter')"
done
if command -v gfortran >/dev/null; then
    "$WEFT" cc gfortran -O1 "$include/weft/weft.f90" by_hand.f90 -o fortran || fail "by_hand.f90 does not compile"
    limited ./fortran >plain.out
    limited "$WEFT" run -q -o fortran.weft ./fortran >watched.out
    cmp plain.out watched.out || fail "Fortran: another output"
    [ "$(regions fortran.weft)" = "$(printf 'inside|7\noutside|7')" ] || fail "Fortran: $(regions fortran.weft)"
    visits fortran.weft | has -x 'fact|7' || fail "Fortran: $(visits fortran.weft)"
    # Their names come from the symbol table: of a procedure, one in a module, one in another, and one in a shared
    # library.
    cat >library.f90 <<'END'
subroutine in_library(n)
    integer, intent(inout) :: n
    n = n + 1
end subroutine
END
    cat >choose.f90 <<'END'
module grid
contains
    subroutine in_module(n)
        integer, intent(inout) :: n
        call contained(n)
    contains
        subroutine contained(m)
            integer, intent(inout) :: m
            m = m + 1
        end subroutine
    end subroutine
end module
subroutine outside(n)
    use grid
    integer, intent(inout) :: n
    call in_module(n)
    call in_module(n)
    call in_library(n)
end subroutine
program choose
    integer :: i, n
    n = 0
    do i = 1, 5
        call outside(n)
    end do
    if (n /= 15) stop 1
end program
END
    "$WEFT" cc gfortran -O1 -fno-inline -fPIC -shared library.f90 -o liblibrary.so ||
        fail "library.f90 does not compile"
    "$WEFT" cc gfortran -O1 -fno-inline choose.f90 -o choose -L. -llibrary -Wl,-rpath,"$tmp" ||
        fail "choose.f90 does not compile"
    # chosen_in_fortran WANTED OPTION...: the same for these, less the program
    chosen_in_fortran()
    {
        local want=$1 got
        shift
        limited "$WEFT" run -q "$@" -o choose.weft ./choose || fail "$*: status $?"
        got=$(visits choose.weft | grep -vE '^(main|choose)\|' | tr '\n' ' ' || true)
        [ "$got" = "$want" ] || fail "Fortran, $*: seen are $got, not $want"
    }
    chosen_in_fortran "contained|10 in_library|5 in_module|10 outside|5 "
    chosen_in_fortran "outside|5 " --only outside
    chosen_in_fortran "in_module|10 " --only in_module
    chosen_in_fortran "in_module|10 " --only '__grid_MOD_*'
    chosen_in_fortran "contained|10 outside|5 " --skip 'in_*'
    chosen_in_fortran "in_library|5 " --only liblibrary.so
    chosen_in_fortran "in_library|5 in_module|10 outside|5 " --skip contained
    chosen_in_fortran "" --only nothing
    # Without names no pattern fits: what is not named to be skipped is watched, under its address.
    strip choose
    chosen_in_fortran "in_library|5 " --only 'in_*'
    limited "$WEFT" run -q --skip 'in_*' -o choose.weft ./choose || fail "stripped: status $?"
    counts=$(visits choose.weft | sed -n 's/^0x[0-9a-f]*|//p' | sort -n | tr '\n' ' ')
    [ "$counts" = "1 1 5 10 10 " ] && ! visits choose.weft | has in_library ||
        fail "stripped, --skip: $(visits choose.weft)"
else
    echo "not tried: Fortran (no gfortran here)"
fi
