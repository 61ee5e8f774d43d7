-- A server that has taken the place of another may have given out fewer numbers, and has a higher
-- timeline. Below 2 ^ 53 there is room for 8191 of them.
CREATE OR REPLACE FUNCTION takt.timeline() RETURNS bigint LANGUAGE sql VOLATILE AS $fn$
  SELECT ('x' || pg_catalog.left(
    pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 8))::bit(32)::bigint
$fn$;

CREATE OR REPLACE FUNCTION takt.numbered(p_next bigint) RETURNS bigint
LANGUAGE sql VOLATILE AS $fn$
  SELECT ((takt.timeline() - 1) << 40) + p_next
$fn$;

CREATE OR REPLACE FUNCTION takt.nanoseconds(p_milliseconds bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT greatest(
    least(p_milliseconds::numeric * 1000000, 9223372036854775807), -9223372036854775808)
    ::bigint
$fn$;

CREATE OR REPLACE FUNCTION takt.later(p_instant bigint, p_by bigint) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $fn$
  SELECT greatest(least(p_instant::numeric + p_by, 9223372036854775807), -9223372036854775808)
    ::bigint
$fn$;

CREATE OR REPLACE FUNCTION takt.is_known(p_cluster text, p_job text, p_slot bigint)
RETURNS boolean LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN EXISTS (
      SELECT FROM takt.slot WHERE cluster = p_cluster AND job = p_job AND slot = p_slot)
    OR EXISTS (
      SELECT FROM takt.series
      WHERE cluster = p_cluster AND job = p_job AND last >= p_slot AND first <= p_slot)
    OR EXISTS (
      SELECT FROM takt.job
      WHERE cluster = p_cluster AND name = p_job AND forgotten_until >= p_slot);
END
$fn$;

CREATE OR REPLACE FUNCTION takt.is_running(p_cluster text, p_job text, p_but bigint)
RETURNS boolean LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN EXISTS (
    SELECT FROM takt.slot
    WHERE cluster = p_cluster AND job = p_job AND state = 'claimed' AND slot <> p_but);
END
$fn$;

CREATE OR REPLACE FUNCTION takt.is_unfinished(p_cluster text, p_job text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $fn$
BEGIN
  RETURN EXISTS (
    SELECT FROM takt.slot WHERE cluster = p_cluster AND job = p_job AND state <> 'decided');
END
$fn$;

-- A slot has been decided: the next one of a job with a rest is counted from here.
CREATE OR REPLACE FUNCTION takt.note_end(p_cluster text, p_jobs text[], p_now bigint)
RETURNS void LANGUAGE plpgsql AS $fn$
BEGIN
  UPDATE takt.job SET last_end = pg_catalog.div(p_now::numeric, 1000000)::bigint
  WHERE cluster = p_cluster AND name = ANY (p_jobs) AND rest IS NOT NULL;
END
$fn$;

CREATE OR REPLACE FUNCTION takt.answer(p_answer text) RETURNS jsonb
LANGUAGE sql STABLE AS $fn$
  SELECT pg_catalog.jsonb_build_object('is', p_answer)
$fn$;
