import DequeModule
import TaktTime

/// A machine's membership of its cluster, as a value: its messages to the engine and their times,
/// and the end of the engine's grants.
///
/// It knows nothing of jobs and runs. A message is a `Wish`, turned into a request when it is sent,
/// and returned with its answer.
struct Membership: Sendable {
  /// A message to the engine, whose contents are read when it is sent.
  enum Wish: Hashable, Sendable {
    case declare(JobID)
    case claim(ClaimBook.Key)
    case ask(JobID, [WallInstant], schedule: UInt64)
    case lastEnd(JobID)
    case decide(JobID, WallInstant, Verdict)
    case ranUnclaimed(UnclaimedRun)
    case end(ClaimToken, ClaimEnding)
    case restore(RememberedClaim)
    case giveBack(ClaimToken)
    case retire(MemberID)
    case suspend(JobID)
  }

  /// A batch on its way.
  struct Flight: Sendable {
    var number: UInt64
    var wishes: [Wish]
    var sentAt: MonotonicInstant
    var renews: Bool
    var leaves: Bool
    /// The sender: the engine may have received its wishes under this membership.
    var member: MemberID?
  }

  /// The phases of takt that concern the engine.
  enum Stage: Sendable {
    case running
    /// takt is stopping, and a run of it still continues.
    case stopping
    /// No run is left.
    case idle
  }

  enum Heard: Sendable {
    /// The wishes are to be sent again. `isNews`: the failure differs from the one before.
    case failed(ClaimFailure, Flight, isNews: Bool)
    /// The batch was the last one, and its answer does not matter.
    case left
    /// - Parameters:
    ///   - hadFailed: the engine did not answer before.
    ///   - wasDown: it was not asked for a while.
    case answered(ClaimReply, Flight, hadFailed: Bool, wasDown: Bool)
  }

  enum Admission: Equatable, Sendable {
    /// Unchanged.
    case member
    case joined
    /// The engine does not know this machine, although its lease holds: no other machine can have
    /// decided for it, and it joins again.
    case forgotten
    /// The cluster has taken this machine for lost; it joins again.
    case lost
    /// The engine does not know this machine, but was not asked to renew its lease: it is asked
    /// now.
    case doubted
    /// The engine does not know this machine, and this machine knew that.
    case unknown
  }

  /// The most wishes in a batch.
  static let wishesMax = 256
  /// All its runs must have ended this long before others decide for this machine.
  static let guardMargin = Duration.milliseconds(500)
  private static let retryPace = Duration.milliseconds(250)
  private static let retryMax = Duration.seconds(2)

  var facts: MemberFacts
  private(set) var id: MemberID?
  private(set) var earlier: MemberID?
  /// The membership that an engine has forgotten while its lease held: nobody has decided for it.
  private(set) var forgotten: MemberID?
  /// The time until which this machine may start its claimed slots. Nil without a lease.
  private(set) var leaseUntil: MonotonicInstant?
  /// The time at which the guard ends runs under a claim, unless the lease is renewed.
  private(set) var guardAt: MonotonicInstant?
  /// In order.
  private(set) var wishes: Deque<Wish> = []
  private(set) var flight: Flight?
  private(set) var failure: ClaimFailure?
  /// The engine's last round trip.
  private(set) var roundTrip: Duration?
  /// The machine has left, or has tried to.
  private(set) var hasLeft = false
  private var renewAt = MonotonicInstant(nanoseconds: .min)
  /// The time of the next try after a failure of the engine; nil while it answers.
  private var retryAt: MonotonicInstant?
  private var failureCount = 0
  private var lastBatch: UInt64 = 0

  init(_ facts: MemberFacts) { self.facts = facts }

  /// True if the engine answers, and knows this machine.
  var isUp: Bool { id != nil && retryAt == nil }

  func hasLease(at now: MonotonicInstant) -> Bool { leaseUntil.map { now < $0 } ?? false }

  /// The time of the next task without an event.
  func next(at now: MonotonicInstant) -> MonotonicInstant {
    var next = leaseUntil ?? .distantFuture
    if flight == nil, !hasLeft { next = min(next, retryAt ?? (id == nil ? now : renewAt)) }
    return next
  }

  // MARK: What is to be said

  mutating func say(_ wish: Wish) { wishes.append(wish) }

  /// Puts these before all other wishes, in this order.
  mutating func sayFirst(_ first: [Wish]) { wishes.prepend(contentsOf: first) }

  mutating func unsay(where isMeant: (Wish) -> Bool) { wishes.removeAll(where: isMeant) }

  func isSaying(_ wish: Wish) -> Bool { flight?.wishes.contains(wish) ?? false }

  mutating func renew(at now: MonotonicInstant) { renewAt = now }

  mutating func leave() { hasLeft = true }

  // MARK: A batch

  /// True if there is something to send now. A machine that is no member and stops has left.
  mutating func wantsToSend(_ stage: Stage, at now: MonotonicInstant) -> Bool {
    guard flight == nil, !hasLeft else { return false }
    if id == nil, stage != .running {
      // Nothing need be waited for, whether the engine answers or not.
      hasLeft = true
      return false
    }
    guard retryAt.map({ $0 <= now }) ?? true else { return false }
    return renews(at: now) || stage == .idle || !wishes.isEmpty
  }

  private func renews(at now: MonotonicInstant) -> Bool { id == nil || renewAt <= now }

  /// The next wish that fits. A machine that joins asks for the news first.
  mutating func pop(afterSaying count: Int) -> Wish? {
    id == nil || count >= Self.wishesMax ? nil : wishes.popFirst()
  }

  /// The batch of these; nil if it would be empty.
  mutating func send(
    _ said: [(wish: Wish, request: ClaimRequest)], _ stage: Stage, at now: MonotonicInstant
  ) -> ClaimBatch? {
    let (renews, leaves) = (renews(at: now), stage == .idle && wishes.isEmpty)
    guard renews || leaves || !said.isEmpty else { return nil }
    lastBatch += 1
    flight = Flight(
      number: lastBatch, wishes: said.map(\.wish), sentAt: now, renews: renews, leaves: leaves,
      member: id)
    return ClaimBatch(
      number: lastBatch, member: id, facts: renews ? facts : nil, leaves: leaves,
      requests: said.map(\.request))
  }

  /// Nil for an outcome of another batch.
  mutating func hear(_ outcome: ClaimOutcome, at now: MonotonicInstant) -> Heard? {
    guard let flight, outcome.number == flight.number else { return nil }
    self.flight = nil
    switch outcome {
    case .failed(_, let failure):
      if flight.leaves {
        hasLeft = true
        return .left
      }
      sayFirst(flight.wishes)
      failureCount += 1
      retryAt = now + min(Self.retryMax, Self.retryPace * failureCount)
      let isNews = self.failure?.description != failure.description
      self.failure = failure
      return .failed(failure, flight, isNews: isNews)
    case .answered(let reply):
      let before = (failure != nil, retryAt != nil)
      (failure, retryAt, failureCount) = (nil, nil, 0)
      roundTrip = now - flight.sentAt
      return .answered(reply, flight, hadFailed: before.0, wasDown: before.1)
    }
  }

  /// The engine's view of this machine.
  mutating func admit(_ reply: ClaimReply, _ flight: Flight, at now: Now) -> Admission {
    guard let member = reply.member else { return notAdmitted(flight, at: now.monotonic) }
    let isNew = id != member
    id = member
    if flight.renews {
      leaseUntil = flight.sentAt + (facts.lease - margin)
      renewAt = flight.sentAt + facts.lease / 3
      guardAt = flight.sentAt + guarded
      facts.clockOffset = now.wall - reply.wall - (now.monotonic - flight.sentAt) / 2
    }
    return isNew ? .joined : .member
  }

  /// This machine takes its lease for over this much sooner than the engine.
  private var margin: Duration { facts.lease / 10 }

  /// The time from the sending of a renewal to the guard's end of the runs under it.
  var guarded: Duration { facts.lease + facts.grace - Self.guardMargin }

  private mutating func notAdmitted(_ flight: Flight, at now: MonotonicInstant) -> Admission {
    if flight.leaves { hasLeft = true }
    guard let member = id else { return .unknown }
    sayFirst(flight.wishes)
    guard flight.renews else {
      // It has another server perhaps, where this machine may renew its lease still.
      renewAt = now
      return .doubted
    }
    (id, earlier) = (nil, member)
    guard hasLease(at: now) else { return .lost }
    forgotten = member
    return .forgotten
  }

  // MARK: The lease

  /// Returns false if there was none.
  mutating func endLease() -> Bool {
    guard leaseUntil != nil else { return false }
    (leaseUntil, forgotten) = (nil, nil)
    return true
  }

  /// The machine has slept: the lease continued meanwhile.
  mutating func sleep(for slept: Duration) {
    leaseUntil = leaseUntil.map { $0 - slept }
    guardAt = guardAt.map { $0 - slept }
  }

  /// The membership whose claims are the present one's, as nobody has decided for it.
  mutating func adopt() -> MemberID? {
    defer { forgotten = nil }
    return forgotten
  }
}
