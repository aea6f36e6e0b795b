#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# live.sh openmpi|mpich: weft path show, start and stop on real programs that run. live.c stands at gates where its path
# so far is known: one rank has computed for long without a call, the others are inside one. As in known.sh, no figure
# is off by more than all lateness together, and what differs is tried again.
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/lib_path.sh"
use_mpi "$1"
source=$here/live.c
cd "$tmp"
export TMPDIR=$tmp LC_ALL=C.UTF-8

now()
{
    date +%s.%N
}

# Whatever happens: no rank is left at a gate.
running=""
end_all()
{
    [ -z "$running" ] || { touch live/open-1 live/open-2 live/open-3 && wait "$running"; } || true
}
at_exit+=(end_all)

# start_run OPTION...
start_run()
{
    rm -rf live .weft-* program.weft out
    mkdir live
    LIVE=$tmp/live WEFT_OPTIONS="$*" watch program.weft "$(ranks_of "$source")" ./program >out 2>&1 &
    running=$!
}

comes_to()
{
    for _ in $(seq 2000); do
        [ ! -e "live/$1" ] || return 0
        kill -0 "$running" 2>/dev/null || { cat out && fail "the program has ended before $1"; }
        sleep 0.01
    done
    fail "the program never came to $1"
}

# All gates from there on are open, and it ends.
end_run()
{
    touch live/open-1 live/open-2 live/open-3
    wait "$running" || { cat out && fail "the program ended with status $?"; }
    running=""
    late=$(awk 'NF == 2 { print $2 }' out)
    [ -n "$late" ] || { cat out && fail "the program has not told its lateness"; }
}

# look NAME: what weft path show says, what a profile of this moment has, and when that was
look()
{
    now >"$1.before"
    "$WEFT" path show --all --width 200 >"$1.show" || fail "show: exit status $?"
    now >"$1.between"
    "$WEFT" collect --quiet --keep -o "$1.weft" .weft-* >/dev/null || fail "collect: exit status $?"
    now >"$1.after"
}

# seconds that show tells: shown FILE
shown()
{
    sed -n 's/^Critical path: \([0-9.]*\) \(ms\|s\),.*/\1 \2/p' "$1" | awk '{ print $2 == "ms" ? $1 / 1000 : $1 }'
}

# is WHAT GOT LEAST MOST: in ms; a difference is written down
is()
{
    awk -v what="$1" -v got="${2:-none}" -v least="$3" -v most="$4" -v late="$late" 'BEGIN {
        slack = 8 + late
        if (got == "none" || got < least - slack || got > most + slack)
            printf "%s|%s ms instead of %.1f to %.1f, and %.1f for lateness\n", what, got, least, most, late }' >>wrong
}

ms()
{
    awk "BEGIN { print 1000 * ($1) }"
}

# share PROFILE NAME MARK: of a region marked by hand, or else of the stretch behind a mark
share()
{
    if [ "$depth" = hand ]; then
        sql "$1" "SELECT coalesce(sum(share_ns), 0) / 1e6 FROM path WHERE kind = 'region' AND name = '$2'"
    else
        sql "$1" "SELECT coalesce(sum(share_ns), 0) / 1e6 FROM path
                  WHERE kind = 'stretch' AND line = $(line_of "$source" "$3") AND file LIKE '%live.c'"
    fi
}

length()
{
    sql "$1" "SELECT value / 1e6 FROM run WHERE key = 'path_ns'"
}

# While rank 0 is at a gate: everything up to this moment is there, and what it does there is on its own path.
shows_now()
{
    local first last gate name
    start_run
    comes_to gate-1
    sleep 0.3
    look early
    sleep 0.3
    look later
    touch live/open-1
    comes_to gate-2
    look second
    end_run
    read -r first last <live/begin
    for name in early later second; do
        grep -q ' · up to now$' $name.show || fail "show does not say of when it is: $(cat $name.show)"
        is "$name: length shown" "$(ms "$(shown $name.show)")" "$(ms "$(cat $name.before) - $last")" \
            "$(ms "$(cat $name.between) - $first")"
        is "$name: length" "$(length $name.weft)" "$(ms "$(cat $name.between) - $last")" \
            "$(ms "$(cat $name.after) - $first")"
        is "$name: alpha" "$(share $name.weft alpha alpha)" 200 200
    done
    read -r gate _ <live/gate-1
    for name in early later; do
        is "$name: beta" "$(share $name.weft beta beta)" 0 0
        is "$name: turn" "$(share $name.weft turn turn)" 50 50
        is "$name: rank 1" "$(sql $name.weft "SELECT share_ns / 1e6 FROM path_place WHERE first_rank = 1")" 200 \
            "$(ms "$gate - $first")"
        is "$name: rank 2" "$(sql $name.weft "SELECT share_ns / 1e6 FROM path_place WHERE first_rank = 2")" 0 \
            "$(ms "$gate - $first - 0.2")"
        is "$name: gate" "$(share $name.weft gate first)" "$(ms "$(cat $name.between) - $gate")" \
            "$(ms "$(cat $name.after) - $gate")"
    done
    is "second: beta" "$(share second.weft beta beta)" 300 300
    is "second: turn" "$(share second.weft turn turn)" 100 100
    is "second: rank 2" "$(sql second.weft "SELECT share_ns / 1e6 FROM path_place WHERE first_rank = 2")" 300 \
        "$(ms "$gate - $first + 0.2")"
}

# Between a start at the first gate and a stop at the second there is beta and one turn, and no more. It stays so,
# whatever is done again.
starts_and_stops()
{
    local first last asked opened stopped name
    start_run "$@"
    comes_to gate-1
    if [ $# -gt 0 ]; then
        ! "$WEFT" path show >none 2>&1 || fail "show knows a path that was never started"
        grep -q 'no critical path of .* is known yet; start it with: weft path start' none ||
            fail "show says: $(cat none)"
    fi
    sleep 0.1
    asked=$(now)
    "$WEFT" path start >/dev/null || fail "start: exit status $?"
    opened=$(now)
    touch live/open-1
    comes_to gate-2
    "$WEFT" path stop >/dev/null || fail "stop: exit status $?"
    touch live/open-2
    comes_to gate-3
    stopped=$(now)
    look stopped
    end_run
    read -r first last <live/begin
    for name in stopped program; do
        is "$name: alpha" "$(share $name.weft alpha alpha)" 0 0
        is "$name: beta" "$(share $name.weft beta beta)" 300 300
        is "$name: gamma" "$(share $name.weft gamma gamma)" 0 0
        is "$name: turn" "$(share $name.weft turn turn)" 50 50
        is "$name: length" "$(length $name.weft)" 350 "$(ms "$stopped - $opened - 0.2")"
        is "$name: begin" "$(sql $name.weft "SELECT value / 1e6 FROM run WHERE key = 'path_from_ns'")" \
            "$(ms "$asked - $last")" "$(ms "$opened - $first + 0.02")"
        notes=$(sql $name.weft 'SELECT sentence FROM weft_note')
        [ "$(grep -c '^The critical path covers only ' <<<"$notes")" = 1 ] ||
            fail "$name.weft does not say that it has a part of the run only: $notes"
    done
    # Since it was stopped nothing has changed.
    awk -v a="$(length stopped.weft)" -v b="$(length program.weft)" 'BEGIN { exit (a - b) ^ 2 > 1e-6 }' ||
        fail "the path went on behind its stop: $(length stopped.weft) and $(length program.weft) ms"
}

for depth in plain hand; do
    build_depth ./program "$source" $depth
    if [ $depth = plain ]; then
        attempt shows_now
        attempt starts_and_stops
    else
        attempt starts_and_stops --path=later
    fi
done
