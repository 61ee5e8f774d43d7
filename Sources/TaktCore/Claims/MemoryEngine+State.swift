package import TaktTime

extension MemoryEngine {
  /// The engine has lost what it was told last, such as a server that takes the place of another one.
  /// Until every machine has had time to say what it was given, nobody is given that.
  struct SetBack: Hashable, Sendable {
    /// Slots up to here may have been given to somebody.
    var since: WallInstant
    /// Each machine that has a lease renews it by then, or finds that it must join again.
    var until: WallInstant
    /// Those that have not renewed it have ended by then all that they run.
    var atMost: WallInstant

    init(_ members: [MemberFacts], lease: Duration, at now: WallInstant) {
      since = now
      until = now + members.reduce(lease) { max($0, $1.lease) }
      atMost = now + members.reduce(lease) { max($0, $1.lease + $1.grace) }
    }
  }

  package struct Member: Hashable, Sendable {
    package var facts: MemberFacts
    package var leaseUntil: WallInstant
    /// When it renewed its lease last.
    package var heardAt: WallInstant
    /// Until when it has time all the same to renew it, since nobody was heard.
    package var patientUntil: WallInstant?
    /// The newest batch of it.
    package var lastBatch: UInt64
    /// The jobs of which it has the schedule that is in force.
    package var holds: Set<JobName>

    /// When others may decide for it.
    package var lostAfter: WallInstant {
      max(leaseUntil + facts.grace, patientUntil ?? leaseUntil)
    }

    package init(
      facts: MemberFacts, leaseUntil: WallInstant, lastBatch: UInt64, holds: Set<JobName> = []
    ) {
      self.facts = facts
      self.leaseUntil = leaseUntil
      heardAt = leaseUntil - facts.lease
      self.lastBatch = lastBatch
      self.holds = holds
    }
  }

  package struct Job: Hashable, Sendable {
    package var schedule: UInt64
    /// Slots long before belong to no machine: a slow clock names them.
    package var since: WallInstant
    /// What the zone data of the machines that have the schedule make of it.
    package var zones: ScheduleZones?
    /// Schedules that were in force before, the newest last.
    package var replaced: [UInt64] = []
    /// When the schedule took the place of another one.
    package var changedAt: WallInstant?
    /// How long must lie between two of its slots, and when the newest was decided.
    package var rest: Duration?
    package var lastEnd: WallInstant?
    package var suspension: Suspension?
    package var ranCount = 0
    package var slots: [WallInstant: Slot] = [:]
    package var series: [SeriesVerdict] = []
    /// Decided slots that are kept in short.
    package var past = PastSlots()

    package init(schedule: UInt64, since: WallInstant) {
      self.schedule = schedule
      self.since = since
    }
  }

  package struct Slot: Hashable, Sendable {
    package var state: State
    package var attempt = 1
    package var token: ClaimToken?
    /// Who was refused it, or ran it without a claim: repeats of theirs are answered alike.
    package var decidedFor: MemberID?
    package var isAtLeastOnce = false
    package var isReplaced = false
    package var group: String?
    package var validUntil: WallInstant

    package init(
      state: State, attempt: Int = 1, token: ClaimToken? = nil, decidedFor: MemberID? = nil,
      isAtLeastOnce: Bool = false, isReplaced: Bool = false, group: String? = nil,
      validUntil: WallInstant
    ) {
      self.state = state
      self.attempt = attempt
      self.token = token
      self.decidedFor = decidedFor
      self.isAtLeastOnce = isAtLeastOnce
      self.isReplaced = isReplaced
      self.group = group
      self.validUntil = validUntil
    }

    /// Nobody has had it: it waits for others that run.
    package var isWaiting: Bool { state == .open && attempt == 0 }
    /// The member that has it; nil where none has.
    var owner: MemberID? { if case .claimed(let member) = state { member } else { nil } }
    package var isClaimed: Bool { if case .claimed = state { true } else { false } }
  }

  package enum State: Hashable, Sendable {
    case claimed(MemberID)
    /// Its machine was lost, or has given it back.
    case open
    case decided(Verdict, Outcome?, reason: String)
  }
}
