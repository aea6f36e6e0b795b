#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# weft query: the list, the forms of an answer, and any SELECT.
. "$WEFT_SOURCE/tests/tree/common.sh"
make_profile wave wave.sql
make_profile heat heat.sql
make_profile figure12 figure12.sql
cd "$scratch" || exit 1
sha256sum -- *.weft >before

# Alone it lists the questions, one of each name.
[[ $("$WEFT" query | grep -oE '^  [a-z-]+' | tr -d ' \n') == program-timetransmission-timesynchronisation-timepolling-timeno-core-timeunexplained-timewaitinglatefirst-causecalls-incallprocedurecommunicationloop ]] ||
    fail "the questions: $("$WEFT" query)"
(($("$WEFT" query | wc -L) <= 80)) || fail "the list is too wide"

# Programs that were not compiled with weft cc have a time and communication.
says 12409850000 query --ns program-time heat.weft
has 'main has no probe' query program-time heat.weft
says 900000000 query --ns --rank 2 communication heat.c:171 heat.weft
has '^  transmission .*, synchronisation 0$' query communication heat.c:214 heat.weft
has "does not tell waiting from transfer" query synchronisation-time heat.weft
has_not 'does not tell' query synchronisation-time figure12.weft
make_profile late late.sql
says 1250187500 query --ns synchronisation-time late.weft
says 1250187500 query --ns waiting all late.weft
says 1490000000 query --ns --rank 3 waiting 'wait at barrier' late.weft
says 1490000000 query --ns --rank 3 waiting wait-at-barrier late.weft
says 900000000 query --ns --rank 0 late 2 late.weft
has '^950 ms, 156 waits$' query late 2 late.weft
says 900000000 query --ns --rank 0 first-cause 2 late.weft
says 1200250000 query --ns --rank 3 first-cause 0 late.weft
has '^  transmission 170 ms, synchronisation 80.0 ms$' query communication solve.c:88 late.weft

# Every part of time in MPI: means over the ranks, which add up to the time of a statement.
make_profile parts parts.sql
says 275000000 query --ns transmission-time parts.weft
says 750000000 query --ns synchronisation-time parts.weft
says 500000000 query --ns polling-time parts.weft
says 250000000 query --ns no-core-time parts.weft
says 3600000000 query --ns --rank 2 unexplained-time parts.weft
says 325000000 query --ns communication parts.c:50 parts.weft
has '^  transmission 100 ms, synchronisation 0, no core 200 ms, unexplained 25.0 ms$' query communication parts.c:50 parts.weft
[[ $("$WEFT" query --json communication parts.c:50 parts.weft | jq '.sum_ns - .sum_transmission_ns - .sum_synchronisation_ns - .sum_polling_ns
    - .sum_no_core_ns - .sum_unexplained_ns') == 0 ]] || fail "the parts of a statement"
refuses 1 "there is no wait state 'barier'; the states are: all, late sender, " query waiting barier late.weft
refuses 1 "there is no rank 9 in this profile" query late 9 late.weft
refuses 1 "'x' is not a rank; give a number" query late x late.weft
rm late.weft
refuses 1 "no procedure 'relaxed' ran; nearest: " query procedure relaxed heat.weft
refuses 1 "no loop at 'heat.c:300': none ran in this profile" query loop heat.c:300 heat.weft

# What there is to say about a figure.
has 'it was switched off during the run' query procedure laplace wave.weft
has 'it has no probe' query loop wave.c:49 wave.weft
has '^100 ms$' query loop wave.c:49 wave.weft
says 50000000 query --ns procedure make_grid wave.weft
says 50000000 query --ns procedure setup.cc:12 wave.weft

# A profile is the newest here, or the last word.
touch -d 2026-01-01 -- *.weft && touch -d 2026-01-02 figure12.weft
says 6500000000 query --ns program-time
says 10000000000 query --ns program-time wave.weft

# Any SELECT: columns, CSV, JSON.
says "$(printf '%s\n' 'place    n  x' 'lz.c:8   1' 'lz.c:1  20')" query --sql "SELECT 'lz.c:8' AS place, 1 AS n, NULL AS x UNION ALL SELECT 'lz.c:1', 20, NULL" figure12.weft
says "$(printf '%s\n' 'a,b' '"x,""y",' '"two' 'lines",1.5')" query --sql "SELECT 'x,\"y' AS a, NULL AS b UNION ALL SELECT 'two' || char(10) || 'lines', 1.5" --csv figure12.weft
got=$("$WEFT" query --json --sql "SELECT 1 AS i, 2.5 AS r, 'x' AS t, NULL AS n, x'0aff' AS b" figure12.weft | jq -c .)
[[ $got == "[{\"i\":1,\"r\":2.5,\"t\":\"x\",\"n\":null,\"b\":\"X'0aff'\"}]" ]] || fail "JSON of a row: $got"
[[ $("$WEFT" query --json --sql "SELECT 1 WHERE 0" figure12.weft | jq -c .) == "[]" ]] || fail "JSON of no rows"
says x query --sql "SELECT 1 AS x WHERE 0" figure12.weft
[[ $("$WEFT" query --sql "SELECT * FROM rank" wave.weft | wc -l) == 5 ]] || fail "many columns"
[[ $("$WEFT" query --sql "SELECT count(*) AS n FROM event -- all;" --csv wave.weft | tail -n 1) == "$(sqlite3 wave.weft 'SELECT count(*) FROM event')" ]] || fail "a comment"
says "$(printf 'n\n3')" query --sql "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT max(n) AS n FROM c;  " wave.weft

# Only reading.
for sql in "DELETE FROM weft_run" "INSERT INTO weft_run VALUES ('a', 1)" "UPDATE weft_run SET value = 0" "CREATE TABLE x(y)" "CREATE TEMP TABLE x(y)" \
    "DROP VIEW run" "ATTACH 'other.db' AS other" "PRAGMA user_version = 9" "PRAGMA user_version" "VACUUM" "VACUUM INTO 'copy.db'" "BEGIN" "ANALYZE" "REINDEX"; do
    refuses 1 '^weft query: only SELECT is allowed: weft never changes a profile' query --sql "$sql" wave.weft
done
refuses 1 "the SQL cannot be answered: near \"SELEC\": syntax error" query --sql 'SELEC 1' wave.weft
refuses 1 'the SQL cannot be answered: no such table: events' query --sql 'SELECT * FROM events' wave.weft
refuses 1 'the SQL cannot be answered: no such column: tiem_ns' query --sql 'SELECT tiem_ns FROM event' wave.weft
refuses 1 "give one SELECT; it is followed by 'SELECT 2'" query --sql 'SELECT 1; SELECT 2' wave.weft
refuses 1 'give one SELECT' query --sql 'SELECT 1; DROP TABLE weft_run' wave.weft
refuses 1 "there is no SQL in ''" query --sql '' wave.weft
refuses 1 "there is no SQL in ' -- x'" query --sql ' -- x' wave.weft
refuses 1 'integer overflow' query --sql 'SELECT sum(9223372036854775807) FROM event' wave.weft
sha256sum --check --quiet before || fail "a profile was changed"
[[ ! -e other.db && ! -e copy.db ]] || fail "a file was made"
finish
