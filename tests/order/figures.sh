#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# figures.sh openmpi|mpich: Figures 3 and 4 of Li and Zhang with --keep-order; and what is reported of a held receive.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
compile "$tmp/figures" -O1 -g -Wall "$here/figures.c"
cd "$tmp"
export WEFT_OPTIONS=--keep-order

# counts PROFILE SUMS
counts()
{
    sql "$1" "SELECT $2 FROM receive_order"
}

# right WORDS PROFILE SUMS COUNTS N COMMAND...: it says these words, and the profile has these counts, in one of a few
# attempts: on a loaded machine work that is sleep may take longer
right()
{
    local words=$1 profile=$2 sums=$3 wanted=$4 got found attempt
    shift 4
    for ((attempt = 1; attempt <= attempts; attempt++)); do
        calm $attempt
        got=$(watch "$profile" "$@" 2>err) || fail "$*: $got $(cat err)"
        found=$(counts "$profile" "$sums")
        [ "$got: $found" != "$words: $wanted" ] || return 0
        echo "$*: $got: $found"
    done
    fail "$*: '$got: $found', not '$words: $wanted'"
}

export WEFT_TEST_DELAY=0:70000000
right "0 2 0 2" three.weft "sum(decided), sum(otherwise) >= 1, sum(held_ns) > 20000000, sum(released)" "4|1|1|0" \
    3 ./figures 3
"$WEFT" report three.weft | has "decided 4 receives" || fail "the report does not say what was decided"
WEFT_OPTIONS="" watch plain.weft 3 ./figures 3 >plain
[ "$(cat plain)" != "0 2 0 2" ] || fail "figure 3: the order is the same without --keep-order"

right "0 3" four.weft "sum(decided), sum(released)" "2|0" 4 ./figures 4

# A limit of no time decides nothing.
WEFT_OPTIONS="--keep-order --hold=0" watch limit.weft 3 ./figures 3 >limit
[ "$(counts limit.weft 'sum(released) > 0')" = 1 ] || fail "--hold=0 has released nothing"

# All ranks on one core: it ends.
status=0
WEFT_TEST_DELAY=0:5000000 LIMIT=120 watch core.weft 4 taskset -c 0 ./figures 4 >core || status=$?
[ $status = 0 ] && [ -s core ] || fail "on one core: status $status, '$(cat core)'"

# Rank 1 only receives, for about 420 ms without monitoring. It is watched for at least 10 delays of 50 ms.
for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    WEFT_TEST_DELAY=0:50000000 watch late.weft 3 ./figures late >late
    result=$(sql late.weft "SELECT round(wall_ns / 1e6), round(wall_raw_ns / 1e6) FROM rank WHERE rank = 1")
    wait=$(sql late.weft "SELECT round(sum(w.time_ns) / 1e6) FROM wait w WHERE w.self_node = 1")
    echo "virtual and real wall time of rank 1, and its waiting, in ms: $result, $wait"
    awk -F'|' -v w="$wait" '{ exit !($1 > 380 && $1 < 560 && $2 > $1 + 250 && w > 0.8 * $1 && w <= 1.01 * $1) }' \
        <<<"$result" && exit 0
done
fail "the times of a receive that is held back are not those of the unwatched run: $result, $wait"
