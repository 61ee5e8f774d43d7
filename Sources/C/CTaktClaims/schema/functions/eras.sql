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
