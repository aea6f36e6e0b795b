-- SPDX-License-Identifier: BSD-3-Clause
-- The profile. The views are the contract with users; the tables behind them (weft_*) may change with user_version.
-- All times are integer nanoseconds, virtual (compensated) unless the name ends in _raw. How they were compensated is run's key `clock`:
-- 'virtual', 'delay', 'local' (each process's own cost only) or 'real' (not at all: every virtual time equals its _raw).

CREATE TABLE weft_run(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE weft_rank(
  rank         INTEGER PRIMARY KEY, -- in MPI_COMM_WORLD; processes of further worlds (spawned) follow behind, see world
  world        INTEGER NOT NULL,    -- 0: the world of the first process; 1, 2, ...: spawned or joined later
  world_rank   INTEGER NOT NULL,    -- rank in its own MPI_COMM_WORLD
  host         TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  started_ns   INTEGER NOT NULL,    -- end of MPI_Init, since the first rank's
  wall_ns      INTEGER NOT NULL,    -- end of MPI_Init to begin of MPI_Finalize (or the last sign of life), without pauses
  wall_raw_ns  INTEGER NOT NULL,
  mpi_ns       INTEGER NOT NULL,    -- of that, in MPI; the mean over the threads that call MPI
  mpi_raw_ns   INTEGER NOT NULL,
  useful_ns    INTEGER NOT NULL,    -- wall_ns - mpi_ns
  init_ns      INTEGER NOT NULL,
  finalize_ns  INTEGER NOT NULL,
  paused_ns    INTEGER NOT NULL,    -- between MPI_Pcontrol(0) and (1)
  overhead_ns  INTEGER NOT NULL,    -- what the probes cost this rank
  intrusion_ns INTEGER NOT NULL,    -- how much longer it took because it, and others, were watched: wall_raw_ns - wall_ns
  events       INTEGER NOT NULL,    -- calls watched
  threads      INTEGER NOT NULL,    -- threads that called MPI
  segment_bytes   INTEGER NOT NULL,
  dropped_calls   INTEGER NOT NULL, -- calls and transfers that found no room in the segment
  dropped_ns      INTEGER NOT NULL, -- and their time
  dropped_requests INTEGER NOT NULL,
  complete     INTEGER NOT NULL,    -- 1: MPI_Finalize returned and nothing was dropped
  ending       TEXT NOT NULL,       -- 'finalized', 'aborted', 'exited' (without MPI_Finalize), 'died', 'running'
  end_code     INTEGER,             -- MPI_Abort's argument
  last_site    INTEGER              -- the statement it was in when it ended, if it did not end well
);

-- What the clocks of a rank know.
CREATE TABLE weft_clock(
  rank INTEGER PRIMARY KEY,
  ideal_ns INTEGER NOT NULL,       -- wall_ns on a network that transfers in no time: computing, and waiting for others' computing
  sync_ns INTEGER NOT NULL,        -- of the rank's mpi_ns, waiting for others
  sync_raw_ns INTEGER NOT NULL,
  probe_ns INTEGER NOT NULL,       -- calibrated: watching one call; and of that, between the two readings of the clock
  probe_inner_ns INTEGER NOT NULL,
  pair_ns INTEGER NOT NULL,        -- the same of entering and leaving a region
  pair_inner_ns INTEGER NOT NULL,
  probe_check_expected_ns INTEGER NOT NULL, -- at the end probes are run once more: what they should cost, and what they did
  probe_check_seen_ns INTEGER NOT NULL,
  clock_offset_ns INTEGER NOT NULL, -- its host's clock + it = that of rank 0's host, at the start; and how it changes
  clock_drift_ppb INTEGER NOT NULL,
  clock_error_ns INTEGER NOT NULL,  -- bound of the error
  headers_sent INTEGER NOT NULL,    -- stamps of its clock that went with messages and collectives
  headers_taken INTEGER NOT NULL,   -- those of others that it found
  headers_missing INTEGER NOT NULL, -- messages without
  headers_ambiguous INTEGER NOT NULL, -- stamps of several messages that could have been it
  headers_dropped INTEGER NOT NULL);  -- stamps that found no room at this sender

-- A thread that called MPI or ran instrumented code. Its statements are merged into those of its rank.
CREATE TABLE weft_thread(
  rank INTEGER NOT NULL, thread INTEGER NOT NULL, tid INTEGER NOT NULL, main INTEGER NOT NULL,
  events INTEGER NOT NULL, mpi_ns INTEGER NOT NULL, mpi_raw_ns INTEGER NOT NULL,
  PRIMARY KEY (rank, thread)) WITHOUT ROWID;

-- What instrumented code did on a rank; no row: it has none.
CREATE TABLE weft_instrumented(
  rank INTEGER PRIMARY KEY, visits INTEGER NOT NULL, -- of procedures, loops and regions
  dropped_regions INTEGER NOT NULL, dropped_visits INTEGER NOT NULL); -- that found no room in the segment

CREATE TABLE weft_procedure(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL);

-- Procedures that call each other in a circle count as one: they have the same cycle (the id of one of them).
CREATE TABLE weft_cycle(procedure INTEGER PRIMARY KEY, cycle INTEGER NOT NULL);

-- A statement in the program's text, the same for all ranks.
CREATE TABLE weft_site(
  id        INTEGER PRIMARY KEY,
  type      TEXT NOT NULL,    -- 'communication', 'loop', 'procedure'; 'region' and 'phase' are marked by hand
  name      TEXT NOT NULL,    -- the MPI function, the loop's kind, the procedure, what the user called it
  file      TEXT NOT NULL,    -- as the compiler was given it; without debug information: the executable or library
  line      INTEGER NOT NULL, -- 0: no debug information
  procedure INTEGER,          -- the procedure it stands in, or is
  module    TEXT NOT NULL,    -- executable or library; '' for what instrumented code says of itself
  offset    INTEGER NOT NULL  -- address in it
);

-- A statement on one rank.
CREATE TABLE weft_event(
  id INTEGER PRIMARY KEY, site INTEGER NOT NULL, rank INTEGER NOT NULL,
  calls INTEGER NOT NULL, time_ns INTEGER NOT NULL, time_raw_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL);

-- Without waiting for the partner (trans_time), and that (sync_delay): together, the time of the calls.
CREATE TABLE weft_com(
  event INTEGER NOT NULL, dest_node INTEGER NOT NULL, trans_num INTEGER NOT NULL, bytes INTEGER NOT NULL,
  trans_time INTEGER NOT NULL, trans_time_raw INTEGER NOT NULL,
  sync_delay INTEGER NOT NULL, sync_delay_raw INTEGER NOT NULL,
  PRIMARY KEY (event, dest_node)) WITHOUT ROWID;

-- A statement on one rank that waited for another rank, its culprit, which was late.
CREATE TABLE weft_wait(
  event INTEGER NOT NULL, culprit INTEGER NOT NULL,
  kind TEXT NOT NULL,            -- as the field names wait states: 'late sender', 'wait at barrier', ... (weft/profile.h has them all)
  culprit_site INTEGER NOT NULL, -- what the culprit sent or received with; of a collective, the statement it left last before. 0: not known
  num INTEGER NOT NULL, time_ns INTEGER NOT NULL, time_raw_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,
  PRIMARY KEY (event, culprit, kind, culprit_site)) WITHOUT ROWID;

-- Own time of a procedure, loop, region or phase on one rank: without the procedures and MPI calls inside. That of a
-- procedure is over all its visits, recursive ones, which have no row in weft_proc, included.
CREATE TABLE weft_self(event INTEGER PRIMARY KEY, self_ns INTEGER NOT NULL, self_raw_ns INTEGER NOT NULL);

-- A thread's part in a statement's calls and time; of ranks with more than one thread.
CREATE TABLE weft_thread_event(
  rank INTEGER NOT NULL, thread INTEGER NOT NULL, site INTEGER NOT NULL,
  calls INTEGER NOT NULL, time_ns INTEGER NOT NULL, time_raw_ns INTEGER NOT NULL,
  PRIMARY KEY (rank, thread, site)) WITHOUT ROWID;

-- A procedure visited from one call statement. Where the program begins: '' and 0. Without debug information: the
-- caller's executable or library, and 0. Recursive calls have no row: their time is in that of the call from outside.
CREATE TABLE weft_proc(
  event INTEGER NOT NULL, activate_file TEXT NOT NULL, activate_line INTEGER NOT NULL, proc_num INTEGER NOT NULL,
  proc_time INTEGER NOT NULL, proc_time_raw INTEGER NOT NULL, self_time INTEGER NOT NULL, self_time_raw INTEGER NOT NULL,
  caller INTEGER, -- the procedure that the statement stands in, if it is known
  PRIMARY KEY (event, activate_file, activate_line)) WITHOUT ROWID;

-- Own time as in weft_self: with that of loops inside.
CREATE TABLE weft_loop(
  event INTEGER PRIMARY KEY, loop_num INTEGER NOT NULL, loop_time INTEGER NOT NULL, loop_time_raw INTEGER NOT NULL,
  self_time INTEGER NOT NULL DEFAULT 0, self_time_raw INTEGER NOT NULL DEFAULT 0);

-- What users marked: regions and phases.
CREATE TABLE weft_region(
  event INTEGER PRIMARY KEY, region_num INTEGER NOT NULL, region_time INTEGER NOT NULL, region_time_raw INTEGER NOT NULL,
  self_time INTEGER NOT NULL, self_time_raw INTEGER NOT NULL);

-- What users counted: how often, and the sum of the values (NULL: not a number).
CREATE TABLE weft_counter(
  name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, rank INTEGER NOT NULL, num INTEGER NOT NULL, sum REAL);

-- A region that was switched off while the program ran, because its visits were too short for their cost; and what had
-- been seen of it then, which is all that its figures know.
CREATE TABLE weft_off(
  site INTEGER NOT NULL, rank INTEGER NOT NULL, calls INTEGER NOT NULL, time_ns INTEGER NOT NULL);

-- What stands in what, in the program's text: kind is 'pl', 'pcom', 'pc', 'll', 'lcom' or 'lc'; places are file:line.
-- The callee is the place of a procedure, or the name of one whose text nobody compiled with weft cc.
CREATE TABLE weft_static(
  kind TEXT NOT NULL, outer TEXT NOT NULL, inner TEXT NOT NULL, callee TEXT,
  name TEXT NOT NULL DEFAULT '',        -- inner's: the loop's kind, the MPI function, the procedure called
  dynamic INTEGER NOT NULL DEFAULT 0);  -- 1: a call that the text does not tell (by a pointer), but that happened

-- Every procedure and loop of the program's text, also of those that never ran.
CREATE TABLE weft_place(
  place TEXT NOT NULL,                  -- file:line
  type TEXT NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL,
  procedure INTEGER NOT NULL,           -- it stands in, or is
  status TEXT NOT NULL);                -- 'probe', 'leaf' or 'skipped:' and why, as weft cc says

-- A slot of the critical path of the first world: one region, or several that shared it. Savings are those of the run if
-- the slot's own time took 25, 50, 75 or 100 % less (whatif_*, zeroing), or all that happens inside it (all_25_ns, ...).
CREATE TABLE weft_path(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,         -- 'procedure', 'loop', 'region', 'statement', 'stretch' (computing behind a statement);
                              -- 'bucket': several regions; 'other': all computing that is not followed; 'transfer'
  name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, -- of a bucket: of its region with the most time
  procedure INTEGER,
  regions INTEGER NOT NULL,   -- that it stands for; 0: nobody knows
  share_ns INTEGER NOT NULL, zeroing_ns INTEGER NOT NULL,
  whatif_25_ns INTEGER NOT NULL, whatif_50_ns INTEGER NOT NULL, whatif_75_ns INTEGER NOT NULL,
  all_share_ns INTEGER NOT NULL,
  all_25_ns INTEGER, all_50_ns INTEGER, all_75_ns INTEGER, all_100_ns INTEGER); -- NULL: not computed

-- The sites whose time a slot's is: its regions and statements, not the statements that its stretches stand behind.
CREATE TABLE weft_path_site(path INTEGER NOT NULL, site INTEGER NOT NULL, PRIMARY KEY (path, site)) WITHOUT ROWID;

-- What of the path was spent in these ranks, and how often it came to them from others.
CREATE TABLE weft_path_place(
  first_rank INTEGER PRIMARY KEY, last_rank INTEGER NOT NULL, share_ns INTEGER NOT NULL, arrivals INTEGER NOT NULL);

-- What the collector has to tell about this profile: one sentence each, for the reader of a report.
CREATE TABLE weft_note(id INTEGER PRIMARY KEY, sentence TEXT NOT NULL);

CREATE VIEW run AS SELECT key, value FROM weft_run;

CREATE VIEW rank AS
  SELECT rank, host, pid, wall_ns, wall_raw_ns, overhead_ns, intrusion_ns, useful_ns, complete,
         world, world_rank, started_ns, mpi_ns, mpi_raw_ns, init_ns, finalize_ns, paused_ns, events, threads,
         segment_bytes, dropped_calls, dropped_ns, dropped_requests, ending, end_code, last_site,
         coalesce(visits, 0) AS visits, coalesce(dropped_regions, 0) AS dropped_regions,
         coalesce(dropped_visits, 0) AS dropped_visits,
         coalesce(ideal_ns, wall_ns) AS ideal_ns, coalesce(sync_ns, 0) AS sync_ns, coalesce(sync_raw_ns, 0) AS sync_raw_ns,
         coalesce(probe_ns, 0) AS probe_ns, coalesce(probe_inner_ns, 0) AS probe_inner_ns,
         coalesce(pair_ns, 0) AS pair_ns, coalesce(pair_inner_ns, 0) AS pair_inner_ns,
         coalesce(probe_check_expected_ns, 0) AS probe_check_expected_ns,
         coalesce(probe_check_seen_ns, 0) AS probe_check_seen_ns,
         coalesce(clock_offset_ns, 0) AS clock_offset_ns, coalesce(clock_drift_ppb, 0) AS clock_drift_ppb,
         coalesce(clock_error_ns, 0) AS clock_error_ns, coalesce(headers_sent, 0) AS headers_sent,
         coalesce(headers_taken, 0) AS headers_taken, coalesce(headers_missing, 0) AS headers_missing,
         coalesce(headers_ambiguous, 0) AS headers_ambiguous, coalesce(headers_dropped, 0) AS headers_dropped
  FROM weft_rank LEFT JOIN weft_instrumented USING (rank) LEFT JOIN weft_clock USING (rank);

CREATE VIEW procedure AS
  SELECT p.id, p.name, p.file, p.line, c.cycle FROM weft_procedure p LEFT JOIN weft_cycle c ON c.procedure = p.id;

CREATE VIEW t_pl   AS SELECT outer AS l_p, inner AS l_l FROM weft_static WHERE kind = 'pl';
CREATE VIEW t_pcom AS SELECT outer AS l_p, inner AS l_c FROM weft_static WHERE kind = 'pcom';
CREATE VIEW t_pc   AS SELECT outer AS l_p, inner AS l_pc, callee AS l_pi FROM weft_static WHERE kind = 'pc';
CREATE VIEW t_ll   AS SELECT outer AS l_l, inner AS l_il FROM weft_static WHERE kind = 'll';
CREATE VIEW t_lcom AS SELECT outer AS l_l, inner AS l_c FROM weft_static WHERE kind = 'lcom';
CREATE VIEW t_lc   AS SELECT outer AS l_l, inner AS l_pc, callee AS l_pi FROM weft_static WHERE kind = 'lc';

CREATE VIEW event AS
  SELECT e.id, s.file, s.line, e.rank AS self_node, s.type AS event_type, s.name,
         s.id AS site, p.name AS procedure, e.calls, e.time_ns, e.time_raw_ns, e.max_ns,
         coalesce(o.self_ns, e.time_ns) AS self_ns, coalesce(o.self_raw_ns, e.time_raw_ns) AS self_raw_ns
  FROM weft_event e JOIN weft_site s ON s.id = e.site LEFT JOIN weft_procedure p ON p.id = s.procedure
       LEFT JOIN weft_self o ON o.event = e.id;

CREATE VIEW com AS
  SELECT event, dest_node, trans_num, trans_time, sync_delay, bytes, trans_time_raw, sync_delay_raw FROM weft_com;

CREATE VIEW wait AS
  SELECT w.event, e.rank AS self_node, w.culprit, w.kind, w.num, w.time_ns, w.time_raw_ns, w.max_ns,
         coalesce(s.file, '') AS culprit_file, coalesce(s.line, 0) AS culprit_line, coalesce(s.name, '') AS culprit_name,
         p.name AS culprit_procedure, nullif(w.culprit_site, 0) AS culprit_site
  FROM weft_wait w JOIN weft_event e ON e.id = w.event
       LEFT JOIN weft_site s ON s.id = w.culprit_site LEFT JOIN weft_procedure p ON p.id = s.procedure;

CREATE VIEW proc AS
  SELECT event, activate_file, activate_line, proc_num, proc_time, self_time, proc_time_raw, self_time_raw, caller
  FROM weft_proc;

CREATE VIEW loop AS SELECT event, loop_num, loop_time, loop_time_raw, self_time, self_time_raw FROM weft_loop;

CREATE VIEW region AS
  SELECT event, region_num, region_time, self_time, region_time_raw, self_time_raw FROM weft_region;

CREATE VIEW counter AS SELECT name, file, line, rank AS self_node, num, sum FROM weft_counter;

CREATE VIEW path AS
  WITH length AS (SELECT nullif(value, 0) AS ns FROM weft_run WHERE key = 'path_ns'),
       time AS (SELECT s.path, sum(coalesce(o.self_ns, e.time_ns)) AS ns FROM weft_path_site s
                JOIN weft_event e ON e.site = s.site JOIN weft_rank r ON r.rank = e.rank AND r.world = 0
                LEFT JOIN weft_self o ON o.event = e.id GROUP BY s.path),
       wait AS (SELECT s.path, sum(c.sync_delay) AS ns FROM weft_path_site s
                JOIN weft_event e ON e.site = s.site JOIN weft_rank r ON r.rank = e.rank AND r.world = 0
                JOIN weft_com c ON c.event = e.id GROUP BY s.path)
  SELECT w.name, w.file, w.line, w.share_ns, 100.0 * w.share_ns / (SELECT ns FROM length) AS share_pct,
         w.zeroing_ns, w.whatif_25_ns, w.whatif_50_ns, w.whatif_75_ns,
         w.kind, p.name AS procedure, w.regions, time.ns AS time_ns, coalesce(wait.ns, 0) AS wait_ns,
         w.all_share_ns, w.all_25_ns, w.all_50_ns, w.all_75_ns, w.all_100_ns
  FROM weft_path w LEFT JOIN weft_procedure p ON p.id = w.procedure
       LEFT JOIN time ON time.path = w.id LEFT JOIN wait ON wait.path = w.id;

CREATE VIEW path_place AS
  SELECT first_rank, last_rank, share_ns,
         100.0 * share_ns / (SELECT nullif(value, 0) FROM weft_run WHERE key = 'path_ns') AS share_pct, arrivals
  FROM weft_path_place;

-- The POP factors of the first world. The last two multiply to communication_efficiency; they are NULL where nothing is known of transfers:
-- the clock is real, and no message told when it was sent.
CREATE VIEW efficiency AS
  WITH r AS (SELECT avg(useful_ns) AS mean_useful, 1.0 * max(useful_ns) AS max_useful FROM weft_rank WHERE world = 0),
       w AS (SELECT nullif(value, 0) AS wall FROM weft_run WHERE key = 'wall_ns'),
       i AS (SELECT nullif(1.0 * max(ideal_ns), 0) AS ideal FROM weft_rank JOIN weft_clock USING (rank)
             WHERE world = 0 AND ('real' NOT IN (SELECT value FROM weft_run WHERE key = 'clock')
                                  OR (SELECT sum(headers_taken) FROM weft_clock) > 0))
  SELECT 'parallel_efficiency' AS name, mean_useful / wall AS value FROM r, w UNION ALL
  SELECT 'load_balance', mean_useful / nullif(max_useful, 0) FROM r UNION ALL
  SELECT 'communication_efficiency', max_useful / wall FROM r, w UNION ALL
  SELECT 'serialisation_efficiency', max_useful / ideal FROM r, i UNION ALL
  SELECT 'transfer_efficiency', ideal / wall FROM i, w;
