#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Records, not traces: four communication statements in a loop take the same space for 200, 20,000 and 2,000,000 rounds,
# and less than 1 KiB.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
cd "$tmp"
(cd "$here" && compile "$tmp/stage" -O2 -g stage.c)
LIMIT=120
unit=$(sed -n 's/^#define WF_SEGMENT_UNIT \([0-9]*\)u$/\1/p' "$root/src/format/segment.h") # what each record takes
last=
for rounds in 200 20000 2000000; do
    watch a.weft 3 ./stage $rounds || fail "$rounds rounds: status $?"
    rows=$(sql a.weft "SELECT count(DISTINCT event.id), count(*), min(trans_num), max(trans_num)
        FROM event JOIN com ON com.event = event.id WHERE self_node = 1 AND name IN ('MPI_Send', 'MPI_Recv')")
    [ "$rows" = "4|4|$rounds|$rounds" ] || fail "$rounds rounds: $rows"
    # One of each statement, and one of each statement with each partner.
    records=$(echo "$rows" | awk -F'|' '{print $1 + $2}')
    [ $((records * unit)) -le 1024 ] || fail "the records of four statements take $((records * unit)) bytes"
    # A rank that has had to wait has records of it, in a chunk of one page: it may not have had to in the shortest run.
    bytes=$(sql a.weft "SELECT max(segment_bytes) FROM rank")
    [ -z "$last" ] || [ $((bytes - last)) -le 4096 ] ||
        fail "$rounds rounds: a segment of $bytes instead of $last bytes"
    last=${last:-$bytes}
done
