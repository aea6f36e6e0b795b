-- SPDX-License-Identifier: BSD-3-Clause
-- Whose work all waiting was for, compared with what the program says (share). Other ranks have at most a tenth of it.
CREATE TEMP TABLE got AS SELECT root, 100.0 * sum(time_ns) / (SELECT sum(time_ns) FROM main.root) AS percent
  FROM main.root GROUP BY 1;
SELECT printf('%.1f %% of all waiting is because of rank %d, and at least %.1f %% expected', coalesce(g.percent, 0), s.root, s.percent)
  FROM share s LEFT JOIN got g USING (root) WHERE coalesce(g.percent, 0) < s.percent;
SELECT printf('%.1f %% of all waiting is because of rank %d, and at most 10 %% expected', percent, root)
  FROM got WHERE root NOT IN (SELECT root FROM share) AND percent > 10;
