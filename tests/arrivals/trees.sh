#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# trees.sh openmpi|mpich OPERATION: a rooted collective in which one rank is always late, of two sizes. The late rank
# has the path, although it is not the root; and what half of its work would save comes true, within 10 % of the run.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
operation=$2

cd "$tmp"
compile ./steps -g -O0 -Wall "$here/steps.c"

ms()
{
    launch 4 ./steps "$@" 2>err || { cat err >&2; fail "steps $* ended with status $?"; }
}

# Is it as it should be?
holds()
{
    local late=$1 ints=$2 share predicted whole half
    watch program.weft 4 ./steps "$operation" "$late" 40 "$ints" >/dev/null 2>err ||
        { cat err >&2; fail "steps ended with status $?"; }
    share=$(sql program.weft "SELECT sum(share_pct) FROM path_place WHERE first_rank = $late AND last_rank = $late")
    predicted=$(sql program.weft \
        "SELECT whatif_50_ns / 1e6 FROM path WHERE kind = 'stretch' AND name LIKE '%MPI_Send%'")
    whole=$(ms "$operation" "$late" 40 "$ints")
    half=$(ms "$operation" "$late" 20 "$ints")
    awk -v p="${predicted:-0}" -v w="$whole" -v h="$half" -v s="${share:-0}" \
        -v what="$operation of $ints, rank $late late" 'BEGIN {
        printf "%s: it has %.1f %% of the path; half its work: ", what, s
        printf "%.1f of %.1f ms predicted, %.1f saved\n", p, w, w - h
        off = w - h - p
        exit s < 90 || (off < 0 ? -off : off) > 0.1 * w
    }'
}

for late in 2 3; do
    for ints in 2 65536; do
        for ((attempt = 1; ; attempt++)); do
            calm $attempt
            ! holds $late $ints || break
            [ $attempt -lt $attempts ] || fail "$operation of $ints with $MPI, rank $late late"
        done
    done
done
