#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# samples.sh openmpi|mpich OFFLINE SAMPLES: samples of a program that runs, on line against off line. All its processes
# are made to stand still, wherever they are; what samples.c sees of each thread must be what offline.c finds from the
# events written down so far, to the tick, and so must be all of them put together. Then the program goes on to the next
# such moment.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_path.sh"
use_mpi "$1"
offline=$2 samples=$3
cd "$tmp"
running="" pids=""

# Whatever happens: no process is left stopped.
end_run()
{
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
    [ -z "$running" ] || wait "$running" 2>/dev/null || true
    running="" pids=""
}
at_exit+=(end_run)

# start_run RANKS PROGRAM...
start_run()
{
    local ranks=$1 count
    rm -rf .weft-* traces
    mkdir traces
    WEFT_OPTIONS=--path-regions=100 WEFT_TEST_TRACE=$tmp/traces watch run.weft "$@" >out 2>&1 &
    running=$!
    for _ in $(seq 1000); do
        count=$(find traces -name '*.trace' -size +1k | wc -l)
        if [ "$count" = "$ranks" ]; then
            pids=$(find .weft-* -name '*.seg' | sed 's/.*-\([0-9]*\)\.seg$/\1/')
            return
        fi
        sleep 0.02
    done
    cat out
    fail "$*: the program did not begin"
}

stand_still()
{
    local pid
    # shellcheck disable=SC2086
    kill -STOP $pids || fail "$*: the program has ended too early"
    for pid in $pids; do
        until grep -q '^State:[[:space:]]*T' "/proc/$pid/status"; do sleep 0.001; done
    done
}

# One moment, at which all stand still. False: a process was writing just then.
sampled()
{
    local status=0
    rm -rf cut
    cp -r traces cut
    "$samples" .weft-* cut >figures || status=$?
    [ $status != 3 ] || return 1
    [ $status = 0 ] || fail "$*: no samples"
    limited "$offline" --figures cut/* >result 2>&1 || { cat result &&
        fail "$*: a sample is not what off line is there"; }
    grep '^slot' result >twin
    awk 'FNR == NR { own[$2] = $3; saved[$2] = $4; next }
         { if (($3 - own[$2]) ^ 2 > 1e-6 || ($4 - saved[$2]) ^ 2 > 1e-6) {
             print "off line: " $0 ", on line " own[$2] " " saved[$2]; wrong = 1 } }
         END { exit wrong }' figures twin || fail "$*: together the samples are not what off line is"
    grep '^threads' result >>seen
}

# samples_of RANKS PROGRAM...: three moments of it. Between them it goes on.
samples_of()
{
    local taken=0
    : >seen
    start_run "$@"
    for _ in $(seq 30); do
        sleep 0.0$((RANDOM % 9 + 1))
        stand_still "$@"
        ! sampled "$@" || taken=$((taken + 1))
        # shellcheck disable=SC2086
        kill -CONT $pids
        [ $taken -lt 3 ] || break
    done
    end_run
    [ $taken = 3 ] || fail "$*: only $taken samples of 30 could be taken"
    sed -n 's/^threads.* parts \([0-9]*\) .* moves \([0-9]*\) .*/\1 \2/p' seen >shown
    awk -v ranks="$1" '{ little = little || $1 <= last || $2 == 0; last = $1 } END { exit little || NR != 3 ||
        last <= 10 * ranks }' shown ||
        { cat seen && fail "$*: too little to show anything"; }
    echo "$*: $(tail -n 1 seen)"
}

compile ./traffic -g -O2 -Wall -Wextra -pthread -I"$root/include" "$here/traffic.c"
samples_of 4 ./traffic 2 100000
samples_of 8 ./traffic 3 100000
WEFT_OPTIONS=--path-regions=3 samples_of 3 ./traffic 4 100000
