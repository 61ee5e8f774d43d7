import TaktTime

/// This machine's state of a shared job, as a value: the standing of its schedule in the cluster,
/// and the slots whose verdicts are unknown.
struct SharedJob: Sendable {
  enum Standing: Hashable, Sendable {
    case undeclared, inForce, drifted
  }

  /// The engine's answer about slots.
  struct Settled: Sendable {
    /// Those that are decided, or another machine's.
    var known: [(slot: WallInstant, isDisplaced: Bool)]
    /// The others: this machine decides them.
    var open: [WallInstant]
  }

  /// The most slots that wait to be settled; older ones are missed.
  static let unsettledMax = 1000
  /// The most slots in one request.
  static let askedMax = 256

  /// Its schedule's hash, as declared to the engine.
  private(set) var schedule: UInt64
  /// The schedule is news, until the engine has accepted it.
  private(set) var isChanged: Bool
  /// No earlier one is known here.
  private(set) var isNew = false
  private(set) var standing = Standing.undeclared
  /// Slots that came due while none could be claimed, ascending.
  private(set) var unsettled: [WallInstant] = []
  /// The earlier schedules that named some of them.
  private var previousSchedules: [WallInstant: UInt64] = [:]
  /// The engine is being asked which of them are decided.
  private var isAsking = false
  /// The newest slot that has been served, here or elsewhere.
  var lastServed = WallInstant(milliseconds: .min / 1_000_000)
  /// The next slot is counted from the end of the last one, on any machine.
  private(set) var rests = false
  /// The engine is being asked for that end.
  private var isAskingEnd = false

  init(schedule: UInt64, isChanged: Bool) {
    self.schedule = schedule
    self.isChanged = isChanged
  }

  // MARK: Its schedule

  /// Marks the job to be declared to the engine.
  ///
  /// - Parameter isNamed: true if the schedule names a slot of an earlier one, too.
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

  /// The machine has joined: the job must be declared again.
  mutating func declareAgain() { standing = .undeclared }

  /// An engine that was set back may not know the schedule.
  mutating func repeatChange() { isChanged = true }

  /// The schedule is in force. Returns true if it was not, as another machine had a newer one.
  mutating func accept() -> Bool {
    defer { (standing, isChanged, isNew) = (.inForce, false, false) }
    return standing == .drifted
  }

  /// Another machine has a newer schedule. Returns true if that is news.
  mutating func drift() -> Bool {
    defer { standing = .drifted }
    return standing != .drifted
  }

  // MARK: Its slots

  /// The time of slots has passed. Returns those beyond the limit.
  ///
  /// - Parameter former: the schedule of those that the job's own does not name.
  mutating func add(
    _ slots: [WallInstant], former: [WallInstant: UInt64] = [:]
  ) -> [WallInstant] {
    let all = Set(unsettled).union(slots).sorted()
    unsettled = Array(all.suffix(Self.unsettledMax))
    previousSchedules.merge(former) { $1 }
    return Array(all.dropLast(unsettled.count))
  }

  /// The next request about the slots; nil for none. It is about slots of one schedule at a time.
  mutating func ask() -> (slots: [WallInstant], schedule: UInt64)? {
    guard let newest = unsettled.last, !isAsking, standing == .inForce else { return nil }
    isAsking = true
    let asked = schedule(of: newest)
    let slots = unsettled.filter { schedule(of: $0) == asked }
    return (slots.suffix(Self.askedMax), asked)
  }

  private func schedule(of slot: WallInstant) -> UInt64 { previousSchedules[slot] ?? schedule }

  mutating func endAsking() { isAsking = false }

  /// Applies the answer, and ignores slots that are no longer waiting.
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

  mutating func noteServed(_ slot: WallInstant) { lastServed = max(lastServed, slot) }

  // MARK: Its delay

  /// Returns true if the engine must be asked for the start of the delay, and notes that it is.
  mutating func askEnd() -> Bool {
    guard !isAskingEnd, standing == .inForce else { return false }
    isAskingEnd = true
    return true
  }

  mutating func endAskingEnd() { isAskingEnd = false }
}
