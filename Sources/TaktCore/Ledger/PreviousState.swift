package import TaktTime

/// What previous daemons have left in the ledger: where a new one goes on.
package struct PreviousState: Hashable, Sendable {
  /// The highest number of a run; 0 when there was none.
  package var lastRun: UInt64
  package var jobs: [JobName: PreviousJob]
  /// Runs that have no end, and those that were to go on with a further attempt, the oldest first.
  package var runs: [PreviousRun]
  /// Whether there is a ledger that cannot be read now: what a job seems to begin with may be
  /// known.
  package var isUnread = false
  /// Memberships of daemons that were killed, of whose runs nothing is left.
  package var previousMembers: [MemberID] = []
  /// Runs without a claim that the cluster's engine may not have heard of, the oldest first.
  package var unreported: [UnclaimedRun] = []

  package init(lastRun: UInt64 = 0, jobs: [JobName: PreviousJob] = [:], runs: [PreviousRun] = []) {
    self.lastRun = lastRun
    self.jobs = jobs
    self.runs = runs
  }
}

/// A run of a shared slot that no machine had claimed.
package struct UnclaimedRun: Hashable, Comparable, Sendable {
  package var job: JobName
  package var slot: WallInstant
  /// The membership under which the engine may have been asked for the slot.
  package var askedAs: MemberID?
  /// That under which the engine may have heard of the run; nil where it cannot have.
  package var saidAs: MemberID?

  package init(
    _ job: JobName, _ slot: WallInstant, askedAs: MemberID? = nil, saidAs: MemberID? = nil
  ) {
    self.job = job
    self.slot = slot
    self.askedAs = askedAs
    self.saidAs = saidAs
  }

  /// The newest membership that the engine may know it by.
  package var member: MemberID? { saidAs ?? askedAs }

  package static func < (left: Self, right: Self) -> Bool {
    (left.slot, left.job) < (right.slot, right.job)
  }
}

/// A job as a previous daemon left it.
package struct PreviousJob: Hashable, Sendable {
  package var checkpoint: JobCheckpoint
  /// Whether the machine has gone on since, so that the job's clock still means something.
  package var isSameBoot: Bool
  package var version: ScheduleVersion
  /// Whether that still applies; false for a job that had been removed.
  package var isOpen: Bool
  /// Slots behind the mark without a verdict, ascending.
  package var pending: [WallInstant]

  package init(
    checkpoint: JobCheckpoint, isSameBoot: Bool, version: ScheduleVersion, isOpen: Bool,
    pending: [WallInstant] = []
  ) {
    self.checkpoint = checkpoint
    self.isSameBoot = isSameBoot
    self.version = version
    self.isOpen = isOpen
    self.pending = pending
  }
}

/// What of a job outlives takt: how far it has come, and how it fares.
package struct JobCheckpoint: Hashable, Sendable {
  package var job: JobName
  package var cursor: CursorState
  package var failureStreak: Int
  /// How many slots have run since the anchor.
  package var ranCount: Int
  /// Boxed: few jobs are suspended.
  private var hold: Shared<Suspension>?
  /// Boxed: few jobs have any.
  private var kept: Shared<JobAlarms>?

  /// What is remembered of its alarms; nil when there is nothing.
  package var alarms: JobAlarms? {
    get { kept?.value }
    set { kept = newValue.map { Shared($0) } }
  }

  package var suspension: Suspension? {
    get { hold?.value }
    set { hold = newValue.map { Shared($0) } }
  }
}

extension JobCheckpoint {
  package init(
    job: JobName, cursor: CursorState, failureStreak: Int = 0, ranCount: Int = 0,
    suspension: Suspension? = nil, alarms: JobAlarms? = nil
  ) {
    self.init(
      job: job, cursor: cursor, failureStreak: failureStreak, ranCount: ranCount,
      hold: suspension.map { Shared($0) }, kept: alarms.map { Shared($0) })
  }

  init(
    job: JobName, cursor: CursorState, failureStreak: Int, ranCount: Int,
    held: Shared<Suspension>?, alarms: Shared<JobAlarms>?
  ) {
    self.init(
      job: job, cursor: cursor, failureStreak: failureStreak, ranCount: ranCount, hold: held,
      kept: alarms)
  }
}

/// Somebody has put a job to rest. Its slots are `skipped(suspended)`; its runs go on.
package struct Suspension: Hashable, Sendable {
  package var since: WallInstant
  /// When it is over by itself; nil for never.
  package var until: WallInstant?
  /// Why, in the words of whoever did it; empty when nothing was said.
  package var reason: String

  package init(since: WallInstant, until: WallInstant? = nil, reason: String = "") {
    self.since = since
    self.until = until
    self.reason = reason
  }
}

/// A job's schedule, and from where on it applies.
package struct ScheduleVersion: Hashable, Sendable {
  package var job: JobName
  package var schedule: Schedule
  /// False: slots that pass are `skipped(suspended)`.
  package var isEnabled: Bool
  /// Where the grid of `every` begins.
  package var anchor: ScheduleInstant
  /// All slots up to here belong to what was before.
  package var from: ScheduleEdge
  /// Single instants of `at` count from here on; nil for all of them, as when takt hears of the job
  /// for the first time.
  package var instantsFrom: ScheduleInstant?

  package init(
    job: JobName, schedule: Schedule, isEnabled: Bool, anchor: ScheduleInstant, from: ScheduleEdge,
    instantsFrom: ScheduleInstant?
  ) {
    self.job = job
    self.schedule = schedule
    self.isEnabled = isEnabled
    self.anchor = anchor
    self.from = from
    self.instantsFrom = instantsFrom
  }
}
