#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# offline.sh SIMULATE OFFLINE: what offline.c finds in the graphs of random programs is what was found on line; and it
# sees every figure that is not.
. "$(dirname "$0")/../lib.sh"
simulate=$1 offline=$2
programs=300
cd "$tmp"

limited "$simulate" . 1 $programs || fail "the simulator ended with status $?"
for ((n = 0; n < programs; n++)); do
    limited "$offline" $n/*.trace >out 2>&1 || { cat out && fail "program $n"; }
    tail -n 1 out
done >shown

# Enough of everything, so that being equal means something.
awk '{ for (i = 1; i < NF; i += 2) sum[$i] += $(i + 1) }
     END { for (what in sum) printf "%s %d\n", what, sum[what]
           exit !(sum["limited"] > NR && sum["moves"] > NR && sum["parts"] > 10 * NR &&
               sum["other_epochs"] > NR) }' shown ||
    fail "too little to show anything"

# wrong WHAT AWK: with one number of one thread changed, the difference must be seen.
wrong()
{
    local status=0
    mkdir wrong
    cp "$chosen"/*.trace wrong
    awk "$2" "$chosen/0.trace" >wrong/0.trace
    ! cmp -s "$chosen/0.trace" wrong/0.trace || fail "nothing was changed for: $1"
    "$offline" wrong/*.trace >out 2>&1 || status=$?
    rm -r wrong
    [ $status = "${3:-1}" ] || { cat out && fail "status $status, not ${3:-1}, with $1"; }
}

# A program of which the first process has everything, computes to the end, and has most of the path, in stretches
# (slots from 11 on) as well.
chosen=""
for ((n = 0; n < programs; n++)); do
    if awk '{ seen[$1]++ } /^L/ { length_ = $2 } /^R 0/ { here = $3 } /^H/ && $2 >= 11 && $3 > 0 { stretch = 1 }
            END { exit !(seen["I"] == 1 && !seen["Z"] && seen["A"] && seen["P"] && stretch &&
                2 * here > length_) }' $n/0.trace; then
        chosen=$n
        break
    fi
done
[ -n "$chosen" ] || fail "no program has everything"
wrong "another length" '/^L/ { $2++ } 1'
wrong "another share" '/^H/ && $3 { $3++ } 1'
wrong "another share of all" '/^H/ && $4 { $4-- } 1'
wrong "another saving" '/^V/ && $6 { $6++ } 1'
wrong "a saving of what was never met" '/^V 3 / { $2 = 900; $3 = 1 } 1'
wrong "another saving of all" '/^V/ && $10 { $10-- } 1'
wrong "another place" '/^R 0 / { $3++ } 1'
wrong "one more arrival" '/^R 1 / { $4++ } 1'
wrong "another end" '/^F/ { $2++ } 1'
wrong "another taking" '/^T/ { $2++ } 1'
wrong "another part" '/^P/ { $5 += 10000000 } 1'
wrong "a region more" '/^F/ { print "A 3 5 5 1" } 1'
wrong "other stretches" '/^G/ { $2 = 900 } 1'
wrong "a snapshot that no call left" '!/^S 1$/' 2
wrong "no figures" '!/^L/' 2
wrong "no number" '/^T/ { $2 = "x" } 1' 2
wrong "one half of a call" '!/^T/' 2
