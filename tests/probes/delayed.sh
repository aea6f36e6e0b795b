#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Probes that are made 50 us slower each leave virtual times as they were, and are in the raw ones; all of their cost is
# counted.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
cd "$tmp"
cp "$here"/delayed.c .
library=$(dirname "$(dirname "$WEFT")")/lib/weft/libweft.so
[ -e "$library" ] || skip "weft is installed in another way: no $library"
gcc -O2 -I"$root/src" -I"$root/include" "$here/read_visits.c" -o read_visits || fail "read_visits.c does not compile"
"$WEFT" cc --all --skip spin,now_ns "$CC" -O2 -pthread delayed.c -o delayed || fail "weft cc does not compile delayed.c"

# visits NAME=VALUE...: rows of "REGION NUM RAW VIRTUAL INNER_RAW INNER_VIRTUAL", all in us, of a run, its records added
# up; and what it spun
visits()
{
    rm -rf segments
    mkdir segments
    limited env "$@" LD_PRELOAD="$library" WEFT_DIR="$tmp/segments" ./delayed >spun || fail "$*: status $?"
    ./read_visits segments/*.seg |
        awk '{ $1 in n || (order[++k] = $1); n[$1] += $2; for (i = 3; i <= 6; i++) v[$1, i] += $i }
        END { for (j = 1; j <= k; j++) print order[j], n[order[j]], v[order[j], 3], v[order[j], 4], v[order[j], 5],
            v[order[j], 6] }' >visits
}

# near NAME COLUMN LOW HIGH
near()
{
    awk -v name="$1" -v column="$2" -v low="$3" -v high="$4" '$1 == name { ok = $column >= low && $column <= high }
        END { exit !ok }' visits ||
        fail "$MPI: $1: column $2 is not between $3 and $4 in: $(cat visits spun)"
}

spun()
{
    awk -v name="$1" -v part="${2:-100}" -v more="${3:-0}" '$1 == name { print $2 * part / 100 + more }' spun
}

# A procedure visits nothing but what it spins: 10 visits, of 21, 20 and 10 spins. A busy machine may take some us in
# between.
compensated()
{
    for name in middle turns deep; do
        near $name 2 10 10
        near $name 4 "$(spun $name 99)" "$(spun $name 105 100)"
    done
    near thread 4 "$(spun thread 99)" "$(spun thread 105 100)"
    near leaf 2 420 420
}

# 50 us for each visit inside, and for each entry that is recursion: in each of ten visits 20 of leaf and one of the
# loop; or nine.
delayed()
{
    visits WEFT_TEST_DELAY=0:50000
    compensated
    near middle 3 "$(spun middle 100 10500)" 1e9
    near turns 3 "$(spun turns 100 10500)" 1e9
    near deep 3 "$(spun deep 100 4500)" 1e9
    near middle 6 "$(spun middle 90)" "$(spun middle 105)"
    near lane 3 27000 1e9
}

# A rank that is interrupted between two readings of the clock takes longer: not every time, if weft is right.
once()
{
    for ((attempt = 1; attempt <= attempts; attempt++)); do
        calm $attempt
        ("$@") >wrong 2>&1 && return
    done
    fail "$MPI: each time: $(cat wrong)"
}
once delayed

# Nothing is taken out, if that is wanted.
visits WEFT_TEST_DELAY=0:50000 WEFT_CLOCK=real
awk '$1 != "lane" && ($3 != $4 || $5 != $6) { exit 1 }' visits ||
    fail "$MPI: virtual times differ from real ones: $(cat visits)"
near middle 4 "$(spun middle 100 10500)" 1e9
near lane 3 27000 1e9

# Without delay: everything is visited, and costs next to nothing.
undelayed()
{
    visits
    compensated
    near lane 3 10 5000
}
once undelayed
counted=$(awk '$1 == "lane" { print $2 }' visits)
[ "$counted" = "$(awk '$1 != "lane" { n += $2 } END { print n }' visits)" ] ||
    fail "$MPI: $counted probes in: $(cat visits)"
