# SPDX-License-Identifier: BSD-3-Clause
# What the tests of the tree share, on top of the report's: profiles come from the fixtures here, and from the report's.
# shellcheck shell=bash
. "$WEFT_SOURCE/tests/report/common.sh"
report_fixtures=$here/fixtures
here=$WEFT_SOURCE/tests/tree

# make_profile NAME FIXTURE...: a profile in the scratch directory.
make_profile() {
    local name=$1 fixture paths=()
    shift
    for fixture; do
        if [[ -e $here/fixtures/$fixture ]]; then paths+=("$here/fixtures/$fixture"); else paths+=("$report_fixtures/$fixture"); fi
    done
    "$WEFT_SOURCE/tests/report/make_profile.sh" "$scratch/$name.weft" "${paths[@]}" || fail "cannot make $name"
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
