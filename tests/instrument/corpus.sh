#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Hard C and C++: each program of corpus/ says, does and warns the same with probes everywhere as without any, alone and under weft run, and
# what cannot have a probe is known by its reason. Comments in the programs say how:
#
#   FLAGS: ...     more flags for the compiler
#   ONLY: gcc      for one compiler
#   COMPILE ONLY   not to be run
#   UNPARSED       libclang does not understand it: the one warning of weft cc is expected
#   SKIPPED: ...   weft instrument -v --all has to give this reason
#
# usage: corpus.sh gcc|clang [program...]
. "$(dirname "$0")/../lib.sh"

compiler=$1
shift
command -v "$compiler" >/dev/null || skip "there is no $compiler here"
cd "$here/corpus"
[ $# -gt 0 ] || set -- *.c *.cpp

tag()
{
    sed -n "s,^\(//\|/\*\) $2\(: *\|\)\([^*]*[^* ]\|\) *\(\*/\|\)\$,\3,p" "$1"
}

has_tag()
{
    grep -q "^\(//\|/\*\) $2" "$1"
}

driver()
{
    case $1 in
    *.cpp) case $compiler in gcc) echo g++ ;; *) echo clang++ ;; esac ;;
    *) echo "$compiler" ;;
    esac
}

# Runs a program with its output, errors and exit status in files.
record()
{
    local to=$1 status=0
    shift
    limited "$@" >"$to.out" 2>"$to.err" || status=$?
    echo $status >"$to.status"
}

same()
{
    cmp -s "$1" "$2" || {
        diff "$1" "$2" | head -20 >&2
        fail "$3"
    }
}

compare_runs()
{
    local what
    for what in out err status; do
        same "$tmp/plain.$what" "$tmp/probes.$what" "$1 $what"
    done
}

check()
{
    local program=$1 cc level flags options
    cc=$(driver "$program")
    flags="-Wall -Wextra $(tag "$program" FLAGS)"
    for level in -O0 -O2; do
        for options in "" --all; do
            # shellcheck disable=SC2086
            record "$tmp/plain" "$cc" $level $flags -c "$program" -o "$tmp/plain.o"
            # shellcheck disable=SC2086
            record "$tmp/probes" "$WEFT" cc $options "$cc" $level $flags -c "$program" -o "$tmp/probes.o"
            if has_tag "$program" UNPARSED; then
                grep -q "^weft cc: warning: $program: cannot be parsed (.*), compiled without probes$" "$tmp/probes.err" ||
                    fail "$program: no warning that it cannot be parsed: $(cat "$tmp/probes.err")"
                sed -i '/^weft cc: warning/d' "$tmp/probes.err"
            fi
            same "$tmp/plain.err" "$tmp/probes.err" "$cc $level $options: $program: other messages with probes"
            same "$tmp/plain.status" "$tmp/probes.status" "$cc $level $options: $program: another exit status of the compiler"
            ! has_tag "$program" "COMPILE ONLY" || continue
            # shellcheck disable=SC2086
            "$cc" $flags "$tmp/plain.o" -o "$tmp/plain" -lm && "$cc" $flags "$tmp/probes.o" -o "$tmp/probes" -lm
            record "$tmp/plain" "$tmp/plain"
            record "$tmp/probes" "$tmp/probes"
            compare_runs "$cc $level $options: $program: another"
            if [ "$options" = --all ] && ! has_tag "$program" UNPARSED && "$WEFT" run --help >/dev/null 2>&1; then
                record "$tmp/probes" "$WEFT" run --quiet --force -o "$tmp/it.weft" "$tmp/probes"
                compare_runs "$cc $level $options: $program: under weft run another"
            fi
        done
    done
    check_reasons "$program" "$cc"
}

check_reasons()
{
    local program=$1 cc=$2 reason
    ! has_tag "$program" UNPARSED || return 0
    # shellcheck disable=SC2046
    "$WEFT" instrument -v --all --compiler "$cc" "$program" -o "$tmp/new.c" -- $(tag "$program" FLAGS) 2>"$tmp/reasons" ||
        fail "$program: weft instrument: $(cat "$tmp/reasons")"
    tag "$program" SKIPPED >"$tmp/expected"
    while read -r reason; do
        grep -q "skipped: $reason\$" "$tmp/reasons" || fail "$program: nothing was skipped for '$reason': $(cat "$tmp/reasons")"
    done <"$tmp/expected"
    sed -n 's/.* skipped: //p' "$tmp/reasons" | sort -u | while read -r reason; do
        grep -qxF "$reason" "$tmp/expected" || fail "$program: skipped for '$reason', which is not expected"
    done
}

for program; do
    if has_tag "$program" "ONLY: " && [ "$(tag "$program" ONLY)" != "$compiler" ]; then
        continue
    fi
    check "$program"
done
