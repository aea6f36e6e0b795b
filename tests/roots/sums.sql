-- SPDX-License-Identifier: BSD-3-Clause
-- What holds for the root causes of every program. The profile is read-only.
-- Roots add up to waiting, for each statement on each rank; in whole nanoseconds of each row.
SELECT printf('event %d: %d ns of root causes, %d of waiting', event, r.ns, w.ns)
  FROM (SELECT event, sum(time_ns) AS ns, count(*) AS n FROM main.root GROUP BY 1) r
       JOIN (SELECT event, sum(time_ns) AS ns, sum(own_ns) AS own, count(*) AS n FROM main.wait GROUP BY 1) w USING (event)
  WHERE abs(r.ns - w.ns) > r.n + w.n;
SELECT printf('event %d waits, but has no root', event) FROM main.wait WHERE event NOT IN (SELECT event FROM main.root);
-- What a culprit has not caused itself is what others have.
SELECT printf('rank %d for rank %d: own work %d of %d ns', self_node, culprit, own_ns, time_ns)
  FROM main.wait WHERE own_ns IS NULL OR own_ns > time_ns OR own_ns < 0;
SELECT 'a root without a statement' FROM main.root WHERE time_ns > 10000000 AND root_line = 0 AND root <> -2;
