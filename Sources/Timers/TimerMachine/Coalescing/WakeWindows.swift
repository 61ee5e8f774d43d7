import TaktTime

/// The windows of numbered entries, in order of their starts, with the time of the next wake.
struct WakeWindows: Sendable {
  private static let guardMax: Int64 = 5_000_000

  private var due = IndexedHeap()
  /// Empty as long as all entries have the same slack: then their order is that of `due`.
  private var latest = IndexedHeap()
  private var isMixed = false
  /// From due to latest start, of all entries unless they are mixed.
  private var commonSlack: Int64 = 0

  var count: Int { due.count }

  /// Nodes that the two heaps have moved since the start.
  var moves: UInt64 { due.moves + latest.moves }

  /// The instant of the next wake; `nil` without windows.
  var nextWake: MonotonicInstant? {
    let start = isMixed ? latest.minKey : due.minKey.map { $0.addingSaturated(commonSlack) }
    return start.map(MonotonicInstant.init(nanoseconds:))
  }

  /// The instant from which a wake makes the one at `nextWake` unnecessary: the due instant of the
  /// entry that cannot wait longer.
  var nextOpening: MonotonicInstant? {
    let slot = isMixed ? latest.minSlot : due.minSlot
    return slot.flatMap(due.key(of:)).map(MonotonicInstant.init(nanoseconds:))
  }

  /// The earliest due instant; `nil` without windows.
  var nextDue: MonotonicInstant? {
    due.minKey.map(MonotonicInstant.init(nanoseconds:))
  }

  /// The end of a window, less the guard.
  static func latestStart(due: Int64, leeway: Int64) -> Int64 {
    due.addingSaturated(slack(leeway))
  }

  /// From due to latest start.
  private static func slack(_ leeway: Int64) -> Int64 { leeway - min(guardMax, leeway / 10) }

  /// The entry due first, if its window is open at `now`.
  func first(openAt now: MonotonicInstant) -> UInt32? {
    guard let key = due.minKey, key <= now.nanoseconds else { return nil }
    return due.minSlot
  }

  /// Gives an entry its window, or another one.
  mutating func set(_ number: UInt32, _ arming: TimerArming) {
    let start = arming.deadline.nanoseconds
    let slack = Self.slack(arming.leewayNanoseconds)
    if due.count == 0 {
      commonSlack = slack
    } else if !isMixed, slack != commonSlack {
      mix()
    }
    due.set(number, key: start)
    if isMixed { latest.set(number, key: start.addingSaturated(slack)) }
  }

  /// Removes an entry's window; does nothing if it has none.
  mutating func remove(_ number: UInt32) {
    due.remove(number)
    if isMixed {
      latest.remove(number)
      isMixed = latest.count > 0
    }
  }

  /// Starts to keep the latest starts in a heap of their own, until there are no windows: one copy
  /// of all of them, once.
  private mutating func mix() {
    isMixed = true
    latest.copy(due) { [commonSlack] in $0.addingSaturated(commonSlack) }
  }

  /// True if both heaps hold the same entries and are in order, for tests.
  var isConsistent: Bool {
    due.isConsistent && latest.isConsistent && latest.count == (isMixed ? due.count : 0)
  }
}
