#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The end of weft run: at most seventeen lines, whatever happened; eight more for the critical path, and three for the
# order of receives, if that matters.
. "$WEFT_SOURCE/tests/report/common.sh"
for profile in heat crash spawn empty many late path parts even turns threads killed near dead; do
    make_profile $profile $profile.sql
done
make_profile no_core parts.sql no_core.sql
make_profile unexplained parts.sql unexplained.sql
make_profile order late.sql order.sql
make_profile order_kept late.sql order_kept.sql
cd "$scratch" || exit 1
for profile in heat crash spawn empty many late path parts even no_core unexplained turns threads killed near dead order order_kept; do
    most=$([[ $profile == path || $profile == turns || $profile == near || $profile == dead ]] && echo 25 || echo 17)
    [[ $profile != order* ]] || most=$((most + 3))
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

# The first sentence is never cut: what is longer than usual takes the place of statements.
cp dead.weft long.weft
sqlite3 long.weft "UPDATE weft_site SET file = 'a/long/way/down/many/directories/to/the/source/of/dead.c'"
for columns in 72 80; do
    COLUMNS=$columns "$PRINT_SUMMARY" long.weft >out
    sentence=$("$WEFT" report --json long.weft | jq -r .headline.sentence)
    head -n 8 out | sed 's/^weft: //; s/^ *//' | tr '\n' ' ' | grep -qF "$sentence" || fail "the first sentence is cut: $(cat out)"
    (($(wc -l <out) <= 25 && $(grep -c "main\$" out) < 3)) || fail "no room is made for a long sentence: $(cat out)"
done

# What all ranks' watching costs may make the run longer by, where they share cores.
for cores in 2 4; do
    sqlite3 parts.weft "UPDATE weft_run SET value = $cores WHERE key = 'cores'; UPDATE weft_run SET value = 10000000 WHERE key = 'intrusion_ns'"
    sqlite3 parts.weft "UPDATE weft_rank SET overhead_ns = 250000000"
    cost=$(COLUMNS=132 "$PRINT_SUMMARY" parts.weft | grep -A1 'watching cost' | tr -s ' \n' ' ')
    [[ $cores == 2 ]] && expected='(0.1 % of it; up to 500 ms, as ranks share cores)' || expected='(0.1 % of it)'
    grep -qF "$expected" <<<"$cost" || fail "4 ranks on $cores cores: $cost"
done

# says PROFILE PATTERN [SQL]: the first sentence, of the profile as the SQL changes it, matches the pattern.
says() {
    local got
    cp "$1.weft" changed.weft
    sqlite3 changed.weft "${3-}"
    got=$("$WEFT" report --json changed.weft | jq -r .headline.sentence)
    grep -qE -- "$2" <<<"$got" || fail "$1 with '${3-}': '$got' does not match '$2'"
}

# Advice to share work is given only where ranks work at the same time. Serialisation efficiency of 1 needs a shorter ideal run.
says turns '^ranks work one after the other and wait for 75.0 % of the run: half of the computing after MPI_Barrier at src/turns.c:20 would make the run 34.6 % shorter$'
says turns '^rank 0 computes longest, 1.23 times the mean: with its work shared evenly, the run would be up to 5.8 % shorter; ranks wait for 75.0 % of the run$' \
    'UPDATE weft_clock SET ideal_ns = 4000000000; UPDATE weft_wait SET time_ns = 9000000000 WHERE culprit = 0'
says turns '^ranks work at different times and wait for 49.4 % of the run: half' \
    'UPDATE weft_rank SET useful_ns = 2 * useful_ns; UPDATE weft_clock SET sync_ns = 25700000000 / 4; UPDATE weft_rank SET mpi_ns = 25700000000 / 4'
# Without serialisation efficiency it is not known how they work. It is not known for whom idle time was.
says turns '^some ranks begin later or end earlier, for 12.5 % of the run in the mean' \
    "DELETE FROM weft_clock; UPDATE weft_rank SET wall_ns = 6500000000, mpi_ns = 0 WHERE rank = 3; UPDATE weft_rank SET mpi_ns = 0"
says turns '^ranks wait for 75.0 % of the run: half' 'INSERT INTO weft_rank_idle SELECT rank, 6700000000, 0, 0, 0, 0 FROM weft_rank'

# A rank is named if most of the waiting was for it. What a region would save is so on all ranks.
says turns ', most for the work of rank 1: half of the computing after MPI_Barrier at src/turns.c:20 on all ranks would make' \
    'UPDATE weft_wait SET time_ns = 20000000000 WHERE culprit = 1'

# What a region would save is promised of one rank only if that remains the longest, and has the path.
says near '^rank 2 computes longest, 1.55 times the mean: with its work shared evenly, the run would be up to 35.4 % shorter; ranks wait for 34.7 % of the run$'
alone='^rank 2 computes longest, after MPI_Barrier at near.c:4: half of this computing on all ranks would make the run 47.5 % shorter; ranks wait for 34.7 % of the run$'
says near "$alone" 'UPDATE weft_rank SET useful_ns = 600000000 WHERE rank = 3'
says near "$alone" 'UPDATE weft_rank SET useful_ns = 640000000 WHERE rank = 3'
says near '^rank 2 computes longest, 1.80 times the mean: with its work shared evenly' 'UPDATE weft_rank SET useful_ns = 660000000 WHERE rank = 3'
says near '^rank 2 computes longest, 1.85 times the mean: with its work shared evenly, the run would be up to 45.8 % shorter' \
    'UPDATE weft_rank SET useful_ns = 600000000 WHERE rank = 3; UPDATE weft_path_place SET share_ns = 800000000'

# Threads that are not shown: it is not said who waited, or for whom, where no rank has most of it. Short waits are nothing.
says threads 'other threads waited 12.0 s, most on rank 0$' 'UPDATE weft_wait SET culprit = event % 2 WHERE event = 3; UPDATE weft_wait SET time_ns = 5000000000 WHERE event = 3'
says threads 'other threads waited 24.0 s, most on rank 0, most for the work of rank 1$' \
    "INSERT INTO weft_com VALUES (4, 1, 1, 0, 0, 0, 12000000000, 12000000000); UPDATE weft_wait SET time_ns = 24000000000 WHERE event = 3"
says threads '^nothing stands out' 'UPDATE weft_com SET sync_delay = 900000000 WHERE event = 3'
says threads '^nothing stands out' 'UPDATE weft_rank SET threads = 1'
# They may be in a call that did not return, or poll: then it is not known for whom, but where.
hung='DELETE FROM weft_wait WHERE event = 3; UPDATE weft_com SET sync_delay = 0 WHERE event = 3; INSERT INTO weft_idle VALUES'
says threads 'other threads waited, polled or hung for 9.37 s, most in MPI_Recv at src/threads.c:40, which never returned, most on rank 0$' \
    "$hung (3, 0, 0, 9370000000); UPDATE weft_event SET calls = 0 WHERE id = 3; DELETE FROM weft_com WHERE event = 3"
says threads 'waited, polled or hung for 9.37 s, most in MPI_Recv at src/threads.c:40, most on rank 0$' "$hung (3, 9000000000, 0, 370000000)"
says threads '^nothing stands out' "$hung (3, 0, 0, 900000000)"
says threads 'computes for 93.0 % of the run; other threads waited, polled or hung for 9.37 s' "$hung (3, 0, 0, 9370000000); UPDATE weft_rank SET wall_ns = 9000000000, useful_ns = 8800000000 WHERE rank = 1"
says threads 'end earlier, for 30.0 % of the run' "$hung (3, 0, 0, 1370000000); UPDATE weft_rank SET wall_ns = 4000000000, useful_ns = 3800000000 WHERE rank = 1"
says threads '^nothing stands out' "$hung (3, 0, 9370000000, 0)"

# Without a core a rank loses nothing while it waits: the summary and the report tell it from 1 % of the run without that, the ranks always.
for ms in 5 15; do
    cp near.weft changed.weft
    sqlite3 changed.weft "INSERT INTO weft_rank_idle SELECT rank, 0, ${ms}000000, 0, 0, 300000000 FROM weft_rank"
    { COLUMNS=200 "$PRINT_SUMMARY" changed.weft && "$WEFT" report --width 200 changed.weft; } >out
    lines=$(grep -c 'had no core for 25.0 %\|no core  *25.0 %\|time in MPI: .*no core 1.2 %' out)
    [[ $lines == $((ms == 15 ? 3 : 0)) ]] || fail "$ms ms without a core: $lines lines: $(cat out)"
    "$WEFT" report --ranks --width 200 changed.weft | grep -q '^  ranks had no core for 25.0 % of the run, .* while they waited: 4 ranks on 4 cores' || fail "$ms ms without a core: ranks"
    "$WEFT" report --json changed.weft | jq -e '.totals.no_core_all_share == 0.25' >/dev/null || fail "$ms ms without a core: JSON"
done

# A run of less than 10 ms is no base for advice, but how it ended is told.
cp near.weft short.weft
sqlite3 short.weft "UPDATE weft_rank SET wall_ns = wall_ns / 200, mpi_ns = mpi_ns / 200, useful_ns = useful_ns / 200; UPDATE weft_run SET value = 6000000 WHERE key = 'wall_ns'"
says short '^the run took 6.00 ms: too short for advice$'
says short '^the run took less than 1 ms: too short for advice$' "UPDATE weft_run SET value = 999999 WHERE key = 'wall_ns'"
says short '^4 of 4 ranks did not finish; the run took 6.00 ms: too short for advice$' "UPDATE weft_rank SET ending = 'died'"
says short '^1 of 4 ranks did not finish: rank 2 died' "UPDATE weft_rank SET ending = 'died' WHERE rank = 2"
says near '^rank 2 computes' "UPDATE weft_run SET value = 10000000 WHERE key = 'wall_ns'"

# A rank is marked only for a time that others do not have.
"$WEFT" report --ranks near.weft | grep -c 'most work$\|most MPI$' | grep -qx 2 || fail "no marks: $("$WEFT" report --ranks near.weft)"
cp near.weft changed.weft
sqlite3 changed.weft 'UPDATE weft_rank SET mpi_ns = 0, useful_ns = 1199000000 + rank * 300000'
! "$WEFT" report --ranks changed.weft | grep 'most' || fail "a mark without a difference"

# Calls that never returned are told as that, and not as unexplained, if they are most of it.
says dead '^4 of 4 ranks did not finish; 88.0 % of the run is in calls that had not returned when the ranks ended, most in MPI_Recv at dead.c:2 \(66.0 % of the run\); weft report --ranks says where each rank was$'
says dead 'had not finished; 88.0 % of the run is in calls that had not returned when the ranks were last seen, most in' "UPDATE weft_rank SET ending = 'running'"
says dead '; 88.0 % of the run is unexplained, most in MPI_Recv at dead.c:2 \(66.0 % of the run\): these calls took longer' 'UPDATE weft_rank_last SET last_site_ns = 3000000000'
says dead '; 30.0 % of the run is in calls' 'UPDATE weft_rank_last SET last_site_ns = 3000000000; UPDATE weft_rank_idle SET unexplained_ns = 3000000000; UPDATE weft_clock SET sync_ns = 4000000000'
COLUMNS=200 "$PRINT_SUMMARY" dead.weft | grep -q 'critical path 1.20 s, 12.0 % of the run; if one' || fail "the path is a part of the run"
[[ $(sqlite3 dead.weft "SELECT group_concat(idle_ns) FROM path") == 0,1200000000,26400000000,0 ]] || fail "idle time in the view of the path"
# Waiting and time without a core are no work that could be faster.
! "$PRINT_SUMMARY" dead.weft | grep -q 'hot, but' || fail "idle time is hot"
cp dead.weft changed.weft
sqlite3 changed.weft 'UPDATE weft_idle SET no_core_ns = 0'
COLUMNS=200 "$PRINT_SUMMARY" changed.weft | grep -q 'hot, but making it faster saves nothing: MPI_Allreduce (dead.c:1), 3.0 % of' && fail "3 % of all ranks' time is not hot"
sqlite3 changed.weft 'UPDATE weft_com SET sync_delay = 0'
COLUMNS=200 "$PRINT_SUMMARY" changed.weft | grep -q 'hot, but making it faster saves nothing: MPI_Allreduce (dead.c:1), 6.0 % of' || fail "what is hot"

# A rank that died first is named only if its death and those of others are known on one clock.
says killed '^3 of 3 ranks did not finish: rank 1 died in MPI_Recv at killed.c:18 \(main\), 1.01 s before the others$'
says killed '^3 of 3 ranks did not finish; ' "UPDATE weft_run SET value = 2 WHERE key = 'hosts'"
says killed '^3 of 3 ranks did not finish; ' "UPDATE weft_run SET value = 2 WHERE key = 'deaths_seen'"
says killed '^3 of 3 ranks did not finish; ' "DELETE FROM weft_run WHERE key = 'deaths_seen'"
says killed '^3 of 3 ranks did not finish; ' 'UPDATE weft_rank SET wall_raw_ns = 101005000000 WHERE rank = 1'
says killed ': rank 1 died while it computed, 1.01 s before the others$' 'UPDATE weft_rank SET last_site = NULL WHERE rank = 1'
region="UPDATE weft_rank SET last_site = NULL WHERE rank = 1; INSERT INTO weft_rank_region VALUES (1, 9); INSERT INTO weft_site VALUES"
says killed ': rank 1 died in ms \(k.c:12\), 1.01 s before the others$' "$region (9, 'procedure', 'ms', 'src/k.c', 12, NULL, '', 0)"
says killed ': rank 1 died in the for loop at k.c:12 \(main\), 1.01 s before the others$' "$region (9, 'loop', 'for', 'src/k.c', 12, 1, '', 0)"
says killed ': rank 1 exited without MPI_Finalize in ms \(k.c:12\)$' "$region (9, 'procedure', 'ms', 'src/k.c', 12, NULL, '', 0); UPDATE weft_rank SET ending = 'exited' WHERE rank = 1"
says killed ': rank 2 died in MPI_Finalize, 40.0 s before the others$' "$region (9, 'procedure', 'ms', 'src/k.c', 12, NULL, '', 0);
    UPDATE weft_rank_region SET rank = 2; UPDATE weft_rank SET wall_raw_ns = wall_raw_ns - 40000000000 WHERE rank = 2; UPDATE weft_rank SET wall_raw_ns = 101010000000 WHERE rank = 1"
says killed '^2 of 3 ranks did not finish: rank 1 died in MPI_Recv' "UPDATE weft_rank SET ending = 'finalized' WHERE rank = 2; UPDATE weft_run SET value = 2 WHERE key = 'deaths_seen'"
says killed ': rank 0 exited' "UPDATE weft_rank SET ending = 'exited', wall_raw_ns = 90000000000 WHERE rank = 0; UPDATE weft_run SET value = 2 WHERE key = 'deaths_seen'"

sqlite3 heat.weft 'DROP TABLE weft_com'
[[ $("$PRINT_SUMMARY" heat.weft) == "weft: 'heat.weft' is damaged "* ]] || fail "a damaged profile: $("$PRINT_SUMMARY" heat.weft)"
finish
