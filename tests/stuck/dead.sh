#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# dead.sh openmpi|mpich: real deadlocks (dead.c). weft run must say so soon, with the right ranks, statements and cycle,
# and --stuck must end the run with its status. The profile and weft stuck must say the same.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
command -v sqlite3 >/dev/null || skip "there is no sqlite3 here"
compile "$tmp/dead" -g -O1 -Wall "$here/dead.c"
cd "$tmp"

line()
{
    grep -n "/\* $1 \*/" "$here/dead.c" | head -n 1 | cut -d: -f1
}

# dead WHAT RANKS: runs it to its end
dead()
{
    local status=0
    limited "$WEFT" run --stuck=1 -o "$1.weft" -- "$MPIRUN" -n "$2" ./dead "$1" >"$1.out" 2>"$1.err" || status=$?
    [ $status = 113 ] || { cat "$1.err" >&2; fail "$1 ended with status $status instead of 113"; }
    [ "$(grep -c '^weft: deadlock:' "$1.err")" = 1 ] || { cat "$1.err" >&2; fail "$1: not said once"; }
    waited=$(sql "$1.weft" "SELECT max(waited_ns) / 1000000 FROM stuck")
    [ "$waited" -lt 8000 ] || fail "$1: recognised after $waited ms"
}

# stuck WHAT ROW...: rank|call|line|ranks that it waits for|in the cycle
stuck()
{
    local what=$1
    shift
    local is should
    is=$(sql "$what.weft" "SELECT self_node, call, replace(place, 'dead.c:', ''), waits_for, in_cycle FROM stuck
        ORDER BY self_node")
    should=$(printf '%s\n' "$@")
    [ "$is" = "$should" ] || fail "$what: found
$is
instead of
$should"
}

said()
{
    has -F "$2" <"$1.err" || { cat "$1.err" >&2; fail "$1: '$2' was not said"; }
}

dead facing 3
said facing 'ranks 0 and 1 wait for each other'
stuck facing "0|MPI_Recv|$(line receive)|1|1" "1|MPI_Recv|$(line receive)|0|1" "2|MPI_Barrier|$(line behind)|0, 1|0"
"$WEFT" report facing.weft >report || fail "no report"
has 'deadlock: ranks 0 and 1 wait for each other' <report || { cat report; fail "the report does not show it"; }

dead cycle 3
said cycle 'rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0'
stuck cycle "0|MPI_Recv|$(line receive)|1|1" "1|MPI_Recv|$(line receive)|2|1" "2|MPI_Recv|$(line receive)|0|1"

dead missed 3
said missed 'ranks 0 and 1 wait for each other'
stuck missed "0|MPI_Allreduce|$(line collective)|1|1" "1|MPI_Recv|$(line receive)|0|1" \
    "2|MPI_Allreduce|$(line collective)|1|0"

dead finalized 3
said finalized 'which is in MPI_Finalize'
stuck finalized "0|MPI_Barrier|$(line barrier)|1|0" "2|MPI_Barrier|$(line barrier)|1|0"

dead ring 3
said ring 'rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0'
stuck ring "0|MPI_Send|$(line send)|1|1" "1|MPI_Send|$(line send)|2|1" "2|MPI_Send|$(line send)|0|1"

dead wildcard 2
stuck wildcard "0|MPI_Recv|$(line any)|1|1" "1|MPI_Recv|$(line any)|0|1"

dead waitall 2
stuck waitall "0|MPI_Waitall|$(line waitall)|1|1" "1|MPI_Recv|$(line answer)|0|1"

dead part 3
said part 'in a communicator of 2 ranks'
stuck part "1|MPI_Barrier|$(line part)|2|1" "2|MPI_Recv|$(line inside)|1|1"

dead tags 2
stuck tags "0|MPI_Send|$(line tags)|1|1" "1|MPI_Send|$(line tags)|0|1"

dead sendrecv 2
stuck sendrecv "0|MPI_Sendrecv|$(($(line sendrecv) - 1))|1|1" "1|MPI_Sendrecv|$(($(line sendrecv) - 1))|0|1"

# The other order of launching; and weft stuck, while the run goes on.
"$MPIRUN" -n 2 "$WEFT" run -o inner.weft ./dead facing >inner.out 2>inner.err &
launcher=$!
for _ in $(seq 100); do
    "$WEFT" stuck --json >stuck.json 2>stuck.err && has '"deadlock": true' <stuck.json && break
    sleep 0.1
done
has '"deadlock": true' <stuck.json || { cat stuck.err stuck.json >&2; fail "weft stuck does not see it"; }
"$WEFT" stuck >stuck.txt || fail "weft stuck failed"
has "rank 0: MPI_Recv at dead.c:$(line receive) (receive_from)" <stuck.txt || { cat stuck.txt; fail "weft stuck"; }
sleep 0.5
kill $launcher
wait $launcher || true
has '^weft: deadlock: ranks 0 and 1 wait for each other' <inner.err || { cat inner.err >&2; fail "inner order"; }

# No run, and one that has ended.
! "$WEFT" stuck nothing >none.out 2>&1 || fail "weft stuck nothing succeeded"
[ "$(wc -l <none.out)" = 1 ] || { cat none.out; fail "not one sentence"; }
limited "$WEFT" run --keep --quiet -o ended.weft -- "$MPIRUN" -n 2 ./dead none
! "$WEFT" stuck .weft-* >ended.out 2>&1 || fail "weft stuck of a run that has ended succeeded"
has 'no process of the run .* is alive' <ended.out || { cat ended.out; fail "not the sentence"; }
[ "$(wc -l <ended.out)" = 1 ] || { cat ended.out; fail "not one sentence"; }
