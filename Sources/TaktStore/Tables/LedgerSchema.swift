internal import GRDB
import TaktCore

/// The tables of the ledger. Migrations are only ever appended.
///
/// Slots and instants are milliseconds since the Unix epoch, durations microseconds.
enum LedgerSchema {
  static let migrator: DatabaseMigrator = {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 books") { try $0.execute(sql: firstTables) }
    // `immediate`: a reference that was damaged long ago is no reason to refuse the ledger.
    migrator.registerMigration("attempt outputs", foreignKeyChecks: .immediate) {
      try $0.execute(sql: attemptOutputs)
    }
    migrator.registerMigration("provenance of processes", foreignKeyChecks: .immediate) {
      try $0.execute(sql: provenance)
    }
    migrator.registerMigration("typed reasons", foreignKeyChecks: .immediate) {
      try $0.execute(sql: typedReasons)
      try splitReasons($0)
    }
    migrator.registerMigration("marks of outputs", foreignKeyChecks: .immediate) {
      try $0.execute(sql: outputMarks)
    }
    migrator.registerMigration("lateness of runs", foreignKeyChecks: .immediate) {
      try $0.execute(sql: lateness)
    }
    migrator.registerMigration("alarms of jobs", foreignKeyChecks: .immediate) {
      try $0.execute(sql: alarms)
    }
    migrator.registerMigration("resource use", foreignKeyChecks: .immediate) {
      try $0.execute(sql: resourceUse)
    }
    migrator.registerMigration("jobs that run once", foreignKeyChecks: .immediate) {
      try $0.execute(sql: once)
    }
    migrator.registerMigration("processes of services", foreignKeyChecks: .immediate) {
      try $0.execute(sql: services)
    }
    migrator.registerMigration("parameters of runs", foreignKeyChecks: .immediate) {
      try $0.execute(sql: parameters)
    }
    migrator.registerMigration("members of clusters", foreignKeyChecks: .immediate) {
      try $0.execute(sql: members)
    }
    migrator.registerMigration("slots that did not run", foreignKeyChecks: .immediate) {
      try $0.execute(sql: notRun)
    }
    migrator.registerMigration("runs without a claim", foreignKeyChecks: .immediate) {
      try $0.execute(sql: unreported)
    }
    return migrator
  }()

  /// The condition of the index of slots that did not run. Queries contain these words and more,
  /// since SQLite uses an index only then: another wording needs another index. Only a number is
  /// compared for a slot that ran: the gate's `ledger`.
  static let isIndexedAsNotRun = "run IS NULL AND detail IS NOT 'elsewhere'"

  private static let unreported = """
    -- Runs of shared slots without a claim that the cluster's engine has not confirmed. `member` is the
    -- newest membership that the engine may know them by; null if it knows of none. `daemon` is the
    -- daemon that wrote the row.
    CREATE TABLE unreported (
      job TEXT NOT NULL, slot INTEGER NOT NULL, member INTEGER, daemon INTEGER NOT NULL,
      PRIMARY KEY (job, slot)
    ) WITHOUT ROWID;
    """

  private static let notRun = """
    -- Most slots run, here or elsewhere, and are not in it. `first` and `job` are there so that a range
    -- and a job are found without the table.
    CREATE INDEX verdicts_not_run_by_time ON verdicts (last, first, job)
    WHERE \(isIndexedAsNotRun);
    """

  private static let members = """
    -- Which member of its cluster the daemon was last; null without a cluster.
    ALTER TABLE daemons ADD COLUMN member INTEGER;
    """

  private static let parameters = """
    -- What the trigger of a run set, with secrets masked: a JSON object of texts; null for
    -- nothing. `parameters_omitted` is how many more there were.
    ALTER TABLE runs ADD COLUMN parameters TEXT;
    ALTER TABLE runs ADD COLUMN parameters_omitted INTEGER;
    """

  private static let services = """
    -- Processes of service plugins that have not ended: `number` is the daemon's own for it, and the rest
    -- as in `attempts`.
    CREATE TABLE services (
      daemon INTEGER NOT NULL, number INTEGER NOT NULL, pid INTEGER NOT NULL,
      ticks_from INTEGER NOT NULL, ticks_to INTEGER NOT NULL, mark TEXT, cgroup TEXT,
      PRIMARY KEY (daemon, number)
    ) WITHOUT ROWID;
    """

  private static let once = """
    -- Jobs that run once, beside those of the jobs file: their keys as JSON, as in a jobs file.
    CREATE TABLE once (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, keys TEXT NOT NULL, due INTEGER NOT NULL);
    """

  private static let alarms = """
    -- When actions of hooks were called last, and how fresh the job is, as `JobAlarms` writes it; null
    -- for most jobs.
    ALTER TABLE jobs ADD COLUMN alarms TEXT;
    """

  private static let outputMarks = """
    -- When the bytes came and from which stream, as `OutputMarkText` writes it; null where no one knows.
    ALTER TABLE outputs ADD COLUMN marks BLOB;
    ALTER TABLE attempt_outputs ADD COLUMN marks BLOB;
    """

  private static let attemptOutputs = """
    -- What attempts have printed that another one followed. Of a run's last attempt it is in
    -- `outputs`.
    CREATE TABLE attempt_outputs (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL, attempt INTEGER NOT NULL, at INTEGER NOT NULL,
      head BLOB NOT NULL, tail BLOB NOT NULL, dropped INTEGER NOT NULL);
    CREATE UNIQUE INDEX attempt_outputs_by_run ON attempt_outputs (run, attempt);
    """

  private static let firstTables = """
    -- A job with all that outlives takt. Columns up to `ran` are null before its first mark.
    CREATE TABLE jobs (
      id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
      clock_label INTEGER, clock_ns INTEGER, anchor INTEGER, clock_mark INTEGER, wall_mark INTEGER,
      delayed INTEGER, ahead TEXT, streak INTEGER, ran INTEGER,
      suspended_at INTEGER, suspended_until INTEGER, suspend_reason TEXT,
      daemon INTEGER);

    -- A schedule and where it applied: behind `_from`, up to and with `_to`; null while it applies.
    CREATE TABLE schedules (
      id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, schedule TEXT NOT NULL,
      enabled INTEGER NOT NULL, anchor INTEGER NOT NULL, clock_from INTEGER NOT NULL,
      wall_from INTEGER NOT NULL, instants_from INTEGER, began_at INTEGER NOT NULL,
      clock_to INTEGER, wall_to INTEGER, ended_at INTEGER);
    CREATE INDEX schedules_by_job ON schedules (job, id);
    CREATE UNIQUE INDEX schedules_open ON schedules (job) WHERE ended_at IS NULL;

    -- One verdict on a slot, or on a series of slots without a gap.
    CREATE TABLE verdicts (
      id INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, first INTEGER NOT NULL,
      last INTEGER NOT NULL, count INTEGER NOT NULL, verdict TEXT NOT NULL, detail TEXT,
      run INTEGER, at INTEGER NOT NULL);
    CREATE INDEX verdicts_by_job ON verdicts (job, first);

    -- Slots behind their job's mark that have no verdict yet.
    CREATE TABLE pending (
      job INTEGER NOT NULL REFERENCES jobs, slot INTEGER NOT NULL, PRIMARY KEY (job, slot)
    ) WITHOUT ROWID;

    -- `began_at` is null for a run that never started, `outcome` for one that has not ended.
    CREATE TABLE runs (
      run INTEGER PRIMARY KEY, job INTEGER NOT NULL REFERENCES jobs, slot INTEGER NOT NULL,
      kind TEXT NOT NULL, delivery TEXT NOT NULL, hook TEXT, parent INTEGER, claimed_at INTEGER,
      began_at INTEGER, attempts INTEGER NOT NULL, outcome TEXT, reason TEXT, ended_at INTEGER,
      duration_us INTEGER, retry_at INTEGER, retry_attempt INTEGER, retry_outcome TEXT,
      retry_reason TEXT);
    CREATE INDEX runs_by_job ON runs (job, run);
    CREATE INDEX runs_open ON runs (run) WHERE outcome IS NULL OR retry_at IS NOT NULL;

    -- The process of an attempt was made between the two ticks, counted from the machine's start.
    CREATE TABLE attempts (
      run INTEGER NOT NULL, attempt INTEGER NOT NULL, began_at INTEGER, ended_at INTEGER,
      outcome TEXT, reason TEXT, pid INTEGER, ticks_from INTEGER, ticks_to INTEGER,
      PRIMARY KEY (run, attempt)
    ) WITHOUT ROWID;

    CREATE TABLE outputs (
      run INTEGER PRIMARY KEY, at INTEGER NOT NULL, head BLOB NOT NULL, tail BLOB NOT NULL,
      dropped INTEGER NOT NULL);

    -- Each life of takt. `seen_at` is when it wrote last; `down_at` is null when it was killed.
    CREATE TABLE daemons (
      id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, instance TEXT NOT NULL, boot TEXT NOT NULL,
      version TEXT NOT NULL, file TEXT NOT NULL, up_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
      down_at INTEGER);

    CREATE TABLE clock_steps (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, by_us INTEGER NOT NULL);

    -- `kept` is null for a reload that was refused.
    CREATE TABLE reloads (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, kept INTEGER, lines TEXT NOT NULL);

    -- What could not be kept: so many verdicts of a job between two slots, or other things.
    CREATE TABLE losses (
      id INTEGER PRIMARY KEY, at INTEGER NOT NULL, job INTEGER REFERENCES jobs, first INTEGER,
      last INTEGER, count INTEGER NOT NULL, what TEXT NOT NULL, reason TEXT NOT NULL);

    -- `horizon`: up to where verdicts have been given away; `runs_horizon`: up to which run.
    CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    """

  private static let provenance = """
    -- `mark` is the value of TAKT_ATTEMPT_ID of the attempt's processes, `cgroup` the path of the
    -- attempt's own control group, `daemon` the daemon that started the process.
    ALTER TABLE attempts ADD COLUMN mark TEXT;
    ALTER TABLE attempts ADD COLUMN cgroup TEXT;
    ALTER TABLE attempts ADD COLUMN daemon INTEGER;

    -- When the daemon's process started, in clock ticks since the machine did; the namespace of its
    -- process numbers; the state folder that it used; when its leftover processes were searched for.
    ALTER TABLE daemons ADD COLUMN start_ticks INTEGER;
    ALTER TABLE daemons ADD COLUMN pid_space TEXT;
    ALTER TABLE daemons ADD COLUMN folder_device INTEGER;
    ALTER TABLE daemons ADD COLUMN folder_inode INTEGER;
    ALTER TABLE daemons ADD COLUMN settled_at INTEGER;
    """

  private static let typedReasons = """
    -- Why a run or an attempt ended: `reason` is a word of takt's own such as `exit`, `reason_number`
    -- the status, signal, error or count that belongs to it, `reason_text` a stage such as `cwd` or the
    -- words of a built-in or a plugin.
    ALTER TABLE runs ADD COLUMN reason_number INTEGER;
    ALTER TABLE runs ADD COLUMN reason_text TEXT;
    ALTER TABLE runs ADD COLUMN retry_reason_number INTEGER;
    ALTER TABLE runs ADD COLUMN retry_reason_text TEXT;
    ALTER TABLE attempts ADD COLUMN reason_number INTEGER;
    ALTER TABLE attempts ADD COLUMN reason_text TEXT;
    """

  private static let lateness = """
    -- How long after its slot was due a run started; null for a run of no slot.
    ALTER TABLE runs ADD COLUMN late_us INTEGER;
    """

  private static let resourceUse = """
    -- What processes have used, of a run or of one attempt; null without any. A JSON array: user and
    -- system time in microseconds, peak memory in bytes (null if unknown), bytes read and written,
    -- voluntary and involuntary context switches.
    ALTER TABLE runs ADD COLUMN used TEXT;
    ALTER TABLE attempts ADD COLUMN used TEXT;
    """

  /// Splits the single text of earlier versions: `exit(1)`.
  static func splitReasons(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TEMP TABLE reasons (outcome TEXT, text TEXT, code TEXT, number INTEGER, subject TEXT,
          PRIMARY KEY (outcome, text)) WITHOUT ROWID
        """)
    for (table, prefix) in [("runs", ""), ("runs", "retry_"), ("attempts", "")] {
      let (outcome, reason) = ("\(prefix)outcome", "\(prefix)reason")
      let texts = try Row.fetchAll(
        db, sql: "SELECT DISTINCT \(outcome) AS outcome, \(reason) AS reason FROM \(table)")
      for row in texts {
        guard let name = try? row.text("outcome"), let outcome = Outcome(rawValue: name),
          let text = try? row.text("reason")
        else { continue }
        let parts = RunReason(text: text, of: outcome).parts
        try db.execute(
          sql: "INSERT OR IGNORE INTO reasons VALUES (?, ?, ?, ?, ?)",
          arguments: [name, text, parts.code.rawValue, parts.number, parts.text])
      }
      try db.execute(
        sql: """
          UPDATE \(table) SET (\(reason), \(reason)_number, \(reason)_text) = (
            SELECT code, number, subject FROM reasons
            WHERE reasons.outcome = \(table).\(outcome) AND text = \(table).\(reason))
          WHERE (\(outcome), \(reason)) IN (SELECT outcome, text FROM reasons)
          """)
    }
    try db.execute(sql: "DROP TABLE reasons")
  }
}
