#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh BUILD_DIR [PART...]: what weft costs, as a table and in BUILD_DIR/bench.json. See README.md.
# Slow figures are shown, not punished: the status is 0 unless something did not run.
set -euo pipefail

parts=(latency alone start memory growth collect probes compile programs compensation matmul path order)
if [ ! -f "${1:-}/CMakeCache.txt" ]; then
    echo "usage: run.sh BUILD_DIR [${parts[*]}]" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
WEFT_BENCH_BUILD=$(cd "$1" && pwd)
WEFT_BENCH_WORK=$WEFT_BENCH_BUILD/bench
WEFT_BENCH_MPIS=
export WEFT_BENCH_BUILD WEFT_BENCH_WORK WEFT_BENCH_MPIS
shift
[ $# -eq 0 ] || parts=("$@")
for tool in jq awk sqlite3; do
    command -v $tool >/dev/null || { echo "bench: $tool is missing (tools/install-deps.sh build test)" >&2; exit 1; }
done

# What the user has set for weft or for a launcher's ranks is not what is measured here.
for variable in $(compgen -v WEFT_); do
    case $variable in WEFT_BENCH_*) ;; *) unset "$variable" ;; esac
done
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
fi

compile_for()
{
    local mpi=$1 cc=$2 out=$WEFT_BENCH_WORK/$1 program yield=()
    mkdir -p "$out"
    # MPI_STATUS_IGNORE is the address 1 in MPICH; gcc takes that for a mistake.
    local flags=(-O2 -g -D_GNU_SOURCE -Wall -Wno-stringop-overflow -Wno-stringop-overread)
    "$cc" "${flags[@]}" "$here/latency.c" -o "$out/latency" -lm
    "$cc" "${flags[@]}" "$here/calls.c" -o "$out/calls"
    "$cc" "${flags[@]}" -I"$here/../include" "$here/path.c" -o "$out/path"
    "$cc" "${flags[@]}" -shared -fPIC -Wl,-soname,libempty_mpi.so "$here/empty_mpi.c" -o "$out/libempty_mpi.so"
    [ "$mpi" != mpich ] || yield=("$here/mpich_yield.c" "-Wl,--export-dynamic-symbol=ucp_worker_progress")
    for program in "$here"/{start,memory,montecarlo,matmul,order}.c "$here/../examples/heat.c"; do
        "$cc" "${flags[@]}" "$program" "${yield[@]}" -o "$out/$(basename "$program" .c)" -lm
    done
}

mkdir -p "$WEFT_BENCH_WORK"
cc -O2 -Wall -D_GNU_SOURCE "$here/cost_of.c" -o "$WEFT_BENCH_WORK/cost_of"
cc -O2 -Wall -D_GNU_SOURCE -I"$here/../src" -I"$here/../include" "$here/segment.c" -o "$WEFT_BENCH_WORK/segment"
for mpi in ompi mpich; do
    mpicc=$(sed -n "s/^WEFT_${mpi}_CC:[A-Z]*=//p" "$WEFT_BENCH_BUILD/CMakeCache.txt")
    [ -x "$mpicc" ] || continue
    compile_for $mpi "$mpicc"
    WEFT_BENCH_MPIS="$WEFT_BENCH_MPIS $mpi"
done

rows=$WEFT_BENCH_WORK/rows.json
: >"$rows"
broken=0
for part in "${parts[@]}"; do
    [ ! -t 2 ] || printf '\rmeasuring: %-12s' "$part" >&2
    if ! bash "$here/$part.sh" >"$WEFT_BENCH_WORK/$part.rows"; then
        echo "bench: part $part did not run" >&2
        broken=1
        continue
    fi
    cat "$WEFT_BENCH_WORK/$part.rows" >>"$rows"
done
[ ! -t 2 ] || printf '\r%-30s\r' "" >&2

jq -s --arg date "$(date -u +%FT%TZ)" --arg cpu "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" \
    --argjson cores "$(nproc)" --arg load "$(cut -d' ' -f1-3 /proc/loadavg)" \
    '{$date, machine: {$cpu, $cores, $load}, rows: .}' "$rows" >"$WEFT_BENCH_BUILD/bench.json"
jq -r -f "$here/table.jq" "$WEFT_BENCH_BUILD/bench.json"
exit $broken
