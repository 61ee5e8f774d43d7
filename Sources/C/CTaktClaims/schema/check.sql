DO $do$
DECLARE
  found integer;
BEGIN
  IF pg_catalog.to_regprocedure('takt.batch(text, jsonb)') IS NOT NULL THEN
    EXECUTE 'SELECT pg_catalog.max(number) FROM takt.version' INTO found;
    IF found = :takt_version THEN
      RAISE EXCEPTION 'the schema takt is installed' USING ERRCODE = :'takt_installed_state';
    END IF;
  END IF;
END
$do$;
