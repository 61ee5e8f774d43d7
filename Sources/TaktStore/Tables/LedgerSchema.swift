internal import GRDB
import TaktCore
import TaktTime

/// The tables of the ledger. Migrations are only ever appended.
///
/// Slots and moments are milliseconds since the Unix epoch, durations microseconds.
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
    return migrator
  }()

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

  /// Takes apart what earlier versions kept in one text: `exit(1)`.
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

/// How runs and attempts stand in their tables: what is written, and what is read.
enum RunRows {
  /// A run that begins, ends, or both.
  static let upsertSQL: StaticString = """
    INSERT INTO runs (run, job, slot, kind, delivery, hook, parent, claimed_at, began_at, attempts,
      outcome, reason, reason_number, reason_text, ended_at, duration_us, late_us, used)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (run) DO UPDATE SET
      claimed_at = coalesce(excluded.claimed_at, claimed_at),
      began_at = coalesce(began_at, excluded.began_at),
      attempts = max(attempts, excluded.attempts),
      outcome = excluded.outcome, reason = excluded.reason,
      reason_number = excluded.reason_number, reason_text = excluded.reason_text,
      ended_at = excluded.ended_at, duration_us = excluded.duration_us,
      late_us = coalesce(excluded.late_us, late_us), used = excluded.used
    """

  static func bind(
    _ head: RunHead, of job: Int64, _ change: LedgerBatch.Run, to values: inout BoundValues
  ) {
    values.add(Int64(head.run.number))
    values.add(job)
    values.add(head.slot.milliseconds)
    values.add(head.kind.rawValue)
    values.add(head.delivery.rawValue)
    values.add(head.hook?.rawValue)
    values.add(head.parent.map { Int64($0.number) })
    values.add(change.claimedAt?.milliseconds)
    values.add(change.beganAt?.milliseconds)
    values.add(change.attempts ?? 0)
    let record = change.record
    values.add(record?.end.outcome.rawValue)
    bind(record?.end.reason, to: &values)
    values.add(record?.endedAt.milliseconds)
    values.add(record?.duration.microseconds)
    values.add(change.lateness?.microseconds)
    values.add(record?.totals.use?.value.run.text)
  }

  /// Where a run goes on, if it does.
  static let retrySQL: StaticString = """
    UPDATE runs SET retry_at = ?, retry_attempt = ?, retry_outcome = ?, retry_reason = ?,
      retry_reason_number = ?, retry_reason_text = ?, attempts = coalesce(?, attempts)
    WHERE run = ?
    """

  static func bind(
    _ run: RunID, _ retry: RetryPosition?, attempts: Int?, to values: inout BoundValues
  ) {
    values.add(retry?.until.milliseconds)
    values.add(retry?.attempt)
    values.add(retry?.end.outcome.rawValue)
    bind(retry?.end.reason, to: &values)
    values.add(attempts)
    values.add(Int64(run.number))
  }

  /// An attempt as far as it is known now.
  static let attemptSQL: StaticString = """
    INSERT INTO attempts (run, attempt, began_at, ended_at, outcome, reason, reason_number,
      reason_text, pid, ticks_from, ticks_to, mark, cgroup, daemon, used)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (run, attempt) DO UPDATE SET
      began_at = coalesce(began_at, excluded.began_at),
      ended_at = coalesce(excluded.ended_at, ended_at),
      outcome = coalesce(excluded.outcome, outcome),
      reason = coalesce(excluded.reason, reason),
      reason_number = iif(excluded.reason IS NULL, reason_number, excluded.reason_number),
      reason_text = iif(excluded.reason IS NULL, reason_text, excluded.reason_text),
      pid = coalesce(excluded.pid, pid),
      ticks_from = coalesce(excluded.ticks_from, ticks_from),
      ticks_to = coalesce(excluded.ticks_to, ticks_to),
      mark = coalesce(excluded.mark, mark), cgroup = coalesce(excluded.cgroup, cgroup),
      daemon = coalesce(excluded.daemon, daemon), used = coalesce(excluded.used, used)
    """

  static func bind(
    _ attempt: LedgerBatch.Attempt, _ facts: LedgerBatch.AttemptFacts, daemon: Int64,
    to values: inout BoundValues
  ) {
    values.add(Int64(attempt.run.number))
    values.add(attempt.number)
    values.add(facts.beganAt?.milliseconds)
    values.add(facts.endedAt?.milliseconds)
    values.add(facts.end?.outcome.rawValue)
    bind(facts.end?.reason, to: &values)
    let process = facts.process
    values.add(process.map { Int64($0.pid) })
    values.add(process.map { Int64(clamping: $0.sinceTicks) })
    values.add(process.map { Int64(clamping: $0.untilTicks) })
    values.add(process?.knownMark)
    values.add(process?.controlGroup)
    values.add(process == nil ? nil : daemon)
    values.add(facts.use?.value.text)
  }

  /// The code, number and text of a reason: three columns.
  private static func bind(_ reason: RunReason?, to values: inout BoundValues) {
    let parts = reason?.parts
    values.add(parts?.code.rawValue)
    values.add(parts?.number)
    values.add(parts?.text)
  }

  /// Runs with the names of their jobs.
  static let selectSQL =
    "SELECT runs.*, jobs.name AS name FROM runs JOIN jobs ON jobs.id = runs.job"
}

extension Row {
  /// The head of a run in a row of `RunRows.selectSQL`.
  func head() throws -> RunHead {
    RunHead(
      run: try run("run"), job: try value("name", JobName.init), slot: try instant("slot"),
      kind: try value("kind", RunHead.Kind.init), delivery: try value("delivery", Delivery.init),
      hook: try value(ifAny: "hook", HookKind.init), parent: try run(ifAny: "parent"))
  }

  /// Null, too, in a ledger that no daemon of this version has opened.
  private func parameters() throws -> Shared<ShownParameters>? {
    guard hasColumn("parameters"),
      let texts = try value(ifAny: "parameters", ParametersText.decode)
    else { return nil }
    let omitted = try integer(ifAny: "parameters_omitted") ?? 0
    return Shared(ShownParameters(kept: texts, omittedCount: Int(clamping: omitted)))
  }

  /// How a run or an attempt ended; nil when it has not.
  ///
  /// - Parameter prefix: stands before the names of the columns.
  func end(_ prefix: String = "") throws -> RunEnd? {
    guard let outcome = try value(ifAny: prefix + "outcome", Outcome.init) else { return nil }
    let reason = prefix + "reason"
    // A ledger that no daemon of this version has opened has the text alone.
    guard hasColumn(reason + "_number") else {
      return RunEnd(outcome, RunReason(text: try text(ifAny: reason) ?? "", of: outcome))
    }
    let number = try integer(ifAny: reason + "_number")
    let text = try self.text(ifAny: reason + "_text")
    return RunEnd(
      outcome,
      try value(reason) { name in
        RunReason.Code(rawValue: name).flatMap { RunReason(.init($0, number: number, text: text)) }
      })
  }

  func storedRun() throws -> StoredRun {
    StoredRun(
      try head(), beganAt: try instant(ifAny: "began_at"), endedAt: try instant(ifAny: "ended_at"),
      // Zero where nobody saw the end, or where there was no start.
      duration: try integer(ifAny: "duration_us").flatMap { $0 == 0 ? nil : .microseconds($0) },
      attempts: try count("attempts"), end: try end(), use: try use(),
      parameters: try parameters())
  }

  /// Null, too, in a ledger that no daemon of this version has opened.
  private func use() throws -> ResourceUse? {
    guard hasColumn("used") else { return nil }
    return try value(ifAny: "used", ResourceUse.init(text:))
  }

  func previousRun() throws -> PreviousRun {
    let head = try head()
    return PreviousRun(
      head, isUndecided: try instant(ifAny: "began_at") == nil && head.kind == .slot,
      attempts: try count("attempts"), retry: try retry(),
      isEnded: try text(ifAny: "outcome") != nil)
  }

  private func retry() throws -> RetryPosition? {
    guard let until = try instant(ifAny: "retry_at"), let end = try end("retry_") else {
      return nil
    }
    return RetryPosition(attempt: try count("retry_attempt"), until: until, end: end)
  }
}

extension ProcessIdentity {
  /// The mark; nil for none.
  var knownMark: String? { mark.isEmpty ? nil : mark }
}

extension Duration {
  /// Whole microseconds, rounded towards zero; saturates.
  var microseconds: Int64 { nanosecondsSaturated / 1000 }
}
