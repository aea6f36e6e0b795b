-- SPDX-License-Identifier: BSD-3-Clause
-- Compares what a program's source expects (want, filled by expect.awk) with what its profile says (got). Prints one line for each
-- difference. The profile is opened read-only and the tables here are temporary. A row in `anywhere` means that no places are known and all
-- statements of one function are taken together.
CREATE TEMP TABLE wrong(place, sentence);
CREATE TEMP VIEW got AS
  SELECT iif(EXISTS (SELECT * FROM anywhere), '', e.file) AS file, iif(EXISTS (SELECT * FROM anywhere), 0, e.line) AS line,
         e.self_node AS rank, e.name, c.dest_node AS partner, sum(c.trans_num) AS num, sum(c.bytes) AS bytes
  FROM main.event e JOIN main.com c ON c.event = e.id
  WHERE e.event_type = 'communication' GROUP BY 1, 2, 3, 4, 5;
CREATE TEMP VIEW got_statement AS
  SELECT iif(EXISTS (SELECT * FROM anywhere), '', file) AS file, iif(EXISTS (SELECT * FROM anywhere), 0, line) AS line,
         self_node AS rank, name, sum(calls) AS calls, group_concat(DISTINCT procedure) AS procedure, count(*) AS events
  FROM main.event WHERE event_type = 'communication' GROUP BY 1, 2, 3, 4;
-- A row with some certain parts and some possible ones is certain with all of them.
CREATE TEMP VIEW expected AS
  SELECT file, line, rank, name, partner, sum(num) AS num, sum(bytes) AS bytes, min(perhaps) AS perhaps
  FROM want WHERE partner IS NOT NULL GROUP BY 1, 2, 3, 4, 5;
CREATE TEMP VIEW expected_statement AS
  SELECT file, line, rank, name, sum(calls) AS calls, max(procedure) AS procedure FROM want GROUP BY 1, 2, 3, 4;

INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s', file, line, rank, name), 'is not in the profile'
  FROM expected_statement LEFT JOIN got_statement g USING (file, line, rank, name) WHERE g.events IS NULL;
INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s in %s', g.file, g.line, g.rank, g.name, g.procedure), printf('is in the profile (%d calls) and not expected', g.calls)
  FROM got_statement g LEFT JOIN expected_statement e USING (file, line, rank, name) WHERE e.name IS NULL;
INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s', e.file, e.line, e.rank, e.name), printf('was called %d times, not %d', g.calls, e.calls)
  FROM expected_statement e JOIN got_statement g USING (file, line, rank, name) WHERE e.calls <> g.calls;
INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s', e.file, e.line, e.rank, e.name), printf('is in procedure %s, not %s', g.procedure, e.procedure)
  FROM expected_statement e JOIN got_statement g USING (file, line, rank, name)
  WHERE e.procedure IS NOT NULL AND g.procedure IS NOT e.procedure;
INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s', file, line, rank, name), printf('is %d statements', events)
  FROM got_statement WHERE events > 1 AND NOT EXISTS (SELECT * FROM anywhere);
INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s partner %d', e.file, e.line, e.rank, e.name, e.partner),
         printf('has num %d bytes %d, not num %d bytes %d', g.num, g.bytes, e.num, e.bytes)
  FROM expected e JOIN got g USING (file, line, rank, name, partner) WHERE g.num <> e.num OR g.bytes <> e.bytes;
INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s partner %d', e.file, e.line, e.rank, e.name, e.partner),
         printf('is missing: num %d bytes %d', e.num, e.bytes)
  FROM expected e LEFT JOIN got g USING (file, line, rank, name, partner) WHERE g.num IS NULL AND NOT e.perhaps;
INSERT INTO wrong
  SELECT printf('%s:%d rank %d %s partner %d', g.file, g.line, g.rank, g.name, g.partner),
         printf('is too much: num %d bytes %d', g.num, g.bytes)
  FROM got g JOIN expected_statement USING (file, line, rank, name) LEFT JOIN expected e USING (file, line, rank, name, partner)
  WHERE e.num IS NULL;
INSERT INTO wrong SELECT printf('rank %d', rank), printf('is not complete: it %s, %d calls and %d requests were dropped', ending, dropped_calls, dropped_requests)
  FROM main.rank WHERE complete <> 1 OR dropped_calls <> 0 OR dropped_requests <> 0;
INSERT INTO wrong SELECT 'run', printf('%s is %s', key, value) FROM main.run WHERE key = 'complete' AND value <> 1;
SELECT place || ': ' || sentence FROM wrong;
