import DequeModule
import TaktCore
import TaktTime

/// The last slots that were missed, within a bound.
struct MissedSlots {
  private static let recordsMax = 2_000

  private var records: Deque<VerdictRecord> = []
  /// The time of the newest decision that was dropped for lack of room.
  private var droppedAt: WallInstant?

  mutating func add(_ record: VerdictRecord) {
    guard case .missed = record.verdict else { return }
    if records.count == Self.recordsMax { droppedAt = records.removeFirst().at }
    records.append(record)
  }

  /// Takes a verdict from before those that are known, newest first.
  mutating func addOlder(_ record: VerdictRecord) {
    guard case .missed = record.verdict, records.count < Self.recordsMax else { return }
    records.prepend(record)
  }

  /// The slots decided after an instant, with their jobs.
  struct Count: Sendable {
    var slots = 0
    var jobs: Set<JobName> = []
    var last = WallInstant(milliseconds: 0)
    /// True if there were more that are no longer known.
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
