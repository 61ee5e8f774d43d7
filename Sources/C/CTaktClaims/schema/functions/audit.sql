-- What is known of a job's slots after one of them, for those who check; it changes nothing.
CREATE OR REPLACE FUNCTION takt.audit(
  p_cluster text, p_job text, p_after bigint, p_max integer
) RETURNS jsonb LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $fn$
  SELECT jsonb_strip_nulls(jsonb_build_object(
    'now', takt.now(p_cluster),
    'forgottenUntil', (
      SELECT forgotten_until FROM takt.job WHERE cluster = p_cluster AND name = p_job),
    'lost', coalesce((
      SELECT jsonb_agg(jsonb_build_object('from', known_until, 'until', since) ORDER BY since)
      FROM takt.era WHERE cluster = p_cluster AND since IS NOT NULL), '[]'::jsonb),
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
