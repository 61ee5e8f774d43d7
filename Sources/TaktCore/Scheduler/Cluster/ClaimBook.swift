import HeapModule
import TaktTime

/// The slots that this machine requests from the engine, as a value: their requests, the times of
/// the next ones, and the slots that wait behind others of their job.
struct ClaimBook: Sendable {
  /// A slot that is to be claimed, or has been asked for.
  struct Claim: Sendable {
    var slot: Slot
    /// Another machine had it: its verdict is known here, or will be.
    var isOpen = false
    /// The membership under which the engine may have been asked for it.
    var askedAs: MemberID?
    /// No longer needed; if it is granted all the same it is given back.
    var isWithdrawn = false
    /// The engine has it among those that wait for other runs: it is not missed for that.
    var hasWaited = false
    var phase: Phase

    enum Phase: Hashable, Sendable {
      /// It is requested at this instant.
      case waits(MonotonicInstant)
      /// It is among the requests to be sent.
      case queued
      /// The engine knows of it; an older slot of its job asks first.
      case behind
    }
  }

  struct Key: Hashable, Comparable, Sendable {
    var job: JobID
    var slot: WallInstant

    static func < (left: Self, right: Self) -> Bool {
      (left.slot, left.job.index) < (right.slot, right.job.index)
    }
  }

  /// The time to reconsider a claim.
  private struct Turn: Comparable, Sendable {
    var at: MonotonicInstant
    var key: Key

    static func < (left: Self, right: Self) -> Bool { (left.at, left.key) < (right.at, right.key) }
  }

  private var claims: [Key: Claim] = [:]
  /// The slots of each job, ascending.
  private var slots: [JobID: [WallInstant]] = [:]
  private var turns = Heap<Turn>()

  var keys: [Key] { claims.keys.sorted() }

  subscript(key: Key) -> Claim? { claims[key] }

  func count(of job: JobID) -> Int { slots[job]?.count ?? 0 }

  /// The oldest first.
  func keys(of job: JobID) -> [Key] { (slots[job] ?? []).map { Key(job: job, slot: $0) } }

  func keys(in phase: Claim.Phase) -> [Key] {
    claims.filter { $1.phase == phase }.keys.sorted()
  }

  /// The oldest slot of a job that is still needed.
  func oldest(of job: JobID) -> Key? {
    slots[job]?.lazy.map { Key(job: job, slot: $0) }
      .first { claims[$0]?.isWithdrawn == false }
  }

  // MARK: Changes

  mutating func add(_ claim: Claim, _ key: Key) {
    claims[key] = claim
    let place = slots[key.job]?.lastIndex { $0 < key.slot }.map { $0 + 1 } ?? 0
    slots[key.job, default: []].insert(key.slot, at: place)
    if case .waits(let instant) = claim.phase { turns.insert(Turn(at: instant, key: key)) }
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Claim? {
    guard let claim = claims.removeValue(forKey: key) else { return nil }
    slots[key.job]?.removeAll { $0 == key.slot }
    if slots[key.job]?.isEmpty == true { slots[key.job] = nil }
    return claim
  }

  /// The job was removed. Requests for it may still be answered, and count for no other job that
  /// gets its number.
  mutating func forget(_ job: JobID) { slots[job] = nil }

  mutating func queue(_ key: Key) { claims[key]?.phase = .queued }

  mutating func putBehind(_ key: Key) { claims[key]?.phase = .behind }

  mutating func putOff(_ key: Key, until instant: MonotonicInstant) {
    guard claims[key] != nil else { return }
    claims[key]?.phase = .waits(instant)
    turns.insert(Turn(at: instant, key: key))
  }

  mutating func withdraw(_ key: Key) { claims[key]?.isWithdrawn = true }

  mutating func noteWaiting(_ key: Key, _ hasWaited: Bool) { claims[key]?.hasWaited = hasWaited }

  /// The engine may have been asked for it under this membership.
  ///
  /// - Parameter isFirst: true to keep an earlier one.
  mutating func noteAsked(_ key: Key, as member: MemberID?, isFirst: Bool = false) {
    if isFirst, claims[key]?.askedAs != nil { return }
    claims[key]?.askedAs = member
  }

  // MARK: Time

  var next: MonotonicInstant? { turns.min?.at }

  /// The next claim whose time has come.
  mutating func pop(at now: MonotonicInstant) -> Key? {
    while let turn = turns.min, turn.at <= now {
      _ = turns.removeMin()
      // It may have been delayed since, or removed.
      if claims[turn.key]?.phase == .waits(turn.at) { return turn.key }
    }
    return nil
  }

  /// Ends all waits for a time, since a clock has changed.
  mutating func hurry(to now: MonotonicInstant) {
    for (key, claim) in claims {
      if case .waits(let at) = claim.phase, at > now { putOff(key, until: now) }
    }
  }
}
