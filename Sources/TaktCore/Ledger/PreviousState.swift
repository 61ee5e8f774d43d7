package import TaktTime

/// The state that previous daemons have left in the ledger, from which a new one continues.
package struct PreviousState: Hashable, Sendable {
  /// 0 if there was none.
  package var lastRun: UInt64
  package var jobs: [JobName: PreviousJob]
  /// Runs that have no end, and those with a further attempt to come, the oldest first.
  package var runs: [PreviousRun]
  /// True for a ledger that cannot be read now: the true start of a job may be in it.
  package var isUnread = false
  /// Memberships of daemons that were killed, without any runs left.
  package var previousMembers: [MemberID] = []
  /// Runs without a claim that the cluster's engine may not know of, the oldest first.
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
  /// The membership under which the engine may have been notified of the run; nil if it cannot have
  /// been.
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

package struct PreviousJob: Hashable, Sendable {
  package var checkpoint: JobCheckpoint
  /// True if the machine has not been restarted since, so that the job's clock still means
  /// something.
  package var isSameBoot: Bool
  package var version: ScheduleVersion
  /// False for a job that had been removed.
  package var isOpen: Bool
  /// Slots behind the checkpoint without a verdict, ascending.
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

/// The state of a job that outlives takt: its position and its alarms.
package struct JobCheckpoint: Hashable, Sendable {
  package var job: JobName
  package var cursor: CursorState
  package var failureStreak: Int
  /// Slots that have run since the anchor.
  package var ranCount: Int
  /// Boxed: few jobs are suspended.
  private var hold: Shared<Suspension>?
  /// Boxed: few jobs have any.
  private var kept: Shared<JobAlarms>?

  /// Nil if there is nothing to remember.
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

/// A suspended job. Its slots are `skipped(suspended)`; its runs continue.
package struct Suspension: Hashable, Sendable {
  package var since: WallInstant
  /// The end of the suspension; nil until the job is resumed.
  package var until: WallInstant?
  /// In the user's words; may be empty.
  package var reason: String

  package init(since: WallInstant, until: WallInstant? = nil, reason: String = "") {
    self.since = since
    self.until = until
    self.reason = reason
  }
}

/// A job's schedule, and the start of its validity.
package struct ScheduleVersion: Hashable, Sendable {
  package var job: JobName
  package var schedule: Schedule
  /// If false, slots that pass are `skipped(suspended)`.
  package var isEnabled: Bool
  /// The start of the grid of `every`.
  package var anchor: ScheduleInstant
  /// All slots up to here belong to the previous schedule.
  package var from: ScheduleEdge
  /// Single instants of `at` count from here on; nil for all of them, as when takt loads the job
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
