# SPDX-License-Identifier: BSD-3-Clause
# What the tests of the tree share, on top of the report's: profiles come from the fixtures here, and from the report's.
# shellcheck shell=bash
. "$WEFT_SOURCE/tests/report/common.sh"
report_fixtures=$here/fixtures
here=$WEFT_SOURCE/tests/tree

# make_profile NAME FIXTURE: a profile in the scratch directory, of a fixture here or of the report's.
make_profile() {
    local paths=("$report_fixtures/$2")
    [[ ! -e $here/fixtures/$2 ]] || paths=("$here/fixtures/begin.sql" "$here/fixtures/$2" "$here/fixtures/end.sql")
    "$WEFT_SOURCE/tests/report/make_profile.sh" "$scratch/$1.weft" "${paths[@]}" || fail "cannot make $1"
}

# says EXPECTED ARGUMENT...: weft prints exactly this.
says() {
    local expected=$1 got
    shift
    got=$("$WEFT" "$@" 2>"$scratch/err") || fail "weft $*: exit status $?: $(cat "$scratch/err")"
    [[ $got == "$expected" ]] || fail "weft $*: '$got', not '$expected'"
}

# has PATTERN ARGUMENT...: some line of what weft prints matches.
has() {
    local pattern=$1
    shift
    "$WEFT" "$@" >"$scratch/out" 2>"$scratch/err" || fail "weft $*: exit status $?: $(cat "$scratch/err")"
    grep -qE -- "$pattern" "$scratch/out" || fail "weft $*: nothing matches '$pattern' in: $(cat "$scratch/out")"
}

# has_not PATTERN ARGUMENT...
has_not() {
    local pattern=$1
    shift
    "$WEFT" "$@" >"$scratch/out" 2>"$scratch/err" || fail "weft $*: exit status $?: $(cat "$scratch/err")"
    ! grep -E -- "$pattern" "$scratch/out" || fail "weft $*: something matches '$pattern'"
}
