#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What watching adds to a message. Several jobs, because a job's luck with its memory and its cores stays with it: of
# each case the job in the middle is shown, and how far the jobs lie apart is in the details.
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

# Each case twice: with headers and the virtual clock alone (--path=off), which the limits are for; and with the
# critical path, as weft runs by default. Limits at 8 bytes, with the header that goes with each message: 200 ns for
# half a round trip, 250 ns for an allreduce. From 64 KiB on "nothing measurable", which is here: less than the plain
# times of two jobs differ, which is what a user who runs a program with and without weft would have to tell it from;
# the mean over all pairs of jobs.
to_rows()
{
    jq -cs --arg mpi "$(mpi_name "$1")" --arg path "$2" '
        group_by(.name) | sort_by(.[0].order)[] |
        (map(.difference_ns.median) | sort) as $jobs |
        length as $count |
        (map(.plain_ns) | [combinations(2)] | map(.[0] - .[1] | fabs) | add) as $apart_in_all |
        ($apart_in_all / ([$count * ($count - 1), 1] | max)) as $apart |
        sort_by(.difference_ns.median) | .[(length - 1) / 2 | floor] |
        (.bytes >= 65536) as $large |
        (if $path == "on" then null elif $large then $apart | round elif .bytes == 8 and (.name | test("half")) then 200
         elif .bytes == 8 and (.name | test("allreduce")) then 250 else null end) as $limit |
        {part: "latency", mpi: $mpi, name: (.name + if $path == "on" then ", with the critical path" else "" end),
         unit: "ns", plain: .plain_ns, watched: .watched_ns, difference: .difference_ns.median, $limit,
         verdict: (if $limit == null then null
                   elif .difference_ns.median <= $limit or ($large and .difference_ns.low <= 0) then "ok"
                   else "over" end),
         control: .control_ns.median, floor: .floor_ns.median,
         details: {difference_ns, control_ns, floor_ns, rounds, difference_ns_of_jobs: $jobs}}'
}

# jobs_of MPI off|on
jobs_of()
{
    local mpi=$1 job
    for ((job = 0; job < jobs; job++)); do
        WEFT_PATH=$2 BIND=$(bind_option "$mpi") launch_watched "$mpi" 2 "$scratch/$mpi.$2.$job" -- \
            "$work/$mpi/latency" "$share"
    done | jq -c '. + {order: input_line_number}' >"$scratch/$mpi.jobs"
    [ -s "$scratch/$mpi.jobs" ] || fail "latency printed nothing under $(mpi_name "$mpi")"
    to_rows "$mpi" "$2" <"$scratch/$mpi.jobs"
}

for mpi in $mpis; do
    jobs_of "$mpi" off
    jobs_of "$mpi" on
done
