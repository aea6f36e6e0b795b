-- SPDX-License-Identifier: BSD-3-Clause
-- Compares what is expected of a program's critical path (want: see known.sh) with its profile. Prints DEPTH WHAT|DIFFERENCE. The profile is opened
-- read-only and the tables here are temporary. Transfers are on the path, too: 5 ms for them, and what was slept too long.
CREATE TEMP TABLE tolerance AS SELECT 5.0 + late.ms AS ms, 1.0 AS per_cent, 2 AS arrivals FROM late;
CREATE TEMP VIEW regions AS SELECT * FROM want WHERE kind IN ('stretch', 'region', 'procedure', 'inside');
-- A stretch has the place of its statement, and the statement the same; a region is known by its name.
CREATE TEMP VIEW found AS
  SELECT w.what, p.*
  FROM regions w JOIN main.path p
    ON CASE w.kind WHEN 'stretch' THEN p.kind = 'stretch' AND p.line = w.line
                   WHEN 'inside' THEN p.kind IN ('region', 'procedure') AND p.name = w.name
                   ELSE p.kind = w.kind AND p.name = w.name END,
       program g
  WHERE p.file = g.file OR p.file LIKE '%/' || g.file;
CREATE TEMP VIEW figures AS
  SELECT w.depth, w.what, 'share' AS figure, w.share AS ms, CASE w.kind WHEN 'inside' THEN f.all_share_ns ELSE f.share_ns END / 1e6 AS got
    FROM regions w JOIN found f USING (what) UNION ALL
  SELECT w.depth, w.what, '25 % less', w.s25, CASE w.kind WHEN 'inside' THEN f.all_25_ns ELSE f.whatif_25_ns END / 1e6
    FROM regions w JOIN found f USING (what) UNION ALL
  SELECT w.depth, w.what, '50 % less', w.s50, CASE w.kind WHEN 'inside' THEN f.all_50_ns ELSE f.whatif_50_ns END / 1e6
    FROM regions w JOIN found f USING (what) UNION ALL
  SELECT w.depth, w.what, '75 % less', w.s75, CASE w.kind WHEN 'inside' THEN f.all_75_ns ELSE f.whatif_75_ns END / 1e6
    FROM regions w JOIN found f USING (what) UNION ALL
  SELECT w.depth, w.what, 'zeroing', w.s100, CASE w.kind WHEN 'inside' THEN f.all_100_ns ELSE f.zeroing_ns END / 1e6
    FROM regions w JOIN found f USING (what) UNION ALL
  SELECT depth, what, 'length', share, (SELECT value FROM main.run WHERE key = 'path_ns') / 1e6 FROM want WHERE kind = 'length' UNION ALL
  SELECT depth, what, 'share', share, coalesce((SELECT sum(share_ns) FROM main.path_place WHERE name BETWEEN first_rank AND last_rank), 0) / 1e6
    FROM (SELECT depth, what, share, CAST(name AS INTEGER) AS name FROM want WHERE kind = 'place');
CREATE TEMP VIEW timed AS
  SELECT e.name, sum(r.self_time) AS ns FROM main.region r JOIN main.event e ON e.id = r.event GROUP BY 1 UNION ALL
  SELECT e.name, sum(r.self_time) FROM main.proc r JOIN main.event e ON e.id = r.event GROUP BY 1;
-- Not those around others: a region's own time is what is not in procedures, so that of a region marked by hand has the regions inside it.
CREATE TEMP VIEW watched AS
  SELECT * FROM timed WHERE name IN (SELECT name FROM want w WHERE kind IN ('region', 'procedure')
                                       AND NOT EXISTS (SELECT * FROM want i WHERE i.kind = 'inside' AND i.name = w.name AND i.share > w.share));

SELECT depth || ' ' || what, 'is in the view path ' || (SELECT count(*) FROM found f WHERE f.what = w.what) || ' times, not once'
  FROM regions w WHERE (SELECT count(*) FROM found f WHERE f.what = w.what) <> 1;
SELECT depth || ' ' || what, printf('%s: %.2f ms, not %.2f', figure, got, figures.ms)
  FROM figures, tolerance t WHERE got IS NULL OR abs(got - figures.ms) > t.ms;
SELECT depth || ' ' || what, printf('%s: %.1f %% of the path''s %.2f ms', 'share_pct', p.share_pct, p.share_ns / 1e6)
  FROM regions w JOIN found p USING (what), (SELECT value AS path_ns FROM main.run WHERE key = 'path_ns')
  WHERE abs(p.share_pct - 100.0 * p.share_ns / path_ns) > 0.01;
-- The path begins and ends in whichever rank the barriers around the work have it.
SELECT w.depth || ' ' || w.what, printf('%d arrivals, not %d', got, w.s25)
  FROM (SELECT *, coalesce((SELECT sum(arrivals) FROM main.path_place WHERE CAST(want.name AS INTEGER) BETWEEN first_rank AND last_rank), 0) AS got
        FROM want WHERE kind = 'place') w, tolerance t
  WHERE got NOT BETWEEN w.s25 AND w.s25 + t.arrivals;
SELECT w.depth || ' ' || w.what, printf('%.1f %% of all time, not %.1f', got, w.share)
  FROM (SELECT *, 100.0 * (SELECT ns FROM watched WHERE watched.name = want.name) / (SELECT sum(ns) FROM watched) AS got
        FROM want WHERE kind = 'time') w, tolerance t
  WHERE got IS NULL OR abs(got - w.share) > t.per_cent;
