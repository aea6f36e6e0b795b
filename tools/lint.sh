#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Checks the source without running it; prints a line for each finding: file:line: what to do.
#
#     lint.sh [-j JOBS] [-C TREE] BUILD [CHECK...]
#
#     format      clang-format (.clang-format)
#     columns     no line is longer than 120 columns (exceptions: columns.tbl)
#     rooms       which folder of src/ may include which (rooms.tbl)
#     names       a function or a type of src/ has a name of its own
#     globals     mutable variables outside of functions have a reason (globals.tbl)
#     words       no words that make the reader guess (words.tbl), no sentence of more than 40 words
#     spelling    codespell (what it shall pass: spelling.txt)
#     shell       shellcheck
#     cppcheck
#     tidy        clang-tidy (.clang-tidy)
#
# Without a CHECK all of them. BUILD is a configured build directory whose generated headers are made. Exit status:
# 0 clean, 1 findings, 2 wrong use, 77 a program is missing.
set -euo pipefail

checks="format columns rooms names globals words spelling shell cppcheck tidy"
folders="src include bench tools cmake docs examples tests"
tools=$(cd "$(dirname "$0")" && pwd)
tree=$(dirname "$tools")
jobs=$(nproc)
# Not asked of shellcheck: what sourced files bring (names, set -e), word splitting that is meant, loop counters, ls |
# grep, commas in words, arrays of jq.
shell_off=SC1091,SC2154,SC2164,SC2010,SC2034,SC2046,SC2054,SC2206,SC2258,SC1087

usage()
{
    echo "usage: lint.sh [-j JOBS] [-C TREE] BUILD [CHECK...]; checks: $checks" >&2
    exit 2
}

needs()
{
    command -v "$1" >/dev/null && return
    echo "lint: $1 is missing: tools/install-deps.sh lint" >&2
    exit 77
}

# C files of the folders given, ended by NUL.
c_files()
{
    local folder
    for folder in "$@"; do
        [ ! -d "$folder" ] || find "$folder" -name '*.[ch]' -print0
    done | sort -z
}

shell_files()
{
    local folder
    for folder in bench tools tests examples; do
        [ ! -d "$folder" ] || find "$folder" -name '*.sh' -print0
    done | sort -z
}

# One line for each file: what to do is the same for all its lines.
check_format()
{
    needs clang-format
    c_files src include bench | xargs -0 -r -P "$jobs" -n 40 clang-format --dry-run -Werror 2>&1 |
        sed -nE 's/^([^:]+):([0-9]+):[0-9]+: error: .*/\1:\2: run clang-format -i \1/p' | sort -t: -k1,1 -u
}

check_columns()
{
    "$tools/lint/columns.py" .
}

check_rooms()
{
    "$tools/lint/rooms.py" .
}

check_names()
{
    needs ctags
    "$tools/lint/names.py" .
}

check_globals()
{
    needs ctags
    "$tools/lint/globals.py" .
}

check_words()
{
    "$tools/lint/words.py" .
}

check_spelling()
{
    needs codespell
    local there="" name
    for name in $folders *.md Makefile CMakeLists.txt; do
        [ ! -e "$name" ] || there="$there $name"
    done
    # shellcheck disable=SC2086
    codespell --quiet-level=2 --ignore-words="$tools/spelling.txt" --skip=spelling.txt $there
}

check_shell()
{
    needs shellcheck
    shell_files | xargs -0 -r -P "$jobs" -n 12 shellcheck -S warning -f gcc -e "$shell_off" |
        sed -E 's/^([^:]+:[0-9]+):[0-9]+: [a-z]+: /\1: /'
}

check_cppcheck()
{
    needs cppcheck
    local options=(--quiet -j "$jobs" --inline-suppr --std=c11 --enable=warning,performance,portability
        --suppress=missingIncludeSystem --suppress=ctuuninitvar --suppress=normalCheckLevelMaxBranches
        --template='{file}:{line}: {message} [{id}]' --template-location='' -D_GNU_SOURCE -DOPEN_MPI -Isrc -Iinclude)
    c_files src | grep -z '\.c$' | xargs -0 cppcheck "${options[@]}" 2>&1
}

check_tidy()
{
    needs clang-tidy
    commands=$(mktemp -d) # the compiler's, without an option that only gcc knows
    trap 'rm -rf "$commands"' EXIT
    sed 's/ -fno-store-merging//' "$build/compile_commands.json" >"$commands/compile_commands.json"
    c_files src | grep -z '\.c$' | xargs -0 -P "$jobs" -n 6 clang-tidy -p "$commands" --quiet 2>/dev/null |
        sed -nE "s/,-warnings-as-errors]$/]/; s|^($PWD/)?([^: ]+:[0-9]+):[0-9]+: (error\|warning): |\2: |p" | sort -u
}

# Prints the findings of one check and how long it took. A check that fails without a finding could not do its work.
run()
{
    local start=$EPOCHREALTIME found status=0
    found=$("check_$1") || status=$?
    [ $status != 77 ] || exit 77
    [ $status = 0 ] || [ -n "$found" ] || found="lint: the check '$1' does not work here (status $status)"
    [ -z "$found" ] || printf '%s\n' "$found"
    awk -v name="$1" -v found="$found" -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN {
        count = split(found, lines, "\n")
        printf "lint: %-9s %5.1f s  %s\n", name, end - start, count ? count " findings" : "clean" }' >&2
    [ -z "$found" ]
}

while getopts j:C: option; do
    case $option in
    j) jobs=$OPTARG ;;
    C) tree=$OPTARG ;;
    *) usage ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || usage
build=$(realpath -m "$1")
shift
[ $# -gt 0 ] || eval "set -- $checks"

cd "$tree"
failed=0
for check in "$@"; do
    case " $checks " in
    *" $check "*) run "$check" || failed=$? ;;
    *) usage ;;
    esac
done
exit $failed
