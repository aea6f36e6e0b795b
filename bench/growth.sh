#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The segments of the example, and of the example run ten times longer: the same size.
. "$(dirname "$0")/lib.sh"

steps=$(repeat 200 50)
export OMPI_MCA_mpi_yield_when_idle=1

# segments MPI STEPS: KiB in use, all ranks together
segments()
{
    launch_watched "$1" 4 "$scratch/$1.$2" -- "$work/$1/heat" "$2" 400 >&2
    "$work/segment" "$scratch/$1.$2"/*.seg | jq -s 'map(.used_bytes) | add / 1024'
}

for mpi in $mpis; do
    short=$(segments "$mpi" "$steps" 2>/dev/null) || fail "the example did not run under $(mpi_name "$mpi")"
    long=$(segments "$mpi" $((10 * steps)) 2>/dev/null) || fail "the example did not run under $(mpi_name "$mpi")"
    row growth "$mpi" "segments, example 10 times longer" KiB "$short" "$long" "$(jq -n "$long - $short")" 0
done
