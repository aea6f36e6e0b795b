#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A real run: compiled by weft cc, watched by weft run, asked by weft query. Counts are exact, and times fit together.
. "$(dirname "$0")/../lib.sh"
cd "$tmp"
cp "$here/program.c" .

line() { grep -n "/\* $1 \*/" program.c | cut -d: -f1; }
place() { echo "program.c:$(line "$1")"; }
ask() { "$WEFT" query "$@" program.weft || fail "weft query $*"; }
ns() { ask --ns "$@"; }
count() { ask --json "$@" | sed -n 's/^ *"sum_calls": \([0-9]*\),\{0,1\}$/\1/p' | head -n 1; }

# equal WHAT A B: the same number of nanoseconds, but for the rounding of means.
equal() { (($2 - $3 <= 4 && $3 - $2 <= 4)) || fail "$1: $2 and $3"; }
within() { (($2 <= $3)) || fail "$1: $2 is more than $3"; }
counts() { [ "$(count "${@:2}")" = "$1" ] || fail "${*:2}: $(count "${@:2}") times, not $1"; }

check()
{
    "$WEFT" cc "$CC" -g -O1 -o program program.c || fail "weft cc"
    watch program.weft 2 ./program || fail "the program failed"

    counts 2 call "$(place L2)"
    counts 2 call "$(place L5)"
    counts 4 call "$(place L7)"
    counts 6 procedure P3
    counts 6 calls-in main # even is the third
    counts 6 loop "$(place L11)"
    counts 30 loop "$(place L13)"
    counts 900 call "$(place L14)"
    counts 30 communication "$(place L12)"
    counts 2 procedure even # with odd: the recursive calls have no record
    counts 2 procedure odd

    equal "P3 is its two calls" "$(ns procedure P3)" $(($(ns call "$(place L5)") + $(ns call "$(place L7)")))
    within "P1 in main" "$(ns procedure P1)" "$(ns program-time)"
    within "what main calls" "$(ns calls-in main)" "$(ns program-time)"
    within "loop2 in loop1" "$(ns loop "$(place L13)")" "$(ns loop "$(place L11)")"
    within "P4 in loop2" "$(ns call "$(place L14)")" "$(ns loop "$(place L13)")"
    within "loop1 in P3" "$(ns loop "$(place L11)")" "$(ns procedure P3)"
    within "communication in the program" "$(ns transmission-time)" "$(ns program-time)"

    "$WEFT" report --tree --all program.weft >tree || fail "weft report --tree"
    for word in main P1 P2 'all of P3' 'P3, see' 'for loop' MPI_Allreduce MPI_Init 'even + odd, recursive'; do
        grep -q -- "$word" tree || fail "no '$word' in: $(cat tree)"
    done
    "$WEFT" report --source program.c --all program.weft >source || fail "weft report --source"
    grep -qE " $(line L12)  +MPI_Allreduce" source || fail "the source: $(cat source)"
}

# Threads apart: one sleeps five times 20 ms, another ten times, and the main one three times.
sleepers()
{
    cp "$here/threads.c" .
    "$WEFT" cc --all "$CC" -g -O1 -pthread -o threads threads.c || fail "weft cc threads.c"
    watch threads.weft 2 ./threads || fail "the program with threads failed"
    "$WEFT" report --tree --threads threads.weft >all || fail "weft report --tree --threads"
    grep -q '^  1 rank has only one thread' all || fail "not only rank 0 has threads: $(cat all)"
    [ "$(grep -cE '^Rank 0, thread [012].* \(tid [0-9]+\)$' all)" = 3 ] || fail "not three threads: $(cat all)"
    # The loop is in work, and takes at least as long as the thread slept.
    for rounds in 3 5 10; do
        sql threads.weft "SELECT thread FROM weft_thread_event e JOIN weft_site s ON s.id = e.site
            JOIN weft_thread t USING (rank, thread) WHERE rank = 0 AND name = 'rest' AND calls = $rounds + main" >thread
        [ "$(wc -l <thread)" = 1 ] || fail "no thread that rested $rounds times: $(cat all)"
        awk -v want="Rank 0, thread $(cat thread)" 'index($0, want) == 1 { on = 1; next } /^Rank/ { on = 0 } on' all >one
        awk -v least=$((rounds * 20)) '/ work +threads\.c/ { work = 1; next } work && /─ for loop +threads\.c/ && $5 == 1 {
            ms = $4 == "s" ? 1000 * $3 : $3; ok = ms >= least; exit } { work = 0 } END { exit !ok }' one || fail "$rounds rounds: $(cat one)"
    done
}
each_mpi check
each_mpi sleepers
