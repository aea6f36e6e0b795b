#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# receive_order.sh openmpi|mpich: messages come in an order that is known without monitoring. Where monitoring reverses
# it, weft counts that, at the right statements and as often as it is true; else it counts none. On a loaded machine a
# sender may lose its core for so long that the order is another one: what differs is tried again, and wrong is what
# differs each time.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
attempts=4
compile "$tmp/order" -g -O0 -Wall -Wno-misleading-indentation "$here/order.c"
cd "$tmp"

# The rows of the profile: line|num|changed, which are those of statements at `lines`.
rows()
{
    sql "$1" "SELECT e.line, o.num, o.changed FROM receive_order o JOIN event e ON e.id = o.event
              WHERE o.self_node = 0 AND e.line IN ($(cut -d'|' -f2 want | sort -un | paste -sd,)) ORDER BY e.line"
}

# differences CHANGED DELAY ARGUMENT...: what differs, one form a line
differences()
{
    local changed=$1 delay=$2
    shift 2
    WEFT_TEST_DELAY=$delay watch order.weft 4 ./order "$@" >out 2>err ||
        { cat out err; fail "order ended with status $?"; }
    sort -u out >want
    awk -F'|' -v OFS='|' -v changed="$changed" '{ print $2, $3, changed ? $4 : 0 }' want | sort -t'|' -n >expected
    rows order.weft >seen
    [ "$(sql order.weft "SELECT sum(undecided) + sum(decided) + sum(released) FROM receive_order")" = 0 ] ||
        fail "receives are called undecided, or decided"
    { diff expected seen || true; } | sed -n 's/^[<>] //p' | cut -d'|' -f1 | sort -u >wrong
}

# check NAME CHANGED DELAY ARGUMENT...
check()
{
    local name=$1 attempt
    shift
    for ((attempt = 1; attempt <= attempts; attempt++)); do
        differences "$@"
        [ $attempt = 1 ] || { comm -12 wrong always >both && mv both wrong; }
        mv wrong always
        [ -s always ] || return 0
    done
    cat want
    diff expected seen
    fail "$name with $MPI: wrong at the lines $(paste -sd' ' always)"
}

# The report should, or should not, have this.
says() { has -- "$1" <<<"$report" || fail "the report does not say: $1"; }
says_not() { ! has -- "$1" <<<"$report" || fail "the report says: $1"; }

check "not delayed" 0 ""
report=$("$WEFT" report --width 200 order.weft)
says "Monitoring has changed the order of none of"
says_not "! .*receives and probes"

check "delayed" 1 1:120000000
report=$("$WEFT" report --width 200 order.weft)
says "Without monitoring, .* receives and probes from any source .* would have taken another message"
says "! .*more than 1 % of the receives and probes from any source.*--keep-order"
says "MPI_Recv .*order.c:"
"$WEFT" report --json order.weft >report.json
if command -v jq >/dev/null; then
    [ "$(jq .receive_order.doubtful report.json)" = true ] || fail "the JSON does not warn"
    sum=$(sql order.weft "SELECT value FROM run WHERE key = 'order_changed'")
    [ "$(jq .receive_order.changed report.json)" = "$sum" ] || fail "the JSON has another sum than the run"
fi

check "delayed, with threads" 1 1:120000000 threads

# A sender that is not watched leaves no headers.
rm -f alone*.weft
limited "$MPIRUN" -n 1 "$WEFT" run --quiet -o "$tmp/alone.weft" ./order : -n 3 ./order >out 2>err ||
    { cat out err; fail "order with one watched rank ended with status $?"; }
sums=$(sql alone.weft "SELECT sum(num), sum(undecided), sum(changed), sum(num) > 50 FROM receive_order")
[[ $sums =~ ^([0-9]+)\|([0-9]+)\|0\|1$ && ${BASH_REMATCH[1]} = "${BASH_REMATCH[2]}" ]] ||
    fail "receives without headers: $sums"
