#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh openmpi|mpich PROGRAM: runs a program that waits by construction on 4 ranks, and compares its profile with what
# the program itself has seen. On a loaded machine a rank may lose its core between its own reading of the clock and
# weft's. So what differs is tried again, and wrong is what differs each time; a wait at the wrong place, or for the
# wrong rank, does.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
source=$2
delay=""
[ "$source" != delayed.c ] || delay=0:200000

compile "$tmp/program" -g -O0 -Wall "$here/$source"
cd "$tmp"

# An MPI library that has not what the program needs.
without_it()
{
    [ "$source" != partitioned.c ] || ./program || [ $? != 77 ] || skip "$MPI has no partitioned messages"
}

run()
{
    rm -f marks.*
    watch "$1" 4 ./program >out 2>&1 || { without_it; cat out; fail "$source ended with status $?"; }
    [ ! -s out ] || { cat out; fail "$source should have said nothing"; }
}

# The run's times when probes are not slowed down.
undelayed()
{
    echo "CREATE TEMP TABLE undelayed(rank INTEGER, wall_ns INTEGER);"
    run undelayed.weft
    sql undelayed.weft "SELECT 'INSERT INTO undelayed VALUES(' || rank || ', ' || wall_ns || ');' FROM rank"
}

# One difference a line, CASE|SENTENCE; without a case: not a matter of luck.
differences()
{
    : >more.sql
    [ -z "$delay" ] || { undelayed && cat "$here/delayed.sql"; } >more.sql
    WEFT_TEST_DELAY=$delay run program.weft
    sed -n 's/^mark|//p' marks.? >mark
    sed -n 's/^wait|//p' marks.? >want
    if [ ! -s mark ] || [ ! -s want ]; then fail "$source expects nothing"; fi
    {
        echo ".bail on"
        echo "CREATE TEMP TABLE mark(test, rank INTEGER, name, line INTEGER, begin_ns INTEGER);"
        echo "CREATE TEMP TABLE want(test, rank INTEGER, at, kind, culprit INTEGER, come, place, partner INTEGER);"
        echo "CREATE TEMP TABLE program AS SELECT '/$source' AS file;"
        echo ".separator |"
        echo ".import mark mark"
        echo ".import want want"
        cat "$here/check.sql" more.sql
    } >check.sql
    sqlite3 -batch -readonly program.weft <check.sql || fail "cannot read the profile of $source"
}

for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    differences >wrong
    cut -d'|' -f1 wrong | sort -u >cases
    [ $attempt = 1 ] || { comm -12 cases always >both && mv both cases; }
    mv cases always
    ! has -x '' always || break
    [ -s always ] || exit 0
done
cat wrong
fail "$source with $MPI: $(tr '\n' ' ' <always)"
