import DequeModule
import TaktCore
import TaktTime

/// The times when takt stood still: it was stopped, or the machine slept. No timer detects them;
/// slots that start late do, if nothing at all happened between their due time and their start.
struct StallLog {
  struct Stall: Hashable, Sendable {
    var from: WallInstant
    var to: WallInstant
  }

  /// Shorter delays are the machine's, and no stall.
  static let least = Duration.seconds(1)
  private static let countMax = 1_000

  private var all: Deque<Stall> = []
  /// The time of the last event.
  private var last: WallInstant?
  /// The last time without events, which may have been a stall.
  private var quiet: Stall?

  /// Those that end after an instant, in order and without overlaps.
  func stalls(since from: WallInstant) -> [Stall] { all.filter { $0.to >= from }.merged }

  /// Takes any event: a record, an entry of the ledger.
  mutating func happened(at now: WallInstant) {
    if let last, now - last > Self.least { quiet = Stall(from: last, to: now) }
    last = now
  }

  /// The wall clock was set: times before and after cannot be compared.
  mutating func clockStepped(at now: WallInstant) {
    (quiet, last) = (nil, now)
  }

  /// The machine slept until now, even if no slot was due meanwhile.
  mutating func slept(_ time: Duration, until now: WallInstant) {
    if time > Self.least { add(Stall(from: now - time, to: now)) }
  }

  /// Takes a periodic action, such as a heartbeat to a reader of events. If it is late while
  /// nothing else happens, that shows a stall, too.
  mutating func beat(due: WallInstant, at now: WallInstant) {
    slotStarted(due: due, window: .zero, at: now)
  }

  /// Takes the start of a slot, with the end of its window. One that waited for its place had its
  /// timer fire in time, which is a record.
  mutating func slotStarted(due: WallInstant, window: Duration, at now: WallInstant) {
    var quiet = self.quiet
    if let last, now - last > Self.least { quiet = Stall(from: last, to: now) }
    guard let quiet, quiet.from < due, quiet.to - (due + window) > Self.least else { return }
    add(Stall(from: due + window, to: quiet.to))
  }

  /// Takes slots without a run: takt or the machine stood still, or a later slot replaced them,
  /// which may itself be in time.
  mutating func slotsPassed(_ record: VerdictRecord) {
    if let stall = Stall(record) { return add(stall) }
    if case .coalesced = record.verdict {
      slotStarted(due: record.slots.first, window: .zero, at: record.at)
    }
  }

  private mutating func add(_ stall: Stall) {
    if let newest = all.last, newest.to >= stall.from, stall.to >= newest.from {
      all[all.count - 1] = newest.union(stall)
      return
    }
    if all.count == Self.countMax { all.removeFirst() }
    all.append(stall)
  }
}

extension StallLog.Stall {
  /// Nil for a verdict that shows no stall.
  init?(_ record: VerdictRecord) {
    switch record.verdict {
    case .missed(.stalled), .missed(.asleep): self.init(from: record.slots.first, to: record.at)
    case .missed, .ran, .skipped, .coalesced, .cancelled: return nil
    }
  }

  fileprivate func union(_ other: Self) -> Self {
    Self(from: min(from, other.from), to: max(to, other.to))
  }
}

extension [StallLog.Stall] {
  /// In order, with overlaps merged.
  var merged: Self {
    sorted { $0.from < $1.from }.reduce(into: []) { merged, stall in
      if let last = merged.last, last.to >= stall.from {
        merged[merged.count - 1] = last.union(stall)
      } else {
        merged.append(stall)
      }
    }
  }
}
