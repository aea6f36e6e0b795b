#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The memory of rank 0 of a program with 200 communication statements and 64 partners at each. Counted is what the
# process has because it is watched: its own written pages (against a run without weft) and the pages of its segment.
# The libraries' unwritten pages are shared by all processes of a host; they are in the details.
. "$(dirname "$0")/lib.sh"

pairs=$(repeat 3 1)
export OMPI_MCA_mpi_yield_when_idle=1

for mpi in $mpis; do
    for ((pair = 0; pair < pairs; pair++)); do
        launch "$mpi" 65 -- "$work/$mpi/memory" >>"$scratch/$mpi.plain"
        launch_watched "$mpi" 65 "$scratch/$mpi.$pair" -- "$work/$mpi/memory" >>"$scratch/$mpi.watched"
    done
    held=$("$work/segment" "$scratch/$mpi.0"/*.seg | jq -c 'select(.rank == 0)')
    jq -e '.sites >= 200 and .coms >= 12800 and .dropped == 0' <<<"$held" >/dev/null ||
        fail "memory: 200 statements with 64 partners expected, found $held"
    plain=$(jq .private_kib "$scratch/$mpi.plain" | median)
    watched=$(jq '.private_kib + .segment_kib' "$scratch/$mpi.watched" | median)
    details=$(jq -cs --argjson plain "$plain" --argjson held "$held" '
        {private_kib: (map(.private_kib) | sort | .[(length - 1) / 2 | floor] - $plain), segment_kib: .[0].segment_kib,
         shared_library_kib: .[0].library_kib, segment: $held}' "$scratch/$mpi.watched")
    difference=$(jq -n "$watched - $plain")
    row memory "$mpi" "memory, 200 statements x 64 partners" KiB "$plain" "$watched" "$difference" 1024 "$details"
done
