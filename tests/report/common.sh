# SPDX-License-Identifier: BSD-3-Clause
# What the report's tests share. $WEFT is the program under test, $WEFT_SOURCE the source tree.
# shellcheck shell=bash
set -u
here=$WEFT_SOURCE/tests/report
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8 TZ=UTC
unset NO_COLOR COLUMNS "${!WEFT_REPORT_@}"
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

finish() {
    if ((failures)); then
        echo "$failures failed"
        exit 1
    fi
    exit 0
}

# make_profile NAME FIXTURE...: a profile in the scratch directory.
make_profile() {
    local name=$1
    shift
    "$here/make_profile.sh" "$scratch/$name.weft" "${@/#/$here/fixtures/}" || fail "cannot make $name"
}

# refuses STATUS PATTERN ARGUMENT...: weft prints exactly one line, on stderr, that matches, and exits with STATUS.
refuses() {
    local status=$1 pattern=$2 got
    shift 2
    "$WEFT" "$@" >"$scratch/out" 2>"$scratch/err"
    got=$?
    [[ $got == "$status" ]] || fail "weft $*: exit status $got, not $status"
    [[ $(wc -l <"$scratch/err") == 1 ]] || fail "weft $*: not one line: $(cat "$scratch/err")"
    [[ ! -s $scratch/out ]] || fail "weft $*: printed something to stdout"
    grep -qE -- "$pattern" "$scratch/err" || fail "weft $*: '$(cat "$scratch/err")' does not match '$pattern'"
}
