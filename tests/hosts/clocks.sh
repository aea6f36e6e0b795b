#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Headers between hosts, and one time base for hosts whose clocks are seconds apart and drift: known waits between ranks
# of two hosts are found at the right statement, with the right culprit and length; the clocks' difference is found
# within the error that is stated. Neither ranks that are not watched nor ranks that die make another rank hang.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
SECONDS_A=1000 SECONDS_B=7000
. "$(dirname "$0")/lib_hosts.sh"
compile waits -g -O1 "$here/waits.c"
gcc -I"$root/src" -I"$root/include" -o read_segments "$here/read_segments.c" || fail "cannot compile read_segments"
limited "$MPIRUN" "${hosts[@]}" -n 4 ./waits 1 </dev/null >plain 2>err ||
    skip "$MPI does not run over namespaces here: $(head -n 3 err)"
weft_lib=$(realpath "$(dirname "$WEFT")/../lib/weft/libweft.so")

# run NAME=VALUE... -- COMMAND...: into out, err and seg; lines of seg are those of read_segments, with source lines for
# addresses.
run()
{
    local variables=() status=0
    while [ "$1" != -- ]; do
        variables+=("$1") && shift
    done
    shift
    rm -rf run && mkdir run
    pass LD_PRELOAD="$weft_lib" WEFT_DIR="$tmp/run" "${variables[@]}"
    limited "$MPIRUN" "${hosts[@]}" "${passed[@]}" -n 4 "$@" </dev/null >out 2>err || status=$?
    read_run
    return $status
}

read_run()
{
    ./read_segments run/p-*.seg | while read -r word a b rest; do
        [ "$word" != wait ] || b=$(addr2line -e waits "$b" | sed 's/.*://; s/ .*//')
        echo "$word $a $b $rest"
    done >seg
}

# Prints what differs by more than 2 ms a round.
compare()
{
    awk -v rounds="$1" '
        $1 == "wait" { key = $2 " " $3 " " $4 " " $5; virtual[key] += $6; raw[key] += $7; next }
        NF == 5 {
            key = $1 " " $2 " " $3 " " $4
            what = "rank line kind culprit " key ": waited " $5 " ns, found"
            if ((d = raw[key] - $5) > 2e6 * rounds || -d > 2e6 * rounds) print what " (raw) " raw[key] + 0
            else if ((d = virtual[key] - $5) > 5e6 * rounds || -d > 5e6 * rounds)
                print what " (virtual) " virtual[key] + 0
            n++
        }
        END { if (n < 22) print "only " n + 0 " waits" }' seg out
}

# The clock of host b is raw * (1 + drift) + offset, where raw is SECONDS_B - SECONDS_A ahead of host a.
check_base()
{
    awk -v offset="$1" -v drift="$2" -v apart=$(((SECONDS_B - SECONDS_A) * 1000000000)) '
        $1 == "clock" && $2 < 2 && ($5 != 0 || $6 != 0 || $7 != 0) { print "rank 0 is on that host: " $0 }
        $1 == "clock" && $2 >= 2 {
            raw = ($4 - offset) / (1 + drift / 1e9)
            wrong = $5 - (raw - apart - $4)
            if (wrong < 0) wrong = -wrong
            if (wrong > $7) print $0 ": the offset is wrong by " wrong " ns, and the bound " $7
            if ($7 > 1e6) print $0 ": the bound of the error is useless"
            d = $6 + drift
            if (d < -60000 || d > 60000) print $0 ": the drift is wrong by " d " ppb"
            n++
        }
        END { if (n != 2) print n + 0 " clocks" }' seg
}

missing()
{
    awk '$1 == "headers" { sum += $5 } END { print sum + 0 }' seg
}

# A machine with other things to do may be late by more than that: three tries.
known_waits()
{
    local what=$1 rounds=$2 offset=$3 drift=$4 why=""
    for _ in 1 2 3; do
        run WEFT_TEST_CLOCK="$host_b:$offset:$drift" -- ./waits "$rounds" || fail "$what: status $?: $(cat err)"
        why=$(compare "$rounds" && check_base "$offset" "$drift")
        [ "$(missing)" = 0 ] || why="$why$(missing) headers are missing"
        [ -n "$why" ] || return 0
    done
    fail "$what: $why"
}

known_waits "clocks 6,000 s apart" 1 0 0
known_waits "clocks that drift by 100 ppm" 3 123456789 100000
known_waits "clocks that drift the other way" 2 -5000000000 -50000

# Only some ranks are watched: same results, no rank hangs, and what is not known is counted.
rm -rf run && mkdir run
limited "$MPIRUN" "${hosts[@]}" -n 3 env LD_PRELOAD="$weft_lib" WEFT_DIR="$tmp/run" ./waits 1 : -n 1 ./waits 1 \
    </dev/null >out 2>err ||
    fail "one rank is not watched: status $?: $(cat err)"
[ "$(cut -d' ' -f1-4 out | sort)" = "$(cut -d' ' -f1-4 plain | sort)" ] || fail "one rank is not watched: other results"
read_run
[ "$(missing)" -gt 0 ] || fail "one rank is not watched: no headers are missing"
[ "$(readlink run/remote-*)" = no ] || fail "one rank is not watched: they agreed on headers between hosts"

# A rank dies: the others end when they would without weft.
status=0
LIMIT=30 run -- ./waits 3 2 || status=$?
[ $status != 124 ] && [ $status != 0 ] || fail "a rank died: status $status"

# On one host nothing of this happens.
rm -rf run && mkdir run
pass LD_PRELOAD="$weft_lib" WEFT_DIR="$tmp/run"
limited "$MPIRUN" "${passed[@]}" -n 4 ./waits 1 </dev/null >out 2>err || fail "one host: status $?: $(cat err)"
[ -z "$(ls run/remote-* 2>/dev/null)" ] || fail "one host: there was an agreement"
read_run
[ "$(missing)" = 0 ] || fail "one host: $(missing) headers are missing"
