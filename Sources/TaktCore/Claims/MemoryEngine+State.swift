package import TaktTime

extension MemoryEngine {
  /// The engine has lost its newest records, as a server may that replaces another one. Until every
  /// machine has had time to report its claims, no slot that may be claimed is given out.
  struct SetBack: Hashable, Sendable {
    /// Slots up to here may have been given to a machine.
    var since: WallInstant
    /// Each machine that has a lease renews it by then, or finds that it must join again.
    var until: WallInstant
    /// Those that have not renewed it have ended all their runs by then.
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
    package var heardAt: WallInstant
    /// The extended time to renew it, after a time in which no machine was heard.
    package var patientUntil: WallInstant?
    package var lastBatch: UInt64
    /// The jobs whose current schedule it has.
    package var holds: Set<JobName>

    /// The time after which others may decide for it.
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
    /// The zone data that the current schedule is read with.
    package var zones: ScheduleZones?
    /// Former schedules, the newest last.
    package var replaced: [UInt64] = []
    /// The time of the last change of the schedule.
    package var changedAt: WallInstant?
    /// The shortest time between two of its slots, and the time at which the newest was decided.
    package var rest: Duration?
    package var lastEnd: WallInstant?
    package var suspension: Suspension?
    package var ranCount = 0
    package var slots: [WallInstant: Slot] = [:]
    package var series: [SeriesVerdict] = []
    /// Decided slots that are kept as ranges.
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
    /// The machine that was refused it, or ran it without a claim: its repeats get the same answer.
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

    /// It waits for other runs, and no machine has had it.
    package var isWaiting: Bool { state == .open && attempt == 0 }
    /// Nil if no machine has it.
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
