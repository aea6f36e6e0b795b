#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ranks on two hosts make one profile, in both launch orders. The hosts are network namespaces with names and clocks of
# their own.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
. "$(dirname "$0")/lib_hosts.sh"
compile ring -g "$tests/launch/ring.c"
limited "$MPIRUN" "${hosts[@]}" -n 4 ./ring 10 </dev/null >out 2>err ||
    skip "$MPI does not run over namespaces here: $(head -n 3 err)"

check()
{
    local what=$1 profile=$2
    [ -f "$profile" ] || fail "$what left no profile: $(cat err)"
    [ "$(sql "$profile" "SELECT group_concat(rank || ' ' || host) FROM (SELECT * FROM rank ORDER BY rank)")" = \
        "0 $host_a,1 $host_a,2 $host_b,3 $host_b" ] ||
        fail "$what: $(sql "$profile" 'SELECT rank, host FROM rank')"
    [ "$(sql "$profile" "SELECT value FROM run WHERE key = 'hosts'")" = 2 ] || fail "$what: not two hosts"
    [ "$(sql "$profile" "SELECT value FROM run WHERE key = 'complete'")" = 1 ] || fail "$what: not complete"
    [ "$(sql "$profile" "SELECT sum(trans_num) FROM com JOIN event ON event.id = com.event
        WHERE name = 'MPI_Sendrecv_replace'")" = 80 ] ||
        fail "$what: transfers are missing"
    # Monotonic clocks 6,000 s apart must not become a wall time of hours.
    [ "$(sql "$profile" "SELECT value < 60e9 FROM run WHERE key = 'wall_ns'")" = 1 ] ||
        fail "$what: wall time $(sql "$profile" "SELECT value FROM run WHERE key = 'wall_ns'")"
    [ -z "$(ls -d .weft-* 2>/dev/null)" ] || fail "$what left $(ls -d .weft-*)"
}

limited "$WEFT" run -q -o outer.weft "$MPIRUN" "${hosts[@]}" -n 4 ./ring 10 </dev/null >out 2>err ||
    fail "outer order: status $?: $(cat err)"
check "outer order" outer.weft
limited "$MPIRUN" "${hosts[@]}" -n 4 "$WEFT" run -q -o inner.weft ./ring 10 </dev/null >out 2>err ||
    fail "inner order: status $?: $(cat err)"
# Before MPI_Init, MPICH's launcher has told no process a name that all hosts know: each host makes a profile of its
# own.
[ "$MPI" = openmpi ] || exit 0
for _ in $(seq 50); do
    [ ! -f inner.weft ] || break
    sleep 0.1
done
check "inner order" inner.weft
