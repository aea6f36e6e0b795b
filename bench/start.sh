#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Start plus finish of a program of 4 ranks, the collector included, with weft run and without, in turns.
. "$(dirname "$0")/lib.sh"

pairs=$(repeat 21 2)

# timed COMMAND...: prints seconds
timed()
{
    "$work/cost_of" "$scratch/cost" "$@" >"$scratch/out" 2>&1 </dev/null || fail "$*: $(tail -n 5 "$scratch/out")"
    jq .seconds "$scratch/cost"
}

for mpi in $mpis; do
    program=("$(mpi_run "$mpi")" -n 4 "$work/$mpi/start")
    watched=("$weft" run --quiet -o "$scratch/start.weft" -- "${program[@]}")
    timed "${program[@]}" >/dev/null
    timed "${watched[@]}" >/dev/null
    [ -s "$scratch/start.weft" ] || fail "weft run left no profile"
    for ((pair = 0; pair < pairs; pair++)); do
        if ((pair % 2)); then
            p=$(timed "${program[@]}")
            w=$(timed "${watched[@]}")
        else
            w=$(timed "${watched[@]}")
            p=$(timed "${program[@]}")
        fi
        echo "$p $w"
    done >"$scratch/pairs"
    plain=$(cut -d' ' -f1 "$scratch/pairs" | median)
    with=$(cut -d' ' -f2 "$scratch/pairs" | median)
    difference=$(awk '{printf "%.4f\n", $2 - $1}' "$scratch/pairs" | median)
    quartiles=$(awk '{printf "%.4f\n", $2 - $1}' "$scratch/pairs" |
        jq -cs 'sort | {pairs: length, q1: .[(length - 1) / 4 | round], q3: .[(length - 1) * 3 / 4 | round]}')
    row start "$mpi" "start and finish of 4 ranks" s "$plain" "$with" "$difference" 0.3 "$quartiles"
done
