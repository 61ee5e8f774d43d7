-- What is called for each claim is plpgsql, which keeps its plans, or is short enough to be inlined:
-- another function in SQL is planned at each call, which takes longer than what it does.
CREATE OR REPLACE FUNCTION takt.now(p_cluster text) RETURNS bigint
LANGUAGE plpgsql VOLATILE AS $fn$
BEGIN
  RETURN coalesce(
    (SELECT fixed FROM takt.clock WHERE cluster = p_cluster),
    (extract(epoch FROM pg_catalog.clock_timestamp()) * 1000000)::bigint * 1000
  ) + coalesce((SELECT ahead FROM takt.clock WHERE cluster = p_cluster), 0);
END
$fn$;
