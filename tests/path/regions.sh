#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# regions.sh openmpi|mpich: which regions are followed. Of more than there is room for, those on the path are followed
# wherever and whenever they appear (many.c, crowd.c); or they are chosen, or none. And --path-weight: what is followed
# of them (burn.c); and from when (late_thread.c).
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_path.sh"
use_mpi "$1"
cd "$tmp"

# What is on no path: little, but where other programs take the cores.
idle="SELECT sum(polling_ns + no_core_ns + unexplained_ns) FROM rank"

# run PROGRAM OPTIONS ARGUMENT...
run()
{
    local name=$1 options=$2
    shift 2
    WEFT_OPTIONS=$options watch run.weft "$(ranks_of "$here/$name.c")" "./$name" "$@" >out 2>&1 || { cat out &&
        fail "$name ended with status $?"; }
    took=$(awk 'NF == 2 { print $1 }' out)
    late=$(awk 'NF == 2 { print $2 }' out)
    [ -n "$late" ] || { cat out && fail "$name has not told its lateness"; }
}

# is WHAT QUERY LEAST MOST: a difference is written down
is()
{
    local got
    got=$(sql run.weft "$2")
    awk -v what="$1" -v got="${got:-none}" -v least="$3" -v most="$4" \
        'BEGIN { if (got == "none" || got + 0 < least || got + 0 > most)
                     printf "%s|%s instead of %s to %s\n", what, got, least, most }' >>wrong
}

# rows WHAT KIND EXPECTED
rows()
{
    local got
    got=$(sql run.weft "SELECT name FROM path WHERE kind = '$2' ORDER BY name" | tr '\n' ' ')
    [ "$got" = "$3" ] || echo "$1|rows of kind $2: $got" >>wrong
}

share()
{
    echo "SELECT share_pct FROM path WHERE kind = 'region' AND regions = 1 AND name = '$1'"
}

# Those with the path have slots in the end, and all of the run is on the path.
many_are_followed()
{
    run many --path-regions=8 seconds=2
    is "region_17" "$(share region_17)" 42 55
    is "region_40" "$(share region_40)" 23 35
    is "region_58" "$(share region_58)" 14 26
    is "saved by region_17" "SELECT 100.0 * zeroing_ns / (SELECT value FROM run WHERE key = 'path_ns') FROM path
        WHERE name = 'region_17'" 40 55
    is "all of it" "SELECT sum(share_pct) FROM path" 99.9 100.1
    is "savings" "SELECT count(zeroing_ns) FROM path WHERE kind NOT IN ('other', 'transfer')" 3 8
    is "begin" "SELECT value / 1e9 FROM run WHERE key = 'path_from_ns'" 0 0.1
    is "notes" "SELECT count(*) FROM weft_note WHERE sentence LIKE '%critical path%'" 0 0
    is "main" "SELECT max(all_share_ns) / (SELECT value + 0.0 FROM run WHERE key = 'path_ns') FROM path" 0.1 1
}

# crowd STATEMENTS ROUNDS MS SLOTS: every stretch with more than 2 % of the path is named with its share, whenever it
# comes; and all shares are the run.
crowd()
{
    local n=$1 rounds=$2 ms=$3 slots=$4 line ns path
    WEFT_OPTIONS=--path-regions=$slots watch run.weft 2 "./crowd_$n" "$rounds" "$ms" >out 2>&1 || { cat out &&
        fail "crowd_$n ended with status $?"; }
    is "$n regions, $slots slots: covered" "SELECT 100.0 * (value + ($idle)) / (SELECT value FROM run
        WHERE key = 'wall_ns') FROM run WHERE key = 'path_ns'" 99 1000
    is "$n regions, $slots slots: not more than the run" "SELECT 100.0 * value / (SELECT value FROM run
        WHERE key = 'wall_ns') FROM run WHERE key = 'path_ns'" 0 100.1
    is "$n regions, $slots slots: sum" "SELECT sum(share_pct) FROM path" 99.99 100.01
    is "$n regions, $slots slots: most" "SELECT max(max(share_pct), max(100.0 * all_share_ns /
        (SELECT value FROM run WHERE key = 'path_ns'))) FROM path" 2 100
    path=$(sql run.weft "SELECT value FROM run WHERE key = 'path_ns'")
    while read -r line ns; do
        awk -v ns="$ns" -v path="$path" 'BEGIN { exit !(ns / path > 0.02) }' || continue
        is "$n regions, $slots slots: line $line" "SELECT share_pct - 100.0 * $ns / $path FROM path
            WHERE kind = 'stretch' AND line = $line" -2 2
    done <out
}

crowd_of()
{
    awk -v n="$1" -f "$here/crowd.awk" >"crowd_$1.c"
    compile "./crowd_$1" -g -O0 -I"$here" "crowd_$1.c" "$here/crowd.c"
    crowd "$1" "$2" "$3" 8
    crowd "$1" "$2" "$3" 64
}

crowds_of_any_size()
{
    crowd_of 10 10 10
    crowd_of 100 10 10
    crowd_of 1000 5 30
    crowd_of 10000 1 200
}

some_are_chosen()
{
    run many '--path-select=region_4?,*_58 --path-regions=16' seconds=0.3
    is "region_40" "$(share region_40)" 23 35
    is "region_58" "$(share region_58)" 14 26
    is "not followed" "SELECT share_pct FROM path WHERE kind = 'other'" 40 55
    rows "what is chosen" region "$(printf 'region_%d ' {40..49} 58)"
    rows "no statements" statement ""
}

none_is_followed()
{
    run many --path-regions=0 seconds=0.3
    is "not followed" "SELECT share_pct FROM path WHERE kind = 'other'" 80 100
    is "rows" "SELECT count(*) FROM path WHERE kind NOT IN ('other', 'transfer')
                AND name <> 'before the first MPI call'" 0 0
    is "length" "SELECT value / 1e6 - $took FROM run WHERE key = 'path_ns'" -1000 100
    is "length, with what is on no path" "SELECT (value + ($idle)) / 1e6 - $took FROM run WHERE key = 'path_ns'" -5 1000
}

one_is_followed()
{
    run many --path-regions=1 seconds=1
    is "region_17, alone" "$(share region_17)" 42 55
    is "region_40, without a slot" "$(share region_40)" 23 35
    is "savings, alone" "SELECT count(zeroing_ns) FROM path WHERE kind NOT IN ('other', 'transfer')" 1 1
}

# In ms: of CPU time what is burnt, and little in calls, whose waiting is none; of elapsed time what rank 1 rests.
weights_differ()
{
    run burn --path-weight=cpu
    is "burnt, cpu" "SELECT share_ns / 1e6 FROM path WHERE name = 'burn' AND kind = 'region'" 395 410
    is "rested, cpu" "SELECT share_ns / 1e6 FROM path WHERE name = 'rest' AND kind = 'region'" 0 5
    is "saved, cpu" "SELECT whatif_50_ns / 1e6 FROM path WHERE name = 'burn' AND kind = 'region'" 180 205
    is "length, cpu" "SELECT value / 1e6 FROM run WHERE key = 'path_ns'" 395 480
    is "rank 0, cpu" "SELECT share_pct FROM path_place WHERE first_rank = 0" 85 100.1
    run burn --path-weight=elapsed
    is "burnt, elapsed" "SELECT share_ns / 1e6 FROM path WHERE name = 'burn' AND kind = 'region'" 0 0
    is "rested, elapsed" "SELECT share_ns / 1e6 FROM path WHERE name = 'rest' AND kind = 'region'" \
        895 "$(awk -v late="$late" 'BEGIN { print 905 + late }')"
}

# A thread that comes when the path has been started anew starts there, too.
late_threads_start_with_the_others()
{
    WEFT_OPTIONS='' watch run.weft 2 ./late_thread >out 2>&1 || { cat out && fail "late_thread ended with status $?"; }
    is "length, late thread" "SELECT value / 1e6 FROM run WHERE key = 'path_ns'" 99 600
    is "begin, late thread" "SELECT value / 1e6 FROM run WHERE key = 'path_from_ns'" 700 2000
}

build_depth ./many "$here/many.c" hand
build_depth ./burn "$here/burn.c" hand
compile ./late_thread -g -O0 -Wall -Wextra -pthread "$here/late_thread.c"
all="late_threads_start_with_the_others weights_differ some_are_chosen none_is_followed one_is_followed
    many_are_followed crowds_of_any_size"
for case in ${2:-$all}; do
    attempt "$case"
done
