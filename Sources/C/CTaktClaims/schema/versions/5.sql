CREATE TABLE IF NOT EXISTS takt.era (
  cluster text COLLATE "C" NOT NULL,
  timeline bigint NOT NULL,
  known_until bigint,
  since bigint,
  until bigint,
  at_most bigint,
  PRIMARY KEY (cluster, timeline)
);
COMMENT ON TABLE takt.era IS
  'The server''s timelines: what was known when one began, since when it is there, and until when machines may know of lost claims.';
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS replaced bigint[] NOT NULL DEFAULT '{}';
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS zones bigint;
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS zone_data text COLLATE "C";
COMMENT ON COLUMN takt.job.zones IS
  'What the zone data, of this version, make of the schedule; null where they do not matter.';
ALTER TABLE takt.member ADD COLUMN IF NOT EXISTS zone_data text;
COMMENT ON COLUMN takt.job.replaced IS 'Schedules that were in force before, the newest last.';
ALTER TABLE takt.clock ADD COLUMN IF NOT EXISTS timeline bigint;
INSERT INTO takt.version (number) VALUES (5) ON CONFLICT DO NOTHING;
