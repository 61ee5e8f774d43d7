-- A ledger of the version with the tables up to "processes of services", which did not keep parameters of
-- triggers: two runs by hand that ended, one of them with a parameter, and one that waits for its next
-- attempt.
BEGIN TRANSACTION;
CREATE TABLE attempt_outputs (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, attempt INTEGER NOT NULL, at INTEGER NOT NULL,
  head BLOB NOT NULL, tail BLOB NOT NULL, dropped INTEGER NOT NULL, marks BLOB);
CREATE TABLE attempts (
  run INTEGER NOT NULL, attempt INTEGER NOT NULL, began_at INTEGER, ended_at INTEGER,
  outcome TEXT, reason TEXT, pid INTEGER, ticks_from INTEGER, ticks_to INTEGER, mark TEXT, cgroup TEXT, daemon INTEGER, reason_number INTEGER, reason_text TEXT, used TEXT,
  PRIMARY KEY (run, attempt)
) WITHOUT ROWID;
INSERT INTO "attempts" VALUES(1,1,1795877212538,1795877212551,'succeeded','exit',18673,173624,173624,'57257b550fc97e537eb9e66cb48a6c7f','/takt-1c2f5cc24f519063/1',1,0,NULL,'[927,0,null,0,0,1,2]');
INSERT INTO "attempts" VALUES(2,1,1795877212724,1795877212734,'failed','exit',18737,173642,173643,'3cbdc19d6ae38bd627ed5891d92668eb','/takt-1c2f5cc24f519063/1',1,4,NULL,'[891,0,null,0,0,1,1]');
INSERT INTO "attempts" VALUES(3,1,1795877212879,1795877212886,'failed','exit',18785,173658,173658,'7477053b34b0f07d56ca94a0a9823450','/takt-1c2f5cc24f519063/1',1,3,NULL,'[908,0,null,0,0,1,2]');
CREATE TABLE clock_steps (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by_us INTEGER NOT NULL);
CREATE TABLE daemons (
  id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, instance TEXT NOT NULL, boot TEXT NOT NULL,
  version TEXT NOT NULL, file TEXT NOT NULL, up_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
  down_at INTEGER, start_ticks INTEGER, pid_space TEXT, folder_device INTEGER, folder_inode INTEGER, settled_at INTEGER);
INSERT INTO "daemons" VALUES(1,17417,'1c2f5cc24f519063','00000000-0000-4000-8000-000000000000 time:[1]','0.1.0','jobs.yaml',1795877210468,1795877214012,1795877214012,173402,'pid:[1]',1,1,NULL);
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1 books');
INSERT INTO "grdb_migrations" VALUES('attempt outputs');
INSERT INTO "grdb_migrations" VALUES('provenance of processes');
INSERT INTO "grdb_migrations" VALUES('typed reasons');
INSERT INTO "grdb_migrations" VALUES('marks of outputs');
INSERT INTO "grdb_migrations" VALUES('lateness of runs');
INSERT INTO "grdb_migrations" VALUES('alarms of jobs');
INSERT INTO "grdb_migrations" VALUES('resource use');
INSERT INTO "grdb_migrations" VALUES('jobs that run once');
INSERT INTO "grdb_migrations" VALUES('processes of services');
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  clock_label INTEGER, clock_ns INTEGER, anchor INTEGER, clock_mark INTEGER, wall_mark INTEGER,
  delayed INTEGER, ahead TEXT, streak INTEGER, ran INTEGER,
  suspended_at INTEGER, suspended_until INTEGER, suspend_reason TEXT,
  daemon INTEGER, alarms TEXT);
INSERT INTO "jobs" VALUES(1,'by-hand',1795877210503,1734205019955,2155877210503,2155877210502,1795877210503,NULL,NULL,1,0,NULL,NULL,NULL,1,NULL);
INSERT INTO "jobs" VALUES(2,'later',1795877210503,1734205019955,2155877210503,2155877210502,1795877210503,NULL,NULL,0,0,NULL,NULL,NULL,1,NULL);
CREATE TABLE losses (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, job INTEGER REFERENCES jobs, first INTEGER,
  last INTEGER, count INTEGER NOT NULL, what TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE once (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, keys TEXT NOT NULL, due INTEGER NOT NULL);
CREATE TABLE outputs (
  run INTEGER PRIMARY KEY, at INTEGER NOT NULL, head BLOB NOT NULL, tail BLOB NOT NULL,
  dropped INTEGER NOT NULL, marks BLOB);
INSERT INTO "outputs" VALUES(1,1795877212551,X'0A',X'',0,X'008CC6FCA9C46801');
INSERT INTO "outputs" VALUES(2,1795877212734,X'340A',X'',0,X'00FAC8FCA9C46801');
CREATE TABLE pending (
  job INTEGER NOT NULL REFERENCES jobs, slot INTEGER NOT NULL, PRIMARY KEY (job, slot)
) WITHOUT ROWID;
CREATE TABLE reloads (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kept INTEGER, lines TEXT NOT NULL);
CREATE TABLE runs (
  run INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, slot INTEGER NOT NULL,
  kind TEXT NOT NULL, delivery TEXT NOT NULL, hook TEXT, parent INTEGER, claimed_at INTEGER,
  began_at INTEGER, attempts INTEGER NOT NULL, outcome TEXT, reason TEXT, ended_at INTEGER,
  duration_us INTEGER, retry_at INTEGER, retry_attempt INTEGER, retry_outcome TEXT,
  retry_reason TEXT, reason_number INTEGER, reason_text TEXT, retry_reason_number INTEGER, retry_reason_text TEXT, late_us INTEGER, used TEXT);
INSERT INTO "runs" VALUES(1,1,1795877212538,'manual','best_effort',NULL,NULL,NULL,1795877212538,1,'succeeded','exit',1795877212551,12944,NULL,NULL,NULL,NULL,0,NULL,NULL,NULL,NULL,'[927,0,null,0,0,1,2]');
INSERT INTO "runs" VALUES(2,1,1795877212724,'manual','best_effort',NULL,NULL,NULL,1795877212724,1,'failed','exit',1795877212734,9457,NULL,NULL,NULL,NULL,4,NULL,NULL,NULL,NULL,'[891,0,null,0,0,1,1]');
INSERT INTO "runs" VALUES(3,2,1795877212879,'manual','best_effort',NULL,NULL,NULL,1795877212879,1,'cancelled','shutdown',1795877214000,1120151,1795880812886,1,'failed','exit',NULL,NULL,3,NULL,NULL,'[908,0,null,0,0,1,2]');
CREATE TABLE schedules (
  id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, schedule TEXT NOT NULL,
  enabled INTEGER NOT NULL, anchor INTEGER NOT NULL, clock_from INTEGER NOT NULL,
  wall_from INTEGER NOT NULL, instants_from INTEGER, began_at INTEGER NOT NULL,
  clock_to INTEGER, wall_to INTEGER, ended_at INTEGER);
INSERT INTO "schedules" VALUES(1,1,'{"every":360000000000,"first":360000000000,"from":"start"}',1,2155877210503,2155877210502,1795877210503,NULL,1795877210503,NULL,NULL,NULL);
INSERT INTO "schedules" VALUES(2,2,'{"every":360000000000,"first":360000000000,"from":"start"}',1,2155877210503,2155877210502,1795877210503,NULL,1795877210503,NULL,NULL,NULL);
CREATE TABLE services (
  daemon INTEGER NOT NULL, number INTEGER NOT NULL, pid INTEGER NOT NULL,
  ticks_from INTEGER NOT NULL, ticks_to INTEGER NOT NULL, mark TEXT, cgroup TEXT,
  PRIMARY KEY (daemon, number)
) WITHOUT ROWID;
CREATE TABLE verdicts (
  id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, first INTEGER NOT NULL,
  last INTEGER NOT NULL, count INTEGER NOT NULL, verdict TEXT NOT NULL, detail TEXT,
  run INTEGER, at INTEGER NOT NULL);
CREATE INDEX schedules_by_job ON schedules (job, id);
CREATE UNIQUE INDEX schedules_open ON schedules (job) WHERE ended_at IS NULL;
CREATE INDEX verdicts_by_job ON verdicts (job, first);
CREATE INDEX runs_by_job ON runs (job, run);
CREATE INDEX runs_open ON runs (run) WHERE outcome IS NULL OR retry_at IS NOT NULL;
CREATE UNIQUE INDEX attempt_outputs_by_run ON attempt_outputs (run, attempt);
COMMIT;
