#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# races.sh openmpi|mpich: messages race where it is known that they do, and nowhere else. What happened before does not
# depend on when ranks get a core.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
compile "$tmp/races" -g -O0 -Wall -Wno-misleading-indentation "$here/races.c"
cd "$tmp"

# check ARGUMENT...
check()
{
    WEFT_OPTIONS=--races watch races.weft 4 ./races "$@" >out 2>err ||
        { cat out err; fail "races ended with status $?"; }
    sort -u out >want
    grep -v '^master|' want | awk -F'|' -v OFS='|' '$3 + $4 { print $2, $3, $4 }' | sort -t'|' -n >expected
    master=$(sed -n 's/^master|\([0-9]*\)|.*/\1/p' want)
    sql races.weft "SELECT line, sum(num), sum(unknown) FROM race JOIN event ON id = event
                    WHERE line <> $master GROUP BY line HAVING sum(num) + sum(unknown) > 0 ORDER BY line" >seen
    diff expected seen || { cat want; fail "wrong races with $MPI $*"; }
    pairs=$(sql races.weft "SELECT DISTINCT min(took, other) || '+' || max(took, other)
                            FROM race JOIN event ON id = event WHERE line = $master AND num > 0 ORDER BY 1" |
        paste -sd' ')
    [ "$pairs" = "1+2 1+3 2+3" ] || fail "the master's races are between $pairs"
    [ "$(sql races.weft "SELECT sum(unknown) FROM race JOIN event ON id = event WHERE line = $master")" = 0 ] ||
        fail "not all of the master's races are known"
}

check
report=$("$WEFT" report --all --width 200 races.weft)
has "^Races between messages" <<<"$report" || fail "the report says nothing of races"
has " 1 and 2  *0  MPI_Recv  .*races.c:" <<<"$report" || fail "the report does not name senders, receiver and statement"
has "Further pairs of which it is not known whether they raced: 1[.]" <<<"$report" ||
    fail "the report does not say what is not known"
if command -v jq >/dev/null; then
    "$WEFT" report --json races.weft >report.json
    sum=$(sql races.weft "SELECT sum(num) FROM race")
    [ "$(jq .races.num report.json)" = "$sum" ] || fail "the JSON has another sum"
fi
check threads

# Without the option nothing is told.
watch plain.weft 4 ./races >out 2>err || { cat out err; fail "races ended with status $?"; }
[ "$(sql plain.weft "SELECT count(*) FROM race")" = 0 ] || fail "races without being asked"
! has "^Races" <<<"$("$WEFT" report plain.weft)" || fail "the report tells of races that were not looked for"

# A rank that is not watched: what it knows is not known, and no race is told that may be none.
limited "$MPIRUN" -n 3 "$WEFT" run --races --quiet -o "$tmp/three.weft" ./races : -n 1 ./races >out 2>err ||
    { cat out err; fail "races with three watched ranks ended with status $?"; }
sums=$(sql three.weft "SELECT sum(num), sum(unknown) > 20 FROM race")
[[ $sums =~ \|1$ ]] || fail "with a rank that is not watched: $sums"
false=$(awk -F'|' '$3 == 0 { print $2 }' want | paste -sd,)
[ "$(sql three.weft "SELECT coalesce(sum(num), 0) FROM race JOIN event ON id = event WHERE line IN ($false)")" = 0 ] ||
    fail "with a rank that is not watched, races are told that are none"
