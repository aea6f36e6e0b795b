#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What watching adds to a message. Several jobs, because a job's luck with its memory and its cores stays with it: of each case the job
# in the middle is shown, and how far the jobs lie apart is in the details.
. "$(dirname "$0")/lib.sh"

jobs=$(repeat 5 1)
share=$(repeat 100 5)

bind_option()
{
    [ "$(nproc)" -ge 2 ] || return 0
    case $1 in
    ompi) echo --bind-to ;;
    mpich) echo -bind-to ;;
    esac
}

# Limits at 8 bytes, with the header that goes with each message: 200 ns for half a round trip, 250 ns for an allreduce. From 64 KiB on "no
# measurable change", which is here: at most 1 % of the plain time more than the floor, or a median that cannot be told from 0 (its 95 %
# interval begins below).
to_rows()
{
    jq -cs --arg mpi "$(mpi_name "$1")" '
        group_by(.name) | sort_by(.[0].order)[] |
        (map(.difference_ns.median) | sort) as $jobs |
        sort_by(.difference_ns.median) | .[(length - 1) / 2 | floor] |
        (.bytes >= 65536) as $large |
        (if $large then .plain_ns / 100 | round elif .bytes == 8 and (.name | test("half")) then 200
         elif .bytes == 8 and (.name | test("allreduce")) then 250 else null end) as $limit |
        {part: "latency", mpi: $mpi, name, unit: "ns", plain: .plain_ns, watched: .watched_ns,
         difference: .difference_ns.median, $limit,
         verdict: (if $limit == null then null
                   elif .difference_ns.median - (if $large then [.floor_ns.median, 0] | max else 0 end) <= $limit
                        or ($large and .difference_ns.low <= 0) then "ok" else "over" end),
         control: .control_ns.median, floor: .floor_ns.median,
         details: {difference_ns, control_ns, floor_ns, rounds, difference_ns_of_jobs: $jobs}}'
}

for mpi in $mpis; do
    for ((job = 0; job < jobs; job++)); do
        BIND=$(bind_option "$mpi") launch_watched "$mpi" 2 "$scratch/$mpi.$job" -- "$work/$mpi/latency" "$share"
    done | jq -c '. + {order: input_line_number}' >"$scratch/$mpi.jobs"
    [ -s "$scratch/$mpi.jobs" ] || fail "latency printed nothing under $(mpi_name "$mpi")"
    to_rows "$mpi" <"$scratch/$mpi.jobs"
done
