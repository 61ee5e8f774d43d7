package import TaktTime

/// The facts that a machine reports when it joins, and again with each renewal.
package struct MemberFacts: Hashable, Sendable {
  /// For people: two machines of one name are still two members.
  package var machine: String
  package var host: String
  package var version: String
  package var labels: [String: String]
  package var lease: Duration
  /// The time after the end of the lease for which others wait before they decide for it: long
  /// enough for its runs to end when they are stopped.
  package var grace: Duration
  /// The lead of its wall clock over the engine's, as last measured.
  package var clockOffset: Duration
  /// The version of its time zones, such as `2025b`; nil if unknown.
  package var zoneData: String?
  /// The address of its API; nil if others cannot reach it.
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

/// The instants that a machine's zone data give to a schedule.
package struct ScheduleZones: Hashable, Sendable {
  /// Equal if they name the same instants.
  package var digest: UInt64
  /// The version of the data, empty if unknown: the newest counts.
  package var version: String

  package init(digest: UInt64, version: String) {
    self.digest = digest
    self.version = version
  }
}

package struct SlotClaim: Hashable, Sendable {
  package var job: JobName
  package var slot: WallInstant
  /// The schedule that named the slot, as passed to `declare`.
  package var schedule: UInt64
  package var overlap: Overlap
  /// The group whose bound its run shares, and that bound; nil for none.
  package var group: String?
  package var groupMax: Int?
  /// The most slots of the job that may run in all; nil for any number.
  package var limit: Int?
  /// True if a run without a known end is to be made up for.
  package var isAtLeastOnce: Bool
  /// The last time at which the slot may still start if its machine is lost.
  package var validUntil: WallInstant
  /// An earlier membership of this machine, under which it may have asked for the slot; it has not
  /// started it.
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

/// A claim that the engine may have forgotten, as its holder remembers it.
package struct RememberedClaim: Hashable, Sendable {
  package var token: ClaimToken
  package var attempt: Int
  package var claim: SlotClaim
  /// Nil while its run continues.
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

package struct ClaimEnding: Hashable, Sendable {
  package var outcome: Outcome
  package var reason: String

  package init(_ outcome: Outcome, reason: String) {
    self.outcome = outcome
    self.reason = reason
  }
}

/// One request of a machine to the engine. Each may be repeated if its answer is lost: the second
/// time it changes nothing, and gets the same answer.
package enum ClaimRequest: Hashable, Sendable {
  /// This machine has the job with this schedule.
  ///
  /// - `isChanged`: its file has changed since the last request, so that the schedule is news.
  /// - `isNew`: this machine does not know of an earlier schedule: its own is news, too, unless it
  ///   was in force once.
  /// - `zones`: the effect of the machine's zone data on it; nil if they do not matter.
  /// - `rest`: the shortest time between the end of one slot's run and the next slot; nil if the
  ///   clock names the slots.
  case declare(
    JobName, schedule: UInt64, isChanged: Bool, isNew: Bool = false, zones: ScheduleZones? = nil,
    rest: Duration? = nil)
  case claim(SlotClaim)
  /// Asks which of these slots are decided, or another machine's.
  ///
  /// - `schedule`: the one that named them; slots that came after another schedule had replaced it
  ///   are displaced.
  case ask(JobName, [WallInstant], schedule: UInt64)
  /// Slots are decided without a run, unless they are already, or still to come. Slots within a
  /// series are not checked one by one.
  case decide(JobName, SlotSeries, Verdict)
  /// A run without a claim has served the slot. A claim of this machine whose answer was lost is
  /// settled by it.
  ///
  /// - `earlier`: an earlier membership of this machine, under which it may have reported this, or
  ///   may have been given the slot.
  case ranUnclaimed(JobName, WallInstant, earlier: MemberID? = nil)
  case end(ClaimToken, Outcome, reason: String)
  /// Makes an engine that was set back know a claim again, unless the slot is another machine's by
  /// now.
  case restore(RememberedClaim)
  /// The claim's run will not start: another machine may have the slot.
  case giveBack(ClaimToken)
  /// Nothing is left of an earlier membership of this machine, which need not be waited for.
  case retire(MemberID)
  /// Asks for the time at which the newest slot of a job with a rest was decided.
  case lastEnd(JobName)
  /// No machine may run the job's slots; nil: they run again.
  case suspend(JobName, Suspension?)
}

package enum ClaimAnswer: Hashable, Sendable {
  /// Done, now or before; for `declare`, this machine may claim.
  case done
  /// The slot is this machine's. `attempt` counts the machines that were given it, from 1.
  case granted(ClaimToken, attempt: Int)
  /// The slot is decided, or another machine's.
  case taken
  /// The job's overlap, limit, or suspension decides the slot.
  case skipped(SkipReason)
  /// The slot is still this far ahead on the engine's clock.
  case early(Duration)
  /// It must wait for other runs.
  case busy
  /// The job's newest slot was decided then, nil for never. Also the answer to a claim that comes
  /// while another slot of the job is undecided, or too soon after it: the next slot has another
  /// instant.
  case ended(WallInstant?)
  /// Another schedule of the job is in force.
  case drifted
  /// The requested slots that are decided, or another machine's. Those that are displaced are among
  /// them.
  case known([WallInstant], displaced: [WallInstant])
  /// The claim is no longer this machine's, or the slot was another's.
  case superseded
}

/// All requests of a machine at a time: performed together, or not at all.
package struct ClaimBatch: Hashable, Sendable {
  /// Identifies the answer's batch, and grows: the engine performs none that comes after a newer
  /// one of the same member.
  package var number: UInt64
  /// Nil to join.
  package var member: MemberID?
  /// Renews the lease, and asks for the news; nil to leave the lease as it is.
  package var facts: MemberFacts?
  /// The machine leaves: its claims without an end are settled as a lost machine's.
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

/// The engine's answer to a batch.
package struct ClaimReply: Hashable, Sendable {
  package var number: UInt64
  /// Nil if the membership is over: nothing was done.
  package var member: MemberID?
  /// The engine's clock.
  package var wall: WallInstant
  /// The state of the cluster, if the batch had facts.
  package var news: ClusterNews?
  /// In the order of the requests.
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
  /// Claims of this machine whose runs must stop: a newer one of their job replaces them.
  package var replaced: [ClaimToken] = []
  /// All claims of this machine, by their numbers.
  package var held: [HeldClaim] = []
  /// A change means that the engine may have been set back. Nil if it cannot be.
  package var era: UInt64?

  package init() {}
}

package enum ClaimOutcome: Hashable, Sendable {
  case answered(ClaimReply)
  /// It was not performed, or that is unknown.
  case failed(number: UInt64, ClaimFailure)

  package var number: UInt64 {
    switch self {
    case .answered(let reply): reply.number
    case .failed(let number, _): number
    }
  }
}

/// The reason why the engine has not answered.
package struct ClaimFailure: Hashable, Sendable, CustomStringConvertible {
  /// In words, with advice.
  package var description: String
  /// True if waiting does not help: a password, a right, a version.
  package var isPermanent: Bool

  package init(_ description: String, isPermanent: Bool = false) {
    self.description = description
    self.isPermanent = isPermanent
  }
}

/// An engine's driver.
///
/// `send` returns at once; the outcome is delivered on any thread, once, in order, and within a
/// time that the driver enforces itself.
package protocol ClaimEngine: Sendable {
  func send(_ batch: ClaimBatch)
}

/// The machines that share jobs with this one, as the scheduler's shell uses them.
package protocol ClusterPort: ClaimEngine {
  var facts: MemberFacts { get }
  /// Runs under a claim must end this long after that batch was handed over, unless it is called
  /// again.
  func leased(batch: UInt64, for duration: Duration)
}
