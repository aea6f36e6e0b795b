#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What watching costs whole programs: Debian's LAMMPS, where it is installed, and examples/heat.c, on two ranks, watched
# and not, in turns. The time is what the program itself says its work took: without what starting takes, which the part
# start is for.
. "$(dirname "$0")/lib.sh"

pairs=$(repeat 24 2)

# timed COMMAND...: prints seconds
timed()
{
    "$work/cost_of" "$scratch/cost" "$@" >"$scratch/out" 2>&1 </dev/null || fail "$*: $(tail -n 5 "$scratch/out")"
    sed -n 's/^Loop time of \([0-9.]*\) on.*/\1/p; s/^[0-9]* steps in \([0-9.]*\) s.*/\1/p' "$scratch/out" | grep . ||
        fail "$* does not tell its time"
}

# compare MPI NAME COMMAND...: the fastest quarter of the runs of each kind, of 2 s and in random order: short ones
# differ by more than there is to see. What else happens on the machine only makes runs longer, and often by more than
# what is to be measured; the fastest are those that it left alone. noise: the same of every other plain run against the
# rest.
compare()
{
    local mpi=$1 name=$2 pair p w
    shift 2
    local program=("$(mpi_run "$mpi")" -n 2 "$@")
    local watched=("$weft" run --quiet -o "$scratch/program.weft" -- "${program[@]}")
    timed "${program[@]}" >/dev/null
    timed "${watched[@]}" >/dev/null
    [ -s "$scratch/program.weft" ] || fail "weft run left no profile"
    for ((pair = 0; pair < pairs; pair++)); do
        if ((RANDOM % 2)); then
            p=$(timed "${program[@]}")
            w=$(timed "${watched[@]}")
        else
            w=$(timed "${watched[@]}")
            p=$(timed "${program[@]}")
        fi
        echo "$p $w"
    done >"$scratch/pairs"
    jq -cRs --arg mpi "$(mpi_name "$mpi")" --arg name "$name" '
        def median: sort | if length % 2 == 1 then .[(length - 1) / 2] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
        def fastest: sort | .[:(length + 3) / 4 | floor] | add / length;
        def every(n): to_entries | map(select(.key % 2 == n).value);
        [split("\n")[] | select(. != "") | split(" ") | map(tonumber)] as $pairs |
        ($pairs | map(.[1] / .[0]) | sort) as $ratios |
        ($pairs | map(.[0])) as $plain | ($pairs | map(.[1])) as $watched |
        (($watched | fastest) / ($plain | fastest)) as $ratio |
        {part: "programs", mpi: $mpi, name: "\($name), \($pairs | length) pairs, s", unit: "%",
         plain: ($plain | fastest), watched: ($watched | fastest), difference: (($ratio - 1) * 100),
         control: ((($plain | every(1) | fastest) / ($plain | every(0) | fastest) - 1) * 100),
         limit: 2, verdict: (if $ratio <= 1.02 then "ok" else "over" end),
         details: {$plain, $watched, median_of_ratios: ($ratios | median),
                   q1: $ratios[($ratios | length - 1) / 4 | round], q3: $ratios[($ratios | length - 1) * 3 / 4 | round],
                   lowest: $ratios[0], highest: $ratios[-1]}}' <"$scratch/pairs"
}

# LAMMPS is Open MPI's in Debian.
lammps()
{
    command -v lmp >/dev/null && ldd "$(command -v lmp)" | grep -q libmpi.so.40 || return 0
    sed 's/block 0 5 0 5 0 5/block 0 12 0 12 0 12/; s/^run .*/run 1200/; s/^thermo 10/thermo 100/' \
        "$(dirname "$0")/../tests/transparency/melt.lammps" >"$scratch/melt"
    compare ompi "LAMMPS, melt" lmp -in "$scratch/melt" -log none
}

for mpi in $mpis; do
    [ "$mpi" != ompi ] || lammps
    compare "$mpi" "heat" "$work/$mpi/heat" 2000 1000 1
done
