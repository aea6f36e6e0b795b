#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Recordings and programs that do not fit: refused where that is known before the run, else the program goes on without
# an order, says so once, and ends as it would. One argument: the MPI library.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
compile "$tmp/departs" -O1 -g -pthread "$here/departs.c"
compile "$tmp/other" -O0 -g -pthread "$here/departs.c"
cd "$tmp"

# run STATUS OPTION... -- ARGUMENT...: on four ranks; its output is in `out`, what weft says in `err`
run()
{
    local wanted=$1 options=() status=0
    shift
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    limited "$WEFT" run --no-profile "${options[@]}" -- "$MPIRUN" -n 4 ./departs "$@" >out 2>err || status=$?
    [ $status = "$wanted" ] || fail "exit status $status, not $wanted: $(cat err)"
}

says()
{
    [ "$(grep -c -- "$1" err)" = 1 ] || fail "does not say once '$1': $(cat err)"
}

# Nine sources and the word "end".
whole()
{
    [ "$(wc -w <out)" = "$1" ] || fail "the output is not whole: $(cat out err)"
}

recording()
{
    run 3 --record-order one.ord --
    whole 10
    says "the order of 9 events of 4 ranks"
    cp out recorded
    run 3 --record-order set.ord -- irecv
}

departures()
{
    run 3 --replay-order one.ord -- probe
    whole 10
    says "rank 0 departs from the recorded order at event 3, .*MPI_Probe where MPI_Recv is recorded"
    says "1 of 4 ranks departed from the recorded order; the first was rank 0, at event 3, at departs.c:"
    run 3 --replay-order one.ord -- more
    whole 11
    says "at event 10, .*the recording ends here"
    run 3 --replay-order one.ord -- irecv
    whole 10
    says "more receives from any source than are recorded"
    run 3 --replay-order one.ord --replay-wait 1 -- late
    whole 10
    says "did not come within 1 s"
    # Receives that were posted for rank 1 take what comes.
    run 3 --replay-order set.ord --replay-wait 1 -- late_set
    whole 10
    says "did not come within 1 s"
    run 3 --replay-order one.ord -- threads
    whole 10
    says "another thread makes MPI calls, too"
}

refusals()
{
    local status=0
    limited "$WEFT" run --replay-order one.ord "$MPIRUN" -n 3 ./departs >out 2>err || status=$?
    [ $status = 2 ] && [ ! -s out ] || fail "another number of ranks is not refused: $(cat out err)"
    says "recorded with 4 ranks, and this command starts 3"
    status=0
    limited "$WEFT" run --replay-order one.ord "$MPIRUN" -n 4 ./other >out 2>err || status=$?
    [ $status = 2 ] && [ ! -s out ] || fail "another program is not refused: $(cat out err)"
    says "recorded with another program"
    status=0
    limited "$MPIRUN" -n 3 "$WEFT" run --replay-order one.ord ./departs >out 2>err || status=$?
    [ $status != 0 ] && [ ! -s out ] || fail "not refused in the inner order: $(cat out err)"
    has "recorded with 4 ranks, and this command starts 3" <err || fail "inner order: $(cat err)"
    cp one.ord damaged.ord
    printf '\7' | dd of=damaged.ord bs=1 seek="$(($(stat -c %s one.ord) - 3))" conv=notrunc 2>dd.err
    status=0
    limited "$WEFT" run --replay-order damaged.ord "$MPIRUN" -n 4 ./departs >out 2>err || status=$?
    [ $status = 2 ] && [ ! -s out ] || fail "a damaged recording is not refused: $(cat out err)"
}

# A script hides what is started: the processes find it out, and run without an order.
hidden()
{
    local status=0
    echo "exec $MPIRUN -n 3 ./departs" >script
    limited "$WEFT" run --no-profile --replay-order one.ord sh script >out 2>err || status=$?
    [ $status = 3 ] && whole 7
    says "3 processes ran without the recorded order: the recording is of another number of ranks"
}

killed()
{
    local status=0
    limited "$WEFT" run --no-profile --record-order killed.ord "$MPIRUN" -n 4 ./departs killed >out 2>err || status=$?
    head -n 1 out >recorded # MPICH's launcher has a word to say behind it
    cp recorded out
    [ $status != 0 ] && whole 10
    run 3 --replay-order killed.ord --
    cmp out recorded || fail "the order up to the kill is another one"
}

threads()
{
    run 3 --record-order threads.ord -- threads
    whole 10
    says "the order is not recorded: rank 0 makes MPI calls in several threads"
    [ ! -e threads.ord ] || fail "there is a recording"
}

older()
{
    cp one.ord before
    (unset WEFT_FORCE && run 3 --record-order one.ord --)
    cmp before one.ord.1 || fail "the older recording is not kept"
    run 3 --record-order one.ord --force --
    [ ! -e one.ord.2 ] || fail "it is kept although it was to be replaced"
}

for part in recording departures refusals hidden killed threads older; do
    $part
done
