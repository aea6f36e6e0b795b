#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The collector: 1,024 generated segments of 500 statements with 8 partners each, merged into one profile.
. "$(dirname "$0")/lib.sh"

ranks=$(repeat 1024 32)
root=$(cd "$(dirname "$0")/.." && pwd)

# The tests' generator of segments; it needs no test framework, so it is built here whether the tests are or not.
generate=$work/generate_segments
cc -O2 -D_GNU_SOURCE -I"$root/src" -I"$root/include" "$root/tests/collect/generate_segments.c" \
    "$root/tests/collect/segment_builder.c" \
    "$build/src/format/libweft_format.a" -o "$generate"

mkdir "$scratch/run"
"$generate" "$scratch/run" "$ranks" 500 8
"$work/cost_of" "$scratch/cost" "$weft" collect --keep "$scratch/run" -o "$scratch/run.weft" >"$scratch/out" 2>&1 \
    </dev/null ||
    fail "weft collect: $(tail -n 5 "$scratch/out")"
coms=$(sqlite3 "$scratch/run.weft" 'SELECT count(*) FROM com')
[ "$coms" = $((ranks * 500 * 8)) ] || fail "weft collect: $((ranks * 500 * 8)) rows of com expected, found $coms"
details=$(jq -cn --argjson ranks "$ranks" --argjson coms "$coms" --argjson bytes "$(stat -c %s "$scratch/run.weft")" \
    '{$ranks, $coms, profile_bytes: $bytes}')
seconds=$(jq .seconds "$scratch/cost")
peak=$(jq '.peak_rss_kib / 1024' "$scratch/cost")
row collect - "collect $ranks ranks, time" s null "$seconds" "$seconds" 60 "$details"
row collect - "collect $ranks ranks, peak memory" MiB null "$peak" "$peak" 1024 "$details"
