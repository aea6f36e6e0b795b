#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The critical path between hosts: what others need to know of it goes along with the headers, and regions that each
# host has numbered for itself are the same ones in the end.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
SECONDS_A=1000 SECONDS_B=7000
. "$(dirname "$0")/lib_hosts.sh"
compile path -g -O1 "$here/path.c"
limited "$MPIRUN" "${hosts[@]}" -n 4 ./path </dev/null >out 2>err ||
    skip "$MPI does not run over namespaces here: $(head -n 3 err)"
pass LD_PRELOAD="$(realpath "$(dirname "$WEFT")/../lib/weft/libweft.so")" WEFT_DIR="$tmp/run"

line()
{
    grep -n "@$1" "$here/path.c" | cut -d: -f1
}

ask()
{
    sqlite3 -batch -readonly run.weft "$1"
}

# NAME FOUND LEAST MOST
within()
{
    awk -v x="${2:-none}" -v least="$3" -v most="$4" 'BEGIN { exit !(x != "none" && x >= least && x <= most) }' ||
        echo "$1: ${2:-nothing}, not $3 to $4" >>wrong
}

# On a loaded machine a rank may wake up late, so what is wrong is tried again.
for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    rm -rf run run.weft wrong && mkdir run && : >wrong
    limited "$MPIRUN" "${hosts[@]}" "${passed[@]}" -n 4 ./path </dev/null >out 2>err || fail "status $?: $(cat err)"
    "$WEFT" collect run -o run.weft >out 2>&1 || { cat out && fail "no profile"; }
    # 3 rounds of 4 x 40 ms, one behind another.
    within "length of the path in ms" "$(ask "SELECT value / 1e6 FROM run WHERE key = 'path_ns'")" 475 560
    within "share of what rank 0 does, in ms" "$(ask "SELECT share_ns / 1e6 FROM path WHERE kind = 'stretch'
        AND line = $(line first)")" 115 150
    within "share of what the others do" "$(ask "SELECT share_ns / 1e6 FROM path WHERE kind = 'stretch'
        AND line = $(line next)")" 350 420
    within "what that would save" "$(ask "SELECT zeroing_ns / 1e6 FROM path WHERE kind = 'stretch'
        AND line = $(line next)")" 340 420
    for rank in 0 1 2 3; do
        within "share of rank $rank" "$(ask "SELECT share_ns / 1e6 FROM path_place WHERE first_rank = $rank")" 110 160
        within "arrivals at rank $rank" "$(ask "SELECT arrivals FROM path_place WHERE first_rank = $rank")" 2 5
    done
    within "lost parts" "$(ask "SELECT value FROM run WHERE key = 'path_lost'")" 0 2
    [ -s wrong ] || exit 0
done
cat wrong
ask "SELECT kind, name, line, share_ns / 1e6, zeroing_ns / 1e6 FROM path ORDER BY share_ns DESC LIMIT 8"
fail "the path between hosts is not the known one"
