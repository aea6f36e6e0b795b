#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh openmpi|mpich PROGRAM.c [VARIANT]: runs the program on 4 ranks under weft and compares the profile with what
# the comments of its source expect (the language is in expect.awk). Whatever is in the profile and not expected is a
# failure, too. Variants:
#   large                  with the large-count versions of all functions that have them
#   mpif.h, mpi, mpi_f08   Fortran's three ways
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
source=$2
variant=${3:-}
ranks=4

# Optimised, but for some: a call at the end of a function becomes a jump at -O2, as in nonblocking.c, and nothing tells
# then where it stood.
case $source in
point_to_point.c | nonblocking.c | fortran.F90) flags="-g -O0" ;;
*) flags="-g -O2" ;;
esac
large=""

large_counts()
{
    large=$(awk '$1 ~ /_c$/ && $2 != "none" { printf "%s ", substr($1, 1, length($1) - 2) }' \
        "$root/src/format/mpi_calls.tbl")
    local name
    for name in $large; do
        echo "#define MPI_$name MPI_${name}_c"
    done >"$tmp/large.h"
    flags="$flags -DLARGE_COUNTS -include mpi.h -include $tmp/large.h"
}

# Python's calls come from a library without lines.
anywhere=""
[ "${source%.py}" = "$source" ] || anywhere=1

case $variant in
large) large_counts ;;
mpif.h) flags="$flags -J$tmp -cpp -DUSE_MPIF -w -fallow-argument-mismatch" ;;
mpi) flags="$flags -J$tmp -cpp -DUSE_MPI -w -fallow-argument-mismatch" ;;
mpi_f08) flags="$flags -J$tmp -cpp -w -DUSE_MPI_F08" ;;
esac

if [ -n "$anywhere" ]; then
    python=/usr/bin/python3 # Debian's, which has Debian's mpi4py
    $python -c 'import mpi4py' 2>/dev/null || skip "there is no mpi4py here (package python3-mpi4py)"
    command="$python $here/$source"
else
    cd "$here"
    # shellcheck disable=SC2086
    compile "$tmp/program" $flags "$source" -pthread
    command=$tmp/program
fi
profile=$tmp/program.weft
cd "$tmp"
status=0
# shellcheck disable=SC2086
watch "$profile" $ranks $command >"$tmp/out" 2>&1 || status=$?
[ $status = 0 ] || {
    cat "$tmp/out"
    fail "$source ended with status $status"
}
[ ! -s "$tmp/out" ] || {
    cat "$tmp/out"
    fail "$source should have said nothing"
}

awk -v as="$source" -v large="$large" -v anywhere="$anywhere" -f "$here/expect.awk" "$here/$source" \
    >"$tmp/expected.sql" ||
    fail "cannot read the expectations of $source"
[ -s "$tmp/expected.sql" ] || fail "$source expects nothing"
{
    echo ".bail on"
    echo "CREATE TEMP TABLE want(file, line, rank, name, procedure, calls, partner, num, bytes, perhaps);"
    echo "CREATE TEMP TABLE anywhere AS SELECT 1 WHERE '$anywhere' = '1';"
    echo "CREATE TEMP VIEW place AS"
    echo "SELECT rank AS r, (SELECT count(*) FROM main.rank WHERE world = 0) AS P FROM main.rank;"
    cat "$tmp/expected.sql" "$here/check.sql"
} >"$tmp/check.sql"
sqlite3 -batch -readonly "$profile" <"$tmp/check.sql" >"$tmp/wrong" || fail "cannot read the profile of $source"
[ "$(sql "$profile" 'SELECT count(*) FROM rank WHERE world = 0')" = $ranks ] ||
    fail "the profile does not have $ranks ranks"
if [ -s "$tmp/wrong" ]; then
    cat "$tmp/wrong"
    fail "$source: $(wc -l <"$tmp/wrong") differences"
fi
