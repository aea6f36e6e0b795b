#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# refused.sh openmpi|mpich: MPI refuses the same with and without weft, and afterwards the profile counts everything as
# if nothing had been refused.
. "$(dirname "$0")/../../lib.sh"
use_mpi "$1"
compile "$tmp/refused" -g -O1 -w "$here/refused.c"
profile=$tmp/refused.weft
cd "$tmp"
launch 3 "$tmp/refused" >"$tmp/plain" 2>"$tmp/plain.err" ||
    fail "it does not even run without weft: $(tail -3 "$tmp/plain.err")"
watch "$profile" 3 "$tmp/refused" >"$tmp/watched" 2>"$tmp/watched.err" ||
    fail "it ends with $? under weft: $(tail -3 "$tmp/watched.err")"
diff <(sort "$tmp/plain") <(sort "$tmp/watched") || fail "MPI says something else with weft"
[ "$(wc -l <"$tmp/plain")" -ge 57 ] || fail "too little was tried"

# is QUERY RESULT
is()
{
    local got
    got=$(sql "$profile" "$1" | tr '\n' ' ')
    [ "$got" = "$2 " ] || fail "$1: $got, not $2"
}
is "SELECT min(complete), count(*) FROM rank" "1|3"
# How often messages and collectives were followed, whatever had been refused before; rank 0's were refused three times
# more.
is "SELECT sum(trans_num) FROM com JOIN event ON event = id WHERE name = 'MPI_Allreduce' GROUP BY self_node
    ORDER BY self_node" "200 200 200"
is "SELECT sum(trans_num) FROM com JOIN event ON event = id WHERE name = 'MPI_Irecv' GROUP BY self_node
    ORDER BY self_node" "100 100 100"
is "SELECT headers_missing, headers_taken FROM rank ORDER BY rank" "0|550 0|550 0|550"
