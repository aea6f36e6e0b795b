#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh FUZZ KIND [COUNT [FIRST [SEED]]]: makes real inputs, damages those of this kind COUNT times, and looks what
# weft does with that. Where that fails, the inputs stay in the current directory, and a case can be tried again by its
# number.
kept=$PWD/fuzz-$2
fuzz=$1 kind=$2 count=${3:-1000} first=${4:-0} seed=${5:-1}
. "$(dirname "$0")/../lib.sh"
cd "$tmp"
for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null && break
done
use_mpi $mpi
cp "$root/examples/heat.c" .
"$WEFT" cc "$CC" -g -O2 heat.c -o app -lm || fail "the example does not compile"
limited "$WEFT" run -q --keep -o run.weft "$MPIRUN" -n 3 ./app 40 >out 2>&1 ||
    fail "the example does not run: $(cat out)"
mv .weft-* run
if ! "$fuzz" "$kind" . "$count" "$first" "$seed" 2>err; then
    rm -rf "$kept"
    cp -r . "$kept"
    fail "$(cat err)
to try a case again: $fuzz $kind $kept 1 NUMBER $seed"
fi
