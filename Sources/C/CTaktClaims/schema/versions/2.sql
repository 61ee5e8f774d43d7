ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS rest bigint;
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS last_end bigint;
ALTER TABLE takt.job ADD COLUMN IF NOT EXISTS changed_at bigint;
COMMENT ON COLUMN takt.job.changed_at IS 'When the schedule took the place of another one.';
COMMENT ON COLUMN takt.job.rest IS
  'How long must lie between the end of a slot and the next one; null if the clock names them.';
COMMENT ON COLUMN takt.job.last_end IS
  'When the last slot of a job with a rest was decided, in milliseconds.';
ALTER TABLE takt.member ADD COLUMN IF NOT EXISTS api text;
COMMENT ON COLUMN takt.member.api IS 'Where other machines reach its API.';
INSERT INTO takt.version (number) VALUES (2) ON CONFLICT DO NOTHING;
