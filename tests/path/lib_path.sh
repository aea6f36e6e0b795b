# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# For the tests of the critical path; to be sourced after ../lib.sh, and `use_mpi` done.
#
#   build_depth OUT SOURCE DEPTH    a program of known.h: plain, hand (regions marked by hand) or cc (with weft cc)
#   ranks_of SOURCE                 on how many it wants to run
#   line_of SOURCE MARK             of the statement that carries the mark
#   attempt COMMAND...              up to $attempts times: the command adds a line WHAT|SENTENCE to the file wrong for
#                                   each difference, and wrong is what differs each time

attempt()
{
    local try
    for ((try = 1; try <= attempts; try++)); do
        calm $try
        : >wrong
        "$@"
        cut -d'|' -f1 wrong | sort -u >cases
        [ $try = 1 ] || { comm -12 cases always >both && mv both cases; }
        mv cases always
        [ -s always ] || return 0
        cat wrong
    done
    fail "$* of $(basename "$0" .sh) with $MPI: $(tr '\n' ',' <always)"
}

build_depth()
{
    local out=$1 source=$2 depth=$3
    [ -e "$tmp/known.o" ] || "$CC" -g -O0 -c -o "$tmp/known.o" "$here/known.c" || fail "known.c does not compile"
    case $depth in
    plain) compile "$out" -g -O0 "$source" "$tmp/known.o" ;;
    hand) compile "$out" -g -O0 -DBY_HAND -I"$root/include" "$source" "$tmp/known.o" ;;
    cc)
        "$WEFT" cc "$CC" -g -O0 -c -o "$out.o" "$source" || fail "weft cc does not compile $source"
        compile "$out" "$out.o" "$tmp/known.o"
        ;;
    *) fail "there is no depth $depth" ;;
    esac
}

ranks_of()
{
    sed -n 's/.*known_start(&argc, &argv, \([0-9]*\)).*/\1/p' "$1"
}

line_of()
{
    local line
    line=$(grep -n "/\* @$2 \*/" "$1" | cut -d: -f1)
    [ -n "$line" ] || fail "no statement of $1 is marked @$2"
    echo "$line"
}
