#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What weft run is told of order control reaches the program; wrong values are said in one sentence.
. "$(dirname "$0")/../lib.sh"
cd "$tmp"

# gives VALUE OPTION...
gives()
{
    local value=$1 got
    shift
    got=$("$WEFT" run -q "$@" printenv WEFT_ORDER 2>err) || true
    [ "$got" = "$value" ] || fail "weft run $*: WEFT_ORDER is '$got', not '$value' ($(cat err))"
}

# refuses PATTERN OPTION...
refuses()
{
    local pattern=$1 status=0
    shift
    "$WEFT" run "$@" touch started >out 2>err || status=$?
    [ $status = 2 ] || fail "weft run $*: exit status $status"
    [ "$(wc -l <err)" = 1 ] || fail "weft run $*: not one sentence: $(cat err)"
    grep -Eq -- "$pattern" err || fail "weft run $*: no '$pattern' in: $(cat err)"
    [ ! -e started ] || fail "weft run $* has started the program"
}

gives ''
gives keep:1000000000 --keep-order
gives keep:250000000 --keep-order --hold=250
gives keep:0 --keep-order --hold 0
refuses "does not go together with --clock=real" --keep-order --clock=real
refuses "give both" --hold=5
refuses "'--hold' needs a whole number" --keep-order --hold=soon
