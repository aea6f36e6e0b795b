#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What the probes of weft cc cost: a pair of them with and without weft in the process, and a compute-bound program
# built with weft cc and run under weft.
. "$(dirname "$0")/lib.sh"
here=$(cd "$(dirname "$0")" && pwd)
export WEFT_ADAPTIVE=0

cc -O2 -g -I"$here/../include" "$here/probe.c" -o "$work/probe" || fail "probe.c does not compile"
directory=$scratch/probe
mkdir -p "$directory"

watched_probe()
{
    rm -f "$directory"/*.seg
    LD_PRELOAD=$preload WEFT_DIR=$directory "$@"
}

pairs=$(repeat 9 3)
inactive=$(for _ in $(seq "$pairs"); do "$work/probe"; done | median)
active=$(for _ in $(seq "$pairs"); do watched_probe "$work/probe"; done | median)
row probes - "a probe pair, weft not there" ns 0 "$inactive" "$inactive" 2
row probes - "a probe pair, watched" ns 0 "$active" "$active" 30

# instructions MODE: of one call; two runs of different length cancel what starting takes
instructions()
{
    local n total=()
    for n in 10000 20000; do
        watched_probe valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/probe" "$1" $n \
            >"$scratch/callgrind" 2>&1 ||
            fail "valgrind: $(tail -n 3 "$scratch/callgrind")"
        total+=("$(sed -n 's/.*Collected : //p' "$scratch/callgrind")")
    done
    echo $(((total[1] - total[0] + 5000) / 10000))
}

if command -v valgrind >/dev/null; then
    plain=$(instructions p)
    probed=$(instructions q)
    row probes - "a probe pair, instructions" "" "$plain" "$probed" $((probed - plain)) 50
fi
unset WEFT_ADAPTIVE

# A compute-bound program with default filtering, interleaved with the same program without weft.
(cd "$here" && cc -O2 -g compute.c -o "$work/compute" -lm &&
    "$weft" cc cc -O2 -g compute.c -o "$work/compute.weft" -lm) || fail "compute.c does not compile"
steps=$(repeat 300 30)
: >"$scratch/compute"
for _ in $(seq "$(repeat 11 3)"); do
    plain=$("$work/compute" "$steps" 2>/dev/null)
    watched=$(cd "$scratch" && "$weft" run -q -o compute.prof "$work/compute.weft" "$steps" 2>/dev/null)
    echo "$plain $watched" >>"$scratch/compute"
done
plain=$(awk '{print $1}' "$scratch/compute" | median)
watched=$(awk '{print $2}' "$scratch/compute" | median)
percent=$(awk '{print 100 * ($2 - $1) / $1}' "$scratch/compute" | median)
row probes - "a compute-bound program, built and watched" s "$plain" "$watched" "$(jq -n "$watched - $plain")" null
row probes - "the same, in per cent" % 0 "$percent" "$percent" 3
