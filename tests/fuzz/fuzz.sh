#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh FUZZ [COUNT [FIRST [SEED]]]: makes real inputs, damages each kind of them COUNT times, and looks what weft does with that.
fuzz=$1 count=${2:-1000} first=${3:-0} seed=${4:-1}
. "$(dirname "$0")/../lib.sh"
cd "$tmp"
for mpi in openmpi mpich; do
    command -v mpicc.$mpi >/dev/null && break
done
use_mpi $mpi
cp "$root/examples/heat.c" .
"$WEFT" cc "$CC" -g -O2 heat.c -o app -lm || fail "the example does not compile"
limited "$WEFT" run -q --keep -o run.weft "$MPIRUN" -n 3 ./app 40 >out 2>&1 || fail "the example does not run: $(cat out)"
mv .weft-* run
for kind in segment profile elf note; do
    start=$SECONDS
    "$fuzz" $kind . "$count" "$first" "$seed" 2>err || fail "$(cat err)"
    echo "  $((SECONDS - start)) s"
done
