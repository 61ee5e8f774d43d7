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

  /// A consequence of the engine's answer, or of its failure.
  enum Effect: Hashable, Sendable {
    case log(ClusterNotice)
    /// The engine may have received these under that membership.
    case asked([Wish], as: MemberID?)
    /// The engine does not answer.
    case failed
    /// Runs under a claim must end this long after that batch was sent.
    case leased(batch: UInt64, for: Duration)
    /// - Parameter adopting: a membership whose claims are the new one's, as nobody can have decided
    ///   for it.
    case joined(MemberID, adopting: MemberID?)
    /// The engine does not know this membership.
    case ended(MemberID)
    case answered(Wish, ClaimAnswer)
    case news(ClusterNews)
    /// The engine answers after a failure.
    case isBack
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
  private var forgotten: MemberID?
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
  /// The time of the next try after a failure.
  private var retryAt: MonotonicInstant?
  private var failureCount = 0
  private var lastBatch: UInt64 = 0

  init(_ facts: MemberFacts) { self.facts = facts }

  /// True if the engine answers, and knows this machine.
  var isUp: Bool { id != nil && failure == nil }

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

  /// The claims whose ends, or whose existence, are to be reported.
  var reported: Set<ClaimToken> {
    Set(
      wishes.compactMap { wish in
        switch wish {
        case .end(let token, _), .giveBack(let token): token
        case .restore(let claim): claim.token
        case .declare, .claim, .ask, .lastEnd, .decide, .ranUnclaimed, .retire, .suspend: nil
        }
      })
  }

  mutating func renew(at now: MonotonicInstant) { renewAt = now }

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

  /// Handles the engine's answer or its failure; that of another batch changes nothing.
  mutating func hear(_ outcome: ClaimOutcome, _ stage: Stage, at now: Now) -> [Effect] {
    guard let flight, outcome.number == flight.number else { return [] }
    self.flight = nil
    switch outcome {
    case .failed(_, let failure): return failed(failure, flight, stage, at: now.monotonic)
    case .answered(let reply):
      let isBack = failure != nil
      (failure, retryAt, failureCount) = (nil, nil, 0)
      roundTrip = now.monotonic - flight.sentAt
      if flight.leaves { hasLeft = true }
      var effects: [Effect] = []
      if isBack { effects.append(.log(.notice, "the cluster's engine answers again")) }
      guard let member = reply.member else {
        return effects + notAdmitted(flight, at: now.monotonic)
      }
      effects += admitted(as: member, reply, flight, at: now)
      effects += zip(flight.wishes, reply.answers).map { .answered($0, $1) }
      if let news = reply.news { effects.append(.news(news)) }
      return isBack ? effects + [.isBack] : effects
    }
  }

  private mutating func failed(
    _ failure: ClaimFailure, _ flight: Flight, _ stage: Stage, at now: MonotonicInstant
  ) -> [Effect] {
    // A stop waits for an engine that answers.
    if stage == .idle || flight.leaves { hasLeft = true }
    if flight.leaves { return [] }
    sayFirst(flight.wishes)
    failureCount += 1
    retryAt = now + min(Self.retryMax, Self.retryPace * failureCount)
    let isNews = self.failure?.description != failure.description
    self.failure = failure
    let log = Effect.log(.warning, "the cluster's engine does not answer: \(failure)")
    return [.asked(flight.wishes, as: flight.member)] + (isNews ? [log] : []) + [.failed]
  }

  private mutating func admitted(
    as member: MemberID, _ reply: ClaimReply, _ flight: Flight, at now: Now
  ) -> [Effect] {
    var effects: [Effect] = []
    if flight.renews {
      leaseUntil = flight.sentAt + (facts.lease - margin)
      renewAt = flight.sentAt + facts.lease / 3
      guardAt = flight.sentAt + guarded
      facts.clockOffset = now.wall - reply.wall - (now.monotonic - flight.sentAt) / 2
      effects.append(.leased(batch: flight.number, for: guarded))
    }
    guard id != member else { return effects }
    id = member
    defer { forgotten = nil }
    return effects + [
      .log(.notice, "joined the cluster as '\(facts.machine)', member \(member.number)"),
      .joined(member, adopting: forgotten),
    ]
  }

  /// This machine takes its lease for over this much sooner than the engine.
  private var margin: Duration { facts.lease / 10 }

  /// The time from the sending of a renewal to the guard's end of the runs under it.
  private var guarded: Duration { facts.lease + facts.grace - Self.guardMargin }

  private mutating func notAdmitted(_ flight: Flight, at now: MonotonicInstant) -> [Effect] {
    guard let member = id else { return [] }
    sayFirst(flight.wishes)
    let asked = Effect.asked(flight.wishes, as: member)
    guard flight.renews else {
      // The engine may be another server now, in which this machine can still renew its lease.
      renewAt = now
      return [asked]
    }
    (id, earlier) = (nil, member)
    guard hasLease(at: now) else {
      return [
        asked, .ended(member),
        .log(.warning, "the cluster has taken this machine for lost; it joins again"),
      ]
    }
    // No other machine can have decided for it.
    forgotten = member
    return [
      asked, .ended(member),
      .log(
        .warning,
        "the cluster's engine does not know this machine any more, although its lease holds: "
          + "what it knew was lost or set back; this machine joins again and tells it of its runs"),
    ]
  }

  // MARK: The lease

  /// Returns true if the lease is over since this call.
  mutating func endLease(ifOver now: MonotonicInstant) -> Bool {
    guard let leaseUntil, leaseUntil <= now else { return false }
    (self.leaseUntil, forgotten) = (nil, nil)
    return true
  }

  /// The machine has slept: the lease continued meanwhile.
  mutating func sleep(for slept: Duration) {
    leaseUntil = leaseUntil.map { $0 - slept }
    guardAt = guardAt.map { $0 - slept }
  }
}

extension Membership.Effect {
  fileprivate static func log(_ level: LogLevel, _ text: String) -> Self {
    .log(ClusterNotice(level, text))
  }
}
