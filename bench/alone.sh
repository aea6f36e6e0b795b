#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What one watched call costs when nothing hides it: weft around MPI functions that do nothing, in one process. The
# steadiest of all figures here, and the one to look at after a change. Beside it, what weft itself believes (it takes
# that out of its results), and, where valgrind is installed, the instructions.
. "$(dirname "$0")/lib.sh"

# empty MPI -- COMMAND: in one process without a launcher
empty()
{
    local mpi=$1
    shift 2
    LD_PRELOAD="$preload $work/$mpi/libempty_mpi.so" WEFT_DIR="$scratch/$mpi.empty" "$@" </dev/null
}

times()
{
    local mpi=$1
    empty "$mpi" -- "$work/$mpi/latency" "$(repeat 100 5)" | jq -c --arg mpi "$(mpi_name "$mpi")" '
        {"8 B half round trip": "Send or Recv alone, a call", "8 B allreduce": "allreduce alone, a call",
         "nonblocking halo, a call": "Isend/Irecv/Waitall alone, a call"}[.name] as $name | select($name) |
        {part: "alone", mpi: $mpi, name: $name, unit: "ns", plain: .plain_ns, watched: .watched_ns,
         difference: .difference_ns.median, limit: null, verdict: null, control: .control_ns.median,
         floor: .floor_ns.median, details: {difference_ns, control_ns, floor_ns}}'
}

# What weft's own calibration says, which every segment holds.
probe_ns()
{
    mkdir -p "$scratch/$1.empty"
    empty "$1" -- "$work/$1/start"
    "$work/segment" "$scratch/$1.empty"/*.seg | jq .probe_ns
}

# instructions MPI PRELOADED: of one pair of calls; two runs of different length cancel what starting takes
instructions()
{
    local n total=()
    for n in 10000 20000; do
        rm -rf "$scratch/$1.counted" && mkdir "$scratch/$1.counted" &&
            LD_PRELOAD=$2 WEFT_DIR=$scratch/$1.counted valgrind --tool=callgrind --callgrind-out-file=/dev/null \
                "$work/$1/calls" $n \
            >"$scratch/callgrind" 2>&1 </dev/null || fail "valgrind: $(tail -n 3 "$scratch/callgrind")"
        total+=("$(sed -n 's/.*Collected : //p' "$scratch/callgrind")")
    done
    echo $(((total[1] - total[0] + 5000) / 10000))
}

for mpi in $mpis; do
    probe=$(probe_ns "$mpi")
    times "$mpi"
    row alone "$mpi" "what weft takes a call to cost" ns null "$probe" "$probe" null
    if command -v valgrind >/dev/null; then
        plain=$(instructions "$mpi" "$work/$mpi/libempty_mpi.so")
        watched=$(instructions "$mpi" "$preload $work/$mpi/libempty_mpi.so")
        row alone "$mpi" "Send and Recv alone, instructions" "" "$plain" "$watched" $((watched - plain)) null
    fi
done
