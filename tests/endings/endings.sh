#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# However a program ends, a profile of what was known then is left, the ranks that did not finish are not called
# complete, and the exit status is the same as without weft.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
cd "$tmp"
program=ends-$MPI # both flavours of this test may run at once
compile "$program" -g "$here/ends.c"
LIMIT=40

known='SELECT self_node, dest_node, trans_num, bytes FROM com JOIN event ON event.id = com.event WHERE name IN ("MPI_Send", "MPI_Recv") AND trans_num > 0 ORDER BY 1'

check()
{
    local what=$1 profile=$2
    for _ in $(seq 100); do # inner order: a launcher that clears up after a crash may not wait
        [ ! -f "$profile" ] || break
        sleep 0.1
    done
    [ -f "$profile" ] || fail "$what left no profile"
    [ "$(sql "$profile" "$known")" = "$(printf '0|1|10|40\n1|0|10|40')" ] || fail "$what: $(sql "$profile" "$known")"
    [ "$(sql "$profile" "SELECT count(*), sum(complete) FROM rank")" = "2|0" ] || fail "$what: $(sql "$profile" 'SELECT rank, complete, ending FROM rank')"
    [ "$(sql "$profile" "SELECT value FROM run WHERE key='complete'")" = 0 ] || fail "$what is called complete"
    "$WEFT" report "$profile" >report || fail "$what: no report"
    grep -qi 'MPI_Finalize\|MPI_Abort' report || fail "$what: the report does not say that ranks did not finish"
    rm "$profile"
    for _ in $(seq 50); do
        [ -n "$(ls -d .weft-* 2>/dev/null)" ] || return 0
        sleep 0.1
    done
    fail "$what left $(ls -d .weft-*)"
}

same_status()
{
    local how=$1 plain=0 watched=0
    limited "$MPIRUN" -n 2 ./$program "$how" >/dev/null 2>&1 || plain=$?
    limited "$WEFT" run -q -o a.weft "$MPIRUN" -n 2 ./$program "$how" >/dev/null 2>err || watched=$?
    [ $plain = $watched ] || fail "$how: exit status $plain became $watched"
    [ $plain != 0 ] || fail "$how: the program ended well, the test shows nothing"
}

for how in segv kill abort exit; do
    same_status $how
    [ "$how" != abort ] || sql a.weft "SELECT rank, ending, end_code FROM rank WHERE rank = 1" | has '^1|aborted|42$' || fail "abort's code is not known"
    [ "$how" != exit ] || [ "$(sql a.weft "SELECT count(*) FROM rank WHERE ending = 'exited'")" -ge 1 ] || fail "no rank is said to have exited"
    check "$how" a.weft
    limited "$MPIRUN" -n 2 "$WEFT" run -q -o b.weft ./$program $how >/dev/null 2>&1 || true
    check "$how (inner order)" b.weft
done

# Starts the program in a session of its own and waits until it waits.
start()
{
    rm -f ready
    setsid "$@" >/dev/null 2>err &
    leader=$!
    for _ in $(seq 300); do
        [ ! -f ready ] || return 0
        sleep 0.1
    done
    fail "the program did not come to its end: $(cat err)"
}

finish()
{
    local status=0
    for _ in $(seq 300); do
        kill -0 "$leader" 2>/dev/null || break
        sleep 0.1
    done
    kill -0 "$leader" 2>/dev/null && fail "$1: still there"
    wait "$leader" || status=$?
    pkill -9 -x "$program" || true
    echo $status
}

pids()
{
    pgrep -f "^$1" || true
}

# All ranks killed.
start "$WEFT" run -q -o k.weft "$MPIRUN" -n 2 ./$program wait
kill -9 $(pids "./$program wait")
finish "all ranks killed" >/dev/null
check "all ranks killed" k.weft

# The launcher killed, in both orders.
start "$WEFT" run -q -o l.weft "$MPIRUN" -n 2 ./$program wait
pkill -9 -f "^$MPIRUN -n 2 ./$program" || fail "no launcher found"
finish "launcher killed" >/dev/null
check "launcher killed" l.weft
start "$MPIRUN" -n 2 "$WEFT" run -q -o m.weft ./$program wait
kill -9 "$leader"
finish "launcher killed (inner order)" >/dev/null
check "launcher killed (inner order)" m.weft

# weft itself killed: the guardian goes on and waits for the program.
start "$WEFT" run -q -o w.weft "$MPIRUN" -n 2 ./$program wait
kill -9 "$leader"
sleep 0.3
[ ! -e w.weft ] || fail "the profile was made while the program ran"
kill -9 $(pids "./$program wait") || true
check "weft killed" w.weft

# Ctrl-C reaches the whole foreground group.
start "$WEFT" run -q -o c.weft "$MPIRUN" -n 2 ./$program wait
kill -INT -- "-$leader"
finish "Ctrl-C" >/dev/null
check "Ctrl-C" c.weft

# SIGTERM to weft alone is passed on.
start "$WEFT" run -q -o t.weft "$MPIRUN" -n 2 ./$program wait
kill -TERM "$leader"
finish "SIGTERM" >/dev/null
check "SIGTERM" t.weft

# One rank killed. Open MPI ends the others so much later that the first sentence names it. With MPICH they may follow
# within 10 ms.
start "$WEFT" run -q -o f.weft "$MPIRUN" -n 2 ./$program wait
sleep 1 # the guardian finds both
victim=$(pids "./$program wait" | head -n 1)
kill -9 "$victim"
finish "one rank killed" >/dev/null
rank=$(sql f.weft "SELECT rank FROM rank WHERE pid = $victim")
[ "$(sql f.weft "SELECT value FROM run WHERE key = 'deaths_seen'")" = 2 ] || fail "not all deaths were seen"
headline=$("$WEFT" report --json f.weft | sed -n 's/^"headline": //p')
[ "$MPI" = mpich ] || echo "$headline" | has "ranks did not finish: rank $rank died in MPI_Recv at ends.c:[0-9]* (wait_for_ever), [0-9.]* m*s before the others" ||
    fail "rank $rank was killed, and the first sentence is $headline"
check "one rank killed" f.weft

# Where a killed rank was, is known.
start "$WEFT" run -q -o s.weft "$MPIRUN" -n 2 ./$program wait
kill -9 $(pids "./$program wait")
finish "killed in a call" >/dev/null
line=$(grep -n 'MPI_ANY_SOURCE' "$here/ends.c" | cut -d: -f1)
[ "$(sql s.weft "SELECT DISTINCT s.line FROM rank r JOIN weft_site s ON s.id = r.last_site")" = "$line" ] || fail "the last statement is not known"
check "killed in a call" s.weft
