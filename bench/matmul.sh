#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Section 5.3.6 of Li and Zhang: a matrix multiplication by a master and its workers; the times of its stages, unwatched
# and from weft, with probes that are slowed down more and more. In turns, several times; medians. Noise is a second
# unwatched run against the first. There the largest difference of any stage was 3.6 %, and between 1.8 and 12 % with
# delays in the monitor.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/stages.sh"

rounds=$(repeat 15 1)

# rows MPI: what the limit is for: the largest difference, in per cent, of any stage that is at least a twentieth of the
# run
rows()
{
    jq -cs --arg mpi "$(mpi_name "$1")" '
        def median: sort | if length % 2 == 1 then .[(length - 1) / 2] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
        def mean: add / length;
        def stages: if .rank == 0 then
                        {"master: compute": (.wall - .sending - .receiving), "master: distribute": .sending,
                         "master: collect": .receiving, "master: all": .wall}
                    else
                        {"worker: receive": .receiving, "worker: compute": (.wall - .sending - .receiving),
                         "worker: return": .sending, "worker: all": .wall}
                    end | to_entries[];
        def percent: (. * 1000 | round) / 10;
        map({round, how, stage: stages}) | map({round, how, stage: .stage.key, ms: .stage.value}) |
        group_by([.round, .how, .stage]) |
        map({round: .[0].round, how: .[0].how, stage: .[0].stage, ms: (map(.ms) | mean)}) |
        (map(select(.how == "plain")) | map({key: "\(.round) \(.stage)", value: .ms}) | from_entries) as $plain |
        map(. + {ratio: (.ms / ([$plain["\(.round) \(.stage)"], 1e-6] | max))}) |
        group_by([.stage, .how]) |
        map({stage: .[0].stage, how: .[0].how, ms: (map(.ms) | median), ratio: (map(.ratio) | median)}) as $all |
        ($all | map(select(.how == "plain")) | map({key: .stage, value: .ms}) | from_entries) as $unwatched |
        ($all | map(select(.how | test("raw|plain|again") | not) | .how) | unique | sort_by(tonumber)) as $delays |
        def one($how; $stage): $all[] | select(.how == $how and .stage == $stage);
        ($delays[] as $delay |
            [$all[] | select(.how == $delay) | select($unwatched[.stage] * 20 >= $unwatched["master: all"])] |
                max_by(.ratio - 1 | fabs) |
            .stage as $stage | {control: ((one("again"; $stage) | .ratio - 1) * 100)} +
            {part: "matmul", mpi: $mpi, name: "stages, probes + \($delay) us: \(.stage)", unit: "%", plain: 100,
             watched: (.ratio * 100), difference: ((.ratio - 1) * 100), limit: 3.6,
             verdict: (if .ratio - 1 | fabs <= 0.036 then "ok" else "over" end), details: .}),
        {part: "matmul", mpi: $mpi,
         title: ("Stages of a matrix multiplication on 3: unwatched in ms; by weft and in fact, with slower probes, " +
                 "in % of it"),
         columns: (["", "unwatched", "again"] + [$delays[] | "+ \(.) us", "really"]),
         lines: [$unwatched | keys[] as $stage |
                 [$stage, $unwatched[$stage], (one("again"; $stage) | .ratio | percent)] +
                 [$delays[] as $delay | one($delay; $stage), one("\($delay)-raw"; $stage) | .ratio | percent]]}'
}

for mpi in $mpis; do
    program=("$work/$mpi/matmul" 48 4000)
    for ((round = 0; round < rounds; round++)); do
        {
            stages_plain "$mpi" 3 plain "${program[@]}"
            for us in 0 1 10 100; do
                stages_watched "$mpi" 3 virtual "$(delays ${us}000 0 1 2)" $us "${program[@]}"
            done
            stages_plain "$mpi" 3 again "${program[@]}"
        } | jq -c --argjson round $round '. + {$round}'
    done >"$scratch/samples"
    rows "$mpi" <"$scratch/samples"
done
