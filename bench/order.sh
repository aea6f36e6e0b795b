#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What it costs to record the order of receives, and to replay it: a master with one worker, each bound to a core where
# there are two, as a run without weft, one whose order is recorded and one that replays it, in turns. The bytes of an
# event are those of a recording of four ranks.
. "$(dirname "$0")/lib.sh"

rounds=$(repeat 21 2)
packets=$(repeat 100000 2000)

# packet WEFT-OPTIONS... -- MPI RANKS FORM: prints the ns of a packet; without options without weft
packet()
{
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    local command=("$(mpi_run "$1")" -n "$2" "$work/$1/order" "$packets" ${3:+"$3"})
    if [ ${#options[@]} -gt 0 ]; then
        command=("$weft" run --quiet --force -o "$scratch/order.weft" "${options[@]}" -- "${command[@]}")
    fi
    "${command[@]}" 2>"$scratch/err" </dev/null || fail "${command[*]}: $(cat "$scratch/err")"
}

# compare MPI FORM
compare()
{
    local mpi=$1 form=$2 round file=$scratch/order.ord
    local name="a packet of a master, ${form:-recv}"
    packet --no-profile --record-order "$file" -- "$mpi" 2 "$form" >/dev/null
    for ((round = 0; round < rounds; round++)); do
        echo "$(packet -- "$mpi" 2 "$form") $(packet --no-profile -- "$mpi" 2 "$form")" \
            "$(packet --no-profile --record-order "$scratch/again.ord" -- "$mpi" 2 "$form")" \
            "$(packet --no-profile --replay-order "$file" -- "$mpi" 2 "$form")" \
            "$(packet --path=off -- "$mpi" 2 "$form")" \
            "$(packet --path=off --record-order "$scratch/again.ord" -- "$mpi" 2 "$form")"
    done >"$scratch/rounds"
    difference "$mpi" "$name, paused weft" 1 2
    difference "$mpi" "$name, recorded alone" 1 3
    difference "$mpi" "$name, replayed alone" 1 4
    difference "$mpi" "$name, watched and recorded" 5 6
}

# difference MPI NAME COLUMN COLUMN: the median of the pairs
difference()
{
    local pairs plain with quartiles
    plain=$(cut -d' ' -f"$3" "$scratch/rounds" | median)
    with=$(cut -d' ' -f"$4" "$scratch/rounds" | median)
    pairs=$(awk -v a="$3" -v b="$4" '{printf "%.1f\n", $b - $a}' "$scratch/rounds")
    quartiles=$(jq -cs 'sort | {pairs: length, q1: .[(length - 1) / 4 | round], q3: .[(length - 1) * 3 / 4 | round]}' \
        <<<"$pairs")
    row order "$1" "$2" ns "$plain" "$with" "$(median <<<"$pairs")" null "$quartiles"
}

# size_of MPI FORM
size_of()
{
    local file=$scratch/size.ord bytes events
    packet --no-profile --record-order "$file" -- "$1" 4 "$2" >/dev/null
    bytes=$(stat -c %s "$file")
    events=$((packets + 3))
    row order "$1" "bytes of a packet's events, ${2:-recv}" B null \
        "$(awk -v b="$bytes" -v e="$events" 'BEGIN { printf "%.2f", b / e }')" null null "{\"bytes\": $bytes}"
}

for mpi in $mpis; do
    for form in "" some; do
        compare "$mpi" "$form"
        size_of "$mpi" "$form"
    done
done
