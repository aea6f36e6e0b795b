#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# varied.sh openmpi|mpich KIND: four ranks whose work varies wait for each other where MPI lets the library decide for
# whom. What half of a region would save is known by construction: each step is as long as its longest work. If only the
# last one to arrive counted, the prediction would be twice as much.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
kind=$2

cd "$tmp"
compile ./alternate -g -O0 -Wall -I"$root/include" "$here/alternate.c"
for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    watch program.weft 4 ./alternate "$kind" varied >out 2>err ||
        { cat err >&2; fail "alternate ended with status $?"; }
    read -r saved whole <out
    predicted=$(sql program.weft "SELECT all_50_ns / 1e6 FROM path WHERE kind = 'region' AND name = 'part'")
    echo "$kind: half of the region saves $saved of $whole ms, predicted ${predicted:-nothing}"
    awk -v s="$saved" -v w="$whole" -v p="${predicted:-0}" 'BEGIN {
        off = p - s
        exit off > 0.05 * w || -off > 0.05 * w
    }' && exit 0
done
fail "$kind with $MPI"
