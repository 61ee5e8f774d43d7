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
            + 2 - :takt_replaced_max):],
      changed_at = CASE WHEN v_old.schedule IS NOT NULL THEN p_now END,
      last_end = CASE WHEN rest IS NOT NULL AND p_request->>'rest' IS NOT NULL THEN last_end END,
      rest = (p_request->>'rest')::bigint, zones = v_zones, zone_data = v_zone_data,
      forgotten_until = CASE WHEN v_old.schedule IS NULL
        THEN (takt.later(p_now, -:takt_reach) - 1) / 1000000
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
