internal import GRDB
import TaktCore
import TaktTime

/// The entries that could not be taken while nothing could be written.
package struct LedgerLosses {
  /// Verdicts, by job.
  var slots: [JobName: RecordLoss] = [:]
  /// The newest checkpoints, which are kept all the same.
  var checkpoints: [JobName: JobCheckpoint] = [:]
  /// All other entries.
  var entryCount = 0

  package init() {}

  var isEmpty: Bool { slots.isEmpty && checkpoints.isEmpty && entryCount == 0 }

  mutating func add(_ record: VerdictRecord) {
    guard var loss = slots[record.job] else {
      slots[record.job] = RecordLoss(
        first: record.slots.first, last: record.slots.last, count: record.slots.count)
      return
    }
    loss.first = min(loss.first, record.slots.first)
    loss.last = max(loss.last, record.slots.last)
    loss.count += record.slots.count
    slots[record.job] = loss
  }

  mutating func merge(_ later: LedgerLosses) {
    checkpoints.merge(later.checkpoints) { $1 }
    entryCount += later.entryCount
    slots.merge(later.slots) { known, loss in
      RecordLoss(
        first: min(known.first, loss.first), last: max(known.last, loss.last),
        count: known.count + loss.count)
    }
  }
}

extension LedgerTransaction {
  /// An exact account of the losses.
  mutating func write(_ losses: LedgerLosses, reason: String, at now: WallInstant) throws {
    for (name, loss) in losses.slots {
      try db.execute(
        sql: """
          INSERT INTO losses (at, job, first, last, count, what, reason)
          VALUES (?, ?, ?, ?, ?, 'verdicts', ?)
          """,
        arguments: [
          now.milliseconds, try number(of: name), loss.first.milliseconds, loss.last.milliseconds,
          loss.count, reason,
        ])
    }
    if losses.entryCount > 0 {
      try db.execute(
        sql: "INSERT INTO losses (at, count, what, reason) VALUES (?, ?, 'entries of runs', ?)",
        arguments: [now.milliseconds, losses.entryCount, reason])
    }
  }
}

extension LedgerWriter {
  /// The ledger existed at the start and could not be read: its positions of jobs and runs are
  /// abandoned, and the slots between then and now have no verdicts.
  func abandonUnread(_ db: Database) throws {
    let reason = "the ledger could not be read at the start"
    let now = startedAt.milliseconds
    try db.execute(
      sql: """
        UPDATE runs SET outcome = coalesce(outcome, 'interrupted'),
          reason = coalesce(reason, 'down'), retry_at = NULL
        WHERE outcome IS NULL OR retry_at IS NOT NULL
        """)
    try db.execute(
      sql: """
        INSERT INTO losses (at, job, first, last, count, what, reason)
        SELECT ?, id, max(clock_mark, wall_mark), ?, 9000000000000000, 'verdicts', ?
        FROM jobs WHERE clock_mark IS NOT NULL
        """, arguments: [now, now, reason])
    // Slots that waited have no verdict either.
    try db.execute(
      sql: """
        INSERT INTO losses (at, job, first, last, count, what, reason)
        SELECT ?, job, slot, slot, 1, 'verdicts', ? FROM pending
        """, arguments: [now, reason])
    try db.execute(sql: "DELETE FROM pending")
  }
}
