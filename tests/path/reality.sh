#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# reality.sh openmpi|mpich PROGRAM DEPTH WHAT HALVED: what weft says that half of WHAT would save, against really doing
# half of it: HALVED is the argument that says so. Both runs are unwatched; the difference may be 5 % of the run. WHAT
# is a region's name, or behind:MARK as in PROGRAM.expect.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_path.sh"
use_mpi "$1"
name=$2 depth=$3 what=$4 halved=$5
source=$here/$name.c
ranks=$(ranks_of "$source")

predicted_ms()
{
    local where="kind IN ('region', 'procedure') AND name = '$what'"
    watch program.weft "$ranks" ./program >/dev/null 2>err || { cat err >&2; fail "$name ended with status $?"; }
    case $what in
    behind:*) where="kind = 'stretch' AND line = $(line_of "$source" "${what#behind:}") AND file LIKE '%$name.c'" ;;
    esac
    sql program.weft "SELECT whatif_50_ns / 1e6 FROM path WHERE $where" >predicted
    [ "$(wc -l <predicted)" = 1 ] || fail "$what is in the profile of $name $(wc -l <predicted) times, not once"
    cat predicted
}

run_ms()
{
    launch "$ranks" ./program "$@" 2>err >ms || { cat err >&2; fail "$name $* ended with status $?"; }
    cut -d' ' -f1 ms
}

cd "$tmp"
build_depth ./program "$source" "$depth"
for ((attempt = 1; attempt <= attempts; attempt++)); do
    calm $attempt
    predicted=$(predicted_ms)
    whole=$(run_ms)
    half=$(run_ms "$halved")
    awk -v p="$predicted" -v w="$whole" -v h="$half" -v what="$what" 'BEGIN {
        printf "%s by half: %.1f of %.1f ms predicted, %.1f saved\n", what, p, w, w - h
        off = w - h - p
        exit (off < 0 ? -off : off) > 0.05 * w || p <= 0.05 * w
    }' && exit 0
done
fail "$name with $MPI: the prediction is off by more than 5 % of the run, or too small to show anything"
