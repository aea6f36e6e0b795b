#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# farm.sh openmpi|mpich [BATCHES]: which worker gets which packet of a dynamic master-worker program. Of the packets
# that two unwatched runs give to the same worker, the run with --keep-order under heavy probes gives at least 95 % to
# it, too.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
batches=${2:-6}
LIMIT=$((60 + 5 * batches))
compile "$tmp/farm" -O1 -g -Wall "$here/farm.c"
cd "$tmp"

packets()
{
    tr ' ' '\n' | grep .
}

for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    for run in first second; do
        launch 4 ./farm "$batches" | packets >$run
    done
    export WEFT_TEST_DELAY=1:15000000,3:4000000
    watch plain.weft 4 ./farm "$batches" | packets >plain
    WEFT_OPTIONS=--keep-order watch kept.weft 4 ./farm "$batches" | packets >kept
    unset WEFT_TEST_DELAY
    read -r all agree same other < <(paste first second kept plain |
        awk '{ n++ } $1 == $2 { a++; k += $1 == $3; p += $1 == $4 } END { print n, a + 0, k + 0, p + 0 }')
    echo "$all packets; two unwatched runs agree for $agree; of these, with --keep-order $same, without $other"
    [ "$all" = $((12 * batches)) ] || fail "not all packets were done"
    [ "$agree" -ge $((all / 4)) ] || continue # the machine is too loaded to compare anything
    [ $((100 * same)) -lt $((95 * agree)) ] || break
done
[ "$agree" -ge $((all / 4)) ] || skip "unwatched runs agree for $agree of $all packets only"
[ $((100 * same)) -ge $((95 * agree)) ] || fail "with --keep-order other workers get the packets"
[ $((100 * other)) -lt $((95 * agree)) ] || fail "heavy probes do not change the order: this shows nothing"
