internal import GRDB
import TaktCore
import TaktTime

/// The rows of runs and attempts, as written and as read.
enum RunRows {
  /// A run that starts, ends, or both.
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

  /// The next attempt of a run, if there is one.
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

  /// Runs that a previous daemon left unfinished, with the start of the first attempt: for a run
  /// that continues others, theirs, back to the one that made attempt 1.
  static let unfinishedSQL = """
    SELECT runs.*, jobs.name AS name, (
      WITH RECURSIVE chain (run, parent, began_at) AS (
        VALUES (runs.run, runs.parent, runs.began_at)
        UNION SELECT earlier.run, earlier.parent, earlier.began_at
        FROM chain JOIN runs AS earlier ON earlier.run = chain.parent
        WHERE NOT EXISTS (
          SELECT 1 FROM attempts WHERE attempts.run = chain.run AND attempts.attempt = 1))
      SELECT began_at FROM chain WHERE began_at IS NOT NULL ORDER BY run LIMIT 1) AS first_start
    FROM runs JOIN jobs ON jobs.id = runs.job
    WHERE outcome IS NULL OR retry_at IS NOT NULL ORDER BY run
    """
}

extension Row {
  /// Reads a row of `RunRows.selectSQL`.
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

  /// Nil for a run or an attempt that has not ended.
  ///
  /// - Parameter prefix: of the names of the columns.
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
      // Zero if nobody saw the end, or if there was no start.
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
      isEnded: try text(ifAny: "outcome") != nil,
      firstStart: try instant(ifAny: "first_start"))
  }

  private func retry() throws -> RetryPosition? {
    guard let until = try instant(ifAny: "retry_at"), let end = try end("retry_") else {
      return nil
    }
    return RetryPosition(attempt: try count("retry_attempt"), until: until, end: end)
  }
}

extension ProcessIdentity {
  var knownMark: String? { mark.isEmpty ? nil : mark }
}

extension Duration {
  /// Whole microseconds, rounded towards zero; saturates.
  var microseconds: Int64 { nanosecondsSaturated / 1000 }
}
