#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# walk.sh [BUILD]: through which of weft's source files one MPI_Recv goes, and how many instructions it takes in each.
#
# Two ranks under weft run and MPICH pass a message to and fro. Rank 0 runs under valgrind, which counts instructions
# from the begin of weft's wrapper of MPI_Recv to its end by source file, inlined code by the file it comes from. The
# difference between a long and a short run is what a call takes when all is known already. Which rank waits decides how
# often the other rank's path goes on, and with it up to half of the instructions. So compare the files, and the
# instructions only where format/path.c has about as many; bench/alone.sh counts them without waits.
set -euo pipefail

build=$(realpath "${1:-build}")
rounds=1000
source=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
for program in valgrind mpicc.mpich mpirun.mpich; do
    command -v "$program" >/dev/null || { echo "walk: $program is missing" >&2; exit 77; }
done
tmp=$(mktemp -d "${TMPDIR:-/tmp}/weft-walk.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

cat >round_trip.c <<'END'
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, rounds = atoi(argv[1]);
    double value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
        if (rank == 1)
            MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0)
            MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc.mpich -O2 round_trip.c -o round_trip

# count ROUNDS: lines FILE INSTRUCTIONS of weft's libraries. A line behind calls= is what the called function took.
count()
{
    rm -rf counts
    "$build/bin/weft" run --quiet -o walk.weft -- mpirun.mpich \
        -n 1 valgrind --tool=callgrind --collect-atstart=no --toggle-collect=mpi_Recv --compress-strings=no \
        --compress-pos=no --callgrind-out-file=counts ./round_trip "$1" : -n 1 ./round_trip "$1" \
        </dev/null >out 2>&1 || { cat out >&2; exit 1; }
    awk '
        /^ob=/ { inside = /\/libweft[^\/]*$/ }
        /^f[lie]=/ { file = substr($0, 4) }
        /^calls=/ { getline; next }
        /^[0-9]+ [0-9]+$/ && inside { sum[file] += $2 }
        END { for (file in sum) print file, sum[file] }' counts
}

count $rounds >short
count $((2 * rounds)) >long
awk -v rounds=$rounds -v source="$source/" -v build="$build/" '
    FNR == NR { before[$1] = $2; next }
    index($1, source) != 1 { next }
    {
        per_call = ($2 - before[$1]) / rounds
        path = $1
        if (sub("^" build, "", path)) path = path " (generated)"
        sub("^" source, "", path)
        if (per_call > 0) printf "%9.2f %s\n", per_call, path
    }' short long | sort -rn >files
[ -s files ] || { echo "walk: no instruction of weft was seen; is $build built with debug information?" >&2; exit 1; }
echo "instructions of one MPI_Recv, by source file:"
cat files
# How often a file is reached depends a little on which rank waits: below one instruction a call it is rare.
awk '{ sum += $1; $1 >= 1 ? usual++ : rare++ }
    END { printf "%9.2f in all, in %d files, and rarely in %d more; before them comes the jump in the front, stubs.S\n",
        sum, usual, rare }' files
