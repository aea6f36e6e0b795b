#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Machines get all of it, with exact figures.
. "$WEFT_SOURCE/tests/report/common.sh"
make_profile heat heat.sql
make_profile crash crash.sql
make_profile spawn spawn.sql
make_profile empty empty.sql
make_profile late late.sql
make_profile path path.sql
make_profile parts parts.sql
make_profile no_core parts.sql no_core.sql
make_profile unexplained parts.sql unexplained.sql
make_profile even even.sql
make_profile alone alone.sql
make_profile many many.sql
cd "$scratch" || exit 1
for profile in heat crash spawn empty late path parts no_core unexplained even alone many; do
    "$WEFT" report --json $profile.weft >$profile.json || fail "$profile: exit status $?"
    jq -e . $profile.json >/dev/null || fail "$profile: no JSON"
done

# holds PROFILE EXPRESSION
holds() {
    jq -e "$2" "$1.json" >/dev/null || fail "$1: not so: $2"
}

holds heat '.profile == "heat.weft" and .run.command == "mpirun -n 4 ./heat --size 512 --steps 1000" and .run.wall_ns == 12410000000'
holds heat '.run.started == "2026-08-17T14:03:22Z" and .notes == []'
holds heat '.totals | .ranks == 4 and .hosts == 1 and .spawned_ranks == 0 and .init_mean_ns == 118000000 and .overhead_ns == 2480000'
# 6 ends of the halo with 1,000 messages of 4,096 bytes, and 3 * 100 of 256 bytes to rank 0; received ones are not
# counted again.
holds heat '.totals | .messages == 6 * 1000 + 3 * 100 and .message_bytes == 6 * 4096000 + 3 * 25600'
holds heat '.totals | .one_sided == 2000 and .one_sided_bytes == 4 * 512000'
holds heat '.totals.collective_calls == 4 * (1000 + 1 + 1 + 10 + 500 + 2 + 1 + 10)'
holds heat '.totals.mpi_share * 1e6 | round == 279210'
holds heat '.efficiency | .parallel_efficiency > 0.7207 and .parallel_efficiency < 0.7209 and .transfer_efficiency == null'
holds heat '.efficiency | (.load_balance * .communication_efficiency - .parallel_efficiency | fabs) < 1e-6'
holds heat '.ranks | length == 4 and .[3].useful_ns == 11604700000 and .[0].ending == "finalized" and .[0].end_code == null'
holds heat '.statements | length == 15 and (map(.share) | add | . > 0.9999 and . < 1.0001)'
holds heat '[.statements[] | .time_ns] == ([.statements[] | .time_ns] | sort | reverse)'
holds heat '.start_end | map(.name) == ["MPI_Init", "MPI_Finalize"] and .[0].share == null'
holds heat '.statements[0] | .name == "MPI_Allreduce" and .place == "src/heat.c:214" and .procedure == "residual" and .kind == "collective"'
holds heat '.statements[0] | .calls == 4000 and .bytes == 32000 and .time_ns == 9840000000 and .worst_rank == 2'
holds heat '.statements[0] | .min_ns == 120000000 and .mean_ns == 2460000000 and .max_ns == 3730000000 and .imbalance_ns == 1270000000'
holds heat '.statements[0].ranks | map(.time_ns) == [3100000000, 2890000000, 3730000000, 120000000]'
holds heat '.statements[0].partners | map([.rank, .partner, .count]) == [[0, -1, 1000], [1, -1, 1000], [2, -1, 1000], [3, -1, 1000]]'
# A rank that never executed it counts as 0 in min and mean, but has no entry.
holds heat '.statements[] | select(.name == "MPI_Recv") | .min_ns == 0 and .mean_ns == 16500000 and .worst_rank == 0 and (.ranks | length == 1)'
holds heat '.statements[] | select(.name == "MPI_Recv") | .partners == [
  {"rank": 0, "partner": 1, "count": 100, "bytes": 25600, "time_ns": 40000000, "time_raw_ns": 40000000, "transfer_ns": 40000000, "transfer_raw_ns": 40000000, "sync_delay_ns": 0, "sync_delay_raw_ns": 0},
  {"rank": 0, "partner": 2, "count": 100, "bytes": 25600, "time_ns": 16000000, "time_raw_ns": 16000000, "transfer_ns": 16000000, "transfer_raw_ns": 16000000, "sync_delay_ns": 0, "sync_delay_raw_ns": 0},
  {"rank": 0, "partner": 3, "count": 100, "bytes": 25600, "time_ns": 10000000, "time_raw_ns": 10000000, "transfer_ns": 10000000, "transfer_raw_ns": 10000000, "sync_delay_ns": 0, "sync_delay_raw_ns": 0}]'
holds heat '.statements[] | select(.name == "MPI_Comm_dup") | .line == 0 and .place == "libfield.so.2+0x1a2a" and .offset == 6698'

# The same sums as the profile's own views.
sum=$(sqlite3 heat.weft "SELECT sum(bytes) FROM com JOIN event ON event.id = com.event WHERE event.name NOT IN ('MPI_Init', 'MPI_Finalize')")
holds heat "[.statements[].bytes] | add == $sum"

holds crash '.run.complete == 0 and (.notes | length == 4)'
holds crash '.ranks[2] | .ending == "died" and .last_site.name == "MPI_Recv" and .last_site.line == 1402 and .dropped_calls == 120'
holds crash '.ranks[4].last_site == null and .ranks[5].end_code == 3'
holds crash '[.statements[].name] | index("MPI_Abort") == null'
holds crash '[.statements[] | select(.line == 120)][0].file | contains("\u001b")'
holds spawn '.totals | .ranks == 2 and .spawned_ranks == 2'
holds spawn '.statements[0] | .name == "MPI_Recv" and .min_ns == 500000000 and .mean_ns == 1750000000 and .worst_rank == 3'
holds empty '.statements == [] and .totals.mpi_share == 0'

# Waiting: who, for whom, through what; of collectives the calls on one rank, of messages all of them.
holds late '.waiting | .time_ns == 5000250000 + 500000 and .num == 229'
holds late '.waiting.states | keys == ["early reduce", "late broadcast", "late complete", "late post", "late receiver", "late sender",
  "wait at N-to-N", "wait at barrier", "wait at file", "wait at neighbour", "wait at scan", "wait at window", "wait for lock", "wrong order"]'
holds late '[.waiting.states[].time_ns] | add == 5000750000'
holds late '.waiting.states["late sender"] | .time_ns == 440000000 and .num == 52 and .max_ns == 14000000'
holds late '.waiting.statements[0] | .statement.place == "src/main.c:40" and .state == "wait at barrier" and .time_ns == 3350000000 and .time_raw_ns == 3210000000'
holds late '.waiting.statements[0].culprits | map([.rank, .late, .of, .waiting_ranks]) == [[2, 37, 40, 3], [1, 3, 40, 3]]'
holds late '.waiting.statements[0].culprits[0] | .through.place == "src/solve.c:88" and .through.name == "MPI_Recv" and .through_others and .longest_waiting_rank == 3'
holds late '[.waiting.statements[] | select(.state == "late sender" and .statement.line == 88) | .culprits[] | [.rank, .late, .of]] == [[1, 30, 40], [3, 10, 80]]'
holds late '[.waiting.statements[] | select(.state == "early reduce") | .culprits[] | [.rank, .through.name]] == [[3, "MPI_Allreduce"], [-3, null]]'
holds late '.waiting.statements[0].culprits | map([.passed_on_ns, .counted]) == [[null, "calls"], [null, "calls"]]'
holds late '[.waiting.statements[] | select(.state == "late sender" and .statement.line == 88) | .culprits[] | [.passed_on_ns, .counted]] == [[0, "messages"], [90000000, "messages"]]'
# First causes add up to all waiting.
holds late '.waiting | ([.first_causes[].time_ns] | add) == .time_ns'
holds late '.waiting.first_causes[0] | .rank == 2 and .time_ns == 2270000000 and .waiting_ranks == 3 and .through.place == "src/solve.c:88"'
holds late '([.ranks[].first_cause_of_ns] | add) + 50000000 == .waiting.time_ns and .ranks[0].first_cause_of_ns == 1400250000'
holds late '.waiting.causes_not_known_ns == 2480750000'
holds late '[.ranks[].made_others_wait_ns] == [400250000, 330500000, 3800000000, 420000000]'
holds late '.efficiency | (.serialisation_efficiency * .transfer_efficiency - .communication_efficiency | fabs) < 1e-9 and (.transfer_efficiency - 0.95 | fabs) < 1e-9'
holds late '.run | .wall_raw_ns - .wall_ns == .intrusion_ns and .clock == "virtual" and .headers_missing == 90 and .clock_error_ns == 850'
holds late '.ranks[2] | .sync_ns == 150000000 and .ideal_ns == 9300000000 and .probe_inner_ns == 40 and .clock_offset_ns == -150000'
# The time at a statement and with a partner is transfer and waiting.
holds late '[.statements[] | select(.name == "MPI_Recv") | .partners[] | [.rank, .time_ns, .transfer_ns, .sync_delay_ns, .time_raw_ns, .sync_delay_raw_ns]] == [[0, 300000000, 100000000, 200000000, 330000000, 210000000], [2, 700000000, 580000000, 120000000, 640000000, 80000000]]'
holds late '.statements[0] | .sync_delay_ns == 3350000000 and .sync_delay_raw_ns == 3210000000 and (.ranks | map(.sync_delay_ns) | add) == 3350000000'
holds late '.compensation | map([.name, .time_raw_ns - .time_ns, .self_raw_ns - .self_ns]) == [["solve", 2000000000, 400000000], ["for", 1200000000, 400000000], ["exchange", 800000000, 400000000]]'

# The critical path: savings as they are, without rounding.
holds late '.path == null'
holds path '.path | .length_ns == 20000000000 and .whole_ns == 20000000000 and .from_ns == 0 and .weight == "elapsed" and .parts == 4000 and .lost == 2'
holds path '[.path.regions[].name] | .[0:4] == ["create_seq", "main", "MPI_Recv", "MPI_Allreduce"] and length == 8'
holds path '[.path | (.regions + [.other, .transfer])[].share_ns] | add == 20000000000'
holds path '.path.regions[1] | .saves_ns == {"25": 1750000000, "50": 3500000000, "75": 4000000000, "100": 4000000000} and .all_saves_ns["100"] == 19900000000'
holds path '.path.regions[1] | .share == 0.35 and .all_share_ns == 19900000000 and .time_ns == 12000000000 and .procedure == "main" and .line == 300'
holds path '[.path.regions[] | select(.hot_without_saving) | .name] == ["do_rank"]'
holds path '.path.regions[] | select(.kind == "loop") | .regions == 1 and .time_ns == 3200000000 and .saves_ns == null and .all_saves_ns == null and .share_ns == 800000000'
holds path '.path.regions[] | select(.kind == "stretch") | .time_ns == null'
holds path '.path.regions[] | select(.name == "MPI_Allreduce") | .time_ns == 16000000000 and .wait_ns == 14400000000'
holds path '[.path.places[] | [.first_rank, .arrivals]] == [[0, 40], [2, 30], [1, 10], [3, 1]]'

# Time in MPI has five parts, on each rank and at each statement, and they add up.
holds parts '[.statements[] | .time_ns == .sync_delay_ns + .transfer_ns + .polling_ns + .no_core_ns + .unexplained_ns] | all'
holds parts '[.statements[].ranks[] | .time_ns == .sync_delay_ns + .transfer_ns + .polling_ns + .no_core_ns + .unexplained_ns] | all'
holds parts '[.ranks[] | .mpi_ns == .sync_ns + .transfer_ns + .polling_ns + .no_core_ns + .unexplained_ns] | all'
holds parts '.totals | [.sync_share, .transfer_share, .polling_share, .no_core_share, .unexplained_share] | map(. * 1000 + 0.01 | floor) == [75, 27, 50, 25, 122]'
holds parts '.totals | (.sync_share + .transfer_share + .polling_share + .no_core_share + .unexplained_share - .mpi_share | fabs) < 1e-9 and .no_core_outside_share == 0.02'
holds parts '.statements[] | select(.name == "MPI_Win_unlock") | .unexplained_ns == 4800000000 and .transfer_ns == 300000000'
holds parts '.ranks[2] | .polling_ns == 1500000000 and .no_core_ns == 200000000 and .unexplained_ns == 3600000000 and .no_core_outside_ns == 200000000'
holds parts '.headline | .cause == "unexplained" and (.sentence | test("most in MPI_Win_unlock at src/parts.c:40"))'
holds parts '.efficiency.transfer_efficiency > 0.9 and .efficiency_reasons == {} and .path_doubt == null and .run.cores == 2'
holds no_core '.efficiency | .transfer_efficiency == null and .serialisation_efficiency == null and (.parallel_efficiency - 0.4 | fabs) < 1e-9'
holds no_core '.efficiency_reasons | .transfer_efficiency == .serialisation_efficiency and (.transfer_efficiency | test("no core for 45.8 %"))'
holds no_core '.headline | .cause == "no core" and (.sentence | test("4 ranks on 2 cores.*at most 2 ranks"))'
holds no_core '.path.length_ns == 10000000000 and (.path_doubt | test("no core"))'
holds unexplained '.headline.cause == "unexplained" and .efficiency.serialisation_efficiency <= 1'
holds even '.headline | .cause == "nothing" and (.sentence | test("^nothing stands out: 96.0 % of the run is computing, evenly shared$"))'
holds heat '.headline.cause == "in MPI" and (.efficiency_reasons.transfer_efficiency | test("no message"))'
holds late '.headline.cause == "waiting" and (.headline.sentence | test("^rank 2 computes longest"))'
# A share of the run is a share of its wall time on all ranks, also of those that were not there all the time.
holds alone '.totals | [.useful_share, .mpi_share, .absent_share, .sync_share] | map(. * 10000 | round) == [2750, 500, 6750, 375]'
for profile in heat parts crash many late spawn alone; do
    holds $profile '.totals | (.useful_share + .mpi_share + .absent_share - 1 | fabs) < 1e-6'
done
sqlite3 alone.weft "INSERT INTO weft_rank_idle VALUES (0, 0, 0, 0, 600000000, 1000000000)"
[[ $(sqlite3 alone.weft "SELECT reason FROM efficiency WHERE name = 'transfer_efficiency'") == "ranks had no core for 25.0 % of the run, 10.0 % while they waited" ]] ||
    fail "alone: $(sqlite3 alone.weft 'SELECT * FROM efficiency')"
for profile in parts no_core unexplained even late path; do
    holds $profile '[.efficiency[] | select(. != null) | . <= 1] | all'
    # The views have the same parts.
    [[ $(sqlite3 $profile.weft "SELECT count(*) FROM event WHERE event_type = 'communication' AND
        time_ns <> sync_ns + transfer_ns + polling_ns + no_core_ns + unexplained_ns") == 0 ]] || fail "$profile: the parts of an event"
    [[ $(sqlite3 $profile.weft "SELECT count(*) FROM rank WHERE
        mpi_ns <> sync_ns + transfer_ns + polling_ns + no_core_ns + unexplained_ns") == 0 ]] || fail "$profile: the parts of a rank"
done
[[ $("$WEFT" report --json --path path.weft | jq -c .path) == "$(jq -c .path path.json)" ]] || fail "--path --json"
[[ $(sqlite3 path.weft "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('path') LIMIT 9)") == name,file,line,share_ns,share_pct,zeroing_ns,whatif_25_ns,whatif_50_ns,whatif_75_ns ]] ||
    fail "the columns of the path"

"$WEFT" report --json --site rma.c heat.weft >site.json
holds site '(.statements | map(.name)) == ["MPI_Win_fence", "MPI_Put"] and .start_end == [] and (.ranks | length == 4)'
"$WEFT" report --json --raw late.weft | cmp - late.json || fail "--raw: raw times are there in any case"
"$WEFT" report --json --sort bytes heat.weft >sorted.json
"$WEFT" report --json --sort idle parts.weft | jq -e '.statements[0:3] | map(.line) == [40, 30, 50]' >/dev/null || fail "--sort idle"
holds sorted '[.statements[] | .bytes] == ([.statements[] | .bytes] | sort | reverse)'

# Whatever bytes a profile holds, JSON is UTF-8.
cp heat.weft latin.weft
sqlite3 latin.weft "UPDATE weft_run SET value = CAST(X'2e2f67726fdf20c3a420f09f98802020e282' AS TEXT) WHERE key = 'command'"
"$WEFT" report --json latin.weft >latin.json
jq -e . latin.json >/dev/null || fail "latin: no JSON"
holds latin '.run.command | startswith("./gro\ufffd ä 😀") and endswith("\ufffd")'
finish
