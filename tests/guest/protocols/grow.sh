#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two threads grow rings for two partners while reserving disk space takes 2 ms: the program ends as it does without
# weft, and every header is found.
#
#     grow.sh openmpi|mpich
source "$(dirname "$0")/../../lib.sh"
use_mpi "$1"
messages=12000   # see grow.c
collectives=2400 # of two threads of three ranks, each with two others

compile "$tmp/grow" -O1 "$here/grow.c" -pthread
cc -O1 -shared -fPIC -o "$tmp/slow_space.so" "$here/slow_space.c" -ldl
cd "$tmp"
status=0
launch 3 ./grow || status=$?
[ $status -ne 77 ] || skip "$1 has no MPI_THREAD_MULTIPLE"
[ $status -eq 0 ] || fail "it fails without weft: $status"

watched()
{
    status=0
    LD_PRELOAD="$tmp/slow_space.so" watch run.weft 3 ./grow "$@" >out 2>err || status=$?
    [ $status -eq 0 ] || fail "it ended with $status under weft: $(cat err)"
    sql run.weft "SELECT sum(headers_sent), sum(headers_taken), sum(headers_missing), sum(headers_ambiguous),
        sum(headers_dropped) FROM rank" | tr '|' ' '
}

# MPI_Comm_dup, twice, is a collective of three ranks, too.
for try in 1 2 3; do
    found=$(watched)
    [ "$found" = "$((messages + 6)) $((messages + 12)) 0 0 0" ] ||
        fail "run $try: headers sent, taken, missing, ambiguous, dropped are $found"
done

# What two communicators have in one slot is overwritten now and then: but nothing is read that does not belong
# together, or counted twice.
read -r sent taken missing rest <<<"$(watched collectives)"
[ "$sent $((taken + missing)) $rest" = "$((collectives / 2 + 6)) $((collectives + 12)) 0 0" ] ||
    fail "collectives: headers sent, taken, missing, ambiguous, dropped are $sent $taken $missing $rest"
[ "$missing" -lt $((collectives / 2)) ] || fail "collectives: $missing of $collectives headers are missing"
