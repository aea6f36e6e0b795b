#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh openmpi|mpich OFFLINE: ranks that poll instead of waiting (polls.c). Their waits must be those of calls that
# block: as long as the rank itself has polled, for the right rank, at the right statements. On a loaded machine a rank
# may lose its core, so what is wrong is tried again.
. "$(dirname "$0")/../lib.sh"
use_mpi "$1"
offline=$2

compile "$tmp/polls" -g -O0 -Wall "$here/polls.c"
cd "$tmp"

# run HOW PAUSE PERCENT: its profile, and what the ranks say of themselves, in `truth`.
run()
{
    watch polls.weft 2 ./polls "$@" >truth || { cat truth; fail "polls $* ended with status $?"; }
}

line()
{
    grep -n "/\* $1 \*/" "$here/polls.c" | cut -d: -f1
}

# What rank $1 says: $2: 2 wall, 3 polled, 4 waited.
told()
{
    awk -v rank="$1" -v field="$2" '$1 == rank { print $field }' truth
}

# near NAME VALUE LEAST MOST
near()
{
    awk -v v="$2" -v least="$3" -v most="$4" 'BEGIN { exit !(v >= least && v <= most) }' ||
        echo "$1 is $2, not between $3 and $4"
}

times()
{
    awk -v a="$1" -v b="$2" 'BEGIN { print a * b }'
}

# The sum of all five parts is the time in MPI; what was polled is not computing.
check_efficiency()
{
    local truth
    truth=$(awk '{ all += $2; polled += $3 } END { print 1 - polled / all }' truth)
    near "the parallel efficiency" "$(sql polls.weft "SELECT avg(1.0 * useful_ns / wall_ns) FROM rank")" \
        "$(awk -v t="$truth" 'BEGIN { print t - 0.08 }')" "$(awk -v t="$truth" 'BEGIN { print t + 0.08 }')"
    near "the largest efficiency" "$(sql polls.weft "SELECT max(value) FROM efficiency")" 0 1.0001
    near "a part of MPI less than 0" "$(sql polls.weft "SELECT min(mpi_ns - sync_ns - polling_ns - no_core_ns -
        unexplained_ns) FROM rank")" -100000 1e12
}

# waits KIND HOW COMES: until the other one came.
check_waits()
{
    local rank ns
    for rank in 0 1; do
        ns=$(sql polls.weft "SELECT coalesce(sum(w.time_ns), 0) / 1e6 FROM wait w JOIN event e ON e.id = w.event
            WHERE w.self_node = $rank AND w.culprit = 1 - $rank AND w.kind = '$1' AND e.line = $(line "$2 waits")
                  AND (w.culprit_line = 0$3 OR '$3' = '')")
        near "$2: the wait of rank $rank" "$ns" "$(times 0.9 "$(told $rank 4)")" "$(times 1.05 "$(told $rank 4)")"
        near "$2: all waits of rank $rank" "$(sql polls.weft "SELECT sync_ns / 1e6 FROM rank WHERE rank = $rank")" \
            "$ns" "$(awk -v w="$ns" -v all="$(told $rank 2)" 'BEGIN { print w + 0.1 * all }')"
    done
}

# The path follows the work from rank to rank. Polls have no part of it, but for what they were late.
check_path()
{
    near "$1: the path in rank 0" "$(sql polls.weft "SELECT share_pct FROM path_place WHERE first_rank = 0")" 40 60
    near "$1: MPI's part of the path" \
        "$(sql polls.weft "SELECT coalesce(sum(share_pct), 0) FROM path WHERE kind = 'statement'")" -1 \
        "$(awk '{ all += $2; late += $3 - $4 } END { print 5 + 200 * late / all }' truth)"
}

check_wait()
{
    run "$2" "$4" 100
    check_waits "$1" "$2" "$3"
    check_efficiency
    check_path "$2"
}

# Half of the work really saves what the path says.
check_what_if()
{
    local said all
    run "$1" "$2" 100
    said=$(sql polls.weft "SELECT sum(whatif_50_ns) / 1e6 FROM path WHERE kind IN ('stretch', 'other')")
    all=$(told 0 2)
    run "$1" "$2" 50
    near "$1: half of the work saves" "$said" "$(awk -v a="$all" -v b="$(told 0 2)" 'BEGIN { print 0.9 * a - b }')" \
        "$(awk -v a="$all" -v b="$(told 0 2)" 'BEGIN { print 1.1 * a - b }')"
}

# A wait for no known rank, but no computing, either. Without a core a rank may also be in other calls.
check_polling()
{
    local rank
    run "$1" "$2" 100
    for rank in 0 1; do
        near "$1: idle time of rank $rank" \
            "$(sql polls.weft "SELECT sum(i.polling_ns + i.no_core_ns) / 1e6 FROM weft_idle i
                JOIN event e ON e.id = i.event WHERE e.self_node = $rank AND e.line = $(line "$1 polls")")" \
            "$(times 0.75 "$(told $rank 3)")" "$(times 1.02 "$(told $rank 3)")"
        near "$1: waits of rank $rank" "$(sql polls.weft "SELECT sync_ns / 1e6 FROM rank WHERE rank = $rank")" \
            0 "$(times 0.1 "$(told $rank 2)")"
    done
    check_efficiency
}

# Work between polls is no wait.
check_busy()
{
    local rank
    run busy 0 100
    for rank in 0 1; do
        near "busy: waits and polling of rank $rank" "$(sql polls.weft "SELECT (sync_ns + polling_ns) / 1e6 FROM rank
            WHERE rank = $rank")" 0 "$(awk -v r="$rank" '$1 == r { print $3 + 0.1 * $2 }' truth)"
    done
}

# What each thread found on line, off line again.
check_trace()
{
    rm -rf trace && mkdir trace
    WEFT_TEST_TRACE=$tmp/trace run "$1" "$2" 100
    "$offline" trace/* >offline.out || { tail -3 offline.out; fail "$1: the path is another one off line"; }
}

# again COMMAND...: until it says nothing.
again()
{
    for ((attempt = 1; attempt <= attempts; attempt++)); do
        calm $attempt
        "$@" >wrong
        [ -s wrong ] || return 0
    done
    cat wrong
    fail "$MPI: $*"
}

message=$(line "message comes")
for how in test testall testany testsome iprobe improbe spin turns status statuses; do
    again check_wait "late sender" $how "$message" 0
    again check_wait "late sender" $how "$message" 1000
done
for pause in 0 1000; do
    again check_wait "late receiver" send "$(line "receive comes")" $pause
    again check_wait "wait at barrier" ibarrier "" $pause
    again check_polling never $pause
    again check_polling window $pause
    again check_what_if test $pause
    check_trace turns $pause
done
again check_busy
