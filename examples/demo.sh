#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the heat example with the MPI at hand, runs it on four ranks under weft and shows the report.
set -eu
build=$(cd "${1:-build}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$build/demo
mkdir -p "$work"
cd "$work"

mpicc=$(command -v mpicc.openmpi || command -v mpicc.mpich || command -v mpicc)
case $mpicc in
*.*) mpirun=mpirun.${mpicc##*.} ;;
*) mpirun=mpirun ;;
esac
(cd "$here" && "$mpicc" -O2 -g heat.c -o "$work/heat" -lm)

# Open MPI refuses root and more ranks than cores unless it is told that both are meant; waiting ranks shall not burn the cores of others.
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

echo "\$ weft run mpirun -n 4 ./heat 2000"
"$build/bin/weft" run "$mpirun" -n 4 ./heat 2000
echo
echo "\$ weft report heat.weft"
"$build/bin/weft" report heat.weft
echo
echo "\$ weft report --path heat.weft"
"$build/bin/weft" report --path heat.weft
echo
echo "\$ weft report --ranks heat.weft"
"$build/bin/weft" report --ranks heat.weft
