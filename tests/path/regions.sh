#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# regions.sh openmpi|mpich: which regions are followed. Of more than there is room for, those on the path are found during the run (many.c); or
# chosen, or none. And --path-weight: what is followed of them (burn.c); and from when (late_thread.c).
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_path.sh"
use_mpi "$1"
attempts=3
cd "$tmp"

# run PROGRAM OPTIONS ARGUMENT...
run()
{
    local name=$1 options=$2
    shift 2
    WEFT_OPTIONS=$options watch run.weft "$(ranks_of "$here/$name.c")" "./$name" "$@" >out 2>&1 || { cat out && fail "$name ended with status $?"; }
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
        'BEGIN { if (got == "none" || got + 0 < least || got + 0 > most) printf "%s|%s instead of %s to %s\n", what, got, least, most }' >>wrong
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

# Each of the three has a slot of its own in the end. Where the last search began, the path is told from.
many_are_searched()
{
    run many --path-regions=8 seconds=6.6
    is "region_17" "$(share region_17)" 42 55
    is "region_40" "$(share region_40)" 23 35
    is "region_58" "$(share region_58)" 14 26
    is "saved by region_17" "SELECT 100.0 * zeroing_ns / (SELECT value FROM run WHERE key = 'path_ns') FROM path WHERE name = 'region_17'" 40 55
    is "all of it" "SELECT sum(share_pct) FROM path" 99.9 100.1
    is "slots" "SELECT count(*) FROM path WHERE kind NOT IN ('other', 'transfer')" 3 8
    is "begin" "SELECT value / 1e9 FROM run WHERE key = 'path_from_ns'" 1.4 6.9
    is "notes" "SELECT count(*) FROM weft_note WHERE sentence LIKE 'The critical path covers only %'" 1 1
    # All others together have nearly nothing, and that is said.
    is "not followed" "SELECT share_pct FROM path WHERE kind = 'other'" 0.0001 5
    "$WEFT" report --path run.weft >report || fail "report: exit status $?"
    grep -Eq 'is computing in regions that are not tracked' report || { cat report && fail "the report does not say how much is not tracked"; }
}

some_are_chosen()
{
    run many '--path-select=region_4?,*_58 --path-regions=16' seconds=0.3
    is "region_40" "$(share region_40)" 23 35
    is "region_58" "$(share region_58)" 14 26
    is "not followed" "SELECT share_pct FROM path WHERE kind = 'other'" 40 55
    rows "what is chosen" region "region_40 region_41 region_42 region_43 region_44 region_45 region_46 region_47 region_48 region_49 region_58 "
    rows "no statements" statement ""
}

none_is_followed()
{
    run many --path-regions=0 seconds=0.3
    is "not followed" "SELECT share_pct FROM path WHERE kind = 'other'" 80 100
    is "rows" "SELECT count(*) FROM path WHERE kind NOT IN ('other', 'transfer')" 0 0
    is "length" "SELECT value / 1e6 - $took FROM run WHERE key = 'path_ns'" -5 100
}

all_are_one()
{
    run many --path-regions=1 seconds=0.3
    is "the bucket" "SELECT share_pct FROM path WHERE kind = 'bucket'" 95 100.1
    is "its regions" "SELECT regions FROM path WHERE kind = 'bucket'" 64 80
    is "notes" "SELECT count(*) FROM weft_note WHERE sentence LIKE 'On the critical path, % regions are shown in 1 group,%'" 1 1
}

# In ms: of CPU time what is burnt, and little in calls, whose waiting is none; of elapsed time what rank 1 rests.
weights_differ()
{
    run burn --path-weight=cpu
    is "burnt, cpu" "SELECT share_ns / 1e6 FROM path WHERE name = 'burn' AND kind = 'region'" 395 410
    is "rested, cpu" "SELECT share_ns / 1e6 FROM path WHERE name = 'rest' AND kind = 'region'" 0 5
    is "saved, cpu" "SELECT whatif_50_ns / 1e6 FROM path WHERE name = 'burn' AND kind = 'region'" 180 205
    is "length, cpu" "SELECT value / 1e6 FROM run WHERE key = 'path_ns'" 395 480
    is "rank 0, cpu" "SELECT share_pct FROM path_place WHERE first_rank = 0" 85 100
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
for case in ${2:-late_threads_start_with_the_others weights_differ some_are_chosen none_is_followed all_are_one many_are_searched}; do
    attempt "$case"
done
