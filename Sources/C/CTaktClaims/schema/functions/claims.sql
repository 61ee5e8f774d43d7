CREATE OR REPLACE FUNCTION takt.granted(p_token bigint, p_attempt integer) RETURNS jsonb
LANGUAGE sql STABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'granted', 'token', p_token, 'attempt', p_attempt)
$fn$;

CREATE OR REPLACE FUNCTION takt.skipped(p_reason text) RETURNS jsonb
LANGUAGE sql STABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', 'skipped', 'reason', p_reason)
$fn$;

-- What the rules ask of an `overlap`: a request says its answers, so that a policy is known to no rule
-- by its name. Earlier machines say the name alone.
CREATE OR REPLACE FUNCTION takt.does(p_request jsonb, p_what text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT CASE
    WHEN p_request ? 'does' THEN p_request->'does' ? p_what
    ELSE CASE p_request->>'overlap'
      WHEN 'skip' THEN p_what IN ('refuses', 'keepsWaiting')
      WHEN 'replace' THEN p_what IN ('stops', 'givesWay')
      WHEN 'allow' THEN p_what IN ('mayMeet', 'keepsWaiting')
      ELSE p_what = 'keepsWaiting' END END
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
      NOT takt.does(q.r, 'mayMeet') AND (
        SELECT true FROM takt.slot
        WHERE cluster = p_cluster AND job = q.job AND state = 'claimed' AND slot <> q.slot
        LIMIT 1) IS TRUE AS is_running,
      takt.does(q.r, 'givesWay') AND (
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
        takt.nanoseconds(slot) <= p_quiet_since OR NOT takt.does(r, 'mayMeet')
        OR slot_group IS NOT NULL) THEN 'busy'
      WHEN is_at_least_once AND is_passed THEN 'interrupted'
      WHEN is_suspended THEN 'suspended'
      WHEN is_passed THEN 'overlap'
      WHEN is_first AND ran_count >= (r->>'limit')::bigint THEN 'limit'
      WHEN is_first AND is_running AND takt.does(r, 'refuses') THEN 'overlap'
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
      IF takt.does(p_request, 'keepsWaiting') THEN
        PERFORM takt.keep_waiting(p_cluster, p_member, p_now, p_request);
      END IF;
      IF v_is = 'running' AND takt.does(p_request, 'stops') THEN
        UPDATE takt.slot SET is_replaced = true
        WHERE cluster = p_cluster AND job = v_job AND state = 'claimed' AND slot <> v_slot
          AND NOT is_replaced;
      END IF;
      RETURN takt.answer('busy');
    ELSE RETURN p_answer;
  END CASE;
END
$fn$;
