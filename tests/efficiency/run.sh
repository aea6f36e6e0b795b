#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh openmpi|mpich: the efficiencies of programs that work by sleeping. On a loaded machine a rank may wait for a
# core, so what is not right is tried again; but no efficiency is ever above 1.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
compile "$tmp/threads" -g -pthread -Wall "$here/threads.c"
compile "$tmp/libslow.so" -shared -fPIC -Wall "$here/slow_init.c"
compile "$tmp/late_start" -g -Wall "$here/late_start.c" "$tmp/libslow.so"
cd "$tmp"

# is NAME LEAST MOST: one efficiency of the last run.
is()
{
    local value
    value=$(sql run.weft "SELECT coalesce(value, reason) FROM efficiency WHERE name = '$1_efficiency' OR name = '$1'")
    # On a machine that is so loaded, it says so.
    [[ $value != "ranks had no core"* ]] || return 0
    awk -v v="$value" -v least="$2" -v most="$3" 'BEGIN { exit !(v != "" && v >= least && v <= most) }' ||
        wrong="$wrong; $1 is ${value:-NULL}, not $2 to $3"
}

# expect WORDS: EFFICIENCY LEAST MOST... -- PROGRAM ARGUMENT...
expect()
{
    local figures=() attempt at
    while [ "$1" != -- ]; do
        figures+=("$1")
        shift
    done
    shift
    for ((attempt = 1; attempt <= attempts; attempt++)); do
        calm $attempt
        wrong=""
        watch run.weft 2 "$@" || fail "$* ended with status $?"
        [ -z "$(sql run.weft "SELECT * FROM efficiency WHERE value > 1.000001")" ] ||
            fail "$* with $MPI: above 1: $(sql run.weft 'SELECT name, value FROM efficiency')"
        for ((at = 0; at < ${#figures[@]}; at += 3)); do
            is "${figures[@]:at:3}"
        done
        [ -n "$wrong" ] || return 0
    done
    fail "$* with $MPI$wrong"
}

for second in short long; do
    expect parallel 0.4 0.52 load_balance 0.45 0.55 serialisation 0.85 1 transfer 0.85 1 -- ./threads $second
done
# The first sentence says so: rank 1 works, rank 0 waits for it.
headline=$("$WEFT" report --json run.weft | sed -n 's/^"headline": //p')
case $headline in
*'"cause":"no core"'* | *'"cause":"waiting"'*'rank 1 computes longest'*) ;;
*) fail "$MPI: the first sentence is $headline" ;;
esac
expect load_balance 0.9 1 serialisation 0.65 0.85 transfer 0.95 1 -- ./late_start
