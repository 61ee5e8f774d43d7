-- One installs at a time. Within a block, so that psql prints no row.
DO $do$ BEGIN PERFORM pg_catalog.pg_advisory_xact_lock(7811887461); END $do$;
