import TaktCore

/// Checks slots against `only_if`, by the ledger's entries alone: no slot runs without a yes, and
/// none is skipped without a no.
///
/// A job that has a condition has it from the start, and a reload never removes it.
struct ConditionOracle {
  private struct State {
    var yes: [JobName: Int] = [:]
    var ran: [JobName: Int] = [:]
  }

  private var watched: Set<JobName> = []
  private var state = State()
  /// The state that the ledger has written: a crash goes back to it.
  private var kept = State()
  private(set) var problems: [String] = []
  private(set) var skippedCount = 0

  /// Jobs are in force from the next turn on.
  mutating func apply(_ jobs: [JobSpec]) {
    for job in jobs where job.policies.onlyIf != nil { watched.insert(job.name) }
  }

  /// Takes the entries of one turn.
  mutating func observe(_ entries: [LedgerEntry]) {
    var no: Set<JobName> = []
    for entry in entries {
      switch entry {
      case .ended(let record) where record.head.hook == .onlyIf:
        if record.end.outcome == .succeeded {
          state.yes[record.head.job, default: 0] += 1
        } else {
          no.insert(record.head.job)
        }
      case .verdict(let record) where watched.contains(record.job): check(record, no)
      default: break
      }
    }
  }

  private mutating func check(_ record: VerdictRecord, _ no: Set<JobName>) {
    switch record.verdict {
    case .ran:
      state.ran[record.job, default: 0] += 1
      if state.ran[record.job, default: 0] > state.yes[record.job, default: 0] {
        problems.append("\(record.job): \(record.slots) ran although its condition did not hold")
      }
    case .skipped(.condition):
      skippedCount += 1
      if !no.contains(record.job) {
        problems.append("\(record.job): \(record.slots) was skipped without a no")
      }
    case .skipped, .coalesced, .missed, .cancelled: break
    }
  }

  mutating func wrote() { kept = state }

  mutating func crashed() { state = kept }
}
