#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# slow.sh openmpi|mpich: programs that are only slow (slow.c), by computing, reading, polling, other threads, too few
# cores, or because a rank is stopped or traced. None of them may be called deadlocked, and --stuck=0 may end none.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
compile "$tmp/slow" -g -O1 -Wall "$here/slow.c" -pthread
cd "$tmp"

# slow NAME RANKS ARGS...: runs it to its end
slow()
{
    local name=$1 ranks=$2 status=0
    shift 2
    limited "$WEFT" run --stuck=0 -o "$name.weft" -- "$MPIRUN" -n "$ranks" ./slow "$@" >"$name.out" 2>"$name.err" ||
        status=$?
    ! grep -E 'deadlock|goes on' "$name.err" || fail "$name: called a deadlock"
    [ $status = 0 ] || { cat "$name.err" >&2; fail "$name: status $status"; }
    has '^done' <"$name.out" || fail "$name: did not come to its end"
}

slow work 3 computes,polls,waits 2.5

mkfifo pipe
{
    sleep 3
    echo >pipe
} &
slow pipe 2 reads 0 pipe
wait

{
    sleep 3
    echo
} | slow stdin 3 reads 0

slow threads 2 threads 2.5
slow token 8 token 3

# Until the rank has said who it is and is in its receive.
rank_one()
{
    for _ in $(seq 200); do
        [ -s "$1" ] && break
        sleep 0.05
    done
    sleep 0.5
    cat "$1"
}

{
    pid=$(rank_one stopped.pid)
    kill -STOP "$pid"
    sleep 4
    kill -CONT "$pid"
} &
slow stopped 2 stopped 0 stopped.pid
wait

# A debugger that holds the rank, and one that only looks.
if command -v gdb >/dev/null; then
    {
        pid=$(rank_one gdb.pid)
        limited gdb -p "$pid" -batch -ex 'shell sleep 4' >debugger 2>&1 </dev/null || true
    } &
    slow gdb 2 stopped 0 gdb.pid
    wait
else
    echo "there is no gdb here: a rank under a debugger was not tried"
fi
