package import TaktTime

/// One thing that the ledger keeps.
package enum LedgerEntry: Hashable, Sendable {
  case verdict(VerdictRecord)
  /// A slot that is behind its job's mark and has no verdict yet: its run waits for a place, or for
  /// its turn among those that run late.
  case pending(JobName, WallInstant)
  /// How far a job has come, in place of what was said of it before.
  case checkpoint(JobCheckpoint)
  /// A job is due by this schedule from now on.
  case schedule(ScheduleVersion)
  /// A job is due no more: it has been removed.
  case scheduleEnded(JobName, ScheduleEdge)
  /// A run, or a further attempt of it, that must be known before it may start. What a previous
  /// daemon had left of it is taken up with this, as with `began`.
  case claimed(RunBeginning)
  /// The first attempt of a run starts.
  case began(RunBeginning)
  /// A further attempt of a run starts.
  case attemptBegan(RunID, attempt: Int, at: WallInstant)
  /// An attempt has failed, and another follows.
  case backedOff(RunID, RetryPosition, at: WallInstant)
  /// What an attempt has printed that another attempt of its run follows. What the last one has
  /// printed comes with the end of the run.
  case attemptOutput(RunID, attempt: Int, KeptOutput, at: WallInstant)
  /// What the processes of such an attempt have used. That of the last one comes with the end, too.
  case attemptUse(RunID, attempt: Int, Shared<ResourceUse>)
  /// A run has ended.
  case ended(RunRecord)
  /// What a previous daemon had left of a run, which another has taken up or given up.
  case settled(RunID)
  case process(RunID, ProcessIdentity)
  /// Boxed, and one case of sixteen: with more of them each entry takes longer to be told from others.
  /// Without it the gate's `ledger` and `slots` take more.
  indirect case rare(RareEntry)

  static func clockStepped(at instant: WallInstant, by step: Duration) -> LedgerEntry {
    .rare(.clockStepped(at: instant, by: step))
  }
  package static func reloaded(_ record: ReloadRecord) -> LedgerEntry { .rare(.reloaded(record)) }
  package static func once(_ job: OnceJob) -> LedgerEntry { .rare(.once(job)) }
  package static func onceRemoved(_ name: JobName) -> LedgerEntry { .rare(.onceRemoved(name)) }
  package static func parameters(
    _ parameters: Shared<ShownParameters>, of run: RunID
  ) -> LedgerEntry {
    .rare(.parameters(parameters, of: run))
  }
  static func joined(_ member: MemberID) -> LedgerEntry { .rare(.joined(member)) }
  package static func ranUnclaimed(_ run: UnclaimedRun) -> LedgerEntry {
    .rare(.ranUnclaimed(run))
  }
  package static func reported(_ run: UnclaimedRun) -> LedgerEntry {
    .rare(.reported(run.job, run.slot))
  }
  package static func service(_ number: UInt64, _ process: ProcessIdentity) -> LedgerEntry {
    .rare(.service(number, process))
  }
  package static func serviceEnded(_ number: UInt64) -> LedgerEntry {
    .rare(.serviceEnded(number))
  }
}

/// What the ledger is told seldom.
package enum RareEntry: Hashable, Sendable {
  /// The parameters that a run was triggered with. It follows the first entry of that run.
  case parameters(Shared<ShownParameters>, of: RunID)
  /// A process of a service plugin is there: it belongs to no run, and outlives all that it has. The
  /// daemon gives the number to no other process.
  case service(UInt64, ProcessIdentity)
  /// Nothing is left of such a process.
  case serviceEnded(UInt64)
  case clockStepped(at: WallInstant, by: Duration)
  case reloaded(ReloadRecord)
  /// A job that runs once is there from now on.
  case once(OnceJob)
  /// Such a job is not there any more.
  case onceRemoved(JobName)
  /// The daemon is this member of its cluster from now on.
  case joined(MemberID)
  /// A run without a claim has the slot, and the engine is to hear of it; or it may have heard of it
  /// under another membership than was said before.
  case ranUnclaimed(UnclaimedRun)
  /// The engine knows of that run, or need not.
  case reported(JobName, WallInstant)
}

/// How a process is known again: a number alone may be another's by then.
package struct ProcessIdentity: Hashable, Sendable {
  /// Its number, and that of its session and group.
  package var pid: Int32
  /// When it was made, in clock ticks since the machine started: not before the first, not after
  /// the second.
  package var sinceTicks: UInt64
  package var untilTicks: UInt64

  /// The random word in the environment of the attempt's processes; empty where none is known, as
  /// in a ledger of an earlier version.
  package var mark: String
  /// The path of the attempt's control group, from the root of its hierarchy; nil without one.
  package var controlGroup: String?

  package init(
    pid: Int32, sinceTicks: UInt64, untilTicks: UInt64, mark: String = "",
    controlGroup: String? = nil
  ) {
    self.pid = pid
    self.sinceTicks = sinceTicks
    self.untilTicks = untilTicks
    self.mark = mark
    self.controlGroup = controlGroup
  }
}

/// A reload, as the ledger keeps it.
package struct ReloadRecord: Hashable, Sendable {
  package var at: WallInstant
  /// How many jobs were kept; nil for a reload that was refused.
  package var kept: Int?
  /// What changed, a line for each job that was not kept: `rearmed backup`. Of a refused one the
  /// errors.
  package var lines: [String]

  package init(at: WallInstant, kept: Int?, lines: [String]) {
    self.at = at
    self.kept = kept
    self.lines = lines
  }
}
