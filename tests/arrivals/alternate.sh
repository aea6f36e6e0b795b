#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# alternate.sh openmpi|mpich KIND: two ranks that work in turn have a serialisation efficiency of one half, and lose
# nothing to transfers.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
kind=$2
ranks=2
[ "$kind" != write ] || ranks=4

cd "$tmp"
compile ./alternate -g -O0 -Wall -I"$root/include" "$here/alternate.c"
for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    watch program.weft "$ranks" ./alternate "$kind" >out 2>&1 || { cat out >&2; fail "alternate ended with status $?"; }
    serialisation=$(sql program.weft "SELECT value FROM efficiency WHERE name = 'serialisation_efficiency'")
    transfer=$(sql program.weft "SELECT value FROM efficiency WHERE name = 'transfer_efficiency'")
    echo "$kind: serialisation $serialisation, transfer $transfer"
    awk -v s="$serialisation" -v t="$transfer" 'BEGIN { exit s < 0.45 || s > 0.58 || t < 0.85 || t > 1 }' && exit 0
done
fail "$kind with $MPI"
