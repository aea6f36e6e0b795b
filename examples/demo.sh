#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Builds the heat example with an MPI library of this machine, runs it under weft, on two to four ranks and not more
# than there are cores, and shows the reports.
# demo.sh [BUILD_DIR]
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

# Open MPI runs as root, or with more ranks than cores, only if it is told so. Waiting ranks must leave the cores to
# working ones.
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

# Ranks without a core would show the scheduler's work, not the program's.
ranks=$(nproc 2>/dev/null || echo 2)
[ "$ranks" -le 4 ] || ranks=4
[ "$ranks" -ge 2 ] || ranks=2

echo "\$ weft run mpirun -n $ranks ./heat 2000"
"$build/bin/weft" run "$mpirun" -n "$ranks" ./heat 2000
echo
echo "\$ weft report heat.weft"
"$build/bin/weft" report heat.weft
echo
echo "\$ weft report --path heat.weft"
"$build/bin/weft" report --path heat.weft
echo
echo "\$ weft report --ranks heat.weft"
"$build/bin/weft" report --ranks heat.weft
