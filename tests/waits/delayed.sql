-- SPDX-License-Identifier: BSD-3-Clause
-- After check.sql, for delayed.c: the probes have really hidden the waits that are named so, and made up the others; and the run's time is near that
-- of a run without the delay (undelayed), which the raw one is not.
SELECT w.test || '|the raw wait was not hidden: ' || printf('%.2f ms', sum(c.sync_delay_raw) / 1e6)
  FROM want w JOIN marked m ON m.test = w.test AND m.rank = w.rank AND m.name = w.at JOIN main.com c ON c.event = m.event
  WHERE w.test GLOB 'hidden*' AND w.partner >= 0 GROUP BY w.test HAVING sum(c.sync_delay_raw) > 5000000;
SELECT m.test || '|nothing was invented: the raw wait is ' || printf('%.2f ms', sum(c.sync_delay_raw) / 1e6)
  FROM marked m JOIN main.com c USING (event) WHERE m.name = 'invented' GROUP BY m.test HAVING sum(c.sync_delay_raw) < 20000000;
SELECT 'wall|rank ' || r.rank || printf(' took %.1f ms in virtual time, and %.1f without delays', r.wall_ns / 1e6, u.wall_ns / 1e6)
  FROM main.rank r JOIN undelayed u USING (rank) WHERE abs(r.wall_ns - u.wall_ns) > u.wall_ns / 10;
SELECT 'wall|rank ' || r.rank || printf(' took only %.1f ms really: the delays show nothing', r.wall_raw_ns / 1e6)
  FROM main.rank r JOIN undelayed u USING (rank) WHERE r.wall_raw_ns < u.wall_ns * 1.5;
