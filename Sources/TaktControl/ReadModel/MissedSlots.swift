import DequeModule
import TaktCore
import TaktTime

/// The slots that were missed last, within a bound.
struct MissedSlots {
  private static let recordsMax = 2_000

  private var records: Deque<VerdictRecord> = []
  /// When the newest of those was decided that there was no room for.
  private var droppedAt: WallInstant?

  mutating func add(_ record: VerdictRecord) {
    guard case .missed = record.verdict else { return }
    if records.count == Self.recordsMax { droppedAt = records.removeFirst().at }
    records.append(record)
  }

  /// Takes a verdict that was given before those that are known; the newest first.
  mutating func addOlder(_ record: VerdictRecord) {
    guard case .missed = record.verdict, records.count < Self.recordsMax else { return }
    records.prepend(record)
  }

  /// The slots of these jobs that were decided later than an instant.
  struct Count: Sendable {
    var slots = 0
    var jobs: Set<JobName> = []
    var last = WallInstant(milliseconds: 0)
    /// There are more that are no longer known.
    var isPartial = false
  }

  /// Nil for none.
  func count(since: WallInstant) -> Count? {
    var count = Count()
    for record in records.reversed() where record.at > since {
      count.slots += record.slots.count
      count.jobs.insert(record.job)
      count.last = max(count.last, record.at)
    }
    count.isPartial = droppedAt.map { $0 > since } ?? false
    return count.slots == 0 ? nil : count
  }
}
