#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The end of weft run: at most twelve lines, and eight more for the critical path, whatever happened.
. "$WEFT_SOURCE/tests/report/common.sh"
for profile in heat crash spawn empty many late path; do
    make_profile $profile $profile.sql
done
cd "$scratch" || exit 1
for profile in heat crash spawn empty many late path; do
    most=$([[ $profile == path ]] && echo 20 || echo 12)
    for columns in 72 80 132; do
        COLUMNS=$columns "$PRINT_SUMMARY" $profile.weft >out || fail "$profile: exit status $?"
        (($(wc -l <out) <= most)) || fail "$profile: more than $most lines in $columns columns"
        (($(wc -L <out) <= columns)) || fail "$profile: wider than $columns columns"
        [[ $(tail -n 1 out) == "weft: for more: weft report $profile.weft" ]] || fail "$profile: no way on"
    done
    if [[ -n ${WEFT_UPDATE-} ]]; then
        COLUMNS=80 "$PRINT_SUMMARY" $profile.weft >"$here/golden/$profile-summary-80.txt"
    fi
    COLUMNS=80 "$PRINT_SUMMARY" $profile.weft | diff -u "$here/golden/$profile-summary-80.txt" - || fail "$profile: differs"
done
sqlite3 heat.weft 'DROP TABLE weft_com'
[[ $("$PRINT_SUMMARY" heat.weft) == "weft: 'heat.weft' is damaged "* ]] || fail "a damaged profile: $("$PRINT_SUMMARY" heat.weft)"
finish
