import DequeModule
import TaktCore
import TaktTime

/// When takt stood still: it was stopped, or the machine slept. Nothing wakes for it; slots that start
/// late betray it, where nothing at all happened between the time that they were due and their start.
struct StallLog {
  struct Stall: Hashable, Sendable {
    var from: WallInstant
    var to: WallInstant
  }

  /// What is shorter is the machine's, and no stall.
  static let least = Duration.seconds(1)
  private static let countMax = 1_000

  private var all: Deque<Stall> = []
  /// When something happened last.
  private var last: WallInstant?
  /// The newest time without anything that may have been a stall.
  private var quiet: Stall?

  /// Those that end after an instant, in order, each once.
  func stalls(since from: WallInstant) -> [Stall] { all.filter { $0.to >= from }.merged }

  /// Something happened: a record, an entry of the ledger.
  mutating func happened(at now: WallInstant) {
    if let last, now - last > Self.least { quiet = Stall(from: last, to: now) }
    last = now
  }

  /// The wall clock was set: times before and after cannot be compared.
  mutating func clockStepped(at now: WallInstant) {
    (quiet, last) = (nil, now)
  }

  /// The machine slept until now, whether a slot was due meanwhile or not.
  mutating func slept(_ time: Duration, until now: WallInstant) {
    if time > Self.least { add(Stall(from: now - time, to: now)) }
  }

  /// Something that takt does every few seconds, such as a sign of life to a reader of events, is done
  /// now. What is late while nothing else happens tells of a stall, too.
  mutating func beat(due: WallInstant, at now: WallInstant) {
    slotStarted(due: due, window: .zero, at: now)
  }

  /// A slot starts that might have started until the end of its window. One that waited for its place
  /// has let its timer fire in time, which is a record.
  mutating func slotStarted(due: WallInstant, window: Duration, at now: WallInstant) {
    var quiet = self.quiet
    if let last, now - last > Self.least { quiet = Stall(from: last, to: now) }
    guard let quiet, quiet.from < due, quiet.to - (due + window) > Self.least else { return }
    add(Stall(from: due + window, to: quiet.to))
  }

  /// Slots got no run: as takt or the machine stood still, or for a later one which may itself be in
  /// time.
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
  /// The time that a verdict tells of; nil for any other.
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
  /// In order, and those that overlap as one.
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
