#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What was under way when a program was killed, died, aborted or was looked at has the time it has had so far: the call
# that did not return, procedures, loops, recursive procedures and regions marked by hand, and all that is around them.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
cd "$tmp"
program=open-$MPI # both flavours of this test may run at once
"$WEFT" cc "$CC" -DMARKED -I"$root/include" -g -O1 -fno-inline "$here/open.c" -o "$program"
"$CC" -g -O1 -fno-inline -finstrument-functions "$here/open.c" -o "$program-f"
LIMIT=60

started()
{
    for _ in $(seq 300); do
        [ ! -f ready.0 ] || [ ! -f ready.1 ] || return 0
        sleep 0.1
    done
    fail "the program did not come to its end: $(cat err)"
}

now_ms()
{
    echo $(($(date +%s%N) / 1000000))
}

# watched PROFILE HOW SECONDS SIGNAL [PROGRAM]: both ranks get the signal so long after they are ready. $under_way: for
# how long, in ms.
watched()
{
    local name=${5:-$program} since
    rm -f ready.*
    limited "$WEFT" run -q -o "$1" "$MPIRUN" -n 2 "./$name" "$2" >out 2>err &
    local runs=$!
    started
    since=$(now_ms)
    sleep "$3"
    if [ "$4" = TIMEOUT ]; then
        pkill -TERM -f "^$MPIRUN -n 2 ./$name"
        while pgrep -f "^./$name $2" >/dev/null; do # a launcher takes its time
            sleep 0.02
        done
    elif [ "$4" != none ]; then
        pkill "-$4" -f "^./$name $2"
    fi
    under_way=$(($(now_ms) - since))
    wait $runs || true
    [ -f "$1" ] || fail "$2: there is no profile"
}

# near PROFILE WHAT QUERY MS: the query's ms are so many, within 10 % and 150 ms.
near()
{
    local got
    got=$(sql "$1" "SELECT cast(coalesce(($3), -1) / 1e6 AS integer)")
    [ $((got * 10)) -ge $(($4 * 9 - 1500)) ] && [ $((got * 10)) -le $(($4 * 11 + 1500)) ] || fail "$1: $2 is $got ms, not $4"
}

time_of()
{
    echo "SELECT time_ns FROM event WHERE name = '$1' AND self_node = $2"
}

# No part has more than its whole.
sensible()
{
    local wrong
    wrong=$(sql "$1" "
        SELECT 'mpi', rank, mpi_ns, wall_ns FROM rank WHERE mpi_ns > wall_ns
        UNION ALL SELECT 'useful', rank, useful_ns, wall_ns FROM rank WHERE useful_ns > wall_ns
        UNION ALL SELECT 'idle', rank, sync_ns + polling_ns + no_core_ns + unexplained_ns, mpi_ns FROM rank
            WHERE sync_ns + polling_ns + no_core_ns + unexplained_ns > mpi_ns + 1000
        UNION ALL SELECT e.name, e.self_node, e.time_ns, m.time_ns FROM event e JOIN event m ON m.self_node = e.self_node AND m.name = 'main'
            WHERE e.time_ns > m.time_ns AND e.event_type != 'region'
        UNION ALL SELECT name, self_node, self_ns, time_ns FROM event WHERE self_ns > time_ns OR self_ns < 0
        UNION ALL SELECT 'main: virtual above raw', self_node, time_ns, time_raw_ns FROM event WHERE name = 'main' AND time_ns > time_raw_ns
        UNION ALL SELECT 'sum of self', m.self_node, sum(e.self_ns), m.time_ns FROM event e JOIN event m ON m.self_node = e.self_node AND m.name = 'main'
            WHERE e.event_type NOT IN ('loop', 'region', 'phase') GROUP BY m.self_node HAVING sum(e.self_ns) > 1.01 * m.time_ns")
    [ -z "$wrong" ] || fail "$1: more than the whole: $wrong"
    "$WEFT" report --tree --all "$1" >tree || fail "$1: no tree"
    ! grep -E '^ *([2-9][0-9]{2}|1[1-9][0-9]|[0-9]{4,})\.[0-9] %' tree || fail "$1: a share above 100 %: $(cat tree)"
    "$WEFT" report --json "$1" >json || fail "$1: no JSON"
}

# Two ranks wait for each other until both are killed.
watched hang.weft hang 3 KILL
sensible hang.weft
for rank in 0 1; do
    near hang.weft "rank $rank's wall time" "SELECT wall_ns FROM rank WHERE rank = $rank" $((under_way + 500))
    near hang.weft "its time in MPI" "SELECT mpi_ns FROM rank WHERE rank = $rank" $under_way
    near hang.weft "its unexplained time" "SELECT unexplained_ns FROM rank WHERE rank = $rank" $under_way
    near hang.weft "the time in its last call" "SELECT last_site_ns FROM rank WHERE rank = $rank" $under_way
    near hang.weft "MPI_Recv" "$(time_of MPI_Recv $rank)" $under_way
    near hang.weft "the procedure around it" "$(time_of wait_for_ever $rank)" $under_way
    near hang.weft "what had ended" "$(time_of ended $rank)" 500
done
[ "$(sql hang.weft "SELECT DISTINCT calls FROM event WHERE name = 'MPI_Recv'")" = 0 ] || fail "a call that did not return counts as one"
[ "$(sql hang.weft "SELECT DISTINCT proc_num FROM proc JOIN event e ON e.id = proc.event WHERE name IN ('main', 'wait_for_ever')")" = 1 ] || fail "an entry does not count"
"$WEFT" report hang.weft >report
grep -A2 'were in MPI_Recv' report | tr '\n' ' ' | has -E 'for (up to )?[23]\.[0-9]+ s' || fail "the report does not say how long: $(cat report)"
! grep -E 'parallel efficiency +([2-9][0-9]|100)' report || fail "a deadlock is said to be efficient: $(cat report)"

# One computes in nested regions, the other waits for it. Whatever ends it.
check_work()
{
    sensible "$1"
    near "$1" "rank 1's wall time" "SELECT wall_ns FROM rank WHERE rank = 1" $((under_way + 500))
    near "$1" "its computing" "SELECT useful_ns FROM rank WHERE rank = 1" $((under_way + 500))
    near "$1" "compute" "$(time_of compute 1)" $under_way
    near "$1" "sink, which is recursive" "$(time_of sink 1)" $under_way
    near "$1" "nap" "SELECT self_ns FROM event WHERE name = 'nap' AND self_node = 1" $((under_way + 500))
}

# check_waits PROFILE LATER: rank 0 was killed up to so many ms later.
check_waits()
{
    local got
    got=$(sql "$1" "SELECT cast(time_ns / 1e6 AS integer) FROM event WHERE name = 'MPI_Recv' AND self_node = 0")
    [ "$got" -gt $((under_way * 9 / 10 - 150)) ] && [ "$got" -lt $((under_way * 11 / 10 + 150 + $2)) ] || fail "$1: MPI_Recv took rank 0 $got ms, not $under_way"
    near "$1" "rank 0's wall time" "SELECT wall_ns FROM rank WHERE rank = 0" $((got + 500))
}

check_loops()
{
    near "$1" "the region marked by hand" "$(time_of phase 1)" $under_way
    near "$1" "the loops" "SELECT max(time_ns) FROM event WHERE event_type = 'loop' AND self_node = 1 AND procedure = 'compute'" $under_way
    near "$1" "the recursive procedure's loop" "SELECT max(time_ns) FROM event WHERE event_type = 'loop' AND self_node = 1 AND procedure = 'sink'" $under_way
}

watched work.weft work 2 KILL
check_work work.weft
"$WEFT" report --ranks work.weft | tr -s ' \n' ' ' | has 'died in the for loop at open.c:[0-9]* (nap)' || fail "it is not said where it died: $("$WEFT" report --ranks work.weft)"
check_waits work.weft 0
check_loops work.weft

watched functions.weft work 2 KILL "$program-f"
check_work functions.weft
check_waits functions.weft 0

watched timeout.weft work 2 TIMEOUT
check_work timeout.weft
check_waits timeout.weft 0
check_loops timeout.weft

watched alarm.weft alarm 2 none
under_way=2000
check_work alarm.weft
check_waits alarm.weft 3000
check_loops alarm.weft

watched abort.weft abort 2 none
under_way=2000
check_work abort.weft
check_waits abort.weft 3000
check_loops abort.weft
[ "$(sql abort.weft 'SELECT ending FROM rank WHERE rank = 1')" = aborted ] || fail "rank 1 did not abort"

# A run that goes on.
rm -f ready.*
limited "$WEFT" run -q -o later.weft "$MPIRUN" -n 2 "./$program" work >out 2>err &
runs=$!
started
since=$(now_ms)
for look in 1 2; do
    sleep 1.5
    "$WEFT" collect --keep -o "now$look.weft" .weft-* >/dev/null 2>look.err || fail "a run that goes on cannot be looked at: $(cat look.err)"
    under_way=$(($(now_ms) - since))
    [ "$(sql now$look.weft "SELECT count(*) FROM rank WHERE ending = 'running'")" = 2 ] || fail "the ranks do not run"
    check_work now$look.weft
    check_waits now$look.weft 0
    check_loops now$look.weft
done
pkill -9 -f "^./$program work" || true
wait $runs || true
