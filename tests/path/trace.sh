#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# trace.sh openmpi|mpich OFFLINE: the path of real programs, on line against off line: every process writes down its
# events (WEFT_TEST_TRACE), and offline.c has to find from them what each thread found on line, to the tick. Then the
# profile has to show the same.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_path.sh"
use_mpi "$1"
offline=$2
cd "$tmp"

# A row of the profile is a slot, or two copies of a statement of which the compiler has made several; which, is not
# written down. So each row's figures must be those of some slot, or of two.
compare_profile()
{
    sql run.weft "SELECT printf('%.4f %.4f', share_pct, 100.0 * zeroing_ns /
        (SELECT value FROM run WHERE key = 'path_ns')) FROM path" >rows
    [ -s rows ] || fail "$*: the profile has no path"
    awk 'BEGIN { n = 0 }
         FNR == NR { if ($1 == "slot") { share[n] = $3; saved[n++] = $4 } next }
         { found = 0
           for (i = 0; i < n; i++) {
               found = found || (($1 - share[i]) ^ 2 < 1e-4 && ($2 - saved[i]) ^ 2 < 1e-4)
               for (k = 0; k < i; k++)
                   found = found || (($1 - share[i] - share[k]) ^ 2 < 1e-4 && ($2 - saved[i] - saved[k]) ^ 2 < 1e-4)
           }
           if (!found) { print "no slot has a share of " $1 " % and saves " $2 " %"; wrong = 1 } }
         END { exit wrong }' out rows || fail "$*: the profile says something else"
}

# Every region has a slot of its own, unless a test says how many there are.
slots=100

# traced THREADS_A_RANK RANKS PROGRAM...
traced()
{
    local threads=$1 ranks=$2 files
    local WEFT_OPTIONS="--path-regions=$slots ${WEFT_OPTIONS-}"
    shift
    rm -rf traces
    mkdir traces
    WEFT_TEST_TRACE=$tmp/traces watch run.weft "$@" >out 2>&1 || { cat out && fail "$* ended with status $?"; }
    files=$(find traces -type f | wc -l)
    [ "$files" = $((ranks * threads)) ] || fail "$*: $files traces"
    limited "$offline" --figures traces/* >out 2>&1 || { cat out && fail "$*: on line is not off line"; }
    echo "$*: $(grep '^threads' out)"
    # Where slots change, no row is a slot.
    [ "$slots" -le 6 ] || compare_profile "$@"
    late=$((${late-0} + $(awk '/^T .* 1$/ { n++ } END { print n + 0 }' traces/*)))
    # What the path never did is not shown to be right.
    sed -n 's/^threads.* parts \([0-9]*\) .* limited \([0-9]*\) moves \([0-9]*\) .*/\1 \2 \3/p' out >shown
    awk -v ranks="$ranks" '{ exit !($1 > 10 * ranks && $2 > 0 && $3 > 0) }' shown ||
        fail "$*: too little to show anything"
}

compile ./traffic -g -O2 -Wall -Wextra -pthread -I"$root/include" "$here/traffic.c"
traced 1 2 ./traffic 1 100
traced 1 3 ./traffic 2 100
traced 1 8 ./traffic 3 60
traced 1 16 ./traffic 4 30
WEFT_OPTIONS=--path-weight=cpu traced 1 4 ./traffic 5 60
traced 1 4 ./traffic 6 80 cuts
traced 1 3 ./traffic 7 80 cuts
traced 2 3 ./traffic 8 60 threads
# Slots change on the way, in whatever call a rank hears of it.
slots=6 traced 1 3 ./traffic 9 6000
grep -q '^M .*' traces/* || fail "no slot has changed"
sed -n 's/^threads.* listed \([0-9]*\) .*/\1/p' out | has '[1-9]' || fail "every region has a slot"
# More regions than the list has room for.
awk -v n=100 -f "$here/crowd.awk" >crowd_100.c
compile ./crowd -g -O0 -I"$here" crowd_100.c "$here/crowd.c"
slots=4 traced 1 2 ./crowd 10 5
sed -n 's/^threads.* listed \([0-9]*\) .*/\1/p' out | has '^64$' || fail "the list was never full"
[ "$(sql run.weft "SELECT value < 1e8 FROM run WHERE key = 'path_from_ns'")" = 1 ] ||
    fail "the path is not that of the whole run"
[ "$late" -gt 100 ] || fail "only $late receives ended when the message behind them was under way"
build_depth ./pipeline "$here/pipeline.c" hand
traced 1 4 ./pipeline
