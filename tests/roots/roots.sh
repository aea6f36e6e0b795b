#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# roots.sh openmpi|mpich CASE [DELAY]: the root causes of a program that waits by construction, as the program says
# them itself; with DELAY (RANK:NS), watching a call costs that rank so much, which changes none of them. All root
# causes of a statement are as long as all its waits. A loaded machine adds to what is waited for: what is wrong each
# time is wrong.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
case=$2
delay=${3:-}

compile "$tmp/roots" -g -O1 -Wall "$here/roots.c"
cd "$tmp"

wrong()
{
    WEFT_TEST_DELAY=$delay watch roots.weft 4 ./roots "$case" >said 2>err ||
        { cat err; fail "$case ended with status $?"; }
    awk '$1 == "share" { print $2 "|" $3 }' said >shares
    awk -F'[ |]' '$1 == "share" { next }
        $1 == "worked" { ratio[$2] = $3; next }
        { line[++n] = $1 "|" $2; root[n] = $2; ms[n] = $3 }
        END { for (i = 1; i <= n; i++)
                  printf "%s|%.3f\n", line[i], ms[i] * ratio[root[i] < 0 ? 0 : root[i]] }' said >want
    [ -s want ] || [ -s shares ] || fail "$case expects nothing"
    {
        echo "CREATE TEMP TABLE want(waiter INTEGER, root INTEGER, ms REAL);"
        echo "CREATE TEMP TABLE share(root INTEGER, percent REAL);"
        echo ".separator |"
        echo ".import want want"
        echo ".import shares share"
        if [ -s want ]; then cat "$here/check.sql"; else cat "$here/shares.sql"; fi
        cat "$here/sums.sql"
    } >check.sql
    sqlite3 -batch -bail -readonly roots.weft <check.sql
}

for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    found=$(wrong)
    [ -n "$found" ] || exit 0
done
echo "$found"
fail "$case with $MPI"
