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
