-- SPDX-License-Identifier: BSD-3-Clause
-- The profile. The views are the contract with users; the tables behind them (weft_*) may change with user_version.
-- All times are integer nanoseconds, virtual (compensated) unless the name ends in _raw. How they were compensated is
-- run's key `clock`: 'virtual', 'delay', 'local' (each process's own cost only) or 'real' (not at all: every virtual
-- time equals its _raw).

CREATE TABLE weft_run(key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE weft_rank(
  rank         INTEGER PRIMARY KEY, -- in MPI_COMM_WORLD; processes of further worlds (spawned) follow behind, see world
  world        INTEGER NOT NULL,    -- 0: the world of the first process; 1, 2, ...: spawned or joined later
  world_rank   INTEGER NOT NULL,    -- rank in its own MPI_COMM_WORLD
  host         TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  started_ns   INTEGER NOT NULL,    -- end of MPI_Init, since the first rank's
  wall_ns      INTEGER NOT NULL,    -- end of MPI_Init to begin of MPI_Finalize (or last moment known), without pauses
  wall_raw_ns  INTEGER NOT NULL,
  mpi_ns       INTEGER NOT NULL,    -- the part in MPI, of one thread: the main one, or, if that calls nothing between
                                    -- MPI_Init and MPI_Finalize, the one with the most calls
  mpi_raw_ns   INTEGER NOT NULL,
  useful_ns    INTEGER NOT NULL,    -- wall_ns - mpi_ns
  init_ns      INTEGER NOT NULL,
  finalize_ns  INTEGER NOT NULL,
  paused_ns    INTEGER NOT NULL,    -- between MPI_Pcontrol(0) and (1)
  overhead_ns  INTEGER NOT NULL,    -- what the probes cost this rank
  intrusion_ns INTEGER NOT NULL,    -- how much longer it took because ranks were watched: wall_raw_ns - wall_ns
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

-- The clocks of a rank.
CREATE TABLE weft_clock(
  rank INTEGER PRIMARY KEY,
  ideal_ns INTEGER NOT NULL,       -- wall_ns on a network that transfers in no time: computing, and waiting for other
                                   -- ranks' computing
  sync_ns INTEGER NOT NULL,        -- waiting for other ranks, a part of the rank's mpi_ns
  sync_raw_ns INTEGER NOT NULL,
  probe_ns INTEGER NOT NULL,       -- calibrated: watching one call; and the part between the two readings of the clock
  probe_inner_ns INTEGER NOT NULL,
  pair_ns INTEGER NOT NULL,        -- the same of entering and leaving a region
  pair_inner_ns INTEGER NOT NULL,
  probe_check_expected_ns INTEGER NOT NULL, -- probes are run once more at the end: what they should cost, and what they
                                            -- did
  probe_check_seen_ns INTEGER NOT NULL,
  clock_offset_ns INTEGER NOT NULL, -- its host's clock + it = that of rank 0's host, at the start; and how it changes
  clock_drift_ppb INTEGER NOT NULL,
  clock_error_ns INTEGER NOT NULL,  -- bound of the error
  headers_sent INTEGER NOT NULL,    -- headers (time stamps) that accompanied messages and collectives
  headers_taken INTEGER NOT NULL,   -- headers of other ranks that were found
  headers_missing INTEGER NOT NULL, -- messages without a header
  headers_ambiguous INTEGER NOT NULL, -- headers that several messages could have
  headers_dropped INTEGER NOT NULL);  -- headers that found no room at this sender

-- Time that a rank was idle without being known to wait for another rank; no row: none. The first three are parts of
-- mpi_ns: mpi_ns less these and sync_ns is transfer.
CREATE TABLE weft_rank_idle(
  rank INTEGER PRIMARY KEY,
  polling_ns INTEGER NOT NULL,      -- asking for what had not come, without a result
  no_core_ns INTEGER NOT NULL,      -- in MPI, ready, but another process had the core
  unexplained_ns INTEGER NOT NULL,  -- calls took longer than such calls take, and no rank is known to be the reason
  no_core_outside_ns INTEGER NOT NULL, -- ready without a core outside of MPI, a part of useful_ns
  no_core_all_ns INTEGER NOT NULL); -- altogether, as the scheduler counts it, also while waiting for other ranks

-- A call that did not return: how long a rank had been in its last_site when it was last seen.
CREATE TABLE weft_rank_last(rank INTEGER PRIMARY KEY, last_site_ns INTEGER NOT NULL);

-- The innermost procedure, loop or region that a rank's main thread was in when it ended, if it did not end well.
CREATE TABLE weft_rank_region(rank INTEGER PRIMARY KEY, last_region INTEGER NOT NULL);

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

-- trans_time is the time of transfer, sync_delay the waiting. Together with weft_idle they are the time of the calls.
CREATE TABLE weft_com(
  event INTEGER NOT NULL, dest_node INTEGER NOT NULL, trans_num INTEGER NOT NULL, bytes INTEGER NOT NULL,
  trans_time INTEGER NOT NULL, trans_time_raw INTEGER NOT NULL,
  sync_delay INTEGER NOT NULL, sync_delay_raw INTEGER NOT NULL,
  PRIMARY KEY (event, dest_node)) WITHOUT ROWID;

-- Parts of a statement's time on one rank that are neither waiting nor transfer; no row: none.
CREATE TABLE weft_idle(
  event INTEGER PRIMARY KEY, polling_ns INTEGER NOT NULL, no_core_ns INTEGER NOT NULL, unexplained_ns INTEGER NOT NULL);

-- A statement on one rank that waited for another rank, its culprit, which was late.
CREATE TABLE weft_wait(
  event INTEGER NOT NULL, culprit INTEGER NOT NULL,
  kind TEXT NOT NULL,            -- as the field names wait states: 'late sender', 'wait at barrier', ...
                                 -- (weft/profile.h has them all)
  culprit_site INTEGER NOT NULL, -- with which the culprit sent or received; for a collective, its last statement
                                 -- before. 0: not known
  num INTEGER NOT NULL, time_ns INTEGER NOT NULL, time_raw_ns INTEGER NOT NULL, max_ns INTEGER NOT NULL,
  PRIMARY KEY (event, culprit, kind, culprit_site)) WITHOUT ROWID;

-- The part of a row of weft_wait in which the culprit waited for another rank itself, and so only passed its own wait
-- on; no row: none.
CREATE TABLE weft_passed(
  event INTEGER NOT NULL, culprit INTEGER NOT NULL, kind TEXT NOT NULL, culprit_site INTEGER NOT NULL,
  passed_ns INTEGER NOT NULL, PRIMARY KEY (event, culprit, kind, culprit_site)) WITHOUT ROWID;

-- Whose work was behind those parts: as much as passed_ns, all together. root_site is as weft_wait's culprit_site, and
-- num counts the waits that had such a part.
CREATE TABLE weft_root(
  event INTEGER NOT NULL, root INTEGER NOT NULL, root_site INTEGER NOT NULL, num INTEGER NOT NULL,
  time_ns INTEGER NOT NULL, PRIMARY KEY (event, root, root_site)) WITHOUT ROWID;

-- Receives and probes from any source of a statement on one rank; no row: it has taken no message so. Nonblocking and
-- persistent receives count where they were started.
CREATE TABLE weft_order(
  event INTEGER PRIMARY KEY,
  num INTEGER NOT NULL,          -- how often one took a message
  changed INTEGER NOT NULL,      -- of these, without monitoring it would have taken another one;
  undecided INTEGER NOT NULL,    -- of these, that is not known
  decided INTEGER NOT NULL,      -- with order control: receives that got the message that was to come first;
  otherwise INTEGER NOT NULL,    -- of these, in real time another message came first
  held_ns INTEGER NOT NULL, held_max_ns INTEGER NOT NULL, -- how long receives were held back: the sum, and the longest
  released INTEGER NOT NULL);    -- receives that were held back for the longest time allowed, and let go undecided

-- Own time of a procedure, loop, region or phase on one rank: without the procedures and MPI calls inside. For a
-- procedure it covers all visits, including recursive ones, which have no row in weft_proc.
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
  proc_time INTEGER NOT NULL, proc_time_raw INTEGER NOT NULL,
  self_time INTEGER NOT NULL, self_time_raw INTEGER NOT NULL,
  caller INTEGER, -- the procedure that the statement stands in, if it is known
  PRIMARY KEY (event, activate_file, activate_line)) WITHOUT ROWID;

-- Own time as in weft_self: including the loops inside.
CREATE TABLE weft_loop(
  event INTEGER PRIMARY KEY, loop_num INTEGER NOT NULL, loop_time INTEGER NOT NULL, loop_time_raw INTEGER NOT NULL,
  self_time INTEGER NOT NULL DEFAULT 0, self_time_raw INTEGER NOT NULL DEFAULT 0);

-- Regions and phases that users marked.
CREATE TABLE weft_region(
  event INTEGER PRIMARY KEY, region_num INTEGER NOT NULL,
  region_time INTEGER NOT NULL, region_time_raw INTEGER NOT NULL,
  self_time INTEGER NOT NULL, self_time_raw INTEGER NOT NULL);

-- Values that users counted: how often, and their sum (NULL: not a number).
CREATE TABLE weft_counter(
  name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, rank INTEGER NOT NULL, num INTEGER NOT NULL, sum REAL);

-- A region that was switched off while the program ran, because its visits were too short for their cost; and its
-- visits before that, which are all that its figures cover.
CREATE TABLE weft_off(
  site INTEGER NOT NULL, rank INTEGER NOT NULL, calls INTEGER NOT NULL, time_ns INTEGER NOT NULL);

-- Which statement stands in which, in the program's text: kind is 'pl', 'pcom', 'pc', 'll', 'lcom' or 'lc'; places are
-- file:line. The callee is the place of a procedure, or the name of one whose text was not compiled with weft cc.
CREATE TABLE weft_static(
  kind TEXT NOT NULL, outer TEXT NOT NULL, inner TEXT NOT NULL, callee TEXT,
  name TEXT NOT NULL DEFAULT '',        -- inner's: the loop's kind, the MPI function, the procedure called
  dynamic INTEGER NOT NULL DEFAULT 0);  -- 1: a call that the text does not tell (by a pointer), but that was made

-- Every procedure and loop of the program's text, also of those that never ran.
CREATE TABLE weft_place(
  place TEXT NOT NULL,                  -- file:line
  type TEXT NOT NULL, name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL,
  procedure INTEGER NOT NULL,           -- it stands in, or is
  status TEXT NOT NULL);                -- 'probe', 'leaf' or 'skipped:' and why, as weft cc says

-- A region on the critical path of the first world. Savings are those of the run if the region's own time took 25, 50,
-- 75 or 100 % less (whatif_*, zeroing), or all that happens inside it (all_25_ns, ...). They are NULL if the region was
-- not followed in the end, and in the row 'other'. So is its share of the path with all inside it (all_share_ns), but
-- not that of a statement or a stretch. Own shares add up to the path.
CREATE TABLE weft_path(
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,         -- 'procedure', 'loop', 'region', 'statement', 'stretch' (computing behind a statement),
                              -- 'unknown' (a region that no process has told); 'other': computing of all regions that
                              -- have no row; 'transfer': all transfers, its own share is that of statements without row
  name TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, -- line 0: file is a module and an offset in it
  procedure INTEGER,
  regions INTEGER NOT NULL,   -- how many it stands for; 0: not known
  share_ns INTEGER NOT NULL, zeroing_ns INTEGER,
  whatif_25_ns INTEGER, whatif_50_ns INTEGER, whatif_75_ns INTEGER,
  all_share_ns INTEGER,                                 -- NULL: not known
  all_25_ns INTEGER, all_50_ns INTEGER, all_75_ns INTEGER, all_100_ns INTEGER); -- NULL: not computed

-- The sites to which a slot's time belongs: its regions and statements, not the statements in front of its stretches.
CREATE TABLE weft_path_site(path INTEGER NOT NULL, site INTEGER NOT NULL, PRIMARY KEY (path, site)) WITHOUT ROWID;

-- The part of the path that was spent in these ranks, and how often it came to them from other ranks.
CREATE TABLE weft_path_place(
  first_rank INTEGER PRIMARY KEY, last_rank INTEGER NOT NULL, share_ns INTEGER NOT NULL, arrivals INTEGER NOT NULL);

-- Notes on this profile for the reader of a report: one sentence each.
CREATE TABLE weft_note(id INTEGER PRIMARY KEY, sentence TEXT NOT NULL);

CREATE VIEW run AS
  WITH o AS (SELECT CAST(total(num) AS INTEGER) AS num, CAST(total(changed) AS INTEGER) AS changed,
                    CAST(total(undecided) AS INTEGER) AS undecided, CAST(total(decided) AS INTEGER) AS decided,
                    CAST(total(otherwise) AS INTEGER) AS otherwise, CAST(total(held_ns) AS INTEGER) AS held_ns,
                    CAST(total(released) AS INTEGER) AS released FROM weft_order)
  SELECT key, value FROM weft_run UNION ALL
  SELECT 'order_num', num FROM o UNION ALL
  SELECT 'order_changed', changed FROM o UNION ALL
  SELECT 'order_undecided', undecided FROM o UNION ALL
  SELECT 'order_decided', decided FROM o UNION ALL
  SELECT 'order_otherwise', otherwise FROM o UNION ALL
  SELECT 'order_held_ns', held_ns FROM o UNION ALL
  SELECT 'order_released', released FROM o;

CREATE VIEW rank AS
  SELECT rank, host, pid, wall_ns, wall_raw_ns, overhead_ns, intrusion_ns, useful_ns, complete,
         world, world_rank, started_ns, mpi_ns, mpi_raw_ns, init_ns, finalize_ns, paused_ns, events, threads,
         segment_bytes, dropped_calls, dropped_ns, dropped_requests, ending, end_code, last_site,
         coalesce(last_site_ns, 0) AS last_site_ns, coalesce(visits, 0) AS visits,
         coalesce(dropped_regions, 0) AS dropped_regions,
         coalesce(dropped_visits, 0) AS dropped_visits,
         coalesce(ideal_ns, wall_ns) AS ideal_ns,
         coalesce(sync_ns, 0) AS sync_ns, coalesce(sync_raw_ns, 0) AS sync_raw_ns,
         coalesce(polling_ns, 0) AS polling_ns, coalesce(no_core_ns, 0) AS no_core_ns,
         coalesce(unexplained_ns, 0) AS unexplained_ns, coalesce(no_core_outside_ns, 0) AS no_core_outside_ns,
         max(0, mpi_ns - coalesce(sync_ns, 0) - coalesce(polling_ns, 0) - coalesce(no_core_ns, 0)
                - coalesce(unexplained_ns, 0)) AS transfer_ns,
         coalesce(no_core_all_ns, 0) AS no_core_all_ns,
         coalesce(probe_ns, 0) AS probe_ns, coalesce(probe_inner_ns, 0) AS probe_inner_ns,
         coalesce(pair_ns, 0) AS pair_ns, coalesce(pair_inner_ns, 0) AS pair_inner_ns,
         coalesce(probe_check_expected_ns, 0) AS probe_check_expected_ns,
         coalesce(probe_check_seen_ns, 0) AS probe_check_seen_ns,
         coalesce(clock_offset_ns, 0) AS clock_offset_ns, coalesce(clock_drift_ppb, 0) AS clock_drift_ppb,
         coalesce(clock_error_ns, 0) AS clock_error_ns, coalesce(headers_sent, 0) AS headers_sent,
         coalesce(headers_taken, 0) AS headers_taken, coalesce(headers_missing, 0) AS headers_missing,
         coalesce(headers_ambiguous, 0) AS headers_ambiguous, coalesce(headers_dropped, 0) AS headers_dropped,
         last_region
  FROM weft_rank LEFT JOIN weft_instrumented USING (rank) LEFT JOIN weft_clock USING (rank)
       LEFT JOIN weft_rank_idle USING (rank) LEFT JOIN weft_rank_last USING (rank)
       LEFT JOIN weft_rank_region USING (rank);

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
         coalesce(o.self_ns, e.time_ns) AS self_ns, coalesce(o.self_raw_ns, e.time_raw_ns) AS self_raw_ns,
         coalesce((SELECT sum(c.sync_delay) FROM weft_com c WHERE c.event = e.id), 0) AS sync_ns,
         coalesce(i.polling_ns, 0) AS polling_ns, coalesce(i.no_core_ns, 0) AS no_core_ns,
         coalesce(i.unexplained_ns, 0) AS unexplained_ns,
         CASE s.type WHEN 'communication' THEN
           max(0, e.time_ns - coalesce((SELECT sum(c.sync_delay) FROM weft_com c WHERE c.event = e.id), 0)
                  - coalesce(i.polling_ns + i.no_core_ns + i.unexplained_ns, 0))
         ELSE 0 END AS transfer_ns
  FROM weft_event e JOIN weft_site s ON s.id = e.site LEFT JOIN weft_procedure p ON p.id = s.procedure
       LEFT JOIN weft_self o ON o.event = e.id LEFT JOIN weft_idle i ON i.event = e.id;

CREATE VIEW com AS
  SELECT event, dest_node, trans_num, trans_time, sync_delay, bytes, trans_time_raw, sync_delay_raw FROM weft_com;

CREATE VIEW wait AS
  SELECT w.event, e.rank AS self_node, w.culprit, w.kind, w.num, w.time_ns, w.time_raw_ns, w.max_ns,
         coalesce(s.file, '') AS culprit_file, coalesce(s.line, 0) AS culprit_line,
         coalesce(s.name, '') AS culprit_name,
         p.name AS culprit_procedure, nullif(w.culprit_site, 0) AS culprit_site,
         CASE WHEN c.host = r.host THEN max(w.time_ns - coalesce(o.passed_ns, 0), 0) END AS own_ns
  FROM weft_wait w JOIN weft_event e ON e.id = w.event
       LEFT JOIN weft_passed o USING (event, culprit, kind, culprit_site)
       LEFT JOIN weft_rank r ON r.rank = e.rank LEFT JOIN weft_rank c ON c.rank = w.culprit
       LEFT JOIN weft_site s ON s.id = w.culprit_site LEFT JOIN weft_procedure p ON p.id = s.procedure;

CREATE VIEW root AS
  WITH part AS (SELECT event, culprit AS root, culprit_site AS site, num,
                       time_ns - coalesce(passed_ns, 0) AS time_ns
                FROM weft_wait LEFT JOIN weft_passed USING (event, culprit, kind, culprit_site) UNION ALL
                SELECT event, root, root_site, num, time_ns FROM weft_root),
       sum AS (SELECT event, root, site, sum(num) AS num, sum(time_ns) AS time_ns FROM part GROUP BY event, root, site)
  SELECT sum.event, e.rank AS self_node, sum.root, sum.num, sum.time_ns,
         coalesce(s.file, '') AS root_file, coalesce(s.line, 0) AS root_line, coalesce(s.name, '') AS root_name,
         p.name AS root_procedure, nullif(sum.site, 0) AS root_site
  FROM sum JOIN weft_event e ON e.id = sum.event
       LEFT JOIN weft_site s ON s.id = sum.site LEFT JOIN weft_procedure p ON p.id = s.procedure;

CREATE VIEW receive_order AS
  SELECT o.event, e.rank AS self_node, o.num, o.changed, o.undecided, o.decided, o.otherwise, o.held_ns,
         o.held_max_ns, o.released
  FROM weft_order o JOIN weft_event e ON e.id = o.event;

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
                JOIN weft_com c ON c.event = e.id GROUP BY s.path),
       idle AS (SELECT s.path, sum(i.polling_ns + i.no_core_ns + i.unexplained_ns) AS ns FROM weft_path_site s
                JOIN weft_event e ON e.site = s.site JOIN weft_rank r ON r.rank = e.rank AND r.world = 0
                JOIN weft_idle i ON i.event = e.id GROUP BY s.path)
  SELECT w.name, w.file, w.line, w.share_ns, 100.0 * w.share_ns / (SELECT ns FROM length) AS share_pct,
         w.zeroing_ns, w.whatif_25_ns, w.whatif_50_ns, w.whatif_75_ns,
         w.kind, p.name AS procedure, w.regions, time.ns AS time_ns, coalesce(wait.ns, 0) AS wait_ns,
         w.all_share_ns, w.all_25_ns, w.all_50_ns, w.all_75_ns, w.all_100_ns, coalesce(idle.ns, 0) AS idle_ns
  FROM weft_path w LEFT JOIN weft_procedure p ON p.id = w.procedure
       LEFT JOIN time ON time.path = w.id LEFT JOIN wait ON wait.path = w.id
       LEFT JOIN idle ON idle.path = w.id;

CREATE VIEW path_place AS
  SELECT first_rank, last_rank, share_ns,
         100.0 * share_ns / (SELECT nullif(value, 0) FROM weft_run WHERE key = 'path_ns') AS share_pct, arrivals
  FROM weft_path_place;

-- The POP factors of the first world; none is above 1. The last two multiply to communication_efficiency. They are
-- NULL, and reason says why, where nothing is known of transfers (the clock is 'real', and no message came with the
-- time of its sending), or where they mean nothing, because ranks had no core. Ideal times count from the beginning of
-- the run. Useful time is time outside of MPI with a core.
CREATE VIEW efficiency AS
  WITH u AS (SELECT *, max(0, useful_ns - coalesce(no_core_outside_ns, 0)) AS with_core_ns
             FROM weft_rank LEFT JOIN weft_rank_idle USING (rank) WHERE world = 0),
       r AS (SELECT avg(with_core_ns) AS mean_useful, 1.0 * max(with_core_ns) AS max_useful, min(started_ns) AS began,
                    min(paused_ns) AS paused, 1.0 * count(*) AS ranks,
                    coalesce(sum(no_core_ns + no_core_outside_ns), 0) AS lost_ns,
                    coalesce(sum(no_core_all_ns), 0) AS no_core_ns FROM u),
       w AS (SELECT nullif(value, 0) AS wall FROM weft_run WHERE key = 'wall_ns'),
       n AS (SELECT no_core_ns / (wall * ranks) AS no_core, lost_ns / (wall * ranks) AS lost,
                    (no_core_ns - lost_ns) / (wall * ranks) AS waiting FROM r, w),
       y AS (SELECT CASE
               WHEN 'real' IN (SELECT value FROM weft_run WHERE key = 'clock')
                    AND coalesce((SELECT sum(headers_taken) FROM weft_clock), 0) = 0
                 THEN 'no message came with the time of its sending'
               WHEN lost > 0.1 THEN printf('ranks had no core for %.1f %% of the run', 100 * no_core)
                                    || CASE WHEN waiting >= 0.05
                                            THEN printf(', %.1f %% while they waited', 100 * waiting) ELSE '' END
             END AS reason FROM n),
       i AS (SELECT nullif(1.0 * max(started_ns - began + paused_ns - paused + ideal_ns), 0) AS ideal
             FROM r, y, u JOIN weft_clock USING (rank) WHERE reason IS NULL)
  SELECT 'parallel_efficiency' AS name, mean_useful / wall AS value, NULL AS reason FROM r, w UNION ALL
  SELECT 'load_balance', mean_useful / nullif(max_useful, 0), NULL FROM r UNION ALL
  SELECT 'communication_efficiency', max_useful / wall, NULL FROM r, w UNION ALL
  SELECT 'serialisation_efficiency', max_useful / ideal, reason FROM r, i, y UNION ALL
  SELECT 'transfer_efficiency', ideal / wall, reason FROM i, w, y;
