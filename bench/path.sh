#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Figures 6 and 7 of Hollingsworth: what the critical path costs a program of two processes that compute and exchange
# messages, by the number of regions that are followed, the messages a second and the part of computing. Unwatched and
# watched steps take turns inside each job (path.c).
. "$(dirname "$0")/lib.sh"

followed="0 1 4 8 32 64"
seconds=$(repeat 1.5 0.1)

# Where there is a limit, several: a job's luck with its memory and its cores stays with it.
jobs_at()
{
    if [ "$1" = 10000 ]; then repeat 3 1; else echo 1; fi
}

# program MPI ARGUMENTS...: words of the command, one a line
program()
{
    local mpi=$1 bind=()
    shift
    if [ "$(nproc)" -ge 2 ]; then
        case $mpi in
        ompi) bind=(--bind-to core) ;;
        mpich) bind=(-bind-to core) ;;
        esac
    fi
    printf '%s\n' "$(mpi_run "$mpi")" -n 2 "${bind[@]}" "$work/$mpi/path" "$@"
}

# job MPI HOW REGIONS ROUNDS BYTES: HOW is off or on
job()
{
    local mpi=$1 how=$2 regions=$3 command option
    shift 2
    option=--path-regions=$regions
    [ "$how" = on ] || option=--path=off
    mapfile -t command < <(program "$mpi" "$@" "$seconds")
    rm -f "$scratch/path.weft"
    "$weft" run --quiet $option -o "$scratch/path.weft" -- "${command[@]}" </dev/null ||
        fail "$option ${command[*]} did not run"
    # Without a path it would look cheap.
    if [ "$how" = on ]; then
        [ "$(sqlite3 -batch -bail "$scratch/path.weft" "SELECT count(*) FROM path")" -gt 0 ] ||
            fail "the profile has no path"
    fi
}

# jobs MPI MESSAGES PERCENT: one JSON object a job. The ways take turns here as well.
jobs()
{
    local mpi=$1 messages=$2 per_cent=$3 command amounts n regions
    mapfile -t command < <(program "$mpi" calibrate "$messages" "$per_cent")
    amounts=$("${command[@]}" </dev/null) || fail "path calibrate did not run"
    # shellcheck disable=SC2086
    for ((n = 0; n < $(jobs_at "$messages"); n++)); do
        job "$mpi" off 64 $amounts | jq -c '. + {how: "off"}'
        for regions in $followed; do
            job "$mpi" on "$regions" $amounts | jq -c --arg how "$regions" '. + {$how}'
        done
    done |
        jq -c --argjson messages "$messages" --argjson per_cent "$per_cent" --arg amounts "$amounts" \
            '. + {$messages, $per_cent, $amounts}'
}

# Of several jobs the one in the middle.
rows()
{
    jq -cs --arg mpi "$(mpi_name "$1")" '
        def thousands: tostring | if length > 3 then .[:-3] + "," + .[-3:] else . end;
        group_by([.messages, .per_cent]) |
        map({messages: .[0].messages, per_cent: .[0].per_cent, amounts: .[0].amounts,
             ways: (group_by(.how) |
                    map({key: .[0].how,
                         value: (sort_by(.slower) | . as $jobs |
                                 .[(length - 1) / 2 | floor] + {slower_of_jobs: ($jobs | map(.slower))})}) |
                    from_entries)} |
            . + {noise: (.ways | map(.noise) | max_by(fabs))}) as $all |
        ($all[] | select(.messages == 10000) | .ways."64" as $most |
            {part: "path", mpi: $mpi, name: "64 regions, 10,000 messages/s, \(.per_cent) %", unit: "%",
             plain: $most.plain_ns, watched: $most.watched_ns, difference: $most.slower, control: $most.noise, limit: 3,
             verdict: (if $most.slower <= 3 then "ok" else "over" end), details: .}),
        {part: "path", mpi: $mpi,
         title: ("% slower with so many regions followed, by messages a second and per cent of computing; " +
                 "and in the paper"),
         columns: ["", "no path", "0", "1", "4", "8", "32", "64", "noise"],
         lines: (($all | map(["\(.messages | thousands) messages/s, \(.per_cent) %"] +
                             (.ways | [.off, ."0", ."1", ."4", ."8", ."32", ."64"] | map(.slower)) + [.noise])) +
            [["paper, Ethernet, ~60 %", null, 3.4, 4.1, 4.4, 4.4, 5.8, null, null],
             ["paper, Ethernet, ~75 %", null, 1.9, 2.1, 2.2, 2.8, 3.6, null, null],
             ["paper, SP-2, 5 messages/s, 75 %", null, 0.3, 1.2, 1.1, 2.2, 9.5, null, null],
             ["paper, SP-2, 50 messages/s, 75 %", null, 0.0, 1.7, 2.7, 6.9, 23.5, null, null],
             ["paper, SP-2, 150 messages/s, 75 %", null, 0.3, 1.9, 6.2, 11.1, 48.4, null, null]]),
         details: $all}'
}

for mpi in $mpis; do
    for messages in 150 10000 100000; do
        for per_cent in 60 75; do
            jobs "$mpi" $messages $per_cent
        done
    done >"$scratch/$mpi.jobs"
    rows "$mpi" <"$scratch/$mpi.jobs"
done
