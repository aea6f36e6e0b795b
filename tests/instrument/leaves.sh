#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Which calls of the system's libraries make a procedure or loop worth a probe: all that are not known to be short. The
# programs in leaves/ say by names and comments what is a leaf.
#
# usage: leaves.sh gcc|clang
. "$(dirname "$0")/../lib.sh"

case $1 in
gcc) CC=gcc CXX=g++ ;;
clang) CC=clang CXX=clang++ ;;
esac
command -v $CC >/dev/null && command -v $CXX >/dev/null || skip "there is no $CC and $CXX here"
cd "$here/leaves"

# check PROGRAM COMPILER FLAGS...
check()
{
    local program=$1 compiler=$2
    shift 2
    "$WEFT" instrument -v --compiler "$compiler" "$program" -o /dev/null -- "$@" 2>"$tmp/list" || fail "$program $*: $(cat "$tmp/list")"
    sed -n 's/.* procedure \([a-z_0-9]*\) is a leaf$/\1/p' "$tmp/list" | sort -u >"$tmp/leaves"
    grep -o '\<short_[a-z_0-9]*(' "$program" | tr -d '(' | sort -u >"$tmp/wanted"
    [ -s "$tmp/wanted" ] || fail "$program has no short procedures"
    diff "$tmp/wanted" "$tmp/leaves" >"$tmp/diff" || fail "$compiler $* $program: other leaves: $(cat "$tmp/diff")"
    sed -n 's/^[^:]*:\([0-9]*\): loop [a-z]* is a leaf$/\1/p' "$tmp/list" | sort -un >"$tmp/leaves"
    { grep -n '\* leaf \*' "$program" || true; } | cut -d: -f1 | sort -un >"$tmp/wanted"
    diff "$tmp/wanted" "$tmp/leaves" >"$tmp/diff" || fail "$compiler $* $program: other leaf loops: $(cat "$tmp/diff")"
}

for flags in "" -O2 "-O2 -D_FORTIFY_SOURCE=2"; do
    # shellcheck disable=SC2086
    check calls.c $CC -isystem system $flags
done
check calls.cpp $CXX -std=c++17 -O2 -D_FORTIFY_SOURCE=2
check calls.cpp $CXX -std=c++20
# A program with a template of its own is parsed with the bodies of all templates.
{ cat calls.cpp && echo 'template <class T> T short_twice(T x) { return x + x; }'; } >"$tmp/with_template.cpp"
check "$tmp/with_template.cpp" $CXX -std=c++17

# The stand-ins are unknown as the user's own headers, too; the user's own bodies are known.
cat >"$tmp/own.c" <<'END'
#include <solvers.h>
void long_fftw(fftw_plan plan) { fftw_execute(plan); }
int short_inline(const int *index) { return solver_indirect(index, 3); }
END
"$WEFT" instrument -v --compiler $CC "$tmp/own.c" -o /dev/null -- -Isystem 2>"$tmp/list" || fail "own.c: $(cat "$tmp/list")"
has "procedure short_inline is a leaf" <"$tmp/list" || fail "a body in a header of the user's: $(cat "$tmp/list")"
! has "procedure long_fftw is a leaf" <"$tmp/list" || fail "an unknown function in a header of the user's: $(cat "$tmp/list")"

# MPI: calls that weft watches may last, under either name; those that only ask do not.
mpi()
{
    cat >"$tmp/mpi.c" <<'END'
#include <mpi.h>
int short_rank(void) { int rank; MPI_Comm_rank(MPI_COMM_WORLD, &rank); return rank + (int)MPI_Wtime(); }
int short_profiling_rank(void) { int rank; PMPI_Comm_rank(MPI_COMM_WORLD, &rank); return rank; }
void long_barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
void long_profiling_barrier(void) { PMPI_Barrier(MPI_COMM_WORLD); }
END
    check "$tmp/mpi.c" "mpicc.$MPI"
}
if [ $CC = gcc ]; then
    each_mpi mpi
fi
