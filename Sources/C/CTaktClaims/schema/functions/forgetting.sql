CREATE OR REPLACE FUNCTION takt.forget(p_cluster text, p_now bigint) RETURNS void
LANGUAGE plpgsql AS $fn$
DECLARE
  v_before bigint := takt.later(p_now, -:takt_kept);
  v_jobs text[];
BEGIN
  v_jobs := ARRAY(
    SELECT DISTINCT job FROM (
      (SELECT job FROM takt.slot
        WHERE cluster = p_cluster AND state = 'decided' AND ended_at < v_before
        ORDER BY ended_at LIMIT :takt_deleted_max)
      UNION ALL
      (SELECT job FROM takt.series WHERE cluster = p_cluster AND ended_at < v_before
        ORDER BY ended_at LIMIT :takt_deleted_max)) AS old);
  IF v_jobs = '{}' THEN RETURN; END IF;
  v_jobs := ARRAY(
    SELECT name FROM takt.job WHERE cluster = p_cluster AND name = ANY (v_jobs)
    ORDER BY name FOR UPDATE SKIP LOCKED);
  WITH old_slot AS (
    DELETE FROM takt.slot s WHERE s.cluster = p_cluster AND (s.job, s.slot) IN (
      SELECT job, slot FROM takt.slot
      WHERE cluster = p_cluster AND state = 'decided' AND ended_at < v_before
        AND job = ANY (v_jobs)
      ORDER BY ended_at LIMIT :takt_deleted_max)
    RETURNING s.job, s.slot AS last
  ), old_series AS (
    DELETE FROM takt.series s WHERE s.cluster = p_cluster AND (s.job, s.last, s.first) IN (
      SELECT job, last, first FROM takt.series
      WHERE cluster = p_cluster AND ended_at < v_before AND job = ANY (v_jobs)
      ORDER BY ended_at LIMIT :takt_deleted_max)
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
