package import TaktTime

package enum LedgerEntry: Hashable, Sendable {
  case verdict(VerdictRecord)
  /// A slot that is behind its job's checkpoint and has no verdict yet: its run waits for a place,
  /// or for its turn among those that run late.
  case pending(JobName, WallInstant)
  /// A job's position, which replaces the previous one.
  case checkpoint(JobCheckpoint)
  /// A job has this schedule from now on.
  case schedule(ScheduleVersion)
  /// A job was removed, and is no longer due.
  case scheduleEnded(JobName, ScheduleEdge)
  /// A run, or a further attempt of it, that must be recorded before it may start. It replaces the
  /// state of a run of a previous daemon, as `began` does.
  case claimed(RunBeginning)
  case began(RunBeginning)
  case attemptBegan(RunID, attempt: Int, at: WallInstant)
  /// An attempt has failed, and another follows.
  case backedOff(RunID, RetryPosition, at: WallInstant)
  /// The output of an attempt that another one follows. The last attempt's output comes with the
  /// end of the run.
  case attemptOutput(RunID, attempt: Int, KeptOutput, at: WallInstant)
  /// The resource use of such an attempt. The last attempt's comes with the end, too.
  case attemptUse(RunID, attempt: Int, Shared<ResourceUse>)
  case ended(RunRecord)
  /// A run of a previous daemon that another one has continued or given up.
  case settled(RunID)
  case process(RunID, ProcessIdentity)
  /// Boxed, and one case of sixteen: with more of them each entry takes longer to be told from
  /// others. Without it the gate's `ledger` and `slots` take more.
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

package enum RareEntry: Hashable, Sendable {
  /// The parameters that a run was triggered with. Follows the first entry of that run.
  case parameters(Shared<ShownParameters>, of: RunID)
  /// A process of a service plugin exists: it belongs to no run, and outlives all that it has. The
  /// daemon gives the number to no other process.
  case service(UInt64, ProcessIdentity)
  /// No process is left of such a service.
  case serviceEnded(UInt64)
  case clockStepped(at: WallInstant, by: Duration)
  case reloaded(ReloadRecord)
  case once(OnceJob)
  case onceRemoved(JobName)
  case joined(MemberID)
  /// A run without a claim has the slot, and the engine must be notified; or it may have been
  /// notified under another membership than recorded before.
  case ranUnclaimed(UnclaimedRun)
  /// The engine knows of that run, or need not.
  case reported(JobName, WallInstant)
}

/// Identifies a process beyond its number, which may be another's later.
package struct ProcessIdentity: Hashable, Sendable {
  /// Its number, and that of its session and group.
  package var pid: Int32
  /// Bounds of its start time, in clock ticks since the machine started: not before the first, not
  /// after the second.
  package var sinceTicks: UInt64
  package var untilTicks: UInt64

  /// The random word in the environment of the attempt's processes; empty if unknown, as in a
  /// ledger of an earlier version.
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

package struct ReloadRecord: Hashable, Sendable {
  package var at: WallInstant
  /// The number of jobs kept; nil for a reload that was refused.
  package var kept: Int?
  /// A line for each job that was not kept: `rearmed backup`. For a refused reload, the errors.
  package var lines: [String]

  package init(at: WallInstant, kept: Int?, lines: [String]) {
    self.at = at
    self.kept = kept
    self.lines = lines
  }
}
