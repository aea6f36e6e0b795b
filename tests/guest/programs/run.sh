#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh NAME [WAY]: one program of programs.tbl, built in each of its ways, behaves with weft as without it, and its
# profile has the known answers.
. "$(dirname "$0")/../../lib.sh"
name=$1 only=${2:-}
row=$(grep -E "^$name +" "$here/programs.tbl") || fail "there is no $name in programs.tbl"
read -r _ ways ranks answers <<<"$row"
source=${name%%.*} argument=
[ "$source" = "$name" ] || argument=${name#*.}
: "${LIMIT:=60}" # what hangs does so for ever; what takes a second may take many on a loaded machine
cd "$tmp"
export ASAN_OPTIONS=detect_leaks=0 # MPI libraries leave some

# procedures PREFIX COUNT: so many, and an array of them
procedures()
{
    awk -v p="$1" -v n="$2" 'BEGIN {
        for (i = 0; i < n; i++)
            printf "__attribute__((noinline)) static void %s%d(void)\n{\n    REGION(\"%s%d\") { guest_sink++; }\n}\n",
                p, i, p, i
        printf "static void (*const %s[])(void) = {", p
        for (i = 0; i < n; i++)
            printf "%s%d, ", p, i
        print "};"
    }'
}

# What a source says it needs: " * procedures: PREFIX COUNT", " * library: FILE SOURCE FLAGS..." and " * skip:
# PROCEDURES" (which weft cc shall leave alone) in its first comment
wishes()
{
    sed -n "s/^ \* $1: //p" "$here/$file"
}

is_c()
{
    [ "${1%.c}" != "$1" ]
}

# build WAY OUT FLAG... FILE: with the MPI's compiler if there are ranks
build()
{
    local way=$1 out=$2 compiler=gcc
    shift 2
    is_c "${!#}" || compiler=g++
    if [ "$ranks" != 0 ]; then
        compiler=$CC
        is_c "${!#}" || compiler=$CXX
    fi
    local flags=(-g "${level:--O1}" -pthread -Wall -Wextra -D_GNU_SOURCE "-I$here")
    case $way in
    plain) ;;
    cc) compiler="$WEFT cc --all --skip $skipped $compiler" ;;
    cyg) flags+=(-finstrument-functions) ;;
    hand) flags+=(-DBY_HAND "-I$root/include") ;;
    *asan) flags+=(-fsanitize=address) ;;
    *tsan) flags+=(-fsanitize=thread) ;;
    *ubsan) flags+=(-fsanitize=undefined) ;;
    *) fail "there is no way '$way'" ;;
    esac
    case $way in
    clang-*)
        command -v clang >/dev/null || skip "there is no clang here"
        export OMPI_CC=clang MPICH_CC=clang
        [ "$ranks" != 0 ] || compiler=clang
        ;;
    cc-*) compiler="$WEFT cc --all $compiler" ;;
    esac
    # shellcheck disable=SC2086
    $compiler "${flags[@]}" "$@" -o "$out" ${more:-} || fail "$way: cannot build $out"
}

# make WAY: the program and its libraries in a directory of their own, which stays when others are made
make()
{
    local way=$1 more="" level=""
    file=$source.c
    [ -e "$here/$file" ] || file=$source.cpp
    dir=$tmp/${MPI:-alone}-$way
    mkdir -p "$dir"
    {
        echo '#include "guest.h"'
        wishes procedures | while read -r prefix count; do
            procedures "$prefix" "$count"
        done
        cat "$here/$file"
    } >"$dir/$file"
    skipped=$(wishes skip)
    : "${skipped:=none}"
    [ "${MPI:-}" != mpich ] || more=$(mpich_yield)
    # Many procedures are for many meetings, not for the compiler to think about.
    [ -z "$(wishes procedures)" ] || level=-O0
    build "$way" "$dir/program" "$dir/$file"
    more=
    wishes library | while read -r library part flags; do
        cp "$here/$part" "$dir/$part"
        # shellcheck disable=SC2086
        ranks=0 build "$way" "$dir/$library" -shared -fPIC $flags "$dir/$part"
    done
    if [ "$(type -t "prepare_$source")" = function ]; then
        "prepare_$source"
    fi
}

launchers_words='^=|CLEANING UP REMAINING|IGNORE THE BELOW CLEANUP|see the FAQ page|typically refers to a problem'
launchers_words+='|APPLICATION TERMINATED WITH|^$'

# observe HOW COMMAND...: in the program's directory; output, errors and status go to HOW.*
observe()
{
    local how=$1 status=0
    shift
    (cd "$dir" && rm -f answers && "$@" </dev/null >"$tmp/$how.out" 2>"$tmp/$how.all") || status=$?
    echo "$status" >"$tmp/$how.status"
    # What the launchers say of a process that died differs from run to run, and whether they say it.
    sed -i -E 's/\bPID [0-9]+/PID N/' "$tmp/$how.out"
    ! wants fails || sed -i -E "/$launchers_words/d" "$tmp/$how.out"
    if [ "$ranks" = 0 ]; then
        grep -v '^weft: ' "$tmp/$how.all" >"$tmp/$how.err" || true
    else
        : >"$tmp/$how.err"
        sort -o "$tmp/$how.out" "$tmp/$how.out"
    fi
}

started=()
how_started()
{
    started=(./program)
    [ -z "$argument" ] || started+=("$argument")
    [ "$ranks" = 0 ] || started=("$MPIRUN" -n "$ranks" "${started[@]}")
    if [ "$(type -t "start_$source")" = function ]; then
        "start_$source"
    fi
}

same()
{
    local part
    if grep -q '^(did not end' "$tmp/watched.all"; then
        tail -n 5 "$tmp/watched.out" "$tmp/watched.all" >&2
        fail "$1: hangs with weft"
    fi
    for part in status out err; do
        cmp -s "$tmp/plain.$part" "$tmp/watched.$part" && continue
        ! { wants fails || [ -n "$fails_alone" ]; } || [ $part != status ] ||
            [ "$(cat "$tmp/plain.status")" = 0 ] || [ "$(cat "$tmp/watched.status")" = 0 ] || continue
        diff "$tmp/plain.$part" "$tmp/watched.$part" | head -20 >&2 || true
        tail -n 20 "$tmp/watched.all" >&2
        fail "$1: another $part with weft"
    done
}

all_visits="(SELECT name, proc_num AS num, proc_time AS time FROM proc JOIN event ON event.id = proc.event
    UNION ALL SELECT name, region_num, region_time FROM region JOIN event ON event.id = region.event)"

# between GOT RANGE
between()
{
    local low=${2%-*} high=${2#*-}
    [ "$1" -ge "$low" ] && [ "$1" -le "$high" ]
}

# hold WAY ANSWER
hold()
{
    local way=$1 answer=$2 got
    # Without probes, no procedure is seen.
    case $way,$answer in
    plain,mpi:* | plain,headers | *san,mpi:*) ;;
    plain,* | *san,*) return 0 ;;
    esac
    case $answer in
    adaptive | times:* | root | profile:no | says:*) ;;
    headers)
        got=$(sql "$profile" "SELECT group_concat(value) FROM (SELECT value FROM run WHERE key IN ('headers_missing',
            'headers_taken') ORDER BY key)")
        [ "${got%,*}" = 0 ] && [ "${got#*,}" -gt 0 ] || fail "$way: of headers are missing, taken: $got"
        ;;
    path:*'<'*)
        answer=${answer#path:}
        got=$(sql "$profile" "SELECT CAST(coalesce(sum(share_pct), 0) AS INTEGER) FROM path
            WHERE name = '${answer%<*}'")
        [ "$got" -lt "${answer#*<}" ] || fail "$way: ${answer%<*} has $got % of the critical path"
        ;;
    mpi:*=*)
        answer=${answer#mpi:}
        got=$(sql "$profile" "SELECT coalesce(sum(calls), 0) FROM event WHERE name = '${answer%=*}'")
        [ "$got" = "${answer#*=}" ] || fail "$way: $got calls of ${answer%=*} instead of ${answer#*=}"
        ;;
    *'*'=*)
        got=$(sql "$profile" "SELECT coalesce(sum(num), 0) FROM $all_visits WHERE name GLOB '${answer%=*}'")
        [ "$got" = "${answer#*=}" ] || [ "$(sql "$profile" "SELECT value FROM run WHERE key = 'complete'")" = 0 ] ||
            fail "$way: $got visits of ${answer%=*} instead of ${answer#*=}, and nothing is said to be dropped"
        ;;
    *=*)
        got=$(sql "$profile" "SELECT coalesce(sum(num), 0) FROM $all_visits WHERE name = '${answer%=*}'")
        between "$got" "${answer#*=}" || fail "$way: $got visits of ${answer%=*} instead of ${answer#*=}"
        ;;
    *~*)
        got=$(sql "$profile" "SELECT coalesce(sum(time), 0) / 1000000 FROM $all_visits WHERE name = '${answer%~*}'")
        between "$got" "${answer#*~}" || fail "$way: $got ms in ${answer%~*} instead of ${answer#*~}"
        ;;
    *) fail "what is '$answer'?" ;;
    esac
}

# wants WORD: is it among the answers?
wants()
{
    case " $answers " in
    *" $1 "*) return 0 ;;
    *) return 1 ;;
    esac
}

watched()
{
    local way=$1 answer options=(--no-adaptive)
    ! wants adaptive || options=()
    rm -f "$profile"
    observe watched limited "$WEFT" run --quiet -o "$profile" "${options[@]}" -- "${started[@]}"
    same "$way"
    for answer in $answers; do
        [ "${answer#says:}" = "$answer" ] || grep "^weft: .*${answer#says:}" "$tmp/watched.all" >/dev/null ||
            fail "$way: weft does not say '${answer#says:}': $(grep '^weft' "$tmp/watched.all")"
    done
    if [ ! -e "$profile" ]; then
        wants profile:no && return
        cat "$tmp/watched.all" >&2
        fail "$way: there is no profile"
    fi
    for answer in $answers $(cat "$dir/answers" 2>/dev/null || true); do
        hold "$way" "$answer"
    done
}

# In all ways, against the program as it is without any: one that weft cannot spoil.
program()
{
    local way times=1 word i
    profile=$tmp/profile.weft
    for word in $answers; do
        [ "${word#times:}" = "$word" ] || times=${word#times:}
    done
    how_started
    for way in ${ways//,/ }; do
        unset OMPI_CC MPICH_CC
        fails_alone=
        [ -z "$only" ] || [ "$only" = "$way" ] || continue
        case $way in
        *san)
            make "$way"
            observe plain limited "${started[@]}"
            # Not every MPI library can live with every sanitizer. With which status a launcher ends then, varies.
            if ! wants fails && [ "$(cat "$tmp/plain.status")" != 0 ]; then
                fails_alone=yes
                echo "NOTE: ${MPI:-alone}, $way: fails without weft, too; that it fails is all that is compared"
            fi
            ;;
        *)
            if [ ! -d "$tmp/${MPI:-alone}-plain" ]; then
                make plain
                observe plain limited "${started[@]}"
                ! grep '^(did not end' "$tmp/plain.all" >&2 || fail "hangs without weft"
                [ "$(cat "$tmp/plain.status")" != 99 ] ||
                    fail "does not do what it should without weft: $(cat "$tmp/plain.out")"
            fi
            [ "$way" = plain ] || make "$way"
            dir=$tmp/${MPI:-alone}-$way
            ;;
        esac
        for ((i = 0; i < times; i++)); do
            watched "$way"
        done
    done
}

if wants root && [ "$(id -u)" != 0 ]; then
    skip "only root can try that"
fi
prepare_libraries()
{
    local i
    for i in $(seq 100); do
        cp "$dir/part.so" "$dir/part$i.so"
    done
}

prepare_shapes()
{
    printf '#!/bin/sh\nexec ./program script\n' >"$dir/script.sh"
    printf '#!/bin/sh\n./program script\nexit 3\n' >"$dir/goes_on.sh"
    printf '#!/bin/sh\n%s -n 2 ./program one && %s -n 2 ./program two\n' "$MPIRUN" "$MPIRUN" >"$dir/twice.sh"
    printf -- '-n 1 ./program one\n-n 1 ./program two\n' >"$dir/applications"
    chmod +x "$dir"/*.sh
}

start_shapes()
{
    local of=--app
    [ "$MPI" = openmpi ] || of=-configfile
    case $argument in
    several) started=("$MPIRUN" -n 1 ./program one : -n 1 ./program two) ;;
    script) started=("$MPIRUN" -n 2 ./script.sh) ;;
    goes_on) started=("$MPIRUN" -n 2 ./goes_on.sh) ;;
    twice) started=(./twice.sh) ;;
    file) started=("$MPIRUN" "$of" applications) ;;
    shell) started=(sh -c "$MPIRUN -n 2 ./program 'a b'; exit 5") ;;
    esac
}

# The profile and with it the run directory on a small file system; nearly filled for "start"
start_full()
{
    mkdir -p "$tmp/small"
    mount -t tmpfs -o size=256k tmpfs "$tmp/small" 2>/dev/null || skip "cannot mount here"
    at_exit+=(unmount_full)
    profile=$tmp/small/profile.weft
    [ "$argument" != start ] || head -c 250000 /dev/zero >"$tmp/small/filler" 2>/dev/null || true
}

unmount_full()
{
    umount "$tmp/small"
}

if [ "$ranks" = 0 ]; then
    program
else
    each_mpi program
fi
