#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh openmpi|mpich CASE: runs a program without and with weft and compares all that can be seen of it: its output,
# its errors, its exit status, and what its ranks say in files (say.h).
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
case=$2

# Process numbers, job numbers and addresses differ from run to run. Where a process crashes, Open MPI prints the stack,
# which has weft's own frames in it. $figures are lines that are no result.
figures='^$'
normalise()
{
    sed -E -e '/^weft: /d' -e "/$figures/d" -e '/^\[[^]]*\] \[ ?[0-9]+\] /d' \
        -e 's/\[([^]:[]+):[0-9]+[^]]*\]/[\1:PID]/g' -e '/^ *[0-9]+  .*\[0x[0-9a-f]+\]$/d' \
        -e 's/\(tid: +[0-9]+\)/(tid)/' -e 's/\[\[[0-9]+,[0-9]+\],[0-9]+\]/[PROCESS]/g' \
        -e 's/\[[0-9]+,[0-9]+\]/[PROCESS]/g' -e 's/0x[0-9a-f]+/ADDRESS/g' -e 's/^Abort\([0-9]+\)/Abort(CODE)/' \
        -e 's/\b(PID|pid) [0-9]+/\1 N/g' -e 's/address: \(nil\)/address: ADDRESS/' "$1" | sort
}

# observe HOW COMMAND...: runs it in a directory of its own, with $input as its input.
input=/dev/null
observe()
{
    local how=$1 status=0
    shift
    mkdir "$tmp/here" # its name is the same for all
    (cd "$tmp/here" && "$@" <"$input" >"$tmp/$how.stdout" 2>"$tmp/$how.stderr") || status=$?
    mv "$tmp/here" "$tmp/$how"
    echo "$status" >"$tmp/$how/status"
    normalise "$tmp/$how.stdout" >"$tmp/$how/stdout"
    normalise "$tmp/$how.stderr" >"$tmp/$how/stderr"
}

# same RANKS COMMAND...: the same with and without weft; in both orders of launching if $orders is 2. The profile shows
# that it was watched.
orders=1
same()
{
    local ranks=$1
    shift
    rm -rf "$tmp/plain" "$tmp/watched" "$tmp/inside" "$tmp/profile.weft" "$tmp/inside.weft"
    observe plain launch "$ranks" "$@"
    observe watched watch "$tmp/profile.weft" "$ranks" "$@"
    differ plain watched "$*"
    [ -e "$tmp/profile.weft" ] || fail "$*: there is no profile, so it was not watched"
    [ "$(sql "$tmp/profile.weft" 'SELECT count(*) FROM rank WHERE world = 0 AND events > 0')" = "$ranks" ] ||
        fail "$*: not all ranks were watched"
    [ "$(cat "$tmp/plain/status")" != 0 ] || [ "$(sql "$tmp/profile.weft" 'SELECT min(complete) FROM rank')" = 1 ] ||
        fail "$*: it ended well, but the profile is not complete"
    [ $orders = 2 ] || return 0
    observe inside limited "$MPIRUN" -n "$ranks" "$WEFT" run --quiet -o "$tmp/inside.weft" "$@"
    differ plain inside "mpirun weft run $*"
    [ -e "$tmp/inside.weft" ] || fail "mpirun weft run $*: there is no profile"
}

differ()
{
    grep -q '^(did not end' "$tmp/$1.stderr" "$tmp/$2.stderr" && cat "$tmp/$1.stderr" "$tmp/$2.stderr" >&2 &&
        fail "$3: hangs"
    diff -r "$tmp/$1" "$tmp/$2" >"$tmp/diff" && return 0
    head -40 "$tmp/diff"
    cat "$tmp/$2.stderr" >&2
    fail "$3: it is not the same with weft ($(wc -l <"$tmp/diff") lines)"
}

build()
{
    compile "$tmp/program" -g -O1 "$@"
}

# What MPI and the launcher say of a process that ended comes through complete or not, as it happens: only the program's
# own words count.
build_ending()
{
    build "$here/ending.c"
    figures='^([^r]|$)'
}

# Which of several ends a launcher notices first, and how far the others come, is a race, with and without weft: a
# difference must be there three times.
same_ending()
{
    (same "$@") || (same "$@") || same "$@"
}

endings()
{
    build_ending
    local how
    for how in code one_code; do
        orders=2 same_ending 2 "$tmp/program" $how
    done
    for how in exit late twice; do
        same_ending 2 "$tmp/program" $how
    done
    # These end before MPI is initialised: there is nothing to watch.
    for how in before early; do
        rm -rf "$tmp/plain" "$tmp/watched"
        observe plain launch 1 "$tmp/program" $how
        observe watched watch "$tmp/profile.weft" 1 "$tmp/program" $how
        differ plain watched "$tmp/program $how"
    done
}

crashes()
{
    build_ending
    local how
    for how in abort segfault kill terminate handler error; do
        same_ending 2 "$tmp/program" $how
    done
}

surroundings()
{
    build "$here/surroundings.c"
    input=$tmp/input
    seq 1 500 >"$input" # with much more, both launchers crash now and then
    FORTY_TWO="two words" orders=2 same 2 "$tmp/program" one "two words" "" '*' "'" --quiet -o
}

layer()
{
    build -DARGUMENTS=1 "$here/layered.c" "$here/layer.c"
    same 2 "$tmp/program"
    compile "$tmp/liblayer.so" -g -shared -fPIC -DARGUMENTS=0 "$here/layer.c"
    build "$here/layered.c" "-L$tmp" -llayer "-Wl,-rpath,$tmp"
    same 2 "$tmp/program"
}

fortran()
{
    build -cpp -w "-DUSE_$1" "-D${MPI^^}" -fallow-argument-mismatch -ffree-line-length-none "$here/fortran.F90"
    same 4 "$tmp/program"
}

# Debian's LAMMPS and HPC Challenge are made for Open MPI.
lammps()
{
    command -v lmp >/dev/null || skip "there is no lmp here (package lammps)"
    figures='CPU = |Loop time|Performance|CPU use|^(Pair|Neigh|Comm|Output|Modify|Other) |Total wall time'
    local ranks
    for ranks in 2 4; do
        same $ranks lmp -in "$here/melt.lammps" -log none
    done
    grep -q '^ *50 ' "$tmp/plain/stdout" || fail "lmp did not reach step 50"
}

hpcc()
{
    command -v hpcc >/dev/null || skip "there is no hpcc here"
    local how
    for how in plain watched; do
        mkdir -p "$tmp/$how"
        cp "$here/hpccinf.txt" "$tmp/$how/"
    done
    (cd "$tmp/plain" && LIMIT=100 launch 2 hpcc) || fail "hpcc fails without weft"
    (cd "$tmp/watched" && LIMIT=100 watch "$tmp/profile.weft" 2 hpcc) || fail "hpcc fails with weft"
    for how in plain watched; do
        # What it found right or wrong, and how large it was; not how fast.
        grep -E -e 'Success=|_(N|NB|nprow|npcol|VectorSize|Errors)=|\.+ (PASSED|FAILED)|tests (completed|skipped)' \
            -e 'End of HPC' "$tmp/$how/hpccoutf.txt" >"$tmp/$how.result"
    done
    grep -q 'Success=1' "$tmp/plain.result" || fail "hpcc does not succeed without weft"
    diff "$tmp/plain.result" "$tmp/watched.result" || fail "hpcc does not find the same with weft"
    [ "$(sql "$tmp/profile.weft" 'SELECT count(*) FROM rank WHERE events > 0')" = 2 ] || fail "hpcc was not watched"
}

case $case in
many.c) # MPICH makes communicators very slowly with more ranks than cores
    build "$here/many.c"
    same 2 "$tmp/program"
    ;;
statuses.c)
    build "$here/statuses.c"
    orders=2 same 4 "$tmp/program"
    ;;
*.c)
    build "$here/$case"
    same 4 "$tmp/program"
    ;;
fortran.*) fortran "${case#fortran.}" ;;
*) "$case" ;;
esac
