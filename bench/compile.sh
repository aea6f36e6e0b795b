#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What weft cc adds to compiling: processor time of the compiler and of weft cc, in turns, for an example, for some of
# weft's own sources, and for all of these together, as a build would compile them. Processor time, because wall time
# depends on what else the cores have to do; the details have both.
. "$(dirname "$0")/lib.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

# compile COMPILER FLAG... FILE: rows of "PLAIN_CPU WATCHED_CPU PLAIN_WALL WATCHED_WALL" into $scratch/turns, and the
# medians into $scratch/all
compile()
{
    "$weft" cc "$@" -o "$scratch/b.o" || fail "weft cc $*"
    : >"$scratch/turns"
    for _ in $(seq "$(repeat 7 2)"); do
        "$work/cost_of" "$scratch/a.json" "$@" -o "$scratch/a.o" || fail "$*"
        "$work/cost_of" "$scratch/b.json" "$weft" cc "$@" -o "$scratch/b.o" || fail "weft cc $*"
        jq -s '[.[].cpu_seconds] + [.[].seconds] | join(" ")' -r "$scratch/a.json" "$scratch/b.json" >>"$scratch/turns"
    done
    for column in 1 2 3 4; do
        awk -v column=$column '{ print $column }' "$scratch/turns" | median
    done | paste -sd' ' | tee -a "$scratch/all" >"$scratch/medians"
}

# ratio_row MPI NAME: of the medians
ratio_row()
{
    local plain watched plain_wall watched_wall
    read -r plain watched plain_wall watched_wall <"$scratch/medians"
    row compile "$1" "$2" s "$plain" "$watched" "$(jq -n "$watched - $plain")" "$plain" \
        "$(jq -cn "{ratio: ($watched / $plain), plain_wall: $plain_wall, watched_wall: $watched_wall,
            wall_ratio: ($watched_wall / $plain_wall)}")"
}

: >"$scratch/all"
for mpi in $mpis; do
    compile "$(mpi_cc "$mpi")" -w -O2 -c examples/heat.c
    ratio_row "$mpi" "examples/heat.c"
done
for file in src/collect/merged_events.c src/collect/segment_reader.c src/present/*.c src/analyse/*.c src/cli/command.c \
    src/instrument/command_line.c; do
    cc -w -O2 -Isrc -Iinclude -c "$file" -o "$scratch/a.o" 2>/dev/null || continue # it needs more than the compiler
    compile cc -w -O2 -Isrc -Iinclude -c "$file"
    case $file in src/collect/* | src/cli/* | src/instrument/*) ratio_row - "$file" ;; esac
done
awk '{ for (i = 1; i <= 4; i++) sum[i] += $i } END { print sum[1], sum[2], sum[3], sum[4] }' "$scratch/all" \
    >"$scratch/medians"
ratio_row - "all $(wc -l <"$scratch/all") files"
