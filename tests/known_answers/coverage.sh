#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Every watched function of mpi_calls.tbl has a statement with a known answer somewhere in this folder. The large-count
# versions are those of the sources that CMakeLists.txt also runs as `large`.
. "$(dirname "$0")/../lib.sh"
cd "$here"

# Without a known answer here: MPI_Abort ends the program (tests/endings); MPI_Pcontrol is no statement of the profile.
elsewhere="MPI_Abort MPI_Pcontrol"

expected()
{
    grep -ho 'expect [^:]*: MPI_[A-Za-z_]*' "$@" | grep -o 'MPI_.*'
}

large=$(awk '/known_answers\(mpich \$\{source\} large\)/ { print line } { line = $0 }' CMakeLists.txt |
    grep -o '[a-z_0-9]*\.c')
[ -n "$large" ] || fail "cannot find the large-count tests in CMakeLists.txt"
{
    expected ./*.c ./*.cpp ./*.F90 ./*.py
    # shellcheck disable=SC2086
    expected $large | sed 's/$/_c/'
    tr ' ' '\n' <<<"$elsewhere"
} | sort -u >"$tmp/have"
awk '/^[A-Z]/ && $2 != "none" { print "MPI_" $1 }' "$root/src/format/mpi_calls.tbl" | sort >"$tmp/watched"
comm -13 "$tmp/have" "$tmp/watched" >"$tmp/missing"
[ ! -s "$tmp/missing" ] || fail "no known answer for $(paste -sd " " "$tmp/missing")"
