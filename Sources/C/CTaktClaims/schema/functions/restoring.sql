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
