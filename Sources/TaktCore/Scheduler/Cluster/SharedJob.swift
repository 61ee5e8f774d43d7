import TaktTime

/// What this machine knows of a job that it shares, as a value: whether its schedule is in force in
/// the cluster, and of which slots nobody has said yet what became of them.
struct SharedJob: Sendable {
  enum Standing: Hashable, Sendable {
    case undeclared, inForce, drifted
  }

  /// What the engine has said of slots that it was asked for.
  struct Settled: Sendable {
    /// Those that are decided, or another machine's.
    var known: [(slot: WallInstant, isDisplaced: Bool)]
    /// The others: this machine decides them.
    var open: [WallInstant]
  }

  /// So many slots wait to be settled; older ones are missed.
  static let unsettledMax = 1000
  /// So many of them are asked for at a time.
  static let askedMax = 256

  /// What its schedule comes to, as the engine is told of it.
  private(set) var schedule: UInt64
  /// The schedule is news since the engine was told of it.
  private(set) var isChanged: Bool
  /// Nothing is known here of an earlier one.
  private(set) var isNew = false
  private(set) var standing = Standing.undeclared
  /// Slots whose time came while nobody could claim them, ascending.
  private(set) var unsettled: [WallInstant] = []
  /// What named those of them that another schedule did.
  private var previousSchedules: [WallInstant: UInt64] = [:]
  /// The engine is asked which of them are decided.
  private var isAsking = false
  /// The newest slot that has been served, here or elsewhere.
  var lastServed = WallInstant(milliseconds: .min / 1_000_000)
  /// The next slot is counted from the end of the last one, wherever that ran.
  private(set) var rests = false
  /// The engine is asked when that was.
  private var isAskingEnd = false

  init(schedule: UInt64, isChanged: Bool) {
    self.schedule = schedule
    self.isChanged = isChanged
  }

  // MARK: Its schedule

  /// The engine is to be told of the job.
  ///
  /// - Parameter isNamed: whether the schedule names a slot of an earlier one, too.
  mutating func declare(
    schedule: UInt64, isChanged: Bool, isNew: Bool, rests: Bool,
    isNamed: (WallInstant) -> Bool
  ) {
    if self.schedule != schedule {
      for slot in unsettled where previousSchedules[slot] == nil && !isNamed(slot) {
        previousSchedules[slot] = self.schedule
      }
    }
    self.schedule = schedule
    self.isChanged = self.isChanged || isChanged
    self.isNew = isNew
    self.rests = rests
    standing = .undeclared
  }

  /// The machine has joined: the engine is to be told again.
  mutating func declareAgain() { standing = .undeclared }

  /// An engine that was set back may not know the schedule.
  mutating func repeatChange() { isChanged = true }

  /// The schedule is in force. Returns whether it was not, as another machine had a newer one.
  mutating func accept() -> Bool {
    defer { (standing, isChanged, isNew) = (.inForce, false, false) }
    return standing == .drifted
  }

  /// Another machine has a newer schedule. Returns whether that is news.
  mutating func drift() -> Bool {
    defer { standing = .drifted }
    return standing != .drifted
  }

  // MARK: Its slots

  /// The time of slots has gone by. Returns those that are too many.
  ///
  /// - Parameter former: what named those of them that the job's schedule does not.
  mutating func add(
    _ slots: [WallInstant], former: [WallInstant: UInt64] = [:]
  ) -> [WallInstant] {
    let all = Set(unsettled).union(slots).sorted()
    unsettled = Array(all.suffix(Self.unsettledMax))
    previousSchedules.merge(former) { $1 }
    return Array(all.dropLast(unsettled.count))
  }

  /// What the engine is to be asked of the slots; nil for nothing. Those of one schedule at a time.
  mutating func ask() -> (slots: [WallInstant], schedule: UInt64)? {
    guard let newest = unsettled.last, !isAsking, standing == .inForce else { return nil }
    isAsking = true
    let asked = schedule(of: newest)
    let slots = unsettled.filter { schedule(of: $0) == asked }
    return (slots.suffix(Self.askedMax), asked)
  }

  private func schedule(of slot: WallInstant) -> UInt64 { previousSchedules[slot] ?? schedule }

  /// An answer of the engine is there.
  mutating func endAsking() { isAsking = false }

  /// What the answer says. Slots that nobody waits for any more are left out.
  mutating func settle(
    _ asked: [WallInstant], known: [WallInstant], displaced: [WallInstant]
  ) -> Settled {
    let waiting = Set(unsettled)
    let slots = asked.filter(waiting.contains)
    let settled = Set(slots)
    unsettled.removeAll { settled.contains($0) }
    for slot in slots { previousSchedules[slot] = nil }
    let (isKnown, isDisplaced) = (Set(known), Set(displaced))
    return Settled(
      known: slots.filter { isKnown.contains($0) }.map { ($0, isDisplaced.contains($0)) },
      open: slots.filter { !isKnown.contains($0) })
  }

  /// Another machine has had a slot.
  mutating func noteServed(_ slot: WallInstant) { lastServed = max(lastServed, slot) }

  // MARK: Its delay

  /// Whether the engine is to be asked from when the delay counts; it is, then.
  mutating func askEnd() -> Bool {
    guard !isAskingEnd, standing == .inForce else { return false }
    isAskingEnd = true
    return true
  }

  mutating func endAskingEnd() { isAskingEnd = false }
}
