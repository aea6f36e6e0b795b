# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# What the parts of the benchmark share; to be sourced by bash. run.sh has set and exported:
#
#   WEFT_BENCH_BUILD   weft's build directory        WEFT_BENCH_WORK   where programs and scratch files go
#   WEFT_BENCH_MPIS    "ompi mpich" or one of them   WEFT_BENCH_QUICK  1: few repetitions, to see that it works
#
# A part prints rows, one JSON object a line, and messages to stderr. It fails only if something did not run.
set -euo pipefail

build=$WEFT_BENCH_BUILD
work=$WEFT_BENCH_WORK
mpis=$WEFT_BENCH_MPIS
quick=${WEFT_BENCH_QUICK:-0}
weft=$build/bin/weft
preload=$build/lib/weft/libweft.so

fail()
{
    echo "bench: $*" >&2
    exit 1
}

scratch=$(mktemp -d "$work/scratch.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

# repeat USUAL QUICK: how often
repeat()
{
    if [ "$quick" = 1 ]; then echo "$2"; else echo "$1"; fi
}

mpi_name()
{
    case $1 in
    ompi) echo "Open MPI" ;;
    mpich) echo MPICH ;;
    *) echo - ;;
    esac
}

mpi_cc()
{
    sed -n "s/^WEFT_$1_CC:[A-Z]*=//p" "$build/CMakeCache.txt"
}

# The launcher beside the compiler: mpicc.openmpi -> mpirun.openmpi
mpi_run()
{
    local cc
    cc=$(mpi_cc "$1")
    echo "$(dirname "$cc")/$(basename "$cc" | sed 's/mpicc/mpirun/')"
}

# launch MPI RANKS [NAME=VALUE...] -- COMMAND...: the variables are set in the ranks only, not in the launcher
launch()
{
    local mpi=$1 ranks=$2 words=()
    shift 2
    while [ "$1" != -- ]; do
        case $mpi in
        ompi) words+=(-x "$1") ;;
        mpich) words+=(-genv "${1%%=*}" "${1#*=}") ;;
        esac
        shift
    done
    shift
    "$(mpi_run "$mpi")" -n "$ranks" ${BIND:+$BIND core} "${words[@]}" "$@" </dev/null
}

# launch_watched MPI RANKS DIRECTORY -- COMMAND...: with the library alone; the segments are left in the directory. A
# run that was not watched would look cheap, so it is a failure.
launch_watched()
{
    local mpi=$1 ranks=$2 directory=$3
    shift 4
    mkdir -p "$directory"
    launch "$mpi" "$ranks" "LD_PRELOAD=$preload" "WEFT_DIR=$directory" -- "$@"
    local found
    found=$("$work/segment" "$directory"/*.seg | jq -s 'map(select(.sites > 0)) | length')
    [ "$found" = "$ranks" ] || fail "$1 on $ranks ranks: $found were watched"
}

# row PART MPI NAME UNIT PLAIN WATCHED DIFFERENCE LIMIT [DETAILS]: numbers or null; what LIMIT bounds is the difference
row()
{
    local details=${9:-}
    [ -n "$details" ] || details='{}'
    jq -cn --arg part "$1" --arg mpi "$(mpi_name "$2")" --arg name "$3" --arg unit "$4" \
        --argjson plain "$5" --argjson watched "$6" --argjson difference "$7" --argjson limit "$8" \
            --argjson details "$details" \
        '{$part, $mpi, $name, $unit, $plain, $watched, $difference, $limit,
          verdict: (if $limit == null then null elif $difference <= $limit then "ok" else "over" end), $details}'
}

# Reads numbers, one a line.
median()
{
    jq -s 'sort | if length == 0 then null elif length % 2 == 1 then .[(length - 1) / 2]
        else (.[length / 2 - 1] + .[length / 2]) / 2 end'
}
