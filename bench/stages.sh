# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# For the parts that compare weft's times with those that a program (stages.h) keeps of itself; to be sourced after
# lib.sh. Samples are JSON, one a line: {"how": ..., "rank": ..., "wall": ..., "sending": ..., "receiving": ...}, in ms.

# More ranks than cores: those that wait give theirs away. (The programs for MPICH are built with mpich_yield.c.)
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

# stages_plain MPI RANKS HOW PROGRAM...
stages_plain()
{
    local mpi=$1 ranks=$2 how=$3
    shift 3
    launch "$mpi" "$ranks" -- "$@" >"$scratch/times"
    [ "$(wc -l <"$scratch/times")" = "$ranks" ] || fail "$1 did not tell its times"
    awk -v how="$how" '{
        printf "{\"how\":\"%s\",\"rank\":%d,\"wall\":%.6f,\"sending\":%.6f,\"receiving\":%.6f}\n",
            how, $1, $2 / 1e6, $3 / 1e6, $4 / 1e6 }' \
        "$scratch/times"
}

# stages_of HOW SUFFIX: of the profile, in virtual time (suffix "") or as it was (_raw)
stages_of()
{
    local raw=$2 ns=ns
    [ -z "$raw" ] || ns=raw_ns
    sqlite3 -batch -bail "$scratch/profile.weft" "
        SELECT json_object('how', '$1', 'rank', rank, 'wall', wall_$ns / 1e6,
                           'sending', (SELECT coalesce(sum(time_$ns), 0) FROM event
                                       WHERE self_node = rank AND name = 'MPI_Send') / 1e6,
                           'receiving', (SELECT coalesce(sum(time_$ns), 0) FROM event
                                         WHERE self_node = rank AND name = 'MPI_Recv') / 1e6)
        FROM rank"
}

# stages_watched MPI RANKS CLOCK DELAY HOW PROGRAM...: prints samples of HOW and, from the same run, HOW-raw.
# $WEFT_OPTIONS are further options.
stages_watched()
{
    local mpi=$1 ranks=$2 clock=$3 delay=$4 how=$5
    shift 5
    rm -f "$scratch/profile.weft"
    # shellcheck disable=SC2086
    WEFT_TEST_DELAY=$delay "$weft" run --quiet --clock="$clock" ${WEFT_OPTIONS:-} -o "$scratch/profile.weft" -- \
        "$(mpi_run "$mpi")" -n "$ranks" "$@" >/dev/null </dev/null
    stages_of "$how" ""
    stages_of "$how-raw" _raw
}

# delays NS RANK...: what WEFT_TEST_DELAY wants
delays()
{
    local ns=$1 rank words=()
    shift
    for rank; do
        words+=("$rank:$ns")
    done
    (IFS=, && echo "${words[*]}")
}
