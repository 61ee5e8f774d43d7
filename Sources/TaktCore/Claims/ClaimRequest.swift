package import TaktTime

/// What a machine says of itself when it joins, and again with each renewal.
package struct MemberFacts: Hashable, Sendable {
  /// Its name, for people: two machines of one name are two members all the same.
  package var machine: String
  package var host: String
  package var version: String
  package var labels: [String: String]
  package var lease: Duration
  /// How long after the lease others wait before they decide for it: as long as what runs may take
  /// to end when it is stopped.
  package var grace: Duration
  /// How far its wall clock is ahead of the engine's, as it measured last.
  package var clockOffset: Duration
  /// The version of its time zones, such as `2025b`; nil where it is not known.
  package var zoneData: String?
  /// Where others reach its API; nil where nobody can.
  package var api: String?

  package init(
    machine: String, host: String = "", version: String = "", labels: [String: String] = [:],
    lease: Duration, grace: Duration, clockOffset: Duration = .zero, zoneData: String? = nil,
    api: String? = nil
  ) {
    self.machine = machine
    self.host = host
    self.version = version
    self.labels = labels
    self.lease = lease
    self.grace = grace
    self.clockOffset = clockOffset
    self.zoneData = zoneData
    self.api = api
  }
}

/// What a machine's zone data make of a schedule.
package struct ScheduleZones: Hashable, Sendable {
  /// Equal where they name the same instants.
  package var digest: UInt64
  /// The version of the data, empty where it is not known: the newest counts.
  package var version: String

  package init(digest: UInt64, version: String) {
    self.digest = digest
    self.version = version
  }
}

/// A wish for one slot.
package struct SlotClaim: Hashable, Sendable {
  package var job: JobName
  package var slot: WallInstant
  /// The schedule that named the slot, as `declare` was told of it.
  package var schedule: UInt64
  package var overlap: Overlap
  /// The group whose bound its run shares, and that bound; nil for none.
  package var group: String?
  package var groupMax: Int?
  /// How many slots of the job may run in all; nil for as many as come.
  package var limit: Int?
  /// Whether a run of which no end is known is to be made up for.
  package var isAtLeastOnce: Bool
  /// Until when the slot may still start, should the machine that has it be lost.
  package var validUntil: WallInstant
  /// A membership of this machine's that is over, under which it may have asked for the slot; it has
  /// not started it.
  package var earlier: MemberID?

  package init(
    job: JobName, slot: WallInstant, schedule: UInt64, overlap: Overlap = .skip,
    group: String? = nil, groupMax: Int? = nil, limit: Int? = nil, isAtLeastOnce: Bool = false,
    validUntil: WallInstant, earlier: MemberID? = nil
  ) {
    self.job = job
    self.slot = slot
    self.schedule = schedule
    self.overlap = overlap
    self.group = group
    self.groupMax = groupMax
    self.limit = limit
    self.isAtLeastOnce = isAtLeastOnce
    self.validUntil = validUntil
    self.earlier = earlier
  }
}

/// A claim that the engine may have forgotten, as the machine that was given it remembers it.
package struct RememberedClaim: Hashable, Sendable {
  package var token: ClaimToken
  package var attempt: Int
  package var claim: SlotClaim
  /// How its run has ended; nil while it goes on.
  package var ending: ClaimEnding?

  package init(
    token: ClaimToken, attempt: Int, claim: SlotClaim, ending: ClaimEnding? = nil
  ) {
    self.token = token
    self.attempt = attempt
    self.claim = claim
    self.ending = ending
  }
}

/// How the run of a claim has ended.
package struct ClaimEnding: Hashable, Sendable {
  package var outcome: Outcome
  package var reason: String

  package init(_ outcome: Outcome, reason: String) {
    self.outcome = outcome
    self.reason = reason
  }
}

/// One thing that a machine wants of the engine. Each may be repeated when its answer is lost: the
/// second time it changes nothing, and is answered alike.
package enum ClaimRequest: Hashable, Sendable {
  /// This machine has the job with this schedule.
  ///
  /// - `isChanged`: its file has changed since it was asked last, so that the schedule is news.
  /// - `isNew`: this machine does not know of an earlier schedule: its own is news, too, unless it
  ///   was in force once.
  /// - `zones`: what the machine's zone data make of it; nil where they do not matter.
  /// - `rest`: how long must lie between the end of one slot's run and the next slot; nil where the
  ///   clock names them.
  case declare(
    JobName, schedule: UInt64, isChanged: Bool, isNew: Bool = false, zones: ScheduleZones? = nil,
    rest: Duration? = nil)
  case claim(SlotClaim)
  /// Which of these slots are decided, or another's.
  ///
  /// - `schedule`: what named them; those that came after another schedule had taken its place are
  ///   displaced.
  case ask(JobName, [WallInstant], schedule: UInt64)
  /// Slots are decided without a run, unless they are already, or still to come. Of several that
  /// follow one another it is not looked into.
  case decide(JobName, SlotSeries, Verdict)
  /// A run without a claim has served the slot. A claim of this machine's whose answer was lost has
  /// served its turn.
  ///
  /// - `earlier`: a membership of this machine's that is over, under which it may have said so, or
  ///   may have been given the slot.
  case ranUnclaimed(JobName, WallInstant, earlier: MemberID? = nil)
  /// The claim's run has ended so.
  case end(ClaimToken, Outcome, reason: String)
  /// An engine that was set back is to know a claim again, unless the slot is another's by now.
  case restore(RememberedClaim)
  /// The claim's run will not start: another machine may have the slot.
  case giveBack(ClaimToken)
  /// Nothing is left of an earlier membership of this machine's, which need not be waited for.
  case retire(MemberID)
  /// When the newest slot of a job with a rest was decided.
  case lastEnd(JobName)
  /// Nobody is to run the job's slots; nil: they run again.
  case suspend(JobName, Suspension?)
}

/// What the engine says to one request.
package enum ClaimAnswer: Hashable, Sendable {
  /// Done, or done before: of `declare` that the machine may claim.
  case done
  /// The slot is this machine's. The attempt counts the machines that have had it.
  case granted(ClaimToken, attempt: Int)
  /// The slot is decided, or another machine's.
  case taken
  /// The slot is decided by this: the job's overlap, its limit, or its suspension.
  case skipped(SkipReason)
  /// The slot is still to come on the engine's clock, by so much.
  case early(Duration)
  /// Others run that it must wait for.
  case busy
  /// The job's newest slot was decided then, nil for never; a claim that comes while
  /// another slot of it is not, or too soon after, has another name.
  case ended(WallInstant?)
  /// Another schedule of the job is in force.
  case drifted
  /// These of the slots that were asked for are decided, or another's. Those that are displaced are
  /// among them.
  case known([WallInstant], displaced: [WallInstant])
  /// The claim is not this machine's any more, or the slot was another's.
  case superseded
}

/// All that a machine wants at a time: done together, or not at all.
package struct ClaimBatch: Hashable, Sendable {
  /// Tells the answer's batch from others, and grows: the engine does none that comes after a newer
  /// one of the same member.
  package var number: UInt64
  /// Nil to join.
  package var member: MemberID?
  /// With these the lease begins anew, and the answer says how things stand; nil to leave it.
  package var facts: MemberFacts?
  /// The machine leaves: nothing of it is left open.
  package var leaves = false
  package var requests: [ClaimRequest]

  package init(
    number: UInt64, member: MemberID?, facts: MemberFacts?, leaves: Bool = false,
    requests: [ClaimRequest] = []
  ) {
    self.number = number
    self.member = member
    self.facts = facts
    self.leaves = leaves
    self.requests = requests
  }
}

/// What the engine says to a batch.
package struct ClaimReply: Hashable, Sendable {
  package var number: UInt64
  /// Nil when the membership is over: nothing was done.
  package var member: MemberID?
  /// The engine's clock.
  package var wall: WallInstant
  /// How things stand, where the batch had facts.
  package var news: ClusterNews?
  /// One for each request, in order.
  package var answers: [ClaimAnswer]

  package init(
    number: UInt64, member: MemberID?, wall: WallInstant, news: ClusterNews? = nil,
    answers: [ClaimAnswer] = []
  ) {
    self.number = number
    self.member = member
    self.wall = wall
    self.news = news
    self.answers = answers
  }
}

/// How things stand in the cluster.
package struct ClusterNews: Hashable, Sendable {
  package struct Member: Hashable, Sendable {
    package var id: MemberID
    package var facts: MemberFacts
    package var isAlive: Bool

    package init(id: MemberID, facts: MemberFacts, isAlive: Bool = true) {
      self.id = id
      self.facts = facts
      self.isAlive = isAlive
    }
  }

  /// A slot whose machine was lost, or has given it back.
  package struct OpenSlot: Hashable, Sendable {
    package var job: JobName
    package var slot: WallInstant

    package init(job: JobName, slot: WallInstant) {
      self.job = job
      self.slot = slot
    }
  }

  /// A claim of this machine's.
  package struct HeldClaim: Hashable, Sendable {
    package var token: ClaimToken
    package var job: JobName
    package var slot: WallInstant

    package init(token: ClaimToken, job: JobName, slot: WallInstant) {
      self.token = token
      self.job = job
      self.slot = slot
    }
  }

  package var members: [Member] = []
  package var open: [OpenSlot] = []
  package var suspended: [JobName: Suspension] = [:]
  /// Claims of this machine whose runs are to stop: a newer one of their job takes their place.
  package var replaced: [ClaimToken] = []
  /// All claims of this machine, by their numbers.
  package var held: [HeldClaim] = []
  /// Another number than before: the engine may have been set back. Nil where it cannot be.
  package var era: UInt64?

  package init() {}
}

/// What comes of a batch.
package enum ClaimOutcome: Hashable, Sendable {
  case answered(ClaimReply)
  /// It was not done, or nobody knows whether it was.
  case failed(number: UInt64, ClaimFailure)

  /// Of which batch.
  package var number: UInt64 {
    switch self {
    case .answered(let reply): reply.number
    case .failed(let number, _): number
    }
  }
}

/// Why the engine has not answered.
package struct ClaimFailure: Hashable, Sendable, CustomStringConvertible {
  /// In words, with what to do.
  package var description: String
  /// Whether waiting does not mend it: a password, a right, a version.
  package var isPermanent: Bool

  package init(_ description: String, isPermanent: Bool = false) {
    self.description = description
    self.isPermanent = isPermanent
  }
}

/// Where claims are kept: an engine's driver.
///
/// `send` returns at once; what comes of the batch is told on any thread, once, in order, and within
/// a time that the driver sees to itself.
package protocol ClaimEngine: Sendable {
  func send(_ batch: ClaimBatch)
}

/// The machines that share jobs with this one, as the scheduler's shell meets them.
package protocol ClusterPort: ClaimEngine {
  /// What this machine says of itself.
  var facts: MemberFacts { get }
  /// What runs under a claim must be over so long after that batch was handed over, unless this is
  /// said again.
  func leased(batch: UInt64, for duration: Duration)
}
