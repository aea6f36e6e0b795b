#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The ways to name a statement.
. "$WEFT_SOURCE/tests/report/common.sh"
make_profile heat heat.sql
make_profile empty empty.sql
cd "$scratch" || exit 1

# means WORD PLACE...: these statements, and no others.
means() {
    local word=$1
    shift
    got=$("$WEFT" report --json --site "$word" heat.weft | jq -r '(.statements, .start_end)[] | .place' | sort | tr '\n' ' ')
    want=$(printf '%s\n' "$@" | sort | tr '\n' ' ')
    [[ $got == "$want" ]] || fail "--site $word means '$got', not '$want'"
}
means heat.c:214 src/heat.c:214
means src/heat.c:214 src/heat.c:214
means ./src/heat.c:214 src/heat.c:214
means rma.c:77 src/rma.c:77 src/rma.c:77
means rma.c src/rma.c:77 src/rma.c:77
means io/progress.c src/io/progress.c:44 src/io/progress.c:58
means heat.c:340 src/heat.c:340 src/io/heat.c:340
means io/heat.c:340 src/io/heat.c:340
means heat.c:302 src/heat.c:302
means libfield.so.2 libfield.so.2+0x1a2a
means libfield.so.2+0x1a2a libfield.so.2+0x1a2a

refuses 1 "^weft report: no communication statement at 'heat.c:215'; nearest: src/heat.c:214, " report --site heat.c:215 heat.weft
refuses 1 "at 'eat.c:214'; nearest: src/heat.c:214, " report --site eat.c:214 heat.weft
refuses 1 "at 'progres.c:44'; nearest: src/io/progress.c:44, src/io/progress.c:58" report --site progres.c:44 heat.weft
refuses 1 "at ''" report --site= heat.weft
refuses 1 "at 'x:0'; nearest: hello.c:5$" report --site x:0 empty.weft
sqlite3 empty.weft 'DELETE FROM weft_site; DELETE FROM weft_event'
refuses 1 "at 'x'.*no MPI function" report --site x empty.weft
finish
