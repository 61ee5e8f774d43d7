import TaktCore

/// Checks the promises of backfills, by the ledger's entries alone: none decides a slot, and none
/// is restored by a later daemon.
struct BackfillOracle {
  private var backfills: Set<RunID> = []
  private(set) var problems: [String] = []
  private(set) var endedCount = 0

  func has(_ run: RunID) -> Bool { backfills.contains(run) }

  mutating func observe(_ entries: [LedgerEntry]) {
    for entry in entries {
      switch entry {
      case .began(let run) where run.head.kind == .backfill: backfills.insert(run.head.run)
      case .began(let run):
        // After a crash, the number may be used again.
        backfills.remove(run.head.run)
        if run.head.kind == .resumed, let parent = run.head.parent, backfills.contains(parent) {
          problems.append("\(run.head.job): run \(run.head.run) continues a backfill")
        }
      case .ended(let record) where record.head.kind == .backfill: endedCount += 1
      case .ended(let record):
        if record.head.kind == .hook, let parent = record.head.parent, backfills.contains(parent) {
          problems.append("\(record.head.job): a hook follows a backfill")
        }
      case .verdict(let record):
        if let run = record.run, backfills.contains(run) {
          problems.append("\(record.job): \(record.slots) was decided by a backfill")
        }
      default: break
      }
    }
  }
}
