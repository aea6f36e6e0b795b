-- SPDX-License-Identifier: BSD-3-Clause
-- What the profile says of a run of roots.c, compared with what the program says (want). The profile is read-only.
CREATE TEMP TABLE got AS
  SELECT self_node AS waiter, root, sum(time_ns) / 1e6 AS ms FROM main.root GROUP BY 1, 2;
CREATE TEMP TABLE tolerance AS SELECT 0.1 AS part, 8.0 AS ms;
SELECT printf('rank %d because of rank %d: %.1f ms, not %.1f', w.waiter, w.root, coalesce(g.ms, 0), w.ms)
  FROM want w LEFT JOIN got g USING (waiter, root), tolerance t WHERE abs(coalesce(g.ms, 0) - w.ms) > max(t.part * w.ms, t.ms);
SELECT printf('rank %d because of rank %d: %.1f ms, and none expected', g.waiter, g.root, g.ms)
  FROM got g LEFT JOIN want w USING (waiter, root), tolerance t
  WHERE w.ms IS NULL AND g.ms > max(t.ms, t.part * (SELECT max(ms) FROM want));
