/// What becomes of slots whose machine is lost, what a machine hears, and what is forgotten.
extension PostgresSchema {
  /// How long decided slots are kept.
  private static let keptNanoseconds: Int64 = 30 * 86_400 * 1_000_000_000
  /// How many rows one batch deletes at most.
  private static let deletedMax = 200

  static let settling = """
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
    """

  static let news = """
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
    """

  static let forgetting = """
    CREATE OR REPLACE FUNCTION takt.forget(p_cluster text, p_now bigint) RETURNS void
    LANGUAGE plpgsql AS $fn$
    DECLARE
      v_before bigint := takt.later(p_now, -\(keptNanoseconds));
      v_jobs text[];
    BEGIN
      v_jobs := ARRAY(
        SELECT DISTINCT job FROM (
          (SELECT job FROM takt.slot
            WHERE cluster = p_cluster AND state = 'decided' AND ended_at < v_before
            ORDER BY ended_at LIMIT \(deletedMax))
          UNION ALL
          (SELECT job FROM takt.series WHERE cluster = p_cluster AND ended_at < v_before
            ORDER BY ended_at LIMIT \(deletedMax))) AS old);
      IF v_jobs = '{}' THEN RETURN; END IF;
      v_jobs := ARRAY(
        SELECT name FROM takt.job WHERE cluster = p_cluster AND name = ANY (v_jobs)
        ORDER BY name FOR UPDATE SKIP LOCKED);
      WITH old_slot AS (
        DELETE FROM takt.slot s WHERE s.cluster = p_cluster AND (s.job, s.slot) IN (
          SELECT job, slot FROM takt.slot
          WHERE cluster = p_cluster AND state = 'decided' AND ended_at < v_before
            AND job = ANY (v_jobs)
          ORDER BY ended_at LIMIT \(deletedMax))
        RETURNING s.job, s.slot AS last
      ), old_series AS (
        DELETE FROM takt.series s WHERE s.cluster = p_cluster AND (s.job, s.last, s.first) IN (
          SELECT job, last, first FROM takt.series
          WHERE cluster = p_cluster AND ended_at < v_before AND job = ANY (v_jobs)
          ORDER BY ended_at LIMIT \(deletedMax))
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
    """
}
