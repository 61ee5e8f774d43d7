import TaktTime

/// Runs of backfills that have succeeded lately: a repeated backfill does not run the same slots
/// again before the ledger shows that they have run.
struct RecentBackfills: Sendable {
  private struct Entry: Sendable {
    var job: JobID
    var slot: WallInstant
    var run: RunID
  }

  /// More than can end while the ledger writes.
  private static let countMax = 1024

  private var entries: [Entry] = []
  /// The place of the oldest, which is replaced next.
  private var next = 0

  mutating func add(_ run: RunID, of job: JobID, slot: WallInstant) {
    let entry = Entry(job: job, slot: slot, run: run)
    if entries.count < Self.countMax {
      entries.append(entry)
    } else {
      entries[next] = entry
      next = (next + 1) % Self.countMax
    }
  }

  func run(of job: JobID, for slot: WallInstant) -> RunID? {
    entries.last { $0.job == job && $0.slot == slot }?.run
  }

  /// A job's number may be another's from now on.
  mutating func forget(_ job: JobID) {
    guard !entries.isEmpty else { return }
    entries.removeAll { $0.job == job }
    next = 0
  }
}
