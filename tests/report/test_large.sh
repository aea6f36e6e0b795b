#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# 1,024 ranks, 500 statements, 8 partners each: read in seconds (about two; the limit, WEFT_LIMIT_MS, is for what grows
# too fast). Seconds of the processor, because other tests may run beside this one.
. "$WEFT_SOURCE/tests/report/common.sh"
limit=${WEFT_LIMIT_MS:-6000}
make_profile large large.sql
cd "$scratch" || exit 1
TIMEFORMAT='%U %S'
for view in --top=10 --ranks --site=part_3.c:615; do
    took=$({ time "$WEFT" report "$view" --width 80 large.weft >out || echo failed >&2; } 2>&1)
    [[ $took =~ ^([0-9.]+)\ ([0-9.]+)$ ]] || fail "$view: $took"
    took=$(awk -v u="${BASH_REMATCH[1]}" -v s="${BASH_REMATCH[2]}" 'BEGIN { printf "%d", 1000 * (u + s) }')
    echo "weft report $view: $took ms"
    ((took < limit)) || fail "$view took $took ms"
    (($(wc -L <out) <= 80)) || fail "$view: wider than 80 columns"
    (($(wc -l <out) <= 50)) || fail "$view: $(wc -l <out) lines"
done
"$WEFT" report large.weft | grep -q 'and 490 more statements' || fail "the rest is not told"
finish
