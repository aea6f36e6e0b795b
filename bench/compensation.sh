#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Table 1 of Malony, Shende, Morris and Wolf: a master and its workers, unwatched, and watched at such a cost that they
# take 1.7 times as long, with each way of taking that cost out again. All ways in turns, several times; medians. See
# README.md on how the cost is made.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stages.sh"

rounds=$(repeat 7 1)

# Of each way and task, the median over the rounds of the time (workers: the mean of all) and of its ratio to the
# unwatched one of the same round.
summary()
{
    jq -cs '
        def median: sort | if length % 2 == 1 then .[(length - 1) / 2] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
        def mean: add / length;
        map(. + {task: (if .rank == 0 then "master" else "worker" end)}) |
        group_by([.round, .task, .how]) |
        map({round: .[0].round, task: .[0].task, how: .[0].how, wall: (map(.wall) | mean)}) |
        (map(select(.how == "plain")) | map({key: "\(.round) \(.task)", value: .wall}) | from_entries) as $plain |
        map(. + {ratio: (.wall / $plain["\(.round) \(.task)"])}) |
        group_by([.task, .how]) |
        map({task: .[0].task, how: .[0].how, ms: (map(.wall) | median), ratio: (map(.ratio) | median),
             spread: (map(.ratio) | sort | [.[0], .[-1]])}) |
        group_by(.task) | map({key: .[0].task, value: (map({key: .how, value: .}) | from_entries)}) | from_entries'
}

# rows MPI TITLE: a line for the table with a limit for each task, and all ways as a table of its own
rows()
{
    jq -c --arg mpi "$(mpi_name "$1")" --arg title "$2" '
        def paper: {master: [73.926, 128.179, 139.56, 73.926, null], worker: [73.834, 128.173, 73.212, 73.909, null]};
        def figures: [.plain.ms, ."virtual-raw".ms, .local.ms, .virtual.ms, .delay.ms];
        . as $all |
        ("master", "worker") as $task | $all[$task] |
        {part: "compensation", mpi: $mpi, name: "\($title), \($task)", unit: "%", plain: 100,
         watched: (.virtual.ratio * 100), difference: ((.virtual.ratio - 1) * 100), limit: 2,
         verdict: (if .virtual.ratio - 1 | fabs <= 0.02 then "ok" else "over" end), details: .},
        (if $task == "worker" then
            {part: "compensation", mpi: $mpi, title: "Time (ms) of a run that is \($title), and in the paper (s)",
             columns: ["", "unwatched", "no compensation", "local", "parallel", "delay model"],
             lines: [["master"] + ($all.master | figures), ["worker"] + ($all.worker | figures),
                     ["paper: master"] + paper.master, ["paper: worker"] + paper.worker]}
         else empty end)'
}

# compare MPI RANKS DELAY TITLE PLAIN_PROGRAM WATCHED_PROGRAM ARGUMENTS...
compare()
{
    local mpi=$1 ranks=$2 delay=$3 title=$4 plain=$5 watched=$6 round clock
    shift 6
    for ((round = 0; round < rounds; round++)); do
        {
            stages_plain "$mpi" "$ranks" plain "$plain" "$@"
            for clock in virtual local delay; do
                stages_watched "$mpi" "$ranks" $clock "$delay" $clock "$watched" "$@"
            done
        } | jq -c --argjson round $round '. + {$round}'
    done >"$scratch/samples"
    summary <"$scratch/samples" | rows "$mpi" "$title"
}

for mpi in $mpis; do
    program=$work/$mpi/montecarlo
    yield=() # as run.sh builds it
    [ "$mpi" != mpich ] || yield=("$(dirname "$0")/mpich_yield.c" "-Wl,--export-dynamic-symbol=ucp_worker_progress")
    compare "$mpi" 4 "$(delays 7500000 1 2 3)" "Monte-Carlo on 4, slow probes" "$program" "$program" 90 100 20000
    # Really computing, as many ranks as there are cores, and with the probes of weft cc in a procedure that takes no
    # longer than they do.
    if "$weft" cc --all --only lie_under "$(mpi_cc "$mpi")" -O2 -g -D_GNU_SOURCE "$(dirname "$0")/montecarlo.c" \
        "${yield[@]}" \
        -o "$program.probes" -lm 2>"$scratch/cc"; then
        WEFT_OPTIONS=--no-adaptive compare "$mpi" 2 "" "Monte-Carlo on 2, computing" "$program" "$program.probes" \
            400 20000 0
    fi
done
