-- SPDX-License-Identifier: BSD-3-Clause
-- The profile. The views are the contract with users; the tables behind them (weft_*) may change with user_version.
-- All times are integer nanoseconds, virtual (compensated) unless the name ends in _raw.
-- Nothing is compensated yet: run's key `clock` says 'real', and every virtual time equals its _raw.

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
  overhead_ns  INTEGER NOT NULL,    -- what watching cost this rank: events times the calibrated cost of one
  intrusion_ns INTEGER NOT NULL,    -- how much later it ended because of watching
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

-- A thread that called MPI. Its statements are merged into those of its rank.
CREATE TABLE weft_thread(
  rank INTEGER NOT NULL, thread INTEGER NOT NULL, tid INTEGER NOT NULL, main INTEGER NOT NULL,
  events INTEGER NOT NULL, mpi_ns INTEGER NOT NULL, mpi_raw_ns INTEGER NOT NULL,
  PRIMARY KEY (rank, thread)) WITHOUT ROWID;

CREATE TABLE weft_procedure(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL);

-- A statement in the program's text, the same for all ranks.
CREATE TABLE weft_site(
  id        INTEGER PRIMARY KEY,
  type      TEXT NOT NULL,    -- 'communication', 'loop', 'procedure'
  name      TEXT NOT NULL,    -- the MPI function, the loop's kind, the procedure
  file      TEXT NOT NULL,    -- as the compiler was given it; without debug information: the executable or library
  line      INTEGER NOT NULL, -- 0: no debug information
  procedure INTEGER,          -- the procedure it stands in
  module    TEXT NOT NULL,    -- executable or library
  offset    INTEGER NOT NULL  -- address in it
);

-- A statement on one rank.
CREATE TABLE weft_event(
  id INTEGER PRIMARY KEY, site INTEGER NOT NULL, rank INTEGER NOT NULL,
  calls INTEGER NOT NULL, time_ns INTEGER NOT NULL, time_raw_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL);

CREATE TABLE weft_com(
  event INTEGER NOT NULL, dest_node INTEGER NOT NULL, trans_num INTEGER NOT NULL, bytes INTEGER NOT NULL,
  trans_time INTEGER NOT NULL, trans_time_raw INTEGER NOT NULL,
  sync_delay INTEGER NOT NULL, sync_delay_raw INTEGER NOT NULL,
  PRIMARY KEY (event, dest_node)) WITHOUT ROWID;

CREATE TABLE weft_proc(
  event INTEGER NOT NULL, activate_file TEXT NOT NULL, activate_line INTEGER NOT NULL, proc_num INTEGER NOT NULL,
  proc_time INTEGER NOT NULL, proc_time_raw INTEGER NOT NULL, self_time INTEGER NOT NULL, self_time_raw INTEGER NOT NULL,
  PRIMARY KEY (event, activate_file, activate_line)) WITHOUT ROWID;

CREATE TABLE weft_loop(
  event INTEGER PRIMARY KEY, loop_num INTEGER NOT NULL, loop_time INTEGER NOT NULL, loop_time_raw INTEGER NOT NULL);

-- What stands in what, in the program's text: kind is 'pl', 'pcom', 'pc', 'll', 'lcom' or 'lc'; places are file:line.
CREATE TABLE weft_static(kind TEXT NOT NULL, outer TEXT NOT NULL, inner TEXT NOT NULL, callee TEXT);

CREATE TABLE weft_path(
  name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, share_ns INTEGER NOT NULL, zeroing_ns INTEGER NOT NULL,
  whatif_25_ns INTEGER NOT NULL, whatif_50_ns INTEGER NOT NULL, whatif_75_ns INTEGER NOT NULL);

-- What the collector has to tell about this profile: one sentence each, for the reader of a report.
CREATE TABLE weft_note(id INTEGER PRIMARY KEY, sentence TEXT NOT NULL);

CREATE VIEW run AS SELECT key, value FROM weft_run;

CREATE VIEW rank AS
  SELECT rank, host, pid, wall_ns, wall_raw_ns, overhead_ns, intrusion_ns, useful_ns, complete,
         world, world_rank, started_ns, mpi_ns, mpi_raw_ns, init_ns, finalize_ns, paused_ns, events, threads,
         segment_bytes, dropped_calls, dropped_ns, dropped_requests, ending, end_code, last_site
  FROM weft_rank;

CREATE VIEW procedure AS SELECT id, name, file, line FROM weft_procedure;

CREATE VIEW t_pl   AS SELECT outer AS l_p, inner AS l_l FROM weft_static WHERE kind = 'pl';
CREATE VIEW t_pcom AS SELECT outer AS l_p, inner AS l_c FROM weft_static WHERE kind = 'pcom';
CREATE VIEW t_pc   AS SELECT outer AS l_p, inner AS l_pc, callee AS l_pi FROM weft_static WHERE kind = 'pc';
CREATE VIEW t_ll   AS SELECT outer AS l_l, inner AS l_il FROM weft_static WHERE kind = 'll';
CREATE VIEW t_lcom AS SELECT outer AS l_l, inner AS l_c FROM weft_static WHERE kind = 'lcom';
CREATE VIEW t_lc   AS SELECT outer AS l_l, inner AS l_pc, callee AS l_pi FROM weft_static WHERE kind = 'lc';

CREATE VIEW event AS
  SELECT e.id, s.file, s.line, e.rank AS self_node, s.type AS event_type, s.name,
         s.id AS site, p.name AS procedure, e.calls, e.time_ns, e.time_raw_ns, e.max_ns
  FROM weft_event e JOIN weft_site s ON s.id = e.site LEFT JOIN weft_procedure p ON p.id = s.procedure;

CREATE VIEW com AS
  SELECT event, dest_node, trans_num, trans_time, sync_delay, bytes, trans_time_raw, sync_delay_raw FROM weft_com;

CREATE VIEW proc AS
  SELECT event, activate_file, activate_line, proc_num, proc_time, self_time, proc_time_raw, self_time_raw FROM weft_proc;

CREATE VIEW loop AS SELECT event, loop_num, loop_time, loop_time_raw FROM weft_loop;

CREATE VIEW path AS
  SELECT name, file, line, share_ns,
         100.0 * share_ns / (SELECT value FROM weft_run WHERE key = 'path_ns') AS share_pct,
         zeroing_ns, whatif_25_ns, whatif_50_ns, whatif_75_ns
  FROM weft_path;

-- The POP factors of the first world. The last two need virtual time and are NULL until there is one.
CREATE VIEW efficiency AS
  WITH r AS (SELECT avg(useful_ns) AS mean_useful, 1.0 * max(useful_ns) AS max_useful FROM weft_rank WHERE world = 0),
       w AS (SELECT nullif(value, 0) AS wall FROM weft_run WHERE key = 'wall_ns')
  SELECT 'parallel_efficiency' AS name, mean_useful / wall AS value FROM r, w UNION ALL
  SELECT 'load_balance', mean_useful / nullif(max_useful, 0) FROM r UNION ALL
  SELECT 'communication_efficiency', max_useful / wall FROM r, w UNION ALL
  SELECT 'serialisation_efficiency', NULL UNION ALL
  SELECT 'transfer_efficiency', NULL;
