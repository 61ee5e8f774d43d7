-- A ledger of the version whose tables are "1 books". Its daemon was killed: run 3 of `daily` has no
-- end, and run 2 of `retried` waits for its second attempt. BOOT stands for this start of the
-- machine, PID and TICKS for the process of run 3, NOW for the time of the kill in
-- milliseconds, CLOCK for the same on the monotonic clock in nanoseconds.
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('1 books');
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  clock_label INTEGER, clock_ns INTEGER, anchor INTEGER, clock_mark INTEGER, wall_mark INTEGER,
  delayed INTEGER, ahead TEXT, streak INTEGER, ran INTEGER,
  suspended_at INTEGER, suspended_until INTEGER, suspend_reason TEXT,
  daemon INTEGER);
CREATE TABLE schedules (
  id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, schedule TEXT NOT NULL,
  enabled INTEGER NOT NULL, anchor INTEGER NOT NULL, clock_from INTEGER NOT NULL,
  wall_from INTEGER NOT NULL, instants_from INTEGER, began_at INTEGER NOT NULL,
  clock_to INTEGER, wall_to INTEGER, ended_at INTEGER);
CREATE INDEX schedules_by_job ON schedules (job, id);
CREATE UNIQUE INDEX schedules_open ON schedules (job) WHERE ended_at IS NULL;
CREATE TABLE verdicts (
  id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, first INTEGER NOT NULL,
  last INTEGER NOT NULL, count INTEGER NOT NULL, verdict TEXT NOT NULL, detail TEXT,
  run INTEGER, at INTEGER NOT NULL);
CREATE INDEX verdicts_by_job ON verdicts (job, first);
CREATE TABLE pending (
  job INTEGER NOT NULL REFERENCES jobs, slot INTEGER NOT NULL, PRIMARY KEY (job, slot)
) WITHOUT ROWID;
CREATE TABLE runs (
  run INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, slot INTEGER NOT NULL,
  kind TEXT NOT NULL, delivery TEXT NOT NULL, hook TEXT, parent INTEGER, claimed_at INTEGER,
  began_at INTEGER, attempts INTEGER NOT NULL, outcome TEXT, reason TEXT, ended_at INTEGER,
  duration_us INTEGER, retry_at INTEGER, retry_attempt INTEGER, retry_outcome TEXT,
  retry_reason TEXT);
CREATE INDEX runs_by_job ON runs (job, run);
CREATE INDEX runs_open ON runs (run) WHERE outcome IS NULL OR retry_at IS NOT NULL;
CREATE TABLE attempts (
  run INTEGER NOT NULL, attempt INTEGER NOT NULL, began_at INTEGER, ended_at INTEGER,
  outcome TEXT, reason TEXT, pid INTEGER, ticks_from INTEGER, ticks_to INTEGER,
  PRIMARY KEY (run, attempt)
) WITHOUT ROWID;
CREATE TABLE outputs (
  run INTEGER PRIMARY KEY, at INTEGER NOT NULL, head BLOB NOT NULL, tail BLOB NOT NULL,
  dropped INTEGER NOT NULL);
CREATE TABLE daemons (
  id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, instance TEXT NOT NULL, boot TEXT NOT NULL,
  version TEXT NOT NULL, file TEXT NOT NULL, up_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
  down_at INTEGER);
CREATE TABLE clock_steps (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by_us INTEGER NOT NULL);
CREATE TABLE reloads (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kept INTEGER, lines TEXT NOT NULL);
CREATE TABLE losses (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, job INTEGER REFERENCES jobs, first INTEGER,
  last INTEGER, count INTEGER NOT NULL, what TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;

INSERT INTO daemons VALUES
  (1, 4194303, '0123456789abcdef', 'BOOT', '0.9.0', 'jobs.yaml', NOW - 4000, NOW, NULL);
INSERT INTO jobs (id, name, clock_label, clock_ns, anchor, clock_mark, wall_mark, streak, ran,
  daemon) VALUES
  (1, 'daily', NOW - 3000, CLOCK - 3000000000, NOW - 3000, NOW - 1000, NOW - 1000, 0, 2, 1),
  (2, 'retried', NOW - 3000, CLOCK - 3000000000, NOW - 3000, NOW - 2000, NOW - 2000, 1, 1, 1);
INSERT INTO schedules (job, schedule, enabled, anchor, clock_from, wall_from, began_at) VALUES
  (1, '{"every":1000,"from":"start"}', 1, NOW - 3000, NOW - 3000, NOW - 3000, NOW - 3000),
  (2, '{"every":1000,"from":"start"}', 1, NOW - 3000, NOW - 3000, NOW - 3000, NOW - 3000);
INSERT INTO runs (run, job, slot, kind, delivery, began_at, attempts, outcome, reason, ended_at,
  duration_us, retry_at, retry_attempt, retry_outcome, retry_reason) VALUES
  (1, 1, NOW - 2000, 'slot', 'best_effort', NOW - 2000, 1, 'succeeded', 'exit(0)', NOW - 1990,
    10000, NULL, NULL, NULL, NULL),
  (2, 2, NOW - 2000, 'slot', 'best_effort', NOW - 2000, 1, NULL, NULL, NULL, NULL,
    NOW + 3600000, 1, 'failed', 'exit(1)'),
  (3, 1, NOW - 1000, 'slot', 'best_effort', NOW - 1000, 1, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, NULL);
INSERT INTO attempts VALUES
  (1, 1, NOW - 2000, NOW - 1990, 'succeeded', 'exit(0)', 4194302, 1, 1),
  (2, 1, NOW - 2000, NOW - 1990, 'failed', 'exit(1)', 4194301, 1, 1),
  (3, 1, NOW - 1000, NULL, NULL, NULL, PID, TICKS, TICKS);
INSERT INTO verdicts (job, first, last, count, verdict, run, at) VALUES
  (1, NOW - 2000, NOW - 2000, 1, 'ran', 1, NOW - 2000),
  (2, NOW - 2000, NOW - 2000, 1, 'ran', 2, NOW - 2000),
  (1, NOW - 1000, NOW - 1000, 1, 'ran', 3, NOW - 1000);
