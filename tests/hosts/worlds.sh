#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Several worlds in one run, one after another and at once: each has its own ranks, headers and waits, whatever the
# others do.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
cd "$tmp"
compile worlds -g "$here/worlds.c"

# What is wrong with a profile of two worlds: in one, rank 0 waits 10 x 40 ms for rank 1, in the other rank 1 waits 10 x
# 20 ms for rank 0, and no rank longer than its calls took.
check()
{
    sql two.weft "
        SELECT 'worlds: ' || group_concat(world || '.' || world_rank) FROM (SELECT * FROM rank ORDER BY rank)
            HAVING group_concat(world || '.' || world_rank) IS NOT '0.0,0.1,1.0,1.1';
        SELECT key || ' is ' || value FROM run
            WHERE key = 'headers_missing' AND value <> 0 OR key = 'complete' AND value <> 1;
        WITH waits AS (SELECT r.world AS world, c.world AS of_world, r.world_rank AS who, c.world_rank AS culprit,
                           sum(wait.time_ns) / 1e6 AS ms, min(event.time_ns) / 1e6 AS most
                           FROM wait JOIN event ON event.id = wait.event
                               JOIN rank r ON r.rank = event.self_node JOIN rank c ON c.rank = wait.culprit
                           WHERE event.name = 'MPI_Recv' GROUP BY 1, 2, 3, 4)
        SELECT 'a wait for another world' FROM waits WHERE world <> of_world
        UNION ALL SELECT 'rank ' || who || ' of world ' || world || ' waits ' || ms || ' ms for rank ' || culprit
            FROM waits
            WHERE NOT (who = 0 AND culprit = 1 AND ms BETWEEN 300 AND most
                OR who = 1 AND culprit = 0 AND ms BETWEEN 150 AND most)
        UNION ALL SELECT count(*) || ' waits at MPI_Recv' FROM waits HAVING count(*) <> 2;"
}

# On a loaded machine both wait longer, or a rank is late to wait; so what is wrong is tried again.
known()
{
    local what=$1 script=$2 why=""
    for _ in 1 2 3; do
        rm -f two.weft runs.*
        limited "$WEFT" run -q -o two.weft -- sh -c "$script" </dev/null >out 2>err ||
            fail "$what: status $?: $(cat err)"
        why=$(check)
        [ -n "$why" ] || return 0
    done
    fail "$what: $why"
}

known "one after another" "$MPIRUN -n 2 ./worlds 1 40 && $MPIRUN -n 2 ./worlds 0 20"
known "at once" "$MPIRUN -n 2 ./worlds 1 40 0 & $MPIRUN -n 2 ./worlds 0 20 1 && wait"

# One rank is not watched: only the program waits for it.
LIMIT=30 limited "$WEFT" run -q -o one.weft "$MPIRUN" -n 1 ./worlds 1 10 : -n 1 env -u LD_PRELOAD ./worlds 1 10 \
    </dev/null >out 2>err ||
    fail "one rank is not watched: status $?: $(cat err)"
[ "$(sql one.weft "SELECT rank FROM rank")" = 0 ] ||
    fail "one rank is not watched: $(sql one.weft 'SELECT rank FROM rank')"

# Long names that differ at their end only are different names.
if [ "$MPI" = mpich ]; then
    mkdir run
    for end in 1 2; do
        PMI_JOBID=$(printf 'x%.0s' {1..70})$end WEFT_DIR=$tmp/run \
            LD_PRELOAD=$(realpath "$(dirname "$WEFT")/../lib/weft/libweft.so") ./worlds >out 2>&1 || true
    done
    [ "$(find run -name 'box-?*-0-*' | wc -l)" = 2 ] || fail "long names: $(ls run)"
fi
