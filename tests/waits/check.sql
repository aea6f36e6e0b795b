-- SPDX-License-Identifier: BSD-3-Clause
-- Compares what a program says of its waits (mark, want: see waits.h) with its profile. Prints CASE|DIFFERENCE. The profile is opened read-only and the
-- tables here are temporary. An expected wait may differ by 2 ms: what lies between the program's reading of the clock and weft's. Where none is expected,
-- there may be some: two that come together come one after the other. On a loaded machine that is milliseconds, but far less than a case's LATE_MS.
CREATE TEMP TABLE tolerance AS SELECT 2000000 AS ns, 10000000 AS unexpected_ns;
CREATE TEMP VIEW late AS
  SELECT w.*, a.line, c.line AS place_line, b.begin_ns - a.begin_ns AS ns
  FROM want w JOIN mark a ON a.test = w.test AND a.rank = w.rank AND a.name = w.at
       JOIN mark b ON b.test = w.test AND b.rank = w.culprit AND b.name = w.come
       JOIN mark c ON c.test = w.test AND c.rank = w.culprit AND c.name = w.place;
CREATE TEMP VIEW marked AS
  SELECT m.*, e.id AS event
  FROM mark m, program p LEFT JOIN main.event e
       ON e.self_node = m.rank AND e.line = m.line AND e.event_type = 'communication' AND e.file LIKE '%' || p.file;
CREATE TEMP VIEW got_com AS SELECT event, dest_node, sum(sync_delay) AS ns FROM main.com GROUP BY 1, 2;
CREATE TEMP VIEW got_wait AS
  SELECT event, culprit, kind, culprit_line, sum(num) AS num, sum(time_ns) AS ns FROM main.wait GROUP BY 1, 2, 3, 4;
CREATE TEMP TABLE wrong(test, sentence);

INSERT INTO wrong SELECT test, printf('%s of rank %d is not in the profile', name, rank) FROM marked WHERE event IS NULL;
INSERT INTO wrong SELECT w.test, printf('the program names a mark that it does not have: %s, %s or %s', w.at, w.come, w.place)
  FROM want w WHERE NOT EXISTS (SELECT * FROM late l WHERE l.test = w.test AND l.rank = w.rank AND l.at = w.at);
INSERT INTO wrong SELECT test, printf('rank %d was not late, but rank %d: by %.2f ms', culprit, rank, -ns / 1e6) FROM late WHERE ns < 5000000;

-- The statement, and with whom.
INSERT INTO wrong
  SELECT l.test, printf('%s of rank %d, with %d: sync_delay %.2f ms, not %.2f', l.at, l.rank, l.partner, coalesce(g.ns, 0) / 1e6, l.ns / 1e6)
  FROM late l JOIN marked m ON m.test = l.test AND m.rank = l.rank AND m.name = l.at
       LEFT JOIN got_com g ON g.event = m.event AND g.dest_node = l.partner, tolerance t
  WHERE abs(coalesce(g.ns, 0) - l.ns) > t.ns;
INSERT INTO wrong
  SELECT m.test, printf('%s of rank %d, with %d: sync_delay %.2f ms and none expected', m.name, m.rank, g.dest_node, g.ns / 1e6)
  FROM marked m JOIN got_com g USING (event), tolerance t
  WHERE g.ns > t.unexpected_ns AND NOT EXISTS (SELECT * FROM late l WHERE l.line = m.line AND l.rank = m.rank AND l.partner = g.dest_node);

-- What kind of wait, for whom, and where that was.
INSERT INTO wrong
  SELECT l.test, printf('%s of rank %d, %s, for rank %d at line %d: %.2f ms, not %.2f', l.at, l.rank, l.kind, l.culprit, l.place_line,
                        coalesce(g.ns, 0) / 1e6, l.ns / 1e6)
  FROM late l JOIN marked m ON m.test = l.test AND m.rank = l.rank AND m.name = l.at
       LEFT JOIN got_wait g ON g.event = m.event AND g.culprit = l.culprit AND g.kind = l.kind AND g.culprit_line = l.place_line, tolerance t
  WHERE abs(coalesce(g.ns, 0) - l.ns) > t.ns;
INSERT INTO wrong
  SELECT m.test, printf('%s of rank %d, %s, for rank %d at line %d: %.2f ms and none expected', m.name, m.rank, g.kind, g.culprit, g.culprit_line, g.ns / 1e6)
  FROM marked m JOIN got_wait g USING (event), tolerance t
  WHERE g.ns > t.unexpected_ns AND NOT EXISTS (SELECT * FROM late l WHERE l.line = m.line AND l.rank = m.rank AND l.kind = g.kind AND l.culprit = g.culprit
                                    AND l.place_line = g.culprit_line);
SELECT test || '|' || sentence FROM wrong;

-- What no noise explains. A wait is the same in both views; a message has a header, and only one.
SELECT '|event ' || event || printf(': com says %.3f ms of waiting, wait %.3f', coalesce(c, 0) / 1e6, w / 1e6)
  FROM (SELECT event, sum(ns) AS w FROM got_wait GROUP BY 1) LEFT JOIN (SELECT event, sum(ns) AS c FROM got_com GROUP BY 1) USING (event)
  WHERE abs(coalesce(c, 0) - w) > 1000;
SELECT '|rank ' || rank || printf(': headers %d missing, %d ambiguous, %d dropped', headers_missing, headers_ambiguous, headers_dropped)
  FROM main.rank WHERE headers_missing <> 0 OR headers_ambiguous <> 0 OR headers_dropped <> 0;
SELECT '|no header was taken' WHERE (SELECT sum(headers_taken) FROM main.rank) IS NOT NULL AND (SELECT sum(headers_taken) FROM main.rank) = 0;
