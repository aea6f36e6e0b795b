#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Both launch orders watch the same and change nothing: output, input, exit status, name of the profile, options from
# the environment.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
cd "$tmp"
compile ring -g "$here/ring.c"

transfers='SELECT self_node, dest_node, trans_num, bytes FROM com JOIN event ON event.id = com.event WHERE name LIKE "MPI_Sendrecv%" ORDER BY 1, 2'
expected=$(printf '0|1|10|800\n0|2|10|800\n1|0|10|800\n1|2|10|800\n2|0|10|800\n2|1|10|800')

no_leftovers()
{
    [ -z "$(ls -d .weft-* 2>/dev/null)" ] || fail "$1 left $(ls -d .weft-*)"
}

check()
{
    local what=$1 profile=$2
    [ -f "$profile" ] || fail "$what left no $profile"
    [ "$(sql "$profile" "$transfers")" = "$expected" ] || fail "$what: $(sql "$profile" "$transfers")"
    [ "$(sql "$profile" "SELECT value FROM run WHERE key='complete'")" = 1 ] || fail "$what: not complete"
    no_leftovers "$what"
    rm "$profile"
}

wait_for()
{
    for _ in $(seq 100); do
        [ ! -f "$1" ] || return 0
        sleep 0.1
    done
}

# weft run mpirun: the profile is there when it returns.
printf 'one\ntwo\n' | limited "$WEFT" run "$MPIRUN" -n 3 ./ring 10 >out 2>err || fail "outer order: exit status $?"
[ "$(cat out)" = "$(printf 'read one\nread two')" ] || fail "outer order: output is $(cat out)"
grep -q 'weft report ring.weft' err || fail "outer order: no summary: $(cat err)"
check "outer order" ring.weft

# mpirun weft run: the launcher waits for the profile.
printf 'one\ntwo\n' | limited "$MPIRUN" -n 3 "$WEFT" run ./ring 10 >out 2>err || fail "inner order: exit status $?"
[ "$(cat out)" = "$(printf 'read one\nread two')" ] || fail "inner order: output is $(cat out)"
[ "$(grep -c 'weft report ring.weft' err)" = 1 ] || fail "inner order: not one summary: $(cat err)"
check "inner order" ring.weft

# Both at once: the outer one does the work.
limited "$WEFT" run -o both.weft "$MPIRUN" -n 3 "$WEFT" run ./ring 10 </dev/null >out 2>err || fail "both orders: exit status $?"
check "both orders" both.weft
[ ! -e ring.weft ] || fail "both orders wrote two profiles"

# Quiet is quiet, in both orders.
limited "$WEFT" run --quiet -o q.weft "$MPIRUN" -n 3 ./ring 10 </dev/null >out 2>err
[ ! -s err ] || fail "--quiet printed: $(cat err)"
check "--quiet" q.weft
limited "$MPIRUN" -n 3 "$WEFT" run -q -o q.weft ./ring 10 </dev/null >out 2>err
[ ! -s err ] || fail "-q printed: $(cat err)"
wait_for q.weft
check "-q" q.weft

# Options from the environment, where a batch system has to pass them.
WEFT_OUTPUT=env.weft WEFT_QUIET=1 limited "$MPIRUN" -n 3 "$WEFT" run ./ring 10 </dev/null >out 2>err
[ ! -s err ] || fail "WEFT_QUIET printed: $(cat err)"
check "WEFT_OUTPUT" env.weft

# Exit statuses are the program's.
for status in 0 7; do
    plain=0 watched=0 inner=0
    limited "$MPIRUN" -n 2 ./ring 10 $status </dev/null >/dev/null 2>&1 || plain=$?
    limited "$WEFT" run -q "$MPIRUN" -n 2 ./ring 10 $status </dev/null >/dev/null 2>&1 || watched=$?
    limited "$MPIRUN" -n 2 "$WEFT" run -q ./ring 10 $status </dev/null >/dev/null 2>&1 || inner=$?
    [ $plain = $watched ] && [ $plain = $inner ] || fail "exit status $plain became $watched and $inner"
    wait_for ring.weft
    rm -f ring.weft
done

# Without a launcher: one rank.
limited "$WEFT" run -q ./ring 10 3 </dev/null && fail "the status of a single process was lost" || [ $? = 3 ] || fail "singleton: exit status $?"
[ "$(sql ring.weft "SELECT value FROM run WHERE key='ranks'")" = 1 ] || fail "singleton: no profile of one rank"
rm ring.weft

# Another directory, and more ranks than the default name needs.
mkdir deep
limited "$WEFT" run -q -o deep/x.weft "$MPIRUN" -n 3 ./ring 10 </dev/null
check "-o in another directory" deep/x.weft
[ -z "$(ls -A deep)" ] || fail "left in deep/: $(ls -A deep)"

# MPI_Pcontrol(0) halfway: the second half counts nowhere.
limited "$WEFT" run -q -o half.weft "$MPIRUN" -n 3 ./ring 20 0 0 </dev/null
check_half=$(sql half.weft "$transfers")
[ "$check_half" = "$expected" ] || fail "MPI_Pcontrol(0): $check_half"
[ "$(sql half.weft "SELECT count(*) FROM rank WHERE paused_ns > 0")" = 3 ] || fail "the pause is not known"
[ "$(sql half.weft "SELECT count(*) FROM event WHERE name = 'MPI_Barrier'")" = 0 ] || fail "a call in the pause was counted"
no_leftovers half.weft

# Only one rank watched: said, and the rest of the program goes on.
limited "$MPIRUN" -n 1 "$WEFT" run -q -o one.weft ./ring 10 : -n 2 ./ring 10 </dev/null || fail "one rank watched: exit status $?"
wait_for one.weft
[ "$(sql one.weft "SELECT count(*) FROM rank")" = 1 ] || fail "one rank watched: $(sql one.weft 'SELECT * FROM rank')"
[ "$(sql one.weft "SELECT value FROM run WHERE key='complete'")" = 0 ] || fail "one rank of three is called complete"
"$WEFT" report one.weft | has 'Only 1 of 3 ranks' || fail "the report does not say that ranks are missing"
no_leftovers one.weft

# The environment's own preloads stay, behind weft's.
LD_PRELOAD=libm.so.6 limited "$WEFT" run -q -o pre.weft sh -c 'echo "$LD_PRELOAD"' >out 2>/dev/null
grep -q ':libm.so.6$' out || fail "LD_PRELOAD became $(cat out)"
