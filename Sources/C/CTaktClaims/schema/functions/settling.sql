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
