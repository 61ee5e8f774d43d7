internal import GRDB
import TaktCore
import TaktTime

extension LedgerTransaction {
  mutating func write(_ run: RunID, _ change: LedgerBatch.Run) throws {
    if let head = change.head { try upsert(head, change) }
    guard let retry = change.retry else {
      if change.head == nil, let attempts = change.attempts {
        try execute("UPDATE runs SET attempts = ? WHERE run = ?") {
          $0.add(attempts)
          $0.add(Int64(run.number))
        }
      }
      return
    }
    // A new run has none to remove; a further attempt that is claimed may have one.
    if retry == nil, change.beganAt != nil { return }
    try execute(RunRows.retrySQL) {
      RunRows.bind(run, retry, attempts: change.attempts, to: &$0)
    }
  }

  private mutating func upsert(_ head: RunHead, _ change: LedgerBatch.Run) throws {
    let job = try number(of: head.job)
    try execute(RunRows.upsertSQL) { RunRows.bind(head, of: job, change, to: &$0) }
    guard let record = change.record, !record.totals.output.isEmpty else { return }
    let output = record.totals.output
    try execute(
      """
      INSERT OR REPLACE INTO outputs (run, at, head, tail, dropped, marks)
      VALUES (?, ?, ?, ?, ?, ?)
      """
    ) {
      $0.add(Int64(head.run.number))
      $0.add(record.endedAt.milliseconds)
      $0.add(output.head)
      $0.add(output.tail)
      $0.add(output.droppedBytes)
      $0.add(OutputMarkText.encode(output.marks))
    }
  }

  func write(_ parameters: ShownParameters, of run: RunID) throws {
    try execute("UPDATE runs SET parameters = ?, parameters_omitted = ? WHERE run = ?") {
      $0.add(ParametersText.encode(parameters.texts))
      $0.add(parameters.omittedCount > 0 ? parameters.omittedCount : nil)
      $0.add(Int64(run.number))
    }
  }

  func write(_ attempt: LedgerBatch.Attempt, _ facts: LedgerBatch.AttemptFacts) throws {
    try execute(RunRows.attemptSQL) { RunRows.bind(attempt, facts, daemon: daemon, to: &$0) }
  }

  /// Stores the output of an attempt, in place of the oldest attempts' output if its run has very
  /// many.
  func write(_ attempt: LedgerBatch.Attempt, _ output: KeptOutput, _ at: WallInstant) throws {
    let run = Int64(attempt.run.number)
    try execute(
      """
      INSERT OR REPLACE INTO attempt_outputs (run, attempt, at, head, tail, dropped, marks)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    ) {
      $0.add(run)
      $0.add(attempt.number)
      $0.add(at.milliseconds)
      $0.add(output.head)
      $0.add(output.tail)
      $0.add(output.droppedBytes)
      $0.add(OutputMarkText.encode(output.marks))
    }
    // The last attempt is one of them, and is kept elsewhere.
    let gone = attempt.number - StoredOutput.attemptsMax + 1
    guard gone > 0 else { return }
    try execute("DELETE FROM attempt_outputs WHERE run = ? AND attempt <= ?") {
      $0.add(run)
      $0.add(gone)
    }
  }

  /// The process of an attempt that started before this batch.
  func write(_ run: RunID, _ process: ProcessIdentity) throws {
    try execute(
      """
      UPDATE attempts SET pid = ?, ticks_from = ?, ticks_to = ?, mark = ?, cgroup = ?, daemon = ?
      WHERE run = ? AND attempt = (SELECT attempts FROM runs WHERE run = ?)
      """
    ) {
      $0.add(Int64(process.pid))
      $0.add(Int64(clamping: process.sinceTicks))
      $0.add(Int64(clamping: process.untilTicks))
      $0.add(process.knownMark)
      $0.add(process.controlGroup)
      $0.add(daemon)
      $0.add(Int64(run.number))
      $0.add(Int64(run.number))
    }
  }

  /// A process of a service plugin, for as long as it may exist.
  func writeService(_ number: UInt64, _ process: ProcessIdentity) throws {
    try execute(
      """
      INSERT OR REPLACE INTO services (daemon, number, pid, ticks_from, ticks_to, mark, cgroup)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    ) {
      $0.add(daemon)
      $0.add(Int64(clamping: number))
      $0.add(Int64(process.pid))
      $0.add(Int64(clamping: process.sinceTicks))
      $0.add(Int64(clamping: process.untilTicks))
      $0.add(process.knownMark)
      $0.add(process.controlGroup)
    }
  }

  func removeService(_ number: UInt64) throws {
    try execute("DELETE FROM services WHERE daemon = ? AND number = ?") {
      $0.add(daemon)
      $0.add(Int64(clamping: number))
    }
  }

  /// Records that the leftover processes of these daemons have been searched for.
  func settle(_ daemons: [Int64], at now: WallInstant) throws {
    for daemon in daemons {
      try execute("UPDATE daemons SET settled_at = ? WHERE id = ? AND settled_at IS NULL") {
        $0.add(now.milliseconds)
        $0.add(daemon)
      }
    }
  }
}
