COMMENT ON COLUMN takt.slot.attempt IS
  'How many members have had the slot; 0 while it is open and waits for others that run.';
COMMENT ON COLUMN takt.member.lost_after IS
  'When others decide for it: after its lease and grace, or a lease after nobody was heard.';
INSERT INTO takt.version (number) VALUES (3) ON CONFLICT DO NOTHING;
