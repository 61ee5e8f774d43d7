-- An older takt takes nothing back.
DO $do$
DECLARE
  found integer := 0;
BEGIN
  IF pg_catalog.to_regnamespace('takt') IS NULL THEN
    CREATE SCHEMA takt;
  END IF;
  IF pg_catalog.to_regclass('takt.version') IS NOT NULL THEN
    EXECUTE 'SELECT pg_catalog.max(number) FROM takt.version' INTO found;
  END IF;
  IF found > :takt_version THEN
    RAISE EXCEPTION 'the schema takt has version %, which is newer than %', found, :takt_version;
  END IF;
  -- Each batch starts with this table: those at work come to their end, and none of the others
  -- has anything that the migrations wait for.
  IF pg_catalog.to_regclass('takt.job') IS NOT NULL THEN
    EXECUTE 'LOCK TABLE takt.job IN ACCESS EXCLUSIVE MODE';
  END IF;
END
$do$;
