#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The screens, as people see them. WEFT_UPDATE=1 writes the golden files anew: look at the difference before you commit it.
. "$WEFT_SOURCE/tests/report/common.sh"
make_profile heat heat.sql
make_profile crash crash.sql
make_profile spawn spawn.sql
make_profile empty empty.sql
make_profile many many.sql
make_profile late late.sql
make_profile path path.sql
make_profile parts parts.sql
make_profile no_core parts.sql no_core.sql
make_profile even even.sql
make_profile alone alone.sql
make_profile order late.sql order.sql
make_profile order_kept late.sql order_kept.sql
cd "$scratch" || exit 1

# compare NAME WIDTH ARGUMENT...
compare() {
    local name=$1 width=$2 golden=$here/golden/$1.txt
    shift 2
    "$WEFT" report --width "$width" "$@" >"$scratch/$name.txt" || fail "$name: exit status $?"
    if [[ -n ${WEFT_UPDATE-} ]]; then
        cp "$scratch/$name.txt" "$golden"
    fi
    diff -u "$golden" "$scratch/$name.txt" || fail "$name differs"
    (($(wc -L <"$scratch/$name.txt") <= width)) || fail "$name: a line is wider than $width columns"
    ! grep -q ' $' "$scratch/$name.txt" || fail "$name: blanks at the end of a line"
}

for width in 80 120; do
    compare "heat-$width" $width heat.weft
    compare "heat-ranks-$width" $width --ranks heat.weft
    compare "heat-site-$width" $width --site heat.c:171 heat.weft
    compare "crash-$width" $width crash.weft
    compare "crash-ranks-$width" $width --ranks crash.weft
    compare "many-ranks-$width" $width --ranks many.weft
    compare "late-$width" $width late.weft
    compare "late-raw-$width" $width --raw late.weft
    compare "late-ranks-$width" $width --ranks late.weft
    compare "late-ranks-raw-$width" $width --ranks --raw late.weft
    compare "late-site-$width" $width --site main.c:40 late.weft
    compare "path-$width" $width --path path.weft
    compare "path-in-short-$width" $width --top 1 path.weft
    compare "late-site-raw-$width" $width --site solve.c:88 --raw late.weft
    compare "parts-$width" $width parts.weft
    compare "parts-ranks-$width" $width --ranks parts.weft
    compare "parts-site-$width" $width --site parts.c:50 parts.weft
    compare "no_core-$width" $width no_core.weft
    compare "no_core-ranks-$width" $width --ranks no_core.weft
    compare "no_core-path-$width" $width --path no_core.weft
    compare "order-$width" $width --top 1 order.weft
    compare "order_kept-$width" $width --top 2 order_kept.weft
done
compare heat-all-160 160 --all heat.weft
compare heat-imbalance-80 80 --sort imbalance --top 3 heat.weft
compare heat-site-two-calls-80 80 --site rma.c:77 heat.weft
compare heat-site-ambiguous-80 80 --site heat.c:340 heat.weft
compare heat-site-no-debug-80 80 --site libfield.so.2+0x1a2a heat.weft
compare crash-site-80 80 --site multigrid_implementation.hpp:1402 crash.weft
compare path-all-80 80 --path --all path.weft
compare path-top-80 80 --path --top 2 path.weft
compare path-none-80 80 --path late.weft
compare late-all-80 80 --all --sort waiting late.weft
compare heat-raw-80 80 --raw --top 3 heat.weft
compare many-raw-80 80 --ranks --raw many.weft
compare many-80 80 --top 3 many.weft
compare many-site-80 80 --top 5 --site stencil.c:10 many.weft
compare spawn-80 80 spawn.weft
compare empty-80 80 empty.weft
compare alone-80 80 alone.weft
LC_ALL=C compare heat-ascii-80 80 heat.weft
LC_ALL=C compare late-ascii-80 80 late.weft
LC_ALL=C compare path-ascii-80 80 --path path.weft
LC_ALL=C compare heat-site-ascii-80 80 --site progress.c:58 heat.weft
LC_ALL=C compare crash-ranks-ascii-80 80 --ranks crash.weft
! LC_ALL=C grep -q '[^ -~]' "$scratch"/*-ascii-80.txt || fail "other characters than ASCII in a locale that has no others"

# No width can break the layout: from the narrowest to very wide. A terminal may be narrower than any page.
for width in 72 79 81 100 132 200 500; do
    for arguments in "" "--ranks" "--all" "--raw" "--ranks --raw" "--site heat.c" "--site simulate" "--site progress.c:58" "--site solve.c --raw" "--path" "--path --all"; do
        for profile in heat crash late path parts no_core order order_kept; do
            # shellcheck disable=SC2086
            "$WEFT" report --width $width $arguments $profile.weft >page.txt 2>/dev/null
            (($(wc -L <page.txt) <= width)) || fail "$profile $arguments: wider than $width columns"
        done
    done
done

(($(COLUMNS=1 "$WEFT" report heat.weft | wc -L) <= 72)) || fail "a terminal of one column"
for width in 0 1 10 71 1001 99999999999999999999 -80 80x ""; do
    refuses 2 "option '--width' needs a whole number from 72 to 1000, not '$width'; see weft report --help" report --width "$width" heat.weft
done
WEFT_REPORT_WIDTH=10 refuses 2 "variable WEFT_REPORT_WIDTH needs a whole number from 72 to 1000, not '10'" report heat.weft

# What else is in serialisation efficiency is told where that is not good.
"$WEFT" report parts.weft | grep -q 'serialisation efficiency also' && fail "a good efficiency is explained"
cp parts.weft poor.weft
sqlite3 poor.weft "UPDATE weft_rank SET useful_ns = useful_ns - 1000000000 WHERE rank = 3"
"$WEFT" report --width 200 poor.weft | grep -q '^  serialisation efficiency also has what is polling, no core or unexplained: 19.8 % of the run$' ||
    fail "serialisation efficiency is not explained: $("$WEFT" report poor.weft | grep -A9 '^Efficiency')"

# How figures are said to be compensated.
sqlite3 late.weft "UPDATE weft_run SET value = 'local' WHERE key = 'clock'"
"$WEFT" report --width 200 late.weft | grep -q 'watching     cost all ranks 700 ms (1.7 % of their time); subtracted on the rank that caused it, but not where other ranks waited for it (--clock=local)' || fail "the local clock"
sqlite3 late.weft "UPDATE weft_run SET value = 'real' WHERE key = 'clock'"
"$WEFT" report --width 200 late.weft | grep -q 'watching     cost all ranks 700 ms (1.7 % of their time); not subtracted from the times shown (--clock=real)' || fail "the real clock"
"$WEFT" report --width 200 late.weft | grep -q 'transfer efficiency .*95.0 %' || fail "transfers are known from stamps"
sqlite3 late.weft "UPDATE weft_clock SET headers_taken = 0"
"$WEFT" report --width 200 late.weft | grep -q 'not known: serialisation efficiency, transfer efficiency' || fail "nothing is known of transfers"

# A path of CPU time, of a part of the run, with own savings only.
sqlite3 path.weft "UPDATE weft_run SET value = 'cpu' WHERE key = 'path_weight'; UPDATE weft_run SET value = 5000000000 WHERE key = 'path_from_ns';
  UPDATE weft_run SET value = 10000000000 WHERE key = 'path_ns'; UPDATE weft_path SET all_25_ns = NULL, all_50_ns = NULL, all_75_ns = NULL, all_100_ns = NULL"
"$WEFT" report --path --width 200 path.weft >page.txt
grep -q '^Critical path: 10.0 s of CPU time$' page.txt || fail "CPU time: $(grep Critical page.txt)"
grep -q '^  it starts 5.00 s after the beginning of the run$' page.txt || fail "a part of the run"
grep -qE '^ +84.0 % +84.0 % +8.40 s +21.0 % +42.0 % +63.0 % +84.0 %  create_seq$' page.txt || fail "of the path: $(grep create_seq page.txt)"
! grep -q 'with all inside it\|took no time' page.txt || fail "inclusive savings that are not known"

# Colour on terminals only, and not against the user's will.
"$WEFT" report heat.weft | grep -q $'\033' && fail "colour in a pipe"
script -qec "TERM=xterm '$WEFT' report heat.weft" /dev/null | grep -q $'\033\[1m' || fail "no colour on a terminal"
script -qec "TERM=xterm NO_COLOR=1 '$WEFT' report heat.weft" /dev/null | grep -q $'\033' && fail "colour in spite of NO_COLOR"
script -qec "TERM=dumb '$WEFT' report heat.weft" /dev/null | grep -q $'\033' && fail "colour on a dumb terminal"
finish
