-- The schema 'takt', version 2: claims of slots by several machines.
BEGIN;
-- What is there already is no news.
SET LOCAL client_min_messages = warning;
SELECT pg_catalog.pg_advisory_xact_lock(7811887461);
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
  IF found > 2 THEN
    RAISE EXCEPTION 'the schema takt has version %, which is newer than 2', found;
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
CREATE SEQUENCE IF NOT EXISTS takt.member_id;
CREATE SEQUENCE IF NOT EXISTS takt.token;
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
CREATE OR REPLACE FUNCTION takt.now(p_cluster text) RETURNS bigint
LANGUAGE sql VOLATILE AS $fn$
  SELECT coalesce(
    (SELECT fixed FROM takt.clock WHERE cluster = p_cluster),
    (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint * 1000
  ) + coalesce((SELECT ahead FROM takt.clock WHERE cluster = p_cluster), 0)
$fn$;
-- A server that has taken the place of another may have given out fewer numbers, and has a higher
-- timeline. Below 2 ^ 53 there is room for 8191 of them.
CREATE OR REPLACE FUNCTION takt.numbered(p_next bigint) RETURNS bigint
LANGUAGE sql VOLATILE AS $fn$
  SELECT ((('x' || pg_catalog.left(
      pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::bit(32)::bigint - 1) << 40)
    + p_next
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
RETURNS boolean LANGUAGE sql STABLE AS $fn$
  SELECT EXISTS (
      SELECT FROM takt.slot WHERE cluster = p_cluster AND job = p_job AND slot = p_slot)
    OR EXISTS (
      SELECT FROM takt.series
      WHERE cluster = p_cluster AND job = p_job AND last >= p_slot AND first <= p_slot)
    OR EXISTS (
      SELECT FROM takt.job
      WHERE cluster = p_cluster AND name = p_job AND forgotten_until >= p_slot)
$fn$;

CREATE OR REPLACE FUNCTION takt.is_running(p_cluster text, p_job text, p_but bigint)
RETURNS boolean LANGUAGE sql STABLE AS $fn$
  SELECT EXISTS (
    SELECT FROM takt.slot
    WHERE cluster = p_cluster AND job = p_job AND state = 'claimed' AND slot <> p_but)
$fn$;

CREATE OR REPLACE FUNCTION takt.is_unfinished(p_cluster text, p_job text) RETURNS boolean
LANGUAGE sql STABLE AS $fn$
  SELECT EXISTS (
    SELECT FROM takt.slot WHERE cluster = p_cluster AND job = p_job AND state <> 'decided')
$fn$;

-- A slot has been decided: the next one of a job with a rest is counted from here.
CREATE OR REPLACE FUNCTION takt.note_end(p_cluster text, p_jobs text[], p_now bigint)
RETURNS void LANGUAGE sql AS $fn$
  UPDATE takt.job SET last_end = pg_catalog.div(p_now::numeric, 1000000)::bigint
  WHERE cluster = p_cluster AND name = ANY (p_jobs) AND rest IS NOT NULL
$fn$;

CREATE OR REPLACE FUNCTION takt.answer(p_answer text) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', p_answer)
$fn$;
CREATE OR REPLACE FUNCTION takt.declare(
  p_cluster text, p_member bigint, p_now bigint, p_request jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_name text := p_request->>'job';
  v_schedule bigint := (p_request->>'schedule')::bigint;
  v_old bigint;
BEGIN
  SELECT schedule INTO v_old FROM takt.job WHERE cluster = p_cluster AND name = v_name;
  DELETE FROM takt.holder WHERE cluster = p_cluster AND job = v_name AND member = p_member;
  IF v_old IS DISTINCT FROM v_schedule THEN
    IF v_old IS NOT NULL AND NOT (p_request->>'changed')::boolean AND EXISTS (
      SELECT FROM takt.holder h JOIN takt.member m ON m.id = h.member
      WHERE h.cluster = p_cluster AND h.job = v_name AND m.lease_until > p_now)
    THEN
      RETURN takt.answer('drifted');
    END IF;
    -- Slots from long before a job is first heard of belong to no machine: a slow clock names them.
    UPDATE takt.job SET schedule = v_schedule,
      changed_at = CASE WHEN v_old IS NOT NULL THEN p_now END,
      last_end = CASE WHEN rest IS NOT NULL AND p_request->>'rest' IS NOT NULL THEN last_end END,
      rest = (p_request->>'rest')::bigint,
      forgotten_until = CASE WHEN v_old IS NULL
        THEN (takt.later(p_now, -60000000000) - 1) / 1000000
        ELSE forgotten_until END
    WHERE cluster = p_cluster AND name = v_name;
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
BEGIN
  UPDATE takt.job SET
    is_suspended = v_is,
    suspended_since = CASE WHEN v_is THEN (v_new->>'since')::bigint END,
    suspended_until = CASE WHEN v_is THEN (v_new->>'until')::bigint END,
    suspended_reason = CASE WHEN v_is THEN v_new->>'reason' END
  WHERE cluster = p_cluster AND name = p_request->>'job' AND schedule IS NOT NULL;
  RETURN takt.answer('done');
END
$fn$;

CREATE OR REPLACE FUNCTION takt.ask(p_cluster text, p_request jsonb) RETURNS jsonb
LANGUAGE sql AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'known', 'slots', coalesce((
    SELECT pg_catalog.jsonb_agg(s.slot::bigint ORDER BY s.place)
    FROM pg_catalog.jsonb_array_elements_text(p_request->'slots')
      WITH ORDINALITY AS s (slot, place)
    WHERE (takt.is_known(p_cluster, p_request->>'job', s.slot::bigint)
      OR EXISTS (
        SELECT FROM takt.job
        WHERE cluster = p_cluster AND name = p_request->>'job'
          AND schedule <> (p_request->>'schedule')::bigint
          AND takt.nanoseconds(s.slot::bigint) > changed_at))
      AND EXISTS (
        SELECT FROM takt.job
        WHERE cluster = p_cluster AND name = p_request->>'job' AND schedule IS NOT NULL)),
    '[]'::jsonb))
$fn$;

CREATE OR REPLACE FUNCTION takt.last_end(p_cluster text, p_request jsonb) RETURNS jsonb
LANGUAGE sql AS $fn$
  SELECT CASE WHEN takt.is_unfinished(p_cluster, p_request->>'job')
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
      AND verdict = 'ran' AND reason = 'unclaimed' AND outcome IS NULL AND member = p_member)
  THEN
    RETURN takt.answer('done');
  END IF;
  -- It was given the slot, and the answer was lost.
  UPDATE takt.slot SET state = 'decided', verdict = 'ran', reason = 'unclaimed',
    ended_at = p_now
  WHERE cluster = p_cluster AND job = v_name AND slot = v_slot AND state = 'claimed'
    AND member = p_member;
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
  v_slot takt.slot;
BEGIN
  SELECT * INTO v_slot FROM takt.slot
    WHERE cluster = p_cluster AND token = (p_request->>'token')::bigint;
  IF v_slot.state = 'claimed' THEN
    UPDATE takt.slot SET state = 'decided', verdict = 'ran', detail = NULL,
      outcome = p_request->>'outcome', reason = p_request->>'reason', ended_at = p_now
    WHERE token = v_slot.token;
    PERFORM takt.note_end(p_cluster, ARRAY[v_slot.job], p_now);
    RETURN takt.answer('done');
  ELSIF v_slot.state = 'decided' AND v_slot.verdict = 'ran'
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
  SELECT state INTO v_state FROM takt.slot WHERE cluster = p_cluster AND token = v_token;
  IF v_state = 'claimed' THEN
    UPDATE takt.slot SET state = 'open' WHERE token = v_token;
  END IF;
  RETURN takt.answer(CASE WHEN v_state IN ('claimed', 'open') THEN 'done' ELSE 'superseded' END);
END
$fn$;
CREATE OR REPLACE FUNCTION takt.granted(p_token bigint, p_attempt integer) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'granted', 'token', p_token, 'attempt', p_attempt)
$fn$;

CREATE OR REPLACE FUNCTION takt.skipped(p_reason text) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'skipped', 'reason', p_reason)
$fn$;

CREATE OR REPLACE FUNCTION takt.claim(
  p_cluster text, p_member bigint, p_machine text, p_lease_left bigint, p_now bigint,
  p_request jsonb
) RETURNS jsonb LANGUAGE plpgsql AS $fn$
DECLARE
  v_name text := p_request->>'job';
  v_instant bigint := (p_request->>'slot')::bigint;
  v_former bigint := (p_request->>'earlier')::bigint;
  v_overlap text := p_request->>'overlap';
  v_group text := p_request->>'group';
  v_group_max bigint := (p_request->>'groupMax')::bigint;
  v_valid_until bigint := (p_request->>'validUntil')::bigint;
  v_job takt.job;
  v_slot takt.slot;
  v_is_new boolean;
  v_is_passed boolean;
  v_ahead bigint;
  v_refusal text;
  v_token bigint;
BEGIN
  SELECT * INTO v_job FROM takt.job WHERE cluster = p_cluster AND name = v_name;
  IF v_job.schedule IS NULL THEN RETURN takt.answer('drifted'); END IF;
  SELECT * INTO v_slot FROM takt.slot
    WHERE cluster = p_cluster AND job = v_name AND slot = v_instant;
  v_is_new := NOT FOUND;
  -- A grant whose answer was lost, whatever has become of the schedule since.
  IF v_slot.state = 'claimed' AND v_slot.member = p_member THEN
    RETURN takt.granted(v_slot.token, v_slot.attempt);
  END IF;
  IF v_job.schedule <> (p_request->>'schedule')::bigint THEN
    RETURN takt.answer('drifted');
  END IF;
  IF v_is_new THEN
    IF takt.is_known(p_cluster, v_name, v_instant) THEN RETURN takt.answer('taken'); END IF;
    IF v_job.rest IS NOT NULL AND (
      takt.is_unfinished(p_cluster, v_name) OR v_job.last_end IS NOT NULL
      AND takt.nanoseconds(v_instant) < takt.later(takt.nanoseconds(v_job.last_end), v_job.rest))
    THEN
      RETURN pg_catalog.jsonb_build_object('is', 'ended', 'at', v_job.last_end);
    END IF;
  ELSIF v_slot.state = 'claimed' THEN
    IF v_slot.member IS DISTINCT FROM v_former THEN RETURN takt.answer('taken'); END IF;
  ELSIF v_slot.state = 'decided' THEN
    IF v_slot.verdict = 'skipped' AND v_slot.member IN (p_member, v_former) THEN
      RETURN takt.skipped(v_slot.detail);
    END IF;
    RETURN takt.answer('taken');
  ELSIF p_now > v_slot.valid_until THEN
    RETURN takt.answer('taken');
  END IF;

  v_ahead := takt.later(takt.nanoseconds(v_instant), -p_now);
  IF v_ahead > 1000000 THEN
    RETURN pg_catalog.jsonb_build_object('is', 'early', 'ahead', v_ahead);
  END IF;

  v_is_passed := v_overlap = 'replace' AND EXISTS (
    SELECT FROM takt.slot
    WHERE cluster = p_cluster AND job = v_name AND state = 'claimed' AND slot > v_instant);
  IF v_is_passed AND v_slot.is_at_least_once AND NOT v_is_new THEN
    -- It may have run on the machine that was lost; a newer one has taken its place.
    UPDATE takt.slot SET state = 'decided', verdict = 'ran', outcome = 'interrupted',
      reason = 'lost', ended_at = p_now
    WHERE cluster = p_cluster AND job = v_name AND slot = v_instant;
    PERFORM takt.note_end(p_cluster, ARRAY[v_name], p_now);
    RETURN takt.answer('taken');
  END IF;
  IF v_job.is_suspended AND coalesce(v_job.suspended_until > p_now, true) THEN
    v_refusal := 'suspended';
  ELSIF v_is_passed THEN
    v_refusal := 'overlap';
  ELSIF v_is_new AND v_job.ran_count >= (p_request->>'limit')::bigint THEN
    v_refusal := 'limit';
  ELSIF v_is_new AND v_overlap = 'skip' AND takt.is_running(p_cluster, v_name, v_instant) THEN
    v_refusal := 'overlap';
  END IF;
  IF v_refusal IS NOT NULL THEN
    INSERT INTO takt.slot (cluster, job, slot, state, member, machine, valid_until, verdict,
      detail, ended_at)
    VALUES (p_cluster, v_name, v_instant, 'decided', p_member, p_machine, v_valid_until,
      'skipped', v_refusal, p_now)
    ON CONFLICT (cluster, job, slot) DO UPDATE SET
      state = 'decided', token = NULL, member = p_member, machine = p_machine,
      valid_until = v_valid_until, verdict = 'skipped', detail = v_refusal, ended_at = p_now;
    PERFORM takt.note_end(p_cluster, ARRAY[v_name], p_now);
    RETURN takt.skipped(v_refusal);
  END IF;

  IF v_group IS NOT NULL AND v_group_max <= (
    SELECT count(*) FROM takt.slot
    WHERE cluster = p_cluster AND slot_group = v_group AND state = 'claimed'
      AND NOT (job = v_name AND slot = v_instant))
  THEN
    RETURN takt.answer('busy');
  END IF;
  IF v_overlap <> 'allow' AND takt.is_running(p_cluster, v_name, v_instant) THEN
    IF v_overlap = 'replace' THEN
      UPDATE takt.slot SET is_replaced = true
      WHERE cluster = p_cluster AND job = v_name AND state = 'claimed' AND slot <> v_instant
        AND NOT is_replaced;
    END IF;
    RETURN takt.answer('busy');
  END IF;

  v_token := takt.numbered(pg_catalog.nextval('takt.token'));
  INSERT INTO takt.slot (cluster, job, slot, state, attempt, token, member, machine,
    is_at_least_once, overlap, slot_group, valid_until, claimed_at, claim_lease_left)
  VALUES (p_cluster, v_name, v_instant, 'claimed', 1, v_token, p_member, p_machine,
    (p_request->>'atLeastOnce')::boolean, v_overlap, v_group, v_valid_until, p_now,
    p_lease_left)
  ON CONFLICT (cluster, job, slot) DO UPDATE SET
    state = 'claimed', attempt = takt.slot.attempt + 1, token = excluded.token,
    member = excluded.member, machine = excluded.machine,
    is_at_least_once = excluded.is_at_least_once, is_replaced = false,
    overlap = excluded.overlap, slot_group = excluded.slot_group,
    valid_until = excluded.valid_until, claimed_at = excluded.claimed_at,
    claim_lease_left = excluded.claim_lease_left;
  IF v_is_new THEN
    UPDATE takt.job SET ran_count = ran_count + 1
    WHERE cluster = p_cluster AND name = v_name;
  END IF;
  RETURN takt.granted(v_token, coalesce(v_slot.attempt, 0) + 1);
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
RETURNS jsonb LANGUAGE sql AS $fn$
  SELECT pg_catalog.jsonb_build_object(
    'members', coalesce((
      SELECT pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
        'id', id, 'alive', lease_until > p_now, 'facts', pg_catalog.jsonb_build_object(
          'machine', machine, 'host', host, 'version', version, 'labels', labels,
          'lease', lease, 'grace', grace, 'clockOffset', clock_offset, 'api', api)) ORDER BY id)
      FROM takt.member WHERE cluster = p_cluster AND lost_after >= p_now), '[]'::jsonb),
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
      WHERE cluster = p_cluster AND state = 'claimed' AND member = p_member), '[]'::jsonb))
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
-- Plans are made once, mostly while the tables are small, and kept.
SET enable_seqscan = off AS $fn$
DECLARE
  c_version CONSTANT integer := 2;
  v_requests jsonb := p_batch->'requests';
  v_facts jsonb := p_batch->'facts';
  v_has_facts boolean := coalesce(jsonb_typeof(v_facts) = 'object', false);
  v_id bigint := (p_batch->>'member')::bigint;
  v_number bigint := (p_batch->>'number')::bigint;
  v_member takt.member;
  v_now bigint;
  v_until bigint;
  v_lease_left bigint;
  v_request jsonb;
  v_answers jsonb[] := '{}';
  v_reply jsonb;
BEGIN
  -- A client of another version decides by this what to do; nothing has been done.
  IF (p_batch->>'schema')::integer NOT BETWEEN 1 AND c_version THEN
    RETURN jsonb_build_object('schema', c_version);
  END IF;
  -- A batch that nobody waits for any more is not to wait for others.
  PERFORM set_config('lock_timeout', p_batch->>'wait', true);

  INSERT INTO takt.job (cluster, name)
    SELECT DISTINCT p_cluster, (r->>'job') COLLATE "C" FROM jsonb_array_elements(v_requests) r
    WHERE r->>'do' = 'declare' ORDER BY 2
    ON CONFLICT DO NOTHING;
  PERFORM FROM takt.job WHERE cluster = p_cluster AND name = ANY (ARRAY(
      SELECT r->>'job' FROM jsonb_array_elements(v_requests) r
      WHERE r ? 'job' AND r->>'do' <> 'ask'
      UNION ALL
      SELECT s.job FROM jsonb_array_elements(v_requests) r
      JOIN takt.slot s ON s.token = (r->>'token')::bigint AND s.cluster = p_cluster))
    ORDER BY name FOR UPDATE;
  INSERT INTO takt.group_lock (cluster, name)
    SELECT DISTINCT p_cluster, (r->>'group') COLLATE "C" FROM jsonb_array_elements(v_requests) r
    WHERE r->>'groupMax' IS NOT NULL AND r->>'group' IS NOT NULL ORDER BY 2
    ON CONFLICT DO NOTHING;
  PERFORM FROM takt.group_lock WHERE cluster = p_cluster AND name = ANY (ARRAY(
      SELECT r->>'group' FROM jsonb_array_elements(v_requests) r
      WHERE r->>'groupMax' IS NOT NULL))
    ORDER BY name FOR UPDATE;
  IF v_id IS NOT NULL THEN
    SELECT * INTO v_member FROM takt.member WHERE cluster = p_cluster AND id = v_id FOR UPDATE;
  END IF;

  -- Read once, when nothing is left to wait for.
  v_now := takt.now(p_cluster);
  v_reply := jsonb_build_object('member', NULL, 'wall', v_now);
  IF v_has_facts THEN PERFORM takt.settle(p_cluster, v_now); END IF;
  IF v_id IS NOT NULL THEN
    IF coalesce(v_member.lease_until <= v_now, true) THEN RETURN v_reply; END IF;
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
      clock_offset, joined_at, lease_until, lost_after, last_batch, api)
    VALUES (v_id, p_cluster, v_facts->>'machine', v_facts->>'host', v_facts->>'version',
      v_facts->'labels', (v_facts->>'lease')::bigint, (v_facts->>'grace')::bigint,
      (v_facts->>'clockOffset')::bigint, v_now, v_until,
      takt.later(v_until, (v_facts->>'grace')::bigint), v_number, v_facts->>'api')
    ON CONFLICT (id) DO UPDATE SET
      machine = excluded.machine, host = excluded.host, version = excluded.version,
      labels = excluded.labels, lease = excluded.lease, grace = excluded.grace,
      clock_offset = excluded.clock_offset, lease_until = excluded.lease_until,
      lost_after = excluded.lost_after, last_batch = excluded.last_batch,
      api = excluded.api
    RETURNING * INTO v_member;
  END IF;

  FOR v_request IN SELECT value FROM jsonb_array_elements(v_requests) LOOP
    v_answers := v_answers || CASE v_request->>'do'
      WHEN 'declare' THEN takt.declare(p_cluster, v_id, v_now, v_request)
      WHEN 'claim' THEN takt.claim(
        p_cluster, v_id, v_member.machine, v_lease_left, v_now, v_request)
      WHEN 'ask' THEN takt.ask(p_cluster, v_request)
      WHEN 'lastEnd' THEN takt.last_end(p_cluster, v_request)
      WHEN 'decide' THEN takt.decide(p_cluster, v_id, v_member.machine, v_now, v_request)
      WHEN 'ranUnclaimed' THEN
        takt.ran_unclaimed(p_cluster, v_id, v_member.machine, v_now, v_request)
      WHEN 'end' THEN takt.end_claim(p_cluster, v_now, v_request)
      WHEN 'giveBack' THEN takt.give_back(p_cluster, v_request)
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
CREATE OR REPLACE FUNCTION takt.audit(
  p_cluster text, p_job text, p_after bigint, p_max integer
) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $fn$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'now', takt.now(p_cluster),
    'forgottenUntil', (
      SELECT forgotten_until FROM takt.job WHERE cluster = p_cluster AND name = p_job),
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
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA takt FROM PUBLIC;
COMMIT;

-- The daemons' role needs these rights; --role NAME prints them for a role.
-- GRANT USAGE ON SCHEMA takt TO "NAME";
-- GRANT EXECUTE ON FUNCTION takt.batch(text, jsonb) TO "NAME";
-- GRANT EXECUTE ON FUNCTION takt.audit(text, text, bigint, integer) TO "NAME";
