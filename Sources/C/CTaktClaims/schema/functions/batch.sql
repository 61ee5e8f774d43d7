CREATE OR REPLACE FUNCTION takt.batch(p_cluster text, p_batch jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- Plans are made once, mostly while the tables are small, and kept: from the first time on, as
-- planning takes longer than all else.
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $fn$
DECLARE
  c_version CONSTANT integer := :takt_version;
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
  IF (p_batch->>'schema')::integer NOT BETWEEN :takt_client_version_min AND c_version THEN
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
