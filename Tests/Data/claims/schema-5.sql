-- The schema 'takt', version 5: claims of slots by several machines.
BEGIN;
-- What is there already is no news.
SET LOCAL client_min_messages = warning;
-- One installs at a time. Within a block, so that psql prints no row.
DO $do$ BEGIN PERFORM pg_catalog.pg_advisory_xact_lock(7811887461); END $do$;
-- An older takt takes nothing back.
DO $do$
DECLARE
  found integer := 0;
BEGIN
  IF pg_catalog.to_regnamespace('takt') IS NULL THEN
    CREATE SCHEMA takt;
  END IF;
  IF pg_catalog.to_regclass('takt.version') IS NOT NULL THEN
    EXECUTE 'SELECT pg_catalog.max(number) FROM takt.version' INTO found;
  END IF;
  IF found > 5 THEN
    RAISE EXCEPTION 'the schema takt has version %, which is newer than %', found, 5;
  END IF;
  -- Each batch starts with this table: those at work come to their end, and none of the others
  -- has anything that the migrations wait for.
  IF pg_catalog.to_regclass('takt.job') IS NOT NULL THEN
    EXECUTE 'LOCK TABLE takt.job IN ACCESS EXCLUSIVE MODE';
  END IF;
END
$do$;
CREATE TABLE IF NOT EXISTS takt.version (
  number integer PRIMARY KEY,
  installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
-- Both start with the time in milliseconds: where the schema was dropped no member and no fence comes
-- again. Members count from 2025 on, as people read their numbers.
DO $do$ BEGIN
  EXECUTE pg_catalog.format(
    'CREATE SEQUENCE IF NOT EXISTS takt.member_id START %s',
    greatest(1, (1000 * pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()))::bigint
      - 1735689600000));
  EXECUTE pg_catalog.format(
    'CREATE SEQUENCE IF NOT EXISTS takt.token START %s',
    (1000 * pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()))::bigint);
END
$do$;
-- Instants are nanoseconds since 1970, slots milliseconds.
CREATE TABLE IF NOT EXISTS takt.member (
  id bigint PRIMARY KEY,
  cluster text COLLATE "C" NOT NULL,
  machine text NOT NULL,
  host text NOT NULL,
  version text NOT NULL,
  labels jsonb NOT NULL,
  lease bigint NOT NULL,
  grace bigint NOT NULL,
  clock_offset bigint NOT NULL,
  joined_at bigint NOT NULL,
  lease_until bigint NOT NULL,
  lost_after bigint NOT NULL,
  last_batch bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS member_lost_after ON takt.member (cluster, lost_after);
CREATE TABLE IF NOT EXISTS takt.job (
  cluster text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  schedule bigint,
  ran_count bigint NOT NULL DEFAULT 0,
  is_suspended boolean NOT NULL DEFAULT false,
  suspended_since bigint,
  suspended_until bigint,
  suspended_reason text,
  forgotten_until bigint,
  PRIMARY KEY (cluster, name)
);
COMMENT ON COLUMN takt.job.schedule IS 'Null until a machine has declared the job.';
COMMENT ON COLUMN takt.job.forgotten_until IS
  'Decided slots up to this one have been deleted; those without a row count as decided.';
CREATE INDEX IF NOT EXISTS job_suspended ON takt.job (cluster) WHERE is_suspended;
CREATE TABLE IF NOT EXISTS takt.holder (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  member bigint NOT NULL,
  PRIMARY KEY (cluster, job, member)
);
COMMENT ON TABLE takt.holder IS 'The members that have the schedule in force of a job.';
CREATE INDEX IF NOT EXISTS holder_member ON takt.holder (member);
CREATE TABLE IF NOT EXISTS takt.slot (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('claimed', 'open', 'decided')),
  attempt integer NOT NULL DEFAULT 1,
  token bigint,
  member bigint,
  machine text,
  is_at_least_once boolean NOT NULL DEFAULT false,
  is_replaced boolean NOT NULL DEFAULT false,
  overlap text,
  slot_group text COLLATE "C",
  valid_until bigint NOT NULL,
  verdict text,
  detail text,
  outcome text,
  reason text,
  claimed_at bigint,
  claim_lease_left bigint,
  ended_at bigint,
  PRIMARY KEY (cluster, job, slot)
);
COMMENT ON COLUMN takt.slot.member IS
  'The member that claimed the slot last, ran it without a claim, or was refused it.';
COMMENT ON COLUMN takt.slot.ended_at IS 'When the slot was decided.';
CREATE UNIQUE INDEX IF NOT EXISTS slot_token ON takt.slot (token) WHERE token IS NOT NULL;
CREATE INDEX IF NOT EXISTS slot_unfinished ON takt.slot (cluster, job) WHERE state <> 'decided';
CREATE INDEX IF NOT EXISTS slot_by_group ON takt.slot (cluster, slot_group)
  WHERE state = 'claimed' AND slot_group IS NOT NULL;
CREATE INDEX IF NOT EXISTS slot_ended_at ON takt.slot (cluster, ended_at)
  WHERE state = 'decided';
CREATE TABLE IF NOT EXISTS takt.series (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  last bigint NOT NULL,
  first bigint NOT NULL,
  slots bigint NOT NULL,
  verdict text NOT NULL,
  detail text,
  member bigint,
  ended_at bigint NOT NULL,
  PRIMARY KEY (cluster, job, last, first)
);
CREATE INDEX IF NOT EXISTS series_ended_at ON takt.series (cluster, ended_at);
CREATE TABLE IF NOT EXISTS takt.group_lock (
  cluster text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (cluster, name)
);
COMMENT ON TABLE takt.group_lock IS 'A row to lock for each group of jobs.';
CREATE TABLE IF NOT EXISTS takt.doubled (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  member bigint NOT NULL,
  machine text,
  found_at bigint NOT NULL,
  PRIMARY KEY (cluster, job, slot, member)
);
COMMENT ON TABLE takt.doubled IS 'Runs without a claim of slots that others had.';
CREATE TABLE IF NOT EXISTS takt.clock (
  cluster text COLLATE "C" PRIMARY KEY,
  fixed bigint,
  ahead bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE takt.clock IS
  'For tests alone: a clock that stands at an instant, or is ahead.';
CREATE OR REPLACE VIEW takt.history AS
  SELECT cluster, job, pg_catalog.to_timestamp(slot / 1000.0) AS slot, state, verdict, detail,
    outcome, reason, machine, member, token, attempt,
    pg_catalog.to_timestamp(claimed_at / 1000000000.0) AS claimed_at,
    pg_catalog.to_timestamp(ended_at / 1000000000.0) AS ended_at
  FROM takt.slot;
INSERT INTO takt.version (number) VALUES (1) ON CONFLICT DO NOTHING;
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS rest bigint;
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS last_end bigint;
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS changed_at bigint;
COMMENT ON COLUMN takt.job.changed_at IS 'When the schedule took the place of another one.';
COMMENT ON COLUMN takt.job.rest IS
  'How long must lie between the end of a slot and the next one; null if the clock names them.';
COMMENT ON COLUMN takt.job.last_end IS
  'When the last slot of a job with a rest was decided, in milliseconds.';
ALTER TABLE takt.member ADD COLUMN IF NOT EXISTS api text;
COMMENT ON COLUMN takt.member.api IS 'Where other machines reach its API.';
INSERT INTO takt.version (number) VALUES (2) ON CONFLICT DO NOTHING;
COMMENT ON COLUMN takt.slot.attempt IS
  'How many members have had the slot; 0 while it is open and waits for others that run.';
COMMENT ON COLUMN takt.member.lost_after IS
  'When others decide for it: after its lease and grace, or a lease after nobody was heard.';
INSERT INTO takt.version (number) VALUES (3) ON CONFLICT DO NOTHING;
-- Functions alone: claims of a wake in one statement.
INSERT INTO takt.version (number) VALUES (4) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS takt.era (
  cluster text COLLATE "C" NOT NULL,
  timeline bigint NOT NULL,
  known_until bigint,
  since bigint,
  until bigint,
  at_most bigint,
  PRIMARY KEY (cluster, timeline)
);
COMMENT ON TABLE takt.era IS
  'The server''s timelines: what was known when one began, since when it is there, and until when machines may know of lost claims.';
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS replaced bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS zones bigint;
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS zone_data text COLLATE "C";
COMMENT ON COLUMN takt.job.zones IS
  'What the zone data, of this version, make of the schedule; null where they do not matter.';
ALTER TABLE takt.member ADD COLUMN IF NOT EXISTS zone_data text;
COMMENT ON COLUMN takt.job.replaced IS 'Schedules that were in force before, the newest last.';
ALTER TABLE takt.clock ADD COLUMN IF NOT EXISTS timeline bigint;
INSERT INTO takt.version (number) VALUES (5) ON CONFLICT DO NOTHING;
-- What is called for each claim is plpgsql, which keeps its plans, or is short enough to be inlined:
-- another function in SQL is planned at each call, which takes longer than what it does.
CREATE OR REPLACE FUNCTION takt.now(p_cluster text) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $fn$
BEGIN
  RETURN coalesce(
    (SELECT fixed FROM takt.clock WHERE cluster = p_cluster),
    (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint * 1000
  ) + coalesce((SELECT ahead FROM takt.clock WHERE cluster = p_cluster), 0);
END
$fn$;
-- A server that has taken the place of another may have given out fewer numbers, and has a higher
-- timeline. Below 2 ^ 53 there is room for 8191 of them.
CREATE OR REPLACE FUNCTION takt.timeline() RETURNS bigint LANGUAGE sql VOLATILE AS $fn$
  SELECT ('x' || pg_catalog.left(
    pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::bit(32)::bigint
$fn$;

CREATE OR REPLACE FUNCTION takt.numbered(p_next bigint) RETURNS bigint
LANGUAGE sql VOLATILE AS $fn$
  SELECT ((takt.timeline() - 1) << 40) + p_next
$fn$;

CREATE OR REPLACE FUNCTION takt.nanoseconds(p_milliseconds bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT greatest(
    least(p_milliseconds::numeric * 1000000, 9223372036854775807), -9223372036854775808)
    ::bigint
$fn$;

CREATE OR REPLACE FUNCTION takt.later(p_instant bigint, p_by bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT greatest(least(p_instant::numeric + p_by, 9223372036854775807), -9223372036854775808)
    ::bigint
$fn$;

CREATE OR REPLACE FUNCTION takt.is_known(p_cluster text, p_job text, p_slot bigint)
RETURNS boolean LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN EXISTS (
      SELECT FROM takt.slot WHERE cluster = p_cluster AND job = p_job AND slot = p_slot)
    OR EXISTS (
      SELECT FROM takt.series
      WHERE cluster = p_cluster AND job = p_job AND last >= p_slot AND first <= p_slot)
    OR EXISTS (
      SELECT FROM takt.job
      WHERE cluster = p_cluster AND name = p_job AND forgotten_until >= p_slot);
END
$fn$;

CREATE OR REPLACE FUNCTION takt.is_running(p_cluster text, p_job text, p_but bigint)
RETURNS boolean LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN EXISTS (
    SELECT FROM takt.slot
    WHERE cluster = p_cluster AND job = p_job AND state = 'claimed' AND slot <> p_but);
END
$fn$;

CREATE OR REPLACE FUNCTION takt.is_unfinished(p_cluster text, p_job text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN EXISTS (
    SELECT FROM takt.slot WHERE cluster = p_cluster AND job = p_job AND state <> 'decided');
END
$fn$;

-- A slot has been decided: the next one of a job with a rest is counted from here.
CREATE OR REPLACE FUNCTION takt.note_end(p_cluster text, p_jobs text[], p_now bigint)
RETURNS void LANGUAGE plpgsql AS $fn$
BEGIN
  UPDATE takt.job SET last_end = pg_catalog.div(p_now::numeric, 1000000)::bigint
  WHERE cluster = p_cluster AND name = ANY (p_jobs) AND rest IS NOT NULL;
END
$fn$;

CREATE OR REPLACE FUNCTION takt.answer(p_answer text) RETURNS jsonb
LANGUAGE sql STABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', p_answer)
$fn$;
-- A server that takes the place of another one may have lost what machines were told last. From
-- when on is asked of this, until each of them has had the time to say what it was given, or has
-- ended what it runs; null otherwise.
CREATE OR REPLACE FUNCTION takt.quiet_since(p_cluster text, p_now bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN (
    SELECT since FROM takt.era e
    WHERE cluster = p_cluster AND p_now < at_most AND (p_now < until OR EXISTS (
      SELECT FROM takt.member
      WHERE cluster = p_cluster AND takt.later(lease_until, -lease) < e.since))
    ORDER BY since DESC LIMIT 1);
END
$fn$;

-- A server that was restored from a dump may have a timeline that is lower, or was there before.
CREATE OR REPLACE FUNCTION takt.known_timeline(p_cluster text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN (
    SELECT timeline FROM takt.era WHERE cluster = p_cluster
    ORDER BY since DESC NULLS LAST LIMIT 1);
END
$fn$;

CREATE OR REPLACE FUNCTION takt.notice_set_back(
  p_cluster text, p_now bigint, p_lease bigint
) RETURNS bigint LANGUAGE plpgsql AS $fn$
DECLARE
  v_timeline bigint := coalesce(
    (SELECT timeline FROM takt.clock WHERE cluster = p_cluster), takt.timeline());
  v_known bigint := takt.known_timeline(p_cluster);
BEGIN
  IF v_known IS NULL THEN
    INSERT INTO takt.era (cluster, timeline) VALUES (p_cluster, v_timeline)
    ON CONFLICT DO NOTHING;
  ELSIF v_known <> v_timeline THEN
    INSERT INTO takt.era (cluster, timeline, known_until, since, until, at_most)
    SELECT p_cluster, v_timeline, max(takt.later(lease_until, -2 * lease)), p_now,
      takt.later(p_now, greatest(p_lease, max(lease))),
      takt.later(p_now, greatest(p_lease, max(takt.later(lease, grace))))
    FROM takt.member WHERE cluster = p_cluster
    -- Another batch that does so at the same time is waited for.
    ON CONFLICT (cluster, timeline) DO UPDATE SET known_until = excluded.known_until,
      since = excluded.since, until = excluded.until, at_most = excluded.at_most;
  END IF;
  RETURN takt.quiet_since(p_cluster, p_now);
END
$fn$;
-- A cluster is not compared by `=` where the token is known: so no index of the cluster's slots
-- can take the place of the token's.
CREATE OR REPLACE FUNCTION takt.declare(
  p_cluster text, p_member bigint, p_now bigint, p_request jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_name text := p_request->>'job';
  v_schedule bigint := (p_request->>'schedule')::bigint;
  v_zones bigint := (p_request->>'zones')::bigint;
  v_zone_data text := p_request->>'zoneData';
  v_old takt.job;
  v_is_news boolean;
BEGIN
  SELECT * INTO v_old FROM takt.job WHERE cluster = p_cluster AND name = v_name;
  DELETE FROM takt.holder WHERE cluster = p_cluster AND job = v_name AND member = p_member;
  IF v_old.schedule IS DISTINCT FROM v_schedule THEN
    v_is_news := v_old.schedule IS NULL OR (p_request->>'changed')::boolean
      OR (p_request->>'new')::boolean IS TRUE AND v_schedule <> ALL (v_old.replaced);
  ELSIF v_old.zones <> v_zones THEN
    -- The same schedule, read by other zone data: the newest count.
    v_is_news := v_zone_data COLLATE "C" > v_old.zone_data;
  END IF;
  IF v_is_news IS FALSE AND EXISTS (
    SELECT FROM takt.holder h JOIN takt.member m ON m.id = h.member
    WHERE h.cluster = p_cluster AND h.job = v_name AND m.lease_until > p_now)
  THEN
    RETURN takt.answer('drifted');
  END IF;
  IF v_old.schedule IS DISTINCT FROM v_schedule THEN
    -- Slots from long before a job is first heard of belong to no machine: a slow clock names them.
    UPDATE takt.job SET schedule = v_schedule,
      replaced = (pg_catalog.array_remove(replaced, v_schedule)
        || CASE WHEN v_old.schedule IS NOT NULL THEN ARRAY[v_old.schedule] END)[
          greatest(1, pg_catalog.cardinality(pg_catalog.array_remove(replaced, v_schedule))
            + 2 - 16):],
      changed_at = CASE WHEN v_old.schedule IS NOT NULL THEN p_now END,
      last_end = CASE WHEN rest IS NOT NULL AND p_request->>'rest' IS NOT NULL THEN last_end END,
      rest = (p_request->>'rest')::bigint, zones = v_zones, zone_data = v_zone_data,
      forgotten_until = CASE WHEN v_old.schedule IS NULL
        THEN (takt.later(p_now, -60000000000) - 1) / 1000000
        ELSE forgotten_until END
    WHERE cluster = p_cluster AND name = v_name;
  ELSIF v_is_news IS NOT NULL OR v_old.zones IS NULL AND v_zones IS NOT NULL THEN
    UPDATE takt.job SET zones = v_zones, zone_data = v_zone_data
    WHERE cluster = p_cluster AND name = v_name;
  END IF;
  IF v_is_news IS NOT NULL THEN
    DELETE FROM takt.holder WHERE cluster = p_cluster AND job = v_name;
  END IF;
  INSERT INTO takt.holder (cluster, job, member) VALUES (p_cluster, v_name, p_member);
  RETURN takt.answer('done');
END
$fn$;

CREATE OR REPLACE FUNCTION takt.suspend(p_cluster text, p_request jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $fn$
DECLARE
  v_new jsonb := p_request->'suspension';
  v_is boolean := coalesce(jsonb_typeof(v_new) = 'object', false);
  v_now bigint := takt.now(p_cluster);
BEGIN
  UPDATE takt.job SET
    is_suspended = v_is,
    suspended_since = CASE WHEN v_is THEN (v_new->>'since')::bigint END,
    suspended_until = CASE WHEN v_is THEN (v_new->>'until')::bigint END,
    suspended_reason = CASE WHEN v_is THEN v_new->>'reason' END
  WHERE cluster = p_cluster AND name = p_request->>'job' AND schedule IS NOT NULL;
  IF v_is THEN
    UPDATE takt.slot SET state = 'decided', verdict = 'skipped', detail = 'suspended',
      ended_at = v_now
    WHERE cluster = p_cluster AND job = p_request->>'job' AND state = 'open' AND attempt = 0;
    IF FOUND THEN PERFORM takt.note_end(p_cluster, ARRAY[p_request->>'job'], v_now); END IF;
  END IF;
  RETURN takt.answer('done');
END
$fn$;

CREATE OR REPLACE FUNCTION takt.ask(p_cluster text, p_request jsonb) RETURNS jsonb
LANGUAGE sql AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'known',
    'slots', coalesce(pg_catalog.jsonb_agg(s.slot ORDER BY s.place), '[]'::jsonb),
    'displaced', coalesce(
      pg_catalog.jsonb_agg(s.slot ORDER BY s.place) FILTER (WHERE NOT s.is_known), '[]'::jsonb))
  FROM (
    SELECT w.slot::bigint, w.place, j.changed_at, j.schedule,
      takt.is_known(p_cluster, p_request->>'job', w.slot::bigint) AS is_known
    FROM pg_catalog.jsonb_array_elements_text(p_request->'slots')
      WITH ORDINALITY AS w (slot, place)
    CROSS JOIN takt.job j
    WHERE j.cluster = p_cluster AND j.name = p_request->>'job' AND j.schedule IS NOT NULL) s
  WHERE s.is_known OR s.schedule <> (p_request->>'schedule')::bigint
    AND takt.nanoseconds(s.slot) > s.changed_at
$fn$;

CREATE OR REPLACE FUNCTION takt.last_end(p_cluster text, p_request jsonb) RETURNS jsonb
LANGUAGE sql AS $fn$
  SELECT CASE WHEN takt.is_unfinished(p_cluster, p_request->>'job')
    OR takt.quiet_since(p_cluster, takt.now(p_cluster)) IS NOT NULL
    THEN takt.answer('busy')
    ELSE pg_catalog.jsonb_build_object('is', 'ended', 'at', (
      SELECT last_end FROM takt.job
      WHERE cluster = p_cluster AND name = p_request->>'job' AND schedule IS NOT NULL))
    END
$fn$;

CREATE OR REPLACE FUNCTION takt.decide(
  p_cluster text, p_member bigint, p_machine text, p_now bigint, p_request jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_name text := p_request->>'job';
  v_first bigint := (p_request->>'first')::bigint;
  v_last bigint := (p_request->>'last')::bigint;
  v_count bigint := (p_request->>'count')::bigint;
  v_ahead bigint := takt.later(takt.nanoseconds(v_first), -p_now);
BEGIN
  IF NOT EXISTS (
    SELECT FROM takt.job
    WHERE cluster = p_cluster AND name = v_name AND schedule IS NOT NULL)
  THEN
    RETURN takt.answer('done');
  END IF;
  IF v_count > 1 THEN
    INSERT INTO takt.series
      (cluster, job, last, first, slots, verdict, detail, member, ended_at)
    VALUES (p_cluster, v_name, v_last, v_first, v_count, p_request->>'verdict',
      p_request->>'detail', p_member, p_now)
    ON CONFLICT DO NOTHING;
    RETURN takt.answer('done');
  END IF;
  IF takt.is_known(p_cluster, v_name, v_first) THEN
    RETURN takt.answer(CASE WHEN EXISTS (
      SELECT FROM takt.slot
      WHERE cluster = p_cluster AND job = v_name AND slot = v_first AND state = 'decided'
        AND verdict = p_request->>'verdict' AND detail IS NOT DISTINCT FROM p_request->>'detail'
        AND outcome IS NULL AND reason IS NULL) THEN 'done' ELSE 'taken' END);
  END IF;
  -- A machine whose clock is fast takes it for missed.
  IF v_ahead > 1000000 THEN
    RETURN pg_catalog.jsonb_build_object('is', 'early', 'ahead', v_ahead);
  END IF;
  IF takt.nanoseconds(v_first) <= takt.quiet_since(p_cluster, p_now) THEN
    RETURN pg_catalog.jsonb_build_object('is', 'early', 'ahead', (
      SELECT greatest(until - p_now, 1000000) FROM takt.era
      WHERE cluster = p_cluster ORDER BY since DESC NULLS LAST LIMIT 1));
  END IF;
  INSERT INTO takt.slot
    (cluster, job, slot, state, machine, valid_until, verdict, detail, ended_at)
  VALUES (p_cluster, v_name, v_first, 'decided', p_machine, takt.nanoseconds(v_first),
    p_request->>'verdict', p_request->>'detail', p_now);
  PERFORM takt.note_end(p_cluster, ARRAY[v_name], p_now);
  RETURN takt.answer('done');
END
$fn$;

CREATE OR REPLACE FUNCTION takt.ran_unclaimed(
  p_cluster text, p_member bigint, p_machine text, p_now bigint, p_request jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_name text := p_request->>'job';
  v_slot bigint := (p_request->>'slot')::bigint;
  v_own bigint[] := ARRAY[p_member, (p_request->>'earlier')::bigint];
BEGIN
  IF NOT EXISTS (
    SELECT FROM takt.job
    WHERE cluster = p_cluster AND name = v_name AND schedule IS NOT NULL)
  THEN
    RETURN takt.answer('done');
  END IF;
  IF EXISTS (
    SELECT FROM takt.slot
    WHERE cluster = p_cluster AND job = v_name AND slot = v_slot AND state = 'decided'
      AND verdict = 'ran' AND reason = 'unclaimed' AND outcome IS NULL AND member = ANY (v_own))
  THEN
    RETURN takt.answer('done');
  END IF;
  -- It was given the slot, and the answer was lost, which others may have taken for the end of the
  -- machine; or nobody was given it yet.
  UPDATE takt.slot SET state = 'decided', verdict = 'ran', outcome = NULL, reason = 'unclaimed',
    ended_at = p_now, member = p_member, machine = p_machine
  WHERE cluster = p_cluster AND job = v_name AND slot = v_slot
    AND (member = ANY (v_own) AND (state = 'claimed' OR outcome = 'interrupted' AND reason = 'lost')
      OR state = 'open' AND attempt = 0);
  IF FOUND THEN
    PERFORM takt.note_end(p_cluster, ARRAY[v_name], p_now);
    RETURN takt.answer('done');
  END IF;
  IF takt.is_known(p_cluster, v_name, v_slot) THEN
    INSERT INTO takt.doubled (cluster, job, slot, member, machine, found_at)
    VALUES (p_cluster, v_name, v_slot, p_member, p_machine, p_now)
    ON CONFLICT DO NOTHING;
    RETURN takt.answer('superseded');
  END IF;
  INSERT INTO takt.slot
    (cluster, job, slot, state, member, machine, valid_until, verdict, reason, ended_at)
  VALUES (p_cluster, v_name, v_slot, 'decided', p_member, p_machine,
    takt.nanoseconds(v_slot), 'ran', 'unclaimed', p_now);
  PERFORM takt.note_end(p_cluster, ARRAY[v_name], p_now);
  RETURN takt.answer('done');
END
$fn$;

CREATE OR REPLACE FUNCTION takt.end_claim(p_cluster text, p_now bigint, p_request jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_token bigint := (p_request->>'token')::bigint;
  v_slot takt.slot;
BEGIN
  UPDATE takt.slot SET state = 'decided', verdict = 'ran', detail = NULL,
    outcome = p_request->>'outcome', reason = p_request->>'reason', ended_at = p_now
  WHERE token = v_token AND state = 'claimed' AND cluster IS NOT DISTINCT FROM p_cluster
  RETURNING * INTO v_slot;
  IF FOUND THEN
    PERFORM takt.note_end(p_cluster, ARRAY[v_slot.job], p_now);
    RETURN takt.answer('done');
  END IF;
  SELECT * INTO v_slot FROM takt.slot
    WHERE token = v_token AND cluster IS NOT DISTINCT FROM p_cluster;
  IF v_slot.state = 'decided' AND v_slot.verdict = 'ran'
    AND v_slot.outcome = p_request->>'outcome' AND v_slot.reason = p_request->>'reason'
  THEN
    RETURN takt.answer('done');
  END IF;
  RETURN takt.answer('superseded');
END
$fn$;

CREATE OR REPLACE FUNCTION takt.give_back(p_cluster text, p_request jsonb) RETURNS jsonb
LANGUAGE plpgsql AS $fn$
DECLARE
  v_token bigint := (p_request->>'token')::bigint;
  v_state text;
BEGIN
  SELECT state INTO v_state FROM takt.slot
    WHERE token = v_token AND cluster IS NOT DISTINCT FROM p_cluster;
  IF v_state = 'claimed' THEN
    UPDATE takt.slot SET state = 'open' WHERE token = v_token;
  END IF;
  RETURN takt.answer(CASE WHEN v_state IN ('claimed', 'open') THEN 'done' ELSE 'superseded' END);
END
$fn$;
CREATE OR REPLACE FUNCTION takt.granted(p_token bigint, p_attempt integer) RETURNS jsonb
LANGUAGE sql STABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'granted', 'token', p_token, 'attempt', p_attempt)
$fn$;

CREATE OR REPLACE FUNCTION takt.skipped(p_reason text) RETURNS jsonb
LANGUAGE sql STABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'skipped', 'reason', p_reason)
$fn$;

-- The slot waits in turn: while somebody asks for it, and hears that others run, nobody misses
-- it, nor those of its job behind it.
CREATE OR REPLACE FUNCTION takt.keep_waiting(
  p_cluster text, p_member bigint, p_now bigint, p_request jsonb
) RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
  v_job text := p_request->>'job';
  v_patience numeric := greatest(
    (p_request->>'validUntil')::numeric - takt.nanoseconds((p_request->>'slot')::bigint),
    (SELECT lease FROM takt.member WHERE id = p_member)::numeric * 2);
BEGIN
  INSERT INTO takt.slot (cluster, job, slot, state, attempt, overlap, slot_group, valid_until)
  VALUES (p_cluster, v_job, (p_request->>'slot')::bigint, 'open', 0, p_request->>'overlap',
    p_request->>'group', (p_request->>'validUntil')::bigint)
  ON CONFLICT DO NOTHING;
  UPDATE takt.slot SET valid_until =
    takt.later(p_now, least(v_patience, 9223372036854775807)::bigint)
  WHERE cluster = p_cluster AND job = v_job AND state = 'open' AND valid_until >= p_now
    AND (valid_until::numeric - p_now) * 2 < v_patience;
END
$fn$;

-- The rule of claims: what becomes of each, in its words. Those that nothing stands in the way of are
-- granted; what is to be written for others, `takt.refuse` does. The answers are named by the places
-- in the list.
--
-- p_all: the list is a whole batch. Claims of jobs with one request in it are granted together, in a
-- fraction of the time; for all others the answer is the token that they have in their turn.
-- Otherwise it is one claim.
CREATE OR REPLACE FUNCTION takt.claim(
  p_cluster text, p_member bigint, p_machine text, p_lease_left bigint, p_now bigint,
  p_quiet_since bigint, p_requests jsonb, p_all boolean
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_answers jsonb;
BEGIN
  -- Subqueries that nothing pulls up, and not joins: those are planned while the tables are small,
  -- and then read whole indexes.
  WITH element AS (
    SELECT r, place, CASE WHEN r->>'do' = 'claim'
      THEN coalesce((r->>'token')::bigint, takt.numbered(pg_catalog.nextval('takt.token')))
      END AS token
    FROM pg_catalog.jsonb_array_elements(p_requests) WITH ORDINALITY AS e (r, place)
  ), request AS (
    SELECT *, (r->>'job') COLLATE "C" AS job, (r->>'slot')::bigint AS slot,
      (r->>'earlier')::bigint AS earlier, r->>'overlap' AS overlap,
      (r->>'group') COLLATE "C" AS slot_group,
      pg_catalog.count(*) OVER (PARTITION BY r->>'job') AS job_requests
    FROM element
  ), fact AS (
    SELECT q.*, j.row, j.schedule, j.rest, j.last_end, j.ran_count, j.forgotten_until,
      j.is_suspended AND coalesce(j.suspended_until > p_now, true) AS is_suspended,
      s.state, s.member, s.token AS had_token, coalesce(s.attempt, 0) AS attempt,
      s.is_at_least_once, s.verdict, s.detail, s.valid_until,
      -- One that waits nobody has had yet.
      s.state IS NULL OR s.state = 'open' AND s.attempt = 0 AS is_first,
      q.overlap <> 'allow' AND (
        SELECT true FROM takt.slot
        WHERE cluster = p_cluster AND job = q.job AND state = 'claimed' AND slot <> q.slot
        LIMIT 1) IS TRUE AS is_running,
      q.overlap = 'replace' AND (
        SELECT true FROM takt.slot
        WHERE cluster = p_cluster AND job = q.job AND state = 'claimed' AND slot > q.slot
        LIMIT 1) IS TRUE AS is_passed
    FROM request q
    LEFT JOIN LATERAL (
      SELECT *, ctid AS row FROM takt.job WHERE cluster = p_cluster AND name = q.job OFFSET 0) j
      ON true
    LEFT JOIN LATERAL (
      SELECT * FROM takt.slot
      WHERE cluster = p_cluster AND job = q.job AND slot = q.slot OFFSET 0) s ON true
    WHERE q.token IS NOT NULL AND (NOT p_all OR q.job_requests = 1 AND q.slot_group IS NULL)
    OFFSET 0
  ), found AS (
    SELECT *, CASE
      WHEN schedule IS NULL THEN 'drifted'
      -- A grant whose answer was lost, whatever has become of the schedule since. One of before a
      -- failover may have gone to another machine since.
      WHEN state = 'claimed' AND member = p_member
        THEN CASE WHEN p_quiet_since IS NULL THEN 'had' ELSE 'busy' END
      WHEN schedule <> (r->>'schedule')::bigint THEN 'drifted'
      WHEN (SELECT true FROM takt.holder h
        WHERE h.cluster = p_cluster AND h.job = f.job AND h.member = p_member) IS NULL
        THEN CASE WHEN p_quiet_since IS NULL THEN 'drifted' ELSE 'busy' END
      WHEN state IS NULL AND (forgotten_until >= slot OR (
        SELECT true FROM takt.series
        WHERE cluster = p_cluster AND job = f.job AND last >= f.slot AND first <= f.slot
        LIMIT 1)) THEN 'taken'
      WHEN state IS NULL AND rest IS NOT NULL AND (
        takt.is_unfinished(p_cluster, job) OR last_end IS NOT NULL
        AND takt.nanoseconds(slot) < takt.later(takt.nanoseconds(last_end), rest)) THEN 'ended'
      WHEN state = 'claimed' AND member IS DISTINCT FROM earlier THEN 'taken'
      WHEN state = 'decided' AND verdict = 'skipped' AND member IN (p_member, earlier)
        THEN 'skipped'
      WHEN state = 'decided' OR state = 'open' AND p_now > valid_until THEN 'taken'
      WHEN takt.nanoseconds(slot) - 1000000::numeric > p_now THEN 'early'
      WHEN state IS DISTINCT FROM 'claimed' AND p_quiet_since IS NOT NULL AND (
        takt.nanoseconds(slot) <= p_quiet_since OR overlap <> 'allow' OR slot_group IS NOT NULL)
        THEN 'busy'
      WHEN is_at_least_once AND is_passed THEN 'interrupted'
      WHEN is_suspended THEN 'suspended'
      WHEN is_passed THEN 'overlap'
      WHEN is_first AND ran_count >= (r->>'limit')::bigint THEN 'limit'
      WHEN is_first AND overlap = 'skip' AND is_running THEN 'overlap'
      WHEN slot_group IS NOT NULL AND (r->>'groupMax')::bigint <= (
        SELECT pg_catalog.count(*) FROM takt.slot o
        WHERE o.cluster = p_cluster AND o.slot_group = f.slot_group AND o.state = 'claimed'
          AND NOT (o.job = f.job AND o.slot = f.slot)) THEN 'full'
      WHEN is_running THEN 'running'
      ELSE 'granted'
    END AS answer
    FROM fact f
  ), granted AS (
    INSERT INTO takt.slot (cluster, job, slot, state, attempt, token, member, machine,
      is_at_least_once, overlap, slot_group, valid_until, claimed_at, claim_lease_left)
    SELECT p_cluster, job, slot, 'claimed', 1, token, p_member, p_machine,
      (r->>'atLeastOnce')::boolean, overlap, slot_group, (r->>'validUntil')::bigint, p_now,
      p_lease_left
    FROM found WHERE answer = 'granted'
    ON CONFLICT (cluster, job, slot) DO UPDATE SET
      state = 'claimed', attempt = takt.slot.attempt + 1, token = excluded.token,
      member = excluded.member, machine = excluded.machine,
      is_at_least_once = excluded.is_at_least_once, is_replaced = false,
      overlap = excluded.overlap, slot_group = excluded.slot_group,
      valid_until = excluded.valid_until, claimed_at = excluded.claimed_at,
      claim_lease_left = excluded.claim_lease_left
  ), counted AS (
    UPDATE takt.job SET ran_count = ran_count + 1
    WHERE ctid = ANY (ARRAY(SELECT row FROM found WHERE answer = 'granted' AND is_first))
  )
  SELECT pg_catalog.jsonb_object_agg(e.place, CASE
    WHEN f.answer = 'granted' THEN takt.granted(e.token, f.attempt + 1)
    WHEN p_all THEN pg_catalog.to_jsonb(e.token)
    WHEN f.answer = 'had' THEN takt.granted(f.had_token, f.attempt)
    WHEN f.answer = 'skipped' THEN takt.skipped(f.detail)
    WHEN f.answer = 'ended'
      THEN pg_catalog.jsonb_build_object('is', f.answer, 'at', f.last_end)
    WHEN f.answer = 'early' THEN pg_catalog.jsonb_build_object('is', f.answer,
      'ahead', takt.later(takt.nanoseconds(f.slot), -p_now))
    ELSE takt.answer(f.answer) END)
  INTO v_answers FROM element e LEFT JOIN found f ON f.place = e.place
  WHERE e.token IS NOT NULL;
  RETURN v_answers;
END
$fn$;

-- Writes what comes of a claim that is not granted, and says it as clients know it.
CREATE OR REPLACE FUNCTION takt.refuse(
  p_cluster text, p_member bigint, p_machine text, p_now bigint, p_request jsonb, p_answer jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_is text := p_answer->>'is';
  v_job text := p_request->>'job';
  v_slot bigint := (p_request->>'slot')::bigint;
  v_overlap text := p_request->>'overlap';
BEGIN
  CASE v_is
    WHEN 'interrupted' THEN
      -- It may have run on the machine that was lost; a newer one has taken its place.
      UPDATE takt.slot SET state = 'decided', verdict = 'ran', outcome = 'interrupted',
        reason = 'lost', ended_at = p_now
      WHERE cluster = p_cluster AND job = v_job AND slot = v_slot;
      PERFORM takt.note_end(p_cluster, ARRAY[v_job], p_now);
      RETURN takt.answer('taken');
    WHEN 'suspended', 'overlap', 'limit' THEN
      INSERT INTO takt.slot (cluster, job, slot, state, member, machine, valid_until, verdict,
        detail, ended_at)
      VALUES (p_cluster, v_job, v_slot, 'decided', p_member, p_machine,
        (p_request->>'validUntil')::bigint, 'skipped', v_is, p_now)
      ON CONFLICT (cluster, job, slot) DO UPDATE SET
        state = 'decided', token = NULL, member = excluded.member, machine = excluded.machine,
        valid_until = excluded.valid_until, verdict = 'skipped', detail = excluded.detail,
        ended_at = p_now;
      PERFORM takt.note_end(p_cluster, ARRAY[v_job], p_now);
      RETURN takt.skipped(v_is);
    WHEN 'full', 'running' THEN
      IF v_overlap <> 'replace' THEN
        PERFORM takt.keep_waiting(p_cluster, p_member, p_now, p_request);
      ELSIF v_is = 'running' THEN
        UPDATE takt.slot SET is_replaced = true
        WHERE cluster = p_cluster AND job = v_job AND state = 'claimed' AND slot <> v_slot
          AND NOT is_replaced;
      END IF;
      RETURN takt.answer('busy');
    ELSE RETURN p_answer;
  END CASE;
END
$fn$;
-- What an earlier membership of a machine had is decided with the next renewal of any member.
CREATE OR REPLACE FUNCTION takt.retire(p_cluster text, p_member bigint, p_request jsonb)
RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_id bigint;
BEGIN
  SELECT m.id INTO v_id FROM takt.member m
    JOIN takt.member own ON own.id = p_member AND own.machine = m.machine AND own.host = m.host
    WHERE m.cluster = p_cluster AND m.id = (p_request->>'member')::bigint AND m.id <> p_member
    FOR UPDATE OF m SKIP LOCKED;
  IF NOT FOUND THEN RETURN takt.answer('superseded'); END IF;
  DELETE FROM takt.holder WHERE member = v_id;
  DELETE FROM takt.member WHERE id = v_id;
  RETURN takt.answer('done');
END
$fn$;

CREATE OR REPLACE FUNCTION takt.restore(
  p_cluster text, p_member bigint, p_machine text, p_lease_left bigint, p_now bigint,
  p_request jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_name text := p_request->>'job';
  v_instant bigint := (p_request->>'slot')::bigint;
  v_token bigint := (p_request->>'token')::bigint;
  v_outcome text := p_request->>'outcome';
  v_slot takt.slot;
  v_is_new boolean;
BEGIN
  IF NOT EXISTS (
    SELECT FROM takt.job
    WHERE cluster = p_cluster AND name = v_name AND schedule IS NOT NULL)
  THEN
    RETURN takt.answer('done');
  END IF;
  SELECT * INTO v_slot FROM takt.slot
    WHERE cluster = p_cluster AND job = v_name AND slot = v_instant;
  v_is_new := NOT FOUND;
  IF v_slot.state = 'decided' AND v_slot.verdict = 'ran' AND v_slot.token = v_token
    AND v_slot.outcome = v_outcome AND v_slot.reason = p_request->>'reason'
  THEN
    RETURN takt.answer('done');
  END IF;
  IF v_slot.state = 'decided'
    OR v_slot.state = 'claimed' AND v_slot.token > v_token
    OR v_is_new AND takt.is_known(p_cluster, v_name, v_instant)
  THEN
    IF v_slot.token IS DISTINCT FROM v_token THEN
      INSERT INTO takt.doubled (cluster, job, slot, member, machine, found_at)
      VALUES (p_cluster, v_name, v_instant, p_member, p_machine, p_now)
      ON CONFLICT DO NOTHING;
    END IF;
    RETURN takt.answer('superseded');
  END IF;
  IF v_is_new OR v_slot.state = 'open' AND v_slot.attempt = 0 THEN
    UPDATE takt.job SET ran_count = ran_count + 1
    WHERE cluster = p_cluster AND name = v_name;
  END IF;
  INSERT INTO takt.slot (cluster, job, slot, state, attempt, token, member, machine,
    is_at_least_once, overlap, slot_group, valid_until, verdict, outcome, reason, claimed_at,
    claim_lease_left, ended_at)
  VALUES (p_cluster, v_name, v_instant,
    CASE WHEN v_outcome IS NULL THEN 'claimed' ELSE 'decided' END,
    greatest((p_request->>'attempt')::integer, v_slot.attempt), v_token, p_member, p_machine,
    (p_request->>'atLeastOnce')::boolean, p_request->>'overlap', p_request->>'group',
    (p_request->>'validUntil')::bigint, CASE WHEN v_outcome IS NOT NULL THEN 'ran' END,
    v_outcome, p_request->>'reason', coalesce(v_slot.claimed_at, p_now), p_lease_left,
    CASE WHEN v_outcome IS NOT NULL THEN p_now END)
  ON CONFLICT (cluster, job, slot) DO UPDATE SET
    state = excluded.state, attempt = excluded.attempt, token = excluded.token,
    member = excluded.member, machine = excluded.machine,
    is_at_least_once = excluded.is_at_least_once, is_replaced = false,
    overlap = excluded.overlap, slot_group = excluded.slot_group,
    valid_until = excluded.valid_until, verdict = excluded.verdict, detail = NULL,
    outcome = excluded.outcome, reason = excluded.reason, claimed_at = excluded.claimed_at,
    claim_lease_left = excluded.claim_lease_left, ended_at = excluded.ended_at;
  IF v_outcome IS NOT NULL THEN
    PERFORM takt.note_end(p_cluster, ARRAY[v_name], p_now);
  END IF;
  RETURN takt.answer('done');
END
$fn$;
-- Nobody was heard for two thirds of a lease, in which each member renews its own twice: the
-- engine was away from all of them, and not they from it. Those that had a lease then get time for one more before others decide for them.
CREATE OR REPLACE FUNCTION takt.notice_silence(p_cluster text, p_now bigint) RETURNS void
LANGUAGE plpgsql AS $fn$
DECLARE
  v_heard bigint;
  v_longest bigint;
BEGIN
  SELECT pg_catalog.max(takt.later(lease_until, -lease)) INTO v_heard
    FROM takt.member WHERE cluster = p_cluster;
  SELECT pg_catalog.max(lease) INTO v_longest
    FROM takt.member WHERE cluster = p_cluster AND lease_until > v_heard;
  IF (p_now::numeric - v_heard) * 3 > v_longest::numeric * 2 THEN
    -- Who is at work in a batch of its own has been heard.
    UPDATE takt.member SET lost_after = greatest(lost_after, takt.later(p_now, lease))
    WHERE id = ANY (ARRAY(
      SELECT id FROM takt.member WHERE cluster = p_cluster AND lease_until > v_heard
      ORDER BY id FOR UPDATE SKIP LOCKED));
  END IF;
END
$fn$;

CREATE OR REPLACE FUNCTION takt.settle(p_cluster text, p_now bigint) RETURNS void
LANGUAGE plpgsql AS $fn$
DECLARE
  v_lost bigint[];
  v_jobs text[];
BEGIN
  -- Those at work in a batch of their own, and jobs that others hold, are for the next time.
  v_lost := ARRAY(
    SELECT id FROM takt.member WHERE cluster = p_cluster AND lost_after < p_now
    ORDER BY id FOR UPDATE SKIP LOCKED);
  v_jobs := ARRAY(
    SELECT DISTINCT s.job FROM takt.slot s
    WHERE s.cluster = p_cluster AND s.state <> 'decided' AND CASE s.state
      WHEN 'claimed' THEN s.member = ANY (v_lost)
        OR NOT EXISTS (SELECT FROM takt.member m WHERE m.id = s.member)
      ELSE p_now > s.valid_until END);
  IF v_jobs <> '{}' THEN
    v_jobs := ARRAY(
      SELECT name FROM takt.job WHERE cluster = p_cluster AND name = ANY (v_jobs)
      ORDER BY name FOR UPDATE SKIP LOCKED);
    UPDATE takt.slot s SET
      state = CASE WHEN s.state = 'claimed' AND s.is_at_least_once AND p_now <= s.valid_until
        THEN 'open' ELSE 'decided' END,
      verdict = CASE WHEN s.state = 'open' THEN
          CASE WHEN s.is_at_least_once THEN 'ran' ELSE 'missed' END
        WHEN NOT s.is_at_least_once OR p_now > s.valid_until THEN 'ran' END,
      detail = CASE WHEN s.state = 'open' AND NOT s.is_at_least_once THEN 'stalled' END,
      outcome = CASE WHEN s.state = 'open' THEN
          CASE WHEN s.is_at_least_once THEN 'interrupted' END
        WHEN NOT s.is_at_least_once OR p_now > s.valid_until THEN 'interrupted' END,
      reason = CASE WHEN s.state = 'claimed' AND s.is_at_least_once AND p_now <= s.valid_until
        THEN NULL ELSE 'lost' END,
      ended_at = CASE WHEN s.state = 'claimed' AND s.is_at_least_once
        AND p_now <= s.valid_until THEN NULL ELSE p_now END
    WHERE s.cluster = p_cluster AND s.job = ANY (v_jobs) AND s.state <> 'decided'
      AND CASE s.state
      WHEN 'claimed' THEN s.member = ANY (v_lost)
        OR NOT EXISTS (SELECT FROM takt.member m WHERE m.id = s.member)
      ELSE p_now > s.valid_until END;
    PERFORM takt.note_end(p_cluster, v_jobs, p_now);
  END IF;
  IF v_lost <> '{}' THEN
    DELETE FROM takt.holder h WHERE h.member = ANY (v_lost);
    DELETE FROM takt.member m WHERE m.id = ANY (v_lost);
  END IF;
END
$fn$;
CREATE OR REPLACE FUNCTION takt.news(p_cluster text, p_member bigint, p_now bigint)
RETURNS jsonb LANGUAGE plpgsql AS $fn$
BEGIN
  RETURN pg_catalog.jsonb_build_object(
    'members', coalesce((
      SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', id, 'alive', lease_until > p_now, 'facts', pg_catalog.jsonb_build_object(
          'machine', machine, 'host', host, 'version', version, 'labels', labels,
          'lease', lease, 'grace', grace, 'clockOffset', clock_offset, 'zoneData', zone_data,
          'api', api)) ORDER BY id)
      FROM takt.member WHERE cluster = p_cluster
        AND (lost_after >= p_now OR takt.quiet_since(p_cluster, p_now) IS NOT NULL)),
      '[]'::jsonb),
    'era', takt.known_timeline(p_cluster),
    'open', coalesce((
      SELECT pg_catalog.jsonb_agg(
        pg_catalog.jsonb_build_object('job', job, 'slot', slot) ORDER BY slot, job)
      FROM takt.slot WHERE cluster = p_cluster AND state = 'open'), '[]'::jsonb),
    'suspended', coalesce((
      SELECT pg_catalog.jsonb_object_agg(name, pg_catalog.jsonb_build_object(
        'since', suspended_since, 'until', suspended_until, 'reason', suspended_reason))
      FROM takt.job WHERE cluster = p_cluster AND is_suspended), '{}'::jsonb),
    'replaced', coalesce((
      SELECT pg_catalog.jsonb_agg(token ORDER BY token)
      FROM takt.slot
      WHERE cluster = p_cluster AND state = 'claimed' AND is_replaced AND member = p_member),
      '[]'::jsonb),
    'held', coalesce((
      SELECT pg_catalog.jsonb_agg(
        pg_catalog.jsonb_build_object('token', token, 'job', job, 'slot', slot) ORDER BY token)
      FROM takt.slot
      WHERE cluster = p_cluster AND state = 'claimed' AND member = p_member), '[]'::jsonb));
END
$fn$;
CREATE OR REPLACE FUNCTION takt.forget(p_cluster text, p_now bigint) RETURNS void
LANGUAGE plpgsql AS $fn$
DECLARE
  v_before bigint := takt.later(p_now, -2592000000000000);
  v_jobs text[];
BEGIN
  v_jobs := ARRAY(
    SELECT DISTINCT job FROM (
      (SELECT job FROM takt.slot
        WHERE cluster = p_cluster AND state = 'decided' AND ended_at < v_before
        ORDER BY ended_at LIMIT 200)
      UNION ALL
      (SELECT job FROM takt.series WHERE cluster = p_cluster AND ended_at < v_before
        ORDER BY ended_at LIMIT 200)) AS old);
  IF v_jobs = '{}' THEN RETURN; END IF;
  v_jobs := ARRAY(
    SELECT name FROM takt.job WHERE cluster = p_cluster AND name = ANY (v_jobs)
    ORDER BY name FOR UPDATE SKIP LOCKED);
  WITH old_slot AS (
    DELETE FROM takt.slot s WHERE s.cluster = p_cluster AND (s.job, s.slot) IN (
      SELECT job, slot FROM takt.slot
      WHERE cluster = p_cluster AND state = 'decided' AND ended_at < v_before
        AND job = ANY (v_jobs)
      ORDER BY ended_at LIMIT 200)
    RETURNING s.job, s.slot AS last
  ), old_series AS (
    DELETE FROM takt.series s WHERE s.cluster = p_cluster AND (s.job, s.last, s.first) IN (
      SELECT job, last, first FROM takt.series
      WHERE cluster = p_cluster AND ended_at < v_before AND job = ANY (v_jobs)
      ORDER BY ended_at LIMIT 200)
    RETURNING s.job, s.last
  ), old AS (
    SELECT job, max(last) AS last FROM (
      SELECT * FROM old_slot UNION ALL SELECT * FROM old_series) AS both_kinds
    GROUP BY job
  )
  UPDATE takt.job j SET forgotten_until = greatest(j.forgotten_until, old.last)
  FROM old WHERE j.cluster = p_cluster AND j.name = old.job;
  DELETE FROM takt.doubled d WHERE d.cluster = p_cluster AND d.found_at < v_before
    AND d.job = ANY (v_jobs);
END
$fn$;
CREATE OR REPLACE FUNCTION takt.batch(p_cluster text, p_batch jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- Plans are made once, mostly while the tables are small, and kept: from the first time on, as
-- planning takes longer than all else.
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $fn$
DECLARE
  c_version CONSTANT integer := 5;
  v_requests jsonb := p_batch->'requests';
  v_facts jsonb := p_batch->'facts';
  v_has_facts boolean := coalesce(jsonb_typeof(v_facts) = 'object', false);
  v_id bigint := (p_batch->>'member')::bigint;
  v_number bigint := (p_batch->>'number')::bigint;
  v_member takt.member;
  v_now bigint;
  v_until bigint;
  v_is_quiet boolean;
  v_quiet_since bigint;
  v_lease_left bigint;
  v_request jsonb;
  v_place bigint;
  v_claims jsonb;
  v_answers jsonb[] := '{}';
  v_reply jsonb;
BEGIN
  -- A client of another version decides by this what to do; nothing has been done.
  IF (p_batch->>'schema')::integer NOT BETWEEN 1 AND c_version THEN
    RETURN jsonb_build_object('schema', c_version);
  END IF;
  -- A batch that nobody waits for any more is not to wait for others.
  PERFORM set_config('lock_timeout', p_batch->>'wait', true);

  -- First of all in every batch, so that those at work and an upgrade wait for each other here.
  INSERT INTO takt.job (cluster, name)
    SELECT DISTINCT p_cluster, (r->>'job') COLLATE "C" FROM jsonb_array_elements(v_requests) r
    WHERE r->>'do' = 'declare' ORDER BY 2
    ON CONFLICT DO NOTHING;
  -- Row by row: an array is looked for in all of a cluster's jobs where the table was small when
  -- the statement was planned.
  PERFORM FROM (
      SELECT DISTINCT coalesce(r->>'job', (
        SELECT job FROM takt.slot WHERE token = (r->>'token')::bigint
          AND cluster IS NOT DISTINCT FROM p_cluster)) COLLATE "C" AS name
      FROM jsonb_array_elements(v_requests) r WHERE r->>'do' <> 'ask' ORDER BY name) w
    CROSS JOIN LATERAL (
      SELECT FROM takt.job WHERE cluster = p_cluster AND name = w.name FOR UPDATE) j;
  IF v_requests @? '$[*].groupMax' THEN
    INSERT INTO takt.group_lock (cluster, name)
      SELECT DISTINCT p_cluster, (r->>'group') COLLATE "C" FROM jsonb_array_elements(v_requests) r
      WHERE r->>'groupMax' IS NOT NULL AND r->>'group' IS NOT NULL ORDER BY 2
      ON CONFLICT DO NOTHING;
    PERFORM FROM takt.group_lock WHERE cluster = p_cluster AND name = ANY (ARRAY(
        SELECT r->>'group' FROM jsonb_array_elements(v_requests) r
        WHERE r->>'groupMax' IS NOT NULL))
      ORDER BY name FOR UPDATE;
  END IF;
  IF v_id IS NOT NULL THEN
    SELECT * INTO v_member FROM takt.member WHERE cluster = p_cluster AND id = v_id FOR UPDATE;
  END IF;

  -- Read once, when nothing is left to wait for.
  v_now := takt.now(p_cluster);
  v_reply := jsonb_build_object('member', NULL, 'wall', v_now);
  v_is_quiet := takt.notice_set_back(
    p_cluster, v_now, coalesce((v_facts->>'lease')::bigint, 0)) IS NOT NULL;
  IF v_has_facts AND NOT v_is_quiet THEN
    PERFORM takt.notice_silence(p_cluster, v_now);
    PERFORM takt.settle(p_cluster, v_now);
    SELECT * INTO v_member FROM takt.member WHERE cluster = p_cluster AND id = v_id;
  END IF;
  IF v_id IS NOT NULL THEN
    IF v_member.id IS NULL THEN RETURN v_reply; END IF;
    -- While nobody has decided for a member, it may renew its lease.
    IF v_member.lease_until <= v_now
      AND (NOT v_has_facts OR v_member.lost_after < v_now AND NOT v_is_quiet)
    THEN
      RETURN v_reply;
    END IF;
    -- A batch that comes after a newer one: its sender has given it up.
    IF v_member.last_batch > v_number THEN RETURN v_reply; END IF;
    IF NOT v_has_facts THEN
      UPDATE takt.member SET last_batch = v_number WHERE id = v_id;
    END IF;
  ELSIF v_has_facts THEN
    v_id := takt.numbered(nextval('takt.member_id'));
  ELSE
    RETURN v_reply;
  END IF;
  -- Before this batch puts it off.
  v_lease_left := v_member.lease_until - v_now;
  IF v_has_facts THEN
    v_until := takt.later(v_now, (v_facts->>'lease')::bigint);
    INSERT INTO takt.member (id, cluster, machine, host, version, labels, lease, grace,
      clock_offset, joined_at, lease_until, lost_after, last_batch, api, zone_data)
    VALUES (v_id, p_cluster, v_facts->>'machine', v_facts->>'host', v_facts->>'version',
      v_facts->'labels', (v_facts->>'lease')::bigint, (v_facts->>'grace')::bigint,
      (v_facts->>'clockOffset')::bigint, v_now, v_until,
      takt.later(v_until, (v_facts->>'grace')::bigint), v_number, v_facts->>'api',
      v_facts->>'zoneData')
    ON CONFLICT (id) DO UPDATE SET
      machine = excluded.machine, host = excluded.host, version = excluded.version,
      labels = excluded.labels, lease = excluded.lease, grace = excluded.grace,
      clock_offset = excluded.clock_offset, lease_until = excluded.lease_until,
      lost_after = excluded.lost_after, last_batch = excluded.last_batch,
      api = excluded.api, zone_data = excluded.zone_data
    RETURNING * INTO v_member;
    IF v_lease_left <= 0 THEN v_lease_left := v_member.lease; END IF;
  END IF;

  IF v_is_quiet THEN
    v_quiet_since := takt.quiet_since(p_cluster, v_now);
  ELSIF v_requests @> '[{"do": "claim"}]' THEN
    v_claims := takt.claim(
      p_cluster, v_id, v_member.machine, v_lease_left, v_now, NULL, v_requests, true);
  END IF;
  FOR v_request, v_place IN
    SELECT value, ordinality FROM jsonb_array_elements(v_requests) WITH ORDINALITY
  LOOP
    v_answers := v_answers || CASE v_request->>'do'
      WHEN 'declare' THEN takt.declare(p_cluster, v_id, v_now, v_request)
      WHEN 'claim' THEN CASE jsonb_typeof(v_claims->(v_place::text))
        WHEN 'object' THEN v_claims->(v_place::text)
        ELSE takt.refuse(p_cluster, v_id, v_member.machine, v_now, v_request, takt.claim(
          p_cluster, v_id, v_member.machine, v_lease_left, v_now, v_quiet_since,
          jsonb_build_array(
            v_request || jsonb_build_object('token', v_claims->(v_place::text))), false)->'1') END
      WHEN 'ask' THEN takt.ask(p_cluster, v_request)
      WHEN 'lastEnd' THEN takt.last_end(p_cluster, v_request)
      WHEN 'decide' THEN takt.decide(p_cluster, v_id, v_member.machine, v_now, v_request)
      WHEN 'ranUnclaimed' THEN
        takt.ran_unclaimed(p_cluster, v_id, v_member.machine, v_now, v_request)
      WHEN 'restore' THEN takt.restore(
        p_cluster, v_id, v_member.machine, v_lease_left, v_now, v_request)
      WHEN 'end' THEN takt.end_claim(p_cluster, v_now, v_request)
      WHEN 'giveBack' THEN takt.give_back(p_cluster, v_request)
      WHEN 'retire' THEN takt.retire(p_cluster, v_id, v_request)
      WHEN 'suspend' THEN takt.suspend(p_cluster, v_request)
    END;
  END LOOP;
  v_reply := v_reply || jsonb_build_object('member', v_id, 'answers', to_jsonb(v_answers));
  IF (p_batch->>'leaves')::boolean THEN
    DELETE FROM takt.holder WHERE member = v_id;
    DELETE FROM takt.member WHERE id = v_id;
  END IF;
  IF v_has_facts THEN
    v_reply := v_reply || jsonb_build_object('news', takt.news(p_cluster, v_id, v_now));
    PERFORM takt.forget(p_cluster, v_now);
  END IF;
  RETURN v_reply;
END
$fn$;
-- What is known of a job's slots after one of them, for those who check; it changes nothing.
CREATE OR REPLACE FUNCTION takt.audit(
  p_cluster text, p_job text, p_after bigint, p_max integer
) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $fn$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'now', takt.now(p_cluster),
    'forgottenUntil', (
      SELECT forgotten_until FROM takt.job WHERE cluster = p_cluster AND name = p_job),
    'lost', coalesce((
      SELECT jsonb_agg(jsonb_build_object('from', known_until, 'until', since) ORDER BY since)
      FROM takt.era WHERE cluster = p_cluster AND since IS NOT NULL), '[]'::jsonb),
    'slots', coalesce((
      SELECT jsonb_agg(CASE state
        WHEN 'decided' THEN
          jsonb_build_object('slot', slot, 'verdict', verdict, 'detail', detail)
        ELSE jsonb_build_object('slot', slot, 'machine', machine, 'claimedAt', claimed_at,
          'validUntil', valid_until, 'isOpen', state = 'open', 'lostAfter', (
            SELECT lost_after FROM takt.member m WHERE m.id = s.member)) END ORDER BY slot)
      FROM (
        SELECT * FROM takt.slot
        WHERE cluster = p_cluster AND job = p_job AND slot > p_after
        ORDER BY slot LIMIT p_max) s), '[]'::jsonb),
    'series', coalesce((
      SELECT jsonb_agg(jsonb_build_object('first', first, 'last', last, 'count', slots,
        'verdict', verdict, 'detail', detail) ORDER BY first)
      FROM takt.series WHERE cluster = p_cluster AND job = p_job AND last > p_after),
      '[]'::jsonb),
    'doubled', coalesce((
      SELECT jsonb_agg(jsonb_build_object('slot', slot, 'machine', machine)
        ORDER BY slot, member)
      FROM takt.doubled WHERE cluster = p_cluster AND job = p_job AND slot > p_after),
      '[]'::jsonb)))
$fn$;
-- New functions may be called by all; only two are for clients.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA takt FROM PUBLIC;
COMMIT;

-- The daemons' role needs these rights; --role NAME prints them for a role.
-- GRANT USAGE ON SCHEMA takt TO "NAME";
-- GRANT EXECUTE ON FUNCTION takt.batch(text, jsonb) TO "NAME";
-- GRANT EXECUTE ON FUNCTION takt.audit(text, text, bigint, integer) TO "NAME";
