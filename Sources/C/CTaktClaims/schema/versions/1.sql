CREATE TABLE IF NOT EXISTS takt.version (
  number integer PRIMARY KEY,
  installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
);
-- Both start with the time in milliseconds: where the schema was dropped no member and no fence comes
-- again. Members count from 2025 on, as people read their numbers.
DO $do$ BEGIN
  EXECUTE pg_catalog.format(
    'CREATE SEQUENCE IF NOT EXISTS takt.member_id START %s',
    greatest(1, (1000 * pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()))::bigint
      - 1735689600000));
  EXECUTE pg_catalog.format(
    'CREATE SEQUENCE IF NOT EXISTS takt.token START %s',
    (1000 * pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()))::bigint);
END
$do$;
-- Instants are nanoseconds since 1970, slots milliseconds.
CREATE TABLE IF NOT EXISTS takt.member (
  id bigint PRIMARY KEY,
  cluster text COLLATE "C" NOT NULL,
  machine text NOT NULL,
  host text NOT NULL,
  version text NOT NULL,
  labels jsonb NOT NULL,
  lease bigint NOT NULL,
  grace bigint NOT NULL,
  clock_offset bigint NOT NULL,
  joined_at bigint NOT NULL,
  lease_until bigint NOT NULL,
  lost_after bigint NOT NULL,
  last_batch bigint NOT NULL
);
CREATE INDEX IF NOT EXISTS member_lost_after ON takt.member (cluster, lost_after);
CREATE TABLE IF NOT EXISTS takt.job (
  cluster text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  schedule bigint,
  ran_count bigint NOT NULL DEFAULT 0,
  is_suspended boolean NOT NULL DEFAULT false,
  suspended_since bigint,
  suspended_until bigint,
  suspended_reason text,
  forgotten_until bigint,
  PRIMARY KEY (cluster, name)
);
COMMENT ON COLUMN takt.job.schedule IS 'Null until a machine has declared the job.';
COMMENT ON COLUMN takt.job.forgotten_until IS
  'Decided slots up to this one have been deleted; those without a row count as decided.';
CREATE INDEX IF NOT EXISTS job_suspended ON takt.job (cluster) WHERE is_suspended;
CREATE TABLE IF NOT EXISTS takt.holder (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  member bigint NOT NULL,
  PRIMARY KEY (cluster, job, member)
);
COMMENT ON TABLE takt.holder IS 'The members that have the schedule in force of a job.';
CREATE INDEX IF NOT EXISTS holder_member ON takt.holder (member);
CREATE TABLE IF NOT EXISTS takt.slot (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('claimed', 'open', 'decided')),
  attempt integer NOT NULL DEFAULT 1,
  token bigint,
  member bigint,
  machine text,
  is_at_least_once boolean NOT NULL DEFAULT false,
  is_replaced boolean NOT NULL DEFAULT false,
  overlap text,
  slot_group text COLLATE "C",
  valid_until bigint NOT NULL,
  verdict text,
  detail text,
  outcome text,
  reason text,
  claimed_at bigint,
  claim_lease_left bigint,
  ended_at bigint,
  PRIMARY KEY (cluster, job, slot)
);
COMMENT ON COLUMN takt.slot.member IS
  'The member that claimed the slot last, ran it without a claim, or was refused it.';
COMMENT ON COLUMN takt.slot.ended_at IS 'When the slot was decided.';
CREATE UNIQUE INDEX IF NOT EXISTS slot_token ON takt.slot (token) WHERE token IS NOT NULL;
CREATE INDEX IF NOT EXISTS slot_unfinished ON takt.slot (cluster, job) WHERE state <> 'decided';
CREATE INDEX IF NOT EXISTS slot_by_group ON takt.slot (cluster, slot_group)
  WHERE state = 'claimed' AND slot_group IS NOT NULL;
CREATE INDEX IF NOT EXISTS slot_ended_at ON takt.slot (cluster, ended_at)
  WHERE state = 'decided';
CREATE TABLE IF NOT EXISTS takt.series (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  last bigint NOT NULL,
  first bigint NOT NULL,
  slots bigint NOT NULL,
  verdict text NOT NULL,
  detail text,
  member bigint,
  ended_at bigint NOT NULL,
  PRIMARY KEY (cluster, job, last, first)
);
CREATE INDEX IF NOT EXISTS series_ended_at ON takt.series (cluster, ended_at);
CREATE TABLE IF NOT EXISTS takt.group_lock (
  cluster text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (cluster, name)
);
COMMENT ON TABLE takt.group_lock IS 'A row to lock for each group of jobs.';
CREATE TABLE IF NOT EXISTS takt.doubled (
  cluster text COLLATE "C" NOT NULL,
  job text COLLATE "C" NOT NULL,
  slot bigint NOT NULL,
  member bigint NOT NULL,
  machine text,
  found_at bigint NOT NULL,
  PRIMARY KEY (cluster, job, slot, member)
);
COMMENT ON TABLE takt.doubled IS 'Runs without a claim of slots that others had.';
CREATE TABLE IF NOT EXISTS takt.clock (
  cluster text COLLATE "C" PRIMARY KEY,
  fixed bigint,
  ahead bigint NOT NULL DEFAULT 0
);
COMMENT ON TABLE takt.clock IS
  'For tests alone: a clock that stands at an instant, or is ahead.';
CREATE OR REPLACE VIEW takt.history AS
  SELECT cluster, job, pg_catalog.to_timestamp(slot / 1000.0) AS slot, state, verdict, detail,
    outcome, reason, machine, member, token, attempt,
    pg_catalog.to_timestamp(claimed_at / 1000000000.0) AS claimed_at,
    pg_catalog.to_timestamp(ended_at / 1000000000.0) AS ended_at
  FROM takt.slot;
INSERT INTO takt.version (number) VALUES (1) ON CONFLICT DO NOTHING;
