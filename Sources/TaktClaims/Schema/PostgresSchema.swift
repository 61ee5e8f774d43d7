/// What takt needs in a database: tables and functions in the schema `takt`.
///
/// All of an engine's rules are in `takt.batch`, so that a batch is one statement and one
/// transaction, through a pooler too. Locks are taken in one order (jobs by name, groups by name,
/// the member) before anything is done, and what is wanted beyond them is skipped while others have
/// it: no two batches can wait for each other.
package enum PostgresSchema {
  /// The version that this takt installs and talks to.
  package static let version = 5

  /// The oldest version whose daemons may still claim slots: they know nothing of what was added
  /// since, and nothing else has changed for them.
  static let clientVersionMin = 1

  /// The oldest PostgreSQL that will do, as `PQserverVersion` says it.
  static let serverVersionMin = 120_000

  /// The statement that carries a batch: the cluster's name and the batch.
  static let statement = "SELECT takt.batch($1, $2)"

  /// All SQL to install the schema, or to bring an older one up to date, for a role that may create
  /// schemas in the database. May be run again.
  package static var sql: String {
    """
    -- The schema 'takt', version \(version): claims of slots by several machines.
    BEGIN;
    -- What is there already is no news.
    SET LOCAL client_min_messages = warning;
    \(script)
    COMMIT;

    """
  }

  /// The rights that a role needs to claim slots where another one has installed the schema.
  package static func grants(to role: String) -> String {
    let parts = role.split(separator: "\"", omittingEmptySubsequences: false)
    let name = "\"\(parts.joined(separator: "\"\""))\""
    return """
      GRANT USAGE ON SCHEMA takt TO \(name);
      GRANT EXECUTE ON FUNCTION takt.batch(text, jsonb) TO \(name);
      GRANT EXECUTE ON FUNCTION takt.audit(text, text, bigint, integer) TO \(name);

      """
  }

  /// The SQLSTATE of `installation` where another machine has been faster.
  static let installedState = "TK001"

  /// The statements for a machine that has found the schema missing or old, to be sent as one
  /// message, which is one transaction: nothing is changed where others work with it by now.
  static var installation: String { [lock, check, script].joined(separator: "\n") }

  private static var script: String {
    ([lock, guardText] + migrations + functions).joined(separator: "\n")
  }

  /// One installs at a time. Within a block, so that psql prints no row.
  private static let lock = """
    DO $do$ BEGIN PERFORM pg_catalog.pg_advisory_xact_lock(7811887461); END $do$;
    """

  private static let check = """
    DO $do$
    DECLARE
      found integer;
    BEGIN
      IF pg_catalog.to_regprocedure('takt.batch(text, jsonb)') IS NOT NULL THEN
        EXECUTE 'SELECT pg_catalog.max(number) FROM takt.version' INTO found;
        IF found = \(version) THEN
          RAISE EXCEPTION 'the schema takt is installed' USING ERRCODE = '\(installedState)';
        END IF;
      END IF;
    END
    $do$;
    """

  /// An older takt takes nothing back.
  private static let guardText = """
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
      IF found > \(version) THEN
        RAISE EXCEPTION 'the schema takt has version %, which is newer than \(version)', found;
      END IF;
      -- Each batch starts with this table: those at work come to their end, and none of the others
      -- has anything that the migrations wait for.
      IF pg_catalog.to_regclass('takt.job') IS NOT NULL THEN
        EXECUTE 'LOCK TABLE takt.job IN ACCESS EXCLUSIVE MODE';
      END IF;
    END
    $do$;
    """

  /// Append-only. Each may find its work done.
  private static let migrations = [
    """
    CREATE TABLE IF NOT EXISTS takt.version (
      number integer PRIMARY KEY,
      installed_at timestamptz NOT NULL DEFAULT pg_catalog.now()
    );
    CREATE SEQUENCE IF NOT EXISTS takt.member_id;
    -- It starts with the time in milliseconds: where the schema was dropped no fence comes again.
    DO $do$ BEGIN
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
    """,
    """
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
    """,
    """
    COMMENT ON COLUMN takt.slot.attempt IS
      'How many members have had the slot; 0 while it is open and waits for others that run.';
    COMMENT ON COLUMN takt.member.lost_after IS
      'When others decide for it: after its lease and grace, or a lease after nobody was heard.';
    INSERT INTO takt.version (number) VALUES (3) ON CONFLICT DO NOTHING;
    """,
    """
    -- Functions alone: claims of a wake in one statement.
    INSERT INTO takt.version (number) VALUES (4) ON CONFLICT DO NOTHING;
    """,
    """
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
    """,
  ]
}
