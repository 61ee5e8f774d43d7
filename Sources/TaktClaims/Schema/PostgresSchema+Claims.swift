/// A claim of one slot.
extension PostgresSchema {
  static let claims = """
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
      v_is_first boolean;
      v_must_wait boolean := false;
      v_is_passed boolean;
      v_ahead bigint;
      v_quiet_since bigint;
      v_refusal text;
      v_token bigint;
    BEGIN
      SELECT * INTO v_job FROM takt.job WHERE cluster = p_cluster AND name = v_name;
      IF v_job.schedule IS NULL THEN RETURN takt.answer('drifted'); END IF;
      SELECT * INTO v_slot FROM takt.slot
        WHERE cluster = p_cluster AND job = v_name AND slot = v_instant;
      v_is_new := NOT FOUND;
      -- One that waits nobody has had yet.
      v_is_first := v_is_new OR v_slot.state = 'open' AND v_slot.attempt = 0;
      -- A grant whose answer was lost, whatever has become of the schedule since.
      IF v_slot.state = 'claimed' AND v_slot.member = p_member THEN
        RETURN takt.granted(v_slot.token, v_slot.attempt);
      END IF;
      IF v_job.schedule <> (p_request->>'schedule')::bigint THEN
        RETURN takt.answer('drifted');
      END IF;
      v_quiet_since := takt.quiet_since(p_cluster, p_now);
      IF NOT EXISTS (
        SELECT FROM takt.holder WHERE cluster = p_cluster AND job = v_name AND member = p_member)
      THEN
        RETURN takt.answer(CASE WHEN v_quiet_since IS NULL THEN 'drifted' ELSE 'busy' END);
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

      IF v_quiet_since IS NOT NULL AND v_slot.state IS DISTINCT FROM 'claimed' AND (
        takt.nanoseconds(v_instant) <= v_quiet_since OR v_overlap <> 'allow' OR v_group IS NOT NULL)
      THEN
        RETURN takt.answer('busy');
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
      ELSIF v_is_first AND v_job.ran_count >= (p_request->>'limit')::bigint THEN
        v_refusal := 'limit';
      ELSIF v_is_first AND v_overlap = 'skip' AND takt.is_running(p_cluster, v_name, v_instant) THEN
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
        v_must_wait := true;
      ELSIF v_overlap <> 'allow' AND takt.is_running(p_cluster, v_name, v_instant) THEN
        IF v_overlap = 'replace' THEN
          UPDATE takt.slot SET is_replaced = true
          WHERE cluster = p_cluster AND job = v_name AND state = 'claimed' AND slot <> v_instant
            AND NOT is_replaced;
        END IF;
        v_must_wait := true;
      END IF;
      IF v_must_wait THEN
        IF v_overlap <> 'replace' THEN
          PERFORM takt.keep_waiting(p_cluster, p_member, p_now, p_request);
        END IF;
        RETURN takt.answer('busy');
      END IF;

      -- A batch that began with an earlier version brings none.
      v_token := coalesce((p_request->>'token')::bigint,
        takt.numbered(pg_catalog.nextval('takt.token')));
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
      IF v_is_first THEN
        UPDATE takt.job SET ran_count = ran_count + 1
        WHERE cluster = p_cluster AND name = v_name;
      END IF;
      RETURN takt.granted(v_token, coalesce(v_slot.attempt, 0) + 1);
    END
    $fn$;
    """
}
