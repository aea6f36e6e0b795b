#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# chaos.sh openmpi|mpich [PROGRAMS [SEED]]: random nondeterministic programs end with --keep-order, with results that
# their own rules allow, whatever probes cost; and most of their receives are decided.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
programs=${2:-30} seed=${3:-1}
LIMIT=$((100 + programs))
compile "$tmp/chaos" -O1 -g -Wall "$here/chaos.c"
cd "$tmp"
ranks=4
for delay in "" 0:300000,2:20000 1:2000000; do
    WEFT_TEST_DELAY=$delay WEFT_OPTIONS=--keep-order watch chaos.weft $ranks ./chaos "$programs" "$seed" >out 2>err ||
        fail "delays '$delay': status $?: $(cat out err)"
    grep -q "all right" out || fail "delays '$delay': $(cat out err)"
    counts=$(sql chaos.weft 'SELECT sum(num), sum(decided), sum(released), sum(otherwise), round(max(held_max_ns) / 1e6)
        FROM receive_order')
    echo "delays '$delay': receives, decided, released, otherwise than in real time, held at most (ms): $counts"
    [ "$(sql chaos.weft 'SELECT sum(decided) > 0.9 * sum(num) FROM receive_order')" = 1 ] || fail "few were decided"
done
